/*
 * The program started under the screen. Owns its pty and its exit status.
 */
#include "ui/tui/process/program.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

int program_start(struct program *p, const struct options *o, const struct probes_options *engine,
	struct probes_session **session, struct probes_error *e)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	struct probes_program program = {.file = o->prog, .files = o->files};
	int status;

	*p = (struct program){0};
	if (openpty(&p->master, &program.terminal, NULL, NULL, &size) < 0)
		return probes_failed(e, -errno, "cannot make a terminal for the program");
	fcntl(p->master, F_SETFD, FD_CLOEXEC);
	fcntl(p->master, F_SETFL, O_RDWR | O_NONBLOCK);
	fcntl(program.terminal, F_SETFD, FD_CLOEXEC);
	program.argv = options_program(o);
	status = probes_start(&program, engine, session, e);
	close(program.terminal);
	free((void *)program.argv);
	if (status < 0) {
		close(p->master);
		return status;
	}
	p->pid = probes_pid(*session);
	status = pty_relay_start(&p->relay, p->master, o->prog, p->pid, o->end_program);
	if (status < 0) {
		probes_failed(e, status, "cannot read the program's output");
		probes_close(*session);
		close(p->master);
		return status;
	}
	p->ends = o->end_program;
	p->used = true;
	return 0;
}

void program_done(struct program *p)
{
	if (!p->used)
		return;
	close(p->master);
	close(p->relay.channel);
	ring_done(&p->output);
	p->used = false;
}

void program_resize(struct program *p, int rows, int columns)
{
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};

	if (p->used && rows > 0 && columns > 0)
		ioctl(p->master, TIOCSWINSZ, &size);
}

bool program_type(const struct program *p, char byte)
{
	return p->used && write(p->master, &byte, 1) == 1;
}

bool program_read(struct program *p)
{
	char bytes[65536];
	bool any = false;

	/* At most 1 MiB per call, so that keys and signals are not starved. */
	for (int i = 0; p->used && !p->output_ended && i < 16; i++) {
		ssize_t n = read(p->relay.channel, bytes, sizeof bytes);

		if (n < 0)
			return any;
		if (n == 0)
			p->output_ended = true;
		ring_feed(&p->output, bytes, (size_t)n);
		any = true;
	}
	return any;
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
		snprintf(out, size, "was ended by signal %d (%s)%s", WTERMSIG(p->status),
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
