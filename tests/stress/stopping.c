/*
 * Holding a whole process still (process/stop.h), with threads that live and die by the hundred:
 * while it is held not one of them runs, whatever was born meanwhile; every signal that comes
 * then is delivered, once; and where the helper that holds it is killed, or we are, all go on and
 * no helper lives on. One that cannot be held, amidst an exec, is left alone in time; whoever takes
 * the first one's number by exec is not mistaken for it; and a first one that ends keeps nobody.
 *
 *   stopping VICTIM [ROUNDS]
 *
 * Exit status 77 where ptrace is denied. Not covered: threads that cannot be stopped
 * (e2e/cli-threads.sh), what is written meanwhile (kills.sh).
 */
#include "fault.h"
#include "field.h"
#include "process/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STOPPING_MS 20000
#define STOPPING_TRIES 20
#define STOPPING_PATIENCE_MS 10000
#define STOPPING_EXECS 100
#define STOPPING_KILLS 100
#define STOPPING_OTHERS 64

/* What the helper tells, in memory that all see. */
struct stopping {
	struct field *field;
	unsigned long free;    /* times that a thread was not held */
	unsigned long moved;   /* times that rounds were made all the same */
	unsigned long threads; /* held, in all */
	atomic_int held;       /* the helper, while it waits in work */
	atomic_int enough;     /* signals */
	unsigned long sent;
};

static struct identity who;
static struct stopping *told;

/* ------------------------------------------------------- nobody runs meanwhile */

static int look(void *data, struct probes_error *e)
{
	unsigned long rounds = field_rounds(told->field);
	size_t all, stopped, traced;

	(void)data;
	(void)e;
	field_threads(told->field, &all, &stopped, &traced);
	told->free += all != stopped || all != traced;
	told->threads += all;
	field_nap(1000);
	told->moved += field_rounds(told->field) != rounds;
	return 0;
}

static void hold(struct field *f)
{
	struct probes_error e;
	uint64_t ns;
	int r = -ETIMEDOUT;

	(void)f;
	/* On a busy machine it gives up now and then, as it must: not time after time. */
	for (int tries = 0; r == -ETIMEDOUT && tries < STOPPING_TRIES; tries++)
		r = stop_run(&who, STOPPING_MS, look, NULL, &ns, &e);
	if (r == -EPERM)
		exit(77);
	if (r < 0)
		fault("%s: %s", e.what, e.why);
}

/* ----------------------------------------------------------- signals come once */

static pid_t begin(void)
{
	fflush(stdout);
	return fork();
}

static void send_signals(pid_t victim)
{
	while (!atomic_load(&told->enough)) {
		if (sigqueue(victim, STORM_SIGNAL, (union sigval){0}) == 0)
			told->sent++;
		field_nap(100);
	}
	_exit(0);
}

/* Every signal that is sent while `once` is done so many times comes, once. */
static void under_signals(struct field *f, unsigned rounds, void (*once)(struct field *f))
{
	unsigned long before = field_signals(f);
	long deadline;
	pid_t sender;

	told->sent = 0;
	atomic_store(&told->enough, 0);
	sender = begin();
	if (sender == 0)
		send_signals(f->pid);
	for (unsigned i = 0; i < rounds; i++)
		once(f);
	atomic_store(&told->enough, 1);
	waitpid(sender, NULL, 0);
	deadline = field_now() + STOPPING_PATIENCE_MS;
	while (field_signals(f) - before < told->sent && field_now() < deadline)
		field_nap(1000);
	if (field_signals(f) - before != told->sent)
		fault("%lu signals sent, %lu came", told->sent, field_signals(f) - before);
}

static void holding_under_signals(struct field *f, unsigned rounds)
{
	fault_begin("%u times held, under signals", rounds);
	under_signals(f, rounds, hold);
	if (told->free)
		fault("%lu times a thread was not held", told->free);
	if (told->moved)
		fault("%lu times work went on meanwhile", told->moved);
	printf("held %u times, %lu threads in all; %lu signals\n", rounds, told->threads,
		told->sent);
}

/* One of them waits for a vfork's child, and cannot be stopped. */
static void hold_in_vain(struct field *f)
{
	struct probes_error e = {0};
	uint64_t ns;

	(void)f;
	if (stop_run(&who, 20, look, NULL, &ns, &e) != -ETIMEDOUT)
		fault("held all the same: %s", e.why);
}

static void holding_in_vain_under_signals(const char *victim, unsigned rounds)
{
	struct probes_error e;
	struct field f;

	fault_begin("%u times in vain, under signals", rounds);
	field_start(&f, victim, "24", "--vfork");
	while (!field_has_state(&f, 'D'))
		field_nap(200);
	if (identity_open(&who, f.pid, &e) < 0)
		fault_fatal("%s: %s", e.what, e.why);
	under_signals(&f, rounds, hold_in_vain);
	printf("held in vain %u times; %lu signals\n", rounds, told->sent);
	identity_close(&who);
	field_end(&f);
}

/* -------------------------------------------------- killed while all stand still */

static int wait_to_be_killed(void *data, struct probes_error *e)
{
	(void)data;
	(void)e;
	atomic_store(&told->held, getpid());
	for (;;)
		pause();
	return 0;
}

/* One of us, who holds the victim until somebody is killed; 0: the right error came back. */
static pid_t begin_holding(void)
{
	pid_t one;

	atomic_store(&told->held, 0);
	one = begin();
	if (one == 0) {
		struct probes_error e;
		uint64_t ns;

		_exit(stop_run(&who, STOPPING_MS, wait_to_be_killed, NULL, &ns, &e) != -ECHILD);
	}
	while (!atomic_load(&told->held)) {
		siginfo_t info = {0};

		waitid(P_PID, (id_t)one, &info, WEXITED | WNOHANG | WNOWAIT);
		if (info.si_pid == one)
			fault_fatal("it cannot be held");
		field_nap(200);
	}
	return one;
}

/* That one ends, and is collected; its status. */
static int ended(pid_t one, const char *name)
{
	long deadline = field_now() + STOPPING_PATIENCE_MS;
	int status = -1;

	while (waitpid(one, &status, WNOHANG) == 0) {
		if (field_now() > deadline) {
			fault("%s lives on", name);
			kill(one, SIGKILL);
			deadline += STOPPING_PATIENCE_MS;
		}
		field_nap(200);
	}
	return status;
}

static void goes_on(struct field *f)
{
	long deadline = field_now() + STOPPING_PATIENCE_MS;
	size_t all, stopped, traced;
	unsigned long rounds;

	while (field_threads(f, &all, &stopped, &traced) && (stopped || traced) &&
		field_now() < deadline)
		field_nap(200);
	if (!all)
		fault_fatal("the victim has ended");
	if (stopped || traced)
		fault("of %zu threads %zu are stopped, %zu traced", all, stopped, traced);
	rounds = field_rounds(f);
	while (field_rounds(f) == rounds && field_now() < deadline)
		field_nap(200);
	if (field_rounds(f) == rounds)
		fault("the victim does not go on");
}

static void kill_the_helper(struct field *f)
{
	pid_t one;

	one = begin_holding();
	field_nap(1000);
	kill(atomic_load(&told->held), SIGKILL);
	if (ended(one, "who held it") != 0)
		fault("the call did not say that its helper was killed");
	goes_on(f);
}

static void kill_us(struct field *f)
{
	pid_t one;

	fault_begin("who holds it is killed while all stand still");
	one = begin_holding();
	kill(one, SIGKILL);
	ended(one, "who held it");
	ended(atomic_load(&told->held), "the helper");
	goes_on(f);
}

/* ------------------------------------------- an exec that does not come to its end */

/* A thread of the victim stands still, and its tracer does not look after it. */
static void neglect_a_thread(const struct field *f)
{
	pid_t tid;
	int status;

	do
		tid = field_other_thread(f);
	while (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0 ||
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) < 0 ||
		waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status));
	atomic_store(&told->held, getpid());
	for (;;)
		pause();
}

/* The first thread calls exec, and waits for the end of that other one to be collected. */
static void stop_amidst_exec(struct field *f)
{
	struct probes_error e = {0};
	long begun;
	uint64_t ns;
	pid_t other;

	fault_begin("a thread is amidst exec, and does not get on");
	atomic_store(&told->held, 0);
	other = begin();
	if (other == 0)
		neglect_a_thread(f);
	while (!atomic_load(&told->held))
		field_nap(200);
	tgkill(f->pid, f->pid, STORM_EXEC);
	while (field_first_state(f) != 'D')
		field_nap(200);
	begun = field_now();
	if (stop_run(&who, 300, look, NULL, &ns, &e) != -ETIMEDOUT || !strstr(e.why, "seized"))
		fault("stopped all the same: %s", e.why);
	if (field_now() - begun > STOPPING_PATIENCE_MS)
		fault("it took %ld ms", field_now() - begun);
	kill(other, SIGKILL);
	ended(other, "the other tracer");
	field_again(f);
	goes_on(f);
}

/* ------------------------------------------------ one of them becomes the first */

/* Some thread but the first calls exec, a while from now; another one, should that have ended. */
static void exec_soon(const struct field *f, long us)
{
	field_nap(us);
	while (!identity_execed(&who)) {
		tgkill(f->pid, field_other_thread(f), STORM_EXEC);
		for (int i = 0; i < 500 && !identity_execed(&who); i++)
			field_nap(1000);
	}
	_exit(0);
}

static int look_at_threads(void *data, struct probes_error *e)
{
	size_t all, stopped, traced;

	(void)data;
	(void)e;
	field_threads(told->field, &all, &stopped, &traced);
	told->free += all != stopped || all != traced;
	return 0;
}

static void hold_until_exec(struct field *f, long us)
{
	struct probes_error e = {0};
	pid_t one = begin();
	uint64_t ns;
	int r = 0;

	if (one == 0)
		exec_soon(f, us);
	while (r == 0 && !identity_execed(&who))
		r = stop_run(&who, STOPPING_MS, look_at_threads, NULL, &ns, &e);
	if (r < 0 && r != -ESRCH)
		fault("%s: %s", e.what, e.why);
	ended(one, "who sent the signal");
}

/* It takes the number of the first, as another task: that is no denial, and who runs is not held.
 */
static void stop_around_exec(const char *victim, unsigned rounds)
{
	struct probes_error e;
	struct field f;

	fault_begin("%u times a thread that is not the first calls exec", rounds);
	field_start(&f, victim, "8", NULL);
	told->field = &f;
	told->free = 0;
	for (unsigned i = 0; i < rounds; i++) {
		if (identity_open(&who, f.pid, &e) < 0)
			fault_fatal("%s: %s", e.what, e.why);
		hold_until_exec(&f, i % 20 * 100);
		identity_close(&who);
		field_again(&f);
	}
	if (told->free)
		fault("%lu times a thread was not held", told->free);
	goes_on(&f);
	field_end(&f);
}

/* ------------------------------------------- the first ends while all are stopped */

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* A process whose first thread ends, a while after it has told that it is there. */
static void leave_the_others(int pipe, long us)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	for (int i = 0; i < STOPPING_OTHERS; i++)
		if (pthread_create(&thread, &attributes, wait_for_ever, NULL))
			_exit(1);
	if (write(pipe, "", 1) != 1)
		_exit(1);
	field_nap(us);
	syscall(SYS_exit, 0);
}

static int hold_nothing(void *data, struct probes_error *e)
{
	(void)data;
	(void)e;
	return 0;
}

/* The kernel does not tell of its end before the others have ended, which stand still. */
static void stop_while_first_ends(unsigned rounds)
{
	fault_begin("%u times the first thread ends meanwhile", rounds);
	for (unsigned i = 0; i < rounds; i++) {
		struct identity one;
		struct probes_error e = {0};
		int fds[2];
		uint64_t ns;
		pid_t pid;
		char byte;

		if (pipe2(fds, O_CLOEXEC) < 0)
			fault_fatal("no pipe");
		pid = begin();
		if (pid == 0)
			leave_the_others(fds[1], i % 25 * 40);
		if (read(fds[0], &byte, 1) != 1 || identity_open(&one, pid, &e) < 0)
			fault_fatal("cannot start a process of some threads: %s", e.why);
		if (stop_run(&one, STOPPING_PATIENCE_MS, hold_nothing, NULL, &ns, &e) < 0)
			fault("%s: %s", e.what, e.why);
		identity_close(&one);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(fds[0]);
		close(fds[1]);
	}
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 1500;
	struct probes_error e;
	struct field f;

	if (argc < 2)
		return 99;
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED)
		return 99;
	field_start(&f, argv[1], "24", "--short-lives");
	told->field = &f;
	if (identity_open(&who, f.pid, &e) < 0)
		fault_fatal("%s: %s", e.what, e.why);
	hold(&f);
	holding_under_signals(&f, rounds);
	fault_begin("the helper is killed while all stand still, under signals");
	under_signals(&f, STOPPING_KILLS, kill_the_helper);
	kill_us(&f);
	stop_amidst_exec(&f);
	identity_close(&who);
	field_end(&f);
	holding_in_vain_under_signals(argv[1], STOPPING_KILLS);
	stop_around_exec(argv[1], STOPPING_EXECS);
	stop_while_first_ends(STOPPING_EXECS);
	printf("%lu faults\n", fault_count);
	return fault_count != 0;
}
