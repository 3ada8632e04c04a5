/*
 * Seize all threads, then interrupt all, then wait for all (doc/hazards.md): one thread after the
 * other would take a hundred times as long on a busy machine. Threads are born meanwhile: repeat
 * until as many have stopped as the kernel counts.
 */
#include "process/stop.h"

#include "base/error.h"
#include "base/now.h"
#include "process/cgroup.h"
#include "process/procfs.h"
#include "process/restart.h"
#include "process/threads.h"
#include "process/tracee.h"
#include "process/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define STOP_LINKS 2 /* of a directory without threads */
#define STOP_TICK_US 10000
#define STOP_GRACE_NS 50000000u /* from the deadline until the helper is killed */

enum stop_state { STOP_FREE, STOP_SEIZED, STOP_INTERRUPTED, STOP_STOPPED, STOP_GONE };

struct stop_thread {
	pid_t tid;
	enum stop_state state;
	int signal; /* to deliver when it is detached */
};

/* What the helper reports, in shared memory. */
struct stop_report {
	uint64_t begin, stopped_ns; /* CLOCK_MONOTONIC, ns */
	bool working;               /* all threads were stopped */
};

struct stop {
	const struct identity *who;
	struct stop_thread *table; /* open addressing by tid; allocated before anything stops */
	size_t size;               /* a power of two */
	size_t known, stopped, gone;
	uint64_t deadline; /* CLOCK_MONOTONIC, ns */
	int (*work)(void *data, struct probes_error *e);
	void *data;
	struct stop_report *report;
	volatile sig_atomic_t seizing; /* tid in PTRACE_SEIZE: the alarm may use the table then */
	pid_t blocked;                 /* `seizing` at the last alarm */
	bool renamed;                  /* exec gave a thread the tid of the leader */
};

static struct stop *stop_current; /* in the helper, for its alarm */

/* Also if the deadline passed: the threads that did stop were held until the helper ended. */
static void stop_set_duration(struct stop *s)
{
	if (s->report->begin)
		s->report->stopped_ns = now_ns() - s->report->begin;
}

static struct stop_thread *stop_find(struct stop *s, pid_t tid)
{
	size_t at = (size_t)tid * 2654435761u & (s->size - 1);

	while (s->table[at].state != STOP_FREE && s->table[at].tid != tid)
		at = (at + 1) & (s->size - 1);
	return &s->table[at];
}

/* ---- the state of threads ---- */

static void stop_note(struct stop *s, struct stop_thread *t, int result, int status)
{
	/* A stopped thread is reported on every wait, unless it was killed. */
	s->stopped -= t->state == STOP_STOPPED;
	s->gone -= t->state == STOP_GONE;
	if (result == 0 && WIFSTOPPED(status)) {
		/* At once: without us it goes on. A thread that was killed meanwhile is noted
		 * later. */
		restart_past_filter(t->tid);
		t->state = STOP_STOPPED;
		t->signal = tracee_signal(status);
		s->stopped++;
	} else {
		t->state = STOP_GONE;
		s->gone++;
		/* Its end was not reported, and no tracee has this tid any more. */
		s->renamed |= result == -ECHILD;
	}
}

/*
 * Note all stops and ends without blocking. A wait for any thread would make the kernel search all
 * of them each time.
 */
static void stop_note_all(struct stop *s)
{
	for (struct stop_thread *t = s->table; t < s->table + s->size; t++) {
		int status = 0, r;

		if (t->state == STOP_FREE || t->state == STOP_GONE || t->tid == s->seizing)
			continue;
		r = tracee_wait_once(t->tid, false, &status);
		if (r != -EAGAIN)
			stop_note(s, t, r, status);
	}
}

/*
 * exec waits until all other threads have ended and been reaped, which is our duty for those that
 * we have seized; and PTRACE_SEIZE waits for that exec, restarted after each signal (Linux 6.18:
 * fs/exec.c de_thread; kernel/ptrace.c ptrace_attach). So they are reaped from here. If the exec
 * waits for something else, only our exit resolves the deadlock.
 */
static void stop_alarm(int number)
{
	struct stop *s = stop_current;
	int code = errno;

	if (s->seizing) {
		if (s->blocked == s->seizing)
			stop_note_all(s);
		s->blocked = s->seizing;
		if (now_ns() >= s->deadline)
			_exit(0);
	}
	errno = code;
}

/* ---- seizing ---- */

static bool stop_has_state(const struct stop *s, pid_t tid, bool dead)
{
	struct procfs_stat stat;

	return procfs_stat(s->who->proc, &stat, "task/%d/stat", tid) == 0 &&
	       (stat.state == 'Z' || stat.state == 'X') == dead;
}

/*
 * Seize one thread that is new, or whose tid was recycled: a thread that calls exec takes the tid
 * of the leader. A thread that ends meanwhile is no error.
 */
static int stop_seize(struct stop *s, pid_t tid, struct probes_error *e)
{
	struct stop_thread *t = stop_find(s, tid);
	char name[64];
	pid_t tracer;
	int r = 0;

	if (t->state != STOP_FREE && t->state != STOP_GONE)
		return 0;
	if (t->state == STOP_FREE && s->known >= s->size / 2) {
		error_set(e, PROBES_REFUSED, -EAGAIN, "cannot stop process %d", s->who->pid);
		return error_why(e, "it starts threads faster than they can be stopped");
	}
	s->known += t->state == STOP_FREE;
	s->gone -= t->state == STOP_GONE;
	*t = (struct stop_thread){.tid = tid, .state = STOP_SEIZED};
	r = threads_is_worker(s->who->proc, tid);
	if (r < 0)
		return error_set(e, PROBES_FAILED, r, "cannot stop process %d", s->who->pid);
	if (r) {
		stop_note(s, t, -EPERM, 0);
		return 0;
	}
	/* A dead leader remains in the list while other threads live; and during an exec the tid
	 * may have passed to another thread: try twice. */
	for (int tries = 0; tries < 2; tries++) {
		s->blocked = 0;
		s->seizing = tid;
		atomic_signal_fence(memory_order_seq_cst);
		r = tracee_seize(tid);
		atomic_signal_fence(memory_order_seq_cst);
		s->seizing = 0;
		if (r == -EPERM && stop_has_state(s, tid, false))
			continue;
		if (r < 0)
			stop_note(s, t, r, 0);
		return 0;
	}
	tracer = procfs_tracer(s->who->proc, name, sizeof name, "task/%d/status", tid);
	/* We traced this thread under its tid before exec. */
	if (tracer == getpid())
		return identity_gone(s->who, e);
	error_set(e, PROBES_DENIED, r, "cannot stop process %d", s->who->pid);
	if (!tracer)
		return error_hint(e, "try without a stop");
	error_why(e, "process %d (%s) traces it already", tracer, name);
	return error_hint(e, "try without a stop, or let the other tool go first");
}

struct stop_entry { /* linux_dirent64, getdents64(2) */
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

/* One pass over /proc/PID/task. */
static int stop_seize_all(struct stop *s, struct probes_error *e)
{
	int fd = openat(s->who->proc, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	char buffer[32768] __attribute__((aligned(8)));
	long n;

	if (fd < 0 && error_is_shortage(-errno))
		return error_set(e, PROBES_FAILED, -errno, "cannot stop process %d", s->who->pid);
	if (fd < 0)
		return identity_gone(s->who, e);
	while (r == 0 && (n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
		for (long at = 0; r == 0 && at < n;) {
			const struct stop_entry *entry = (const void *)(buffer + at);

			if (entry->name[0] != '.')
				r = stop_seize(s, atoi(entry->name), e);
			at += entry->length;
		}
	close(fd);
	return r;
}

/* ---- waiting ---- */

static int stop_late(const struct stop *s, struct probes_error *e)
{
	size_t all = s->known - s->gone;

	error_set(e, PROBES_REFUSED, -ETIMEDOUT, "cannot stop process %d", s->who->pid);
	if (!s->known)
		error_why(e, "its threads could not all be seized in time: one of them is "
			     "executing another program, or they are too many");
	else if (s->stopped == all)
		error_why(e, "all of its %zu threads stopped, but not in time", all);
	else
		error_why(e,
			"%zu of %zu threads did not stop in time: uninterruptible, or in vfork",
			all - s->stopped, all);
	return error_hint(e, "try without a stop, or permit a longer one");
}

static void stop_wait_one(struct stop *s, struct stop_thread *t, bool *late)
{
	int status = 0, ticks = 0, r;

	/* A thread that took the tid of the leader may never have been interrupted. */
	while (t->state == STOP_INTERRUPTED && !s->renamed) {
		r = tracee_wait_once(t->tid, !*late, &status);
		if (r == -EAGAIN)
			return;
		if (r != -EINTR) {
			stop_note(s, t, r, status);
			return;
		}
		/* Stopped threads may have been killed. The first tick needs no check: many threads
		 * simply take long. */
		if (ticks++)
			stop_note_all(s);
		/* The kernel reports the end of a leader only after the ends of all others, which
		 * are stopped. */
		if (t->state == STOP_INTERRUPTED && t->tid == s->who->pid &&
			stop_has_state(s, t->tid, true))
			stop_note(s, t, -ESRCH, 0);
		*late = now_ns() >= s->deadline;
	}
}

/*
 * Does the kernel count no more threads than have stopped? They are the links of the directory
 * (fs/proc/base.c proc_task_getattr), which costs a fiftieth of reading stat. Our unreaped zombies
 * count, too.
 */
static bool stop_complete(const struct stop *s)
{
	struct stat links;
	size_t others = 0;

	if (fstatat(s->who->proc, "task", &links, 0) < 0)
		return true;
	for (size_t i = 0; s->gone && i < s->size; i++)
		others += s->table[i].state == STOP_GONE &&
			  (stop_has_state(s, s->table[i].tid, true) ||
				  threads_is_worker(s->who->proc, s->table[i].tid) > 0);
	return links.st_nlink <= STOP_LINKS + s->stopped + others;
}

/*
 * Did a thread take the tid of the leader by exec? Then the leader that we stopped is gone, and the
 * other thread may run, or be stopped by a signal of its own.
 */
static bool stop_renamed(struct stop *s)
{
	struct stop_thread *leader = stop_find(s, s->who->pid);
	int status, r;

	if (leader->state == STOP_STOPPED) {
		r = tracee_wait_once(leader->tid, false, &status);
		if (r == -EAGAIN)
			return true;
		stop_note(s, leader, r, status);
	}
	return s->renamed;
}

/* Once all threads that the kernel counts have stopped, none is left to start another one. */
static int stop_all(struct stop *s, struct probes_error *e)
{
	do {
		int r = stop_seize_all(s, e);
		bool late = false;

		if (r < 0)
			return r;
		if (!s->report->begin)
			s->report->begin = now_ns();
		for (size_t i = 0; i < s->size; i++)
			if (s->table[i].state == STOP_SEIZED) {
				s->table[i].state = STOP_INTERRUPTED;
				tracee_interrupt(s->table[i].tid);
			}
		/* One after the other: a wait for any thread would make the kernel search all of
		 * them each time. */
		for (size_t i = 0; i < s->size; i++)
			stop_wait_one(s, &s->table[i], &late);
		if (s->renamed)
			return identity_gone(s->who, e);
		if (s->stopped + s->gone < s->known || now_ns() > s->deadline)
			return stop_late(s, e);
	} while (!stop_complete(s));
	return s->stopped && !stop_renamed(s) ? 0 : identity_gone(s->who, e);
}

/* ---- the helper ---- */

static int stop_help(void *data, struct probes_error *e)
{
	const struct sigaction action = {.sa_handler = stop_alarm}; /* without SA_RESTART */
	struct itimerval alarm = {.it_interval = {.tv_usec = STOP_TICK_US}};
	struct stop *s = data;
	uint64_t now = now_ns(), left = s->deadline > now ? (s->deadline - now) / 1000 : 0;
	sigset_t only;
	int r;

	/*
	 * Interrupt every wait at regular intervals, also at the deadline and after it. Seizing a
	 * thread that is both stopped by job control and frozen can only be interrupted by our exit
	 * (Linux 6.18: kernel/ptrace.c, JOBCTL_TRAPPING_BIT).
	 */
	alarm.it_value.tv_usec = (suseconds_t)(left % STOP_TICK_US + 1);
	stop_current = s;
	sigemptyset(&only);
	sigaddset(&only, SIGALRM);
	sigaction(SIGALRM, &action, NULL);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	setitimer(ITIMER_REAL, &alarm, NULL);
	tracer_kill_at(s->deadline + STOP_GRACE_NS);
	r = stop_all(s, e);
	/* Nothing may interrupt a read or a write of `work`. */
	tracer_kill_at(0);
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	if (r == 0) {
		s->report->working = true;
		r = s->work(s->data, e);
		for (size_t i = 0; i < s->size; i++)
			if (s->table[i].state == STOP_STOPPED)
				tracee_detach(s->table[i].tid, s->table[i].signal);
	}
	stop_set_duration(s);
	return r;
}

/*
 * If many threads spin, the helper must run first, to stop and to resume them: as a real-time task
 * while it works, or with the highest priority of an ordinary one, or, without the privilege for
 * either (CAP_SYS_NICE), unchanged.
 */
static int stop_by_helper(struct stop *s, struct probes_error *e)
{
	const struct sched_param first = {.sched_priority = 1}, ordinary = {0};
	int policy = sched_getscheduler(0), priority = getpriority(PRIO_PROCESS, 0), r;
	bool real_time = (policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE) &&
			 sched_setscheduler(0, SCHED_RR, &first) == 0;
	const char *frozen;

	if (!real_time)
		setpriority(PRIO_PROCESS, 0, -20);
	r = tracer_fork(s->who->pid, stop_help, s, e);
	if (real_time)
		sched_setscheduler(0, policy, &ordinary);
	else
		setpriority(PRIO_PROCESS, 0, priority);
	if (!s->report->stopped_ns)
		stop_set_duration(s);
	if (r == -ECHILD && !s->report->working && now_ns() >= s->deadline)
		r = stop_late(s, e); /* killed at its deadline */
	/* Found out only here, where nothing stands still any more. */
	frozen = r == -ETIMEDOUT ? cgroup_frozen(s->who) : NULL;
	if (frozen) {
		error_set(e, PROBES_REFUSED, r, "cannot stop process %d", s->who->pid);
		error_why(e, "%s", frozen);
		return error_hint(e, "thaw it, or try without a stop");
	}
	return r;
}

int stop_run(const struct identity *who, int milliseconds,
	int (*work)(void *data, struct probes_error *e), void *data, uint64_t *stopped_ns,
	struct probes_error *e)
{
	struct stop s = {.who = who,
		.deadline = now_ns() + (uint64_t)milliseconds * 1000000u,
		.work = work,
		.data = data,
		.size = 4096};
	struct procfs_stat stat;
	size_t want = 4096;
	int r;

	*stopped_ns = 0;
	s.report = mmap(
		NULL, sizeof *s.report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s.report == MAP_FAILED)
		return error_memory(e, "a stopped process");
	if (procfs_stat(who->proc, &stat, "stat") == 0)
		want += 8 * stat.threads;
	while (s.size < want)
		s.size *= 2;
	s.table = calloc(s.size, sizeof *s.table);
	if (s.table) {
		r = stop_by_helper(&s, e);
		*stopped_ns = s.report->stopped_ns;
	} else {
		r = error_memory(e, "a stopped process");
	}
	free(s.table);
	munmap(s.report, sizeof *s.report);
	return r;
}
