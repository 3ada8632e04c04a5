/*
 * Holding a whole process still (process/stop.h), with threads that live and die by the hundred:
 * while it is held not one of them runs, whatever was born meanwhile; every signal that comes
 * then is delivered, once; and where the helper that holds it is killed, or we are, all go on and
 * no helper lives on. One that cannot be held, amidst an exec, is left alone in time.
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
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define STOPPING_MS 20000
#define STOPPING_PATIENCE_MS 10000

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

static void hold(void)
{
	struct probes_error e;
	uint64_t ns;
	int r = stop_run(&who, STOPPING_MS, look, NULL, &ns, &e);

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

static void holding_under_signals(struct field *f, unsigned rounds)
{
	long deadline;
	pid_t sender;

	fault_begin("%u times held, under signals", rounds);
	sender = begin();
	if (sender == 0)
		send_signals(f->pid);
	for (unsigned i = 0; i < rounds; i++)
		hold();
	atomic_store(&told->enough, 1);
	waitpid(sender, NULL, 0);
	deadline = field_now() + STOPPING_PATIENCE_MS;
	while (field_signals(f) < told->sent && field_now() < deadline)
		field_nap(1000);
	if (field_signals(f) != told->sent)
		fault("%lu signals sent, %lu came", told->sent, field_signals(f));
	if (told->free)
		fault("%lu times a thread was not held", told->free);
	if (told->moved)
		fault("%lu times work went on meanwhile", told->moved);
	printf("held %u times, %lu threads in all; %lu signals\n", rounds, told->threads,
		told->sent);
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
	while (!atomic_load(&told->held))
		field_nap(200);
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

	fault_begin("the helper is killed while all stand still");
	one = begin_holding();
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
	hold();
	holding_under_signals(&f, rounds);
	kill_the_helper(&f);
	kill_us(&f);
	stop_amidst_exec(&f);
	identity_close(&who);
	field_end(&f);
	printf("%lu faults\n", fault_count);
	return fault_count != 0;
}
