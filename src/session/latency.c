/* The public calls that measure how long a pair takes. */
#include "session/events.h"

#include "base/error.h"
#include "base/now.h"

#include <errno.h>
#include <stdlib.h>

#define LATENCY_LOOK_NS 40000000 /* between two looks at the threads */

_Static_assert(PROBES_LATENCY_BUCKETS == RECORDER_BUCKETS, "a bucket is a bucket");

struct latency {
	size_t probes[2]; /* start and end */
	size_t arena;     /* whose state it uses */
	bool on, keyed;
	bool elsewhere; /* the state is another process's, whose session measures there, and reads
			   it */
	double ns_per_tick;
	uint64_t looked;          /* at the threads: now_ns */
	struct recorder_sum base; /* at the last reset */
	struct probes_latency last;
};

static struct arena *latency_state_arena(struct probes_session *s, const struct latency *l)
{
	return ARRAY_AT(&s->arenas, struct arena, l->arena);
}

/* ---- beginning ---- */

static int latency_refused(struct probes_session *s, struct probes_error *e)
{
	return error_set(
		e, PROBES_REFUSED, -EBUSY, "cannot measure times of process %d", s->who.pid);
}

/* A pair that another process measures in its counters, some of which are this one's, too. */
static int latency_find_elsewhere(struct probes_session *s, struct latency *l,
	const struct object_jump *j, enum recorder_what what, struct probes_error *e)
{
	const struct arena *w = jumps_arena(s, j);
	struct recorder_role role;
	uint64_t state;

	if (arena_role(w, &s->memory, j->entry, &role) && role.what == what) {
		state = role.older.state ? role.older.state : arena_state(w);
		for (size_t i = 0; i < s->arenas.count; i++)
			if (arena_state(ARRAY_AT(&s->arenas, struct arena, i)) == state &&
				owner_is_ours(
					s, ARRAY_AT(&s->arenas, struct arena, i), OWNER_PAIR)) {
				l->arena = i;
				l->elsewhere = true;
				return 0;
			}
	}
	latency_refused(s, e);
	return error_why(e,
		"it shares its counters with process %d, where this pair is not measured",
		(int)w->elsewhere);
}

/* The oldest arena of the counted sites of both probes: its state serves all of them. */
static int latency_find(struct probes_session *s, struct latency *l, struct probes_error *e)
{
	bool any[2] = {false, false};
	size_t local;

	l->arena = SIZE_MAX; /* none yet */
	for (int i = 0; i < 2; i++) {
		const struct object_probes *h = catalog_find(&s->catalog, l->probes[i], &local);
		size_t first = object_probes_site(h, &h->probes[local]);

		for (uint32_t k = 0; h->jumps && k < h->probes[local].site_count; k++) {
			const struct object_jump *j = &h->jumps[first + k];
			struct arena *w = jumps_arena(s, j);
			struct recorder_role role;

			if (!h->site_live[first + k].counted || !w)
				continue;
			if (!j->mine) {
				latency_refused(s, e);
				error_why(e, "this session does not count the hits of %s",
					h->probes[local].name);
				return error_hint(e, "count them first");
			}
			if (owner_shares(w)) {
				latency_refused(s, e);
				return owner_refuse_shared(s, w, e);
			}
			if (arena_role(w, &s->memory, j->entry, &role) &&
				role.what == RECORDER_EVENT && owner_of_state(s, w, OWNER_EVENTS)) {
				latency_refused(s, e);
				return error_why(e, "another session keeps the events of %s",
					h->probes[local].name);
			}
			any[i] = true;
			if (w->elsewhere) {
				int r = latency_find_elsewhere(
					s, l, j, i ? RECORDER_END : RECORDER_START, e);

				if (r < 0)
					return r;
			} else if (!l->elsewhere &&
				   (l->arena == SIZE_MAX ||
					   w->serial < latency_state_arena(s, l)->serial)) {
				l->arena = j->arena;
			}
		}
		if (!any[i]) {
			latency_refused(s, e);
			return error_why(e, "no site of %s is counted", h->probes[local].name);
		}
	}
	return 0;
}

/* The key of one site: its argument, by the note. */
static int latency_key(const struct probes_probe *p, const struct probes_site *site,
	unsigned argument, struct recorder_role *role, struct probes_error *e)
{
	struct probes_argument all[16];
	size_t count = probes_arguments(site->arguments, all, 16);
	const struct probes_argument *one = &all[argument - 1];
	struct operand_place place;

	if (argument > count || argument > 16) {
		error_set(e, PROBES_USAGE, -EINVAL, "cannot match by arg%u", argument);
		return error_why(e, "%s has %zu argument%s", p->name, count, count == 1 ? "" : "s");
	}
	if (one->is_float || !one->parsed || !operand_place(one->place, &place) ||
		place.what == OPERAND_VECTOR || (place.what == OPERAND_MEMORY && !place.stack)) {
		error_set(e, PROBES_USAGE, -EINVAL, "cannot match by arg%u", argument);
		error_why(e, "in %s it is not a number in a register, on the stack or constant: %s",
			p->name, one->place);
		return error_hint(e, "match by another argument, or by thread");
	}
	role->key = events_operand(&place, one);
	return 0;
}

int probes_latency_check(const struct probes_session *s, size_t start, size_t end,
	unsigned argument, struct probes_error *e)
{
	const struct probes_probe *const both[2] = {probes_at(s, start), probes_at(s, end)};
	const struct probes_probe *a = both[0], *b = both[1];
	const struct probes_site *common = NULL; /* a site of both */
	int r = 0;

	if (start == end) {
		error_set(e, PROBES_USAGE, -EINVAL, "cannot measure times");
		return error_why(e, "start and end are the same probe");
	}
	for (uint32_t i = 0; !common && a->object == b->object && i < a->site_count; i++)
		for (uint32_t k = 0; k < b->site_count; k++)
			if (a->sites[i].pc == b->sites[k].pc)
				common = &a->sites[i];
	if (common) {
		error_set(e, PROBES_USAGE, -EINVAL, "cannot measure times");
		error_why(e, "%s and %s share the site at 0x%llx: there is no time between them",
			a->name, b->name, (unsigned long long)common->pc);
		return error_hint(e,
			"a linker that folds equal functions (--icf) does that: link without it");
	}
	for (int i = 0; argument && i < 2; i++) {
		struct recorder_role unused;

		for (uint32_t k = 0; r == 0 && k < both[i]->site_count; k++)
			r = latency_key(both[i], &both[i]->sites[k], argument, &unused, e);
	}
	return r;
}

/*
 * Give all sites of the pair their roles, or take them away. A site in an older arena is not
 * counted (latency_find): it has none.
 */
static int latency_set_roles(struct probes_session *s, struct latency *l, unsigned argument,
	bool on, struct probes_error *e)
{
	const struct arena *state = latency_state_arena(s, l);
	size_t local;
	int r = 0;

	/* Ends first, and last: no start is left open by that. */
	for (int i = on ? 1 : 0; r == 0 && i >= 0 && i < 2; i += on ? -1 : 1) {
		const struct object_probes *h = catalog_find(&s->catalog, l->probes[i], &local);
		const struct probes_probe *p = &h->probes[local];
		size_t first = object_probes_site(h, p);

		for (uint32_t k = 0; r == 0 && h->jumps && k < p->site_count; k++) {
			const struct object_jump *j = &h->jumps[first + k];
			struct recorder_role role = {.what = RECORDER_NONE};
			struct arena *w = jumps_arena(s, j);

			if (!w || w->elsewhere || (w != state && w->serial <= state->serial))
				continue;
			if (on && w != state && !arena_knows(w, &s->memory, state)) {
				latency_refused(s, e);
				return error_why(e,
					"it had counters of more than %d kinds when some of these "
					"probes were first counted",
					RECORDER_OLDER);
			}
			if (w != state)
				role.older = (struct recorder_place){
					arena_state(state), arena_cookie(state)};
			if (on)
				role.what = i ? RECORDER_END : RECORDER_START;
			if (on && argument)
				r = latency_key(p, &p->sites[k], argument, &role, e);
			if (r == 0 && !arena_set_role(w, &s->memory, j->entry, &role))
				r = owner_unwritable(s, e);
		}
	}
	return r;
}

static int latency_measure(struct probes_session *s, struct latency *l, struct probes_error *e)
{
	struct arena *w = latency_state_arena(s, l);
	uint64_t session, multiplier;
	int r = headroom_check_own(s, HEADROOM_PAIR, "measure times of", e);

	if (r < 0)
		return r;
	r = owner_take(s, w, OWNER_PAIR, &session, e);
	if (r == 0)
		r = clock_calibrate(&l->ns_per_tick, e);
	/* System calls are run in it, one session at a time. */
	if (r == 0)
		r = lock_take(&s->lock, &s->who, s->memory.fd, SESSION_LOCK_MS, e);
	if (r == 0) {
		r = proofs_ask(s, w, s->interrupts, e);
		lock_release(&s->lock, &s->who, s->memory.fd);
	}
	if (r == 0 && !l->keyed && !s->distinct) {
		latency_refused(s, e);
		error_why(e, "its threads cannot be told apart: some were not created by glibc");
		r = error_hint(e, "match starts and ends by an argument");
	}
	if (r == 0)
		r = headroom_check_pages(s,
			PROOFS_PAGES + (w->file ? 0 : RECORDER_PAIR_BYTES / TACTICS_PAGE + 1), 0,
			e);
	multiplier = (uint64_t)(l->ns_per_tick * 4294967296.0);
	if (r == 0 &&
		(!arena_measure(w, &s->memory, session, multiplier) || !proofs_publish(s, w, 0)))
		r = owner_unwritable(s, e);
	/* If another session has it, there is nothing to give. */
	if (r < 0)
		owner_give(s, w, OWNER_PAIR);
	return r;
}

int probes_latency_begin(struct probes_session *s, size_t start, size_t end, unsigned argument,
	struct probes_error *e)
{
	struct latency *l;
	int r = 0;

	probes_latency_end(s);
	r = probes_latency_check(s, start, end, argument, e);
	if (r < 0)
		return r;
	l = calloc(1, sizeof *l);
	if (!l)
		return error_memory(e, "times");
	*l = (struct latency){.probes = {start, end}, .keyed = argument};
	r = latency_find(s, l, e);
	if (r == 0 && !l->elsewhere)
		r = latency_measure(s, l, e);
	if (r < 0) {
		free(l);
		return r;
	}
	free(s->latency);
	s->latency = l;
	l->base.least = UINT64_MAX;
	l->on = true;
	r = latency_set_roles(s, l, argument, true, e);
	if (r < 0)
		probes_latency_end(s);
	return r;
}

void probes_latency_end(struct probes_session *s)
{
	struct probes_error ignored;

	if (!s->latency || !s->latency->on)
		return;
	(void)latency_set_roles(s, s->latency, 0, false, &ignored);
	s->latency->on = false;
	if (s->latency->elsewhere)
		return;
	arena_unmeasure(latency_state_arena(s, s->latency), &s->memory);
	owner_give(s, latency_state_arena(s, s->latency), OWNER_PAIR);
}

/* ---- reading ---- */

void latency_keep(struct probes_session *s)
{
	struct latency *l = s->latency;

	if (!l || !l->on || l->elsewhere || now_ns() - l->looked < LATENCY_LOOK_NS)
		return;
	l->looked = now_ns();
	proofs_look(s, false);
	(void)proofs_publish(s, latency_state_arena(s, l), 0);
}

static int latency_none(struct probes_session *s, struct probes_error *e)
{
	error_set(e, PROBES_USAGE, -EINVAL, "cannot read times of process %d", s->who.pid);
	return error_why(e, "nothing was measured");
}

static uint64_t latency_less(uint64_t value, uint64_t base)
{
	return value > base ? value - base : 0; /* the process can write there, too */
}

int probes_latency_read(
	struct probes_session *s, struct probes_latency *out, struct probes_error *e)
{
	struct latency *l = s->latency;
	struct recorder_sum now;
	struct arena *w;

	*out = (struct probes_latency){0};
	if (!l)
		return latency_none(s, e);
	latency_keep(s);
	holder_keep(s);
	*out = l->last;
	if (l->elsewhere) {
		out->shared = latency_state_arena(s, l)->elsewhere;
		return probes_alive(s, e);
	}
	w = latency_state_arena(s, l);
	if (!arena_measured(w, jumps_memory(s, w), l->keyed, false, &now)) {
		int r = probes_alive(s, e);

		return r < 0 ? r
			     : error_set(e, PROBES_FAILED, -EIO, "cannot read times of process %d",
				       s->who.pid);
	}
	*out = (struct probes_latency){.matched = latency_less(now.matched, l->base.matched),
		.open = now.open,
		.nested = latency_less(now.nested, l->base.nested),
		.end_without_start = latency_less(now.unstarted, l->base.unstarted),
		.start_without_end = latency_less(now.restarted, l->base.restarted),
		.lost = latency_less(now.lost + now.backwards, l->base.lost + l->base.backwards),
		.sum_ns = (uint64_t)((double)latency_less(now.sum, l->base.sum) * l->ns_per_tick),
		.max_ns = (uint64_t)((double)now.most * l->ns_per_tick)};
	if (now.least != UINT64_MAX)
		out->min_ns = (uint64_t)((double)now.least * l->ns_per_tick);
	for (size_t i = 0; i < RECORDER_BUCKETS; i++)
		out->buckets[i] = latency_less(now.buckets[i], l->base.buckets[i]);
	l->last = *out;
	return 0;
}

int probes_latency_reset(struct probes_session *s, struct probes_error *e)
{
	struct latency *l = s->latency;

	if (!l)
		return latency_none(s, e);
	if (l->elsewhere)
		return 0;
	if (!arena_measured(latency_state_arena(s, l), &s->memory, l->keyed, true, &l->base))
		return owner_unwritable(s, e);
	l->last = (struct probes_latency){0};
	return 0;
}

void probes_latency_add(struct probes_latency *sum, const struct probes_latency *one)
{
	if (one->matched && (!sum->matched || one->min_ns < sum->min_ns))
		sum->min_ns = one->min_ns;
	if (one->max_ns > sum->max_ns)
		sum->max_ns = one->max_ns;
	sum->matched += one->matched;
	sum->open += one->open;
	sum->end_without_start += one->end_without_start;
	sum->start_without_end += one->start_without_end;
	sum->nested += one->nested;
	sum->lost += one->lost;
	sum->sum_ns += one->sum_ns;
	for (size_t i = 0; i < PROBES_LATENCY_BUCKETS; i++)
		sum->buckets[i] += one->buckets[i];
}

uint64_t probes_latency_from(size_t bucket)
{
	return bucket < PROBES_LATENCY_BUCKETS ? recorder_from(bucket) : UINT64_MAX;
}

uint64_t probes_latency_quantile(const struct probes_latency *l, double share)
{
	double rank = share * (double)l->matched, before = 0;

	for (size_t i = 0; i < PROBES_LATENCY_BUCKETS; i++) {
		double count = (double)l->buckets[i], from, to;
		uint64_t value;

		if (count == 0 || before + count < rank) {
			before += count;
			continue;
		}
		/* Evenly within the bucket, and never beyond what was measured. */
		from = (double)probes_latency_from(i);
		to = i + 1 < PROBES_LATENCY_BUCKETS ? (double)probes_latency_from(i + 1)
						    : (double)l->max_ns;
		value = (uint64_t)(from +
				   (to - from) * (rank > before ? rank - before : 0) / count);
		value = value < l->min_ns ? l->min_ns : value;
		return value > l->max_ns ? l->max_ns : value;
	}
	return l->max_ns;
}
