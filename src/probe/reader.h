/*
 * The live bytes of sites and the counts of semaphores, fetched in few calls:
 * a reader is laid out once for a set of probes and can be run again and again.
 */
#ifndef PROBE_READER_H
#define PROBE_READER_H

#include "base/spans.h"
#include "probe/catalog.h"
#include "process/memory.h"

/* What one look fetches. */
struct reader_piece {
	struct spans spans;
	size_t offset; /* of its first byte among those of all pieces */
};

struct reader {
	struct array items;    /* struct reader_item */
	struct array runs;     /* struct reader_run: which object they are of */
	struct array pieces;   /* struct reader_piece */
	size_t total;          /* bytes of all pieces */
	unsigned char *bytes;  /* of one piece, as it is now */
	unsigned char *before; /* of all, as of the last run */
	uint64_t marked_until; /* `shared` of the spans is valid until then: CLOCK_MONOTONIC, ns */
	bool fresh;            /* nothing to compare with yet */
	bool everything;       /* of the last run: any value may have changed */
	bool differs;          /* some value was another than the objects had */
	struct array touched;  /* unless `everything`: size_t, the probes of which a value has; some
				  twice */
};

/* Lay out for the probes named by index; which = NULL: all. False: no memory. */
bool reader_init(struct reader *r, const struct catalog *c, const size_t *which, size_t count);
void reader_done(struct reader *r);

/*
 * Fetch, and store the values in the objects. *changed is false where nothing is different from
 * the last run; else `everything` and `touched` say what. 0 or a negative errno where nothing at
 * all may be read.
 */
int reader_fetch(struct reader *r, const struct catalog *c, struct memory *m, bool *changed);

#endif
