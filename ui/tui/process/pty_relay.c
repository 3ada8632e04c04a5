/*
 * The keeper of a started program's terminal. After the fork it uses nothing
 * of the screen: no curses, no sessions, no terminal.
 */
#include "ui/tui/process/pty_relay.h"

#include "ui/tui/terminal/text.h"

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
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PTY_RELAY_PATIENCE_MS 3000 /* between SIGTERM and SIGKILL */
#define PTY_RELAY_BUFFER (1 << 20) /* kept while the screen does not read */

/* Read from the program, and not taken by anybody yet: a ring. */
struct pty_relay_store {
	char bytes[PTY_RELAY_BUFFER];
	size_t first, count;
};

static void pty_relay_push(struct pty_relay_store *s, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		s->bytes[(s->first + s->count) % PTY_RELAY_BUFFER] = bytes[i];
		if (s->count < PTY_RELAY_BUFFER)
			s->count++;
		else
			s->first = (s->first + 1) % PTY_RELAY_BUFFER;
	}
}

/* Write what can be written now. False: nobody reads any more. */
static bool pty_relay_give(struct pty_relay_store *s, int fd)
{
	while (s->count) {
		size_t run = PTY_RELAY_BUFFER - s->first;
		ssize_t n = write(fd, s->bytes + s->first, s->count < run ? s->count : run);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		s->first = (s->first + (size_t)n) % PTY_RELAY_BUFFER;
		s->count -= (size_t)n;
	}
	return true;
}

/* False: the program's terminal is closed. */
static bool pty_relay_take(struct pty_relay_store *s, int master)
{
	char bytes[16384];
	ssize_t n = read(master, bytes, sizeof bytes);

	if (n > 0)
		pty_relay_push(s, bytes, (size_t)n);
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* The screen is gone: on to the file; where that fails the output is forgotten, but read. */
static int pty_relay_open(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : open("/dev/null", O_WRONLY | O_CLOEXEC);
}

/* The program that the keeper serves, and how. */
struct pty_relay_work {
	int master, channel, pidfd;
	pid_t pid; /* of the program */
	bool ends; /* with the screen */
	const char *path;
};

/* Has the program itself ended? Its children may go on. */
static bool pty_relay_ended(const struct pty_relay_work *w)
{
	struct pollfd p = {.fd = w->pidfd, .events = POLLIN};

	return poll(&p, 1, 0) != 0;
}

static int64_t pty_relay_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/*
 * End the program. It leads a session, so its pid is also the id of its process group. Its output
 * is read until it ends: a full pty would block it.
 */
static void pty_relay_end(const struct pty_relay_work *w)
{
	int64_t until = pty_relay_now_ms() + PTY_RELAY_PATIENCE_MS;
	int master = w->master;
	char forgotten[4096];

	if (!pty_relay_ended(w)) {
		kill(-w->pid, SIGTERM);
		kill(-w->pid, SIGCONT); /* a stopped one could not end */
	}
	for (int64_t left; !pty_relay_ended(w) && (left = until - pty_relay_now_ms()) > 0;) {
		struct pollfd fds[] = {
			{.fd = w->pidfd, .events = POLLIN}, {.fd = master, .events = POLLIN}};
		ssize_t n;

		poll(fds, 2, (int)left);
		if (!fds[1].revents)
			continue;
		n = read(master, forgotten, sizeof forgotten);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			master = -1; /* it has closed its terminal, and may still run */
	}
	if (!pty_relay_ended(w))
		kill(-w->pid, SIGKILL);
}

static void pty_relay_run(const struct pty_relay_work *w)
{
	static struct pty_relay_store store;
	bool screen = true, program = true;
	int out = w->channel;

	while (program || (screen && store.count)) {
		struct pollfd fds[] = {
			{.fd = program ? w->master : -1, .events = POLLIN},
			{.fd = screen ? w->channel : -1, .events = store.count ? POLLOUT : 0},
		};

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			program = pty_relay_take(&store, w->master);
		if (screen && (fds[1].revents & (POLLHUP | POLLERR)))
			screen = false;
		if (!screen && w->ends) {
			pty_relay_end(w);
			break;
		}
		if (!screen && out == w->channel && (program || store.count))
			out = pty_relay_open(w->path);
		if ((screen || out != w->channel) && !pty_relay_give(&store, out)) {
			if (!screen)
				store.count = 0; /* the disk is full: read on, and forget */
			screen = false;
		}
	}
	_exit(0);
}

/* Detach from the screen; keep only these three descriptors. */
static void pty_relay_detach(struct pty_relay_work *w)
{
	int *const kept[] = {&w->master, &w->channel, &w->pidfd};
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	setsid();
	sigemptyset(&none);
	for (int s = 1; s < SIGRTMIN; s++)
		signal(s, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, "probes-keeper");
	/* Move them above 5 first: dup2 to 3..5 must not close one of them. */
	for (int i = 0; i < 3; i++)
		*kept[i] = fcntl(*kept[i], F_DUPFD, 6);
	for (int i = 0; i < 3; i++) {
		dup2(null, i);
		*kept[i] = dup2(*kept[i], 3 + i);
	}
	if (syscall(SYS_close_range, 6, ~0U, 0) < 0) /* Linux before 5.9 */
		for (int fd = 6; fd < 4096; fd++)
			close(fd);
	if (chdir("/") < 0)
		return;
}

/* A directory of ours, with those above it where they lack. */
static bool pty_relay_directory(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	return (mkdir(path, 0700) == 0 || errno == EEXIST) && access(path, W_OK) == 0;
}

/* $XDG_STATE_HOME/probes-tui, ~/.local/state/probes-tui or /tmp, and a name nobody can guess. */
static void pty_relay_path(char *path, size_t size, const char *program)
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
	if (!directory[0] || !pty_relay_directory(directory))
		strcpy(directory, "/tmp");
	snprintf(path, size, "%s/output-%.80s-%08x.log", directory, text_base(program), number);
}

int pty_relay_start(struct pty_relay *k, int master, const char *program, pid_t pid, bool ends)
{
	struct pty_relay_work w = {.master = master, .pid = pid, .ends = ends, .path = k->path};
	int channels[2], status = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, channels) < 0)
		return -errno;
	w.channel = channels[1];
	pty_relay_path(k->path, sizeof k->path, program);
	w.pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	k->pid = w.pidfd < 0 ? -1 : fork();
	if (k->pid == 0) {
		pty_relay_detach(&w);
		pty_relay_run(&w);
	}
	if (k->pid < 0)
		status = -errno;
	close(w.channel);
	if (w.pidfd >= 0)
		close(w.pidfd);
	k->channel = channels[0];
	if (status < 0)
		close(k->channel);
	return status;
}
