/*
 * Computing plans. Enabling adds 1 to every semaphore of a probe, disabling subtracts 1; at 0 -> 1
 * its sites are switched on, at 1 -> 0 off. Taking back subtracts what a session added.
 */
#include "patch/plan.h"

#include "base/error.h"
#include "probe/kind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int plan_init(struct plan *p, const struct catalog *c, struct probes_error *e)
{
	*p = (struct plan){.catalog = c, .epoch = 1};
	array_init(&p->edits, sizeof(struct probes_edit));
	array_init(&p->uprobes, sizeof(struct probes_edit));
	array_init(&p->checks, sizeof(struct plan_check));
	array_init(&p->refcount_sites, sizeof(struct plan_refcount_site));
	array_init(&p->items, sizeof(struct probes_item));
	array_init(&p->texts, sizeof(char *));
	array_init(&p->targets, sizeof(uint32_t));
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
	s->all_held = s->p->semaphore_count > 1 ? plan_step_all_held(s) : 0;
	s->view = v = &p->views[s->p->object];
	s->undo = NULL;
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

/* ---- edits ---- */

struct plan_check *plan_add(
	struct plan *p, const struct plan_step *s, uint32_t index, struct probes_edit edit)
{
	struct probes_edit *slot = array_add(&p->edits);
	struct plan_check *c = array_add(&p->checks);

	edit.probe = s->probe;
	edit.index = index;
	if (slot)
		*slot = edit;
	return slot ? c : NULL;
}

/* Where jumps are known, neighbours may be counted: what was read just now, and what is planned. */
void plan_guard(const struct plan_step *s, size_t site, struct plan_check *c)
{
	const struct object_jump *j = s->h->jumps ? &s->h->jumps[site] : NULL;
	const struct probes_site_live *live = &s->h->site_live[site];

	c->guard = s->h->sites[site].address;
	c->guard_at = kind_of(s->p)->site->fixed_at;
	memcpy(c->bytes, s->h->original[site], ARCH_SITE_BYTES);
	if (!j)
		return;
	if (live->count >= ARCH_SITE_BYTES && live->state != PROBES_FOREIGN)
		memcpy(c->bytes, live->bytes, ARCH_SITE_BYTES);
	if (s->view->counted[site])
		memcpy(c->bytes, j->new_, j->length);
	else if (live->counted)
		memcpy(c->bytes, j->old, j->length);
	c->guard_varies = j->vary;
}

/* What is to be undone of the code of a site. */
static int32_t plan_code_part(const struct plan_step *s, uint32_t i)
{
	return s->undo && s->undo->of[PLAN_CODE] ? s->undo->of[PLAN_CODE][s->site + i] : 0;
}

/* Was the probe caught between the writes of the change that is undone? */
static bool plan_torn(const struct plan_step *s)
{
	return s->undo && s->undo->torn && s->undo->torn[s->p - s->h->probes];
}

/* Is the site's code still as the change that is undone left it? */
static bool plan_code_stays(const struct plan_step *s, uint32_t i)
{
	int32_t part = plan_code_part(s, i);

	return part && s->view->on[s->site + i] == (part > 0);
}

/*
 * Does an undo set a site to what its count says, though that stays 0 or stays > 0? Then code and
 * count may disagree because of the change that is undone: others have moved the count since, and
 * not the code. What the change found is never written back where that disagrees with the count: it
 * was inconsistent, and by now somebody else may rely on the code.
 */
static bool plan_code_follows(const struct plan_step *s, uint32_t i)
{
	const int32_t *parts = s->undo ? s->undo->of[PLAN_SEMAPHORE] : NULL;

	if (plan_torn(s) || plan_code_part(s, i))
		return plan_torn(s) || plan_code_stays(s, i);
	/* Nobody can tell what another tool keeps below the bytes that it has put there. */
	return parts && parts[plan_step_slot(s, s->p->sites[i].semaphore)] &&
	       s->h->site_live[s->site + i].state != PROBES_FOREIGN;
}

/* Sites follow their semaphore where it goes to or from 0, or always. */
static bool plan_edit_sites(struct plan *p, const struct plan_step *s, const uint32_t *to,
	const uint32_t *from, bool always)
{
	for (uint32_t i = 0; kind_switches(s->p) && i < s->p->site_count; i++) {
		uint32_t k = s->p->sites[i].semaphore;
		size_t site = s->site + i;
		struct probes_edit edit;
		struct plan_check *c;
		bool crosses, on;

		if (k == PROBES_NONE)
			continue;
		crosses = (from[k] > 0) != (to[k] > 0);
		on = to[k] > 0;
		/* The code that counts looks at the semaphore itself. */
		if (s->view->counted && s->view->counted[site] &&
			object_probes_replaced(s->h, site)) {
			s->view->on[site] = on;
			continue;
		}
		if (s->view->on[site] == on || !(crosses || always || plan_code_follows(s, i)))
			continue;
		edit = kind_of(s->p)->edit(s->p->sites[i].address, on);
		if (s->undo ? plan_code_part(s, i) != 0 : !crosses)
			edit.role = PROBES_ROLE_CODE_ALONE;
		c = plan_add(p, s, i, edit);
		if (!c)
			return false;
		plan_guard(s, site, c);
		s->view->on[site] = on;
	}
	return true;
}

/* The byte that a site has at ARCH_HELD_AT while no other tool holds it. */
static uint8_t plan_own_byte(const struct plan_step *s, size_t site)
{
	if (s->view->counted && s->view->counted[site])
		return s->h->jumps[site].new_[ARCH_HELD_AT];
	return s->h->original[site][ARCH_HELD_AT];
}

static bool plan_edit_semaphore(struct plan *p, const struct plan_step *s, uint32_t i, uint32_t to)
{
	uint32_t slot = plan_step_slot(s, i), from = s->view->values[slot], count;
	const uint32_t *counting = semaphore_sites_of(&s->view->counting, slot, &count);
	struct plan_check *c;

	if (from == to)
		return true;
	c = plan_add(p, s, i, edit_semaphore(s->p->semaphores[i].address, from, to));
	if (!c)
		return false;
	s->view->values[slot] = to;
	/* A count is written only where its code still is: the object may have been unloaded and
	   another mapped in its place. A site that counts there proves it, else any of the probe.
	 */
	for (uint32_t k = 0; !c->guard && k < count + s->p->site_count; k++) {
		size_t site = k < count ? counting[k] : s->site + (k - count);

		if (s->h->site_live[site].count >= ARCH_SITE_BYTES)
			plan_guard(s, site, c);
	}
	c->shared = s->limit == KIND_SHARED_LIMIT;
	if (!c->shared)
		return true;
	if (count == 1 && c->guard == s->h->sites[counting[0]].address) {
		c->guard_counts = true;
		return true;
	}
	/* The kernel counts one per uprobe on these sites; capped where probes share the semaphore.
	 */
	if (s->h->same && count > PLAN_REFCOUNT_SITES)
		count = PLAN_REFCOUNT_SITES;
	c->refcount_site = (uint32_t)p->refcount_sites.count;
	c->refcount_site_count = count;
	if (!array_reserve(&p->refcount_sites, count))
		return false;
	for (uint32_t k = 0; k < count; k++)
		*(struct plan_refcount_site *)array_add(&p->refcount_sites) =
			(struct plan_refcount_site){
				.address = s->h->sites[counting[k]].address + ARCH_HELD_AT,
				.own = plan_own_byte(s, counting[k])};
	return true;
}

bool plan_edit_probe(struct plan *p, const struct plan_step *s, const uint32_t *to,
	const uint32_t *from, bool up, bool always)
{
	size_t first = p->edits.count;
	bool fits = !up || plan_edit_sites(p, s, to, from, always);

	for (uint32_t i = 0; fits && i < s->p->semaphore_count; i++)
		fits = plan_edit_semaphore(p, s, i, to[i]);
	if (!fits || (!up && !plan_edit_sites(p, s, to, from, always)))
		return false;
	if (p->edits.count == first)
		return true;
	if (plan_step_touched(s, p->epoch)) {
		ARRAY_AT(&p->checks, struct plan_check, first)->cut = true;
		p->epoch++;
	}
	plan_step_touch(s, p->epoch);
	return true;
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
	const struct plan_mode *mode, struct probes_error *e)
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

		if (k != PROBES_NONE &&
			(plan_torn(s) || plan_code_part(s, i) || (from[k] > 0) != (to[k] > 0)) &&
			!plan_step_unheld(s, true, PROBES_DISABLE, item))
			return false;
	}
	if (!plan_step_readable(s, item) || !plan_count_unheld(s, item))
		return false;
	for (uint32_t i = 0; i < s->p->semaphore_count; i++)
		if (plan_step_steals(s, i, to[i]))
			return plan_step_not(item,
				"uprobes (or breakpoints) at its sites may own the rest of its "
				"count");
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
	size_t edits = p->edits.count;
	uint32_t count = s->p->semaphore_count, *to = plan_targets(p, count), *from = to + count;
	int32_t *remaining = s->view->remaining;
	struct probes_item *item;
	bool up = false, any = false, stays = false;
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
		up = up || (plan_code_part(s, i) < 0 && !any);
		jumps = jumps ? jumps : plan_count_part(s, i);
		any = any || plan_code_part(s, i) || jumps;
	}
	if (!any && (!plan_torn(s) || s->p->broken || plan_step_consistent(s)))
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
	for (uint32_t i = 0; i < s->p->site_count; i++)
		stays = stays || plan_code_stays(s, i);
	if (stays && p->edits.count == edits)
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
			plan_step_skip(item, PROBES_SKIP_UNLOADED,
				PLAN_UNLOADED ": nothing is left to undo there");
			continue;
		}
		s.undo = &undo[s.p->object];
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
