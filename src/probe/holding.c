/*
 * Notes to probes. Nothing a note says is believed: what contradicts itself or
 * points outside its object stays listed, marked broken, and is never switched.
 * No step is worse than n log n in the number of notes.
 */
#include "probe/holding.h"

#include "base/error.h"
#include "base/order.h"
#include "probe/runtime.h"
#include "probe/sorted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one probe ---- */

static void holding_break(struct probes_probe *p, const char *why)
{
	if (!p->broken)
		p->broken = why;
}

static int holding_by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The different semaphores of a group of notes, ascending, behind those laid out already. */
static void holding_take_semaphores(struct holding *h, struct probes_probe *p,
	const struct site_provider *provider, const struct sorted_note *items, size_t count,
	uint64_t *scratch)
{
	size_t n = 0;

	p->semaphores = &h->semaphores[h->semaphore_count];
	for (size_t i = 0; i < count; i++)
		if (items[i].note->semaphore)
			scratch[n++] = items[i].note->semaphore + provider->count_offset;
	qsort(scratch, n, sizeof *scratch, holding_by_number);
	for (size_t i = 0; i < n; i++) {
		if (i && scratch[i] == scratch[i - 1])
			continue;
		h->semaphores[h->semaphore_count++].vaddr = scratch[i];
		p->semaphore_count++;
	}
}

static uint32_t holding_find_semaphore(const struct probes_probe *p, uint64_t vaddr)
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

static void holding_take_sites(struct holding *h, struct probes_probe *p,
	const struct site_provider *provider, const struct sorted_note *items, size_t count)
{
	p->sites = &h->sites[h->site_count];
	for (size_t i = 0; i < count; i++) {
		const struct note *note = items[i].note;
		struct probes_site *site = &h->sites[h->site_count];
		uint32_t semaphore = PROBES_NONE;

		if (note->semaphore)
			semaphore =
				holding_find_semaphore(p, note->semaphore + provider->count_offset);
		/* Without a site a note still brings its semaphore along. */
		if (!note->pc)
			continue;
		if (i && note->pc == items[i - 1].note->pc) {
			if (site[-1].semaphore != semaphore && p->kind == PROBES_OCAML)
				holding_break(p, "one of its sites names two semaphores");
			continue;
		}
		*site = (struct probes_site){
			.pc = note->pc, .semaphore = semaphore, .arguments = note->arguments};
		h->site_count++;
		p->site_count++;
	}
	p->arguments = items[0].note->arguments;
}

static void holding_check(const struct holding *h, struct probes_probe *p,
	const struct site_provider *provider, const struct sorted_note *items, size_t count)
{
	bool ocaml = p->kind == PROBES_OCAML;

	for (size_t i = 0; i < count; i++) {
		if (ocaml && !items[i].note->semaphore)
			holding_break(p, "one of its notes names no semaphore");
		if (!items[i].note->pc && !provider->may_be_absent)
			holding_break(p, "one of its notes names no site");
	}
	if (provider->one_semaphore && p->semaphore_count > 1)
		holding_break(p, "its notes name different semaphores");
	for (uint32_t i = 0; i < p->site_count; i++) {
		const struct object_segment *s =
			object_segment_at(h->file, p->sites[i].pc, ocaml ? SITE_BYTES : 1);

		if (!s || !s->executable)
			holding_break(p, "one of its sites lies outside the code of its object");
	}
	for (uint32_t i = 0; i < p->semaphore_count; i++) {
		const struct object_segment *s =
			object_segment_at(h->file, p->semaphores[i].vaddr, 2);

		if (!s || !s->writable)
			holding_break(p, "its semaphore lies outside the data of its object");
	}
}

static void holding_lay_out(struct holding *h, struct sorted_note *items, uint64_t *scratch)
{
	size_t total = h->file->note_count, next;

	for (size_t at = 0; at < total; at = next) {
		struct probes_probe *p = &h->probes[h->probe_count++];
		const struct site_provider *provider = site_provider(items[at].note->provider);

		for (next = at + 1; next < total; next++)
			if (!sorted_alike(&items[at], &items[next]))
				break;
		p->kind = provider->kind;
		p->provider = items[at].note->provider;
		p->name = items[at].note->name;
		holding_take_semaphores(h, p, provider, &items[at], next - at, scratch);
		holding_take_sites(h, p, provider, &items[at], next - at);
		holding_check(h, p, provider, &items[at], next - at);
	}
}

/* ---- across probes ---- */

/* Something at an address, and whose it is. */
struct holding_place {
	uint64_t vaddr;
	uint32_t index; /* of the site or semaphore in the holding */
	uint32_t probe;
};

/* The sites in ascending order. */
static bool holding_site_places(const struct holding *h, struct holding_place *places)
{
	size_t n = 0;

	for (uint32_t i = 0; i < h->probe_count; i++)
		for (uint32_t k = 0; k < h->probes[i].site_count; k++)
			places[n++] = (struct holding_place){.vaddr = h->probes[i].sites[k].pc,
				.index = (uint32_t)(&h->probes[i].sites[k] - h->sites),
				.probe = i};
	return order_by_number(places, n, sizeof *places, 0);
}

/* Switching a site must not change the bytes of another. */
static void holding_check_overlap(
	struct holding *h, const struct holding_place *places, size_t count)
{
	const struct holding_place *last = NULL; /* OCaml site */

	for (size_t i = 0; i < count; i++) {
		bool ocaml = h->probes[places[i].probe].kind == PROBES_OCAML;

		if (last && places[i].vaddr - last->vaddr < SITE_BYTES) {
			holding_break(&h->probes[last->probe], "one of its sites overlaps another");
			if (ocaml)
				holding_break(&h->probes[places[i].probe],
					"one of its sites overlaps another");
		}
		if (ocaml)
			last = &places[i];
	}
}

/* The bytes that the file holds at each site; places are the sites in ascending order. */
static bool holding_read_original(
	struct holding *h, const struct holding_place *places, size_t count)
{
	size_t *offsets = calloc(count + 1, sizeof *offsets);
	unsigned char *buffer = NULL;
	struct spans spans;
	bool fits = offsets != NULL;

	spans_init(&spans, 4096, 1 << 20);
	for (size_t i = 0; fits && i < count; i++) {
		offsets[i] = spans_add(&spans, places[i].vaddr, SITE_BYTES);
		/* An address at the very end of the address space is read as nothing. */
		fits = offsets[i] != SIZE_MAX || places[i].vaddr > UINT64_MAX - SITE_BYTES;
	}
	if (fits)
		buffer = malloc(spans.total + 1);
	if (buffer)
		object_read_spans(h->file, &spans, buffer);
	for (size_t i = 0; buffer && i < count; i++)
		if (offsets[i] != SIZE_MAX)
			memcpy(h->original[places[i].index], buffer + offsets[i],
				spans_got(&spans, offsets[i], SITE_BYTES));
	for (size_t i = 0; buffer && i < count; i++) {
		struct probes_probe *p = &h->probes[places[i].probe];

		if (offsets[i] == SIZE_MAX || !spans_got(&spans, offsets[i], SITE_BYTES))
			holding_break(p, "one of its sites lies beyond the code in its file");
		else if (p->kind == PROBES_OCAML && !site_is_ocaml(h->original[places[i].index]))
			holding_break(p, "the code at one of its sites is no OCaml probe");
	}
	fits = buffer != NULL;
	spans_done(&spans);
	free(buffer);
	free(offsets);
	return fits;
}

static bool holding_join_semaphores(struct holding *h, struct holding_place *places)
{
	bool shared = false;
	size_t n = 0;

	for (uint32_t i = 0; i < h->probe_count; i++)
		for (uint32_t k = 0; k < h->probes[i].semaphore_count; k++)
			places[n++] = (struct holding_place){
				.vaddr = h->probes[i].semaphores[k].vaddr,
				.index = (uint32_t)(&h->probes[i].semaphores[k] - h->semaphores),
				.probe = i};
	if (!order_by_number(places, n, sizeof *places, 0))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct probes_probe *b = &h->probes[places[i].probe], *a;

		h->same[places[i].index] = places[i].index;
		if (!i || places[i].vaddr - places[i - 1].vaddr >= 2)
			continue;
		a = &h->probes[places[i - 1].probe];
		if (places[i].vaddr == places[i - 1].vaddr) {
			h->same[places[i].index] = h->same[places[i - 1].index];
			shared = true;
		}
		/* Sharing is for sdt probes; half a count is shared by nobody. */
		if (places[i].vaddr != places[i - 1].vaddr || a->kind == PROBES_OCAML ||
			b->kind == PROBES_OCAML) {
			holding_break(a, "its semaphore is another probe's too");
			holding_break(b, "its semaphore is another probe's too");
		}
	}
	if (!shared) {
		free(h->same);
		h->same = NULL;
	}
	return true;
}

/* ---- the whole ---- */

static struct probes_live holding_unread(enum probes_state state)
{
	return (struct probes_live){.state = state,
		.sites_on = PROBES_NONE,
		.ref_min = PROBES_NONE,
		.ref_max = PROBES_NONE};
}

void holding_unload(struct holding *h)
{
	h->info.gone = true;
	for (size_t i = 0; i < h->probe_count; i++) {
		h->live[i] = holding_unread(PROBES_UNLOADED);
		h->stamp[i] = 0;
	}
	for (size_t i = 0; i < h->site_count; i++)
		h->site_live[i] = (struct probes_site_live){.state = PROBES_UNLOADED};
	for (size_t i = 0; i < h->semaphore_count; i++) {
		h->values[i] = PROBES_NONE;
		h->net[i] = 0;
	}
}

static bool holding_allocate(struct holding *h, size_t notes, bool live)
{
	h->probes = calloc(notes + 1, sizeof *h->probes);
	h->sites = calloc(notes + 1, sizeof *h->sites);
	h->semaphores = calloc(notes + 1, sizeof *h->semaphores);
	if (!h->probes || !h->sites || !h->semaphores)
		return false;
	if (!live)
		return true;
	h->original = calloc(notes + 1, sizeof *h->original);
	h->same = calloc(notes + 1, sizeof *h->same);
	h->site_live = calloc(notes + 1, sizeof *h->site_live);
	h->values = malloc((notes + 1) * sizeof *h->values);
	h->net = calloc(notes + 1, sizeof *h->net);
	h->stamp = calloc(notes + 1, sizeof *h->stamp);
	return h->original && h->same && h->site_live && h->values && h->net && h->stamp;
}

static void holding_place_live(struct holding *h)
{
	for (size_t i = 0; i < h->site_count; i++)
		h->sites[i].address = h->info.bias + h->sites[i].pc;
	for (size_t i = 0; i < h->semaphore_count; i++) {
		h->semaphores[i].address = h->info.bias + h->semaphores[i].vaddr;
		h->values[i] = PROBES_NONE;
	}
}

/* A copy of text behind *at, unless it is the one that was copied last. */
static const char *holding_keep(char **at, const char *text, const char *last)
{
	char *copy = *at;

	if (last && !strcmp(text, last))
		return last;
	*at = stpcpy(copy, text) + 1;
	return copy;
}

/* Keep the strings that probes point at; the notes, most of them names said again, can go. */
static bool holding_keep_strings(struct holding *h)
{
	const char *provider = NULL, *arguments = NULL;
	size_t total = 1;
	char *at;

	for (size_t i = 0; i < h->probe_count; i++)
		total += strlen(h->probes[i].provider) + strlen(h->probes[i].name) +
			 strlen(h->probes[i].arguments) + 3;
	for (size_t i = 0; i < h->site_count; i++)
		total += strlen(h->sites[i].arguments) + 1;
	h->strings = at = malloc(total);
	if (!at)
		return false;
	for (size_t i = 0; i < h->probe_count; i++) {
		struct probes_probe *p = &h->probes[i];

		p->provider = provider = holding_keep(&at, p->provider, provider);
		p->name = holding_keep(&at, p->name, NULL);
		p->arguments = arguments = holding_keep(&at, p->arguments, arguments);
	}
	for (size_t i = 0; i < h->site_count; i++)
		h->sites[i].arguments = arguments =
			holding_keep(&at, h->sites[i].arguments, arguments);
	object_drop_notes(h->file);
	return true;
}

static bool holding_fill(struct holding *h, bool live)
{
	size_t notes = h->file->note_count;
	struct sorted_note *items = sorted_notes(h->file);
	uint64_t *scratch = calloc(notes + 1, sizeof *scratch);
	struct holding_place *places = calloc(notes + 1, sizeof *places);
	bool fits = items && scratch && places && holding_allocate(h, notes, live);

	if (fits) {
		holding_lay_out(h, items, scratch);
		fits = holding_site_places(h, places);
	}
	if (fits) {
		holding_check_overlap(h, places, h->site_count);
		fits = !live || holding_read_original(h, places, h->site_count);
	}
	if (fits && live) {
		fits = holding_join_semaphores(h, places);
		holding_place_live(h);
	}
	free(items);
	free(scratch);
	free(places);
	fits = fits && holding_keep_strings(h);
	if (fits)
		h->live = calloc(h->probe_count + 1, sizeof *h->live);
	for (size_t i = 0; h->live && i < h->probe_count; i++)
		h->live[i] = holding_unread(PROBES_UNKNOWN);
	return h->live;
}

static void holding_explain_none(struct holding *h)
{
	const char *remedy = runtime_remedy(h->path);

	h->info.remedy = remedy;
	snprintf(h->why, sizeof h->why, "no probe notes: it was built without probes%s%s",
		remedy ? "; " : "", remedy ? remedy : "");
}

static void holding_explain(struct holding *h, const struct object *file, const char *why)
{
	size_t length = 0;

	if (!file)
		snprintf(h->why, sizeof h->why, "%s", why);
	else if (!file->note_count && file->note_malformed)
		snprintf(h->why, sizeof h->why, "its probe notes make no sense: %zu left out",
			file->note_malformed);
	else if (!file->note_count)
		holding_explain_none(h);
	if (h->why[0])
		h->info.why = h->why;
	for (size_t i = 0; file && i < file->build_id_size; i++)
		length += (size_t)snprintf(&h->build_id[length], sizeof h->build_id - length,
			"%02x", file->build_id[i]);
	if (length)
		h->info.build_id = h->build_id;
}

int holding_new(const struct probes_object *info, struct object *file, const char *why, bool live,
	struct holding **holding, struct probes_error *e)
{
	struct holding *h = calloc(1, sizeof *h);

	if (!h || !(h->path = strdup(info->path))) {
		free(h);
		object_free(file);
		return error_memory(e, "an object");
	}
	h->info = *info;
	h->info.path = h->path;
	holding_explain(h, file, why);
	if (file && file->note_count) {
		h->file = file;
		if (!holding_fill(h, live)) {
			holding_free(h);
			return error_memory(e, "the probes of an object");
		}
	} else {
		object_free(file);
	}
	h->info.probe_count = h->probe_count;
	*holding = h;
	return 0;
}

void holding_free(struct holding *h)
{
	if (!h)
		return;
	symbols_close(h->symbols);
	object_free(h->file);
	free(h->path);
	free(h->strings);
	free(h->probes);
	free(h->sites);
	free(h->semaphores);
	free(h->original);
	free(h->same);
	free(h->live);
	free(h->site_live);
	free(h->values);
	free(h->net);
	free(h->stamp);
	free(h);
}

size_t holding_site(const struct holding *h, const struct probes_probe *p)
{
	return (size_t)(p->sites - h->sites);
}

size_t holding_semaphore(const struct holding *h, const struct probes_probe *p)
{
	return (size_t)(p->semaphores - h->semaphores);
}

/* The last probe whose first one is not beyond it: probes without any share their beginning. */
size_t holding_probe_of(const struct holding *h, bool is_site, size_t index)
{
	size_t low = 0, high = h->probe_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		const struct probes_probe *p = &h->probes[middle];

		if ((is_site ? holding_site(h, p) : holding_semaphore(h, p)) <= index)
			low = middle;
		else
			high = middle;
	}
	return low;
}
