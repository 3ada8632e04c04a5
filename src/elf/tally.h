/*
 * Counts distinct probes without keeping them: a set of hashes of their names. Two names with the
 * same hash count as one, which is accurate enough for display.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TALLY_MOST ((size_t)1 << 19) /* entries; they need 8 MiB */

struct tally {
	uint64_t *table; /* open addressing; 0: free */
	size_t size;     /* a power of two */
	size_t count;
	uint64_t secret; /* seeds the hashes */
	bool more;       /* there are more than TALLY_MOST */
	bool semaphores; /* some have one */
};

/* An all-zero tally is empty. False when there is no memory. */
bool tally_add(struct tally *t, const char *provider, const char *name);
void tally_done(struct tally *t);
