/*
 * A program that knows exactly how often each of its sys/sdt.h probes was hit: the report is to be
 * compared with what a counting tool says. `run T N` lets T threads make N rounds each and waits
 * for them; `zero` forgets.
 */
#include "counts.h"
#include "countable.h"
#include "drive.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/sdt.h>

enum { RECORDS = 512, LOOP_HITS = 8, RUN_THREADS = 128 };

static const char *const names[NAMES] = {"plain", "many", "loop", "never", "guarded"};

static struct counted records[RECORDS];
static atomic_uint record_count;
static _Thread_local struct counted *mine;

ONCE static void pass_plain(long n, struct counted *c)
{
	DTRACE_PROBE1(counts, plain, n);
	COUNTABLE(1);
	c->hits[PLAIN]++;
}

/* Four sites with different instructions behind them: the layout decides how many can be counted.
 */
ONCE static long pass_many(long n, struct counted *c)
{
	long sum = n;

	DTRACE_PROBE1(counts, many, n);
	sum += (long)c->hits[MANY] & 1;
	DTRACE_PROBE2(counts, many, n, sum);
	if (sum & 4)
		sum *= 3;
	DTRACE_PROBE1(counts, many, sum);
	/* An instruction between the sites, whatever the compiler makes of the rest. */
	__asm__ volatile("xorq %1, %0" : "+r"(sum) : "r"(n));
	DTRACE_PROBE(counts, many);
	c->hits[MANY] += 4;
	return sum;
}

ONCE static void pass_loop(struct counted *c)
{
	for (int i = 0; i < LOOP_HITS; i++) {
		/* One site: a compiler that does not know i cannot unroll the loop. */
		__asm__ volatile("" : "+r"(i));
		DTRACE_PROBE1(counts, loop, i);
		COUNTABLE_STOPPED;
		c->hits[LOOP]++;
	}
}

ONCE static void pass_never(long n, struct counted *c)
{
	DTRACE_PROBE1(counts, never, n);
	COUNTABLE(2);
	c->hits[NEVER]++;
}

static void counts_round(long n)
{
	/* A record is free again when its thread has ended: threads of a run follow each other. */
	if (!mine)
		mine = &records[atomic_fetch_add(&record_count, 1) % RECORDS];
	pass_plain(n, mine);
	if (pass_many(n, mine) < 0)
		pass_never(n, mine);
	pass_loop(mine);
	pass_guarded(n, mine);
}

static void counts_report(void)
{
	for (int i = 0; i < NAMES; i++) {
		unsigned long sum = 0;

		for (int k = 0; k < RECORDS; k++)
			sum += records[k].hits[i];
		printf("%s hits=%lu\n", names[i], sum);
	}
	printf("semaphore=%u\n", guarded_semaphore());
}

static void *counts_thread(void *rounds)
{
	for (long n = 1; n <= *(long *)rounds; n++)
		counts_round(n);
	return NULL;
}

static int counts_command(const char *line)
{
	pthread_t threads[RUN_THREADS];
	long count, rounds, started = 0;

	if (!strcmp(line, "zero")) {
		memset(records, 0, sizeof records);
		printf("done zero\n");
		return 1;
	}
	if (sscanf(line, "run %ld %ld", &count, &rounds) != 2 || count > RUN_THREADS)
		return 0;
	while (started < count && !pthread_create(&threads[started], NULL, counts_thread, &rounds))
		started++;
	for (long i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	counts_report();
	printf("done %ld\n", started);
	return 1;
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {
		.round = counts_round, .report = counts_report, .command = counts_command};

	return drive(argc, argv, &ops);
}
