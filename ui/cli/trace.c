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

/* As in time(1) the terminal's signals reach the program directly; others are forwarded. */
static void forward_signals(pid_t pid)
{
	static const int forwarded[] = {SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = forward, .sa_flags = SA_RESTART}, old;

	child = pid;
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
		/* Keep an ignored signal ignored (nohup). */
		if (sigaction(forwarded[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(forwarded[i], &action, NULL);
}

/* Wait for the program's end; its exit status. */
static int wait_for(pid_t pid)
{
	siginfo_t info;
	int state;

	/* Until waitpid the pid cannot be recycled: stop forwarding before. */
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	child = 0;
	if (waitpid(pid, &state, 0) < 0) {
		report_line("cannot wait for process %d: %s", pid, strerror(errno));
		return PROBES_FAILED;
	}
	return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
}

/* A launcher: follow it to its program, which takes its place in t. Returns the exit status. */
static int follow(struct probes_member *t, const struct options *o)
{
	struct probes_session *next = NULL;
	struct probes_error e;
	sigset_t typed, mask;
	pid_t pid = t->pid;
	int r;

	if (o->dry_run || !o->launcher_ms) {
		explain_nothing(t, o->verbose);
		report_line("it may be a launcher, which executes the program: %s",
			o->dry_run ? "a dry run does not start it"
				   : "-launcher 0 does not start it");
		return PROBES_NO_TARGET;
	}
	/* A launcher would stand still at its next exec or signal while ^Z stops its tracer. */
	sigemptyset(&typed);
	sigaddset(&typed, SIGTSTP);
	sigprocmask(SIG_BLOCK, &typed, &mask);
	r = probes_follow(t->session, o->launcher_ms, &next, &e);
	if (r == 0 && next) {
		probes_close(t->session);
		sigprocmask(SIG_SETMASK, &mask, NULL);
		t->session = next;
		return PROBES_OK;
	}
	if (r < 0)
		report_error(&e);
	else
		report_line("no program with probes was started: process %d did not become one "
			    "within %g s, and runs on untraced; -launcher TIME follows it for "
			    "longer",
			pid, o->launcher_ms / 1e3);
	for (size_t i = 0; i < probes_follow_count(t->session); i++)
		report_more("%s", probes_follow_at(t->session, i));
	probes_close(t->session);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	t->session = NULL;
	if (r == 0 && o->wait)
		wait_for(pid);
	return r < 0 ? (int)e.status : PROBES_NO_TARGET;
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
	if (o->wait)
		forward_signals(t.pid);
	if (probes_is_launcher(t.session))
		status = follow(&t, o);
	if (status) {
		status = act_end(&a, status);
	} else {
		status = act_end(&a, act_one(&a, &t, &done));
		if (done && !o->dry_run) {
			if (probes_resume(t.session, &t.error) < 0)
				status = explain_error(&t, &t.error, false);
			else if (o->wait)
				status = wait_for(t.pid);
		}
	}
	/* A program that was not resumed dies here, before its first instruction. */
	probes_close(t.session);
	return status;
}
