/*
 * Notes to probes; see layout.h. A file names its sites in the order of their addresses, mostly: so
 * a site's place is put down where its note stands in the file, and sorting them is for the rest.
 */
#include "probe/grouping.h"

#include "base/order.h"
#include "probe/kind.h"
#include "probe/note_sort.h"

#include <stdlib.h>
#include <string.h>

/* What is needed on the way. */
struct grouping_work {
	struct grouping *l;
	const struct object *file;
	struct note_sort_entry *items;
	uint64_t *scratch; /* the semaphores of one probe */
};

/* The notes of one probe. */
struct grouping_group {
	const struct note_sort_entry *items;
	size_t count;
	const struct kind_provider *provider;
};

void grouping_break(struct probes_probe *p, const char *why)
{
	if (!p->broken)
		p->broken = why;
}

static int grouping_by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The different semaphores of a group, ascending, behind those laid out already. */
static void grouping_semaphores(
	struct grouping_work *w, struct probes_probe *p, const struct grouping_group *g)
{
	struct probes_semaphore *semaphores = &w->l->semaphores[w->l->semaphore_count];
	uint64_t *found = w->scratch;
	bool ordered = true;
	size_t n = 0;

	for (size_t i = 0; i < g->count; i++) {
		if (!g->items[i].note->semaphore)
			continue;
		found[n] = g->items[i].note->semaphore + g->provider->count_offset;
		ordered = ordered && (!n || found[n - 1] <= found[n]);
		n++;
	}
	if (!ordered)
		qsort(found, n, sizeof *found, grouping_by_number);
	for (size_t i = 0; i < n; i++)
		if (!i || found[i] != found[i - 1])
			semaphores[p->semaphore_count++] =
				(struct probes_semaphore){.vaddr = found[i]};
	p->semaphores = semaphores;
	w->l->semaphore_count += p->semaphore_count;
}

static uint32_t grouping_find_semaphore(const struct probes_probe *p, uint64_t vaddr)
{
	uint32_t low = 0, high = p->semaphore_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (p->semaphores[middle].vaddr < vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void grouping_sites(
	struct grouping_work *w, struct probes_probe *p, const struct grouping_group *g)
{
	struct grouping *l = w->l;

	p->sites = &l->sites[l->site_count];
	for (size_t i = 0; i < g->count; i++) {
		const struct note *note = g->items[i].note;
		uint32_t semaphore = PROBES_NONE;

		if (note->semaphore)
			semaphore = grouping_find_semaphore(
				p, note->semaphore + g->provider->count_offset);
		/* Without a site a note still brings its semaphore along. */
		if (!note->pc)
			continue;
		if (i && note->pc == g->items[i - 1].note->pc) {
			if (p->sites[p->site_count - 1].semaphore != semaphore &&
				kind_of(p)->own_semaphore)
				grouping_break(p, "one of its sites names two semaphores");
			continue;
		}
		l->places[note - w->file->notes] = (struct grouping_place){.vaddr = note->pc,
			.index = (uint32_t)l->site_count,
			.probe = (uint32_t)(p - l->probes)};
		l->sites[l->site_count++] = (struct probes_site){
			.pc = note->pc, .semaphore = semaphore, .arguments = note->arguments};
		p->site_count++;
	}
}

/*
 * The section header of .stapsdt.base shows how far prelink moved an object. Without that header,
 * an object was certainly moved if nothing is loaded at the base that its note names.
 */
static bool grouping_was_moved(const struct object *file, const struct note *note)
{
	return file->sections != OBJECT_SECTIONS_READ && note->base &&
	       !object_segment_at(file, note->base, 1);
}

static void grouping_check(
	const struct object *file, struct probes_probe *p, const struct grouping_group *g)
{
	const struct kind_ops *kind = kind_of(p);

	for (size_t i = 0; i < g->count; i++) {
		if (kind->own_semaphore && !g->items[i].note->semaphore)
			grouping_break(p, "one of its notes names no semaphore");
		if (!g->items[i].note->pc && !g->provider->may_be_absent)
			grouping_break(p, "one of its notes names no site");
		if (grouping_was_moved(file, g->items[i].note))
			grouping_break(p, "its object was moved (prelink), and has no section "
					  "headers that say how far");
	}
	if (g->provider->one_semaphore && p->semaphore_count > 1)
		grouping_break(p, "its notes name different semaphores");
	for (uint32_t i = 0; i < p->site_count; i++) {
		const struct object_segment *s =
			object_segment_at(file, p->sites[i].pc, kind->site->length);

		if (!s || !s->executable)
			grouping_break(p, "one of its sites lies outside the code of its object");
	}
	for (uint32_t i = 0; i < p->semaphore_count; i++) {
		const struct object_segment *s = object_segment_at(file, p->semaphores[i].vaddr, 2);

		if (!s || !s->writable)
			grouping_break(p, "its semaphore lies outside the data of its object");
		/* Even before relocation is complete: that memory belongs to the dynamic linker. */
		if (p->semaphores[i].vaddr < file->relro_end &&
			p->semaphores[i].vaddr + 1 >= file->relro)
			grouping_break(p, "its semaphore lies in data that is read-only once the "
					  "program runs (RELRO)");
	}
}

static void grouping_probe(struct grouping_work *w, const struct grouping_group *g)
{
	struct probes_probe *p = &w->l->probes[w->l->probe_count++];
	const struct note *first = g->items[0].note;

	*p = (struct probes_probe){.kind = g->provider->kind,
		.provider = first->provider,
		.name = first->name,
		.arguments = first->arguments};
	grouping_semaphores(w, p, g);
	grouping_sites(w, p, g);
	grouping_check(w->file, p, g);
}

static void grouping_probes(struct grouping_work *w)
{
	size_t total = w->file->note_count, next;

	for (size_t at = 0; at < total; at = next) {
		struct grouping_group g = {.items = &w->items[at],
			.provider = kind_provider(w->items[at].note->provider)};

		for (next = at + 1; next < total; next++)
			if (!note_sort_same_probe(&w->items[at], &w->items[next]))
				break;
		g.count = next - at;
		grouping_probe(w, &g);
	}
}

/* In ascending order, where notes without a site of their own have left holes. */
static bool grouping_order_places(struct grouping *l, size_t notes)
{
	size_t n = 0;

	for (size_t i = 0; i < notes; i++)
		if (l->places[i].vaddr)
			l->places[n++] = l->places[i];
	if (!order_by_number(l->places, n, sizeof *l->places, 0))
		return false;
	/* Those at one address, which are few, in the order of their probes. */
	for (size_t i = 1; i < n; i++)
		if (l->places[i].vaddr == l->places[i - 1].vaddr &&
			l->places[i].index < l->places[i - 1].index)
			return order_by_number(l->places, n, sizeof *l->places,
				       offsetof(struct grouping_place, index)) &&
			       order_by_number(l->places, n, sizeof *l->places, 0);
	return true;
}

bool grouping_make(struct grouping *l, const struct object *file)
{
	size_t notes = file->note_count;
	struct grouping_work w = {.l = l, .file = file, .items = note_sort(file)};
	bool fits;

	*l = (struct grouping){
		.probes = malloc((notes + 1) * sizeof *l->probes),
		.sites = malloc((notes + 1) * sizeof *l->sites),
		.semaphores = malloc((notes + 1) * sizeof *l->semaphores),
		.places = calloc(notes + 1, sizeof *l->places),
	};
	w.scratch = malloc((notes + 1) * sizeof *w.scratch);
	fits = w.items && w.scratch && l->probes && l->sites && l->semaphores && l->places;
	if (fits) {
		grouping_probes(&w);
		fits = grouping_order_places(l, notes);
	}
	free(w.items);
	free(w.scratch);
	return fits;
}
