/*
 * Computing plans. Enabling adds 1 to every semaphore of a probe, disabling subtracts 1; at 0 -> 1
 * its sites are switched on, at 1 -> 0 off. Taking back subtracts what a session added.
 */
#include "patch/plan.h"

#include "base/error.h"
#include "probe/kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int plan_init(struct plan *p, const struct catalog *c, struct probes_error *e)
{
	*p = (struct plan){.catalog = c, .epoch = 1};
	p->edits = ARRAY_OF(struct probes_edit);
	p->uprobes = ARRAY_OF(struct probes_edit);
	p->checks = ARRAY_OF(struct plan_check);
	p->refcount_sites = ARRAY_OF(struct plan_refcount_site);
	p->items = ARRAY_OF(struct probes_item);
	p->texts = ARRAY_OF(char *);
	p->targets = ARRAY_OF(uint32_t);
	p->views = calloc(c->objects.count + 1, sizeof *p->views);
	return p->views ? 0 : error_memory(e, "a plan");
}

void plan_done(struct plan *p)
{
	for (size_t i = 0; p->views && i < p->catalog->objects.count; i++) {
		free(p->views[i].values);
		free(p->views[i].on);
		free(p->views[i].counted);
		free(p->views[i].touched);
		free(p->views[i].planned);
		free(p->views[i].remaining);
		semaphore_sites_done(&p->views[i].counting);
		free(p->views[i].theirs);
	}
	free(p->views);
	p->views = NULL;
	array_done(&p->edits);
	array_done(&p->uprobes);
	array_done(&p->checks);
	array_done(&p->refcount_sites);
	array_done(&p->items);
	for (size_t i = 0; i < p->texts.count; i++)
		free(*ARRAY_AT(&p->texts, char *, i));
	array_done(&p->texts);
	array_done(&p->targets);
}

/* ---- one probe ---- */

static bool plan_open_step(struct plan *p, size_t probe, struct plan_step *s)
{
	const struct object_probes *h;
	struct plan_view *v;
	size_t local;

	s->h = h = catalog_find(p->catalog, probe, &local);
	s->p = &h->probes[local];
	s->probe = probe;
	s->site = object_probes_site(h, s->p);
	s->semaphore = object_probes_semaphore(h, s->p);
	s->limit = kind_provider(s->p->provider)->limit;
	s->undo = NULL;
	s->all_held = s->p->semaphore_count > 1 ? plan_step_all_held(s) : 0;
	s->view = v = &p->views[s->p->object];
	s->texts = &p->texts;
	if (v->values)
		return true;
	v->values = calloc(h->semaphore_count + 1, sizeof *v->values);
	v->on = calloc(h->site_count + 1, sizeof *v->on);
	v->touched = calloc(h->semaphore_count + 1, sizeof *v->touched);
	v->planned = calloc(h->probe_count, sizeof *v->planned);
	if (h->jumps)
		v->counted = calloc(h->site_count + 1, sizeof *v->counted);
	if (!v->values || !v->on || !v->touched || !v->planned || (h->jumps && !v->counted) ||
		!semaphore_sites_init(&v->counting, h))
		return false;
	for (size_t i = 0; h->jumps && i < h->site_count; i++)
		v->counted[i] = h->site_live[i].counted;
	if (h->same) {
		v->theirs = malloc(h->semaphore_count * sizeof *v->theirs);
		if (!v->theirs)
			return false;
		memset(v->theirs, 0xff, h->semaphore_count * sizeof *v->theirs);
	}
	memcpy(v->values, h->values, h->semaphore_count * sizeof *v->values);
	for (size_t i = 0; i < h->site_count; i++)
		v->on[i] = h->site_live[i].state == PROBES_ON;
	return true;
}

static struct probes_item *plan_item(struct plan *p, size_t probe, enum probes_verb verb)
{
	struct probes_item *item = array_add(&p->items);

	if (item) {
		item->probe = probe;
		item->verb = verb;
		item->outcome = PROBES_DONE;
		item->why = "";
	}
	return item;
}

/* Room for two values of each semaphore of a probe; the same room each time. */
static uint32_t *plan_targets(struct plan *p, uint32_t count)
{
	return array_reserve(&p->targets, 2 * (size_t)count + 1) ? p->targets.data : NULL;
}

/* ---- switching ---- */

static int plan_refuse(const struct plan *p, const struct probes_item *item, struct probes_error *e)
{
	const struct probes_probe *probe = catalog_probe(p->catalog, item->probe);
	bool skipped = item->outcome == PROBES_SKIPPED;

	static const char *const verbs[] = {[PROBES_ENABLE] = "enable",
		[PROBES_DISABLE] = "disable",
		[PROBES_COUNT] = "count",
		[PROBES_UNCOUNT] = "stop counting"};

	error_set(e, skipped ? PROBES_FAILED : PROBES_REFUSED, skipped ? -EALREADY : -EBUSY,
		"cannot %s %s:%s", verbs[item->verb], probe->provider, probe->name);
	error_why(e, "%s", item->why);
	if (item->force_helps)
		return error_hint(e, "force sets code and semaphore alike");
	if (item->skip == PROBES_SKIP_NO_SWITCH)
		return item->verb == PROBES_DISABLE ? e->code
						    : error_hint(e, "its hits can be counted");
	if (item->skip == PROBES_SKIP_COUNTING)
		return error_hint(e, "stop counting it");
	return error_hint(e, skipped ? "look at its state" : "look at its sites");
}

int plan_switch(struct plan *p, const struct selected *chosen, size_t count,
	const struct probes_switch_options *mode, struct probes_error *e)
{
	size_t refused = SIZE_MAX, edits = 0;
	struct plan_step s;

	/* Room for all at once: growing step by step would copy megabytes, each time to fresh
	   pages. */
	for (size_t i = 0; i < count; i++) {
		const struct probes_probe *probe = catalog_probe(p->catalog, chosen[i].probe);

		edits += (size_t)probe->site_count + probe->semaphore_count;
	}
	if (!array_reserve(&p->items, count) || !array_reserve(&p->edits, edits) ||
		!array_reserve(&p->checks, edits))
		return error_memory(e, "a plan");
	for (size_t i = 0; i < count; i++) {
		enum probes_verb verb = chosen[i].verb;
		struct probes_item *item = plan_item(p, chosen[i].probe, verb);
		uint32_t semaphores, *to, *from;
		bool counting;

		if (!item || !plan_open_step(p, chosen[i].probe, &s))
			return error_memory(e, "a plan");
		counting = verb == PROBES_COUNT || verb == PROBES_UNCOUNT;
		if (counting ? !plan_count_check(&s, mode, verb, item)
			     : !plan_step_check(&s, mode, verb, item)) {
			if (chosen[i].named && refused == SIZE_MAX)
				refused = i;
			continue;
		}
		semaphores = s.p->semaphore_count;
		to = plan_targets(p, semaphores);
		if (!to)
			return error_memory(e, "a plan");
		from = to + semaphores;
		for (uint32_t k = 0; k < semaphores; k++) {
			from[k] = plan_step_value(&s, k);
			to[k] = counting ? plan_count_target(&s, verb, from[k])
					 : plan_step_target(&s, from[k], verb, mode);
		}
		if (counting ? !plan_count_probe(p, &s, mode, to, from, verb == PROBES_COUNT,
				       verb == PROBES_COUNT)
			     : !plan_edit_probe(
				       p, &s, to, from, verb == PROBES_ENABLE, mode->force))
			return error_memory(e, "a plan");
	}
	if (refused == SIZE_MAX)
		return 0;
	return plan_refuse(p, ARRAY_AT(&p->items, struct probes_item, refused), e);
}

/* ---- taking back ---- */

/*
 * May this probe be taken back? Not if that changes a site that another tool holds, or lowers a
 * count below the part of uprobes: then the whole probe stays as it is, until the other tools have
 * gone and the count is clear.
 *
 * Where a count would go below 0, somebody has subtracted our part. If another session did, and
 * will add it again, our part is not reconciled until then.
 */
static bool plan_restore_check(struct plan *p, const struct plan_step *s, const uint32_t *to,
	const uint32_t *from, struct probes_item *item)
{
	if (s->p->broken)
		return plan_step_not(item, s->p->broken);
	for (uint32_t i = 0; kind_switches(s->p) && i < s->p->site_count; i++) {
		uint32_t k = s->p->sites[i].semaphore;

		if (k != PROBES_NONE && !plan_step_gone(s, s->site + i) &&
			(plan_edit_torn(s) || plan_edit_part(s, i) ||
				(from[k] > 0) != (to[k] > 0)) &&
			!plan_step_unheld(s, true, PROBES_DISABLE, item))
			return false;
	}
	if (!plan_step_readable(s, item) || !plan_count_unheld(s, item))
		return false;
	for (uint32_t i = 0; i < s->p->semaphore_count; i++)
		if (plan_step_steals(s, i, to[i]))
			return plan_step_not(item, "uprobes (or breakpoints) at its sites may own "
						   "the rest of its count");
	for (uint32_t i = 0; s->view->remaining && i < s->p->semaphore_count; i++) {
		if (s->view->remaining[plan_step_slot(s, i)] <= (int64_t)from[i])
			continue;
		p->below = true;
		if (!plan_step_unlowered(s, p->lowered, s->p->semaphores[i].address, item))
			return false;
	}
	return true;
}

static bool plan_restore_probe(struct plan *p, struct plan_step *s)
{
	size_t edits = p->edits.count + p->uprobes.count;
	uint32_t count = s->p->semaphore_count, *to = plan_targets(p, count), *from = to + count;
	int32_t *remaining = s->view->remaining;
	struct probes_item *item;
	bool up = false, any = false, stays = false, gone = false;
	enum probes_verb verb;
	int jumps = 0;

	if (!to)
		return false;
	/* Each count goes to its value without our part, but never beyond 0 and the limit. */
	for (uint32_t i = 0; i < count; i++) {
		uint32_t slot = plan_step_slot(s, i);
		int64_t value = from[i] = to[i] = plan_step_value(s, i);

		if (!remaining || !remaining[slot])
			continue;
		any = true;
		up = remaining[slot] < 0;
		if (value == PROBES_NONE)
			continue; /* as plan_restore_check will say */
		value -= remaining[slot];
		to[i] = value < 0 ? 0 : value > s->limit ? s->limit : (uint32_t)value;
	}
	for (uint32_t i = 0; i < s->p->site_count; i++) {
		up = up || (plan_edit_part(s, i) < 0 && !any);
		jumps = jumps ? jumps : plan_count_part(s, i);
		any = any || plan_edit_part(s, i) || jumps;
	}
	if (!any && (!plan_edit_torn(s) || s->p->broken || plan_step_consistent(s)))
		return true;
	verb = up ? PROBES_ENABLE : PROBES_DISABLE;
	if (jumps)
		verb = jumps > 0 ? PROBES_COUNT : PROBES_UNCOUNT;
	item = plan_item(p, s->probe, verb);
	if (!item || !plan_restore_check(p, s, to, from, item))
		return item;
	/* A count that probes share is undone once. */
	for (uint32_t i = 0; remaining && i < count; i++)
		remaining[plan_step_slot(s, i)] = 0;
	if (!plan_count_probe(p, s, NULL, to, from, up, jumps > 0))
		return false;
	for (uint32_t i = 0; i < s->p->site_count; i++) {
		stays = stays || plan_edit_stays(s, i);
		gone = gone || plan_step_gone(s, s->site + i);
	}
	if (p->edits.count + p->uprobes.count > edits)
		return true;
	if (gone)
		plan_step_skip(item, PROBES_SKIP_UNLOADED, PLAN_UNMAPPED PLAN_NOTHING_LEFT);
	else if (stays)
		plan_step_skip(item, PROBES_SKIP_AGREES, PLAN_AGREES);
	return true;
}

int plan_restore(struct plan *p, const size_t *which, size_t count, const struct plan_parts *undo,
	struct probes_error *e)
{
	for (size_t i = 0; i < count; i++) {
		struct probes_item *item;
		const int32_t *delta;
		struct plan_step s;
		size_t slots;

		if (!plan_open_step(p, which[i], &s))
			return error_memory(e, "a plan");
		if (s.h->info.gone) {
			item = plan_item(p, s.probe, PROBES_DISABLE);
			if (!item)
				return error_memory(e, "a plan");
			plan_step_skip(item, PROBES_SKIP_UNLOADED, PLAN_UNLOADED PLAN_NOTHING_LEFT);
			continue;
		}
		s.undo = &undo[s.p->object];
		if (s.undo->gone && s.all_held)
			s.all_held = plan_step_all_held(&s);
		delta = s.undo->of[PLAN_SEMAPHORE];
		slots = s.h->semaphore_count;
		if (delta && !s.view->remaining) {
			s.view->remaining = calloc(slots + 1, sizeof *delta);
			if (!s.view->remaining)
				return error_memory(e, "a plan");
			memcpy(s.view->remaining, delta, slots * sizeof *delta);
		}
		if (!plan_restore_probe(p, &s))
			return error_memory(e, "a plan");
	}
	return 0;
}
