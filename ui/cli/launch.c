#include "ui/cli/launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "ui/cli/explain.h"
#include "ui/words/now.h"
#include "ui/words/report.h"

#define LOOK_MS 100 /* between two looks at what a launcher has loaded */

static volatile sig_atomic_t child;

static void forward(int sig)
{
	int saved = errno;

	if (child)
		kill(child, sig);
	errno = saved;
}

/* As in time(1) the terminal's signals reach the program directly; others are forwarded. */
static void launch_forward_signals(pid_t pid)
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

int launch_wait(pid_t pid)
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

/*
 * Wait until a launcher becomes a program with probes (*next), or, which is enough to measure, has
 * loaded a library with some, as java does (*loaded).
 */
static int wait_for_probes(const struct probes_member *t, const struct options *o,
	struct probes_session **next, bool *loaded, struct probes_error *e)
{
	int64_t end = now_ms() + (int64_t)o->launcher_ms, left;
	size_t execs = probes_follow_count(t->session), before;
	struct probes_survey survey;
	struct probes_error ignored;

	*loaded = false;
	while (!*loaded && (left = end - now_ms()) > 0) {
		int r = probes_follow(t->session, (int)(left < LOOK_MS ? left : LOOK_MS), next, e);

		if (r < 0 || *next)
			return r;
		before = execs;
		execs = probes_follow_count(t->session);
		/* A process that cannot be read has no probes yet. */
		*loaded = o->verb & VERB_MEASURE && execs == before &&
			  probes_survey(t->pid, &survey, &ignored) == 0 && survey.probes;
	}
	return 0;
}

/* It runs, and was not held: so what it did before is not measured. */
static int open_loaded(struct probes_member *t, const struct options *o,
	const struct probes_options *engine, struct probes_error *e)
{
	int r = probes_open_pid(t->pid, engine, &t->session, e);

	if (r < 0)
		report_error(e);
	else if (!o->quiet)
		report_line("pid %d: it has loaded a library with probes, and runs: what came "
			    "before is missing",
			(int)t->pid);
	return r < 0 ? (int)e->status : PROBES_OK;
}

/* A launcher: follow it to its program, which takes its place in t. Returns the exit status. */
static int follow(
	struct probes_member *t, const struct options *o, const struct probes_options *engine)
{
	struct probes_session *next = NULL;
	struct probes_error e;
	sigset_t typed, mask;
	bool loaded;
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
	r = wait_for_probes(t, o, &next, &loaded, &e);
	if (r == 0 && (next || loaded)) {
		probes_close(t->session);
		sigprocmask(SIG_SETMASK, &mask, NULL);
		t->session = next;
		return next ? PROBES_OK : open_loaded(t, o, engine, &e);
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
	if (r == 0 && (o->wait || o->verb & VERB_MEASURE))
		launch_wait(pid);
	return r < 0 ? (int)e.status : PROBES_NO_TARGET;
}

int launch_start(
	struct probes_member *t, const struct options *o, const struct probes_options *engine)
{
	struct probes_program program = {
		.file = o->prog, .files = o->files, .oom_score = o->oom_score};
	int r;

	program.argv = options_program(o);
	r = probes_start(&program, engine, &t->session, &t->error);
	free((void *)program.argv);
	if (r < 0)
		return report_error(&t->error);
	t->pid = probes_pid(t->session);
	if (o->wait)
		launch_forward_signals(t->pid);
	return probes_is_launcher(t->session) ? follow(t, o, engine) : PROBES_OK;
}
