/*
 * The public calls that change a process: switch, revert one switch, restore
 * what was found.
 */
#include "session/session.h"

#include "base/error.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a child inherited ---- */

bool switch_take_over(
	struct probes_session *s, struct object_probes *h, size_t local, struct plan_parts *undo)
{
	const struct probes_probe *p = &h->probes[local];
	size_t first = object_probes_site(h, p);

	if (!owner_inherit(s, h, local) || !owner_adopt(s, h, local, false) ||
		!ownership_open_parts(undo, h, PLAN_COUNTER) ||
		!ownership_open_parts(undo, h, PLAN_SEMAPHORE))
		return false;
	for (uint32_t k = 0; k < p->site_count; k++)
		undo->of[PLAN_COUNTER][first + k] = h->jumps[first + k].taken;
	for (uint32_t k = 0; k < p->semaphore_count; k++)
		undo->of[PLAN_SEMAPHORE][ownership_index(h, p, PLAN_SEMAPHORE, k)] =
			h->jumps[first].raised;
	return true;
}

/* Has a probe a jump to inherited counters that nobody owns, and that may be removed? */
static bool switch_is_inherited(
	const struct probes_session *s, const struct object_probes *h, size_t local, bool stop)
{
	const struct probes_probe *p = &h->probes[local];
	size_t first = object_probes_site(h, p);
	bool any = false;

	for (uint32_t k = 0; h->jumps && k < p->site_count; k++) {
		const struct object_jump *j = &h->jumps[first + k];

		if (!owner_has_none(h, (uint32_t)first + k))
			continue;
		if (j->tactic == PROBES_TACTIC_EVICTED && !stop)
			return false;
		any = any || arena_is_shared(ARRAY_AT(&s->arenas, struct arena, j->arena));
	}
	return any;
}

/*
 * Before probes are counted: remove the jumps to counters that a forked child inherited and that
 * nobody owns, so that it gets counters of its own. Other processes count in those.
 */
static int switch_renew(struct probes_session *s, const struct change *c, struct probes_error *e)
{
	struct change renew = {
		.plan = switch_plan_undo, .options.max_stop_ms = c->options.max_stop_ms};
	struct probes_result *result = NULL;
	size_t objects = s->catalog.objects.count;
	struct array which = ARRAY_OF(size_t);
	bool fits = true;
	int r = jumps_look(s, e);

	if (r < 0 || !s->arenas.count)
		return r;
	r = read_probes(s, c->which, c->count, e);
	if (r < 0)
		return r;
	sharers_look(s);
	owner_look(s);
	renew.undo = calloc(objects + 1, sizeof *renew.undo);
	ARRAY_EACH_WHILE(renew.undo &&fits, const struct selected, one, c->chosen) {
		size_t local;
		struct object_probes *h = catalog_find(&s->catalog, one->probe, &local);

		if (one->verb != PROBES_COUNT || h->info.gone ||
			!switch_is_inherited(s, h, local, c->options.atomically))
			continue;
		fits = array_push(&which, &(size_t){one->probe}) &&
		       switch_take_over(s, h, local, &renew.undo[h->probes[local].object]);
	}
	renew.which = which.data;
	renew.count = which.count;
	if (!renew.undo || !fits)
		r = error_memory(e, "a selection");
	if (r == 0 && renew.count)
		r = change_execute(s, &renew, &result, e);
	probes_result_free(result);
	ownership_free_parts(renew.undo, objects);
	array_done(&which);
	return r;
}

/* ---- switching ---- */

static int switch_plan(
	struct probes_session *s, const struct change *c, struct plan *p, struct probes_error *e)
{
	return plan_switch(p, c->chosen->data, c->chosen->count, &c->options, e);
}

int probes_switch(struct probes_session *s, const struct probes_action *actions, size_t count,
	const struct probes_switch_options *o, struct probes_result **result,
	struct probes_error *e)
{
	struct change c = {
		.plan = switch_plan, .options = o ? *o : (struct probes_switch_options){0}};
	size_t *which = NULL, ignored = 0, already = 0;
	struct array chosen = ARRAY_OF(struct selected);
	int r;

	*result = NULL;
	s->interrupts = s->interrupts || (o && o->atomically && !o->dry_run);
	c.options.keep_counts &= c.options.force;
	c.options.force |= s->held;
	c.options.atomically |= s->held;
	r = select_actions(&s->catalog, s, actions, count, o, &chosen, e);
	if (r == 0 && !(which = calloc(chosen.count + 1, sizeof *which)))
		r = error_memory(e, "a selection");
	ARRAY_EACH_WHILE(r == 0, const struct selected, one, &chosen) {
		bool enable = one->verb == PROBES_ENABLE;

		c.counts = c.counts || one->verb == PROBES_COUNT;
		/* A program that has not begun has nothing to disable; and a session is one party:
		   it does not raise again what it holds enabled. */
		if (s->held && one->verb == PROBES_DISABLE) {
			ignored++;
		} else if (o && o->once && !o->force && enable &&
			   probes_live_at(s, one->probe)->mine_enabled) {
			already++;
		} else {
			which[c.count] = one->probe;
			*ARRAY_AT(&chosen, struct selected, c.count++) = *one;
		}
	}
	if (ignored)
		log_say(&s->log, PROBES_LOG_NOTICE,
			"disabling is ignored when a program is started: %zu probes stay as they "
			"are",
			ignored);
	c.chosen = &chosen;
	c.which = which;
	if (r == 0 && already && !c.count) {
		*result = calloc(1, sizeof **result);
		if (*result)
			(*result)->dry_run = c.options.dry_run;
		else
			r = error_memory(e, "a result");
	} else if (r == 0) {
		chosen.count = c.count;
		if (c.counts && !c.options.dry_run)
			r = switch_renew(s, &c, e);
		if (r == 0)
			r = change_execute(s, &c, result, e);
	}
	if (*result)
		(*result)->already = already;
	free(which);
	array_done(&chosen);
	return r;
}

/* ---- undoing ---- */

void probes_set_lock_timeout(struct probes_session *s, unsigned milliseconds)
{
	s->lock_timeout_ms = milliseconds < INT_MAX ? milliseconds : INT_MAX;
}

/*
 * Where a count would go below 0, another session took this session's part away: if its journal
 * says so, it will raise the count again.
 */
int switch_plan_undo(
	struct probes_session *s, const struct change *c, struct plan *p, struct probes_error *e)
{
	struct array lowered = ARRAY_OF(struct plan_lowered);
	struct array journals = ARRAY_OF(struct journal_found);
	int r = plan_restore(p, c->which, c->count, c->undo, e);

	if (r < 0 || !p->below)
		return r;
	if ((!c->journals && !journals_find(s, &journals)) ||
		!journals_lowered(s, c->journals ? c->journals : &journals, &lowered))
		r = error_memory(e, "the journals");
	if (r == 0 && lowered.count) {
		plan_done(p);
		r = plan_init(p, &s->catalog, e);
		p->lowered = &lowered;
		if (r == 0)
			r = plan_restore(p, c->which, c->count, c->undo, e);
		p->lowered = NULL;
	}
	journal_found_done(&journals);
	array_done(&lowered);
	return r;
}

/*
 * What was unloaded meanwhile must not prevent the undo of the rest. Called before anything is laid
 * out, since objects may be added. If the maps cannot be read, the undo goes on without.
 */
static void switch_rescan(struct probes_session *s, struct array *lost)
{
	struct probes_rescanned ignored;
	struct probes_error e;

	if (rescan_objects(s, &ignored, lost, &e) < 0)
		log_say(&s->log, PROBES_LOG_DEBUG, "%s: %s", e.what, e.why);
}

int probes_revert(struct probes_session *s, const struct probes_result *done,
	struct probes_result **result, struct probes_error *e)
{
	struct change c = {.plan = switch_plan_undo, .count = done->item_count};
	struct plan_parts *undo;
	size_t *which, objects;
	int r = 0;

	*result = NULL;
	if (done->dry_run) {
		error_set(e, PROBES_USAGE, -EINVAL, "cannot undo a dry run");
		return error_why(e, "it changed nothing");
	}
	switch_rescan(s, NULL);
	objects = s->catalog.objects.count;
	undo = calloc(objects + 1, sizeof *undo);
	which = calloc(done->item_count + 1, sizeof *which);
	if (!undo || !which)
		r = error_memory(e, "an undo");
	/* Backwards: a pair is undone in the order that loses no end. */
	for (size_t i = 0; r == 0 && i < done->item_count; i++)
		which[i] = done->items[done->item_count - 1 - i].probe;
	for (size_t i = 0; r == 0 && i < done->edit_count; i++) {
		size_t local;
		const struct object_probes *h =
			catalog_find(&s->catalog, done->edits[i].probe, &local);
		struct plan_parts *parts = &undo[h->probes[local].object];
		struct ownership_resource of = ownership_resource(h, local, &done->edits[i]);

		if (of.kind == PLAN_RESOURCES)
			continue; /* code that follows its count */
		if (!ownership_open_parts(parts, h, of.kind))
			r = error_memory(e, "an undo");
		else
			parts->of[of.kind][of.index] += of.part;
	}
	/* It counts no longer where it counted by jumps that were there. */
	for (size_t i = 0; r == 0 && i < done->item_count; i++) {
		size_t local;
		const struct object_probes *h =
			catalog_find(&s->catalog, done->items[i].probe, &local);
		struct plan_parts *parts = &undo[h->probes[local].object];

		for (uint32_t k = 0; done->items[i].verb == PROBES_COUNT && h->jumps &&
				     k < h->probes[local].site_count;
			k++) {
			uint32_t site = ownership_index(h, &h->probes[local], PLAN_COUNTER, k);

			if (!h->jumps[site].taken || ownership_part(h, PLAN_COUNTER, site) <= 0)
				continue;
			if (!ownership_open_parts(parts, h, PLAN_COUNTER))
				r = error_memory(e, "an undo");
			else
				parts->of[PLAN_COUNTER][site] = 1;
		}
	}
	for (size_t i = 0; r == 0 && i < objects; i++)
		ownership_forget_reconciled(catalog_object(&s->catalog, i), &undo[i]);
	for (size_t i = 0; r == 0 && i < objects; i++)
		if (catalog_object(&s->catalog, i)->ownership)
			undo[i].torn = catalog_object(&s->catalog, i)->ownership->parts.torn;
	c.which = which;
	c.undo = undo;
	if (r == 0)
		r = change_execute(s, &c, result, e);
	ownership_free_parts(undo, objects);
	free(which);
	return r;
}

/* A probe and when it was switched. */
struct switch_owned {
	size_t probe;
	uint32_t seq;
};

static int switch_latest_first(const void *a, const void *b)
{
	const struct switch_owned *x = a, *y = b;

	return (x->seq < y->seq) - (x->seq > y->seq);
}

/* The probes that hold a part of this session, latest first, and those that are lost; NULL: no
 * memory. The caller frees. */
static size_t *switch_list_owned(
	const struct probes_session *s, uint32_t until, const struct array *lost, size_t *count)
{
	struct array owned = ARRAY_OF(struct switch_owned);
	bool fits = true;
	size_t *which;

	for (const struct object_probes *h = catalog_first(&s->catalog); h; h = h->next)
		for (size_t k = 0; h->ownership && fits && k < h->probe_count; k++) {
			uint32_t seq = h->ownership->switch_seq[k];

			if (!seq || seq > until || !ownership_owns(h, &h->probes[k]))
				continue;
			fits = array_push(
				&owned, &(struct switch_owned){h->info.first_probe + k, seq});
		}
	if (owned.count)
		qsort(owned.data, owned.count, owned.size, switch_latest_first);
	*count = owned.count + lost->count;
	which = fits ? calloc(*count + 1, sizeof *which) : NULL;
	for (size_t i = 0; which && i < owned.count; i++)
		which[i] = ARRAY_AT(&owned, struct switch_owned, i)->probe;
	if (which && lost->count)
		memcpy(which + owned.count, lost->data, lost->count * sizeof *which);
	array_done(&owned);
	return which;
}

int switch_restore_until(struct probes_session *s, uint32_t until, struct probes_result **result,
	struct probes_error *e)
{
	struct change c = {.plan = switch_plan_undo};
	struct plan_parts *undo;
	struct array lost = ARRAY_OF(size_t);
	size_t *which;
	bool mended;
	int r = 0;

	*result = NULL;
	if (!s->switch_seq)
		return 0;
	switch_rescan(s, &lost);
	c.which = which = switch_list_owned(s, until, &lost, &c.count);
	array_done(&lost);
	c.undo = undo = calloc(s->catalog.objects.count + 1, sizeof *undo);
	for (size_t i = 0; undo && i < s->catalog.objects.count; i++)
		if (catalog_object(&s->catalog, i)->ownership)
			undo[i] = catalog_object(&s->catalog, i)->ownership->parts;
	if (!which || !undo)
		r = error_memory(e, "an undo");
	else if (c.count)
		r = change_execute(s, &c, result, e);
	/* Nothing is torn any more, even if another tool mended it. */
	mended = r == 0 && until == UINT32_MAX && *result && !(*result)->not_done;
	for (struct object_probes *h = catalog_first(&s->catalog); mended && h; h = h->next) {
		if (!h->ownership)
			continue;
		memset(h->ownership->parts.torn, 0, h->probe_count);
		for (uint32_t k = 0; k < h->semaphore_count; k++)
			h->ownership->changes[k].reconciled = 0;
	}
	/* What could not be undone must stay on record. */
	if (r < 0 && e->status != PROBES_GONE)
		s->keep_journal = true;
	free(which);
	free(undo);
	return r;
}

int probes_restore(struct probes_session *s, struct probes_result **result, struct probes_error *e)
{
	return switch_restore_until(s, UINT32_MAX, result, e);
}
