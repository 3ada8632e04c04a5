/*
 * Whether a process lives, and what is no proof that it does not: no descriptor left, a signal that
 * comes. Not covered: other time namespaces (e2e/cli-record.sh), a hidden /proc.
 */
#include "suites.h"

#include "process/identity.h"
#include "process/life.h"
#include "process/procfs.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIFE_SIGNALS 300

static uint64_t life_own_start(void)
{
	struct procfs_stat self;

	ck_assert_int_eq(procfs_stat(AT_FDCWD, "/proc/self/stat", &self), 0);
	return life_start(self.start_time);
}

START_TEST(life_needs_proof)
{
	uint64_t start = life_own_start();
	struct rlimit before, none;
	const char *why;
	enum life judged;
	pid_t child;

	ck_assert_int_eq(life_of(getpid(), start, &why), LIFE_GOES_ON);
	ck_assert_int_eq(life_of(getpid(), start + 1, &why), LIFE_GOES_ON); /* rounded */
	ck_assert_int_eq(life_of(getpid(), 0, &why), LIFE_GOES_ON);
	ck_assert_int_eq(life_of(getpid(), start + 2, &why), LIFE_IS_OVER);
	ck_assert_int_eq(life_of(0, start, &why), LIFE_UNKNOWN);
	ck_assert_int_eq(life_of(-1, start, &why), LIFE_UNKNOWN);
	child = fork();
	if (child == 0)
		_exit(0);
	ck_assert_int_eq(waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(life_of(child, 0, &why), LIFE_IS_OVER); /* a zombie */
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	judged = life_of(getpid(), start + 100, &why);
	ck_assert_int_eq(life_of(child, start, &why), LIFE_IS_OVER); /* nobody has that number */
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_int_eq(judged, LIFE_UNKNOWN);
}
END_TEST

static volatile sig_atomic_t life_signals;

static void life_count(int number)
{
	(void)number;
	life_signals++;
}

/* Signals come all the while: no look says for that reason that the process has ended. */
START_TEST(life_amidst_signals)
{
	const struct sigaction action = {.sa_handler = life_count};
	struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	struct probes_error e;
	struct identity who;
	size_t dead = 0;

	ck_assert_int_eq(identity_open(&who, getpid(), &e), 0);
	ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
	while (life_signals < LIFE_SIGNALS)
		dead += !identity_alive(&who);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
	ck_assert_uint_eq(dead, 0);
	identity_close(&who);
}
END_TEST

Suite *life_suite(void)
{
	Suite *s = suite_create("life");
	TCase *t = tcase_create("life");

	tcase_add_test(t, life_needs_proof);
	tcase_add_test(t, life_amidst_signals);
	suite_add_tcase(s, t);
	return s;
}
