/*
 * A program that knows how long each of its pairs took: it reads CLOCK_MONOTONIC before and after
 * both probes, so that a tool's figure must lie between two of its own. `run T N`: T threads, N
 * pairs each; `children C N`: processes; `nested N`, `left N` (longjmp over the end), `died N`
 * (threads end with an open start), `ends N`; `keys T N`: T threads start N requests each, others
 * end them; `signal N`: a handler runs pairs inside of pairs and between them. `log FILE` writes a
 * line "INNER OUTER", ns, for each pair of run; `zero` forgets them.
 */
#include "countable.h"
#include "counts.h"
#include "drive.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sdt.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOGGED = 1 << 20, RUN_THREADS = 128, SPINS = 14 };

static struct {
	int64_t inner, outer;
} logged[LOGGED];
static atomic_uint logged_count;
static jmp_buf back;
static volatile long sum;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

ONCE static void start(long id)
{
	DTRACE_PROBE2(pairs, start, id, (int)id * 3);
	COUNTABLE(1);
	sum += id;
}

ONCE static void end(long id)
{
	DTRACE_PROBE2(pairs, end, id, (int)id * 3);
	COUNTABLE_STOPPED;
	sum -= id;
}

ONCE static void work(long n)
{
	for (long i = 0; i < 1L << n % SPINS; i++)
		sum = sum * 3 + i;
}

static void pairs_round(long n)
{
	unsigned at = atomic_fetch_add(&logged_count, 1) % LOGGED;
	int64_t before = now(), from, to;

	start(n);
	from = now();
	work(n);
	to = now();
	end(n);
	logged[at].outer = now() - before;
	logged[at].inner = to - from;
}

ONCE static void nested(int depth)
{
	start(depth);
	if (depth)
		nested(depth - 1);
	end(depth);
}

ONCE static void leave(void)
{
	start(1);
	longjmp(back, 1);
}

static void on_alarm(int sig)
{
	start(sig);
	end(sig);
}

static void *many_rounds(void *rounds)
{
	for (long n = 1; n <= *(long *)rounds; n++)
		pairs_round(n);
	return NULL;
}

static void *die(void *unused)
{
	start(1);
	return unused;
}

static void *start_keys(void *first)
{
	for (long i = 0; i < ((long *)first)[1]; i++)
		start(*(long *)first + i);
	return NULL;
}

static void *end_keys(void *first)
{
	for (long i = 0; i < ((long *)first)[1]; i++)
		end(*(long *)first + i);
	return NULL;
}

static void threads(long count, void *(*run)(void *), void *data, size_t step)
{
	pthread_t all[RUN_THREADS];
	long started = 0;

	while (started < count &&
		!pthread_create(&all[started], NULL, run, (char *)data + (size_t)started * step))
		started++;
	for (long i = 0; i < started; i++)
		pthread_join(all[i], NULL);
}

static void children(long count, long rounds)
{
	for (long i = 0; i < count; i++)
		if (fork() == 0) {
			many_rounds(&rounds);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
}

static void keys(long count, long rounds)
{
	long first[RUN_THREADS][2];

	for (long i = 0; i < count; i++) {
		first[i][0] = 1000 * i;
		first[i][1] = rounds;
	}
	threads(count, start_keys, first, sizeof *first);
	threads(count, end_keys, first, sizeof *first);
}

static void with_signals(long rounds)
{
	struct itimerval often = {{0, 100}, {0, 100}}, never = {0};

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	for (long n = 1; n <= rounds; n++)
		nested(0);
	setitimer(ITIMER_REAL, &never, NULL);
}

static int write_log(const char *path)
{
	unsigned count = logged_count < LOGGED ? logged_count : LOGGED;
	FILE *file = fopen(path, "we");

	for (unsigned i = 0; file && i < count; i++)
		fprintf(file, "%ld %ld\n", (long)logged[i].inner, (long)logged[i].outer);
	return file && fclose(file) == 0;
}

static int pairs_command(const char *line)
{
	long count = 0, rounds = 0;
	char word[32];

	if (!strncmp(line, "log ", 4)) {
		printf("done %d\n", write_log(line + 4));
		return 1;
	}
	if (sscanf(line, "%31s %ld %ld", word, &count, &rounds) < 1 || count > RUN_THREADS)
		return 0;
	if (!strcmp(word, "zero"))
		logged_count = 0;
	else if (!strcmp(word, "run"))
		threads(count, many_rounds, &rounds, 0);
	else if (!strcmp(word, "children"))
		children(count, rounds);
	else if (!strcmp(word, "keys"))
		keys(count, rounds);
	else if (!strcmp(word, "nested"))
		nested((int)count);
	else if (!strcmp(word, "signal"))
		with_signals(count * 1000);
	else if (!strcmp(word, "died"))
		for (long i = 0; i < count; i++)
			threads(1, die, NULL, 0);
	else if (!strcmp(word, "ends"))
		for (long i = 0; i < count; i++)
			end(i);
	else if (!strcmp(word, "left"))
		for (volatile long i = 0; i < count; i++) {
			if (!setjmp(back))
				leave();
		}
	else
		return 0;
	printf("done %s\n", word);
	return 1;
}

static void pairs_report(void)
{
	printf("logged=%u\n", logged_count);
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {
		.round = pairs_round, .report = pairs_report, .command = pairs_command};

	return drive(argc, argv, &ops);
}
