/*
 * Covers when session/proofs.c takes threads for such that can be told apart: on a thread that was
 * made and has not run yet, and on one that glibc has not made. What hits make of that is e2e.
 */
#include "session/session.h"

#include "suites.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void *proofs_spin(void *unused)
{
	for (volatile int on = 1; on;)
		;
	return unused;
}

static void *proofs_start(void *unused)
{
	pthread_t one;

	pthread_create(&one, NULL, proofs_spin, NULL);
	return unused;
}

static int proofs_spin_raw(void *unused)
{
	return proofs_spin(unused) != NULL;
}

/* A second thread, with the thread pointer of the first. */
static void *proofs_start_raw(void *unused)
{
	static uint8_t stack[16384] __attribute__((aligned(16)));

	clone(proofs_spin_raw, stack + sizeof stack,
		CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, NULL);
	return unused;
}

/* A child that makes a second thread, and that we trace from before that. */
static pid_t proofs_child(void *(*start)(void *), pid_t *second)
{
	unsigned long tid;
	pid_t child;
	int go[2];
	char byte;

	ck_assert_int_eq(pipe(go), 0);
	child = fork();
	if (child == 0) {
		if (read(go[0], &byte, 1) == 1)
			start(NULL);
		for (;;)
			pause();
	}
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, child, 0, PTRACE_O_TRACECLONE), 0);
	ck_assert_int_eq(write(go[1], "", 1), 1);
	ck_assert_int_eq(waitpid(child, NULL, __WALL), child);
	ck_assert_int_eq(ptrace(PTRACE_GETEVENTMSG, child, 0, &tid), 0);
	*second = (pid_t)tid;
	/* It has stopped before its first instruction. */
	ck_assert_int_eq(waitpid(*second, NULL, __WALL), *second);
	ck_assert_int_eq(ptrace(PTRACE_CONT, child, 0, 0), 0);
	close(go[0]);
	close(go[1]);
	return child;
}

static void proofs_end(struct probes_session *s, pid_t child, pid_t second)
{
	threads_done(&s->threads);
	array_done(&s->unproven);
	memory_close(&s->memory);
	identity_close(&s->who);
	kill(child, SIGKILL);
	/* The leader is reported last. */
	ck_assert_int_eq(waitpid(second, NULL, __WALL), second);
	ck_assert_int_eq(waitpid(child, NULL, __WALL), child);
}

static void proofs_open(struct probes_session *s, pid_t child)
{
	struct probes_error e;

	*s = (struct probes_session){.process = true};
	s->unproven = ARRAY_OF(struct session_unproven);
	ck_assert_int_eq(identity_open(&s->who, child, &e), 0);
	memory_open(&s->memory, s->who.task, child, true);
}

/* On a busy machine, or in a cgroup with little of the processor. */
START_TEST(proofs_wait_for_a_thread_that_has_not_run)
{
	struct probes_session s;
	pid_t child, second;

	child = proofs_child(proofs_start, &second);
	proofs_open(&s, child);
	ck_assert(proofs_begin(&s, false));
	ck_assert_uint_eq(s.unproven.count, 1);
	ck_assert_int_eq(ptrace(PTRACE_CONT, second, 0, 0), 0);
	while (s.unproven.count)
		ck_assert(proofs_begin(&s, false));
	proofs_end(&s, child, second);
}
END_TEST

START_TEST(proofs_of_a_thread_that_glibc_has_not_made)
{
	struct probes_session s;
	pid_t child, second;

	child = proofs_child(proofs_start_raw, &second);
	ck_assert_int_eq(ptrace(PTRACE_CONT, second, 0, 0), 0);
	proofs_open(&s, child);
	while (proofs_begin(&s, false))
		; /* it may not have run */
	ck_assert_uint_eq(s.unproven.count, 1);
	proofs_end(&s, child, second);
}
END_TEST

Suite *proofs_suite(void)
{
	Suite *s = suite_create("proofs");
	TCase *t = tcase_create("proofs");

	tcase_set_timeout(t, 30);
	tcase_add_test(t, proofs_wait_for_a_thread_that_has_not_run);
	tcase_add_test(t, proofs_of_a_thread_that_glibc_has_not_made);
	suite_add_tcase(s, t);
	return s;
}
