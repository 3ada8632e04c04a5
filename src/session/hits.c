/* The public calls that read the counters of sites. */
#include "session/session.h"

#include "base/error.h"

/* Measured: what a hit costs by a jump, and by a uprobe. */
#define HITS_NS 5
#define HITS_UPROBE_NS 1000

/* Read the counters of sites that count, or did: their last hits arrive after they are uncounted.
 * False: no memory. */
static bool hits_refresh(struct probes_session *s)
{
	bool fits = true;

	for (const struct object_probes *h = catalog_first(&s->catalog); h; h = h->next)
		for (size_t k = 0; h->jumps && !h->info.gone && k < h->site_count; k++) {
			struct object_jump *j = &h->jumps[k];

			if (j->length && j->arena != PROBES_NONE &&
				(j->ran || h->site_live[k].counted))
				fits &= arena_watch(
					ARRAY_AT(&s->arenas, struct arena, j->arena), j->entry);
		}
	ARRAY_EACH(struct arena, w, &s->arenas)
		if (w->counters.count && !w->elsewhere)
			(void)arena_refresh(w, jumps_memory(s, w));
	return fits;
}

static void hits_take(struct probes_session *s, const struct object_probes *h)
{
	for (size_t k = 0; h->jumps && !h->info.gone && k < h->site_count; k++) {
		struct object_jump *j = &h->jumps[k];
		bool counted = h->site_live[k].counted;
		bool uprobe = j->tactic == PROBES_TACTIC_KERNEL && j->uprobe;
		uint64_t before = j->hits;

		if (!uprobe && (!j->length || j->arena == PROBES_NONE))
			continue;
		j->hits =
			uprobe ? uprobe_hits(j->uprobe)
			       : arena_hits(ARRAY_AT(&s->arenas, struct arena, j->arena), j->entry);
		/* Where others counted first, those of the first reading are theirs. */
		if (counted && !j->ran && !j->uprobe && (!j->mine || j->taken))
			j->base = j->hits;
		/* Another session began a count, or the program overwrote its counter. */
		if (j->hits < before)
			j->base = 0;
		j->ran = j->ran || counted;
	}
}

void hits_last(struct probes_session *s, const struct object_probes *h)
{
	if (!h->jumps)
		return;
	hits_refresh(s);
	hits_take(s, h);
}

int probes_read_hits(struct probes_session *s, struct probes_error *e)
{
	int r = probes_alive(s, e);

	if (r == 0) {
		holder_keep(s);
		proofs_look(s, false);
	}
	/* An arena outlives the process where it is mapped here, or by a child: see jumps_memory.
	 */
	if (!hits_refresh(s) && r == 0)
		r = error_memory(e, "the counters of a process");
	for (const struct object_probes *h = catalog_first(&s->catalog); h; h = h->next)
		hits_take(s, h);
	if (r < 0)
		session_rest(s);
	return r;
}

/* With whom the hits of a site are shared: struct probes_hits. */
static pid_t hits_shared(const struct probes_session *s, const struct object_jump *j, bool counted)
{
	const struct arena *w =
		counted || j->ran || j->mine || j->missed ? jumps_arena(s, j) : NULL;

	if (!w || w->elsewhere || !arena_is_shared(w))
		return w ? w->elsewhere : 0;
	if (w->sharer)
		return w->sharer;
	return w->heir.session ? (pid_t)w->heir.pid : -1;
}

/* Are its counters those of an earlier session, which vanish with the process? */
static bool hits_misses_end(const struct probes_session *s, const struct object_jump *j)
{
	const struct arena *w = jumps_arena(s, j);

	return w && !w->file && !w->survivor;
}

struct probes_hits probes_hits(const struct probes_session *s, size_t index)
{
	struct probes_hits sum = {0};
	size_t local;
	const struct object_probes *h = catalog_find(&s->catalog, index, &local);
	size_t first = object_probes_site(h, &h->probes[local]);

	for (uint32_t i = 0; h->jumps && i < h->probes[local].site_count; i++) {
		sum.counted += h->site_live[first + i].counted;
		if (!sum.shared)
			sum.shared = hits_shared(
				s, &h->jumps[first + i], h->site_live[first + i].counted);
		sum.misses_end |=
			h->site_live[first + i].counted && hits_misses_end(s, &h->jumps[first + i]);
		if (!h->jumps[first + i].ran)
			continue;
		sum.hits += h->jumps[first + i].hits;
		sum.since += h->jumps[first + i].hits - h->jumps[first + i].base;
	}
	return sum;
}

struct probes_cost probes_cost(const struct probes_session *s, size_t index)
{
	size_t local;
	const struct object_probes *h = catalog_find(&s->catalog, index, &local);
	size_t first = object_probes_site(h, &h->probes[local]);
	double hits = 0, ns = 0;

	for (uint32_t i = 0; h->jumps && i < h->probes[local].site_count; i++) {
		const struct object_jump *j = &h->jumps[first + i];

		if (!h->site_live[first + i].counted)
			continue;
		hits += (double)j->hits;
		ns += (double)j->hits *
		      (j->tactic == PROBES_TACTIC_KERNEL ? HITS_UPROBE_NS : HITS_NS);
	}
	return (struct probes_cost){
		.count_ns = hits > 0 ? ns / hits : HITS_NS, .event_ns = events_cost(s, index)};
}

struct probes_site_hits probes_site_hits_at(
	const struct probes_session *s, size_t probe, size_t site)
{
	size_t local;
	const struct object_probes *h = catalog_find(&s->catalog, probe, &local);
	size_t at = object_probes_site(h, &h->probes[local]) + site;
	const struct object_jump *j = h->jumps ? &h->jumps[at] : NULL;

	if (!j)
		return (struct probes_site_hits){0};
	return (struct probes_site_hits){.hits = j->hits,
		.since = j->ran ? j->hits - j->base : 0,
		.counted = h->site_live[at].counted,
		.tactic = j->tactic,
		.why = j->why,
		.shared = hits_shared(s, j, h->site_live[at].counted)};
}

bool probes_misses_end(const struct probes_session *s)
{
	for (const struct object_probes *h = catalog_first(&s->catalog); h; h = h->next)
		for (size_t k = 0; h->jumps && k < h->site_count; k++)
			if (h->jumps[k].mine && hits_misses_end(s, &h->jumps[k]))
				return true;
	return false;
}

static bool hits_lost(const struct object_probes *h, size_t site)
{
	const struct object_jump *j = &h->jumps[site];

	return (j->mine || j->missed) && j->tactic != PROBES_TACTIC_KERNEL &&
	       !h->site_live[site].counted;
}

bool probes_site_lost(const struct probes_session *s, size_t probe, size_t site)
{
	size_t local;
	const struct object_probes *h = catalog_find(&s->catalog, probe, &local);

	return h->jumps && hits_lost(h, object_probes_site(h, &h->probes[local]) + site);
}

size_t probes_lost_sites(const struct probes_session *s, size_t *probe)
{
	size_t lost = 0;

	for (const struct object_probes *h = catalog_first(&s->catalog); h; h = h->next)
		for (size_t k = 0; h->jumps && k < h->site_count; k++) {
			if (hits_lost(h, k) && !lost++)
				*probe = h->info.first_probe + object_probes_probe_of(h, true, k);
		}
	return lost;
}

const char *probes_tactic_name(enum probes_tactic tactic)
{
	static const char *const names[] = {[PROBES_TACTIC_NONE] = "",
		[PROBES_TACTIC_PUNNED] = "punned",
		[PROBES_TACTIC_EVICTED] = "evicted",
		[PROBES_TACTIC_OCAML] = "ocaml",
		[PROBES_TACTIC_KERNEL] = "uprobe"};

	return names[tactic];
}
