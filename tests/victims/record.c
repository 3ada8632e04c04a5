/*
 * The state behind record.h: the log of pair events, and the counters of the self-check. It prints
 * to stdout, and only when asked, from the thread that drives the victim.
 */
#include "record.h"

#include <stdio.h>

enum { EVENTS_MAX = 4096 };

static atomic_uchar events[EVENTS_MAX];
static atomic_ulong events_count;

static atomic_ulong starts, ends, lost_ends, corrupt;

/* A start of this thread was recorded and its end not yet. */
static _Thread_local int open_start;

static void event_add(unsigned char kind)
{
	unsigned long at = atomic_fetch_add(&events_count, 1);

	if (at < EVENTS_MAX)
		atomic_store(&events[at], kind);
}

void record_print(const char *prefix, struct record *const *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		printf("%s%s hits=%lu sum=%ld\n", prefix, records[i]->name,
			atomic_load(&records[i]->hits), atomic_load(&records[i]->sum));
}

void record_start(void)
{
	atomic_fetch_add(&starts, 1);
	open_start = 1;
	event_add('s');
}

void record_end(void)
{
	atomic_fetch_add(&ends, 1);
	open_start = 0;
	event_add('e');
}

void record_activity_over(void)
{
	if (open_start)
		atomic_fetch_add(&lost_ends, 1);
	open_start = 0;
}

void record_corrupt(int bad)
{
	if (bad)
		atomic_fetch_add(&corrupt, 1);
}

void record_print_events(void)
{
	unsigned long count = atomic_exchange(&events_count, 0);
	unsigned long shown = count < EVENTS_MAX ? count : EVENTS_MAX;

	printf("events:");
	for (unsigned long i = 0; i < shown; i++)
		printf(" %s", atomic_load(&events[i]) == 's' ? "start" : "end");
	if (count > shown)
		printf(" (+%lu more)", count - shown);
	printf("\n");
}

void record_print_check(void)
{
	printf("check starts=%lu ends=%lu lost_ends=%lu corrupt=%lu\n", atomic_load(&starts),
		atomic_load(&ends), atomic_load(&lost_ends), atomic_load(&corrupt));
}
