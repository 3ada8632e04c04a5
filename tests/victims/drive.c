/*
 * The driver of all victims but test.exe: options, threads, and the loop over lines from stdin.
 * Only the main thread reads and prints. Threads either hit probes for ever (--loop) or sleep.
 */
#include "drive.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 256 };

struct options {
	int loop;
	long threads;
	long pace_us; /* between two rounds of one thread; 0 = none */
	long steps;   /* do these and exit; 0 = obey stdin */
};

static const struct drive_ops *ops;
static struct options options;
static atomic_int stop;
static atomic_ulong rounds;

static void pause_us(long us)
{
	struct timespec t = {us / 1000000, us % 1000000 * 1000};

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

static void *thread_loop(void *unused)
{
	(void)unused;
	for (long n = 1; !atomic_load(&stop); n++) {
		ops->round(n);
		atomic_fetch_add(&rounds, 1);
		if (options.pace_us)
			pause_us(options.pace_us);
	}
	return NULL;
}

static void *thread_sleep(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

static int option_number(const char *name, const char *text, long *value)
{
	char *end;

	if (!text)
		return fprintf(stderr, "%s: needs a number\n", name), -1;
	errno = 0;
	*value = strtol(text, &end, 10);
	if (errno || end == text || *end || *value < 0)
		return fprintf(stderr, "%s: no number: %s\n", name, text), -1;
	return 0;
}

static int options_read(char **argv)
{
	for (char **arg = argv + 1; *arg; arg++) {
		long *value = NULL;

		if (!strcmp(*arg, "--loop")) {
			options.loop = 1;
			continue;
		}
		if (!strcmp(*arg, "--threads"))
			value = &options.threads;
		else if (!strcmp(*arg, "--pace"))
			value = &options.pace_us;
		else if (!strcmp(*arg, "--steps"))
			value = &options.steps;
		if (!value)
			return fprintf(stderr, "unknown option: %s\n", *arg), -1;
		if (option_number(*arg, arg[1], value) < 0)
			return -1;
		arg++;
	}
	if (options.loop && !options.threads)
		options.threads = 1;
	if (options.threads > THREADS_MAX)
		return fprintf(stderr, "--threads: at most %d\n", THREADS_MAX), -1;
	return 0;
}

static void step(long count)
{
	static long n;

	for (long i = 0; i < count; i++)
		ops->round(++n);
	ops->report();
	if (ops->events)
		ops->events();
	printf("done %ld\n", count);
}

static void report(void)
{
	ops->report();
	printf("rounds=%lu\n", atomic_load(&rounds));
	printf("done report\n");
}

/* Words end at tabs; where there is none, at blanks: a path may hold blanks. */
static const char *separator(const char *words)
{
	return strchr(words, '\t') ? "\t" : " ";
}

/*
 * "fork IN OUT": a child that is driven by these two fifos. It says `ready PID` there; threads do
 * not come along.
 */
static void fork_child(char *names)
{
	const char *between = separator(names);
	char *in = strtok(names, between), *out = strtok(NULL, between);
	pid_t child = in && out ? fork() : -1;

	if (child == 0) {
		if (!freopen(in, "r", stdin) || !freopen(out, "w", stdout))
			_exit(1);
		printf("ready %ld\n", (long)getpid());
	} else {
		printf(child < 0 ? "failed to fork\n" : "done forked %ld\n", (long)child);
	}
}

/* "vfork FIFO": a child in our own memory, until the fifo has been opened and closed. */
static void vfork_child(const char *fifo)
{
	pid_t child = vfork();
	char byte;

	if (child == 0) {
		int fd = open(fifo, O_RDONLY);

		while (fd >= 0 && read(fd, &byte, 1) > 0)
			;
		_exit(0);
	}
	printf(child < 0 ? "failed to fork\n" : "done forked %ld\n", (long)child);
}

/* Become another program, with these words; comes back where that fails. */
static void become(char *words)
{
	const char *between = separator(words);
	char *argv[16] = {NULL};

	for (size_t n = 0; n < 15 && (argv[n] = strtok(n ? NULL : words, between)); n++)
		;
	if (argv[0])
		execv(argv[0], argv);
	printf("failed %s\n", strerror(errno));
}

/* 0 when the line ends the program. */
static int obey(char *line)
{
	char names[4096];

	if (!strcmp(line, "quit"))
		return 0;
	if (!strcmp(line, "report"))
		report();
	else if (!strcmp(line, "step"))
		step(1);
	else if (!strncmp(line, "step ", 5))
		step(strtol(line + 5, NULL, 10));
	else if (!strncmp(line, "fork ", 5))
		fork_child(strcpy(names, line + 5));
	else if (!strncmp(line, "vfork ", 6))
		vfork_child(line + 6);
	else if (!strcmp(line, "undumpable"))
		printf("done %d\n", prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
	else if (!strcmp(line, "dumpable"))
		printf("done %d\n", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
	else if (!strncmp(line, "exec ", 5))
		become(line + 5);
	else if (!ops->command || !ops->command(line))
		printf("unknown %s\n", line);
	fflush(stdout);
	return 1;
}

static void obey_stdin(void)
{
	char line[4096];

	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = 0;
		if (!obey(line))
			return;
	}
}

int drive(int argc, char **argv, const struct drive_ops *given)
{
	pthread_t threads[THREADS_MAX];

	(void)argc;
	ops = given;
	if (options_read(argv) < 0)
		return 2;
	for (long i = 0; i < options.threads; i++)
		if (pthread_create(
			    &threads[i], NULL, options.loop ? thread_loop : thread_sleep, NULL)) {
			fprintf(stderr, "cannot start thread %ld\n", i);
			return 1;
		}
	printf("ready %ld\n", (long)getpid());
	fflush(stdout);
	if (options.steps)
		step(options.steps);
	else
		obey_stdin();
	atomic_store(&stop, 1);
	/* The sleeping ones never end: exit takes them along. */
	for (long i = 0; options.loop && i < options.threads; i++)
		pthread_join(threads[i], NULL);
	fflush(stdout);
	return 0;
}
