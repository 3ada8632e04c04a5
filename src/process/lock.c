/*
 * The locks of a target.
 *
 * /proc/PID/mem can only be opened with the right to attach (PTRACE_MODE_ATTACH, fs/proc/base.c
 * mem_open), so a stranger cannot lock it. But its inode belongs to one proc mount and one thread:
 * two sessions may lock different inodes.
 *
 * The inode of a pidfd is unique per process since Linux 6.9 (fs/pidfs.c); before, all pidfds share
 * one inode, which excludes more than necessary. But any user can open and lock a pidfd. So the
 * lock on mem comes first, and a lock on the pidfd counts only if its holder has the right to trace
 * the process.
 */
#include "process/lock.h"

#include "base/error.h"
#include "base/now.h"
#include "process/procfs.h"
#include "process/rights.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define LOCK_NAP_MS 2
#define LOCK_LOOKUP_MS 100 /* how often the holder is looked up */
/* How long to wait for a holder that cannot be identified: few sessions take as long. */
#define LOCK_UNKNOWN_MS 2000
#define LOCK_IGNORED_MS 100 /* likewise, once one was ignored */

/* The holder of a lock; of several holders the greatest value counts. */
enum lock_holder { LOCK_STRANGER, LOCK_UNKNOWN, LOCK_PEER };

/*
 * Is the uid mapped in the user namespace with this map? Any user can create a namespace and has
 * all capabilities in it, but only over their own processes. An outside id that we cannot name (all
 * ones) belongs to a namespace above ours, which covers everything here.
 */
static bool lock_map_covers(const char *map, uint64_t uid)
{
	unsigned long long inside, outside, count;
	int length;

	for (; sscanf(map, "%llu %llu %llu%n", &inside, &outside, &count, &length) == 3;
		map += length)
		if (outside == UINT32_MAX || (uid >= outside && uid - outside < count))
			return true;
	return false;
}

static enum lock_holder lock_judge(const struct identity *who, pid_t pid)
{
	struct rights holder = {.uid_map = NULL}, target = {.uid_map = NULL};
	enum lock_holder judged = LOCK_UNKNOWN;
	char prefix[32], *ours = NULL;

	snprintf(prefix, sizeof prefix, "/proc/%d/", pid);
	if (pid > 0 && rights_target(&target, who) && rights_read(&holder, AT_FDCWD, prefix)) {
		bool same = !strcmp(holder.uid_map, target.uid_map);
		bool user = same && rights_permit(&target, holder.uids[3], holder.gids[3],
					    holder.effective);
		bool root =
			holder.effective >> CAP_SYS_PTRACE & 1 &&
			(same ||
				(procfs_read(AT_FDCWD, &ours, NULL, "/proc/self/uid_map") == 0 &&
					!strcmp(holder.uid_map, ours)) ||
				lock_map_covers(holder.uid_map, target.uids[0]));

		/* A process that gained the right by its program (set-user-ID, capabilities) may
		 * have locked before, as a stranger: unknown. */
		if (!user && !root)
			judged = LOCK_STRANGER;
		else if (user ? rights_all(holder.uids, 4, target.uids[0]) &&
					 rights_all(holder.gids, 4, target.gids[0])
			      : rights_all(holder.uids, 4, 0))
			judged = LOCK_PEER;
		free(ours);
	}
	rights_done(&holder);
	rights_done(&target);
	return judged;
}

/* A line of /proc/locks or of fdinfo; a waiter has "->" in place of FLOCK. */
static bool lock_parse(const char *line, const struct stat *file, bool *exclusive, int *by)
{
	unsigned long long inode;
	unsigned major, minor;
	char access[8];

	if (sscanf(line, "%*u: FLOCK %*s %7s %d %x:%x:%llu", access, by, &major, &minor, &inode) !=
			5 ||
		inode != file->st_ino || major != major(file->st_dev) ||
		minor != minor(file->st_dev))
		return false;
	*exclusive = !strcmp(access, "WRITE");
	return true;
}

/*
 * /proc/locks names the process that took a lock. That process may have ended, its lock live on in
 * a child, and its pid be recycled: so look for the lock among its descriptors
 * (proc_pid_fdinfo(5)). False if they cannot be read.
 */
static bool lock_holds(pid_t pid, const struct stat *file)
{
	struct dirent *entry;
	bool holds = false, exclusive;
	DIR *folder =
		procfs_list(procfs_open(AT_FDCWD, O_RDONLY | O_DIRECTORY, "/proc/%d/fdinfo", pid));
	char *text;
	int by;

	while (folder && !holds && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.' ||
			procfs_read(dirfd(folder), &text, NULL, "%s", entry->d_name) < 0)
			continue;
		for (const char *at = text; !holds && (at = strstr(at, "lock:\t")); at++)
			holds = lock_parse(at + sizeof "lock:\t" - 1, file, &exclusive, &by) &&
				exclusive;
		free(text);
	}
	if (folder)
		closedir(folder);
	return holds;
}

/*
 * The holder of the lock on this descriptor's file, by /proc/locks; *pid is 0 if the holder is
 * invisible: in another pid namespace.
 */
static enum lock_holder lock_holder(const struct identity *who, int fd, pid_t *pid)
{
	enum lock_holder greatest = LOCK_STRANGER;
	bool found = false;
	struct stat st;
	char *text;

	*pid = 0;
	if (fstat(fd, &st) < 0 || procfs_read(AT_FDCWD, &text, NULL, "/proc/locks") < 0)
		return LOCK_UNKNOWN;
	for (char *line = text; line && *line; line = strchr(line, '\n')) {
		enum lock_holder one = LOCK_STRANGER;
		bool exclusive;
		int by;

		line += *line == '\n';
		if (!lock_parse(line, &st, &exclusive, &by))
			continue;
		/* A session's locks are exclusive. */
		if (exclusive)
			one = lock_judge(who, by);
		if (one == LOCK_PEER && !lock_holds(by, &st))
			one = LOCK_UNKNOWN;
		if (!found || one > greatest) {
			greatest = one;
			*pid = by;
		}
		found = true;
	}
	free(text);
	return found ? greatest : LOCK_UNKNOWN;
}

static int lock_failed(const struct identity *who, struct probes_error *e)
{
	return error_set(e, PROBES_FAILED, -errno, "cannot lock process %d", who->pid);
}

static int lock_busy(
	const struct identity *who, pid_t holder, uint64_t waited, struct probes_error *e)
{
	char name[64];

	procfs_name(holder, name, sizeof name);
	error_set(e, PROBES_REFUSED, -EBUSY, "cannot switch in process %d", who->pid);
	if (holder > 0)
		error_why(e, "waited %llu ms for the lock that process %d (%s) holds",
			(unsigned long long)waited, holder,
			*name ? name : "ended, but a child of it is alive");
	else
		error_why(e,
			"waited %llu ms for a lock; its holder is not visible from here (another "
			"pid namespace)",
			(unsigned long long)waited);
	return error_hint(e, "try again when that session has finished; if it hangs, end it");
}

static void lock_nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = LOCK_NAP_MS * 1000000}, NULL);
}

/* Wait for the lock on the pidfd. 0: we hold it, or no holder can be a session. */
static int lock_pidfd(struct lock *l, const struct identity *who, uint64_t begin, int limit,
	struct probes_error *e)
{
	uint64_t first = now_ms(), lookup = first;
	uint64_t patience = l->ignored                ? LOCK_IGNORED_MS
			    : limit < LOCK_UNKNOWN_MS ? (uint64_t)limit
						      : LOCK_UNKNOWN_MS;
	enum lock_holder holder = LOCK_UNKNOWN;
	pid_t pid = 0;

	while (flock(l->pidfd, LOCK_EX | LOCK_NB) < 0) {
		uint64_t now = now_ms();

		if (errno != EWOULDBLOCK)
			return lock_failed(who, e);
		if (now >= lookup) {
			holder = lock_holder(who, l->pidfd, &pid);
			lookup = now + LOCK_LOOKUP_MS;
		}
		if (holder == LOCK_STRANGER)
			return 0;
		if (holder == LOCK_UNKNOWN && now - first >= patience) {
			l->ignored = true;
			return 0;
		}
		if (holder == LOCK_PEER && now - begin >= (uint64_t)limit)
			return lock_busy(who, pid, now - begin, e);
		lock_nap();
	}
	return 0;
}

static void lock_close(const struct lock *l, const struct identity *who)
{
	if (l->pidfd >= 0 && l->pidfd != who->pidfd)
		close(l->pidfd);
}

int lock_take(struct lock *l, const struct identity *who, int memory, int milliseconds,
	struct probes_error *e)
{
	uint64_t begin = now_ms();
	pid_t holder;
	int r = 0;

	while (flock(memory, LOCK_EX | LOCK_NB) < 0) {
		uint64_t waited = now_ms() - begin;

		if (errno != EWOULDBLOCK)
			return lock_failed(who, e);
		if (waited >= (uint64_t)milliseconds) {
			lock_holder(who, memory, &holder);
			return lock_busy(who, holder, waited, e);
		}
		lock_nap();
	}
	/* A session closes its pidfd when descriptors are scarce (process/descriptors.h). A pidfd
	 * opened while the process is alive refers to that process: its pid is not recycled before
	 * it is reaped. */
	l->pidfd = who->pidfd;
	if (l->pidfd < 0)
		l->pidfd = (int)syscall(SYS_pidfd_open, who->pid, 0);
	if (l->pidfd < 0 && errno != ESRCH)
		r = lock_failed(who, e);
	else if (l->pidfd < 0 || !identity_alive(who))
		r = identity_gone(who, e);
	if (r == 0)
		r = lock_pidfd(l, who, begin, milliseconds, e);
	if (r < 0) {
		lock_close(l, who);
		flock(memory, LOCK_UN);
	}
	return r;
}

void lock_release(struct lock *l, const struct identity *who, int memory)
{
	flock(l->pidfd, LOCK_UN);
	lock_close(l, who);
	flock(memory, LOCK_UN);
}
