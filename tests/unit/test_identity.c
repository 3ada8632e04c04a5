/*
 * Whether a process lives, and what is no proof that it does not: no descriptor left, a signal that
 * comes. Not covered: other time namespaces (e2e/cli-record.sh), a hidden /proc.
 */
#include "suites.h"

#include "process/claim.h"
#include "process/identity.h"
#include "process/procfs.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define IDENTITY_SIGNALS 300

static uint64_t identity_own_start(void)
{
	struct procfs_stat self;

	ck_assert_int_eq(procfs_stat(AT_FDCWD, &self, "/proc/self/stat"), 0);
	return identity_start(self.start_time);
}

START_TEST(identity_needs_proof)
{
	uint64_t start = identity_own_start();
	struct rlimit before, none;
	const char *why;
	enum identity_state judged;
	pid_t child;

	ck_assert_int_eq(identity_check(getpid(), start, &why), IDENTITY_LIVES);
	ck_assert_int_eq(identity_check(getpid(), start + 1, &why), IDENTITY_LIVES); /* rounded */
	ck_assert_int_eq(identity_check(getpid(), 0, &why), IDENTITY_LIVES);
	ck_assert_int_eq(identity_check(getpid(), start + 2, &why), IDENTITY_ENDED);
	ck_assert_int_eq(identity_check(0, start, &why), IDENTITY_UNKNOWN);
	ck_assert_int_eq(identity_check(-1, start, &why), IDENTITY_UNKNOWN);
	child = fork();
	if (child == 0)
		_exit(0);
	ck_assert_int_eq(waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(identity_check(child, 0, &why), IDENTITY_ENDED); /* a zombie */
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	judged = identity_check(getpid(), start + 100, &why);
	ck_assert_int_eq(
		identity_check(child, start, &why), IDENTITY_ENDED); /* nobody has that number */
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_int_eq(judged, IDENTITY_UNKNOWN);
}
END_TEST

/* Killed, it still exits when the signal has been sent: its end is waited for. */
START_TEST(identity_of_the_dying)
{
	const char *why;

	for (int i = 0; i < 50; i++) {
		enum identity_state reconciled;
		pid_t child = fork();

		if (child == 0)
			for (;;)
				pause();
		ck_assert_int_eq(identity_settled(child, 0, &why), IDENTITY_LIVES);
		ck_assert_int_eq(kill(child, SIGKILL), 0);
		reconciled = identity_settled(child, 0, &why);
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
		ck_assert_int_eq(reconciled, IDENTITY_ENDED);
	}
}
END_TEST

static volatile sig_atomic_t identity_signals;

static void identity_count(int number)
{
	(void)number;
	identity_signals++;
}

/* Signals come all the while: no look says for that reason that the process has ended. */
START_TEST(identity_amidst_signals)
{
	const struct sigaction action = {.sa_handler = identity_count};
	struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	struct probes_error e;
	struct identity who;
	size_t dead = 0;

	ck_assert_int_eq(identity_open(&who, getpid(), &e), 0);
	ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
	while (identity_signals < IDENTITY_SIGNALS)
		dead += !identity_alive(&who);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
	ck_assert_uint_eq(dead, 0);
	identity_close(&who);
}
END_TEST

/* The signal is known before the parent has waited, and after that where the kernel keeps it. */
START_TEST(identity_killed_by_a_signal)
{
	static const int numbers[] = {SIGSEGV, SIGKILL, 0};
	struct identity who;
	struct probes_error e;
	siginfo_t ended;
	int after;
	pid_t child;

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		int ready[2];
		char byte;

		ck_assert_int_eq(pipe(ready), 0);
		child = fork();
		if (child == 0) {
			signal(SIGSEGV, SIG_DFL);
			close(ready[1]);
			(void)!read(ready[0], &byte, 1);
			if (numbers[i])
				raise(numbers[i]);
			_exit(3);
		}
		close(ready[0]);
		ck_assert_int_eq(identity_open(&who, child, &e), 0);
		ck_assert_int_eq(identity_killed_by(&who), 0);
		close(ready[1]);
		ck_assert_int_eq(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0);
		ck_assert_int_eq(identity_killed_by(&who), numbers[i]);
		identity_gone(&who, &e);
		ck_assert(!strncmp(e.why, "it has crashed: signal 11 ", 26) ==
			  (numbers[i] == SIGSEGV));
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
		after = identity_killed_by(&who);
		ck_assert(after == numbers[i] || after == 0);
		identity_close(&who);
	}
}
END_TEST

/* Two sessions on one process, which is our own: each has a pidfd. */
START_TEST(claims_of_two)
{
	struct claim one = {.opened = false}, other = {.opened = false};
	struct flock otherwise[] = {{.l_type = F_WRLCK}, {.l_type = F_RDLCK}};
	struct identity a, b;
	struct probes_error e;

	ck_assert_int_eq(identity_open(&a, getpid(), &e), 0);
	ck_assert_int_eq(identity_open(&b, getpid(), &e), 0);
	ck_assert(!claim_is_held(&other, &b, 100));
	ck_assert(claim_take(&one, &a, 100));
	ck_assert(claim_is_held(&other, &b, 100));
	ck_assert(!claim_is_held(&one, &a, 100));
	ck_assert(!claim_take(&other, &b, 100));
	claim_drop(&one, 100);
	ck_assert(!claim_is_held(&other, &b, 100));
	/* What is locked otherwise is no claim, but keeps others from theirs. */
	for (size_t i = 0; i < sizeof otherwise / sizeof *otherwise; i++) {
		ck_assert_int_eq(fcntl(a.pidfd, F_OFD_SETLK, &otherwise[i]), 0);
		ck_assert(!claim_is_held(&other, &b, 100));
		ck_assert(!claim_take(&other, &b, 100));
		otherwise[i].l_type = F_UNLCK;
		ck_assert_int_eq(fcntl(a.pidfd, F_OFD_SETLK, &otherwise[i]), 0);
	}
	/* The lock of the process is another one. */
	ck_assert_int_eq(flock(a.pidfd, LOCK_EX | LOCK_NB), 0);
	ck_assert(claim_take(&other, &b, 200));
	ck_assert(claim_take(&one, &a, 100));
	/* They end with their session. */
	claim_done(&one, &a);
	identity_close(&a);
	ck_assert(!claim_is_held(&other, &b, 100));
	claim_done(&other, &b);
	identity_close(&b);
}
END_TEST

Suite *identity_suite(void)
{
	Suite *s = suite_create("identity");
	TCase *t = tcase_create("identity");

	tcase_add_test(t, identity_needs_proof);
	tcase_add_test(t, identity_of_the_dying);
	tcase_add_test(t, identity_amidst_signals);
	tcase_add_test(t, identity_killed_by_a_signal);
	tcase_add_test(t, claims_of_two);
	suite_add_tcase(s, t);
	return s;
}
