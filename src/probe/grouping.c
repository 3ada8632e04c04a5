/* An object may have very many notes: no step is worse than n log n. */
#include "probe/grouping.h"

#include "base/order.h"
#include "probe/kind.h"

#include <stdlib.h>
#include <string.h>

void grouping_break(struct probes_probe *p, enum probes_flaw flaw, const char *why)
{
	if (p->flaw)
		return;
	p->flaw = flaw;
	p->broken = why;
}

/* ---- sorting by name ---- */

/* A note, and the first eight bytes of its names as numbers: most comparisons need no more. */
struct grouping_note {
	uint64_t provider, name;
	const struct note *note;
};

static uint64_t grouping_prefix(const char *text)
{
	uint64_t key = 0;

	for (unsigned left = 64; left && *text; text++)
		key |= (uint64_t)(unsigned char)*text << (left -= 8);
	return key;
}

/* The names differ behind equal prefixes only if the last byte of the prefix is not NUL. */
static int grouping_compare_text(uint64_t x, uint64_t y, const char *a, const char *b)
{
	if (x != y)
		return x < y ? -1 : 1;
	return x & 0xff ? strcmp(a + 8, b + 8) : 0;
}

static int grouping_compare_names(const struct grouping_note *x, const struct grouping_note *y)
{
	int r = grouping_compare_text(
		x->provider, y->provider, x->note->provider, y->note->provider);

	return r ? r : grouping_compare_text(x->name, y->name, x->note->name, y->note->name);
}

static int grouping_compare(const void *a, const void *b)
{
	const struct grouping_note *x = a, *y = b;
	int r = grouping_compare_names(x, y);

	if (r == 0)
		r = (x->note->pc > y->note->pc) - (x->note->pc < y->note->pc);
	if (r == 0)
		r = (x->note->semaphore > y->note->semaphore) -
		    (x->note->semaphore < y->note->semaphore);
	return r;
}

/* By provider, name, pc, semaphore. The array is the caller's (free); NULL: no memory. */
static struct grouping_note *grouping_sort(const struct object *file)
{
	size_t count = file->note_count, next;
	struct grouping_note *items = malloc((count + 1) * sizeof *items);

	for (size_t i = 0; items && i < count; i++) {
		const struct note *note = &file->notes[i];

		/* Consecutive notes mostly share the text of the provider. */
		items[i] = (struct grouping_note){
			.provider = i && note->provider == note[-1].provider
					    ? items[i - 1].provider
					    : grouping_prefix(note->provider),
			.name = grouping_prefix(note->name),
			.note = note,
		};
	}
	if (!items ||
		!order_by_number(
			items, count, sizeof *items, offsetof(struct grouping_note, name)) ||
		!order_by_number(
			items, count, sizeof *items, offsetof(struct grouping_note, provider))) {
		free(items);
		return NULL;
	}
	/* Notes with equal prefixes are mostly those of one probe, in order already. */
	for (size_t at = 0; at < count; at = next) {
		bool ordered = true;

		for (next = at + 1; next < count && items[next].name == items[at].name &&
				    items[next].provider == items[at].provider;
			next++)
			ordered = ordered && grouping_compare(&items[next - 1], &items[next]) <= 0;
		if (!ordered)
			qsort(&items[at], next - at, sizeof *items, grouping_compare);
	}
	return items;
}

/* ---- one probe ---- */

/* The notes of one probe. */
struct grouping_group {
	const struct object *file;
	const struct kind_provider *provider;
	const struct grouping_note *items;
	size_t count;
};

/* Also for struct probes_semaphore, which begins with its address. */
static int grouping_by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Append the semaphores and sites that the notes of a probe name, each once, by address. `scratch`
 * has room for a number per note.
 */
static void grouping_fill(struct grouping *l, struct probes_probe *p,
	const struct grouping_group *g, uint64_t *scratch)
{
	const struct grouping_note *items = g->items;
	uint64_t offset = g->provider->count_offset;
	struct probes_semaphore *semaphores = &l->semaphores[l->semaphore_count];
	bool ordered = true;
	size_t n = 0;

	for (size_t i = 0; i < g->count; i++) {
		if (!items[i].note->semaphore)
			continue;
		scratch[n] = items[i].note->semaphore + offset;
		ordered = ordered && (!n || scratch[n - 1] <= scratch[n]);
		n++;
	}
	if (!ordered)
		qsort(scratch, n, sizeof *scratch, grouping_by_number);
	for (size_t i = 0; i < n; i++)
		if (!i || scratch[i] != scratch[i - 1])
			semaphores[p->semaphore_count++] =
				(struct probes_semaphore){.vaddr = scratch[i]};
	p->semaphores = semaphores;
	l->semaphore_count += p->semaphore_count;

	p->sites = &l->sites[l->site_count];
	for (size_t i = 0; i < g->count; i++) {
		const struct note *note = items[i].note;
		const struct probes_semaphore *own = NULL;
		uint64_t vaddr = note->semaphore + offset;
		uint32_t semaphore;

		/* A note without a site has only contributed its semaphore. */
		if (!note->pc)
			continue;
		if (note->semaphore)
			own = bsearch(&vaddr, semaphores, p->semaphore_count, sizeof *semaphores,
				grouping_by_number);
		semaphore = own ? (uint32_t)(own - semaphores) : PROBES_NONE;
		if (i && note->pc == items[i - 1].note->pc) {
			if (p->sites[p->site_count - 1].semaphore != semaphore &&
				kind_of(p)->own_semaphore)
				grouping_break(p, PROBES_FLAW_NOTES,
					"one of its sites names two semaphores");
			continue;
		}
		/* Files mostly name sites by address: in the order of notes, places are too. */
		l->places[note - g->file->notes] = (struct grouping_place){.vaddr = note->pc,
			.index = (uint32_t)l->site_count,
			.probe = (uint32_t)(p - l->probes)};
		l->sites[l->site_count++] = (struct probes_site){
			.pc = note->pc, .semaphore = semaphore, .arguments = note->arguments};
		p->site_count++;
	}
}

static void grouping_check(struct probes_probe *p, const struct grouping_group *g)
{
	const struct kind_ops *kind = kind_of(p);

	for (size_t i = 0; i < g->count; i++) {
		const struct note *note = g->items[i].note;

		if (kind->own_semaphore && !note->semaphore)
			grouping_break(p, PROBES_FLAW_NOTES, "one of its notes names no semaphore");
		if (!note->pc && !g->provider->may_be_absent)
			grouping_break(p, PROBES_FLAW_NOTES, "one of its notes names no site");
		/* Without section headers the address of .stapsdt.base is unknown. The object was
		 * certainly moved if nothing is loaded at the base that a note names. */
		if (g->file->sections != OBJECT_SECTIONS_READ && note->base &&
			!object_segment_at(g->file, note->base, 1))
			grouping_break(p, PROBES_FLAW_NOTES,
				"its object was moved (prelink), and has no section headers that "
				"say how far");
	}
	if (g->provider->one_semaphore && p->semaphore_count > 1)
		grouping_break(p, PROBES_FLAW_NOTES, "its notes name different semaphores");
	for (uint32_t i = 0; i < p->site_count; i++) {
		const struct object_segment *s =
			object_segment_at(g->file, p->sites[i].pc, kind->site->length);

		if (!s || !s->executable)
			grouping_break(p, PROBES_FLAW_NOTES,
				"one of its sites lies outside the code of its object");
	}
	for (uint32_t i = 0; i < p->semaphore_count; i++) {
		const struct object_segment *s =
			object_segment_at(g->file, p->semaphores[i].vaddr, 2);

		if (!s || !s->writable)
			grouping_break(p, PROBES_FLAW_NOTES,
				"its semaphore lies outside the data of its object");
		/* Even before relocation is complete: that memory belongs to the dynamic linker. */
		if (p->semaphores[i].vaddr < g->file->relro_end &&
			p->semaphores[i].vaddr + 1 >= g->file->relro)
			grouping_break(p, PROBES_FLAW_NOTES,
				"its semaphore lies in data that is read-only once the program "
				"runs (RELRO)");
	}
}

/* ---- the object ---- */

/* Put places in the order of addresses, and close the gaps of notes without a site of their own. */
static bool grouping_order_places(struct grouping *l, size_t notes)
{
	size_t n = 0;

	for (size_t i = 0; i < notes; i++)
		if (l->places[i].vaddr)
			l->places[n++] = l->places[i];
	if (!order_by_number(l->places, n, sizeof *l->places, 0))
		return false;
	/* The few at one address, in the order of their probes. */
	for (size_t i = 1; i < n; i++)
		if (l->places[i].vaddr == l->places[i - 1].vaddr &&
			l->places[i].index < l->places[i - 1].index)
			return order_by_number(l->places, n, sizeof *l->places,
				       offsetof(struct grouping_place, index)) &&
			       order_by_number(l->places, n, sizeof *l->places, 0);
	return true;
}

/* Switching a site must not change the bytes of another. */
static void grouping_check_overlap(struct grouping *l)
{
	const struct grouping_place *last = NULL; /* site with a switch */

	for (size_t i = 0; i < l->site_count; i++) {
		struct probes_probe *p = &l->probes[l->places[i].probe], *before;

		before = last ? &l->probes[last->probe] : NULL;
		if (before && l->places[i].vaddr - last->vaddr < kind_of(before)->site->length) {
			grouping_break(
				before, PROBES_FLAW_NOTES, "one of its sites overlaps another");
			if (kind_switches(p))
				grouping_break(
					p, PROBES_FLAW_NOTES, "one of its sites overlaps another");
		}
		if (kind_switches(p))
			last = &l->places[i];
	}
}

bool grouping_make(struct grouping *l, const struct object *file)
{
	size_t notes = file->note_count, next;
	struct grouping_note *items = grouping_sort(file);
	uint64_t *scratch = malloc((notes + 1) * sizeof *scratch);
	bool fits;

	*l = (struct grouping){
		.probes = malloc((notes + 1) * sizeof *l->probes),
		.sites = malloc((notes + 1) * sizeof *l->sites),
		.semaphores = malloc((notes + 1) * sizeof *l->semaphores),
		.places = calloc(notes + 1, sizeof *l->places),
	};
	fits = items && scratch && l->probes && l->sites && l->semaphores && l->places;
	for (size_t at = 0; fits && at < notes; at = next) {
		const struct note *first = items[at].note;
		struct probes_probe *p = &l->probes[l->probe_count++];
		struct grouping_group g = {.file = file,
			.provider = kind_provider(first->provider),
			.items = &items[at]};

		for (next = at + 1; next < notes; next++)
			if (grouping_compare_names(&items[at], &items[next]))
				break;
		g.count = next - at;
		*p = (struct probes_probe){.kind = g.provider->kind,
			.provider = first->provider,
			.name = first->name,
			.arguments = first->arguments};
		grouping_fill(l, p, &g, scratch);
		grouping_check(p, &g);
	}
	fits = fits && grouping_order_places(l, notes);
	if (fits)
		grouping_check_overlap(l);
	free(items);
	free(scratch);
	return fits;
}
