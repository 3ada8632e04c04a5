/*
 * The verb trace: start a program with probes on before it can hit one.
 *
 * Owns the program from its start until it is resumed; with -wait until it ends. Standard output
 * belongs to the program: trace prints to standard error.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "ui/cli/act.h"
#include "ui/cli/explain.h"
#include "ui/cli/verbs.h"

static volatile sig_atomic_t child;

static void forward(int sig)
{
	int saved = errno;

	if (child)
		kill(child, sig);
	errno = saved;
}

/*
 * Resume the program. With -wait, wait for it and return its exit status, else `status`. As in
 * time(1) the terminal's signals reach the program directly; others are forwarded.
 */
static int resume(const struct probes_member *t, bool wait, int status)
{
	static const int forwarded[] = {SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = forward, .sa_flags = SA_RESTART}, old;
	struct probes_error e;
	siginfo_t info;
	int state;

	if (wait) {
		child = t->pid;
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
		for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
			/* Keep an ignored signal ignored (nohup). */
			if (sigaction(forwarded[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
				sigaction(forwarded[i], &action, NULL);
	}
	if (probes_resume(t->session, &e) < 0)
		return explain_error(t, &e, false);
	if (!wait)
		return status;
	/* Until waitpid the pid cannot be recycled: stop forwarding before. */
	while (waitid(P_PID, (id_t)t->pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	child = 0;
	if (waitpid(t->pid, &state, 0) < 0) {
		report_line("cannot wait for process %d: %s", t->pid, strerror(errno));
		return PROBES_FAILED;
	}
	return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
}

int trace_run(const struct options *o)
{
	struct probes_program program = {.file = o->prog, .terminal = -1, .files = o->files};
	struct report_volume volume;
	struct probes_options engine = targets_engine(o, &volume);
	struct probes_member t = {0};
	struct act a;
	int r, status = act_begin(&a, "trace", o, stderr, false);
	bool done;

	if (status)
		return status;
	program.argv = options_program(o);
	r = probes_start(&program, &engine, &t.session, &t.error);
	free((void *)program.argv);
	if (r < 0) {
		report_error(&t.error);
		return act_end(&a, (int)t.error.status);
	}
	t.pid = probes_pid(t.session);
	if (probes_count(t.session)) {
		status = act_end(&a, act_one(&a, &t, &done));
		if (done && !o->dry_run)
			status = resume(&t, o->wait, status);
	} else {
		status = act_end(&a, explain_nothing(&t, o->verbose));
	}
	/* A program that was not resumed dies here, before its first instruction. */
	probes_close(t.session);
	return status;
}
