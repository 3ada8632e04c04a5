/* Whether a probe may be switched, and why not; pure like the plan. */
#include "patch/plan_step.h"

#include "probe/kind.h"

#include <stdio.h>
#include <string.h>

void plan_step_not(struct probes_item *item, enum probes_outcome outcome, const char *why)
{
	item->outcome = outcome;
	item->why = why;
}

bool plan_step_readable(const struct plan_step *s, struct probes_item *item)
{
	bool readable = true;

	for (uint32_t i = 0; i < s->p->semaphore_count; i++)
		readable = readable && plan_step_value(s, i) != PROBES_NONE;
	for (uint32_t i = 0; i < s->p->site_count; i++)
		readable = readable && s->h->site_live[s->site + i].state != PROBES_UNREADABLE;
	if (!readable)
		plan_step_not(item, PROBES_NOT_DONE, "its memory cannot be read");
	return readable;
}

static const struct probes_site_live *plan_step_first_foreign(
	const struct plan_step *s, uint32_t *site)
{
	for (uint32_t i = 0; i < s->p->site_count; i++)
		if (s->h->site_live[s->site + i].state == PROBES_FOREIGN) {
			*site = i;
			return &s->h->site_live[s->site + i];
		}
	return NULL;
}

static const char *plan_step_held_by(
	const struct plan_step *s, uint64_t address, enum probes_holder holder)
{
	char **slot = array_reserve(s->texts, 1) ? array_add(s->texts) : NULL;

	if (!slot || asprintf(slot, "another tool holds its site at 0x%llx (%s)",
			     (unsigned long long)address,
			     holder == PROBES_HOLDER_INT3 ? "int3: a uprobe or a debugger"
							  : "bytes that are not its own") < 0) {
		s->texts->count -= !!slot;
		return "another tool holds one of its sites";
	}
	return *slot;
}

bool plan_step_foreign(
	const struct plan_step *s, bool force, enum probes_verb verb, struct probes_item *item)
{
	uint32_t site;
	const struct probes_site_live *live = plan_step_first_foreign(s, &site);

	if (!live)
		return true;
	if (!kind_of(s->p)->edit && !(force && verb == PROBES_DISABLE))
		return true;
	plan_step_not(item, PROBES_NOT_DONE,
		plan_step_held_by(
			s, s->p->sites[site].address, kind_of(s->p)->holder(live->bytes)));
	return false;
}

bool plan_step_consistent(const struct plan_step *s)
{
	for (uint32_t i = 0; kind_of(s->p)->edit && i < s->p->site_count; i++)
		if (s->view->on[s->site + i] != (plan_step_value(s, s->p->sites[i].semaphore) > 0))
			return false;
	return true;
}

static bool plan_step_check_counts(
	const struct plan_step *s, enum probes_verb verb, struct probes_item *item)
{
	uint32_t largest = 0;

	for (uint32_t i = 0; i < s->p->semaphore_count; i++)
		if (plan_step_value(s, i) > largest)
			largest = plan_step_value(s, i);
	if (verb == PROBES_DISABLE && largest == 0)
		plan_step_not(item, PROBES_SKIPPED, "it is not enabled: its count is 0");
	else if (verb == PROBES_ENABLE && largest >= s->limit)
		plan_step_not(item, PROBES_NOT_DONE, "its count is at its limit");
	return item->outcome == PROBES_DONE;
}

/* Does somebody else hold it by its first byte? */
static bool plan_step_held(const struct plan_step *s, uint32_t site)
{
	const struct probes_site_live *live = &s->h->site_live[site];

	return live->count > 0 && live->bytes[0] != s->h->original[site][0];
}

/* How many of the sites that count in a semaphore others hold. */
static uint32_t plan_step_held_in(const struct plan_step *s, uint32_t semaphore)
{
	uint32_t slot = plan_step_slot(s, semaphore), count, theirs = 0;
	const uint32_t *sites = semaphore_sites_of(&s->view->counted, slot, &count);

	/* Of one that very many probes share it is asked as often. */
	if (s->view->theirs && s->view->theirs[slot] != PROBES_NONE)
		return s->view->theirs[slot];
	for (uint32_t i = 0; i < count; i++)
		theirs += plan_step_held(s, sites[i]);
	if (s->view->theirs)
		s->view->theirs[slot] = theirs;
	return theirs;
}

uint32_t plan_step_all_held(const struct plan_step *s)
{
	for (uint32_t i = 0; i < s->p->site_count; i++)
		if (!plan_step_held(s, (uint32_t)s->site + i))
			return 0;
	return s->p->site_count;
}

/*
 * The part of a count that uprobes may hold. If a name has several semaphores, bpftrace counts all
 * sites in one of them: then all sites are held, and one count is large enough for all of them.
 */
static uint32_t plan_step_theirs(const struct plan_step *s, uint32_t semaphore)
{
	if (s->all_held && plan_step_value(s, semaphore) >= s->all_held)
		return s->all_held;
	return plan_step_held_in(s, semaphore);
}

/*
 * Uprobes count in the semaphores that the kernel shares, one for each site that they hold: by an
 * int3 or, over a nop of five bytes, by a call (Linux 6.18). Taken away under them, the kernel can
 * never remove them again, and their bytes stay in the code for good: "ref_ctr going negative"
 * (kernel/events/uprobes.c).
 */
bool plan_step_steals(const struct plan_step *s, uint32_t semaphore, uint32_t to)
{
	uint32_t theirs;

	if (s->limit != KIND_SHARED_LIMIT || to >= plan_step_value(s, semaphore))
		return false;
	theirs = plan_step_theirs(s, semaphore);
	/* A uprobe never switches a site: if all that is left is the uprobes', the sites
	 * must be off, else on; nobody can tell. */
	return to < theirs || (theirs && to == theirs && kind_of(s->p)->edit);
}

const struct plan_lowered *plan_step_lowered(const struct array *lowered, uint64_t address)
{
	size_t low = 0, high = lowered ? lowered->count : 0, end = high;
	const struct plan_lowered *at;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ARRAY_AT(lowered, struct plan_lowered, middle)->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	at = low < end ? ARRAY_AT(lowered, struct plan_lowered, low) : NULL;
	return at && at->address == address ? at : NULL;
}

void plan_step_not_lowered(
	const struct plan_step *s, const struct plan_lowered *by, struct probes_item *item)
{
	char **slot = by->owner && array_reserve(s->texts, 1) ? array_add(s->texts) : NULL;
	int n = -1;

	plan_step_not(item, PROBES_NOT_DONE,
		"another session has lowered its count, and will raise it again");
	if (slot && by->living)
		n = asprintf(slot, "session %d has lowered its count, and will raise it again",
			by->owner);
	else if (slot)
		n = asprintf(slot,
			"session %d lowered its count and was interrupted: repair raises it again",
			by->owner);
	if (n >= 0)
		item->why = *slot;
	else
		s->texts->count -= !!slot;
}

static bool plan_step_check_theirs(
	const struct plan_step *s, bool force, enum probes_verb verb, struct probes_item *item)
{
	for (uint32_t k = 0; k < s->p->semaphore_count; k++) {
		uint32_t to = plan_step_target(plan_step_value(s, k), verb, force);

		if (plan_step_steals(s, k, to)) {
			plan_step_not(item, PROBES_NOT_DONE,
				"the uprobes (or breakpoints) at its sites may own all of its "
				"count");
			return false;
		}
	}
	return true;
}

bool plan_step_check(
	const struct plan_step *s, bool force, enum probes_verb verb, struct probes_item *item)
{
	if (s->h->info.gone) {
		plan_step_not(item, PROBES_SKIPPED, PLAN_UNLOADED);
		return false;
	}
	if (s->p->broken) {
		plan_step_not(item, PROBES_NOT_DONE, s->p->broken);
		return false;
	}
	if (!s->p->semaphore_count) {
		plan_step_not(item, PROBES_SKIPPED, "nothing to switch: no semaphore");
		return false;
	}
	if (!plan_step_readable(s, item) || !plan_step_foreign(s, force, verb, item) ||
		!plan_step_check_theirs(s, force, verb, item))
		return false;
	if (force)
		return true;
	if (!plan_step_consistent(s)) {
		plan_step_not(item, PROBES_NOT_DONE, PLAN_INCONSISTENT);
		return false;
	}
	return plan_step_check_counts(s, verb, item);
}

uint32_t plan_step_target(uint32_t value, enum probes_verb verb, bool force)
{
	if (force)
		return verb == PROBES_ENABLE;
	if (verb == PROBES_ENABLE)
		return value + 1;
	return value ? value - 1 : 0;
}
