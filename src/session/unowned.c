/*
 * Counters that no living session owns, and no journal names: their session ended and left them, or
 * its journal is lost. The arenas of the process, and the claims on them, tell.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Does a journal say who wrote the jump? Its repair, or its living owner, removes it. */
static bool unowned_is_named(const struct array *journals, uint64_t address)
{
	for (size_t i = 0; i < journals->count; i++) {
		const struct journal_text *text =
			&ARRAY_AT(journals, struct journal_found, i)->text;
		const struct array *const both[2] = {&text->made, &text->pending};

		for (int k = 0; k < 2; k++)
			for (size_t n = 0; n < both[k]->count; n++) {
				const struct probes_edit *edit =
					ARRAY_AT(both[k], struct probes_edit, n);

				if (edit->role == PROBES_ROLE_COUNTER && edit->address == address)
					return true;
			}
	}
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
	for (size_t i = 0; i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);

		for (size_t k = 0; !h->info.gone && k < h->probe_count; k++)
			count += unowned_sites(h, k, journals);
	}
	return count;
}

/* Counters of a forked child, before the session that will undo them has found it. */
static void unowned_say_heir(struct probes_session *s)
{
	size_t sites = owner_count_others(s, HOLDER_INHERITS);
	char name[64];

	for (size_t i = 0; sites && i < s->arenas.count; i++) {
		const struct arena *w = ARRAY_AT(&s->arenas, struct arena, i);

		if (!w->heir.session)
			continue;
		procfs_name((pid_t)(uint32_t)w->heir.session, name, sizeof name);
		log_say(&s->log, PROBES_LOG_NOTICE,
			"process %d: it inherited the counters of %zu site%s from a session that "
			"lives: process %d (%s), which counts in process %d",
			s->who.pid, sites, sites == 1 ? "" : "s", (int)(uint32_t)w->heir.session,
			name, (int)w->heir.pid);
		return;
	}
}

size_t unowned_count(struct probes_session *s, const struct array *journals, size_t *unknown)
{
	struct probes_error ignored;
	size_t count, others;

	if (s->memory.fd >= 0)
		holder_reconcile(s);
	count = s->memory.fd < 0 ? 0 : unowned_look(s, journals);
	*unknown = owner_count_others(s, HOLDER_UNKNOWN);
	others = owner_count_others(s, HOLDER_CLAIMS);
	if (others)
		log_say(&s->log, PROBES_LOG_NOTICE,
			"process %d: the counters of %zu site%s are those of a session in another "
			"pid namespace: it is on record, and a lock says that it lives",
			s->who.pid, others, others == 1 ? "" : "s");

	unowned_say_heir(s);

	/* A session that has just written a jump claims it before it releases the lock. */
	if (!count || lock_take(&s->lock, &s->who, s->memory.fd, 0, &ignored) < 0)
		return 0;
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

/*
 * Nobody knows whether a session that is not on record raised what still guards a probe: it is
 * left, and said.
 */
static size_t unowned_still_raised(struct probes_session *s, const struct array *which)
{
	size_t count = 0, used = 0, local;
	char names[400] = "";

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
			"journal "
			"says by whom: %s; if nobody needs them, disable these probes",
			s->who.pid, count, count == 1 ? "" : "s", names);
	return count;
}

int unowned_undo(struct probes_session *s, const struct array *journals,
	struct probes_result **result, struct probes_error *e)
{
	struct change c = {.plan = switch_plan_undo};
	struct array which, unknown;
	bool fits = true;
	size_t objects;
	int r = jumps_look(s, e);

	*result = NULL;
	if (r < 0)
		return r;
	holder_reconcile(s);
	if (!unowned_look(s, journals))
		return 0;
	array_init(&which, sizeof(size_t));
	array_init(&unknown, sizeof(size_t));
	objects = s->catalog.objects.count;
	c.undo = calloc(objects + 1, sizeof *c.undo);
	for (size_t i = 0; c.undo && fits && i < objects; i++)
		fits = unowned_take(
			s, catalog_object(&s->catalog, i), journals, &c.undo[i], &which, &unknown);
	if (!c.undo || !fits)
		r = error_memory(e, "a repair");
	c.which = which.data;
	c.count = which.count;
	if (r == 0 && c.count) {
		/* Its forked children inherited them, whenever they were born. */
		s->first_switch_ticks = 1;
		s->repaired = true;
		r = change_locked(s, &c, result, e);
		if (r == 0 && *result && read_probes(s, NULL, 0, e) == 0)
			(*result)->still_raised = unowned_still_raised(s, &unknown);
	}
	for (size_t i = 0; c.undo && i < objects; i++)
		ownership_close_parts(&c.undo[i]);
	free(c.undo);
	array_done(&which);
	array_done(&unknown);
	return r;
}
