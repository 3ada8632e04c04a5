/*
 * One probe while its switching is planned, and whether it may be switched at all. Pure. The
 * functions are for plan.c alone.
 */
#ifndef PATCH_PLAN_STEP_H
#define PATCH_PLAN_STEP_H

#include "probe/catalog.h"
#include "probe/semaphore_sites.h"

#define PLAN_UNLOADED "its object has been unloaded"
#define PLAN_INCONSISTENT "its sites and its count disagree (inconsistent)"
#define PLAN_THEIRS "uprobes (or breakpoints) at its sites may own the rest of its count"

/* A count that the journal of another session says it lowered: taking that back raises it again. */
struct plan_lowered {
	uint64_t address;
	int32_t delta;
	pid_t owner; /* 0: not of our pid namespace */
	bool living; /* else a repair takes it back */
};

struct plan_view {
	uint32_t *values; /* per semaphore of the object_probes; NULL: object_probes not touched yet
			   */
	uint8_t *on;      /* per site: as it will be */
	uint32_t *touched; /* per semaphore: the epoch in which it was planned last */
	int32_t *left;     /* plan_restore: what is still to be taken back */
	struct semaphore_sites counted;
	uint32_t *theirs; /* per semaphore that may be shared: plan_step_held_in, or PROBES_NONE */
};

/* One probe in the making. */
struct plan_step {
	const struct object_probes *h;
	struct plan_view *view;
	const struct probes_probe *p;
	size_t probe;
	size_t site, semaphore; /* first ones in the object_probes */
	uint32_t limit;
	uint32_t all_held;   /* of a name with several semaphores: plan_step_all_held */
	struct array *texts; /* the plan's */
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

/* Where a verb takes a count. */
uint32_t plan_step_target(uint32_t value, enum probes_verb verb, bool force);

/* It is not switched, and why: a text that lives on. */
void plan_step_not(struct probes_item *item, enum probes_outcome outcome, const char *why);

/* Each says in the item why not. */
bool plan_step_readable(const struct plan_step *s, struct probes_item *item);
bool plan_step_foreign(
	const struct plan_step *s, bool force, enum probes_verb verb, struct probes_item *item);

/* The number of sites of a probe, if others hold all of them; else 0. */
uint32_t plan_step_all_held(const struct plan_step *s);

/*
 * Would the count of a semaphore, lowered to `to`, be less than the part that uprobes may hold? An
 * int3 that counts nothing (a debugger's) is taken for a uprobe's.
 */
bool plan_step_steals(const struct plan_step *s, uint32_t semaphore, uint32_t to);

/* Who lowered the count at an address (struct plan_lowered, by address), or NULL. */
const struct plan_lowered *plan_step_lowered(const struct array *lowered, uint64_t address);

/* It is not taken back, and stays ours: what that session lowered comes up again. */
void plan_step_not_lowered(
	const struct plan_step *s, const struct plan_lowered *by, struct probes_item *item);

/* May this probe be switched? */
bool plan_step_check(
	const struct plan_step *s, bool force, enum probes_verb verb, struct probes_item *item);

/* Do sites and counts agree, with what is planned so far? */
bool plan_step_consistent(const struct plan_step *s);

#endif
