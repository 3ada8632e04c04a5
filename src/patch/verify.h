/*
 * Comparing a process with a plan, immediately before each batch of edits is written, and after:
 * one read each. Everything is laid out in advance, so that nothing is allocated or looked up while
 * a process is stopped.
 *
 * An edit is compared with its `old` bytes; besides, the code at its guard (struct plan_check) must
 * still be mapped there. A semaphore must also keep the part of its count that uprobes may hold.
 */
#pragma once

#include "base/spans.h"
#include "patch/plan.h"
#include "process/memory.h"

#define VERIFY_BATCH 1024       /* edits at most between two readings */
#define VERIFY_BATCH_SHARED 256 /* where the kernel counts as well, at any moment */

struct verify_batch {
	size_t first, count; /* edits of the plan */
	struct spans spans;  /* of its reading */
};

struct verify {
	const struct plan *plan;
	struct array batches;    /* struct verify_batch */
	uint32_t *own, *guard;   /* per edit: offsets in the reading of its batch */
	uint32_t *refcount_site; /* likewise, per refcount_site */
	uint8_t *seen;           /* per refcount_site: who held it before (enum verify_seen) */
	uint8_t guard_seen[VERIFY_BATCH]; /* likewise, per edit of a batch: its guard */
	unsigned char *bytes;             /* the last reading; room for the largest */
	bool whole;                       /* all ranges of the last reading were read */
};

/* Lay out the batches of a plan; false when there is no memory. */
bool verify_init(struct verify *l, const struct plan *plan);
void verify_done(struct verify *l);

static inline struct verify_batch *verify_batch(const struct verify *l, size_t i)
{
	return ARRAY_AT(&l->batches, struct verify_batch, i);
}

static inline const struct probes_edit *verify_edit(const struct verify *l, size_t i)
{
	return ARRAY_AT(&l->plan->edits, struct probes_edit, i);
}

/* Are these bytes, read at the guard of an edit, the code that proves its object to be there? */
bool verify_guard(const struct plan_check *c, const uint8_t site[ARCH_SITE_BYTES]);

/*
 * Read a batch and compare: 0 if everything is as the plan expects, and no count would go below
 * what uprobes at its sites may hold; else the error says which address held what. Notes who holds
 * the sites of counts.
 */
int verify_before(
	struct verify *l, struct verify_batch *b, struct memory *m, struct probes_error *e);

/* Read a batch again: the functions below refer to this reading. */
int verify_again(
	struct verify *l, struct verify_batch *b, struct memory *m, struct probes_error *e);

/* Does edit `i` of the plan hold these bytes (its `old` or `new_`), and its guard the file's? */
int verify_at(const struct verify *l, const struct verify_batch *b, size_t i,
	const uint8_t *expected, struct probes_error *e);

/* A count as read, and the number of its sites that others may hold. */
struct verify_count {
	unsigned value, held;
};

/*
 * Note who holds the sites of a count, as verify_before does; false: the count could not be read,
 * or its guard holds something else.
 */
bool verify_note(
	struct verify *l, const struct verify_batch *b, size_t i, struct verify_count *seen);

/* A count was `from` at the reading that noted its sites, and `to` was written. */
struct verify_change {
	unsigned from, to;
};

/*
 * What other tools counted between both readings and our write has overwritten: to be added to the
 * count that edit `i` of the plan changed. 0: nothing, or it is unknown.
 */
int64_t verify_lost(
	const struct verify *l, const struct verify_batch *b, size_t i, struct verify_change made);

/* An error of reading or writing ("write at"): what, where, why. Returns the code. */
int verify_failed(
	const struct probes_edit *edit, int code, const char *doing, struct probes_error *e);
