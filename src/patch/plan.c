/* Computing plans; the rules are DESIGN "What enabling means". */
#include "patch/plan.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int plan_init(struct plan *p, const struct catalog *c, struct probes_error *e)
{
	*p = (struct plan){.catalog = c, .epoch = 1};
	array_init(&p->edits, sizeof(struct probes_edit));
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
		free(p->views[i].touched);
		free(p->views[i].left);
		semaphore_sites_done(&p->views[i].counted);
		free(p->views[i].theirs);
	}
	free(p->views);
	p->views = NULL;
	array_done(&p->edits);
	array_done(&p->checks);
	array_done(&p->refcount_sites);
	array_done(&p->items);
	for (size_t i = 0; i < p->texts.count; i++)
		free(*ARRAY_AT(&p->texts, char *, i));
	array_done(&p->texts);
	array_done(&p->targets);
}

/* ---- the view ---- */

static bool plan_open_view(struct plan_view *v, const struct object_probes *h)
{
	if (v->values)
		return true;
	v->values = calloc(h->semaphore_count + 1, sizeof *v->values);
	v->on = calloc(h->site_count + 1, sizeof *v->on);
	v->touched = calloc(h->semaphore_count + 1, sizeof *v->touched);
	if (!v->values || !v->on || !v->touched || !semaphore_sites_init(&v->counted, h))
		return false;
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

static bool plan_open_step(struct plan *p, size_t probe, struct plan_step *s)
{
	size_t local;

	s->h = catalog_find(p->catalog, probe, &local);
	s->p = &s->h->probes[local];
	s->probe = probe;
	s->site = object_probes_site(s->h, s->p);
	s->semaphore = object_probes_semaphore(s->h, s->p);
	s->limit = kind_provider(s->p->provider)->limit;
	s->all_held = s->p->semaphore_count > 1 ? plan_step_all_held(s) : 0;
	s->view = &p->views[s->p->object];
	s->texts = &p->texts;
	return plan_open_view(s->view, s->h);
}

/* ---- writes ---- */

/* Append an edit, and return what verify will compare besides the edit; NULL: no memory. */
static struct plan_check *plan_add(
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

static bool plan_write_site(struct plan *p, const struct plan_step *s, uint32_t i, bool on)
{
	size_t index = s->site + i;
	struct plan_check *c;

	if (s->view->on[index] == on)
		return true;
	c = plan_add(p, s, i, kind_of(s->p)->edit(s->p->sites[i].address, on));
	if (!c)
		return false;
	c->guard = s->p->sites[i].address;
	c->guard_at = kind_of(s->p)->site->fixed_at;
	memcpy(c->bytes, s->h->original[index], ARCH_SITE_BYTES);
	s->view->on[index] = on;
	return true;
}

static bool plan_guard_by(const struct plan_step *s, size_t site, struct plan_check *c)
{
	if (s->h->site_live[site].count < ARCH_SITE_BYTES)
		return false;
	c->guard = s->h->sites[site].address;
	c->guard_at = kind_of(s->p)->site->fixed_at;
	memcpy(c->bytes, s->h->original[site], ARCH_SITE_BYTES);
	return true;
}

/*
 * A count is written only where its code still is: the object may have been unloaded and another
 * mapped in its place. The bytes behind the nop, or behind the switched byte, nobody's switching
 * changes. A site that counts there proves it, else any of the probe.
 */
static void plan_guard(
	const struct plan_step *s, const uint32_t *counting, uint32_t count, struct plan_check *c)
{
	for (uint32_t i = 0; i < count; i++)
		if (plan_guard_by(s, counting[i], c))
			return;
	for (uint32_t i = 0; i < s->p->site_count; i++)
		if (plan_guard_by(s, s->site + i, c))
			return;
}

/*
 * Uprobes at the sites that count there are what the kernel counts in a semaphore that it shares.
 * Where names share it each of them asks for all of these: of very many, for so many.
 */
static bool plan_add_refcount_sites(struct plan *p, const struct plan_step *s,
	const uint32_t *counting, uint32_t count, struct plan_check *c)
{
	if (count == 1 && c->guard == s->h->sites[counting[0]].address) {
		c->guard_counts = true;
		return true;
	}
	if (s->h->same && count > PLAN_WITNESSES)
		count = PLAN_WITNESSES;
	c->refcount_site = (uint32_t)p->refcount_sites.count;
	c->refcount_site_count = count;
	if (!array_reserve(&p->refcount_sites, count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		*(struct plan_refcount_site *)array_add(&p->refcount_sites) =
			(struct plan_refcount_site){.address = s->h->sites[counting[i]].address,
				.own = s->h->original[counting[i]][0]};
	return true;
}

static bool plan_write_semaphore(struct plan *p, const struct plan_step *s, uint32_t i, uint32_t to)
{
	uint32_t slot = plan_step_slot(s, i), from = s->view->values[slot];
	const uint32_t *counting;
	struct plan_check *c;
	uint32_t count;

	if (from == to)
		return true;
	c = plan_add(p, s, i, edit_semaphore(s->p->semaphores[i].address, from, to));
	if (!c)
		return false;
	counting = semaphore_sites_of(&s->view->counted, slot, &count);
	plan_guard(s, counting, count, c);
	s->view->values[slot] = to;
	c->shared = s->limit == KIND_SHARED_LIMIT;
	return !c->shared || plan_add_refcount_sites(p, s, counting, count, c);
}

/* Was this probe, or what it shares, written in the batch so far? */
static bool plan_touched(const struct plan *p, const struct plan_step *s)
{
	for (uint32_t i = 0; i < s->p->semaphore_count; i++)
		if (s->view->touched[plan_step_slot(s, i)] == p->epoch)
			return true;
	return false;
}

/*
 * A batch is looked at as a whole before it is written: a step that looks at what was written
 * before it begins another.
 */
static void plan_end_step(struct plan *p, const struct plan_step *s, size_t first)
{
	if (p->edits.count == first)
		return;
	if (plan_touched(p, s)) {
		ARRAY_AT(&p->checks, struct plan_check, first)->cut = true;
		p->epoch++;
	}
	for (uint32_t i = 0; i < s->p->semaphore_count; i++)
		s->view->touched[plan_step_slot(s, i)] = p->epoch;
}

/* Sites that must follow their semaphore from its value now to `to`. */
static bool plan_write_sites(struct plan *p, const struct plan_step *s, const uint32_t *to,
	const uint32_t *from, bool always)
{
	for (uint32_t i = 0; kind_of(s->p)->edit && i < s->p->site_count; i++) {
		uint32_t k = s->p->sites[i].semaphore;

		if (k == PROBES_NONE)
			continue;
		if (!always && (from[k] > 0) == (to[k] > 0))
			continue;
		if (!plan_write_site(p, s, i, to[k] > 0))
			return false;
	}
	return true;
}

static bool plan_write_semaphores(struct plan *p, const struct plan_step *s, const uint32_t *to)
{
	for (uint32_t i = 0; i < s->p->semaphore_count; i++)
		if (!plan_write_semaphore(p, s, i, to[i]))
			return false;
	return true;
}

/* Write one probe: its semaphores to `to`, its sites after or before them. */
static bool plan_write_probe(struct plan *p, const struct plan_step *s, const uint32_t *to,
	const uint32_t *from, bool up, bool always)
{
	size_t first = p->edits.count;
	bool fits;

	if (up)
		fits = plan_write_sites(p, s, to, from, always) && plan_write_semaphores(p, s, to);
	else
		fits = plan_write_semaphores(p, s, to) && plan_write_sites(p, s, to, from, always);
	if (fits)
		plan_end_step(p, s, first);
	return fits;
}

/* ---- items ---- */

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

/* ---- switching ---- */

/* Room for two values of each of so many semaphores; the same room each time. */
static uint32_t *plan_targets(struct plan *p, uint32_t count)
{
	return array_reserve(&p->targets, 2 * (size_t)count + 1) ? p->targets.data : NULL;
}

static bool plan_switch_probe(struct plan *p, const struct plan_step *s,
	const struct plan_mode *mode, enum probes_verb verb)
{
	uint32_t count = s->p->semaphore_count, *to = plan_targets(p, count), *from = to + count;

	if (!to)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		from[i] = plan_step_value(s, i);
		to[i] = plan_step_target(from[i], verb, mode->force);
	}
	return plan_write_probe(p, s, to, from, verb == PROBES_ENABLE, mode->force);
}

static int plan_refuse(
	const struct plan_step *s, const struct probes_item *item, struct probes_error *e)
{
	bool skipped = item->outcome == PROBES_SKIPPED;

	error_set(e, skipped ? PROBES_FAILED : PROBES_REFUSED, skipped ? -EALREADY : -EBUSY,
		"cannot %s %s:%s", item->verb == PROBES_ENABLE ? "enable" : "disable",
		s->p->provider, s->p->name);
	error_why(e, "%s", item->why);
	if (!strcmp(item->why, PLAN_INCONSISTENT))
		return error_hint(e, "-force sets code and semaphore alike");
	return error_hint(e, skipped ? "see its state with info" : "see its sites with list");
}

/* Room for all at once: growing step by step would copy megabytes, each time to fresh pages. */
static bool plan_reserve(struct plan *p, const struct selected *chosen, size_t count)
{
	size_t writes = 0;

	for (size_t i = 0; i < count; i++) {
		const struct probes_probe *probe = catalog_probe(p->catalog, chosen[i].probe);

		writes += (size_t)probe->site_count + probe->semaphore_count;
	}
	return array_reserve(&p->items, count) && array_reserve(&p->edits, writes) &&
	       array_reserve(&p->checks, writes);
}

int plan_switch(struct plan *p, const struct selected *chosen, size_t count,
	const struct plan_mode *mode, struct probes_error *e)
{
	const struct selected *refused = NULL;
	size_t refused_item = 0;

	if (!plan_reserve(p, chosen, count))
		return error_memory(e, "a plan");
	for (size_t i = 0; i < count; i++) {
		struct plan_step s;
		struct probes_item *item = plan_item(p, chosen[i].probe, chosen[i].verb);

		if (!item || !plan_open_step(p, chosen[i].probe, &s))
			return error_memory(e, "a plan");
		if (plan_step_check(&s, mode->force, chosen[i].verb, item)) {
			if (!plan_switch_probe(p, &s, mode, chosen[i].verb))
				return error_memory(e, "a plan");
		} else if (chosen[i].named && !refused) {
			refused = &chosen[i];
			refused_item = i;
		}
	}
	if (refused) {
		struct plan_step s;

		plan_open_step(p, refused->probe, &s);
		return plan_refuse(&s, ARRAY_AT(&p->items, struct probes_item, refused_item), e);
	}
	return 0;
}

/* ---- taking back ---- */

static bool plan_open_restore(
	struct plan_step *s, const int32_t *const *deltas, const struct probes_probe *p)
{
	size_t count = s->h->semaphore_count;

	if (s->view->left || !deltas[p->object])
		return true;
	s->view->left = calloc(count + 1, sizeof *s->view->left);
	if (s->view->left)
		memcpy(s->view->left, deltas[p->object], count * sizeof *s->view->left);
	return s->view->left;
}

/* Where each semaphore goes when our part is taken back, never beyond 0 and the limit. */
static bool plan_restore_targets(const struct plan_step *s, uint32_t *to, uint32_t *from, bool *up)
{
	bool any = false;

	for (uint32_t i = 0; i < s->p->semaphore_count; i++) {
		uint32_t slot = plan_step_slot(s, i);
		int64_t value = from[i] = to[i] = plan_step_value(s, i);

		if (value == PROBES_NONE || !s->view->left || !s->view->left[slot])
			continue;
		value -= s->view->left[slot];
		*up = s->view->left[slot] < 0;
		to[i] = value < 0 ? 0 : value > s->limit ? s->limit : (uint32_t)value;
		any = true;
	}
	return any;
}

/* Undo a count that probes share once. */
static void plan_restore_settle(const struct plan_step *s)
{
	for (uint32_t i = 0; s->view->left && i < s->p->semaphore_count; i++)
		s->view->left[plan_step_slot(s, i)] = 0;
}

/*
 * Would the undo change a site that another tool holds, or lower a count below the part of uprobes?
 * Then the whole probe stays as it is, until the other tools have gone and the count is clear.
 */
static bool plan_restore_check(const struct plan_step *s, const uint32_t *to, const uint32_t *from,
	bool follow, struct probes_item *item)
{
	for (uint32_t i = 0; kind_of(s->p)->edit && i < s->p->site_count; i++) {
		uint32_t k = s->p->sites[i].semaphore;

		if (k != PROBES_NONE && (follow || (from[k] > 0) != (to[k] > 0)) &&
			!plan_step_foreign(s, true, PROBES_DISABLE, item))
			return false;
	}
	if (!plan_step_readable(s, item))
		return false;
	for (uint32_t i = 0; i < s->p->semaphore_count; i++)
		if (plan_step_steals(s, i, to[i])) {
			plan_step_not(item, PROBES_NOT_DONE, PLAN_THEIRS);
			return false;
		}
	return true;
}

/*
 * Where a count would go below 0, somebody took our part away. If another session did, and will add
 * it again when it takes back, our part is not settled: it comes back with that.
 */
static bool plan_restore_lowered(
	struct plan *p, const struct plan_step *s, const uint32_t *from, struct probes_item *item)
{
	for (uint32_t i = 0; s->view->left && i < s->p->semaphore_count; i++) {
		const struct plan_lowered *by;

		if (s->view->left[plan_step_slot(s, i)] <= (int64_t)from[i])
			continue;
		p->below = true;
		by = plan_step_lowered(p->lowered, s->p->semaphores[i].address);
		if (by) {
			plan_step_not_lowered(s, by, item);
			return false;
		}
	}
	return true;
}

static bool plan_restore_probe(struct plan *p, struct plan_step *s, bool follow)
{
	uint32_t count = s->p->semaphore_count, *to = plan_targets(p, count), *from = to + count;
	struct probes_item *item;
	bool up = false, any;

	if (!to)
		return false;
	any = plan_restore_targets(s, to, from, &up);
	if (!any && (!follow || s->p->broken || plan_step_consistent(s)))
		return true;
	item = plan_item(p, s->probe, up ? PROBES_ENABLE : PROBES_DISABLE);
	if (item && s->p->broken)
		plan_step_not(item, PROBES_NOT_DONE, s->p->broken);
	if (!item || s->p->broken || !plan_restore_check(s, to, from, follow, item) ||
		!plan_restore_lowered(p, s, from, item))
		return item;
	plan_restore_settle(s);
	return plan_write_probe(p, s, to, from, up, follow);
}

/* What was changed in an object that is mapped no more went with it. */
static bool plan_restore_unloaded(struct plan *p, const struct plan_step *s)
{
	struct probes_item *item = plan_item(p, s->probe, PROBES_DISABLE);

	if (item)
		plan_step_not(
			item, PROBES_SKIPPED, PLAN_UNLOADED ": nothing is left to undo there");
	return item;
}

int plan_restore(struct plan *p, const size_t *which, size_t count, const int32_t *const *deltas,
	bool follow, struct probes_error *e)
{
	for (size_t i = 0; i < count; i++) {
		struct plan_step s;

		if (!plan_open_step(p, which[i], &s))
			return error_memory(e, "a plan");
		if (s.h->info.gone) {
			if (!plan_restore_unloaded(p, &s))
				return error_memory(e, "a plan");
			continue;
		}
		if (!plan_open_restore(&s, deltas, s.p) || !plan_restore_probe(p, &s, follow))
			return error_memory(e, "a plan");
	}
	return 0;
}
