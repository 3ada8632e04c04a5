/*
 * Covers process/tracer on living children: no signal that comes meanwhile is lost, none is
 * changed, none is sent; a job that is stopped stays stopped; who is traced already is refused; and
 * a session's way to it, in a world that lets only a tracer write to its code. Not covered: a
 * kernel that does so itself (a boot option of 6.12).
 */
#include "process/tracer.h"

#include "base/error.h"
#include "process/memory.h"
#include "process/procfs.h"
#include "session_world.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIGNALS 5000

/* What children say, in memory that all see. */
struct tracer_seen {
	volatile sig_atomic_t count;
	volatile unsigned long sum;
	volatile unsigned turns; /* comes round on a busy machine */
};

static struct tracer_seen *seen;

static void tracer_see(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	seen->count++;
	seen->sum += (unsigned long)info->si_value.sival_int;
}

static pid_t tracer_child(void)
{
	const struct sigaction action = {.sa_sigaction = tracer_see, .sa_flags = SA_SIGINFO};
	pid_t child;

	seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(seen, MAP_FAILED);
	/* Before the fork, so that none comes too early. */
	sigaction(SIGRTMIN, &action, NULL);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		signal(SIGTERM, SIG_DFL); /* the runner's handler ends all its children */
		for (;;)
			seen->turns++;
	}
	while (!seen->turns)
		;
	return child;
}

static pid_t tracer_sender(pid_t to)
{
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (child > 0)
		return child;
	for (int i = 1; i <= SIGNALS;) {
		if (sigqueue(to, SIGRTMIN, (union sigval){.sival_int = i}) == 0)
			i++;
		else if (errno != EAGAIN)
			_exit(1);
	}
	_exit(0);
}

static void tracer_end(struct identity *who)
{
	kill(who->pid, SIGKILL);
	ck_assert_int_eq(waitpid(who->pid, NULL, 0), who->pid);
	identity_close(who);
	munmap(seen, sizeof *seen);
}

static char tracer_state(const struct identity *who)
{
	struct procfs_stat stat;

	ck_assert_int_eq(procfs_stat(who->task, &stat, "stat"), 0);
	return stat.state;
}

static int tracer_nothing(void *data, struct probes_error *e)
{
	(void)data;
	(void)e;
	return 0;
}

/* Yama and others may forbid it: then there is nothing to be tested. */
static bool tracer_open(struct identity *who, pid_t pid)
{
	struct probes_error e;

	ck_assert_int_eq(identity_open(who, pid, &e), 0);
	if (tracer_run(who, tracer_nothing, NULL, &e) == 0)
		return true;
	ck_assert_int_eq(e.status, PROBES_DENIED);
	fprintf(stderr, "not tested: %s: %s\n", e.what, e.why);
	return false;
}

static unsigned char tracer_byte; /* at the same address in a child */

static int tracer_write(void *data, struct probes_error *e)
{
	struct memory *m = data;
	char name[64];
	unsigned char next;
	uint64_t address = (uintptr_t)&tracer_byte;

	if (procfs_tracer(AT_FDCWD, name, sizeof name, "/proc/%d/status", m->pid) != getpid())
		return error_set(e, PROBES_FAILED, -EPERM, "not its tracer");
	if (!memory_read(m, address, &next, 1))
		return error_set(e, PROBES_FAILED, -EIO, "cannot read");
	next++;
	return m->ops->write(m, address, &next, 1);
}

START_TEST(tracer_loses_no_signal)
{
	pid_t child = tracer_child(), sender;
	struct probes_error e = {0};
	unsigned rounds = 0;
	unsigned char byte;
	struct identity who;
	struct memory m;
	int status;

	if (tracer_open(&who, child)) {
		memory_open(&m, who.task, who.tid, true);
		sender = tracer_sender(child);
		do {
			ck_assert_msg(tracer_run(&who, tracer_write, &m, &e) == 0, "%s: %s", e.what,
				e.why);
			rounds++;
		} while (waitpid(sender, &status, WNOHANG) == 0 || rounds < 100);
		ck_assert_int_eq(status, 0);
		while (seen->count < SIGNALS && tracer_state(&who) != 't')
			;
		ck_assert_int_eq(seen->count, SIGNALS);
		ck_assert_uint_eq(seen->sum, SIGNALS * (SIGNALS + 1ul) / 2);
		ck_assert(memory_read(&m, (uintptr_t)&tracer_byte, &byte, 1));
		ck_assert_uint_eq(byte, rounds % 256);
		ck_assert_int_eq(tracer_state(&who), 'R');
		memory_close(&m);
	}
	tracer_end(&who);
}
END_TEST

/* A signal that ends it does so, while it is held as well. */
static int tracer_terminate(void *data, struct probes_error *e)
{
	const struct identity *who = data;

	(void)e;
	kill(who->pid, SIGTERM);
	while (tracer_state(who) != 'Z')
		;
	return 0;
}

START_TEST(tracer_passes_on_the_last_signal)
{
	pid_t child = tracer_child();
	struct probes_error e = {0};
	struct identity who;
	siginfo_t end;

	if (tracer_open(&who, child)) {
		ck_assert_int_eq(tracer_run(&who, tracer_terminate, &who, &e), 0);
		ck_assert_int_eq(waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT), 0);
		ck_assert_int_eq(end.si_code, CLD_KILLED);
		ck_assert_int_eq(end.si_status, SIGTERM);
		/* And nobody can be attached to what has ended. */
		ck_assert_int_lt(tracer_run(&who, tracer_nothing, NULL, &e), 0);
	}
	tracer_end(&who);
}
END_TEST

START_TEST(tracer_leaves_a_stopped_job_stopped)
{
	pid_t child = tracer_child();
	struct probes_error e = {0};
	struct identity who;
	unsigned turns;

	if (tracer_open(&who, child)) {
		kill(child, SIGSTOP);
		while (tracer_state(&who) != 'T')
			;
		for (int i = 0; i < 50; i++)
			ck_assert_int_eq(tracer_run(&who, tracer_nothing, NULL, &e), 0);
		/* On its way back into that stop it may be seen running, though it turns no more.
		 */
		while (tracer_state(&who) != 'T')
			;
		kill(child, SIGCONT);
		turns = seen->turns;
		while (seen->turns == turns)
			;
	}
	tracer_end(&who);
}
END_TEST

/* Somebody who traces a process until killed, and passes on its signals. */
static pid_t tracer_other(pid_t target)
{
	int told[2];
	char answer = 0;
	pid_t child;

	ck_assert_int_eq(pipe(told), 0);
	child = fork();
	if (child == 0) {
		answer = ptrace(PTRACE_SEIZE, target, NULL, NULL) == 0 ? 'y' : 'n';
		if (write(told[1], &answer, 1) != 1)
			_exit(1);
		for (int status; waitpid(target, &status, __WALL) == target;)
			ptrace(PTRACE_CONT, target, NULL,
				(void *)(uintptr_t)(status >> 16 ? 0 : WSTOPSIG(status)));
		_exit(1);
	}
	ck_assert_int_eq(read(told[0], &answer, 1), 1);
	ck_assert_int_eq(answer, 'y');
	close(told[0]);
	close(told[1]);
	return child;
}

START_TEST(tracer_names_another_tracer)
{
	pid_t child = tracer_child(), tracer;
	struct probes_error e = {0};
	struct identity who;
	char number[16];

	if (tracer_open(&who, child)) {
		tracer = tracer_other(child);
		snprintf(number, sizeof number, "process %d (", tracer);
		ck_assert_int_eq(tracer_run(&who, tracer_nothing, NULL, &e), -EPERM);
		ck_assert_int_eq(e.status, PROBES_DENIED);
		ck_assert_ptr_nonnull(strstr(e.why, number));
		kill(tracer, SIGKILL);
		waitpid(tracer, NULL, 0);
		ck_assert_int_eq(tracer_run(&who, tracer_nothing, NULL, &e), 0);
	}
	tracer_end(&who);
}
END_TEST

/* ---- a session ---- */

static bool tracer_allowed(struct session_world *x)
{
	struct probes_error e;

	return tracer_run(&x->s.who, tracer_nothing, NULL, &e) == 0;
}

START_TEST(tracer_where_a_session_needs_it)
{
	struct session_world x;

	session_begin(&x, "");
	x.w.fake.code_is_for = FAKE_TRACER;
	if (tracer_allowed(&x)) {
		session_must(&x, PROBES_ENABLE, "one");
		ck_assert_uint_eq(*world_byte(&x.w, WORLD_PC(0x11)), 0xe8);
		ck_assert(x.s.needs_tracer);
		session_must(&x, PROBES_ENABLE, "unit");
		session_must(&x, PROBES_DISABLE, "unit");
		session_must_restore(&x);
		ck_assert(session_as_found(&x));
		ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	}
	session_end(&x);
}
END_TEST

START_TEST(tracer_is_not_enough_where_nobody_may)
{
	struct probes_result *r = NULL;
	struct session_world x;
	struct probes_error e = {0};

	session_begin(&x, "");
	x.w.fake.code_is_for = FAKE_NOBODY;
	if (tracer_allowed(&x)) {
		for (int i = 0; i < 2; i++) {
			ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "unit", NULL, &r, &e), -EIO);
			ck_assert_ptr_nonnull(strstr(e.why, "even to a tracer"));
			ck_assert_ptr_nonnull(strstr(e.why, "force_override=never"));
			ck_assert_ptr_nonnull(strstr(e.why, "object was unloaded at that moment"));
			ck_assert(session_as_found(&x));
			ck_assert(!x.s.needs_tracer);
			probes_result_free(r);
		}
		/* What has no code to change is not concerned. */
		session_must(&x, PROBES_ENABLE, "soft");
		session_must_restore(&x);
	}
	session_end(&x);
}
END_TEST

START_TEST(tracer_fails_where_another_holds_it)
{
	struct probes_result *r = NULL;
	struct session_world x;
	struct probes_error e = {0};
	pid_t tracer;

	session_begin(&x, "");
	x.w.fake.code_is_for = FAKE_TRACER;
	if (tracer_allowed(&x)) {
		tracer = tracer_other(getpid());
		ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "unit", NULL, &r, &e), -EPERM);
		ck_assert_int_eq(e.status, PROBES_DENIED);
		ck_assert_ptr_nonnull(strstr(e.why, "only its tracer may"));
		ck_assert(session_as_found(&x));
		probes_result_free(r);
		kill(tracer, SIGKILL);
		waitpid(tracer, NULL, 0);
		session_must(&x, PROBES_ENABLE, "unit");
		session_must_restore(&x);
		ck_assert(session_as_found(&x));
	}
	session_end(&x);
}
END_TEST

/* What a held program has open as 0 and 1, and its session. */
static void tracer_opened(pid_t pid, struct stat *in, struct stat *out, pid_t *session)
{
	char path[40];

	snprintf(path, sizeof path, "/proc/%d/fd/0", pid);
	ck_assert_int_eq(stat(path, in), 0);
	snprintf(path, sizeof path, "/proc/%d/fd/1", pid);
	ck_assert_int_eq(stat(path, out), 0);
	*session = getsid(pid);
}

/* Of a program that is started, what its caller left zero is inherited: also where 0 is a pipe. */
START_TEST(tracer_starts_with_what_is_inherited)
{
	const struct probes_program program = {.file = "/proc/self/exe"};
	const int in_before = dup(0), out_before = dup(1), null = open("/dev/null", O_WRONLY);
	struct stat in, out, pipe_in, null_out;
	struct probes_session *s;
	struct probes_error e;
	pid_t session;
	int fds[2], r;

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(dup2(fds[0], 0), 0);
	ck_assert_int_eq(dup2(null, 1), 1);
	r = probes_start(&program, NULL, &s, &e);
	/* All suites share these where nothing forks. */
	dup2(in_before, 0);
	dup2(out_before, 1);
	close(in_before);
	close(out_before);
	if (r == 0) {
		tracer_opened(probes_pid(s), &in, &out, &session);
		kill(probes_pid(s), SIGKILL);
		probes_close(s);
		ck_assert_int_eq(session, getsid(0));
		ck_assert_int_eq(fstat(fds[0], &pipe_in), 0);
		ck_assert_uint_eq(in.st_ino, pipe_in.st_ino);
		ck_assert_int_eq(fstat(null, &null_out), 0);
		ck_assert_uint_eq(out.st_ino, null_out.st_ino);
	} else { /* nobody may trace here */
		ck_assert_msg(e.status == PROBES_DENIED, "%s: %s", e.what, e.why);
	}
	close(fds[0]);
	close(fds[1]);
	close(null);
}
END_TEST

Suite *tracer_suite(void)
{
	Suite *s = suite_create("tracer");
	TCase *t = tcase_create("tracer");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, tracer_loses_no_signal);
	tcase_add_test(t, tracer_passes_on_the_last_signal);
	tcase_add_test(t, tracer_leaves_a_stopped_job_stopped);
	tcase_add_test(t, tracer_names_another_tracer);
	tcase_add_test(t, tracer_where_a_session_needs_it);
	tcase_add_test(t, tracer_is_not_enough_where_nobody_may);
	tcase_add_test(t, tracer_fails_where_another_holds_it);
	tcase_add_test(t, tracer_starts_with_what_is_inherited);
	suite_add_tcase(s, t);
	return s;
}
