/*
 * Laying out reads of live values, and running them. The cost is system calls by ranges, not by
 * probes; only what has changed is stored and judged again. Bytes are read piece by piece into a
 * small buffer and compared block by block with a copy of all bytes of the last run.
 */
#include "probe/reader.h"

#include "base/order.h"

#include <stdlib.h>
#include <string.h>

#define READER_GAP 256           /* reading over fewer bytes is cheaper than a new range */
#define READER_PIECE (256 << 10) /* bytes of one read */
#define READER_SEMAPHORE 2       /* bytes of a count */
#define READER_PAGE 4096
#define READER_BLOCK 4096 /* bytes compared at once */
#define READER_CHUNK 64   /* bytes compared at once in a block that differs */
#define READER_SPARSE 32  /* if far more than one probe in this many differs, store all values */

/* Where a value lies in the bytes that are read, and what it belongs to; ascending by offset. */
struct reader_item {
	uint32_t offset;
	uint32_t index : 31; /* of the site or semaphore in its object */
	uint32_t is_site : 1;
};

/* The items from `first` to the first of the next run belong to one object. */
struct reader_run {
	uint32_t first;
	uint32_t object;
};

/* A value to read, before its offset is known. */
struct reader_range {
	uint64_t address;
	uint32_t index : 31;
	uint32_t is_site : 1;
	uint32_t object;
};

static size_t reader_length(bool is_site)
{
	return is_site ? ARCH_SITE_BYTES : READER_SEMAPHORE;
}

static void reader_range(struct array *ranges, uint64_t address, struct reader_range range)
{
	if (address > UINT64_MAX - ARCH_SITE_BYTES)
		return;
	range.address = address;
	*(struct reader_range *)array_add(ranges) = range;
}

/* The piece with room for one more value: the last one, or a new one. */
static struct reader_piece *reader_piece(struct reader *r)
{
	struct reader_piece *last = NULL, *piece;

	if (r->pieces.count) {
		last = ARRAY_AT(&r->pieces, struct reader_piece, r->pieces.count - 1);
		if (last->spans.total + READER_GAP + ARCH_SITE_BYTES <= READER_PIECE)
			return last;
		r->total = last->offset + last->spans.total;
	}
	piece = array_add(&r->pieces);
	if (!piece)
		return NULL;
	piece->offset = r->total;
	spans_init(&piece->spans, READER_GAP, READER_PIECE);
	return piece;
}

/* Give a value its offset; ranges come in the order of addresses. */
static bool reader_place(struct reader *r, const struct reader_range *range)
{
	struct reader_piece *piece = reader_piece(r);
	struct reader_item *item = array_add(&r->items);
	struct reader_run *run = NULL;
	size_t offset = SIZE_MAX;

	if (piece && item)
		offset = spans_add(&piece->spans, range->address, reader_length(range->is_site));
	if (offset == SIZE_MAX || piece->offset + offset > UINT32_MAX)
		return false;
	r->total = piece->offset + piece->spans.total;
	*item = (struct reader_item){.offset = (uint32_t)(piece->offset + offset),
		.index = range->index,
		.is_site = range->is_site};
	if (r->runs.count)
		run = ARRAY_AT(&r->runs, struct reader_run, r->runs.count - 1);
	if (run && run->object == range->object)
		return true;
	return array_push(&r->runs, &(struct reader_run){.first = (uint32_t)(r->items.count - 1),
					    .object = range->object});
}

bool reader_init(struct reader *r, const struct catalog *c, const size_t *which, size_t count)
{
	size_t total = which ? count : c->probe_count;
	struct array ranges = ARRAY_OF(struct reader_range);
	bool fits = true;

	*r = (struct reader){0};
	r->items = ARRAY_OF(struct reader_item);
	r->runs = ARRAY_OF(struct reader_run);
	r->pieces = ARRAY_OF(struct reader_piece);
	r->touched = ARRAY_OF(size_t);
	for (size_t i = 0; fits && i < total; i++) {
		size_t local;
		const struct object_probes *h = catalog_find(c, which ? which[i] : i, &local);
		const struct probes_probe *p = &h->probes[local];
		struct reader_range range = {.object = p->object, .is_site = 1};

		/* Whatever is mapped there now belongs to another object. */
		if (h->info.gone)
			continue;
		fits = array_reserve(&ranges, (size_t)p->site_count + p->semaphore_count);
		range.index = object_probes_site(h, p) & INT32_MAX;
		for (uint32_t k = 0; fits && k < p->site_count; k++, range.index++)
			reader_range(&ranges, p->sites[k].address, range);
		range.is_site = 0;
		range.index = object_probes_semaphore(h, p) & INT32_MAX;
		for (uint32_t k = 0; fits && k < p->semaphore_count; k++, range.index++)
			reader_range(&ranges, p->semaphores[k].address, range);
	}
	fits = fits && order_array(&ranges, offsetof(struct reader_range, address)) &&
	       array_reserve(&r->items, ranges.count);
	for (size_t i = 0; fits && i < ranges.count; i++)
		fits = reader_place(r, ARRAY_AT(&ranges, struct reader_range, i));
	array_done(&ranges);
	if (fits) {
		r->bytes = malloc(READER_PIECE);
		r->before = calloc(1, r->total + 1);
	}
	if (r->bytes && r->before)
		return true;
	reader_done(r);
	return false;
}

void reader_done(struct reader *r)
{
	for (size_t i = 0; i < r->pieces.count; i++)
		spans_done(&ARRAY_AT(&r->pieces, struct reader_piece, i)->spans);
	array_done(&r->items);
	array_done(&r->runs);
	array_done(&r->pieces);
	array_done(&r->touched);
	free(r->bytes);
	free(r->before);
	r->bytes = r->before = NULL;
}

/*
 * Store the items of a piece between two offsets; an item across an end is stored, too. `whole`:
 * all bytes of the piece were read. `changed`: only items that differ from the last run, whose
 * probes are noted; false: no memory for that.
 */
static bool reader_store_items(struct reader *r, const struct catalog *c,
	const struct reader_piece *p, size_t from, size_t end, bool whole, bool changed)
{
	const struct reader_item *items = r->items.data;
	const struct reader_run *runs = r->runs.data; /* of the items of an object */
	size_t first, run, run_end = 0, *touched;
	struct object_probes *h = NULL;

	/* The first item that may have a byte at `from` or behind. */
	ORDER_FIND(first, r->items.count, items[first].offset + ARCH_SITE_BYTES <= from);
	for (size_t i = first; i < r->items.count; i++) {
		const struct reader_item *item = &items[i];
		const unsigned char *bytes;
		size_t got = reader_length(item->is_site);
		uint32_t value = PROBES_NONE;

		if (item->offset >= end)
			break;
		if (item->offset < p->offset ||
			(changed && !memcmp(r->bytes + (item->offset - p->offset),
					    r->before + item->offset, got)))
			continue;
		if (i >= run_end) {
			ORDER_FIND(run, r->runs.count, runs[run].first <= i);
			run_end = run < r->runs.count ? runs[run].first : r->items.count;
			h = catalog_object(c, runs[run - 1].object);
		}
		if (changed && !(touched = array_add(&r->touched)))
			return false;
		if (changed)
			*touched = h->info.first_probe +
				   object_probes_probe_of(h, item->is_site, item->index);
		if (!whole)
			got = spans_got(&p->spans, item->offset - p->offset, got);
		bytes = r->bytes + (item->offset - p->offset);
		if (item->is_site) {
			struct probes_site_live *live = &h->site_live[item->index];

			r->differs =
				r->differs || live->count != got || memcmp(live->bytes, bytes, got);
			live->count = (uint8_t)got;
			memcpy(live->bytes, bytes, got);
			continue;
		}
		if (got == READER_SEMAPHORE)
			value = bytes[0] | (uint32_t)bytes[1] << 8;
		r->differs = r->differs || h->values[item->index] != value;
		h->values[item->index] = value;
		h->values[object_probes_same(h, item->index)] = value;
	}
	return true;
}

/* Store what differs; false: more than `most` values differ, or no memory. */
static bool reader_store_changes(
	struct reader *r, const struct catalog *c, const struct reader_piece *p, size_t most)
{
	unsigned char *before = r->before + p->offset;

	for (size_t at = 0; at < p->spans.total; at += READER_BLOCK) {
		size_t left = p->spans.total - at, from = at;
		size_t end = at + (left < READER_BLOCK ? left : READER_BLOCK);

		if (!memcmp(r->bytes + from, before + from, end - from))
			continue;
		/* Mostly one chunk differs. */
		while (end - from > READER_CHUNK &&
			!memcmp(r->bytes + from, before + from, READER_CHUNK))
			from += READER_CHUNK;
		while (end - from > READER_CHUNK &&
			!memcmp(r->bytes + end - READER_CHUNK, before + end - READER_CHUNK,
				READER_CHUNK))
			end -= READER_CHUNK;
		if (r->touched.count > most ||
			!reader_store_items(r, c, p, p->offset + from, p->offset + end, true, true))
			return false;
		memcpy(before + from, r->bytes + from, end - from);
	}
	return true;
}

int reader_fetch(struct reader *r, const struct catalog *c, struct memory *m, bool *changed)
{
	size_t most = c->probe_count / READER_SPARSE + READER_SPARSE;
	bool whole = true;

	r->touched.count = 0;
	r->differs = false;
	r->everything = !r->baseline_valid;
	r->baseline_valid = false; /* until all pieces are read */
	ARRAY_EACH(struct reader_piece, p, &r->pieces) {
		int code = m->ops->read(m, &p->spans, r->bytes);
		bool got;

		/* A hole in the memory must hide nothing behind it: read around it. */
		if (code == 0 && spans_split(&p->spans, READER_PAGE))
			code = m->ops->read(m, &p->spans, r->bytes);
		if (code < 0)
			return code;
		got = code == 0 && spans_whole(&p->spans);
		/* Where values cannot be compared, or too many differ, all may have changed. */
		if (r->everything || !got || !reader_store_changes(r, c, p, most)) {
			reader_store_items(
				r, c, p, p->offset, p->offset + p->spans.total, got, false);
			memcpy(r->before + p->offset, r->bytes, p->spans.total);
			r->everything = true;
		}
		whole = whole && got;
	}
	*changed = r->everything || r->touched.count;
	r->baseline_valid = whole;
	return 0;
}
