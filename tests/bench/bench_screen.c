/*
 * Measuring the screen from outside, as a terminal sees it: the time until it
 * is complete, what it costs when nothing happens, and how long after a key the
 * last byte of its frame arrives.
 */
#include "bench.h"

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCREEN_TAIL 65536

struct screen {
	pid_t pid;
	int fd;
	char seen[SCREEN_TAIL]; /* the first bytes that came */
	size_t count;           /* of all that came */
};

/* Take what comes until nothing has come for `quiet` ms. Returns when the last byte came, or 0. */
static uint64_t screen_drain(struct screen *s, int quiet)
{
	struct pollfd p = {.fd = s->fd, .events = POLLIN};
	uint64_t last = 0;
	char buffer[65536];

	while (poll(&p, 1, quiet) > 0) {
		ssize_t n = read(s->fd, buffer, sizeof buffer);

		if (n <= 0)
			bench_die("screen", "it ended");
		last = bench_now();
		for (ssize_t i = 0; i < n; i++, s->count++)
			if (s->count < SCREEN_TAIL - 1)
				s->seen[s->count] = buffer[i];
	}
	return last;
}

/* CPU time in ns, of its one thread: /proc/PID/schedstat, proc_pid_schedstat(5). */
static uint64_t screen_cpu(const struct screen *s)
{
	unsigned long long ns = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/schedstat", s->pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%llu", &ns) != 1)
		bench_die(path, "cannot be read");
	fclose(f);
	return ns;
}

static double screen_memory(const struct screen *s, const char *key)
{
	char path[64], line[256];
	double kib = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", s->pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, key, strlen(key)))
			kib = atof(line + strlen(key));
	if (f)
		fclose(f);
	return kib / 1024;
}

static void screen_start(struct screen *s, char **args, pid_t target)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	uint64_t begin = bench_now(), last = 0;
	char pid[16];

	snprintf(pid, sizeof pid, "%d", target);
	s->pid = forkpty(&s->fd, NULL, NULL, &size);
	if (s->pid == 0) {
		setenv("TERM", "xterm-256color", 1);
		execl(args[0], args[0], "-pid", pid, "-no-syslog", "-refresh", "0.25", NULL);
		_exit(127);
	}
	/* The first frame that shows states is the first one there is. */
	for (int i = 0; i < 100 && !strstr(s->seen, "p000005"); i++)
		last = screen_drain(s, 60);
	if (!strstr(s->seen, "p000005"))
		bench_die("screen", "it shows no probes");
	bench_put("screen-start", args[2], "ours", "ms", (double)(last - begin) / 1e6);
}

static void screen_idle(struct screen *s, char **args)
{
	int seconds = atoi(args[3]);
	uint64_t begin, end, cpu;
	size_t count;

	for (end = bench_now() + 1500000000u; bench_now() < end;)
		screen_drain(s, 100);
	count = s->count;
	cpu = screen_cpu(s);
	begin = bench_now();
	for (end = begin + (uint64_t)seconds * 1000000000u; bench_now() < end;)
		screen_drain(s, 100);
	end = bench_now() - begin;
	bench_put("screen-idle", args[2], "ours", "% of a core",
		(double)(screen_cpu(s) - cpu) * 100 / (double)end);
	bench_put("screen-idle", args[2], "ours", "bytes/s",
		(double)(s->count - count) * 1e9 / (double)end);
	bench_put("screen-memory", args[2], "ours", "MiB", screen_memory(s, "VmRSS:"));
	bench_put("screen-anonymous", args[2], "ours", "MiB", screen_memory(s, "RssAnon:"));
}

/* Type a filter and take it back, a key at a time. */
static void screen_keys(struct screen *s, char **args)
{
	static const char keys[] = "\\p0001\b\b\b\b\b~p.*7$\b\b\b\b\b\bocaml:p -99\b\b\b\b\b\b\b\b"
				   "\b\b\b";

	for (size_t i = 0; keys[i]; i++) {
		char key = keys[i] == '\b' ? '\x7f' : keys[i];
		uint64_t begin = bench_now(), last;

		if (write(s->fd, &key, 1) != 1)
			bench_die("screen", "it takes no keys");
		/* A frame is one write, its pieces follow each other at once. */
		for (last = 0; !last && bench_now() - begin < 2000000000u;)
			last = screen_drain(s, 15);
		if (last)
			bench_put(
				"screen-key", args[2], "ours", "ms", (double)(last - begin) / 1e6);
	}
}

void bench_screen(char **args)
{
	struct screen *s = calloc(1, sizeof *s);
	struct bench_target t;

	if (!s)
		bench_die("memory", "there is none");
	bench_start(&t, args[1], "0", "nap");
	screen_start(s, args, t.pid);
	screen_idle(s, args);
	screen_keys(s, args);
	kill(s->pid, SIGTERM);
	close(s->fd);
	waitpid(s->pid, NULL, 0);
	bench_end(&t);
	free(s);
}
