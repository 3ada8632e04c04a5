/*
 * What the two units of the counts victim share: each thread counts its own hits in a record, and
 * the records are summed while no thread runs.
 */
#ifndef VICTIM_COUNTS_H
#define VICTIM_COUNTS_H

#define ONCE __attribute__((noinline, used))

enum { PLAIN, MANY, LOOP, NEVER, GUARDED, NAMES };

struct counted {
	_Alignas(64) unsigned long hits[NAMES];
};

/* The second unit: two sites that are passed only while their semaphore is raised. */
void pass_guarded(long n, struct counted *c);
unsigned guarded_semaphore(void);

#endif
