/*
 * Looking at a process before a plan is carried out, and after: batch by batch, each by one read.
 * Everything is laid out first, so that nothing is allocated or looked up while a process stands
 * still.
 */
#ifndef PATCH_VERIFY_H
#define PATCH_VERIFY_H

#include "base/spans.h"
#include "patch/plan.h"
#include "process/memory.h"

#define VERIFY_BATCH 1024       /* writes at most between one look and the next */
#define VERIFY_BATCH_SHARED 256 /* where the kernel counts, too: others may as well */

struct verify_batch {
	size_t first, count; /* writes of the plan */
	struct spans spans;  /* of all that is looked at */
};

struct verify {
	const struct plan *plan;
	struct array batches;    /* struct verify_batch */
	uint32_t *site, *count;  /* per write: where they lie in the look of its batch */
	uint32_t *refcount_site; /* likewise, per refcount_site */
	uint8_t *seen;           /* per refcount_site: who held it before (enum verify_seen) */
	uint8_t guard_seen[VERIFY_BATCH]; /* likewise, per write of a batch: its guard */
	unsigned char *bytes;             /* room for the largest batch's look */
	bool whole;                       /* all of that look was got */
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

/*
 * Check a batch before it is written: 0 if everything is as the plan expects, and no count would go
 * below what uprobes at its sites may hold; else the error says which address held what. Notes who
 * holds the sites of counts.
 */
int verify_before(
	struct verify *l, struct verify_batch *b, struct memory *m, struct probes_error *e);

/* Read a batch again; then verify_at_site and verify_lost refer to this reading. */
int verify_again(
	struct verify *l, struct verify_batch *b, struct memory *m, struct probes_error *e);

/* Is this the switched byte of a site, and is what follows it as it should be? `i`: of the plan. */
int verify_at_site(const struct verify *l, const struct verify_batch *b, size_t i, uint8_t byte,
	struct probes_error *e);

/* A count as read, and the number of its sites that others may hold. */
struct verify_count {
	unsigned value, held;
};

/*
 * Note who holds the sites of a count, as verify_before does; false: the count was not seen, or
 * something else lies where its code was.
 */
bool verify_note(
	struct verify *l, const struct verify_batch *b, size_t i, struct verify_count *seen);

/* A count was `from` at the look that noted its sites, and `to` was written. */
struct verify_change {
	unsigned from, to;
};

/*
 * What others counted between both looks and we have overwritten, so that it must be added to the
 * count that is written by `i` of the plan; 0: nothing, or it cannot be told.
 */
int64_t verify_lost(
	const struct verify *l, const struct verify_batch *b, size_t i, struct verify_change made);

/* An error of reading or writing ("write at"): what, where, why. Returns the code. */
int verify_failed(const struct probes_edit *w, int code, const char *doing, struct probes_error *e);

#endif
