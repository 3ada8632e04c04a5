/*
 * Covers process/restart: no stop of ours makes a thread call restart_syscall where its seccomp
 * filter would kill it for that.
 */
#include "process/restart.h"

#include "inject_world.h"
#include "process/host_thread.h"
#include "process/stop.h"
#include "process/tracer.h"
#include "suites.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RESTART_ROUNDS 20

/* ---- children that wait for short times, until told to end ---- */

static const struct timespec restart_time = {0, 20 * MS}; /* the kernel cannot write there */

static bool restart_nanosleep(void)
{
	return syscall(SYS_nanosleep, &restart_time, NULL) == 0;
}

static bool restart_poll(void)
{
	return poll(NULL, 0, 20) == 0;
}

static bool restart_futex(void)
{
	return syscall(SYS_futex, &seen->word, 0, 0, &restart_time, NULL, 0) < 0 &&
	       errno == ETIMEDOUT;
}

static bool restart_ppoll(void)
{
	return syscall(SYS_ppoll, NULL, 0, &restart_time, NULL, 8) == 0;
}

static bool restart_pselect(void)
{
	return syscall(SYS_pselect6, 0, NULL, NULL, NULL, &restart_time, NULL) == 0;
}

/* The kernel does not write what is left, and so cannot restart it. */
static bool restart_select(void)
{
	struct timeval t = {0, 20000};

	personality(STICKY_TIMEOUTS);
	return syscall(SYS_select, 0, NULL, NULL, NULL, &t) == 0;
}

static bool (*const restart_resumed[])(void) = {restart_nanosleep, restart_poll, restart_futex};
static bool (*const restart_repeated[])(void) = {restart_ppoll, restart_pselect, restart_select};

static bool (*restart_wait)(void);

static bool restart_loop(void)
{
	while (!seen->end) {
		if (!restart_wait())
			return false;
		seen->turns++;
	}
	return true;
}

static bool restart_filtered(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_restart_syscall, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 && restart_loop();
}

/* ---- what stops them ---- */

static int restart_nothing(void *data, struct probes_error *e)
{
	(void)data;
	(void)e;
	return 0;
}

static void restart_by_inject(struct inject_target *t)
{
	struct probes_error e;

	/* Without privilege, a thread with a filter is not stopped. */
	if (inject_page(t, &e) < 0)
		ck_assert_msg(e.status == PROBES_REFUSED, "%s: %s", e.what, e.why);
}

static void restart_by_stop(struct inject_target *t)
{
	struct probes_error e;
	uint64_t ns;

	if (stop_run(&t->who, 10000, restart_nothing, NULL, &ns, &e) < 0)
		ck_abort_msg("%s: %s", e.what, e.why);
}

/* The child ignores this signal, and would not wake if nobody had seized it. */
static int restart_signal(void *data, struct probes_error *e)
{
	const struct inject_target *t = data;
	unsigned long turns = seen->turns;

	(void)e;
	kill(t->who.pid, SIGWINCH);
	/* The first wait may have been over before the signal came. */
	while (seen->turns < turns + 2 && inject_state(t->who.pid) != 'Z')
		sched_yield();
	return 0;
}

static void restart_by_signal(struct inject_target *t)
{
	struct probes_error e;

	if (tracer_run(&t->who, restart_signal, t, &e) < 0)
		ck_abort_msg("%s: %s", e.what, e.why);
}

/* It has ended if its filter has killed it. */
static void restart_await_turn(pid_t child)
{
	unsigned long turns = seen->turns;

	while (seen->turns == turns && inject_state(child) != 'Z')
		sched_yield();
	ck_assert_int_ne(inject_state(child), 'Z');
}

static void restart_must_not_notice(
	bool (*wait)(void), bool (*work)(void), void (*by)(struct inject_target *t))
{
	struct inject_target t;
	pid_t child;

	inject_set_up();
	restart_wait = wait;
	child = inject_child(work);
	inject_await_turn();
	inject_open(&t, child);
	for (int i = 0; i < RESTART_ROUNDS; i++) {
		by(&t);
		restart_await_turn(child);
	}
	inject_must_end_well(child);
	inject_close(&t);
	inject_tear_down();
}

START_TEST(restart_of_filtered)
{
	static void (*const by[])(struct inject_target *) = {
		restart_by_inject, restart_by_stop, restart_by_signal};

	restart_must_not_notice(restart_resumed[_i / 3], restart_filtered, by[_i % 3]);
}
END_TEST

START_TEST(restart_of_unwritable_timeout)
{
	restart_must_not_notice(restart_repeated[_i], restart_loop, restart_by_inject);
}
END_TEST

/* A thread that ran when it was chosen is in a call when it stops: EINTR says that nothing was
 * done. */
START_TEST(restart_of_what_did_nothing)
{
	static const struct {
		int number;
		bool again;
	} calls[] = {{SYS_io_uring_enter, true}, {SYS_io_getevents, true}, {SYS_epoll_wait, true},
		{SYS_read, false}, {SYS_connect, false}, {SYS_recvmmsg, false}};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		struct user_regs_struct r = {
			.orig_rax = (unsigned)calls[i].number, .rax = (uint64_t)-EINTR, .cs = 0x33};

		host_thread_restart(&r);
		ck_assert_msg(
			((int64_t)r.rax != -EINTR) == calls[i].again, "call %d", calls[i].number);
		/* What it did is never done twice. */
		r.rax = 1;
		host_thread_restart(&r);
		ck_assert_uint_eq(r.rax, 1);
	}
}
END_TEST

Suite *restart_suite(void)
{
	Suite *s = suite_create("restart");
	TCase *t = tcase_create("restart");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, restart_of_filtered, 0, 9);
	tcase_add_loop_test(t, restart_of_unwritable_timeout, 0, 3);
	tcase_add_test(t, restart_of_what_did_nothing);
	suite_add_tcase(s, t);
	return s;
}
