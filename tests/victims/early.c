/*
 * Hits its probes before main already, in a constructor, and says how often: no hit is before the
 * first that a tool can count. With an argument it waits for a line, or for the end of its input.
 */
#include "countable.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/sdt.h>

enum { FIRST_HITS = 100, THREAD_HITS = 10000, THREADS = 4 };

#define ONCE __attribute__((noinline, used))

static atomic_ulong first_hits, later_hits;

ONCE static void pass_first(long n)
{
	DTRACE_PROBE1(early, first, n);
	COUNTABLE(1);
	atomic_fetch_add(&first_hits, 1);
}

ONCE static void pass_later(long n)
{
	DTRACE_PROBE1(early, later, n);
	COUNTABLE(2);
	atomic_fetch_add(&later_hits, 1);
}

__attribute__((constructor)) static void begin(void)
{
	for (long i = 0; i < FIRST_HITS; i++)
		pass_first(i);
}

static void *work(void *unused)
{
	for (long i = 0; i < THREAD_HITS; i++)
		pass_later(i);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	(void)argv;
	pass_first(FIRST_HITS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("first hits=%lu\nlater hits=%lu\n", atomic_load(&first_hits),
		atomic_load(&later_hits));
	fflush(stdout);
	if (argc > 1)
		getchar();
	return 0;
}
