/*
 * The probes of an object: its notes (grouping), against the code in its file, against each other
 * and against the mappings of the process; and the room for their live values. Nothing that a note
 * says is trusted: a broken probe stays listed and is never switched. No step is worse than n log n
 * in the number of notes.
 */
#include "probe/object_probes.h"

#include "base/error.h"
#include "base/order.h"
#include "probe/grouping.h"
#include "probe/runtime.h"
#include "process/descriptors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECT_PROBES_GAP 256 /* sites a page apart need no page each */

/* Read the bytes that the file holds at each site. `places`: the sites, by address. */
static bool object_probes_read_original(
	struct object_probes *h, const struct grouping_place *places)
{
	size_t *offsets = calloc(h->site_count + 1, sizeof *offsets);
	unsigned char *buffer = NULL;
	struct spans spans;
	bool fits = offsets;

	spans_init(&spans, OBJECT_PROBES_GAP, 1 << 20);
	for (size_t i = 0; fits && i < h->site_count; i++) {
		offsets[i] = spans_add(&spans, places[i].vaddr, ARCH_SITE_BYTES);
		/* Spans exclude the last bytes of the address space. */
		fits = offsets[i] != SIZE_MAX || places[i].vaddr > UINT64_MAX - ARCH_SITE_BYTES;
	}
	if (fits)
		buffer = malloc(spans.total + 1);
	if (buffer)
		object_read_spans(h->file, &spans, buffer);
	for (size_t i = 0; buffer && i < h->site_count; i++) {
		struct probes_probe *p = &h->probes[places[i].probe];
		uint8_t *original = h->original[places[i].index];
		size_t got = 0;
		const char *why;

		if (offsets[i] != SIZE_MAX)
			got = spans_got(&spans, offsets[i], ARCH_SITE_BYTES);
		if (got)
			memcpy(original, buffer + offsets[i], got);
		if (h->no_code)
			grouping_break(p, PROBES_FLAW_CODE,
				"only its debug file could be opened, which holds no code");
		else if (!got)
			grouping_break(p, PROBES_FLAW_NOTES,
				"one of its sites lies beyond the code in its file");
		else if (kind_of(p)->mismatch && (why = kind_of(p)->mismatch(original)))
			grouping_break(p, PROBES_FLAW_NOTES, why);
	}
	fits = buffer;
	spans_done(&spans);
	free(buffer);
	free(offsets);
	return fits;
}

/* Find the semaphores that probes share. `places` is used as scratch. */
static bool object_probes_join_semaphores(struct object_probes *h, struct grouping_place *places)
{
	bool shared = false;
	size_t n = 0;

	for (uint32_t i = 0; i < h->probe_count; i++)
		for (uint32_t k = 0; k < h->probes[i].semaphore_count; k++)
			places[n++] = (struct grouping_place){
				.vaddr = h->probes[i].semaphores[k].vaddr,
				.index = (uint32_t)(&h->probes[i].semaphores[k] - h->semaphores),
				.probe = i};
	if (!order_by_number(places, n, sizeof *places, 0))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct probes_probe *a, *b = &h->probes[places[i].probe];

		h->same[places[i].index] = places[i].index;
		if (!i || places[i].vaddr - places[i - 1].vaddr >= 2)
			continue;
		a = &h->probes[places[i - 1].probe];
		if (places[i].vaddr == places[i - 1].vaddr) {
			h->same[places[i].index] = h->same[places[i - 1].index];
			shared = true;
		}
		if (places[i].vaddr != places[i - 1].vaddr || kind_of(a)->own_semaphore ||
			kind_of(b)->own_semaphore) {
			grouping_break(
				a, PROBES_FLAW_NOTES, "its semaphore is another probe's too");
			grouping_break(
				b, PROBES_FLAW_NOTES, "its semaphore is another probe's too");
		}
	}
	if (!shared) {
		free(h->same);
		h->same = NULL;
	}
	return true;
}

bool object_probes_check_writable(struct object_probes *h, const struct array *ranges)
{
	static const char *const words[] = {
		[PROBES_FLAW_READ_ONLY] = "its semaphore lies in memory that is not writable",
		[PROBES_FLAW_SHARED] =
			"its semaphore lies in shared memory, where others would see it change"};
	const struct maps_range *r = NULL; /* of the last semaphore; mostly also of the next */
	bool changed = false;

	for (size_t i = 0; i < h->probe_count && !h->info.gone; i++) {
		struct probes_probe *p = &h->probes[i];
		enum probes_flaw flaw = PROBES_SOUND;

		if (p->flaw && p->flaw != PROBES_FLAW_READ_ONLY && p->flaw != PROBES_FLAW_SHARED)
			continue; /* for good */
		for (uint32_t k = 0; k < p->semaphore_count && !flaw; k++) {
			uint64_t address = p->semaphores[k].address;

			if (!r || address < r->start || address >= r->end)
				r = maps_range_at(ranges, address);
			if (!r || r->end - address < 2)
				flaw = PROBES_FLAW_READ_ONLY;
			else if (r->shared)
				flaw = PROBES_FLAW_SHARED;
		}
		changed = changed || p->flaw != flaw;
		p->flaw = flaw;
		p->broken = words[flaw];
	}
	return changed;
}

static struct probes_live object_probes_unreadable(enum probes_state state)
{
	return (struct probes_live){.state = state,
		.sites_on = PROBES_NONE,
		.ref_min = PROBES_NONE,
		.ref_max = PROBES_NONE};
}

void object_probes_unload(struct object_probes *h)
{
	h->info.gone = true;
	for (size_t i = 0; i < h->probe_count; i++)
		h->live[i] = object_probes_unreadable(PROBES_UNLOADED);
	for (size_t i = 0; i < h->site_count; i++)
		h->site_live[i] = (struct probes_site_live){.state = PROBES_UNLOADED};
	for (size_t i = 0; i < h->semaphore_count; i++)
		h->values[i] = PROBES_NONE;
}

/* The last text and its copy: the next text is mostly the same. */
struct object_probes_copy {
	const char *text, *copy;
};

static void object_probes_keep(char **at, struct object_probes_copy *last, const char **text)
{
	if (!last->text || (*text != last->text && strcmp(*text, last->text))) {
		*last = (struct object_probes_copy){.text = *text, .copy = *at};
		*at = stpcpy(*at, *text) + 1;
	}
	*text = last->copy;
}

/*
 * Copy the texts that probes and sites point at, and free those of the notes, which repeat a name
 * for every note: a session with a process may last long.
 */
static bool object_probes_keep_strings(struct object_probes *h)
{
	struct object_probes_copy provider = {0}, arguments = {0};
	size_t total = 1;
	char *texts, *at;

	for (size_t i = 0; i < h->probe_count; i++)
		total += strlen(h->probes[i].provider) + strlen(h->probes[i].name) +
			 strlen(h->probes[i].arguments) + 3;
	for (size_t i = 0; i < h->site_count; i++)
		total += strlen(h->sites[i].arguments) + 1;
	texts = at = malloc(total);
	if (!texts)
		return false;
	for (size_t i = 0; i < h->probe_count; i++) {
		struct object_probes_copy name = {0};

		object_probes_keep(&at, &provider, &h->probes[i].provider);
		object_probes_keep(&at, &name, &h->probes[i].name);
		object_probes_keep(&at, &arguments, &h->probes[i].arguments);
	}
	for (size_t i = 0; i < h->site_count; i++)
		object_probes_keep(&at, &arguments, &h->sites[i].arguments);
	free(h->strings);
	h->strings = texts;
	return true;
}

/* `live`: there is a process. */
static bool object_probes_fill(struct object_probes *h, bool live)
{
	struct grouping l;
	bool fits = grouping_make(&l, h->file);

	h->probes = l.probes;
	h->probe_count = l.probe_count;
	h->sites = l.sites;
	h->site_count = l.site_count;
	h->semaphores = l.semaphores;
	h->semaphore_count = l.semaphore_count;
	h->strings = object_drop_notes(h->file);
	h->live = calloc(h->probe_count + 1, sizeof *h->live);
	fits = fits && h->live;
	if (fits && live) {
		h->original = calloc(h->site_count + 1, sizeof *h->original);
		h->site_live = calloc(h->site_count + 1, sizeof *h->site_live);
		h->same = calloc(h->semaphore_count + 1, sizeof *h->same);
		h->values = malloc((h->semaphore_count + 1) * sizeof *h->values);
		fits = h->original && h->site_live && h->same && h->values &&
		       object_probes_keep_strings(h) && object_probes_read_original(h, l.places);
		/* From here on only symbol lookups need the file. */
		if (descriptors_scarce(h->file->fd))
			object_rest(h->file);
	}
	for (size_t i = 0; fits && i < h->probe_count; i++) {
		/* Some of its sites may be unknown: it would be switched in part. */
		if (h->info.left_out)
			grouping_break(&h->probes[i], PROBES_FLAW_NOTES,
				"its object has too many notes: some were left out, perhaps of "
				"this probe, too");
		h->live[i] = object_probes_unreadable(
			!h->probes[i].flaw && kind_no_switch(&h->probes[i]) ? PROBES_NO_SWITCH
									    : PROBES_UNKNOWN);
	}
	if (fits && live)
		fits = object_probes_join_semaphores(h, l.places);
	for (size_t i = 0; fits && live && i < h->site_count; i++)
		h->sites[i].address = h->info.bias + h->sites[i].pc;
	for (size_t i = 0; fits && live && i < h->semaphore_count; i++) {
		h->semaphores[i].address = h->info.bias + h->semaphores[i].vaddr;
		h->values[i] = PROBES_NONE;
	}
	free(l.places);
	return fits;
}

void object_probes_set_build_id(struct object_probes *h, const unsigned char *bytes, size_t size)
{
	size_t length = 0;

	for (size_t i = 0; i < size; i++)
		length += (size_t)snprintf(
			&h->build_id[length], sizeof h->build_id - length, "%02x", bytes[i]);
	if (length)
		h->info.build_id = h->build_id;
}

/* Why there are no probes, or not all: `why`, or by the file. */
static void object_probes_explain(
	struct object_probes *h, const struct object *file, const char *why)
{
	const char *remedy = runtime_remedy(h->path);

	if (!file)
		snprintf(h->why, sizeof h->why, "%s", why);
	else if (!file->note_count && file->notes_compressed)
		snprintf(h->why, sizeof h->why,
			"its probe notes are compressed: eu-elfcompress -t none -n .note.stapsdt "
			"makes a file that can be read");
	else if (!file->note_count && file->note_malformed)
		snprintf(h->why, sizeof h->why, "its probe notes make no sense: %zu left out",
			file->note_malformed);
	else if (file->note_left_out)
		snprintf(h->why, sizeof h->why,
			"%zu of its %zu probe notes are left out: too many to keep",
			file->note_left_out, file->note_left_out + file->note_count);
	else if (file->note_count && file->note_malformed)
		snprintf(h->why, sizeof h->why,
			"%zu of its %zu probe notes are left out: cut short, or without a provider "
			"or a name",
			file->note_malformed, file->note_malformed + file->note_count);
	else if (!file->note_count && file->sections != OBJECT_SECTIONS_READ)
		/* There may be notes: .note.stapsdt is usually not part of a segment. */
		snprintf(h->why, sizeof h->why,
			"its section headers %s: probe notes cannot be found",
			file->sections == OBJECT_SECTIONS_NONE ? "were stripped" : "make no sense");
	else if (!file->note_count) {
		h->info.remedy = remedy;
		snprintf(h->why, sizeof h->why, "no probe notes: it was built without probes%s%s",
			remedy ? "; " : "", remedy ? remedy : "");
	}
	if (h->why[0])
		h->info.why = h->why;
	if (file)
		object_probes_set_build_id(h, file->build_id, file->build_id_size);
}

int object_probes_new(const struct probes_object *info, struct object *file, const char *why,
	bool live, struct object_probes **object_probes, struct probes_error *e)
{
	struct object_probes *h = calloc(1, sizeof *h);

	if (!h || !(h->path = strdup(info->path))) {
		free(h);
		object_free(file);
		return error_memory(e, "an object");
	}
	h->info = *info;
	h->info.path = h->path;
	h->info.left_out = file ? file->note_left_out : 0;
	h->info.malformed = file ? file->note_malformed : 0;
	object_probes_explain(h, file, why);
	if (file && file->note_count) {
		h->file = file;
		h->no_code = file->no_code;
		if (!object_probes_fill(h, live)) {
			object_probes_free(h);
			return error_memory(e, "the probes of an object");
		}
	} else {
		object_free(file);
	}
	h->info.probe_count = h->probe_count;
	*object_probes = h;
	return 0;
}

void object_probes_free(struct object_probes *h)
{
	if (!h)
		return;
	symbols_close(h->symbols);
	object_free(h->file);
	for (size_t i = 0; h->names && i < h->site_count; i++)
		free(h->names[i]);
	free(h->names);
	free(h->described);
	free(h->path);
	free(h->strings);
	free(h->probes);
	free(h->sites);
	free(h->semaphores);
	free(h->original);
	free(h->jumps);
	free(h->same);
	free(h->live);
	free(h->site_live);
	free(h->values);
	free(h);
}

size_t object_probes_site(const struct object_probes *h, const struct probes_probe *p)
{
	return (size_t)(p->sites - h->sites);
}

size_t object_probes_semaphore(const struct object_probes *h, const struct probes_probe *p)
{
	return (size_t)(p->semaphores - h->semaphores);
}

/* The last probe that begins at or before it: a probe without any begins where the next one does.
 */
size_t object_probes_probe_of(const struct object_probes *h, bool is_site, size_t index)
{
	size_t behind;

	ORDER_FIND(behind, h->probe_count,
		(is_site ? object_probes_site(h, &h->probes[behind])
			 : object_probes_semaphore(h, &h->probes[behind])) <= index);
	return behind - 1;
}

/* ---- sites by their semaphores ---- */

static int semaphore_sites_by_address(const void *a, const void *b, void *object_probes)
{
	const struct object_probes *h = object_probes;
	uint64_t x = h->sites[*(const uint32_t *)a].pc, y = h->sites[*(const uint32_t *)b].pc;

	return (x > y) - (x < y);
}

/*
 * Probes share semaphores: put the sites of all in the order of addresses, and keep one of those at
 * the same address.
 */
static void semaphore_sites_order(struct semaphore_sites *c, const struct object_probes *h)
{
	uint32_t kept = 0, at = 0;

	for (size_t i = 0; i < h->semaphore_count; i++) {
		uint32_t end = c->begin[i + 1];

		qsort_r(&c->sites[at], end - at, sizeof *c->sites, semaphore_sites_by_address,
			(void *)h);
		c->begin[i] = kept;
		for (; at < end; at++)
			if (kept == c->begin[i] ||
				h->sites[c->sites[kept - 1]].pc != h->sites[c->sites[at]].pc)
				c->sites[kept++] = c->sites[at];
	}
	c->begin[h->semaphore_count] = kept;
}

/* A counting sort: begin[i] is needed one place further on while the sites of i are stored. */
bool semaphore_sites_init(struct semaphore_sites *c, const struct object_probes *h)
{
	uint32_t *semaphore = malloc((h->site_count + 1) * sizeof *semaphore); /* per site */

	c->begin = calloc(h->semaphore_count + 2, sizeof *c->begin);
	c->sites = malloc((h->site_count + 1) * sizeof *c->sites);
	if (!semaphore || !c->begin || !c->sites) {
		free(semaphore);
		return false;
	}
	for (size_t i = 0, at = 0; i < h->probe_count; i++)
		for (uint32_t k = 0; k < h->probes[i].site_count; k++) {
			uint32_t own = h->probes[i].sites[k].semaphore;

			if (own != PROBES_NONE)
				own = object_probes_same(
					h, object_probes_semaphore(h, &h->probes[i]) + own);
			semaphore[at++] = own;
		}
	for (size_t i = 0; i < h->site_count; i++)
		if (semaphore[i] != PROBES_NONE)
			c->begin[semaphore[i] + 2]++;
	for (size_t i = 2; i < h->semaphore_count + 2; i++)
		c->begin[i] += c->begin[i - 1];
	for (uint32_t i = 0; i < h->site_count; i++)
		if (semaphore[i] != PROBES_NONE)
			c->sites[c->begin[semaphore[i] + 1]++] = i;
	free(semaphore);
	if (h->same)
		semaphore_sites_order(c, h);
	return true;
}

void semaphore_sites_done(struct semaphore_sites *c)
{
	free(c->begin);
	free(c->sites);
	*c = (struct semaphore_sites){0};
}
