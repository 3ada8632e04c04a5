/* Choosing a thread that can be paused without its noticing. Source of what a call returns when it
 * is interrupted: the kernel (ERESTARTSYS and so on), and signal(7). */
#include "process/host_thread.h"

#include "base/error.h"
#include "process/maps.h"
#include "process/memory.h"
#include "process/procfs.h"
#include "process/threads.h"
#include "process/tracee.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/ucontext.h>
#include <sys/user.h>
#include <unistd.h>

#define HOST_THREAD_GUARD (1u << 20)          /* bytes; the gap above a heap of malloc is larger */
#define HOST_THREAD_HANDLER_STACK 65536       /* bytes searched for the frame of a signal handler */
#define HOST_THREAD_RSEQ_CS 8                 /* offset of rseq_cs, struct rseq */
#define HOST_THREAD_WAIT_MS 250               /* an event loop may wait this much longer, once */
#define HOST_THREAD_CODE_64 0x33              /* cs of 64-bit code */
#define HOST_THREAD_RESTART_NO_HANDLER (-514) /* ERESTARTNOHAND, include/linux/errno.h */

enum { HOST_THREAD_NO_SECCOMP = 0, HOST_THREAD_FILTERED = 2 }; /* "Seccomp:", proc_pid_status(5) */

/* ---- system calls ---- */

/* The smaller, the better. */
enum host_thread_rank {
	HOST_THREAD_RESTARTS, /* the kernel restarts it, with the time that is left */
	HOST_THREAD_REPEATS,  /* it returns EINTR, but has done nothing: we restart it */
	HOST_THREAD_RUNS,
	HOST_THREAD_RESUMED, /* as HOST_THREAD_RESTARTS, but which call it is cannot be seen any
				more */
	HOST_THREAD_WAITS_LONGER,
	HOST_THREAD_INTERRUPTED, /* it returns EINTR; begun again, it might wait twice as long */
	HOST_THREAD_NOT,
};

/* How a call tells that it waits without a limit. */
enum host_thread_limit {
	HOST_THREAD_ALWAYS,  /* whatever its arguments */
	HOST_THREAD_FUTEX,   /* the operation, in argument 1 */
	HOST_THREAD_READ,    /* the file, in argument 0 */
	HOST_THREAD_RECEIVE, /* likewise, and flags in argument `at` */
	HOST_THREAD_MS,      /* milliseconds in argument `at`; negative: for ever */
	HOST_THREAD_POINTER  /* argument `at` is NULL */
};

static const struct host_thread_call {
	int number;
	const char *name;
	enum host_thread_rank rank;
	enum host_thread_limit limit;
	unsigned at;
} host_thread_calls[] = {
	{SYS_futex, "futex", HOST_THREAD_RESTARTS, HOST_THREAD_FUTEX, 1},
	{SYS_nanosleep, "nanosleep", HOST_THREAD_RESTARTS, HOST_THREAD_ALWAYS, 0},
	{SYS_clock_nanosleep, "clock_nanosleep", HOST_THREAD_RESTARTS, HOST_THREAD_ALWAYS, 0},
	{SYS_poll, "poll", HOST_THREAD_RESTARTS, HOST_THREAD_ALWAYS, 0},
	{SYS_ppoll, "ppoll", HOST_THREAD_RESTARTS, HOST_THREAD_ALWAYS, 0},
	{SYS_select, "select", HOST_THREAD_RESTARTS, HOST_THREAD_ALWAYS, 0},
	{SYS_pselect6, "pselect", HOST_THREAD_RESTARTS, HOST_THREAD_ALWAYS, 0},
	{SYS_pause, "pause", HOST_THREAD_RESTARTS, HOST_THREAD_ALWAYS, 0},
	{SYS_rt_sigsuspend, "sigsuspend", HOST_THREAD_RESTARTS, HOST_THREAD_ALWAYS, 0},
	{SYS_wait4, "wait4", HOST_THREAD_RESTARTS, HOST_THREAD_ALWAYS, 0},
	{SYS_waitid, "waitid", HOST_THREAD_RESTARTS, HOST_THREAD_ALWAYS, 0},
	{SYS_flock, "flock", HOST_THREAD_RESTARTS, HOST_THREAD_ALWAYS, 0},
	{SYS_msgrcv, "msgrcv", HOST_THREAD_RESTARTS, HOST_THREAD_ALWAYS, 0},
	{SYS_read, "read", HOST_THREAD_RESTARTS, HOST_THREAD_READ, 0},
	{SYS_recvfrom, "recv", HOST_THREAD_RESTARTS, HOST_THREAD_RECEIVE, 3},
	{SYS_recvmsg, "recvmsg", HOST_THREAD_RESTARTS, HOST_THREAD_RECEIVE, 2},
	{SYS_accept, "accept", HOST_THREAD_RESTARTS, HOST_THREAD_READ, 0},
	{SYS_accept4, "accept", HOST_THREAD_RESTARTS, HOST_THREAD_READ, 0},
	{SYS_epoll_wait, "epoll_wait", HOST_THREAD_REPEATS, HOST_THREAD_MS, 3},
	{SYS_epoll_pwait, "epoll_wait", HOST_THREAD_REPEATS, HOST_THREAD_MS, 3},
	{SYS_epoll_pwait2, "epoll_pwait2", HOST_THREAD_REPEATS, HOST_THREAD_POINTER, 3},
	{SYS_rt_sigtimedwait, "sigtimedwait", HOST_THREAD_REPEATS, HOST_THREAD_POINTER, 2},
	{SYS_semop, "semop", HOST_THREAD_REPEATS, HOST_THREAD_ALWAYS, 0},
	{SYS_semtimedop, "semtimedop", HOST_THREAD_REPEATS, HOST_THREAD_POINTER, 3},
	{SYS_restart_syscall, "restart_syscall", HOST_THREAD_RESUMED, HOST_THREAD_ALWAYS, 0},
	/* These only for their names. */
	{SYS_io_getevents, "io_getevents", HOST_THREAD_NOT, HOST_THREAD_ALWAYS, 0},
	{SYS_io_uring_enter, "io_uring_enter", HOST_THREAD_NOT, HOST_THREAD_ALWAYS, 0},
	{SYS_recvmmsg, "recvmmsg", HOST_THREAD_NOT, HOST_THREAD_ALWAYS, 0},
	{SYS_write, "write", HOST_THREAD_NOT, HOST_THREAD_ALWAYS, 0},
	{SYS_sendto, "send", HOST_THREAD_NOT, HOST_THREAD_ALWAYS, 0},
	{SYS_connect, "connect", HOST_THREAD_NOT, HOST_THREAD_ALWAYS, 0},
};

static const struct host_thread_call *host_thread_call(uint64_t number)
{
	for (size_t i = 0; i < sizeof host_thread_calls / sizeof *host_thread_calls; i++)
		if ((uint64_t)host_thread_calls[i].number == number)
			return &host_thread_calls[i];
	return NULL;
}

/* Does a socket wait without a limit, for one byte? With a timeout it would return EINTR. */
static bool host_thread_socket(const struct identity *who, unsigned file)
{
	int fd = who->pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, who->pidfd, file, 0),
	    least = 0;
	struct timeval limit = {0};
	socklen_t limit_size = sizeof limit, least_size = sizeof least;
	bool ever;

	if (fd < 0)
		return false;
	ever = getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, &limit_size) == 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &least, &least_size) == 0 && !limit.tv_sec &&
	       !limit.tv_usec && least <= 1;
	close(fd);
	return ever;
}

/* Does a read from this descriptor begin again after a stop? inotify's returns EINTR. */
static bool host_thread_file(const struct identity *who, unsigned file)
{
	static const char *const known[] = {
		"anon_inode:[eventfd]", "anon_inode:[timerfd]", "anon_inode:[signalfd]"};
	char name[16], target[64] = "";
	int folder = identity_openat(who, "fd", O_RDONLY | O_DIRECTORY);
	struct stat s = {0};
	bool open;

	snprintf(name, sizeof name, "%u", file);
	open = folder >= 0 && fstatat(folder, name, &s, 0) == 0 &&
	       readlinkat(folder, name, target, sizeof target - 1) > 0;
	if (folder >= 0)
		close(folder);
	if (!open)
		return false;
	if (S_ISFIFO(s.st_mode))
		return true;
	if (S_ISSOCK(s.st_mode))
		return host_thread_socket(who, file);
	if (S_ISCHR(s.st_mode)) /* terminals, Documentation/admin-guide/devices.txt */
		return major(s.st_rdev) == 4 || major(s.st_rdev) == 5 ||
		       (major(s.st_rdev) >= 136 && major(s.st_rdev) <= 143);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(target, known[i]))
			return true;
	return false;
}

static enum host_thread_rank host_thread_rank(
	const struct identity *who, const struct host_thread_call *call, const uint64_t *arguments)
{
	uint64_t value = arguments[call->at];

	switch (call->limit) {
	case HOST_THREAD_ALWAYS:
		return call->rank;
	case HOST_THREAD_FUTEX: /* WAIT, LOCK_PI, WAIT_BITSET, LOCK_PI2; not WAIT_REQUEUE_PI */
		value &= 127;
		return value == 0 || value == 6 || value == 9 || value == 13 ? call->rank
									     : HOST_THREAD_NOT;
	case HOST_THREAD_RECEIVE: /* it may have received a part */
		if (value & MSG_WAITALL)
			return HOST_THREAD_NOT;
		return host_thread_file(who, (unsigned)arguments[0]) ? call->rank : HOST_THREAD_NOT;
	case HOST_THREAD_READ:
		return host_thread_file(who, (unsigned)arguments[0]) ? call->rank : HOST_THREAD_NOT;
	case HOST_THREAD_MS:
		if ((int)value < 0)
			return call->rank;
		return (int)value <= HOST_THREAD_WAIT_MS ? HOST_THREAD_WAITS_LONGER
							 : HOST_THREAD_INTERRUPTED;
	case HOST_THREAD_POINTER:
		return value ? HOST_THREAD_INTERRUPTED : call->rank;
	}
	return HOST_THREAD_NOT;
}

/* Also one with a timeout: the thread ran until just before the stop, so nothing of it has passed.
 */
void host_thread_restart(struct user_regs_struct *r)
{
	const struct host_thread_call *call = host_thread_call(r->orig_rax);
	/* Where the kernel cannot write the time that is left (memory that is const,
	 * STICKY_TIMEOUTS), it cannot restart these: the time begins anew. */
	bool timed = r->orig_rax == SYS_ppoll || r->orig_rax == SYS_pselect6 ||
		     r->orig_rax == SYS_select;
	/* They return what they have submitted or fetched, if anything, instead of EINTR
	 * (io_uring/io_uring.c, fs/aio.c). */
	bool idle = r->orig_rax == SYS_io_uring_enter || r->orig_rax == SYS_io_getevents;

	if (r->cs == HOST_THREAD_CODE_64 && (int64_t)r->rax == -EINTR && call &&
		(call->rank == HOST_THREAD_REPEATS || timed || idle))
		r->rax = (uint64_t)(int64_t)HOST_THREAD_RESTART_NO_HANDLER;
}

/* ---- stacks ---- */

/*
 * The mapping is a stack if it is the one of the main thread, or if a guard is directly below it.
 * `thread`: the thread pointer, which C libraries keep above the stack of a thread; 0: unknown.
 * That of the main thread lies elsewhere, perhaps next to the stack of a coroutine.
 */
static bool host_thread_stack(const struct array *mappings, uint64_t sp, uint64_t thread, bool main)
{
	const struct mapping *m = maps_find(mappings, sp), *below = m - 1;

	if (!m || !m->writable || m->shared || m->inode || sp - m->start < HOST_THREAD_STACK)
		return false;
	if (!strcmp(m->path, "[stack]"))
		return true;
	if (main || m == mappings->data || below->end != m->start || below->readable ||
		below->writable || below->executable ||
		below->end - below->start > HOST_THREAD_GUARD)
		return false;
	return !thread || (thread > sp && thread < m->end);
}

/*
 * Does a signal handler run on an alternate stack that lies within this one? Then the frames of
 * the interrupted functions are below it. The kernel left the address of the code that ends the
 * handler, and behind it the registers, which say where these frames are.
 */
static bool host_thread_on_alternate_stack(
	uint64_t sp, const struct mapping *m, struct memory *memory, uint64_t sigreturn)
{
	const size_t sp_at = 1 + offsetof(ucontext_t, uc_mcontext.gregs[REG_RSP]) / 8;
	uint64_t words[HOST_THREAD_HANDLER_STACK / 8];
	size_t count = sizeof words / 8;

	sp &= ~7ull;
	if ((m->end - sp) / 8 < count)
		count = (m->end - sp) / 8;
	if (!memory_read(memory, sp, words, count * 8))
		return true;
	for (size_t i = 0; i + sp_at < count; i++)
		if (words[i] == sigreturn && words[i + sp_at] < sp + i * 8 &&
			words[i + sp_at] >= m->start)
			return true;
	return false;
}

/* ---- a stopped thread ---- */

/*
 * Is it within a restartable sequence (rseq(2))? The kernel would find it elsewhere, and forget
 * that it must begin anew.
 */
static bool host_thread_in_sequence(pid_t tid, uint64_t ip, struct memory *m)
{
	uint64_t rseq = tracee_rseq(tid), at = 0;
	struct { /* struct rseq_cs, <linux/rseq.h> */
		uint32_t version, flags;
		uint64_t start, length, abort;
	} sequence;

	if (!rseq || !memory_read(m, rseq + HOST_THREAD_RSEQ_CS, &at, sizeof at) || !at)
		return false;
	return !memory_read(m, at, &sequence, sizeof sequence) ||
	       ip - sequence.start < sequence.length;
}

const char *host_thread_unfit(pid_t tid, const struct user_regs_struct *r,
	const struct array *mappings, struct memory *m, uint64_t sigreturn, bool main, bool *never)
{
	*never = true;
	if (r->cs != HOST_THREAD_CODE_64)
		return "it executes 32-bit code";
	if (tracee_dispatches(tid))
		return "it intercepts its own system calls (prctl PR_SET_SYSCALL_USER_DISPATCH)";
	*never = false;
	if (!host_thread_stack(mappings, r->rsp, r->fs_base, main))
		return "its thread runs on a stack that is too small, or of an unknown kind";
	if (host_thread_on_alternate_stack(r->rsp, maps_find(mappings, r->rsp), m, sigreturn))
		return "its thread runs a signal handler on a stack within another one";
	if (host_thread_in_sequence(tid, r->rip, m))
		return "its thread executes a restartable sequence (rseq)";
	return NULL;
}

/* ---- threads ---- */

struct host_thread_search {
	const struct identity *who;
	const struct array *mappings;
	struct host_thread *found;
	enum host_thread_rank rank;
	bool filters, interrupts;
};

static enum host_thread_rank host_thread_no(struct host_thread *p, bool later, const char *hint,
	const char *why, ...) __attribute__((format(printf, 4, 5)));

/* The first reason that waiting does not resolve is the one to report. */
static enum host_thread_rank host_thread_no(
	struct host_thread *p, bool later, const char *hint, const char *why, ...)
{
	va_list list;

	if (!*p->why) {
		va_start(list, why);
		vsnprintf(p->why, sizeof p->why, why, list);
		va_end(list);
		snprintf(p->hint, sizeof p->hint, "%s", hint);
	}
	p->later |= later;
	return HOST_THREAD_NOT;
}

/* What /proc/PID/task/TID/syscall says: a call with its arguments, "running", or -1. */
static enum host_thread_rank host_thread_by_call(
	const struct host_thread_search *s, pid_t tid, bool filtered, const char *text)
{
	const struct host_thread_call *call;
	unsigned long long n[9] = {0};
	enum host_thread_rank rank;
	uint64_t arguments[6];
	char name[32];
	int got;

	if (!strncmp(text, "running", 7))
		return HOST_THREAD_RUNS;
	got = sscanf(text, "%llu %llx %llx %llx %llx %llx %llx %llx", n, n + 1, n + 2, n + 3, n + 4,
		n + 5, n + 6, n + 7);
	/* "-1": it waits, but in no system call. */
	if (got != 8 || n[0] > INT_MAX)
		return host_thread_no(
			s->found, true, "try again", "thread %d waits in the kernel", tid);
	for (size_t i = 0; i < 6; i++)
		arguments[i] = n[i + 1];
	call = host_thread_call(n[0]);
	snprintf(name, sizeof name, "system call %llu", n[0]);
	rank = call ? host_thread_rank(s->who, call, arguments) : HOST_THREAD_NOT;
	if (rank == HOST_THREAD_NOT || (rank == HOST_THREAD_INTERRUPTED && !s->interrupts))
		return host_thread_no(s->found, true,
			rank == HOST_THREAD_NOT
				? "try again while it works"
				: "try again while it works, or allow its threads to be stopped",
			"thread %d waits in %s, which would return too early", tid,
			call ? call->name : name);
	if (!host_thread_stack(s->mappings, n[7], 0, tid == s->who->pid))
		return host_thread_no(s->found, true, "try again while it works",
			"thread %d has too little stack, or a stack of an unknown kind", tid);
	/* These restart_syscall resumes (process/restart.h). The filter can be read only when it
	 * has stopped. */
	return filtered && (n[0] == SYS_nanosleep || n[0] == SYS_clock_nanosleep ||
				   n[0] == SYS_poll || (n[0] == SYS_futex && arguments[3]))
		       ? HOST_THREAD_WAITS_LONGER
		       : rank;
}

static bool host_thread_by_filter(
	const struct host_thread_search *s, const char *status, bool *filtered)
{
	long seccomp = procfs_status(status, "Seccomp", HOST_THREAD_NO_SECCOMP);

	*filtered = seccomp == HOST_THREAD_FILTERED;
	if (seccomp == HOST_THREAD_NO_SECCOMP || (s->filters && *filtered))
		return true;
	host_thread_no(s->found, false,
		*filtered ? "try as root, which may read the filter" : "leave this process out",
		"a seccomp filter restricts its system calls, and may kill it for ours");
	return false;
}

/* What its status says: is it traced, stopped, protected? */
static enum host_thread_rank host_thread_by_status(
	const struct host_thread_search *s, pid_t tid, const char *status, bool *filtered)
{
	const char *state = strstr(status, "\nState:");
	pid_t tracer = (pid_t)procfs_status(status, "TracerPid", 0);
	char name[64];

	if (tracer) {
		s->found->traced = true;
		procfs_name(tracer, name, sizeof name);
		return host_thread_no(s->found, false, "let the other tool go first",
			"process %d (%s) traces it already", tracer, name);
	}
	if (!host_thread_by_filter(s, status, filtered))
		return HOST_THREAD_NOT;
	if (procfs_status_shadow_stack(status))
		return host_thread_no(s->found, false,
			"start it with GLIBC_TUNABLES=glibc.cpu.x86_shstk=off",
			"a shadow stack protects its return addresses");
	state = state ? state + 7 + strspn(state + 7, "\t ") : "?";
	if (*state == 'T')
		return host_thread_no(s->found, false, "continue it (kill -CONT)",
			"it is stopped by job control");
	if (*state == 'D')
		return host_thread_no(s->found, true, "try again",
			"thread %d waits in the kernel, uninterruptibly, or for the child of a "
			"vfork",
			tid);
	return *state == 'R' || *state == 'S' ? HOST_THREAD_RUNS : HOST_THREAD_NOT;
}

static int host_thread_try(struct host_thread_search *s, pid_t tid)
{
	enum host_thread_rank rank = HOST_THREAD_NOT;
	bool filtered = false;
	char *text;
	int r;

	r = threads_is_worker(s->who->proc, tid);
	if (r)
		return r < 0 ? r : 0;
	r = procfs_read(s->who->proc, &text, NULL, "task/%d/status", tid);
	if (r == 0)
		rank = host_thread_by_status(s, tid, text, &filtered);
	free(text);
	if (r < 0 || rank == HOST_THREAD_NOT)
		return error_is_shortage(r) ? r : 0;
	r = procfs_read(s->who->proc, &text, NULL, "task/%d/syscall", tid);
	if (r == 0)
		rank = host_thread_by_call(s, tid, filtered, text);
	free(text);
	if (r == 0 && rank < s->rank) {
		s->rank = rank;
		s->found->tid = tid;
		s->found->filtered = filtered;
		s->found->interrupted = rank == HOST_THREAD_INTERRUPTED;
	}
	return error_is_shortage(r) ? r : 0;
}

int host_thread_find(const struct identity *who, const struct array *mappings, const pid_t *tried,
	size_t tried_count, bool filters, bool interrupts, struct host_thread *p)
{
	struct host_thread_search s = {who, mappings, p, HOST_THREAD_NOT, filters, interrupts};
	DIR *tasks = procfs_list(procfs_open(who->proc, O_RDONLY | O_DIRECTORY, "task"));
	int r = tasks ? 0 : -errno;
	struct dirent *entry;

	*p = (struct host_thread){0};
	if (!tasks)
		return error_is_shortage(r) ? r : 0;
	while (r == 0 && s.rank != HOST_THREAD_RESTARTS && (entry = readdir(tasks))) {
		pid_t tid = atoi(entry->d_name);
		bool again = tid <= 0;

		for (size_t i = 0; i < tried_count; i++)
			again |= tried[i] == tid;
		if (!again)
			r = host_thread_try(&s, tid);
	}
	closedir(tasks);
	return r;
}

int host_thread_held(const struct identity *who, bool filters, struct host_thread *p)
{
	struct host_thread_search s = {.who = who, .found = p, .filters = filters};
	char *text;
	int r = procfs_read(who->task, &text, NULL, "status");

	*p = (struct host_thread){0};
	if (r == 0 && host_thread_by_filter(&s, text, &p->filtered))
		p->tid = who->tid;
	free(text);
	return r;
}
