/*
 * Seize all, then interrupt all, then wait for all (doc/hazards.md): interrupting and
 * waiting one by one takes a hundred times as long on a busy machine. Threads
 * are born meanwhile: done is when as many stand still as the kernel counts.
 */
#include "process/stop.h"

#include "base/error.h"
#include "process/helper.h"
#include "process/procfs.h"
#include "process/tracee.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STOP_LINKS 2 /* of a folder without threads */
#define STOP_TICK_US 10000
#define STOP_GRACE_NS 50000000u /* after the deadline */

enum stop_state { STOP_FREE, STOP_SEIZED, STOP_ASKED, STOP_STOPPED, STOP_GONE };

struct stop_thread {
	pid_t tid;
	enum stop_state state;
	int signal; /* that it was about to get when it stopped */
};

/* What the helper tells, in memory that both see. */
struct stop_told {
	uint64_t begin, stopped_ns; /* CLOCK_MONOTONIC, ns */
	bool working;               /* all stood still */
};

struct stop {
	const struct identity *who;
	struct stop_thread *table; /* open addressing by tid; nothing is allocated while stopping */
	size_t size;               /* a power of two */
	size_t known, stopped, gone;
	uint64_t deadline; /* CLOCK_MONOTONIC, ns */
	int (*work)(void *data, struct probes_error *e);
	void *data;
	struct stop_told *told;
	volatile sig_atomic_t seizing; /* the one within PTRACE_SEIZE: the alarm has the table */
	pid_t waiting;                 /* the alarm found that one there before */
	bool renamed;                  /* an exec gave one of them the leader's number */
};

static struct stop *stop_helping; /* in the helper: what its alarm is about */

static uint64_t stop_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Also where not all stopped in time: those that did stand still until the helper ends. */
static void stop_tell_time(struct stop *s)
{
	if (s->told->begin)
		s->told->stopped_ns = stop_now() - s->told->begin;
}

/* ---- the table ---- */

static struct stop_thread *stop_find(struct stop *s, pid_t tid)
{
	size_t at = (size_t)tid * 2654435761u & (s->size - 1);

	while (s->table[at].state != STOP_FREE && s->table[at].tid != tid)
		at = (at + 1) & (s->size - 1);
	return &s->table[at];
}

static bool stop_new_table(struct stop *s)
{
	struct procfs_stat stat;
	size_t want = 4096;

	if (procfs_stat(s->who->proc, "stat", &stat) == 0)
		want += 8 * stat.threads;
	for (s->size = 4096; s->size < want; s->size *= 2)
		;
	s->table = calloc(s->size, sizeof *s->table);
	return s->table;
}

/* ---- what becomes of them ---- */

static void stop_note(struct stop *s, struct stop_thread *t, int result, int status)
{
	/* What stood still is told again as long as it does; or it was killed. */
	s->stopped -= t->state == STOP_STOPPED;
	s->gone -= t->state == STOP_GONE;
	if (result == 0 && WIFSTOPPED(status)) {
		t->state = STOP_STOPPED;
		t->signal = tracee_signal(status);
		s->stopped++;
	} else {
		t->state = STOP_GONE;
		s->gone++;
		/* Its end was not told, and we trace nobody of that number any more. */
		s->renamed |= result == -ECHILD;
	}
}

/*
 * Note whatever can be told without waiting. A wait for any of them has the kernel look through
 * all of them each time.
 */
static void stop_note_all(struct stop *s)
{
	for (size_t i = 0; i < s->size; i++) {
		struct stop_thread *t = &s->table[i];
		int status = 0, r;

		if (t->state == STOP_FREE || t->state == STOP_GONE || t->tid == s->seizing)
			continue;
		r = tracee_wait_once(t->tid, false, &status);
		if (r != -EAGAIN)
			stop_note(s, t, r, status);
	}
}

/*
 * A thread that calls exec waits for the ends of all others to be collected, which is ours to do
 * where we have seized them; and until it has its way nobody is seized: PTRACE_SEIZE waits, and is
 * begun anew after each signal (Linux 6.18: fs/exec.c de_thread; kernel/ptrace.c ptrace_attach). So
 * they are collected from here. Where that exec waits for something else, nothing helps but to end.
 */
static void stop_alarm(int number)
{
	struct stop *s = stop_helping;
	int code = errno;

	(void)number;
	if (s->seizing) {
		if (s->waiting == s->seizing)
			stop_note_all(s);
		s->waiting = s->seizing;
		if (stop_now() >= s->deadline)
			_exit(0);
	}
	errno = code;
}

/*
 * Interrupt whatever waits, at even times, one of which is the deadline, and ever after. To seize
 * what is stopped by job control and frozen nothing interrupts but our end (Linux 6.18:
 * kernel/ptrace.c, JOBCTL_TRAPPING_BIT).
 */
static void stop_set_alarm(struct stop *s)
{
	const struct sigaction action = {.sa_handler = stop_alarm}; /* without SA_RESTART */
	struct itimerval alarm = {.it_interval = {.tv_usec = STOP_TICK_US}};
	uint64_t now = stop_now(), left = s->deadline > now ? (s->deadline - now) / 1000 : 0;
	sigset_t only;

	alarm.it_value.tv_usec = (suseconds_t)(left % STOP_TICK_US + 1);
	stop_helping = s;
	sigemptyset(&only);
	sigaddset(&only, SIGALRM);
	sigaction(SIGALRM, &action, NULL);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	setitimer(ITIMER_REAL, &alarm, NULL);
	helper_limit(s->deadline + STOP_GRACE_NS);
}

/* So that no look or write is interrupted. */
static void stop_clear_alarm(void)
{
	helper_limit(0);
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
}

/* ---- seizing ---- */

static int stop_denied(const struct stop *s, pid_t tid, int code, struct probes_error *e)
{
	char file[64], name[64];
	pid_t tracer;

	snprintf(file, sizeof file, "task/%d/status", tid);
	tracer = procfs_tracer(s->who->proc, file, name, sizeof name);
	/* Another number before its exec. */
	if (tracer == getpid())
		return identity_gone(s->who, e);
	error_set(e, PROBES_DENIED, code, "cannot stop process %d", s->who->pid);
	if (!tracer)
		return error_hint(e, "switch without -stop");
	error_why(e, "process %d (%s) traces it already", tracer, name);
	return error_hint(e, "switch without -stop, or let the other tool go first");
}

static int stop_seize_once(struct stop *s, pid_t tid)
{
	int r;

	s->waiting = 0;
	s->seizing = tid;
	atomic_signal_fence(memory_order_seq_cst);
	r = tracee_seize(tid);
	atomic_signal_fence(memory_order_seq_cst);
	s->seizing = 0;
	return r;
}

static bool stop_has_state(const struct stop *s, pid_t tid, bool dead)
{
	struct procfs_stat stat;
	char file[64];

	snprintf(file, sizeof file, "task/%d/stat", tid);
	return procfs_stat(s->who->proc, file, &stat) == 0 &&
	       (stat.state == 'Z' || stat.state == 'X') == dead;
}

/*
 * Seize one thread that was not seen before, or whose number has an owner again: the thread that
 * calls exec takes that of the leader. A thread that ends meanwhile is no error.
 */
static int stop_seize(struct stop *s, pid_t tid, struct probes_error *e)
{
	struct stop_thread *t = stop_find(s, tid);
	int r;

	if (t->state != STOP_FREE && t->state != STOP_GONE)
		return 0;
	if (t->state == STOP_FREE && s->known >= s->size / 2) {
		error_set(e, PROBES_REFUSED, -EAGAIN, "cannot stop process %d", s->who->pid);
		return error_why(e, "it starts threads faster than they can be stopped");
	}
	s->known += t->state == STOP_FREE;
	s->gone -= t->state == STOP_GONE;
	*t = (struct stop_thread){.tid = tid, .state = STOP_SEIZED};
	r = stop_seize_once(s, tid);
	/* A dead leader stays in the list while its threads live on; or, while we waited for an
	 * exec, it has become another than the one that we would have seized. */
	if (r == -EPERM && stop_has_state(s, tid, false)) {
		r = stop_seize_once(s, tid);
		if (r == -EPERM && stop_has_state(s, tid, false))
			return stop_denied(s, tid, r, e);
	}
	if (r < 0)
		stop_note(s, t, r, 0);
	return 0;
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

static void stop_interrupt_all(struct stop *s)
{
	if (!s->told->begin)
		s->told->begin = stop_now();
	for (size_t i = 0; i < s->size; i++)
		if (s->table[i].state == STOP_SEIZED) {
			s->table[i].state = STOP_ASKED;
			tracee_interrupt(s->table[i].tid);
		}
}

/* ---- waiting ---- */

static int stop_late(const struct stop *s, struct probes_error *e)
{
	size_t all = s->known - s->gone;

	error_set(e, PROBES_REFUSED, -ETIMEDOUT, "cannot stop process %d", s->who->pid);
	if (!s->known)
		error_why(e, "its threads could not all be seized in time: one of them is "
			     "executing another program, or frozen, or they are too many");
	else if (s->stopped == all)
		error_why(e, "all of its %zu threads stopped, but not in time", all);
	else
		error_why(e,
			"%zu of %zu threads did not stop in time: uninterruptible, or in vfork",
			all - s->stopped, all);
	return error_hint(e, "switch without -stop, or allow more with -max-stop MS");
}

static void stop_wait_one(struct stop *s, struct stop_thread *t, bool *late)
{
	int status = 0, ticks = 0, r;

	/* Who took the leader's number may never have been asked. */
	while (t->state == STOP_ASKED && !s->renamed) {
		r = tracee_wait_once(t->tid, !*late, &status);
		if (r == -EAGAIN)
			return;
		if (r != -EINTR) {
			stop_note(s, t, r, status);
			return;
		}
		/* Others may have been killed that stood still; not worth a look at all of them
		 * where it is only their number that takes its time. */
		if (ticks++)
			stop_note_all(s);
		/* A leader that ends by itself is not told of while others live, who stand still.
		 */
		if (t->state == STOP_ASKED && t->tid == s->who->pid &&
			stop_has_state(s, t->tid, true))
			stop_note(s, t, -ESRCH, 0);
		*late = stop_now() >= s->deadline;
	}
}

/*
 * Wait until every thread we know has stopped or ended; for one after the other, since a wait for
 * any of them has the kernel look through all of them each time. Should all be killed meanwhile,
 * the leader's end is not told before those of all others have been collected.
 */
static int stop_wait_all(struct stop *s, struct probes_error *e)
{
	bool late = false;

	for (size_t i = 0; i < s->size; i++)
		stop_wait_one(s, &s->table[i], &late);
	return s->stopped + s->gone < s->known ? stop_late(s, e) : 0;
}

/*
 * Does the kernel count no more threads than stand still? They are the links of the folder
 * (fs/proc/base.c proc_task_getattr), which costs a fiftieth of reading stat. The dead that it
 * still counts are ours.
 */
static bool stop_complete(const struct stop *s)
{
	struct stat links;
	size_t zombies = 0;

	if (fstatat(s->who->proc, "task", &links, 0) < 0)
		return true;
	for (size_t i = 0; s->gone && i < s->size; i++)
		zombies +=
			s->table[i].state == STOP_GONE && stop_has_state(s, s->table[i].tid, true);
	return links.st_nlink <= STOP_LINKS + s->stopped + zombies;
}

/*
 * The thread that calls exec takes the leader's number, and with it the place that we have noted
 * for the leader: that one stood still, but is no more, and the other may run, or stand still at
 * a signal that is nobody's but its own.
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

/* Where all whom the kernel counts stand still nobody is left who could start another thread. */
static int stop_all(struct stop *s, struct probes_error *e)
{
	do {
		int r = stop_seize_all(s, e);

		if (r < 0)
			return r;
		stop_interrupt_all(s);
		r = stop_wait_all(s, e);
		if (s->renamed)
			return identity_gone(s->who, e);
		if (r < 0)
			return r;
		if (stop_now() > s->deadline)
			return stop_late(s, e);
	} while (!stop_complete(s));
	return s->stopped && !stop_renamed(s) ? 0 : identity_gone(s->who, e);
}

static void stop_resume_all(struct stop *s)
{
	for (size_t i = 0; i < s->size; i++)
		if (s->table[i].state == STOP_STOPPED)
			tracee_detach(s->table[i].tid, s->table[i].signal);
}

/* ---- the helper ---- */

static int stop_help(void *data, struct probes_error *e)
{
	struct stop *s = data;
	int r;

	stop_set_alarm(s);
	r = stop_all(s, e);
	stop_clear_alarm();
	if (r == 0) {
		s->told->working = true;
		r = s->work(s->data, e);
		stop_resume_all(s);
	}
	stop_tell_time(s);
	return r;
}

/*
 * Where many threads spin, whoever is to stop them, and to let them go, must get to run first: as a
 * real-time task, for the moment of the stop, or with the highest priority of an ordinary one, or,
 * without the privilege for either (CAP_SYS_NICE), as it is.
 */
static int stop_by_helper(struct stop *s, struct probes_error *e)
{
	const struct sched_param first = {.sched_priority = 1}, ordinary = {0};
	int policy = sched_getscheduler(0), priority = getpriority(PRIO_PROCESS, 0), r;
	bool real_time = (policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE) &&
			 sched_setscheduler(0, SCHED_RR, &first) == 0;

	if (!real_time)
		setpriority(PRIO_PROCESS, 0, -20);
	r = helper_run(s->who->pid, stop_help, s, e);
	if (real_time)
		sched_setscheduler(0, policy, &ordinary);
	else
		setpriority(PRIO_PROCESS, 0, priority);
	if (!s->told->stopped_ns)
		stop_tell_time(s);
	if (r == -ECHILD && !s->told->working && stop_now() >= s->deadline)
		return stop_late(s, e); /* it ended by itself */
	return r;
}

int stop_run(const struct identity *who, int milliseconds,
	int (*work)(void *data, struct probes_error *e), void *data, uint64_t *stopped_ns,
	struct probes_error *e)
{
	struct stop s = {.who = who,
		.deadline = stop_now() + (uint64_t)milliseconds * 1000000u,
		.work = work,
		.data = data};
	int r;

	*stopped_ns = 0;
	s.told = mmap(
		NULL, sizeof *s.told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s.told == MAP_FAILED)
		return error_memory(e, "a stopped process");
	if (stop_new_table(&s)) {
		r = stop_by_helper(&s, e);
		*stopped_ns = s.told->stopped_ns;
	} else {
		r = error_memory(e, "a stopped process");
	}
	free(s.table);
	munmap(s.told, sizeof *s.told);
	return r;
}
