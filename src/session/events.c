/*
 * The public calls that begin and end events: what a hit of each site is to keep is written to the
 * arena of its counter. Nothing of the code changes.
 */
#include "session/events.h"

#include "base/error.h"
#include "base/now.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_PUT(s, w, member, value) \
	arena_put(w, &(s)->memory, EVENTS_OFFSET(member), &(value), sizeof(value))
#define EVENTS_OFFSET(member) \
	(offsetof(struct recorder_state, events) + offsetof(struct events_state, member))

bool events_head(struct probes_session *s, const struct events_arena *ew, enum events_ring ring,
	uint64_t *head)
{
	struct arena *w = ARRAY_AT(&s->arenas, struct arena, ew->arena);

	return arena_get(w, jumps_memory(s, w),
		EVENTS_OFFSET(rings) + ring * sizeof(struct events_heads), head, sizeof *head);
}

bool events_skip(struct probes_session *s, struct events_arena *ew, uint32_t generation)
{
	uint64_t head;

	memset(ew->stuck, 0, sizeof ew->stuck);
	for (enum events_ring ring = 0; ring < EVENTS_RINGS; ring++) {
		if (!events_head(s, ew, ring, &head))
			return false;
		ew->readers[ring] = (struct events_reader){
			.ring = ring, .generation = generation, .next = head};
	}
	return true;
}

/* ---- beginning ---- */

static int events_refused(struct probes_session *s, struct probes_error *e)
{
	return error_set(
		e, PROBES_REFUSED, -EBUSY, "cannot record events of process %d", s->who.pid);
}

static struct events_arena *events_arena(struct events *ev, size_t arena)
{
	struct events_arena *w;

	for (size_t i = 0; i < ev->arenas.count; i++) {
		w = ARRAY_AT(&ev->arenas, struct events_arena, i);
		if (w->arena == arena)
			return w;
	}
	w = array_add(&ev->arenas);
	if (!w)
		return NULL;
	w->arena = arena;
	w->sites = ARRAY_OF(struct events_where);
	return w;
}

/*
 * Two probes may be at one address, where the linker has folded functions or an optimizer has put
 * two notes. A hit there keeps one record: it tells both, if their arguments are the same. False:
 * the events are those of the other probe alone.
 */
static bool events_share(struct probes_session *s, struct events_arena *w,
	const struct probes_probe *p, struct events_where *one)
{
	struct events_where *last = NULL;
	const struct probes_probe *other;
	size_t local;

	one->first = (uint32_t)w->sites.count;
	for (size_t i = 0; i < w->sites.count && !last; i++)
		if (ARRAY_AT(&w->sites, struct events_where, i)->entry == one->entry)
			last = ARRAY_AT(&w->sites, struct events_where, i);
	if (!last)
		return true;
	if (last->probe == one->probe)
		return false;
	one->first = last->first;
	other = &catalog_find(&s->catalog, last->probe, &local)->probes[local];
	if (strcmp(other->sites[last->site].arguments, p->sites[one->site].arguments)) {
		log_say(&s->log, PROBES_LOG_NOTICE,
			"process %d: %s and %s share a site, with different arguments: hits there "
			"are shown under %s",
			s->who.pid, other->name, p->name, other->name);
		return false;
	}
	while (last->next)
		last = ARRAY_AT(&w->sites, struct events_where, last->next);
	last->next = (uint32_t)w->sites.count;
	return true;
}

/*
 * May hits that are counted there be kept as events? 0; or 1: they are, in the process of the
 * arena, whose session reads them.
 */
static int events_allowed(struct probes_session *s, const struct object_jump *j, const char *name,
	struct probes_error *e)
{
	struct arena *w = ARRAY_AT(&s->arenas, struct arena, j->arena);
	struct recorder_role role = {.what = RECORDER_NONE};
	bool measured = false;

	if (!j->mine) {
		events_refused(s, e);
		error_why(e, "this session does not count the hits of %s", name);
		return error_hint(e, "count them first");
	}
	(void)arena_role(w, &s->memory, j->entry, &role);
	if (w->elsewhere && role.what == RECORDER_EVENT && owner_is_ours(s, w, OWNER_EVENTS))
		return 1;
	if (w->elsewhere) {
		events_refused(s, e);
		return error_why(e,
			"it shares its counters with process %d, where the hits of %s are not kept "
			"as events",
			(int)w->elsewhere, name);
	}
	if (owner_shares(w)) {
		events_refused(s, e);
		return owner_refuse_shared(s, w, e);
	}
	/* A session that was killed has left its roles. */
	if (role.what == RECORDER_START || role.what == RECORDER_END)
		ARRAY_EACH_WHILE(!measured, struct arena, any, &s->arenas)
			measured = any->own[OWNER_PAIR] || owner_of_state(s, any, OWNER_PAIR);
	if (measured) {
		events_refused(s, e);
		return error_why(e, "the times of %s are measured", name);
	}
	return 0;
}

/*
 * Add the sites of a probe that this session counts. *elsewhere: some write to the rings of a
 * process whose session reads them.
 */
static int events_add(struct probes_session *s, struct events *ev, size_t probe, bool *elsewhere,
	struct probes_error *e)
{
	size_t local;
	const struct object_probes *h = catalog_find(&s->catalog, probe, &local);
	size_t first = object_probes_site(h, &h->probes[local]);

	for (uint32_t k = 0; h->jumps && k < h->probes[local].site_count; k++) {
		const struct object_jump *j = &h->jumps[first + k];
		struct events_arena *w;
		struct events_where one;
		int r;

		if (!h->site_live[first + k].counted || !jumps_arena(s, j))
			continue;
		r = events_allowed(s, j, h->probes[local].name, e);
		if (r < 0)
			return r;
		*elsewhere |= r > 0;
		if (r > 0)
			continue;
		w = events_arena(ev, j->arena);
		if (w && w->sites.count == EVENTS_SITES) {
			events_refused(s, e);
			error_why(e, "they have more than %d sites", EVENTS_SITES);
			return error_hint(e, "choose fewer probes");
		}
		if (!w || !array_reserve(&w->sites, 1))
			return error_memory(e, "events");
		one = (struct events_where){.probe = probe, .site = k, .entry = j->entry};
		if (events_share(s, w, &h->probes[local], &one))
			*(struct events_where *)array_add(&w->sites) = one;
	}
	return 0;
}

/* Why no jump counts any of their sites. */
static const char *events_why_none(
	const struct probes_session *s, const size_t *probes, size_t count)
{
	const char *why = "none of these probes is counted";

	for (size_t i = 0; i < count; i++) {
		size_t local;
		const struct object_probes *h = catalog_find(&s->catalog, probes[i], &local);
		size_t first = object_probes_site(h, &h->probes[local]);

		for (uint32_t k = 0; h->jumps && k < h->probes[local].site_count; k++) {
			if (h->jumps[first + k].why)
				return h->jumps[first + k].why;
			if (h->site_live[first + k].counted &&
				h->jumps[first + k].tactic == PROBES_TACTIC_KERNEL)
				why = "uprobes count their sites, and record no events";
		}
	}
	return why;
}

/* Memory for the rings that have none yet, before a hit needs it. */
static int events_open_rings(
	struct probes_session *s, struct events_arena *ew, struct probes_error *e)
{
	struct arena *w = ARRAY_AT(&s->arenas, struct arena, ew->arena);
	uint64_t ready = 0;
	int r = 0;

	(void)arena_get(w, &s->memory, EVENTS_OFFSET(ready), &ready, sizeof ready);
	for (unsigned i = 0; r == 0 && i < EVENTS_RINGS; i++) {
		size_t at = offsetof(struct recorder_state, events) + events_shapes[i].at;
		size_t size = events_shapes[i].size * events_shapes[i].records;

		/* Where opening costs the process nothing, what the data says does not matter. */
		if ((ready >> i & 1 && !w->file) || !(ew->rings >> i & 1))
			continue;
		if (!w->file)
			r = headroom_check_pages(s, size / TACTICS_PAGE + 1, 0, e);
		if (r == 0 && !arena_open_part(w, &s->memory, at, size))
			r = owner_unwritable(s, e);
		ready |= UINT64_C(1) << i;
	}
	if (r == 0)
		(void)EVENTS_PUT(s, w, ready, ready);
	return r;
}

/* Write to an arena what its sites keep. `generation` is that of the roles, which come last. */
static int events_open_arena(struct probes_session *s, struct events *ev, struct events_arena *ew,
	uint64_t session, const struct probes_event_options *o, struct probes_error *e)
{
	struct arena *w = ARRAY_AT(&s->arenas, struct arena, ew->arena);
	uint64_t generation = 0, none = 0;
	bool good;
	size_t local;
	int r;

	for (size_t i = 0; i < ew->sites.count; i++) {
		struct events_where *where = ARRAY_AT(&ew->sites, struct events_where, i);
		struct object_probes *h = catalog_find(&s->catalog, where->probe, &local);
		struct events_site site = {.number = (uint16_t)i};

		events_describe(s, h, &h->probes[local], o, where, &site);
		ew->rings |= 1u << where->ring;
		if (!arena_put(w, &s->memory, EVENTS_OFFSET(sites) + i * sizeof site, &site,
			    sizeof site))
			return owner_unwritable(s, e);
	}
	r = events_open_rings(s, ew, e);
	if (r < 0)
		return r;
	good = arena_get(w, &s->memory, EVENTS_OFFSET(generation), &generation, sizeof generation);
	generation = (uint32_t)(generation + 1);
	good = good && EVENTS_PUT(s, w, generation, generation) && EVENTS_PUT(s, w, chance, none) &&
	       EVENTS_PUT(s, w, session, session) && events_skip(s, ew, (uint32_t)generation);
	good = good && events_thread_permit(s, ev, (int64_t)now_ns());
	for (size_t i = 0; good && i < ew->sites.count; i++) {
		const struct events_where *where = ARRAY_AT(&ew->sites, struct events_where, i);
		const struct recorder_role role = {
			.what = RECORDER_EVENT, .key.value = EVENTS_ROLE(generation, i)};

		good = where->first != i || arena_set_role(w, &s->memory, where->entry, &role);
	}
	return good ? 0 : owner_unwritable(s, e);
}

/* Ask the process what the arenas must know, and begin in all of them. */
static int events_open(struct probes_session *s, struct events *ev,
	const struct probes_event_options *o, struct probes_error *e)
{
	struct events_arena *all = ev->arenas.data;
	uint64_t session = 0;
	int r = headroom_check_own(
		s, HEADROOM_EVENTS + (o->stacks ? HEADROOM_STACKS : 0), "read events of", e);

	for (size_t i = 0; r == 0 && i < ev->arenas.count; i++) {
		r = owner_take(s, ARRAY_AT(&s->arenas, struct arena, all[i].arena), OWNER_EVENTS,
			&session, e);
		all[i].own = r == 0;
	}
	if (r == 0)
		r = clock_calibrate(&ev->ns_per_tick, e);
	if (r == 0)
		r = lock_take(&s->lock, &s->who, s->memory.fd, SESSION_LOCK_MS, e);
	if (r < 0)
		return r;
	r = proofs_ask(s, ARRAY_AT(&s->arenas, struct arena, all[0].arena), o->interrupts, e);
	lock_release(&s->lock, &s->who, s->memory.fd);
	if (o->stacks)
		(void)stack_look(s);
	else if (o->callers)
		caller_look(s);
	clock_look(&ev->marks[2].ticks, &ev->marks[2].real_ns);
	ev->marks[0] = ev->marks[1] = ev->marks[2];
	ev->began = ev->marks[2].ticks;
	/* The first one tells what is proven to all. */
	if (r == 0)
		r = headroom_check_pages(s, ev->arenas.count * PROOFS_PAGES, 0, e);
	for (size_t i = 0; r == 0 && i < ev->arenas.count; i++)
		r = events_open_arena(s, ev, &all[i], session, o, e);
	return r;
}

static struct events *events_new(const struct probes_event_options *o)
{
	struct events *ev = calloc(1, sizeof *ev);
	size_t most = 0;

	for (unsigned i = 0; i < EVENTS_RINGS; i++)
		if (events_shapes[i].size * events_shapes[i].records > most)
			most = events_shapes[i].size * events_shapes[i].records;
	if (!ev)
		return NULL;
	ev->condition = o->condition;
	ev->stacks = o->stacks;
	ev->arenas = ARRAY_OF(struct events_arena);
	ev->pending = ARRAY_OF(struct events_pending);
	ev->bytes = ARRAY_OF(char);
	ev->threads = ARRAY_OF(struct events_thread);
	ev->children = ARRAY_OF(struct events_child);
	ev->kin = ARRAY_OF(struct events_kin);
	ev->copy = malloc(most);
	ev->again = malloc(most);
	if (ev->copy && ev->again)
		return ev;
	events_free(ev);
	return NULL;
}

void events_free(struct events *ev)
{
	for (size_t i = 0; ev && i < ev->arenas.count; i++)
		array_done(&ARRAY_AT(&ev->arenas, struct events_arena, i)->sites);
	if (!ev)
		return;
	events_thread_forget(ev);
	array_done(&ev->arenas);
	array_done(&ev->pending);
	array_done(&ev->bytes);
	array_done(&ev->threads);
	array_done(&ev->children);
	array_done(&ev->kin);
	free(ev->copy);
	free(ev->again);
	free(ev);
}

int probes_events_begin(struct probes_session *s, const size_t *probes, size_t count,
	const struct probes_event_options *o, struct probes_error *e)
{
	struct events *ev;
	bool elsewhere = false;
	int r;

	probes_events_end(s);
	r = probes_events_check(s, probes, count, o, e);
	if (r < 0)
		return r;
	ev = events_new(o);
	if (!ev)
		return error_memory(e, "events");
	for (size_t i = 0; r == 0 && i < count; i++)
		r = events_add(s, ev, probes[i], &elsewhere, e);
	if (r == 0 && !ev->arenas.count && !elsewhere) {
		r = events_refused(s, e);
		error_why(e, "%s", events_why_none(s, probes, count));
	}
	if (r < 0) {
		events_free(ev);
		return r;
	}
	events_free(s->events);
	s->events = ev;
	ev->on = true;
	r = ev->arenas.count ? events_open(s, ev, o, e) : 0;
	if (r < 0)
		probes_events_end(s);
	return r;
}

/* ---- ending ---- */

bool events_told(const struct events_arena *w, const struct events_where *where)
{
	const struct events_where *one = ARRAY_AT(&w->sites, struct events_where, where->first);

	while (!one->cost && one->next)
		one = ARRAY_AT(&w->sites, struct events_where, one->next);
	return one->cost > 0;
}

/* The hits of these sites are only counted from now on; SIZE_MAX: of all probes. */
static void events_stop(struct probes_session *s, size_t probe)
{
	ARRAY_EACH(struct events_arena, ew, &s->events->arenas)
		ARRAY_EACH(struct events_where, where, &ew->sites) {
			if (!where->cost || (probe != SIZE_MAX && where->probe != probe))
				continue;
			where->cost = 0;
			if (!events_told(ew, where))
				(void)arena_clear_role(
					ARRAY_AT(&s->arenas, struct arena, ew->arena), &s->memory,
					where->entry);
		}
}

void probes_events_drop(struct probes_session *s, size_t probe)
{
	if (s->events && s->events->on)
		events_stop(s, probe);
}

void probes_events_end(struct probes_session *s)
{
	const uint64_t none = 0;

	if (!s->events || !s->events->on)
		return;
	events_stop(s, SIZE_MAX);
	ARRAY_EACH(const struct events_arena, ew, &s->events->arenas) {
		struct arena *w = ARRAY_AT(&s->arenas, struct arena, ew->arena);

		if (!ew->own)
			continue; /* another session has it */
		(void)EVENTS_PUT(s, w, session, none);
		owner_give(s, w, OWNER_EVENTS);
	}
	s->events->on = false;
	events_thread_forbid(s, s->events);
}

const char *probes_events_no_caller(const struct probes_session *s, size_t probe, size_t site)
{
	if (!s->events)
		return NULL;
	ARRAY_EACH(const struct events_arena, ew, &s->events->arenas)
		ARRAY_EACH(const struct events_where, where, &ew->sites)
			if (where->probe == probe && where->site == site)
				return where->no_caller;
	return NULL;
}

unsigned events_cost(const struct probes_session *s, size_t probe)
{
	unsigned most = 0;

	if (!s->events)
		return 0;
	ARRAY_EACH(const struct events_arena, ew, &s->events->arenas)
		ARRAY_EACH(const struct events_where, where, &ew->sites)
			if (where->probe == probe && where->cost > most)
				most = where->cost;
	return most;
}
