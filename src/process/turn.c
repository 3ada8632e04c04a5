/*
 * The locks behind a turn.
 *
 * /proc/PID/mem can only be opened with the right to attach (PTRACE_MODE_ATTACH,
 * fs/proc/base.c mem_open): no stranger holds a lock on it. But its inode belongs to one proc mount
 * and one thread: two sessions may lock different inodes.
 *
 * The inode of a pidfd is one per process since Linux 6.9 (fs/pidfs.c); before, all pidfds share
 * one, which excludes more than it must. But any user can open and lock a pidfd. So the lock on mem
 * comes first, and a lock on the pidfd counts only if its holder has the right to trace the
 * process.
 */
#include "process/turn.h"

#include "base/error.h"
#include "process/procfs.h"

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

#define TURN_NAP_MS 2
#define TURN_LOOK_MS 100     /* how often the holder is looked up */
#define TURN_UNKNOWN_MS 2000 /* hardly any session holds a turn that long */
#define TURN_PASSED_MS 100   /* likewise, once one was passed over */

/* The kind of a lock's holder; of several holders the greatest value counts. */
enum turn_holder { TURN_STRANGER, TURN_UNKNOWN, TURN_PEER };

static uint64_t turn_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- who may trace it ---- */

/* The facts that decide it, for one process. */
struct turn_party {
	char *status, *uid_map;
	uint64_t uids[4], gids[4]; /* real, effective, saved, file system */
	bool traces;               /* CAP_SYS_PTRACE, in its own user namespace */
};

static bool turn_party_read(struct turn_party *p, int dir, const char *prefix)
{
	uint64_t capabilities = 0;
	char file[64];
	size_t size;
	bool read;

	snprintf(file, sizeof file, "%sstatus", prefix);
	read = procfs_read(dir, file, &p->status, &size) == 0;
	snprintf(file, sizeof file, "%suid_map", prefix);
	read = procfs_read(dir, file, &p->uid_map, &size) == 0 && read;
	read = read && procfs_status_numbers(p->status, "Uid", 10, p->uids, 4) == 4 &&
	       procfs_status_numbers(p->status, "Gid", 10, p->gids, 4) == 4 &&
	       procfs_status_numbers(p->status, "CapEff", 16, &capabilities, 1) == 1;
	p->traces = capabilities >> CAP_SYS_PTRACE & 1;
	return read;
}

static void turn_party_done(struct turn_party *p)
{
	free(p->status);
	free(p->uid_map);
}

/*
 * Is the uid mapped in the user namespace with this map? Any user can create a namespace and has
 * all capabilities in it, but only over their own processes. An outside id that we cannot name (all
 * ones) belongs to a namespace above ours, which covers everything here.
 */
static bool turn_map_covers(const char *map, uint64_t uid)
{
	unsigned long long inside, outside, count;
	int length;

	for (; sscanf(map, "%llu %llu %llu%n", &inside, &outside, &count, &length) == 3;
		map += length)
		if (outside == UINT32_MAX || (uid >= outside && uid - outside < count))
			return true;
	return false;
}

static bool turn_map_is_ours(const char *map)
{
	size_t size;
	char *ours;
	bool same = procfs_read(AT_FDCWD, "/proc/self/uid_map", &ours, &size) == 0 &&
		    !strcmp(map, ours);

	free(ours);
	return same;
}

/* Are the first `count` ids all this one? */
static bool turn_all(const uint64_t *ids, size_t count, uint64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] != id)
			return false;
	return true;
}

/* Source: __ptrace_may_access in kernel/ptrace.c, cap_ptrace_access_check in security/commoncap.c.
 */
static enum turn_holder turn_weigh(
	const struct turn_party *holder, const struct turn_party *target, uid_t visible_owner)
{
	bool same_namespace = !strcmp(holder->uid_map, target->uid_map);
	/* The /proc directory of an undumpable process belongs to root. */
	bool user = same_namespace && turn_all(target->uids, 3, holder->uids[3]) &&
		    turn_all(target->gids, 3, holder->gids[3]) && visible_owner == target->uids[1];
	bool privileged =
		holder->traces && (same_namespace || turn_map_is_ours(holder->uid_map) ||
					  turn_map_covers(holder->uid_map, target->uids[0]));

	if (!user && !privileged)
		return TURN_STRANGER;
	/* It may also be a stranger that took the lock and then executed a program that has the
	 * right by its file (set-user-ID, capabilities). */
	return turn_all(holder->uids, 4, user ? target->uids[0] : 0) ? TURN_PEER : TURN_UNKNOWN;
}

static enum turn_holder turn_judge(const struct identity *who, pid_t pid)
{
	struct turn_party holder = {0}, target = {0};
	enum turn_holder judged = TURN_UNKNOWN;
	char prefix[32];
	struct stat st;

	snprintf(prefix, sizeof prefix, "/proc/%d/", pid);
	if (pid > 0 && fstat(who->proc, &st) == 0 && turn_party_read(&target, who->proc, "") &&
		turn_party_read(&holder, AT_FDCWD, prefix))
		judged = turn_weigh(&holder, &target, st.st_uid);
	turn_party_done(&holder);
	turn_party_done(&target);
	return judged;
}

/* ---- who holds a lock ---- */

/* A line of /proc/locks or of fdinfo; waiting ones have "->" in place of FLOCK. */
static bool turn_line_locks(const char *line, const struct stat *file, bool *exclusive, int *by)
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

static bool turn_info_locks(int folder, const char *name, const struct stat *file)
{
	bool locks = false, exclusive;
	size_t size;
	char *text;
	int by;

	if (procfs_read(folder, name, &text, &size) < 0)
		return false;
	for (const char *at = text; !locks && (at = strstr(at, "lock:\t")); at++)
		locks = turn_line_locks(at + sizeof "lock:\t" - 1, file, &exclusive, &by) &&
			exclusive;
	free(text);
	return locks;
}

/*
 * /proc/locks names the process that took a lock. It may have ended, the lock live on in a child,
 * and its number be anybody's by now: so ask for the descriptor itself (proc_pid_fdinfo(5)). False
 * where that may not be read.
 */
static bool turn_holds(pid_t pid, const struct stat *file)
{
	struct dirent *entry;
	bool holds = false;
	char path[32];
	DIR *folder;

	snprintf(path, sizeof path, "/proc/%d/fdinfo", pid);
	folder = opendir(path);
	while (folder && !holds && (entry = readdir(folder)))
		holds = entry->d_name[0] != '.' &&
			turn_info_locks(dirfd(folder), entry->d_name, file);
	if (folder)
		closedir(folder);
	return holds;
}

/*
 * Who holds the lock on this descriptor's file, by /proc/locks; *pid is 0 where nobody is visible:
 * another pid namespace.
 */
static enum turn_holder turn_holder(const struct identity *who, int fd, pid_t *pid)
{
	enum turn_holder greatest = TURN_STRANGER;
	bool found = false;
	struct stat st;
	size_t size;
	char *text;

	*pid = 0;
	if (fstat(fd, &st) < 0 || procfs_read(AT_FDCWD, "/proc/locks", &text, &size) < 0)
		return TURN_UNKNOWN;
	for (char *line = text; line && *line; line = strchr(line, '\n')) {
		enum turn_holder one = TURN_STRANGER;
		bool exclusive;
		int by;

		line += *line == '\n';
		if (!turn_line_locks(line, &st, &exclusive, &by))
			continue;
		/* A session's locks are exclusive. */
		if (exclusive)
			one = turn_judge(who, by);
		if (one == TURN_PEER && !turn_holds(by, &st))
			one = TURN_UNKNOWN;
		if (!found || one > greatest) {
			greatest = one;
			*pid = by;
		}
		found = true;
	}
	free(text);
	return found ? greatest : TURN_UNKNOWN;
}

/* ---- waiting ---- */

static int turn_cannot(const struct identity *who, struct probes_error *e)
{
	return error_set(e, PROBES_FAILED, -errno, "cannot take turns on process %d", who->pid);
}

static int turn_busy(
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

static void turn_nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = TURN_NAP_MS * 1000000}, NULL);
}

static int turn_memory(
	const struct identity *who, int memory, uint64_t begin, int limit, struct probes_error *e)
{
	while (flock(memory, LOCK_EX | LOCK_NB) < 0) {
		uint64_t waited = turn_now() - begin;
		pid_t holder;

		if (errno != EWOULDBLOCK)
			return turn_cannot(who, e);
		if (waited >= (uint64_t)limit) {
			turn_holder(who, memory, &holder);
			return turn_busy(who, holder, waited, e);
		}
		turn_nap();
	}
	return 0;
}

static uint64_t turn_patience(const struct turn *t, int limit)
{
	if (t->passed)
		return TURN_PASSED_MS;
	return limit < TURN_UNKNOWN_MS ? (uint64_t)limit : TURN_UNKNOWN_MS;
}

/* 0: we hold it, or no possible session does. */
static int turn_process(struct turn *t, const struct identity *who, uint64_t begin, int limit,
	struct probes_error *e)
{
	uint64_t first = turn_now(), look = first;
	enum turn_holder holder = TURN_UNKNOWN;
	pid_t pid = 0;

	while (flock(t->pidfd, LOCK_EX | LOCK_NB) < 0) {
		uint64_t now = turn_now();

		if (errno != EWOULDBLOCK)
			return turn_cannot(who, e);
		if (now >= look) {
			holder = turn_holder(who, t->pidfd, &pid);
			look = now + TURN_LOOK_MS;
		}
		if (holder == TURN_STRANGER)
			return 0;
		if (holder == TURN_UNKNOWN && now - first >= turn_patience(t, limit)) {
			t->passed = true;
			return 0;
		}
		if (holder == TURN_PEER && now - begin >= (uint64_t)limit)
			return turn_busy(who, pid, now - begin, e);
		turn_nap();
	}
	return 0;
}

/*
 * A session gives up its pidfd when descriptors are scarce (process/descriptors.h). A pidfd opened
 * while the process lives is of that process: its pid is not reused before it is reaped.
 */
static int turn_open(struct turn *t, const struct identity *who, struct probes_error *e)
{
	t->pidfd = who->pidfd;
	if (t->pidfd < 0)
		t->pidfd = (int)syscall(SYS_pidfd_open, who->pid, 0);
	if (t->pidfd < 0 && errno != ESRCH)
		return turn_cannot(who, e);
	return t->pidfd < 0 || !identity_alive(who) ? identity_gone(who, e) : 0;
}

static void turn_close(const struct turn *t, const struct identity *who)
{
	if (t->pidfd >= 0 && t->pidfd != who->pidfd)
		close(t->pidfd);
}

int turn_take(struct turn *t, const struct identity *who, int memory, int milliseconds,
	struct probes_error *e)
{
	uint64_t begin = turn_now();
	int r = turn_memory(who, memory, begin, milliseconds, e);

	if (r < 0)
		return r;
	r = turn_open(t, who, e);
	if (r == 0)
		r = turn_process(t, who, begin, milliseconds, e);
	if (r < 0) {
		turn_close(t, who);
		flock(memory, LOCK_UN);
	}
	return r;
}

void turn_end(struct turn *t, const struct identity *who, int memory)
{
	flock(t->pidfd, LOCK_UN);
	turn_close(t, who);
	flock(memory, LOCK_UN);
}
