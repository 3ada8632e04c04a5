/* The public calls that read the counters of sites. */
#include "session/session.h"

#include "base/error.h"

/* Read the counters of sites that count, or did: their last hits arrive after they are uncounted.
 * False: no memory. */
static bool hits_refresh(struct probes_session *s)
{
	bool fits = true;

	for (size_t i = 0; i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);

		for (size_t k = 0; h->jumps && !h->info.gone && k < h->site_count; k++) {
			struct object_jump *j = &h->jumps[k];

			if (j->length && j->arena != PROBES_NONE &&
				(j->ran || h->site_live[k].counted))
				fits &= arena_watch(
					ARRAY_AT(&s->arenas, struct arena, j->arena), j->entry);
		}
	}
	for (size_t i = 0; i < s->arenas.count; i++) {
		struct arena *w = ARRAY_AT(&s->arenas, struct arena, i);

		if (w->counters.count && !w->elsewhere)
			(void)arena_refresh(w, &s->memory);
	}
	return fits;
}

/* The hits of a site were read. Where others counted first, those of the first reading are theirs.
 */
static void hits_take(struct object_jump *j, bool counted, uint64_t hits)
{
	if (counted && !j->ran && !j->uprobe && (!j->mine || j->taken))
		j->base = hits;
	/* The program overwrote its counter. */
	if (hits < j->base)
		j->base = 0;
	j->ran = j->ran || counted;
	j->hits = hits;
}

int probes_read_hits(struct probes_session *s, struct probes_error *e)
{
	int r = probes_alive(s, e);

	/* An arena that is mapped here outlives the process, and holds its last hits. */
	if (r == 0) {
		holder_keep(s);
		proofs_look(s, false);
		if (!hits_refresh(s))
			r = error_memory(e, "the counters of a process");
	}
	for (size_t i = 0; i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);

		for (size_t k = 0; h->jumps && !h->info.gone && k < h->site_count; k++) {
			struct object_jump *j = &h->jumps[k];

			bool uprobe = j->tactic == PROBES_TACTIC_KERNEL && j->uprobe;

			if (!uprobe && (!j->length || j->arena == PROBES_NONE))
				continue;
			hits_take(j, h->site_live[k].counted,
				uprobe ? uprobe_hits(j->uprobe)
				       : arena_hits(ARRAY_AT(&s->arenas, struct arena, j->arena),
						 j->entry));
		}
	}
	if (r < 0)
		rest_if_ended(s);
	return r;
}

/* With whom the hits of a site are shared: struct probes_hits. */
static pid_t hits_shared(const struct probes_session *s, const struct object_jump *j, bool counted)
{
	const struct arena *w = (counted || j->ran) && j->length &&
						j->tactic != PROBES_TACTIC_KERNEL &&
						j->arena != PROBES_NONE
					? ARRAY_AT(&s->arenas, struct arena, j->arena)
					: NULL;

	if (!w || w->elsewhere || !w->inherited)
		return w ? w->elsewhere : 0;
	return w->heir.session ? (pid_t)w->heir.pid : -1;
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
		if (!h->jumps[first + i].ran)
			continue;
		sum.hits += h->jumps[first + i].hits;
		sum.since += h->jumps[first + i].hits - h->jumps[first + i].base;
	}
	return sum;
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
	for (size_t i = 0; i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);

		for (size_t k = 0; h->jumps && k < h->site_count; k++) {
			const struct object_jump *j = &h->jumps[k];

			if (j->mine && j->tactic != PROBES_TACTIC_KERNEL &&
				j->arena != PROBES_NONE &&
				!ARRAY_AT(&s->arenas, struct arena, j->arena)->file)
				return true;
		}
	}
	return false;
}

size_t probes_lost_sites(const struct probes_session *s, size_t *probe)
{
	size_t lost = 0;

	for (size_t i = 0; i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);

		for (size_t k = 0; h->jumps && k < h->site_count; k++) {
			if (!h->jumps[k].mine || h->jumps[k].tactic == PROBES_TACTIC_KERNEL ||
				h->site_live[k].counted)
				continue;
			if (!lost++)
				*probe = h->info.first_probe + object_probes_probe_of(h, true, k);
		}
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
