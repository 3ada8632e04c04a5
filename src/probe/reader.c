/* Laying out and running reads of live values. Cost: system calls by ranges, not by probes. */
#include "probe/reader.h"

#include <stdlib.h>
#include <string.h>

#define READER_GAP 256 /* bytes cheaper to read over than to begin a new range */
#define READER_LONGEST (1 << 20)
#define READER_SEMAPHORE 2 /* bytes of a count */

struct reader_item {
	uint64_t address;
	uint32_t index; /* of the site or semaphore in its holding */
	uint32_t object : 31;
	uint32_t is_site : 1;
};

static int reader_by_address(const void *a, const void *b)
{
	const struct reader_item *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static size_t reader_length(const struct reader_item *item)
{
	return item->is_site ? SITE_BYTES : READER_SEMAPHORE;
}

static bool reader_add(struct reader *r, const struct probes_probe *p, const struct holding *h)
{
	size_t site = holding_site(h, p), semaphore = holding_semaphore(h, p);
	struct reader_item *item;

	if (!array_reserve(&r->items, (size_t)p->site_count + p->semaphore_count))
		return false;
	for (uint32_t i = 0; i < p->site_count; i++) {
		if (p->sites[i].address > UINT64_MAX - SITE_BYTES)
			continue;
		item = array_add(&r->items);
		item->address = p->sites[i].address;
		item->index = (uint32_t)(site + i);
		item->object = p->object & 0x7fffffff;
		item->is_site = 1;
	}
	for (uint32_t i = 0; i < p->semaphore_count; i++) {
		if (p->semaphores[i].address > UINT64_MAX - READER_SEMAPHORE)
			continue;
		item = array_add(&r->items);
		item->address = p->semaphores[i].address;
		item->index = (uint32_t)(semaphore + i);
		item->object = p->object & 0x7fffffff;
	}
	return true;
}

static bool reader_lay_out(struct reader *r)
{
	if (r->items.count)
		qsort(r->items.data, r->items.count, sizeof(struct reader_item), reader_by_address);
	for (size_t i = 0; i < r->items.count; i++) {
		const struct reader_item *item = ARRAY_AT(&r->items, struct reader_item, i);

		if (spans_add(&r->spans, item->address, reader_length(item)) == SIZE_MAX)
			return false;
	}
	r->bytes = calloc(1, r->spans.total + 1);
	r->before = calloc(1, r->spans.total + 1);
	return r->bytes && r->before;
}

bool reader_init(struct reader *r, const struct catalog *c, const size_t *which, size_t count)
{
	size_t total = which ? count : c->probe_count;
	bool fits = true;

	*r = (struct reader){.fresh = true};
	array_init(&r->items, sizeof(struct reader_item));
	spans_init(&r->spans, READER_GAP, READER_LONGEST);
	for (size_t i = 0; fits && i < total; i++) {
		size_t local;
		const struct holding *h = catalog_find(c, which ? which[i] : i, &local);

		fits = reader_add(r, &h->probes[local], h);
	}
	fits = fits && reader_lay_out(r);
	if (!fits)
		reader_done(r);
	return fits;
}

void reader_done(struct reader *r)
{
	array_done(&r->items);
	spans_done(&r->spans);
	free(r->bytes);
	free(r->before);
	r->bytes = r->before = NULL;
}

static void reader_store(
	struct holding *h, const struct reader_item *item, const unsigned char *bytes, size_t got)
{
	if (item->is_site) {
		struct probes_site_live *live = &h->site_live[item->index];

		live->count = (uint8_t)got;
		memcpy(live->bytes, bytes, got);
	} else {
		h->values[item->index] =
			got == READER_SEMAPHORE ? bytes[0] | (uint32_t)bytes[1] << 8 : PROBES_NONE;
		h->values[h->same[item->index]] = h->values[item->index];
	}
}

static void reader_store_all(struct reader *r, const struct catalog *c)
{
	const struct span *span = r->spans.list.data;

	for (size_t i = 0; i < r->items.count; i++) {
		const struct reader_item *item = ARRAY_AT(&r->items, struct reader_item, i);
		size_t at, got = 0;

		/* Spans may overlap where the longest was reached: an item lies in one as a whole.
		 */
		while (item->address - span->address + reader_length(item) > span->length)
			span++;
		at = item->address - span->address;
		if (at < span->got)
			got = span->got - at;
		if (got > reader_length(item))
			got = reader_length(item);
		reader_store(
			catalog_holding(c, item->object), item, r->bytes + span->offset + at, got);
	}
}

int reader_run(struct reader *r, const struct catalog *c, struct memory *m, bool *changed)
{
	bool whole = true;
	unsigned char *swap = r->before;
	int code;

	r->before = r->bytes;
	r->bytes = swap;
	code = m->ops->read(m, &r->spans, r->bytes);
	if (code < 0) {
		/* The buffer may be half new. */
		r->fresh = true;
		return code;
	}
	for (size_t i = 0; whole && i < r->spans.list.count; i++) {
		const struct span *span = ARRAY_AT(&r->spans.list, struct span, i);

		whole = span->got == span->length;
	}
	*changed = r->fresh || !whole || memcmp(r->bytes, r->before, r->spans.total);
	r->fresh = !whole;
	if (*changed)
		reader_store_all(r, c);
	return 0;
}
