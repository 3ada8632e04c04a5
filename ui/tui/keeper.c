/*
 * The keeper of a started program's terminal. After the fork it uses nothing
 * of the screen: no curses, no sessions, no terminal.
 */
#include "ui/tui/keeper.h"

#include "ui/tui/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define KEEPER_BUFFER (1 << 20) /* kept while the screen does not read */

/* Read from the program, and not taken by anybody yet: a ring. */
struct keeper_store {
	char bytes[KEEPER_BUFFER];
	size_t first, count;
};

static void keeper_push(struct keeper_store *s, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		s->bytes[(s->first + s->count) % KEEPER_BUFFER] = bytes[i];
		if (s->count < KEEPER_BUFFER)
			s->count++;
		else
			s->first = (s->first + 1) % KEEPER_BUFFER;
	}
}

/* Write what can be written now. False: nobody reads any more. */
static bool keeper_give(struct keeper_store *s, int fd)
{
	while (s->count) {
		size_t run = KEEPER_BUFFER - s->first;
		ssize_t n = write(fd, s->bytes + s->first, s->count < run ? s->count : run);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		s->first = (s->first + (size_t)n) % KEEPER_BUFFER;
		s->count -= (size_t)n;
	}
	return true;
}

/* False: the program's terminal is closed. */
static bool keeper_take(struct keeper_store *s, int master)
{
	char bytes[16384];
	ssize_t n = read(master, bytes, sizeof bytes);

	if (n > 0)
		keeper_push(s, bytes, (size_t)n);
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* The screen is gone: on to the file; where that fails the output is forgotten, but read. */
static int keeper_open(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : open("/dev/null", O_WRONLY | O_CLOEXEC);
}

static void keeper_run(int master, int channel, const char *path)
{
	static struct keeper_store store;
	bool screen = true, program = true;
	int out = channel;

	while (program || (screen && store.count)) {
		struct pollfd fds[] = {
			{.fd = program ? master : -1, .events = POLLIN},
			{.fd = screen ? channel : -1, .events = store.count ? POLLOUT : 0},
		};

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			program = keeper_take(&store, master);
		if (screen && (fds[1].revents & (POLLHUP | POLLERR)))
			screen = false;
		if (!screen && out == channel && (program || store.count))
			out = keeper_open(path);
		if ((screen || out != channel) && !keeper_give(&store, out)) {
			if (!screen)
				store.count = 0; /* the disk is full: read on, and forget */
			screen = false;
		}
	}
	_exit(0);
}

static void keeper_detach(int master, int channel)
{
	sigset_t none;
	int null = open("/dev/null", O_RDWR);

	setsid();
	sigemptyset(&none);
	for (int s = 1; s < SIGRTMIN; s++)
		signal(s, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, "probes-keeper");
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	for (int fd = 3; fd < 4096; fd++) {
		if (fd != master && fd != channel)
			close(fd);
	}
	if (chdir("/") < 0)
		return;
}

/* A directory of ours, with those above it where they lack. */
static bool keeper_directory(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	return (mkdir(path, 0700) == 0 || errno == EEXIST) && access(path, W_OK) == 0;
}

/* $XDG_STATE_HOME/probes-tui, ~/.local/state/probes-tui or /tmp, and a name nobody can guess. */
static void keeper_path(char *path, size_t size, const char *program)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char directory[256] = "";
	uint32_t number = (uint32_t)getpid();

	if (getrandom(&number, sizeof number, GRND_NONBLOCK) < 0)
		number ^= (uint32_t)time(NULL);
	if (state && state[0] == '/')
		snprintf(directory, sizeof directory, "%s/probes-tui", state);
	else if (home && home[0] == '/')
		snprintf(directory, sizeof directory, "%s/.local/state/probes-tui", home);
	if (!directory[0] || !keeper_directory(directory))
		strcpy(directory, "/tmp");
	snprintf(path, size, "%s/output-%.80s-%08x.log", directory, text_base(program), number);
}

int keeper_start(struct keeper *k, int master, const char *program)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
		return -errno;
	keeper_path(k->path, sizeof k->path, program);
	k->pid = fork();
	if (k->pid == 0) {
		keeper_detach(master, ends[1]);
		keeper_run(master, ends[1], k->path);
	}
	close(ends[1]);
	k->channel = ends[0];
	if (k->pid < 0)
		close(ends[0]);
	return k->pid < 0 ? -errno : 0;
}
