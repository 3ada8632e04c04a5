/*
 * What follows from who counts and who measures (session/holder.c). The last session that counts at
 * a site removes the jump. A jump without an owner is taken over by whoever wants it. The state of
 * an arena, in which a pair is measured or events are kept, has one owner at a time.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/procfs.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The arena in which a site counts; NULL: none. */
static struct arena *owner_arena(const struct probes_session *s, const struct object_jump *j)
{
	if (!j->length || j->tactic == PROBES_TACTIC_KERNEL || j->arena == PROBES_NONE)
		return NULL;
	return ARRAY_AT(&s->arenas, struct arena, j->arena);
}

/* ---- states ---- */

static const struct {
	const char *cannot, *does;
} owner_does[] = {
	[OWNER_PAIR] = {"measure times", "is already measuring times"},
	[OWNER_EVENTS] = {"record events", "is already recording events"},
};

/* Where a state records its session. */
static size_t owner_at(enum owner_state state)
{
	return state == OWNER_PAIR ? offsetof(struct recorder_state, session)
				   : offsetof(struct recorder_state, events) +
					     offsetof(struct events_state, session);
}

pid_t owner_of_state(struct probes_session *s, const struct arena *w, enum owner_state state)
{
	pid_t pid;

	switch (holder_of_state(s, w, state, &pid)) {
	case HOLDER_NONE:
		return 0;
	case HOLDER_LIVES:
		return pid;
	default:
		return -1;
	}
}

/* Refuse because another session has a state. */
static int owner_refuse(const struct probes_session *s, enum owner_state wanted,
	enum owner_state held, enum holder_life life, pid_t other, struct probes_error *e)
{
	char name[64];

	error_set(e, PROBES_REFUSED, -EBUSY, "cannot %s of process %d", owner_does[wanted].cannot,
		s->who.pid);
	switch (life) {
	case HOLDER_LIVES:
		if (other == getpid())
			return error_why(e,
				"it shares its counters with the process from which it was forked, "
				"which this session measures");
		procfs_name(other, name, sizeof name);
		error_why(e, "process %d (%s) %s there", (int)other, name, owner_does[held].does);
		return error_hint(e, "wait for it to end, or quit it");
	case HOLDER_CLAIMS:
		error_why(e,
			"a session in another pid namespace (process %d there) %s there: it is on "
			"record, and a lock says that it lives",
			(int)other, owner_does[held].does);
		return error_hint(e, "wait for it to end, or quit it");
	default:
		error_why(e,
			"a session in another pid namespace (process %d there) is on record, and "
			"whether it lives cannot be seen from here: " HOLDER_LOCKED,
			(int)other);
		return error_hint(
			e, "wait for it to end, or quit it; if it has ended, call repair there");
	}
}

/*
 * Hits of these sites go to the state of an arena that no other session has: one that was killed
 * gave them their roles. Else they would be taken for hits of what begins now.
 */
static void owner_forget_roles(struct probes_session *s, const struct arena *w)
{
	bool left = false;

	/* A session is named before it gives the first role, and until it has taken the last. */
	for (enum owner_state state = OWNER_PAIR; state <= OWNER_EVENTS; state++) {
		uint64_t session = 1; /* also where it cannot be read */

		(void)arena_get(w, &s->memory, owner_at(state), &session, sizeof session);
		left = left || (!w->own[state] && session);
	}
	for (size_t i = 0; left && i < s->arenas.count; i++) {
		struct arena *from = ARRAY_AT(&s->arenas, struct arena, i);
		struct recorder_role role;

		for (size_t k = 0; k < from->site_count; k++)
			if (arena_role(from, &s->memory, k, &role) && role.what != RECORDER_NONE &&
				!w->own[role.what == RECORDER_EVENT ? OWNER_EVENTS : OWNER_PAIR] &&
				(role.state ? role.state == arena_state(w) : from == w))
				(void)arena_clear_role(from, &s->memory, k);
	}
}

/* Under the lock: of two sessions that take it at once the second one sees the first. */
int owner_take(struct probes_session *s, struct arena *w, enum owner_state state, uint64_t *self,
	struct probes_error *e)
{
	/* Both states use what is known of the threads, which one session at a time keeps. */
	const enum owner_state both[2] = {state, OWNER_EVENTS - state};
	enum holder_life life = HOLDER_NONE;
	pid_t other = 0;
	int r = lock_take(&s->lock, &s->who, s->memory.fd, SESSION_LOCK_MS, e);

	if (r < 0)
		return r;
	for (size_t i = 0; life == HOLDER_NONE && i < 2; i++) {
		life = holder_of_state(s, w, both[i], &other);
		if (life != HOLDER_NONE)
			r = owner_refuse(s, state, both[i], life, other, e);
	}
	if (r == 0) {
		owner_forget_roles(s, w);
		w->own[state] = true;
		if (!holder_say(s, w)) {
			w->own[state] = false;
			r = error_set(e, PROBES_REFUSED, -EBUSY, "cannot %s of process %d",
				owner_does[state].cannot, s->who.pid);
			error_why(e,
				"it cannot be put on record: %d sessions are, on this process and "
				"its forked children, or the record cannot be written",
				ARENA_HOLDERS);
			error_hint(e, "quit one of them");
		}
	}
	lock_release(&s->lock, &s->who, s->memory.fd);
	*self = holder_self();
	return r;
}

void owner_give(struct probes_session *s, struct arena *w, enum owner_state state)
{
	if (!w->own[state])
		return;
	w->own[state] = false;
	(void)holder_say(s, w);
}

/* ---- sites ---- */

void owner_look(struct probes_session *s)
{
	for (size_t i = 0; i < s->arenas.count; i++) {
		struct arena *w = ARRAY_AT(&s->arenas, struct arena, i);

		arena_read_left(w, &s->memory);
		holder_look(s, w);
	}
	for (size_t i = 0; i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);

		for (size_t k = 0; h->jumps && k < h->site_count; k++) {
			const struct arena *w = owner_arena(s, &h->jumps[k]);

			h->jumps[k].shared = w && w->others && w->others[h->jumps[k].entry];
		}
	}
}

size_t owner_count_others(const struct probes_session *s, enum holder_life life)
{
	size_t count = 0;

	for (size_t i = 0; i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);

		for (size_t k = 0; h->jumps && !h->info.gone && k < h->site_count; k++) {
			const struct object_jump *j = &h->jumps[k];
			const struct arena *w = j->shared ? owner_arena(s, j) : NULL;

			count += w && w->others && w->others[j->entry] == life && !j->mine &&
				 h->site_live[k].counted;
		}
	}
	return count;
}

bool owner_shares(const struct arena *w)
{
	return w->inherited && !w->elsewhere;
}

int owner_refuse_shared(const struct arena *w, struct probes_error *e)
{
	if (w->heir.session)
		error_why(e,
			"it shares its counters with process %d, from which it was forked, and "
			"process %d counts there",
			(int)w->heir.pid, (int)(uint32_t)w->heir.session);
	else
		error_why(e, "it shares its counters with the process from which it was forked");
	return error_hint(
		e, w->heir.session
			   ? "end the count of the other process, or use -tree with that one"
			   : "allow its threads to be stopped: it can have jumps of its own then");
}

bool owner_has_none(const struct object_probes *h, uint32_t site)
{
	const struct object_jump *j = &h->jumps[site];

	return h->site_live[site].counted && !j->mine && !j->shared && j->length &&
	       j->tactic != PROBES_TACTIC_KERNEL && j->arena != PROBES_NONE;
}

bool owner_inherit(struct probes_session *s, struct object_probes *h, size_t local)
{
	const struct probes_probe *p = &h->probes[local];
	size_t first = object_probes_site(h, p), semaphores = object_probes_semaphore(h, p);
	uint32_t left = 0;

	for (uint32_t k = 0; h->jumps && k < p->site_count; k++) {
		const struct arena *w = owner_arena(s, &h->jumps[first + k]);

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
	if (!ownership_begin(h, PLAN_SEMAPHORE))
		return false;
	for (uint32_t i = 0; i < p->semaphore_count; i++) {
		struct ownership_resource more = {.kind = PLAN_SEMAPHORE,
			.index = ownership_index(h, p, PLAN_SEMAPHORE, i),
			.part = (int32_t)left};

		if (more.index == semaphores + i)
			ownership_add(h, &more);
	}
	h->jumps[first].raised = (uint8_t)left;
	for (uint32_t k = 0; k < p->site_count; k++) {
		const struct object_jump *j = &h->jumps[first + k];
		struct arena *w = owner_arena(s, j);

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

/* What a session that was killed measured there is measured no longer. */
static void owner_forget_role(struct probes_session *s, const struct object_jump *j)
{
	struct arena *w = owner_arena(s, j);
	struct recorder_role role;

	if (!j->shared && arena_role(w, &s->memory, j->entry, &role) &&
		role.what != RECORDER_NONE && !w->own[OWNER_PAIR] && !w->own[OWNER_EVENTS] &&
		!owner_of_state(s, w, OWNER_PAIR) && !owner_of_state(s, w, OWNER_EVENTS))
		(void)arena_clear_role(w, &s->memory, j->entry);
}

static bool owner_count(struct probes_session *s, struct object_probes *h, size_t local)
{
	const struct probes_probe *p = &h->probes[local];
	size_t first = object_probes_site(h, p);

	for (uint32_t k = 0; h->jumps && k < p->site_count; k++) {
		struct ownership_resource one = {
			.kind = PLAN_COUNTER, .index = (uint32_t)first + k, .part = 1};

		if (!h->site_live[first + k].counted || !owner_arena(s, &h->jumps[first + k]) ||
			ownership_part(h, PLAN_COUNTER, (uint32_t)first + k) > 0)
			continue;
		if (!ownership_begin(h, PLAN_COUNTER))
			return false;
		ownership_add(h, &one);
		h->jumps[first + k].taken = true;
		if (h->jumps[first + k].ran)
			h->jumps[first + k].base = h->jumps[first + k].hits;
		owner_forget_role(s, &h->jumps[first + k]);
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
	for (size_t i = 0; fits && chosen && i < chosen->count; i++) {
		const struct selected *one = ARRAY_AT(chosen, struct selected, i);
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
	if (!memcmp(w->held, wanted, w->site_count))
		return;
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
	for (size_t i = 0; i < s->arenas.count; i++) {
		struct arena *w = ARRAY_AT(&s->arenas, struct arena, i);
		bool *wanted = calloc(2 * w->site_count + 1, sizeof *wanted), any = w->held;
		bool *taken = wanted ? wanted + w->site_count : NULL;

		for (size_t o = 0; wanted && o < s->catalog.objects.count; o++) {
			const struct object_probes *h = catalog_object(&s->catalog, o);

			for (uint32_t k = 0; h->jumps && h->ownership && k < h->site_count; k++) {
				struct object_jump *j = &h->jumps[k];

				if (owner_arena(s, j) != w)
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
	for (size_t i = 0; i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);

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
}

void owner_leave(struct probes_session *s)
{
	const uint64_t none = 0;
	bool alive = s->process && s->arenas.count && identity_alive(&s->who) &&
		     memory_alive(&s->memory);

	for (size_t i = 0; alive && i < s->arenas.count; i++)
		arena_read_left(ARRAY_AT(&s->arenas, struct arena, i), &s->memory);
	for (size_t i = 0; alive && i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);

		for (size_t k = 0; h->jumps && k < h->site_count; k++) {
			size_t probe = object_probes_probe_of(h, true, (uint32_t)k);
			unsigned raised = h->jumps[object_probes_site(h, &h->probes[probe])].raised;
			uint32_t entry = h->jumps[k].entry;
			struct arena *w = owner_arena(s, &h->jumps[k]);

			/* A journal that stays says what this session raised. */
			if (w && w->held && w->held[entry] && !s->keep_journal &&
				w->sites[entry].left + raised <= UINT8_MAX)
				arena_set_left(w, &s->memory, entry,
					(uint8_t)(w->sites[entry].left + raised));
		}
	}
	for (size_t i = 0; alive && i < s->arenas.count; i++) {
		struct arena *w = ARRAY_AT(&s->arenas, struct arena, i);

		for (enum owner_state state = OWNER_PAIR; state <= OWNER_EVENTS; state++) {
			if (w->own[state])
				(void)arena_put(w, &s->memory, owner_at(state), &none, sizeof none);
			w->own[state] = false;
		}
		if (w->held)
			memset(w->held, 0, w->site_count);
		(void)holder_say(s, w);
	}
	claim_done(&s->claim, &s->who);
}
