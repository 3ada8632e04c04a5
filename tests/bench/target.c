/*
 * The program that is measured: many probes (generate.sh), and threads that
 * either sleep, or pass some of the probes for ever and record the longest time
 * between two passes: the gap that they noticed.
 *
 *	target THREADS spin|nap
 *
 * Prints "ready". Then each byte on stdin is answered by a line: r resets the
 * gaps ("ok"), g says the longest of all threads since, in ns. Its end ends us.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 1024 };

void bench_some(void);
void bench_round(void);

static struct gap {
	_Atomic uint64_t longest;
	char apart[56]; /* a cache line each */
} gaps[THREADS_MAX];

static atomic_uint epoch;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *thread_spin(void *data)
{
	struct gap *g = data;
	uint64_t last = now(), longest = 0;
	unsigned seen = 0;

	for (;;) {
		uint64_t at;

		bench_some();
		at = now();
		if (seen != atomic_load_explicit(&epoch, memory_order_relaxed)) {
			seen = atomic_load_explicit(&epoch, memory_order_relaxed);
			longest = 0;
		} else if (at - last > longest) {
			longest = at - last;
		}
		atomic_store_explicit(&g->longest, longest, memory_order_relaxed);
		last = at;
	}
	return NULL;
}

static void *thread_nap(void *data)
{
	(void)data;
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? atol(argv[1]) : 0;
	int spin = argc > 2 && !strcmp(argv[2], "spin"), command;

	if (threads < 0 || threads > THREADS_MAX)
		return 2;
	bench_round();
	for (long i = 0; i < threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, spin ? thread_spin : thread_nap, &gaps[i]))
			return 1;
	}
	puts("ready");
	fflush(stdout);
	while ((command = getchar()) != EOF) {
		uint64_t longest = 0;

		if (command == 'r') {
			atomic_fetch_add(&epoch, 1);
			puts("ok");
		} else {
			for (long i = 0; i < threads; i++)
				if (gaps[i].longest > longest)
					longest = gaps[i].longest;
			printf("%llu\n", (unsigned long long)longest);
		}
		fflush(stdout);
	}
	_exit(0);
}
