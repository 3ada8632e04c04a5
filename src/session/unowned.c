/*
 * Counters that no living session owns, and no journal names: their session ended and left them, or
 * its journal is lost. The arenas of the process, and the claims on them, tell.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/procfs.h"

#include <stdio.h>
#include <stdlib.h>

#define UNOWNED_WAIT_MS 1000 /* for a session that changes the process now */

/* Does a journal say who wrote the jump? Its repair, or its living owner, removes it. */
static bool unowned_is_named(const struct array *journals, uint64_t address)
{
	const struct probes_edit *edit;

	ARRAY_EACH(const struct journal_found, f, journals)
		for (size_t i = 0; (edit = journal_edit_at(&f->text, i)); i++)
			if (edit->role == PROBES_ROLE_COUNTER && edit->address == address)
				return true;
	return false;
}

static size_t unowned_sites(
	const struct object_probes *h, size_t local, const struct array *journals)
{
	const struct probes_probe *p = &h->probes[local];
	size_t count = 0, first = object_probes_site(h, p);

	for (uint32_t k = 0; h->jumps && k < p->site_count; k++)
		count += owner_has_none(h, (uint32_t)first + k) &&
			 !unowned_is_named(journals, p->sites[k].address);
	return count;
}

static size_t unowned_look(struct probes_session *s, const struct array *journals)
{
	struct probes_error ignored;
	size_t count = 0;

	if (!s->arenas.count || read_probes(s, NULL, 0, &ignored) < 0)
		return 0;
	owner_look(s);
	for (const struct object_probes *h = catalog_first(&s->catalog); h; h = h->next)
		for (size_t k = 0; !h->info.gone && k < h->probe_count; k++)
			count += unowned_sites(h, k, journals);
	return count;
}

size_t unowned_count(struct probes_session *s, const struct array *journals, size_t *unknown,
	size_t *unseen, size_t *unchecked, struct probes_error *busy)
{
	size_t count, others;
	char name[64];

	if (s->memory.fd >= 0)
		holder_reconcile(s);
	count = s->memory.fd < 0 ? 0 : unowned_look(s, journals);
	*unknown = owner_count_others(s, HOLDER_UNKNOWN);
	*unseen = owner_count_others(s, HOLDER_UNSEEN);
	others = owner_count_others(s, HOLDER_CLAIMS);
	if (others)
		log_say(&s->log, PROBES_LOG_NOTICE,
			"process %d: the counters of %zu site%s are those of a session in another "
			"pid namespace: it is on record, and a lock says that it lives",
			s->who.pid, others, others == 1 ? "" : "s");
	/* Counters of a forked child, before the session that will undo them has found it. */
	others = owner_count_others(s, HOLDER_INHERITS);
	ARRAY_EACH_WHILE(others, const struct arena, w, &s->arenas) {
		if (!w->heir.session)
			continue;
		procfs_name((pid_t)(uint32_t)w->heir.session, name, sizeof name);
		log_say(&s->log, PROBES_LOG_NOTICE,
			"process %d: it inherited the counters of %zu site%s from a session that "
			"lives: process %d (%s), which counts in process %d",
			s->who.pid, others, others == 1 ? "" : "s", (int)(uint32_t)w->heir.session,
			name, (int)w->heir.pid);
		break;
	}
	/* A session that has just written a jump claims it before it releases the lock. */
	*unchecked = 0;
	if (!count)
		return 0;
	if (lock_take(&s->lock, &s->who, s->memory.fd, UNOWNED_WAIT_MS, busy) < 0) {
		*unchecked = count;
		return 0;
	}
	count = unowned_look(s, journals);
	lock_release(&s->lock, &s->who, s->memory.fd);
	return count;
}

/*
 * Take over the counters of an object; add them to what is to be undone. `unknown`: of these, the
 * probes of which no session said what it raised. False: no memory.
 */
static bool unowned_take(struct probes_session *s, struct object_probes *h,
	const struct array *journals, struct plan_parts *undo, struct array *which,
	struct array *unknown)
{
	for (size_t local = 0; !h->info.gone && local < h->probe_count; local++) {
		if (!unowned_sites(h, local, journals))
			continue;
		if (!array_reserve(which, 1) || !array_reserve(unknown, 1) ||
			!switch_take_over(s, h, local, undo))
			return false;
		*(size_t *)array_add(which) = h->info.first_probe + local;
		if (!h->jumps[object_probes_site(h, &h->probes[local])].raised)
			*(size_t *)array_add(unknown) = h->info.first_probe + local;
	}
	return true;
}

size_t unowned_still_raised(struct probes_session *s, const struct array *which)
{
	size_t count = 0, used = 0, local;
	struct probes_error ignored;
	char names[400] = "";

	if (!which->count || read_probes(s, NULL, 0, &ignored) < 0)
		return 0;
	for (size_t i = 0; i < which->count; i++) {
		const struct object_probes *h =
			catalog_find(&s->catalog, *ARRAY_AT(which, size_t, i), &local);
		const struct probes_probe *p = &h->probes[local];
		uint32_t most = 0;

		for (uint32_t k = 0; k < p->semaphore_count && kind_of(p)->guarded; k++) {
			uint32_t value = h->values[object_probes_semaphore(h, p) + k];

			most = value != PROBES_NONE && value > most ? value : most;
		}
		if (!most)
			continue;
		count++;
		if (used < sizeof names)
			used += (size_t)snprintf(names + used, sizeof names - used, "%s%s (%u)",
				used ? ", " : "", p->name, most);
	}
	if (count)
		log_say(&s->log, PROBES_LOG_NOTICE,
			"process %d: the semaphores of %zu probe%s are still raised, and no "
			"journal says by whom%s: %s; if nobody needs them, disable these probes",
			s->who.pid, count, count == 1 ? "" : "s",
			s->unjudged ? ", unless one that could not be checked does" : "", names);
	return count;
}

/*
 * A journal names the jumps of a probe, and what sessions left that counted there as well stands
 * beside them: add that to what is to be undone. False: no memory.
 */
static bool unowned_take_left(struct probes_session *s, struct object_probes *h,
	const struct array *journals, struct plan_parts *undo, struct array *which)
{
	for (size_t local = 0; h->jumps && !h->info.gone && local < h->probe_count; local++) {
		const struct probes_probe *p = &h->probes[local];
		size_t first = object_probes_site(h, p);

		if (!p->site_count || h->jumps[first].raised || unowned_sites(h, local, journals))
			continue;
		if (!array_reserve(which, 1) || !owner_inherit(s, h, local) ||
			!ownership_open_parts(undo, h, PLAN_SEMAPHORE))
			return false;
		if (!h->jumps[first].raised)
			continue;
		h->ownership->switch_seq[local] = ++s->switch_seq;
		*(size_t *)array_add(which) = h->info.first_probe + local;
		for (uint32_t k = 0; k < p->semaphore_count; k++)
			undo->of[PLAN_SEMAPHORE][ownership_index(h, p, PLAN_SEMAPHORE, k)] =
				h->jumps[first].raised;
	}
	return true;
}

int unowned_undo(struct probes_session *s, const struct array *journals, struct array *unknown,
	struct probes_result **result, struct probes_error *e)
{
	struct change c = {.plan = switch_plan_undo};
	struct array which = ARRAY_OF(size_t);
	bool fits = true;
	size_t objects;
	int r = jumps_look(s, e);

	*result = NULL;
	if (r < 0)
		return r;
	holder_reconcile(s);
	if (!unowned_look(s, journals) && unknown)
		return 0;
	objects = s->catalog.objects.count;
	c.undo = calloc(objects + 1, sizeof *c.undo);
	for (size_t i = 0; c.undo && fits && i < objects; i++) {
		struct object_probes *h = catalog_object(&s->catalog, i);

		fits = unknown ? unowned_take(s, h, journals, &c.undo[i], &which, unknown)
			       : unowned_take_left(s, h, journals, &c.undo[i], &which);
	}
	if (!c.undo || !fits)
		r = error_memory(e, "a repair");
	c.which = which.data;
	c.count = which.count;
	if (r == 0 && c.count) {
		/* Its forked children inherited them, whenever they were born. */
		s->first_switch_ticks = 1;
		s->repaired = true;
		r = change_locked(s, &c, result, e);
	}
	ownership_free_parts(c.undo, objects);
	array_done(&which);
	return r;
}
