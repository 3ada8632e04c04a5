#include "ui/tui/process/program.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/screen.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/now.h"
#include "ui/words/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM_UNFED (256 << 10) /* bytes */
#define PROGRAM_UNSENT (1 << 20)
#define PROGRAM_PIECE 1024
#define PROGRAM_LOOK_MS 500 /* between looks at what a running launcher has loaded */
#define PROGRAM_TURN_MS 4   /* of feeding, so that keys and signals are not starved */

/* Has ^C been typed? SIGINT is blocked. */
static bool program_interrupted(void)
{
	const struct timespec now = {0};
	sigset_t interrupt;

	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	return sigtimedwait(&interrupt, NULL, &now) == SIGINT;
}

/*
 * Wait until a launcher becomes a program with probes (1: *next), or has loaded a library with
 * probes (1: *next is NULL), at most o->launcher_ms or until ^C (0).
 */
static int program_wait(const struct program *p, const struct options *o,
	struct probes_session *session, struct probes_session **next, struct probes_error *e)
{
	int64_t start = now_ms(), end = start + o->launcher_ms;
	struct probes_survey survey = {0};
	struct probes_error ignored;
	size_t execs = (size_t)-1, before;
	bool said = false;

	for (int64_t left = o->launcher_ms; left > 0; left = end - now_ms()) {
		int r = probes_follow(
			session, (int)(left < PROGRAM_LOOK_MS ? left : PROGRAM_LOOK_MS), next, e);

		if (r < 0 || *next)
			return r < 0 ? r : 1;
		before = execs;
		execs = probes_follow_count(session);
		/* A process that cannot be read has no probes yet. */
		if (execs == before && probes_survey(p->pid, &survey, &ignored) == 0 &&
			survey.probes)
			return 1;
		if (program_interrupted())
			return 0;
		if (!said)
			report_line("%s has no probes; waiting %g s for it to execute a program or "
				    "load a library that has some (^C stops waiting)",
				o->prog, o->launcher_ms / 1e3);
		said = true;
	}
	return 0;
}

/*
 * A launcher runs until it becomes the program, which takes its place in *session; or until it has
 * loaded a library with probes, as java does: then *session is of the running process. The relay
 * keeps its output meanwhile.
 */
static int program_follow(const struct program *p, const struct options *o,
	const struct probes_options *engine, struct probes_session **session,
	struct probes_error *e)
{
	struct probes_session *next = NULL;
	char image[160] = "", fate[PATH_MAX + 100];
	sigset_t typed, mask;
	int r;

	if (!o->launcher_ms || !probes_is_launcher(*session))
		return 0;
	/* A launcher would stand still at its next exec or signal while ^Z stops its tracer. */
	sigemptyset(&typed);
	sigaddset(&typed, SIGINT);
	sigaddset(&typed, SIGTSTP);
	sigprocmask(SIG_BLOCK, &typed, &mask);
	r = program_wait(p, o, *session, &next, e);
	if (r <= 0) {
		size_t n = probes_follow_count(*session);

		snprintf(image, sizeof image, "; %.150s",
			n ? probes_follow_at(*session, n - 1) : "");
		/* What was typed meanwhile is not for the shell. */
		tcflush(0, TCIFLUSH);
	}
	if (r == 0) {
		snprintf(fate, sizeof fate,
			p->ends ? "it ends now"
				: "it runs on (kill %d ends it), its output goes to %s",
			(int)p->pid, p->relay.path);
		r = report_set(e, PROBES_NO_TARGET, -ETIMEDOUT,
			"no program with probes was started", "-launcher TIME waits longer",
			"process %d did not become one; %s", (int)p->pid, fate);
	}
	text_addf(e->why, sizeof e->why, "%s", r < 0 ? image : "");
	probes_close(*session);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	*session = next;
	return r > 0 && !next ? probes_open_pid(p->pid, engine, session, e) : r < 0 ? r : 0;
}

int program_start(struct program *p, const struct options *o, const struct probes_options *engine,
	struct probes_session **session, struct probes_error *e)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	int slave, status;
	char *term;
	struct probes_program program = {
		.file = o->prog, .terminal = &slave, .files = o->files, .oom_score = o->oom_score};

	*p = (struct program){0};
	if (openpty(&p->master, &slave, NULL, NULL, &size) < 0)
		return probes_failed(e, -errno, "cannot make a terminal for the program");
	fcntl(p->master, F_SETFD, FD_CLOEXEC);
	fcntl(p->master, F_SETFL, O_RDWR | O_NONBLOCK);
	fcntl(slave, F_SETFD, FD_CLOEXEC);
	program.argv = options_program(o);
	/* With the TERM of the terminal that it gets. */
	term = getenv("TERM") ? mem_text(getenv("TERM")) : NULL;
	setenv("TERM", screen_emulated(), 1);
	status = probes_start(&program, engine, session, e);
	if (term)
		setenv("TERM", term, 1);
	else
		unsetenv("TERM");
	free(term);
	close(slave);
	free((void *)program.argv);
	if (status < 0) {
		close(p->master);
		return status;
	}
	p->pid = probes_pid(*session);
	status = pty_relay_start(&p->relay, p->master, o, p->pid);
	if (status < 0) {
		probes_failed(e, status, "cannot read the program's output");
		probes_close(*session);
		close(p->master);
		return status;
	}
	p->terminal = emulator_new(size.ws_row, size.ws_col);
	p->unfed = mem_alloc(PROGRAM_UNFED);
	p->unsent = mem_alloc(PROGRAM_UNSENT);
	p->ends = o->end_program;
	p->used = true;
	return program_follow(p, o, engine, session, e);
}

void program_done(struct program *p)
{
	if (!p->used)
		return;
	close(p->master);
	close(p->relay.channel);
	emulator_free(p->terminal);
	free(p->unfed);
	free(p->unsent);
	p->used = false;
}

void program_resize(struct program *p, int rows, int columns)
{
	struct winsize size = {0}, old = {0};

	if (!p->used)
		return;
	emulator_resize(p->terminal, rows, columns);
	emulator_size(p->terminal, &rows, &columns);
	size.ws_row = (unsigned short)rows;
	size.ws_col = (unsigned short)columns;
	ioctl(p->master, TIOCGWINSZ, &old);
	if (old.ws_row != size.ws_row || old.ws_col != size.ws_col)
		ioctl(p->master, TIOCSWINSZ, &size);
}

/* ---------------------------------------------------------------- input */

/* Queue what the emulator has for the program to read. False: there is no room, it is lost. */
static bool program_queue(struct program *p)
{
	char bytes[4096];
	bool all = true;

	for (size_t n; (n = emulator_take(p->terminal, bytes, sizeof bytes));) {
		all &= n <= PROGRAM_UNSENT - p->unsent_count;
		if (!all)
			continue;
		memcpy(p->unsent + p->unsent_count, bytes, n);
		p->unsent_count += n;
	}
	return all;
}

/* Write as much of the queue as the program's terminal takes. */
static void program_pass_on(struct program *p)
{
	size_t done = 0;

	while (done < p->unsent_count) {
		ssize_t n = write(p->master, p->unsent + done, p->unsent_count - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	p->unsent_count -= done;
	memmove(p->unsent, p->unsent + done, p->unsent_count);
}

bool program_unsent(const struct program *p)
{
	return p->used && p->unsent_count && !p->ended;
}

bool program_type(struct program *p, const uint32_t *keys, size_t count)
{
	bool all;

	for (size_t i = 0; i < count; i++)
		emulator_key(p->terminal, keys[i]);
	all = program_queue(p);
	program_pass_on(p);
	return all;
}

/* ---------------------------------------------------------------- output */

/* Read what there is room for. True: something, or the end. */
static bool program_fetch(struct program *p)
{
	bool any = false;

	if (p->unfed_first)
		memmove(p->unfed, p->unfed + p->unfed_first, p->unfed_count);
	p->unfed_first = 0;
	while (!p->output_ended && p->unfed_count < PROGRAM_UNFED) {
		ssize_t n = read(p->relay.channel, p->unfed + p->unfed_count,
			PROGRAM_UNFED - p->unfed_count);

		if (n < 0)
			break;
		if (n == 0)
			p->output_ended = true;
		p->unfed_count += (size_t)n;
		any = true;
	}
	return any;
}

static void program_fed(struct program *p, size_t bytes)
{
	p->unfed_first += bytes;
	p->unfed_count -= bytes;
}

bool program_read(struct program *p)
{
	int64_t end = now_ms() + PROGRAM_TURN_MS;
	bool any;

	if (!p->used)
		return false;
	any = program_fetch(p) || p->unfed_count;
	program_fed(p, emulator_skip(p->terminal, p->unfed, p->unfed_count));
	while (p->unfed_count && now_ms() < end) {
		size_t n = p->unfed_count < PROGRAM_PIECE ? p->unfed_count : PROGRAM_PIECE;

		emulator_feed(p->terminal, p->unfed + p->unfed_first, n);
		program_fed(p, n);
	}
	(void)program_queue(p); /* the emulator's answers */
	program_pass_on(p);
	return any;
}

bool program_behind(const struct program *p)
{
	return p->unfed_count > 0;
}

bool program_reap(struct program *p)
{
	if (!p->used)
		return false;
	waitpid(p->relay.pid, NULL, WNOHANG);
	if (p->ended || waitpid(p->pid, &p->status, WNOHANG) != p->pid)
		return false;
	p->ended = WIFEXITED(p->status) || WIFSIGNALED(p->status);
	return p->ended;
}

const char *program_end(const struct program *p, char *out, size_t size)
{
	if (WIFEXITED(p->status))
		snprintf(out, size, "exited with status %d", WEXITSTATUS(p->status));
	else
		snprintf(out, size, "was killed by signal %d (%s)%s", WTERMSIG(p->status),
			strsignal(WTERMSIG(p->status)),
			WCOREDUMP(p->status) ? ", core dumped" : "");
	return out;
}

void program_signal(const struct program *p, int signal)
{
	if (!p->used || p->ended)
		return;
	if (kill(-p->pid, signal) < 0)
		kill(p->pid, signal);
}
