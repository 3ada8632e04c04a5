/* Holding a process that is open. Sources: pidfd_open(2), proc(5). */
#include "process/identity.h"

#include "base/error.h"
#include "process/descriptors.h"
#include "process/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#define IDENTITY_THREADS 50 /* that may end while we read through them */

static bool identity_dead(char state)
{
	return state == 'Z' || state == 'X' || state == 'x';
}

/* Has the thread begun to exit, or a signal that makes it? */
static bool identity_exits(int proc, const char *tid, const struct procfs_stat *stat)
{
	uint64_t pending = 0;
	char *text;

	if (procfs_read(proc, &text, NULL, "task/%s/status", tid) == 0)
		pending = procfs_status_set(text, "SigPnd") | procfs_status_set(text, "ShdPnd");
	free(text);
	return stat->flags & PROCFS_EXITING || pending >> (SIGKILL - 1) & 1;
}

pid_t identity_find_thread(int proc, bool remains)
{
	DIR *dir = procfs_list(procfs_open(proc, O_RDONLY | O_DIRECTORY, "task"));
	int shortage = dir ? 0 : -errno;
	struct dirent *entry;
	pid_t found = 0;

	if (!dir)
		return error_is_shortage(shortage) ? shortage : 0;
	while (!found && (entry = readdir(dir))) {
		struct procfs_stat stat;
		int r;

		if (entry->d_name[0] == '.')
			continue;
		r = procfs_stat(proc, &stat, "task/%s/stat", entry->d_name);
		if (r == 0 && !identity_dead(stat.state) &&
			!(remains && identity_exits(proc, entry->d_name, &stat)))
			found = atoi(entry->d_name);
		else if (error_is_shortage(r))
			shortage = r;
	}
	closedir(dir);
	return found ? found : shortage;
}

/* `code`: negative errno of the open or read. A shortage says nothing about the process. */
static int identity_none(pid_t pid, int code, const char *why, struct probes_error *e)
{
	error_set(e, PROBES_NO_TARGET, error_is_shortage(code) ? code : -ESRCH,
		"cannot open process %d", pid);
	return error_why(e, "%s", why);
}

/* auxv holds addresses that the kernel chooses at random at each exec. */
static uint64_t identity_hash(int dir, const char *file)
{
	size_t size;
	char *auxv;
	int r = procfs_read(dir, &auxv, &size, "%s", file);
	uint64_t hash = r < 0 || !size ? 0 : XXH3_64bits(auxv, size);

	free(auxv);
	errno = -r;
	return hash;
}

uint64_t identity_program(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/auxv", pid);
	return identity_hash(AT_FDCWD, path);
}

static int identity_open_directories(struct identity *who, struct probes_error *e)
{
	struct procfs_stat stat;
	int r;

	who->proc = procfs_open(AT_FDCWD, O_RDONLY | O_DIRECTORY, "/proc/%d", who->pid);
	r = who->proc < 0 ? who->proc : procfs_stat(who->proc, &stat, "stat");
	if (r < 0) {
		const struct procfs_absence *absence = procfs_absence(who->pid);

		identity_none(who->pid, r, absence->why, e);
		error_hint(e, "%s", absence->hint);
		snprintf(e->as, sizeof e->as, "%s", absence->as);
		return e->code;
	}
	if (stat.flags & PROCFS_KERNEL_THREAD) {
		identity_none(who->pid, 0, "it is a kernel thread and has no program", e);
		return error_hint(e, "the kernel has tracepoints: perf list, bpftrace -l");
	}
	who->start_time = stat.start_time;
	who->tid = who->pid;
	who->task = who->proc;
	if (identity_dead(stat.state)) {
		who->tid = identity_find_thread(who->proc, false);
		if (who->tid <= 0) {
			identity_none(who->pid, who->tid,
				"it has ended and only waits for its parent to collect it (zombie)",
				e);
			return error_hint(e, "its parent is process %d", stat.parent);
		}
		r = who->task = procfs_open(who->proc, O_RDONLY | O_DIRECTORY, "task/%d", who->tid);
		if (r < 0)
			return error_is_shortage(r) ? identity_none(who->pid, r, "", e)
						    : identity_gone(who, e);
	}
	who->program = identity_hash(who->task, "auxv");
	return error_is_shortage(-errno) ? identity_none(who->pid, -errno, "", e) : 0;
}

int identity_open(struct identity *who, pid_t pid, struct probes_error *e)
{
	int r = descriptors_spare(0);
	char self[32];
	ssize_t length;

	*who = (struct identity){.pid = pid, .pidfd = -1, .proc = -1, .task = -1, .maps = -1};
	if (pid <= 0)
		return identity_none(pid, 0, "a process number is greater than 0", e);
	/*
	 * /proc may belong to another pid namespace (a bind mount in a container, a namespace
	 * without its own mount): there a pid names another process than it does in system calls.
	 */
	length = readlink("/proc/self", self, sizeof self - 1);
	self[length > 0 ? length : 0] = '\0';
	if (length > 0 && atoi(self) != getpid()) {
		error_set(e, PROBES_REFUSED, -EXDEV, "cannot open process %d", pid);
		error_why(e, "/proc shows another pid namespace than the one we run in");
		return error_hint(e, "mount a proc of this namespace: mount -t proc proc /proc");
	}
	if (r < 0)
		return identity_none(pid, r, "", e);
	/* pidfd first: should the pid be recycled before /proc/PID is opened, its poll shows that.
	 */
	who->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (who->pidfd < 0 && errno == EINVAL) {
		identity_none(pid, 0, "it is a thread, not a process", e);
		return error_hint(
			e, "name the process it belongs to: the Tgid in /proc/%d/status", pid);
	}
	/* ENOENT: it is being reaped at this moment (seen with Linux 6.18). */
	if (who->pidfd < 0 && errno != ESRCH && errno != ENOENT)
		return error_set(e, PROBES_FAILED, -errno, "cannot hold process %d", pid);
	r = identity_open_directories(who, e);
	if (r == 0 && (who->pidfd < 0 || !identity_alive(who)))
		r = identity_gone(who, e);
	if (r < 0) {
		identity_close(who);
	} else if (descriptors_scarce(who->pidfd)) {
		/* An open /proc/PID never refers to a recycled pid: it can replace the pidfd. */
		close(who->pidfd);
		who->pidfd = -1;
	}
	return r;
}

void identity_close(struct identity *who)
{
	int *fds[] = {&who->pidfd, &who->proc, &who->task, &who->maps};

	if (who->task == who->proc)
		who->task = -1;
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

void identity_end(struct identity *who)
{
	who->killed_by = identity_killed_by(who);
	who->ended = true;
	identity_close(who);
}

pid_t identity_ns_pid(const struct identity *who)
{
	char *text;
	pid_t pid = who->pid;

	if (procfs_read(who->proc, &text, NULL, "status") == 0)
		pid = (pid_t)procfs_status_last(text, "NStgid", who->pid);
	free(text);
	return pid;
}

bool identity_thread_lives(const struct identity *who)
{
	struct procfs_stat stat;

	return procfs_stat(who->task, &stat, "stat") == 0 && !identity_dead(stat.state);
}

pid_t identity_thread(const struct identity *who)
{
	return identity_thread_lives(who) ? who->tid : identity_find_thread(who->proc, false);
}

/*
 * The next thread to look through where `tid` has ended, and the path of its `file`; 0: `tid`
 * lives, or none does, or too many have ended. Begin with that of `who` and *tries = 0.
 */
static pid_t identity_next(
	const struct identity *who, pid_t tid, const char *file, char path[64], int *tries)
{
	struct procfs_stat stat;
	pid_t next;

	if (procfs_stat(who->proc, &stat, "task/%d/stat", (int)tid) == 0 &&
		!identity_dead(stat.state))
		return 0;
	next = ++*tries > IDENTITY_THREADS ? 0 : identity_find_thread(who->proc, false);
	snprintf(path, 64, "task/%d/%s", (int)next, file);
	return next > 0 ? next : 0;
}

int identity_openat(const struct identity *who, const char *file, int flags)
{
	int fd = openat(who->task, file, flags | O_CLOEXEC), tries = 0;
	int r = fd < 0 ? -errno : fd;
	pid_t tid = who->tid;
	char path[64];

	while ((tid = identity_next(who, tid, file, path, &tries))) {
		if (r >= 0)
			close(r);
		fd = openat(who->proc, path, flags | O_CLOEXEC);
		r = fd < 0 ? -errno : fd;
	}
	return r;
}

/* The text was read through the thread of `who`: read it again as often as it takes. */
static int identity_reread(const struct identity *who, const char *file,
	size_t (*drop)(char *text, size_t size), int r, char **text, size_t *size)
{
	pid_t tid = who->tid;
	char path[64];
	int tries = 0;

	while ((tid = identity_next(who, tid, file, path, &tries))) {
		free(*text);
		r = procfs_read_lines(who->proc, path, drop, text, size);
	}
	return r;
}

int identity_read(const struct identity *who, const char *file, char **text, size_t *size)
{
	int r = procfs_read(who->task, text, size, "%s", file);

	return identity_reread(who, file, NULL, r, text, size);
}

int identity_maps(const struct identity *who, size_t (*drop)(char *text, size_t size), char **text,
	size_t *size)
{
	int r = procfs_read_lines(who->task, "maps", drop, text, size);

	/* It lived: one that has ended has none. */
	if (r == 0 && **text && who->tid == who->pid)
		return 0;
	r = identity_reread(who, "maps", drop, r, text, size);
	if ((r != -EACCES && r != -EPERM) || who->maps < 0 || lseek(who->maps, 0, SEEK_SET) < 0)
		return r;
	return procfs_read_open(who->maps, drop, text, size);
}

void identity_keep_maps(struct identity *who)
{
	if (who->maps >= 0 || !who->program)
		return;
	who->maps = identity_openat(who, "maps", O_RDONLY);
	if (who->maps < 0) {
		who->maps = -1;
	} else if (descriptors_scarce(who->maps) ||
		   identity_hash(who->task, "auxv") != who->program) {
		close(who->maps);
		who->maps = -1;
	}
}

int identity_auxv(const struct identity *who, unsigned long type, uint64_t *value)
{
	size_t size;
	char *text;
	int r = identity_read(who, "auxv", &text, &size);

	*value = 0;
	for (size_t at = 0; at + 16 <= size; at += 16) {
		uint64_t pair[2];

		memcpy(pair, text + at, sizeof pair);
		if (pair[0] == type)
			*value = pair[1];
	}
	free(text);
	return error_is_shortage(r) ? r : 0;
}

bool identity_alive(const struct identity *who)
{
	struct pollfd p = {.fd = who->pidfd, .events = POLLIN};
	struct procfs_stat stat;
	int r;

	if (who->ended)
		return false;
	if (who->pidfd < 0) {
		r = procfs_stat(who->proc, &stat, "stat");
		/* A shortage does not prove an end. */
		return error_is_shortage(r) ||
		       (r == 0 && (!identity_dead(stat.state) ||
					  identity_find_thread(who->proc, false)));
	}
	/* A signal interrupts poll even without a timeout (fs/select.c do_poll). A failure proves
	 * nothing. */
	do
		r = poll(&p, 1, 0);
	while (r < 0 && errno == EINTR);
	return r <= 0;
}

bool identity_execed(const struct identity *who)
{
	/* From the leader: exec ends all other threads. */
	uint64_t now = identity_hash(who->proc, "auxv");

	return who->program && now && now != who->program;
}

/* PIDFD_GET_INFO of Linux 6.13, as far as it matters here: linux/pidfd.h. */
struct identity_info {
	uint64_t mask, cgroup;
	uint32_t ids[11];
	int32_t exit_code;
};
#define IDENTITY_GET_INFO _IOWR(0xff, 11, struct identity_info)
#define IDENTITY_INFO_EXIT 8 /* Linux 6.15 */

int identity_killed_by(const struct identity *who)
{
	struct identity_info info = {.mask = IDENTITY_INFO_EXIT};
	char *stat = NULL, *last;
	int status = 0;

	if (who->ended)
		return who->killed_by;
	/* Until its parent has waited for it, the last field of stat; then the pidfd. */
	if (procfs_read(who->proc, &stat, NULL, "stat") == 0 && (last = strrchr(stat, ' ')))
		status = atoi(last);
	else if (who->pidfd >= 0 && ioctl(who->pidfd, IDENTITY_GET_INFO, &info) == 0 &&
		 info.mask & IDENTITY_INFO_EXIT)
		status = info.exit_code;
	free(stat);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

int identity_gone(const struct identity *who, struct probes_error *e)
{
	int number = identity_alive(who) ? 0 : identity_killed_by(who);
	char path[sizeof e->why / 2];
	ssize_t length;

	error_set(e, PROBES_GONE, -ESRCH, "lost process %d", who->pid);
	if (number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE ||
		number == SIGTRAP || number == SIGSYS || number == SIGABRT) {
		error_why(e, "it has crashed: signal %d (%s)", number, strsignal(number));
	} else if (number) {
		error_why(e, "it was killed: signal %d (%s)", number, strsignal(number));
	} else if (!identity_alive(who)) {
		error_why(e, "it has ended");
	} else if (identity_execed(who)) {
		length = readlinkat(who->proc, "exe", path, sizeof path - 1);
		path[length > 0 ? length : 0] = '\0';
		error_why(e, "it runs another program now, by exec: %s", path);
	} else {
		error_why(e, "it has ended, or runs another program now");
	}
	return error_hint(e, "nothing of it is left to undo; open it again if it was restarted");
}
