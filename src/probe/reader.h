/*
 * Reads the live bytes of sites and the counts of semaphores in few system calls. A reader is laid
 * out once for a set of probes, and run at each refresh.
 */
#pragma once

#include "base/spans.h"
#include "probe/catalog.h"
#include "process/memory.h"

/* One read. */
struct reader_piece {
	struct spans spans;
	size_t offset; /* of its first byte among those of all pieces */
};

struct reader {
	struct array items;    /* struct reader_item */
	struct array runs;     /* struct reader_run: the objects of the items */
	struct array pieces;   /* struct reader_piece */
	size_t total;          /* bytes of all pieces */
	unsigned char *bytes;  /* of one piece, as just read */
	unsigned char *before; /* of all pieces, as of the last run */
	uint64_t marked_until; /* `shared` of the spans is valid until then: CLOCK_MONOTONIC, ns */
	bool baseline_valid;   /* the next run can be compared with `before` */
	bool everything;       /* result of the last run: any value may have changed */
	bool differs;          /* result: a value differs from the one that its object had */
	struct array touched;  /* result, unless `everything`: size_t, the probes with a changed
				  value, some twice */
};

/* Lay out for the probes `which` (indices), or for all (NULL). False: no memory. */
bool reader_init(struct reader *r, const struct catalog *c, const size_t *which, size_t count);
void reader_done(struct reader *r);

/*
 * Read, and store the values in the objects. *changed: some bytes differ from the last run;
 * `everything` and `touched` say which. 0, or a negative errno if nothing at all may be read.
 */
int reader_fetch(struct reader *r, const struct catalog *c, struct memory *m, bool *changed);
