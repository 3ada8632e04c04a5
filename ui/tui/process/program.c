/*
 * The program that was started under the screen.
 */
#include "ui/tui/process/program.h"

#include "ui/limits.h"
#include "ui/tui/terminal/mem.h"

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

static char **program_argv(const char *file, char *const *args)
{
	size_t n = 0;
	char **argv;

	while (args && args[n])
		n++;
	argv = mem_array(n + 2, sizeof *argv);
	argv[0] = (char *)file;
	for (size_t i = 0; i < n; i++)
		argv[i + 1] = args[i];
	return argv;
}

int program_start(struct program *p, const char *file, char *const *args,
	const struct probes_options *options, bool ends, struct probes_session **session,
	struct probes_error *e)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	struct probes_program program = {.file = file, .files = limits_given()};
	char **argv = program_argv(file, args);
	int slave, status;

	memset(p, 0, sizeof *p);
	status = openpty(&p->master, &slave, NULL, NULL, &size);
	if (status < 0) {
		free(argv);
		return probes_failed(e, -errno, "cannot make a terminal for the program");
	}
	fcntl(p->master, F_SETFD, FD_CLOEXEC);
	fcntl(p->master, F_SETFL, O_RDWR | O_NONBLOCK);
	fcntl(slave, F_SETFD, FD_CLOEXEC);
	program.argv = argv;
	program.terminal = slave;
	status = probes_start(&program, options, session, e);
	close(slave);
	free(argv);
	if (status < 0) {
		close(p->master);
		return status;
	}
	p->pid = probes_pid(*session);
	p->used = true;
	p->ends = ends;
	status = pty_relay_start(&p->keeper, p->master, file, p->pid, ends);
	if (status < 0) {
		probes_failed(e, status, "cannot read the program's output");
		probes_close(*session);
		close(p->master);
		p->used = false;
	}
	return status;
}

void program_done(struct program *p)
{
	if (!p->used)
		return;
	close(p->master);
	close(p->keeper.channel);
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

	for (int i = 0; p->used && !p->output_ended && i < 16; i++) { /* then others are heard */
		ssize_t n = read(p->keeper.channel, bytes, sizeof bytes);

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
	waitpid(p->keeper.pid, NULL, WNOHANG);
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
