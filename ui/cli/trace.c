/*
 * The verb trace: start a program with probes on before it can hit one.
 *
 * Owns the program's life between its start and the moment it is let go, and
 * with -wait the waiting. Standard output is the program's: ours goes to
 * standard error.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "ui/cli/act.h"
#include "ui/cli/explain.h"
#include "ui/cli/verbs.h"
#include "ui/limits.h"

/* ------------------------------------------------------------------ waiting */

static volatile sig_atomic_t child;

static void forward(int sig)
{
	int saved = errno;

	if (child)
		kill(child, sig);
	errno = saved;
}

/* As time(1): the terminal's signals reach the program by themselves, others are passed on. */
static void prepare_to_wait(pid_t pid)
{
	static const int passed[] = {SIGTERM, SIGHUP};
	struct sigaction pass = {.sa_handler = forward, .sa_flags = SA_RESTART}, old;

	child = pid;
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
		/* What is ignored (nohup) stays so. */
		if (sigaction(passed[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(passed[i], &pass, NULL);
}

static int wait_for(pid_t pid)
{
	siginfo_t info;
	int state;

	/* Its pid is nobody else's until it has been collected: stop passing signals before. */
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	child = 0;
	if (waitpid(pid, &state, 0) < 0) {
		report_line("cannot wait for process %d: %s", pid, strerror(errno));
		return PROBES_FAILED;
	}
	return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
}

/* ----------------------------------------------------------------- starting */

static char **arguments(const struct options *o)
{
	size_t count = 0;
	char **argv;

	while (o->args[count])
		count++;
	argv = calloc(count + 2, sizeof *argv);
	if (!argv)
		return NULL;
	argv[0] = (char *)o->prog;
	memcpy(argv + 1, o->args, count * sizeof *argv);
	return argv;
}

static int start(const struct options *o, const struct probes_options *engine, struct target *t)
{
	struct probes_program program = {
		.file = o->prog, .argv = arguments(o), .terminal = -1, .files = limits_given()};
	int r = probes_start(&program, engine, &t->session, &t->error);

	free((void *)program.argv);
	if (r < 0) {
		report_error(&t->error);
		return (int)t->error.status;
	}
	t->pid = probes_pid(t->session);
	return PROBES_OK;
}

/* Let it begin; with -wait its status is ours. */
static int let_go(const struct target *t, const struct options *o, int status)
{
	struct probes_error e;

	if (o->wait)
		prepare_to_wait(t->pid);
	if (probes_resume(t->session, &e) < 0)
		return explain_error(t, &e, false);
	return o->wait ? wait_for(t->pid) : status;
}

static int trace_started(struct act *a, const struct target *t)
{
	bool done;
	int status;

	if (!probes_count(t->session))
		return explain_nothing(t, a->options->verbose);
	status = act_one(a, t, &done);
	status = act_end(a, status);
	/* What is still held when the session is closed dies before it has begun. */
	return done && !a->options->dry_run ? let_go(t, a->options, status) : status;
}

int trace_run(const struct options *o)
{
	struct report_volume volume;
	struct probes_options engine = targets_engine(o, &volume);
	struct target t = {0};
	struct act a;
	int status = act_begin(&a, "trace", o, stderr, false);

	if (status)
		return status;
	status = start(o, &engine, &t);
	if (status)
		return act_end(&a, status);
	status = trace_started(&a, &t);
	probes_close(t.session);
	return status;
}
