/*
 * What a switch would write, computed without touching anything: addresses,
 * the bytes expected there, the new bytes, in the order in which they must be
 * written. Pure: reads the values that a reader stored in the catalog.
 *
 * Order: on, code then semaphore; off, semaphore then code; so that a crash
 * between two writes leaves a program that runs on correctly.
 */
#ifndef PATCH_PLAN_H
#define PATCH_PLAN_H

#include "patch/edit.h"
#include "patch/plan_step.h"
#include "probe/catalog.h"
#include "probe/select.h"

#define PLAN_WITNESSES 64 /* at most of a count that names share */

/* A site of a count in which the kernel counts too: who holds it counts there. */
struct plan_refcount_site {
	uint64_t address;
	uint8_t own; /* what its first byte is while nobody holds it */
};

/* What is looked at for one write, besides what it changes. */
struct plan_check {
	uint64_t guard;         /* the site that is written, or one that proves that the object of a
				   semaphore is still mapped; 0: none */
	uint32_t refcount_site; /* the first of its refcount_sites, among the plan's */
	uint32_t refcount_site_count;
	uint8_t bytes[ARCH_SITE_BYTES]; /* the file's, at the guard */
	uint8_t guard_at;               /* these prove it: ARCH_FIXED_BYTES from here on */
	bool guard_counts : 1;          /* the guard is the one refcount_site */
	bool shared : 1;                /* the kernel counts there, too: KIND_SHARED_LIMIT */
	bool cut : 1; /* looks at something written before it: begins a new batch */
};

struct plan_view; /* the values as they will be after what is planned so far */

struct plan {
	const struct catalog *catalog;
	struct array edits;  /* struct probes_edit, in the order in which they are written */
	struct array checks; /* struct plan_check: one a write */
	struct array refcount_sites; /* struct plan_refcount_site */
	struct array items;          /* struct probes_item */
	struct array texts;          /* char *: what items say that is not said of others */
	struct plan_view *views;     /* one a object_probes */
	struct array targets;        /* uint32_t: scratch, for the counts of one probe */
	uint32_t epoch;
	const struct array *lowered; /* struct plan_lowered by address, may be NULL: set by the
					caller before plan_restore */
	bool below;                  /* plan_restore: a count would have gone below 0 */
};

struct plan_mode {
	bool force; /* set counts to 1 or 0, sites follow */
};

/* Start an empty plan. */
int plan_init(struct plan *p, const struct catalog *c, struct probes_error *e);
void plan_done(struct plan *p);

/*
 * Plan to switch what was selected, from values read just now. Everything that cannot or need not
 * be switched gets an item that says why. Where it was named the call fails with that reason,
 * and the plan must not be applied.
 */
int plan_switch(struct plan *p, const struct selected *chosen, size_t count,
	const struct plan_mode *mode, struct probes_error *e);

/*
 * Plan to take back changes of semaphores: `deltas` holds, per object_probes (NULL: none), what was
 * added to each semaphore, at the first of its address. Probes are taken in the order of `which`.
 * `follow`: sites are set to what their semaphore says even where that does not change, to mend
 * what an interrupted switch left halfway. The part of a count that a live uprobe may hold is never
 * taken: such a probe stays as it is, not done, as does one whose notes or memory are broken now,
 * and one whose count would go below 0 and is among p->lowered; elsewhere it becomes 0.
 */
int plan_restore(struct plan *p, const size_t *which, size_t count, const int32_t *const *deltas,
	bool follow, struct probes_error *e);

#endif
