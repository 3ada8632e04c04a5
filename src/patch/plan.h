/*
 * What a switch would write, computed without touching the process: edits, in the order in which
 * they must be written, and what must be verified before. Pure: reads the values that a reader
 * stored in the catalog.
 *
 * Order: on, code then semaphore; off, semaphore then code; so that a crash between two writes
 * leaves a program that runs correctly.
 */
#pragma once

#include "patch/edit.h"
#include "probe/catalog.h"
#include "probe/select.h"

#define PLAN_REFCOUNT_SITES 64 /* at most of a count that probes share */

/* A site of a count in which the kernel counts as well: a tool that holds the site counts there. */
struct plan_refcount_site {
	uint64_t address; /* of the byte at ARCH_HELD_AT */
	uint8_t own;      /* that byte while nobody holds the site */
};

/* What is verified for one edit besides its `old` bytes. */
struct plan_check {
	uint64_t guard; /* a site whose code proves that the object of the edit is still mapped; 0:
			   none. Of a code edit: the edited site, in whose ARCH_SITE_BYTES the edit
			   lies */
	uint32_t refcount_site; /* the first of its refcount_sites, among the plan's */
	uint32_t refcount_site_count;
	uint8_t bytes[ARCH_SITE_BYTES]; /* of that code, at the guard */
	uint8_t guard_at;               /* ARCH_FIXED_BYTES from here on must be in memory */
	bool guard_counts : 1;          /* the guard is the only refcount_site */
	bool shared : 1;                /* the kernel counts there as well: KIND_SHARED_LIMIT */
	uint8_t guard_varies;           /* bit k: the byte at k of the guard may change */
	bool cut : 1;                   /* depends on an edit before it: begins a new batch */
};

/* A count that another session lowered, by its journal: when it takes that back, the count rises.
 */
struct plan_lowered {
	uint64_t address;
	int32_t delta;
	pid_t owner; /* 0: not of our pid namespace */
	bool living; /* else a repair takes it back */
};

/* The values of an object_probes as they will be after the edits planned so far. */
struct plan_view {
	uint32_t *values;   /* per semaphore; NULL: no probe of the object_probes is planned yet */
	uint8_t *on;        /* per site */
	bool *counted;      /* per site: it jumps to its counter; NULL: no jumps are known */
	uint32_t *touched;  /* per semaphore: the epoch in which it was planned last */
	uint32_t *planned;  /* per probe: likewise */
	int32_t *remaining; /* plan_restore: per semaphore, what is still to be taken back */
	struct semaphore_sites counting;
	uint32_t *theirs; /* per semaphore, where some are shared: how many of its sites other tools
			     hold, or PROBES_NONE */
};

struct plan {
	const struct catalog *catalog;
	struct array edits;          /* struct probes_edit */
	struct array uprobes;        /* struct probes_edit: written by the kernel, see
					session/kernel.c. Uprobes are placed before all edits, and
					removed after them */
	struct array checks;         /* struct plan_check, one an edit */
	struct array refcount_sites; /* struct plan_refcount_site */
	struct array items;          /* struct probes_item */
	struct array texts;          /* char *: the `why` of items, where it is not a constant */
	struct plan_view *views;     /* per object_probes */
	struct array targets;        /* uint32_t: scratch, for the counts of one probe */
	uint32_t epoch;              /* of the batch that is being planned */
	const struct array *lowered; /* struct plan_lowered by address, may be NULL: set by the
					caller before plan_restore */
	bool below;                  /* plan_restore: a count would have gone below 0 */
	bool needs_stop;             /* an edit replaces several bytes that threads may execute */
};

/* What is undone by itself, and what a part of it is. */
enum plan_resource {
	PLAN_SEMAPHORE, /* by semaphore, at the first of its address: added to the count */
	PLAN_COUNTER,   /* by site: 1: the site jumps to its counter because of this session */
	PLAN_CODE, /* by site: > 0 switched on, < 0 off, while its count stayed > 0 or stayed 0.
		      Code that followed its count has no part: it follows the count back */
	PLAN_RESOURCES
};

/* Parts of the resources of one object. */
struct plan_parts {
	int32_t *of[PLAN_RESOURCES]; /* NULL: none of that kind */
	/* Per probe: caught between the writes of a change, so that its code may disagree with its
	   count. Not owned; NULL: none. */
	bool *torn;
	/* Per site: its code is no longer mapped, and nothing is left to undo there; NULL: all is.
	 */
	bool *gone;
};

/* Start an empty plan. */
int plan_init(struct plan *p, const struct catalog *c, struct probes_error *e);
void plan_done(struct plan *p);

/*
 * Plan to switch what was selected, from values read just now. Everything that cannot or need not
 * be switched gets an item that says why. If it was named, the call fails with that reason, and the
 * plan must not be applied. Of `mode` it takes force, keep_counts, kernel and dry_run (jumps need
 * not be mapped); atomically: all threads will stand still, so that several bytes of a site may
 * change.
 */
int plan_switch(struct plan *p, const struct selected *chosen, size_t count,
	const struct probes_switch_options *mode, struct probes_error *e);

/*
 * Plan to take back parts: `undo` holds those of each object. Probes are taken in the order of
 * `which`. The part of a count that a live uprobe may hold is never taken: such a probe stays as it
 * is, not done, as does one whose notes or memory are broken now, and one whose count would go
 * below 0 and is among p->lowered; elsewhere it becomes 0.
 *
 * An undo never makes code and count disagree: a site is written only to what its count says. Where
 * a part of code is the only one, and the code agrees with the count as it is, the probe is
 * skipped.
 */
int plan_restore(struct plan *p, const size_t *which, size_t count, const struct plan_parts *undo,
	struct probes_error *e);

/* ---- plan_step.c: one probe of a plan; these are for the files plan*.c alone ---- */

#define PLAN_UNLOADED "its object has been unloaded"
#define PLAN_UNMAPPED "its code is no longer mapped"
#define PLAN_NOTHING_LEFT ": nothing is left to undo there"
#define PLAN_AGREES "its code and semaphore agree; with its former code they would disagree"

struct plan_step {
	const struct object_probes *h;
	struct plan_view *view;
	const struct probes_probe *p;
	size_t probe;
	size_t site, semaphore; /* first ones in the object_probes */
	uint32_t limit;
	uint32_t all_held;             /* of a name with several semaphores: plan_step_all_held */
	const struct plan_parts *undo; /* of its object; NULL: it is switched */
	struct array *texts;           /* the plan's */
};

/* The slot that all semaphores at one address share. */
static inline uint32_t plan_step_slot(const struct plan_step *s, uint32_t semaphore)
{
	return object_probes_same(s->h, s->semaphore + semaphore);
}

static inline uint32_t plan_step_value(const struct plan_step *s, uint32_t semaphore)
{
	return s->view->values[plan_step_slot(s, semaphore)];
}

/* Is nothing left to undo at a site of the object, since its code is no longer mapped? */
static inline bool plan_step_gone(const struct plan_step *s, size_t site)
{
	return s->undo && s->undo->gone && s->undo->gone[site];
}

/* What this session has added to each semaphore to count, after what is planned so far. */
uint32_t plan_step_raised(const struct plan_step *s);

/* The count after a verb: what this session has added to count hits is no part of it, and stays. */
uint32_t plan_step_target(const struct plan_step *s, uint32_t value, enum probes_verb verb,
	const struct probes_switch_options *mode);

/* Does the batch that is being planned edit the probe, or a semaphore of it? */
bool plan_step_touched(const struct plan_step *s, uint32_t epoch);
void plan_step_touch(const struct plan_step *s, uint32_t epoch);

/* Do sites and counts agree, after what is planned so far? */
bool plan_step_consistent(const struct plan_step *s);

/* The number of sites of a probe, if other tools hold all of them; else 0. */
uint32_t plan_step_all_held(const struct plan_step *s);

/*
 * Would the count of a semaphore, lowered to `to`, be less than the part that uprobes may hold? An
 * int3 that counts nothing (a debugger's) is taken for a uprobe's.
 */
bool plan_step_steals(const struct plan_step *s, uint32_t semaphore, uint32_t to);

/* Set why a probe is not switched (`why` must outlive the plan). Both return false. */
bool plan_step_not(struct probes_item *item, const char *why);
bool plan_step_skip(struct probes_item *item, enum probes_skip skip, const char *why);

/*
 * Each returns whether the probe may be switched in this respect, or says in the item why not: its
 * memory was read; no other tool holds a site that would change; no other session has lowered the
 * count at an address, which raises it again; all of these and the counts themselves.
 */
bool plan_step_readable(const struct plan_step *s, struct probes_item *item);
bool plan_step_unheld(
	const struct plan_step *s, bool force, enum probes_verb verb, struct probes_item *item);
bool plan_step_unlowered(const struct plan_step *s, const struct array *lowered, uint64_t address,
	struct probes_item *item);
bool plan_step_check(const struct plan_step *s, const struct probes_switch_options *mode,
	enum probes_verb verb, struct probes_item *item);

/* ---- plan_edit.c: the edits of one probe ---- */

/*
 * Edit one probe: its semaphores from `from` to `to`, its sites before (`up`) or after them. A
 * batch is verified as a whole before it is written: an edit of a count that this batch has edited
 * already begins another batch. False: no memory.
 */
bool plan_edit_probe(struct plan *p, const struct plan_step *s, const uint32_t *to,
	const uint32_t *from, bool up, bool always);

/* Append an edit, and return what is verified besides its own bytes; NULL: no memory. */
struct plan_check *plan_edit_add(
	struct plan *p, const struct plan_step *s, uint32_t index, struct probes_edit edit);

/* Verify, besides an edit, that the code of a site is still there. */
void plan_edit_guard(const struct plan_step *s, size_t site, struct plan_check *c);

/* What is to be undone of the code of a site. */
int32_t plan_edit_part(const struct plan_step *s, uint32_t i);
/* Was the probe caught between the writes of the change that is undone? */
bool plan_edit_torn(const struct plan_step *s);
/* Is the site's code still as the change that is undone left it? */
bool plan_edit_stays(const struct plan_step *s, uint32_t i);

/* ---- plan_count.c: counting ---- */

/* May the hits of the probe be counted, or no longer be counted? Or says in the item why not. */
bool plan_count_check(const struct plan_step *s, const struct probes_switch_options *mode,
	enum probes_verb verb, struct probes_item *item);

/*
 * The value of its semaphores once the probe is counted, or no longer: each session that counts
 * adds 1, whatever was there before, and takes it back.
 */
uint32_t plan_count_target(const struct plan_step *s, enum probes_verb verb, uint32_t value);

/* What an undo does to the jump of a site: 1 writes it, -1 removes it, 0 nothing. */
int plan_count_part(const struct plan_step *s, uint32_t i);

/* May an undo change the jumps of the probe? Or says in the item why not. */
bool plan_count_unheld(const struct plan_step *s, struct probes_item *item);

/*
 * Edit one probe, as plan_edit_probe, and the jumps of its sites: `on` writes them before, else
 * they are removed after. `mode` is that of a switch; NULL: an undo, see plan_count_part. Counting
 * starts before the program is told to reach the sites. A semaphore is verified by the code of a
 * site, which the jumps change, so semaphores and jumps go into batches of their own. False: no
 * memory.
 */
bool plan_count_probe(struct plan *p, const struct plan_step *s,
	const struct probes_switch_options *mode, const uint32_t *to, const uint32_t *from, bool up,
	bool on);
