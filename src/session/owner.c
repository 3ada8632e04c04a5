/*
 * What follows from who counts (session/holder.c): the last session that counts at a site removes
 * the jump, and a jump without an owner is taken over by whoever wants it.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/procfs.h"
#include "process/tree.h"

#include <stdlib.h>
#include <string.h>

void owner_look(struct probes_session *s)
{
	struct array links = ARRAY_OF(struct tree_link);

	ARRAY_EACH(struct arena, w, &s->arenas) {
		arena_read_left(w, &s->memory);
		holder_look(s, w, &links);
	}
	array_done(&links);
	for (const struct object_probes *h = catalog_first(&s->catalog); h; h = h->next)
		for (size_t k = 0; h->jumps && k < h->site_count; k++) {
			const struct arena *w = jumps_arena(s, &h->jumps[k]);

			h->jumps[k].shared = w && w->others && w->others[h->jumps[k].entry];
		}
}

size_t owner_count_others(const struct probes_session *s, enum holder_life life)
{
	size_t count = 0;

	for (const struct object_probes *h = catalog_first(&s->catalog); h; h = h->next)
		for (size_t k = 0; h->jumps && !h->info.gone && k < h->site_count; k++) {
			const struct object_jump *j = &h->jumps[k];
			const struct arena *w = j->shared ? jumps_arena(s, j) : NULL;

			count += w && w->others && w->others[j->entry] == life && !j->mine &&
				 h->site_live[k].counted;
		}
	return count;
}

bool owner_shares(const struct arena *w)
{
	return arena_is_shared(w) && !w->elsewhere;
}

int owner_refuse_shared(
	const struct probes_session *s, const struct arena *w, struct probes_error *e)
{
	/* It was allowed, and found no room for its own. */
	const char *stop = s->interrupts ? "" : ", or allow the threads of this one to be stopped";
	char name[64];

	if (w->sharer_session < 0) {
		error_why(e,
			"a session in another pid namespace may count in process %d, which was "
			"forked from it, in the same counters",
			(int)w->sharer);
		return error_hint(e, "wait for it to end%s", stop);
	}
	if (w->sharer_session) {
		procfs_name(w->sharer_session, name, sizeof name);
		error_why(e,
			"process %d (%s) counts in process %d, which was forked from it, in the "
			"same counters",
			(int)w->sharer_session, name, (int)w->sharer);
		return error_hint(e, "wait for it to end or use -tree%s", stop);
	}
	if (w->sharer) {
		error_why(e, "process %d, which was forked from it, counts in the same counters",
			(int)w->sharer);
		return error_hint(e, "repair process %d%s", (int)w->sharer, stop);
	}
	if (w->heir.session)
		error_why(e,
			"it shares its counters with process %d, from which it was forked, and "
			"process %d counts there",
			(int)w->heir.pid, (int)(uint32_t)w->heir.session);
	else
		error_why(e, "it shares its counters with the process from which it was forked");
	if (w->heir.session)
		return error_hint(
			e, "end the count of the other process, or use -tree with that one");
	return s->interrupts ? e->code
			     : error_hint(e, "allow its threads to be stopped: it can have jumps "
					     "of its own then");
}

bool owner_has_none(const struct object_probes *h, uint32_t site)
{
	const struct object_jump *j = &h->jumps[site];

	return h->site_live[site].counted && !j->mine && !j->shared && j->length &&
	       j->tactic != PROBES_TACTIC_KERNEL && j->arena != PROBES_NONE;
}

/*
 * What was left in the semaphores of a probe is this session's now: its journal says so, as of what
 * it raises itself. False: no memory.
 */
static bool owner_take_left(
	struct probes_session *s, struct object_probes *h, size_t local, uint32_t left)
{
	const struct probes_probe *p = &h->probes[local];
	struct array edits = ARRAY_OF(struct probes_edit);
	bool fits = ownership_begin(h, PLAN_SEMAPHORE);

	fits = fits && array_reserve(&edits, p->semaphore_count);
	for (uint32_t i = 0; fits && i < p->semaphore_count; i++) {
		struct ownership_resource more = {.kind = PLAN_SEMAPHORE,
			.index = ownership_index(h, p, PLAN_SEMAPHORE, i),
			.part = (int32_t)left};
		uint32_t value = h->values[more.index];

		if (more.index != object_probes_semaphore(h, p) + i)
			continue;
		ownership_add(h, &more);
		*(struct probes_edit *)array_add(&edits) =
			edit_semaphore(h->semaphores[more.index].address, value - left, value);
	}
	/* Where no journal can be kept, the next change will say so. */
	if (fits && edits.count && journals_begin(s) == 0)
		(void)journal_record(&s->journal, JOURNAL_MADE, &edits, NULL);
	array_done(&edits);
	return fits;
}

bool owner_inherit(struct probes_session *s, struct object_probes *h, size_t local)
{
	const struct probes_probe *p = &h->probes[local];
	size_t first = object_probes_site(h, p), semaphores = object_probes_semaphore(h, p);
	uint32_t left = 0;

	for (uint32_t k = 0; h->jumps && k < p->site_count; k++) {
		const struct arena *w = jumps_arena(s, &h->jumps[first + k]);
		uint32_t entry = h->jumps[first + k].entry, here;

		if (!w || !owner_has_none(h, (uint32_t)first + k))
			continue;
		here = w->sites[entry].left + (w->orphaned ? w->orphaned[entry] : 0u);
		left = here > left ? here : left;
	}
	/* Others may have taken it away. */
	for (uint32_t i = 0; left && i < p->semaphore_count; i++)
		left = h->values[semaphores + i] < left ? h->values[semaphores + i] : left;
	if (!kind_of(p)->guarded || !p->semaphore_count || !left)
		return true;
	if (!owner_take_left(s, h, local, left))
		return false;
	h->jumps[first].raised = (uint8_t)left;
	for (uint32_t k = 0; k < p->site_count; k++) {
		const struct object_jump *j = &h->jumps[first + k];
		struct arena *w = jumps_arena(s, j);

		if (!w)
			continue;
		arena_set_left(w, &s->memory, j->entry, 0);
		holder_forget_orphaned(s, w, j->entry);
	}
	return true;
}

bool owner_adopt(struct probes_session *s, struct object_probes *h, size_t local, bool dry_run)
{
	size_t first = object_probes_site(h, &h->probes[local]);

	for (uint32_t k = 0; h->jumps && k < h->probes[local].site_count; k++) {
		struct object_jump *j = &h->jumps[first + k];
		struct ownership_resource one = {
			.kind = PLAN_COUNTER, .index = (uint32_t)first + k, .part = 1};

		if (!owner_has_none(h, (uint32_t)first + k))
			continue;
		j->mine = h->live[local].mine_counted = true;
		if (dry_run)
			continue;
		if (!ownership_begin(h, PLAN_COUNTER))
			return false;
		ownership_add(h, &one);
		j->taken = true;
		h->ownership->switch_seq[local] = ++s->switch_seq;
	}
	return true;
}

static bool owner_count(struct probes_session *s, struct object_probes *h, size_t local)
{
	const struct probes_probe *p = &h->probes[local];
	size_t first = object_probes_site(h, p);

	for (uint32_t k = 0; h->jumps && k < p->site_count; k++) {
		struct ownership_resource one = {
			.kind = PLAN_COUNTER, .index = (uint32_t)first + k, .part = 1};
		struct object_jump *j = &h->jumps[first + k];
		struct arena *w = jumps_arena(s, j);
		struct recorder_role role;

		if (!h->site_live[first + k].counted || !w ||
			ownership_part(h, PLAN_COUNTER, (uint32_t)first + k) > 0)
			continue;
		if (!ownership_begin(h, PLAN_COUNTER))
			return false;
		ownership_add(h, &one);
		j->taken = true;
		if (j->ran)
			j->base = j->hits;
		/* What a session that was killed measured there is measured no longer. */
		if (!j->shared && arena_role(w, &s->memory, j->entry, &role) &&
			role.what != RECORDER_NONE && !w->own[OWNER_PAIR] &&
			!w->own[OWNER_EVENTS] && !owner_of_state(s, w, OWNER_PAIR) &&
			!owner_of_state(s, w, OWNER_EVENTS))
			(void)arena_clear_role(w, &s->memory, j->entry);
	}
	/* Its forked children inherit what it counts, written by whomever. */
	if (!s->first_switch_ticks)
		s->first_switch_ticks = procfs_now();
	if (kind_of(p)->guarded && p->semaphore_count && h->jumps && !h->jumps[first].raised)
		h->jumps[first].raised = 1;
	return true;
}

bool owner_begin(struct probes_session *s, const struct array *chosen, bool dry_run)
{
	bool fits = true;
	size_t local;

	owner_look(s);
	if (!chosen)
		return fits;
	ARRAY_EACH_WHILE(fits, const struct selected, one, chosen) {
		struct object_probes *h = catalog_find(&s->catalog, one->probe, &local);

		if (one->verb != PROBES_COUNT && one->verb != PROBES_UNCOUNT)
			continue;
		fits = dry_run || owner_inherit(s, h, local);
		if (fits && one->verb == PROBES_UNCOUNT)
			fits = owner_adopt(s, h, local, dry_run);
	}
	return fits;
}

bool owner_end(struct probes_session *s, const struct probes_result *r)
{
	size_t local;

	for (size_t i = 0; i < r->item_count; i++) {
		struct object_probes *h = catalog_find(&s->catalog, r->items[i].probe, &local);
		const struct probes_probe *p = &h->probes[local];

		if (r->items[i].outcome != PROBES_DONE)
			continue;
		if (r->items[i].verb == PROBES_COUNT) {
			if (!ownership_begin(h, PLAN_COUNTER) || !owner_count(s, h, local))
				return false;
			h->ownership->switch_seq[local] = ++s->switch_seq;
		}
		for (uint32_t k = 0; r->items[i].verb == PROBES_UNCOUNT && k < p->site_count; k++)
			h->ownership->parts
				.of[PLAN_COUNTER][ownership_index(h, p, PLAN_COUNTER, k)] = 0;
		ownership_judge(h, local);
	}
	return true;
}

/* `wanted`, `taken`: per site. */
static void owner_reconcile_arena(
	struct probes_session *s, struct arena *w, const bool *wanted, const bool *taken)
{
	if (!w->announced && !memcmp(w->held, wanted, w->site_count))
		return;
	w->announced = false;
	arena_read_left(w, &s->memory);
	for (size_t i = 0; i < w->site_count; i++) {
		if (wanted[i] && !w->held[i] && !taken[i])
			arena_set_left(w, &s->memory, i, 0);
		w->held[i] = wanted[i];
	}
	if (!holder_say(s, w) && memory_alive(&s->memory))
		log_say(&s->log, PROBES_LOG_NOTICE,
			"process %d: it cannot be put on record that this session counts there: "
			"another one may take its counters over",
			s->who.pid);
}

void owner_reconcile(struct probes_session *s)
{
	ARRAY_EACH(struct arena, w, &s->arenas) {
		bool *wanted = calloc(2 * w->site_count + 1, sizeof *wanted), any = w->held;
		bool *taken = wanted ? wanted + w->site_count : NULL;

		for (const struct object_probes *h = catalog_first(&s->catalog); wanted && h;
			h = h->next) {
			for (uint32_t k = 0; h->jumps && h->ownership && k < h->site_count; k++) {
				struct object_jump *j = &h->jumps[k];

				if (jumps_arena(s, j) != w)
					continue;
				if (ownership_part(h, PLAN_COUNTER, k) <= 0) {
					j->taken = false;
					continue;
				}
				any = wanted[j->entry] = true;
				taken[j->entry] = j->taken;
			}
		}
		if (any && !w->held)
			w->held = calloc(w->site_count + 1, sizeof *w->held);
		if (wanted && w->held)
			owner_reconcile_arena(s, w, wanted, taken);
		free(wanted);
	}
	for (const struct object_probes *h = catalog_first(&s->catalog); h; h = h->next)
		for (size_t k = 0; h->jumps && k < h->probe_count; k++) {
			size_t first = object_probes_site(h, &h->probes[k]);
			bool counts = false;

			for (uint32_t m = 0; m < h->probes[k].site_count; m++)
				counts = counts ||
					 ownership_part(h, PLAN_COUNTER, (uint32_t)first + m) > 0;
			if (!counts && h->probes[k].site_count)
				h->jumps[first].raised = 0;
		}
}

void owner_leave(struct probes_session *s)
{
	bool alive = s->process && s->arenas.count && identity_alive(&s->who) &&
		     memory_alive(&s->memory);

	for (size_t i = 0; alive && i < s->arenas.count; i++)
		arena_read_left(ARRAY_AT(&s->arenas, struct arena, i), &s->memory);
	for (const struct object_probes *h = catalog_first(&s->catalog); alive && h; h = h->next)
		for (size_t k = 0; h->jumps && k < h->site_count; k++) {
			size_t probe = object_probes_probe_of(h, true, (uint32_t)k);
			unsigned raised = h->jumps[object_probes_site(h, &h->probes[probe])].raised;
			uint32_t entry = h->jumps[k].entry;
			struct arena *w = jumps_arena(s, &h->jumps[k]);

			/* A journal that stays says what this session raised. */
			if (w && w->held && w->held[entry] && !s->keep_journal &&
				w->sites[entry].left + raised <= UINT8_MAX)
				arena_set_left(w, &s->memory, entry,
					(uint8_t)(w->sites[entry].left + raised));
		}
	ARRAY_EACH_WHILE(alive, struct arena, w, &s->arenas) {
		owner_leave_states(s, w);
		if (w->held)
			memset(w->held, 0, w->site_count);
		(void)holder_say(s, w);
	}
	claim_done(&s->claim, &s->who);
}
