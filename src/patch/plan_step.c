/* One probe of a plan: whether it may be switched, and why not. Pure like the plan. */
#include "patch/plan.h"

#include "base/order.h"
#include "probe/kind.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

bool plan_step_not(struct probes_item *item, const char *why)
{
	item->outcome = PROBES_NOT_DONE;
	item->why = why;
	return false;
}

bool plan_step_skip(struct probes_item *item, enum probes_skip skip, const char *why)
{
	item->outcome = PROBES_SKIPPED;
	item->skip = skip;
	item->why = why;
	return false;
}

/* Not done, with a text that belongs to the plan; `plain`: where there is no memory for it. */
__attribute__((format(printf, 4, 5))) static bool plan_step_say(const struct plan_step *s,
	struct probes_item *item, const char *plain, const char *format, ...)
{
	char **slot = array_add(s->texts);
	va_list args;
	int n = -1;

	va_start(args, format);
	if (slot)
		n = vasprintf(slot, format, args);
	va_end(args);
	if (slot && n < 0)
		s->texts->count--;
	return plan_step_not(item, n < 0 ? plain : *slot);
}

bool plan_step_readable(const struct plan_step *s, struct probes_item *item)
{
	bool readable = true;

	for (uint32_t i = 0; i < s->p->semaphore_count; i++)
		readable = readable && plan_step_value(s, i) != PROBES_NONE;
	for (uint32_t i = 0; i < s->p->site_count; i++)
		readable = readable && (s->h->site_live[s->site + i].state != PROBES_UNREADABLE ||
					       plan_step_gone(s, s->site + i));
	return readable || plan_step_not(item, "its memory cannot be read");
}

bool plan_step_unheld(
	const struct plan_step *s, bool force, enum probes_verb verb, struct probes_item *item)
{
	const struct probes_site_live *live = &s->h->site_live[s->site];
	uint32_t i = 0;
	bool int3;

	/* Where sites have no switch, another tool at a site is in nobody's way. */
	if (!kind_switches(s->p) && !(force && verb == PROBES_DISABLE))
		return true;
	while (i < s->p->site_count &&
		(live[i].state != PROBES_FOREIGN || plan_step_gone(s, s->site + i)))
		i++;
	if (i == s->p->site_count)
		return true;
	int3 = kind_of(s->p)->holder(live[i].bytes) == PROBES_HOLDER_INT3;
	return plan_step_say(s, item, "another tool holds one of its sites",
		"another tool holds its site at 0x%llx (%s)",
		(unsigned long long)s->p->sites[i].address,
		int3 ? "int3: a uprobe or a debugger" : "bytes that are not its own");
}

bool plan_step_consistent(const struct plan_step *s)
{
	for (uint32_t i = 0; kind_switches(s->p) && i < s->p->site_count; i++)
		if (!plan_step_gone(s, s->site + i) &&
			s->view->on[s->site + i] !=
				(plan_step_value(s, s->p->sites[i].semaphore) > 0))
			return false;
	return true;
}

bool plan_step_touched(const struct plan_step *s, uint32_t epoch)
{
	bool touched = s->view->planned[s->p - s->h->probes] == epoch;

	for (uint32_t i = 0; !touched && i < s->p->semaphore_count; i++)
		touched = s->view->touched[plan_step_slot(s, i)] == epoch;
	return touched;
}

void plan_step_touch(const struct plan_step *s, uint32_t epoch)
{
	s->view->planned[s->p - s->h->probes] = epoch;
	for (uint32_t i = 0; i < s->p->semaphore_count; i++)
		s->view->touched[plan_step_slot(s, i)] = epoch;
}

/* Does another tool hold a site? */
static bool plan_step_held(const struct plan_step *s, size_t site)
{
	const struct probes_site_live *live = &s->h->site_live[site];

	return live->count > ARCH_HELD_AT && !live->counted && !plan_step_gone(s, site) &&
	       live->bytes[ARCH_HELD_AT] != s->h->original[site][ARCH_HELD_AT];
}

uint32_t plan_step_all_held(const struct plan_step *s)
{
	for (uint32_t i = 0; i < s->p->site_count; i++)
		if (!plan_step_held(s, s->site + i))
			return 0;
	return s->p->site_count;
}

/*
 * Uprobes count in the semaphores that the kernel shares, one for each site that they hold: by an
 * int3 or, over a nop of five bytes, by a call (Linux 6.18). If their part is taken away, the
 * kernel can never remove them again, and their bytes stay in the code for good: "ref_ctr going
 * negative" (kernel/events/uprobes.c).
 *
 * If a name has several semaphores, bpftrace counts all sites in one of them: then all sites are
 * held, and one count is large enough for all of them.
 */
bool plan_step_steals(const struct plan_step *s, uint32_t semaphore, uint32_t to)
{
	uint32_t slot = plan_step_slot(s, semaphore), value = s->view->values[slot], count;
	const uint32_t *sites = semaphore_sites_of(&s->view->counting, slot, &count);
	uint32_t theirs = 0, *known = s->view->theirs ? &s->view->theirs[slot] : NULL;

	if (s->limit != KIND_SHARED_LIMIT || to >= value)
		return false;
	if (s->all_held && value >= s->all_held) {
		theirs = s->all_held;
	} else if (known && *known != PROBES_NONE) {
		/* Very many probes may share one semaphore: its sites are examined once. */
		theirs = *known;
	} else {
		for (uint32_t i = 0; i < count; i++)
			theirs += plan_step_held(s, sites[i]);
		if (known)
			*known = theirs;
	}
	/* A uprobe never switches a site. If only the uprobes' part is left, the sites must be off,
	   else on: nobody can tell. */
	return to < theirs || (theirs && to == theirs && kind_switches(s->p));
}

uint32_t plan_step_raised(const struct plan_step *s)
{
	uint32_t raised = 0;

	for (uint32_t i = 0; kind_of(s->p)->guarded && s->view->counted && i < s->p->site_count;
		i++) {
		if (!s->view->counted[s->site + i])
			continue;
		if (s->h->jumps[s->site].raised)
			return s->h->jumps[s->site].raised;
		raised |= !s->h->site_live[s->site + i].counted;
	}
	return raised;
}

bool plan_step_unlowered(const struct plan_step *s, const struct array *lowered, uint64_t address,
	struct probes_item *item)
{
	static const char plain[] =
		"another session has lowered its count, and will raise it again";
	size_t count = lowered ? lowered->count : 0;
	size_t at =
		count ? order_find(lowered, offsetof(struct plan_lowered, address), address) : 0;
	const struct plan_lowered *by;

	by = at < count ? ARRAY_AT(lowered, struct plan_lowered, at) : NULL;
	if (!by || by->address != address)
		return true;
	if (!by->owner)
		return plan_step_not(item, plain);
	return plan_step_say(s, item, plain,
		by->living ? "session %d has lowered its count, and will raise it again"
			   : "session %d lowered its count and was interrupted: repair raises it "
			     "again",
		by->owner);
}

bool plan_step_check(const struct plan_step *s, const struct probes_switch_options *mode,
	enum probes_verb verb, struct probes_item *item)
{
	uint32_t largest = 0, on = 0;

	if (s->h->info.gone)
		return plan_step_skip(item, PROBES_SKIP_UNLOADED, PLAN_UNLOADED);
	if (s->p->broken)
		return plan_step_not(item, s->p->broken);
	if (!s->p->semaphore_count)
		return plan_step_skip(
			item, PROBES_SKIP_NO_SWITCH, "nothing to switch: no semaphore");
	if (!plan_step_readable(s, item) || !plan_step_unheld(s, mode->force, verb, item))
		return false;
	for (uint32_t k = 0; k < s->p->semaphore_count; k++) {
		uint32_t value = plan_step_value(s, k);

		largest = value > largest ? value : largest;
		if (plan_step_steals(s, k, plan_step_target(s, value, verb, mode)))
			return plan_step_not(item, "the uprobes (or breakpoints) at its sites may "
						   "own all of its count");
	}
	if (mode->force)
		return true;
	if (!plan_step_consistent(s)) {
		for (uint32_t i = 0; i < s->p->site_count; i++)
			on += s->view->on[s->site + i];
		item->force_helps = true;
		if (on && on < s->p->site_count)
			return plan_step_say(s, item, "its sites disagree (partial)",
				"%u of its %u sites are on, the others off (partial)", on,
				s->p->site_count);
		return plan_step_not(item, "its sites and its count disagree (inconsistent)");
	}
	if (verb == PROBES_DISABLE && largest == 0)
		return plan_step_skip(item, PROBES_SKIP_OFF, "it is off already: its count is 0");
	if (verb == PROBES_DISABLE && largest <= plan_step_raised(s))
		return plan_step_skip(
			item, PROBES_SKIP_COUNTING, "it is on only because its hits are counted");
	if (verb == PROBES_ENABLE && largest >= s->limit)
		return plan_step_not(item, "its count is at its limit");
	return true;
}

uint32_t plan_step_target(const struct plan_step *s, uint32_t value, enum probes_verb verb,
	const struct probes_switch_options *mode)
{
	uint32_t raised = plan_step_raised(s);

	if (mode->force && mode->keep_counts)
		return value;
	if (mode->force)
		return raised + (verb == PROBES_ENABLE);
	if (verb == PROBES_ENABLE)
		return value + 1;
	return value > raised ? value - 1 : value;
}
