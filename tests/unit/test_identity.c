/*
 * Whether a process lives, and what is no proof that it does not: no descriptor left, a signal that
 * comes. Not covered: other time namespaces (e2e/cli-record.sh), a hidden /proc.
 */
#include "suites.h"

#include "process/identity.h"
#include "process/procfs.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define IDENTITY_SIGNALS 300

static uint64_t identity_own_start(void)
{
	struct procfs_stat self;

	ck_assert_int_eq(procfs_stat(AT_FDCWD, "/proc/self/stat", &self), 0);
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

Suite *identity_suite(void)
{
	Suite *s = suite_create("identity");
	TCase *t = tcase_create("identity");

	tcase_add_test(t, identity_needs_proof);
	tcase_add_test(t, identity_amidst_signals);
	suite_add_tcase(s, t);
	return s;
}
