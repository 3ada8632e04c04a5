/* After the fork the relay uses no part of the screen: no curses, no sessions, no terminal. */
#include "ui/tui/process/pty_relay.h"

#include "ui/options/config.h"
#include "ui/options/options.h"
#include "ui/words/now.h"
#include "ui/words/probe_name.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
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

#define PTY_RELAY_GRACE_MS 3000    /* between SIGTERM and SIGKILL */
#define PTY_RELAY_BUFFER (1 << 20) /* output kept while the screen does not read */

/* The relay's side of struct pty_relay. */
struct pty_relay_job {
	int master, channel, pidfd;
	pid_t pid; /* of the program */
	bool ends; /* with the screen */
	const char *path;
};

/* Output that was read from the program and not written yet: a ring. */
struct pty_relay_buffer {
	char bytes[PTY_RELAY_BUFFER];
	size_t first, count;
};

/* Has the program itself ended? Its children may still run. */
static bool pty_relay_ended(const struct pty_relay_job *job)
{
	struct pollfd p = {.fd = job->pidfd, .events = POLLIN};

	return poll(&p, 1, 0) != 0;
}

/* Read once; a full buffer drops its oldest bytes. False: the program's terminal is closed. */
static bool pty_relay_read(struct pty_relay_buffer *b, int master)
{
	size_t end = (b->first + b->count) % PTY_RELAY_BUFFER, room = PTY_RELAY_BUFFER - end;
	ssize_t n = read(master, b->bytes + end, room < 16384 ? room : 16384);

	if (n > 0)
		b->count += (size_t)n;
	if (b->count > PTY_RELAY_BUFFER) {
		b->first = (b->first + b->count) % PTY_RELAY_BUFFER;
		b->count = PTY_RELAY_BUFFER;
	}
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/*
 * End the program: SIGTERM, then SIGKILL. The program leads its session, so its pid is also its
 * process group. Its output is read until it ends: a full pty would block it.
 */
static void pty_relay_end(const struct pty_relay_job *job, struct pty_relay_buffer *b)
{
	int64_t deadline = now_ms() + PTY_RELAY_GRACE_MS, wait;
	struct pollfd fds[] = {
		{.fd = job->pidfd, .events = POLLIN}, {.fd = job->master, .events = POLLIN}};

	if (!pty_relay_ended(job)) {
		kill(-job->pid, SIGTERM);
		kill(-job->pid, SIGCONT); /* a stopped process does not see SIGTERM */
	}
	while (!pty_relay_ended(job) && (wait = deadline - now_ms()) > 0) {
		poll(fds, 2, (int)wait);
		if (fds[1].revents && !pty_relay_read(b, job->master))
			fds[1].fd = -1; /* the program closed its terminal, and may still run */
	}
	if (!pty_relay_ended(job))
		kill(-job->pid, SIGKILL);
}

static void pty_relay_run(const struct pty_relay_job *job)
{
	static struct pty_relay_buffer b;
	bool screen = true, program = true; /* alive */
	int out = job->channel;

	while (program || (screen && b.count)) {
		struct pollfd fds[] = {
			{.fd = program ? job->master : -1, .events = POLLIN},
			{.fd = screen ? job->channel : -1, .events = b.count ? POLLOUT : 0},
		};

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			program = pty_relay_read(&b, job->master);
		if (screen && (fds[1].revents & (POLLHUP | POLLERR)))
			screen = false;
		if (!screen && job->ends) {
			pty_relay_end(job, &b);
			break;
		}
		if (!screen && out == job->channel && (program || b.count)) {
			out = open(job->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				0600);
			if (out < 0) /* keep reading, or the program would block */
				out = open("/dev/null", O_WRONLY | O_CLOEXEC);
		}
		while (b.count && (screen || out != job->channel)) {
			size_t contiguous = PTY_RELAY_BUFFER - b.first;
			ssize_t n = write(out, b.bytes + b.first,
				b.count < contiguous ? b.count : contiguous);

			if (n > 0) {
				b.first = (b.first + (size_t)n) % PTY_RELAY_BUFFER;
				b.count -= (size_t)n;
			} else if (errno == EAGAIN) {
				break;
			} else if (errno != EINTR) {
				if (!screen)
					b.count = 0; /* the disk is full: discard, keep reading */
				screen = false;
			}
		}
	}
	_exit(0);
}

/* Detach from the screen: own session, default signals, no descriptors but those of the job. */
static void pty_relay_detach(struct pty_relay_job *job)
{
	int *const kept[] = {&job->master, &job->channel, &job->pidfd};
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	setsid();
	sigemptyset(&none);
	for (int s = 1; s < SIGRTMIN; s++)
		signal(s, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, "probes-relay");
	/* Move all above 5 first: dup2 to 3..5 must not close one of them. */
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

int pty_relay_start(struct pty_relay *r, int master, const struct options *o, pid_t pid)
{
	struct pty_relay_job job = {
		.master = master, .pid = pid, .ends = o->end_program, .path = r->path};
	uint32_t number = (uint32_t)getpid();
	int channels[2], status = 0;
	char directory[256];
	bool usable =
		config_path(directory, sizeof directory, "XDG_STATE_HOME", ".local/state", "");

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, channels) < 0)
		return -errno;
	job.channel = channels[1];
	/* The file for the output: its directory is created now; its name cannot be guessed. */
	for (char *end = directory; usable && end; end = strchr(end + 1, '/')) {
		char *slash = strchr(end + 1, '/');

		if (slash)
			*slash = '\0';
		mkdir(directory, 0700);
		if (slash)
			*slash = '/';
	}
	if (!usable || access(directory, W_OK) < 0)
		strcpy(directory, "/tmp");
	if (getrandom(&number, sizeof number, GRND_NONBLOCK) < 0)
		number ^= (uint32_t)time(NULL);
	snprintf(r->path, sizeof r->path, "%s/output-%.80s-%08x.log", directory,
		probe_name_base(o->prog), number);
	job.pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	r->pid = job.pidfd < 0 ? -1 : fork();
	if (r->pid == 0) {
		oom_score_put_back(o->oom_score); /* the program would lose its terminal */
		pty_relay_detach(&job);
		pty_relay_run(&job);
	}
	if (r->pid < 0)
		status = -errno;
	close(job.channel);
	if (job.pidfd >= 0)
		close(job.pidfd);
	r->channel = channels[0];
	if (status < 0)
		close(r->channel);
	return status;
}
