/*
 * Laying out and running reads of live values. Cost: system calls by ranges, not
 * by probes; what is stored and judged anew, by what has changed. The bytes of a
 * run are compared with those of the last one, a block at a time.
 */
#include "probe/reader.h"

#include "base/order.h"

#include <stdlib.h>
#include <string.h>

#define READER_GAP 256 /* bytes cheaper to read over than to begin a new range */
#define READER_LONGEST (1 << 20)
#define READER_SEMAPHORE 2 /* bytes of a count */
#define READER_PAGE 4096
#define READER_BLOCK 4096 /* bytes compared at once */

/* Where a value lies in the bytes that were read, and what it is of; ascending by offset. */
struct reader_item {
	uint32_t offset;
	uint32_t index; /* of the site or semaphore in its holding */
	uint32_t object : 31;
	uint32_t is_site : 1;
};

/* The same, before it is known what will be read. */
struct reader_wish {
	uint64_t address;
	struct reader_item item;
};

static size_t reader_length(const struct reader_item *item)
{
	return item->is_site ? SITE_BYTES : READER_SEMAPHORE;
}

static void reader_wish(struct array *wishes, uint64_t address, const struct reader_item *item)
{
	if (address <= UINT64_MAX - SITE_BYTES)
		*(struct reader_wish *)array_add(wishes) = (struct reader_wish){address, *item};
}

static bool reader_add(struct array *wishes, const struct probes_probe *p, const struct holding *h)
{
	struct reader_item item = {.object = p->object & 0x7fffffff, .is_site = 1};

	/* What is mapped there now, if anything, is somebody else's. */
	if (h->info.gone)
		return true;
	if (!array_reserve(wishes, (size_t)p->site_count + p->semaphore_count))
		return false;
	item.index = (uint32_t)holding_site(h, p);
	for (uint32_t i = 0; i < p->site_count; i++, item.index++)
		reader_wish(wishes, p->sites[i].address, &item);
	item.is_site = 0;
	item.index = (uint32_t)holding_semaphore(h, p);
	for (uint32_t i = 0; i < p->semaphore_count; i++, item.index++)
		reader_wish(wishes, p->semaphores[i].address, &item);
	return true;
}

static bool reader_lay_out(struct reader *r, const struct array *wishes)
{
	if (!order_by_number(wishes->data, wishes->count, wishes->size,
		    offsetof(struct reader_wish, address)) ||
		!array_reserve(&r->items, wishes->count))
		return false;
	for (size_t i = 0; i < wishes->count; i++) {
		const struct reader_wish *wish = ARRAY_AT(wishes, struct reader_wish, i);
		struct reader_item *item = array_add(&r->items);
		size_t offset = spans_add(&r->spans, wish->address, reader_length(&wish->item));

		if (offset > UINT32_MAX)
			return false;
		*item = wish->item;
		item->offset = (uint32_t)offset;
	}
	r->bytes = calloc(1, r->spans.total + 1);
	r->before = calloc(1, r->spans.total + 1);
	return r->bytes && r->before;
}

bool reader_init(struct reader *r, const struct catalog *c, const size_t *which, size_t count)
{
	size_t total = which ? count : c->probe_count;
	struct array wishes;
	bool fits = true;

	*r = (struct reader){.fresh = true};
	array_init(&r->items, sizeof(struct reader_item));
	array_init(&r->touched, sizeof(size_t));
	array_init(&wishes, sizeof(struct reader_wish));
	spans_init(&r->spans, READER_GAP, READER_LONGEST);
	for (size_t i = 0; fits && i < total; i++) {
		size_t local;
		const struct holding *h = catalog_find(c, which ? which[i] : i, &local);

		fits = reader_add(&wishes, &h->probes[local], h);
	}
	fits = fits && reader_lay_out(r, &wishes);
	array_done(&wishes);
	if (!fits)
		reader_done(r);
	return fits;
}

void reader_done(struct reader *r)
{
	array_done(&r->items);
	array_done(&r->touched);
	spans_done(&r->spans);
	free(r->bytes);
	free(r->before);
	r->bytes = r->before = NULL;
}

/* Says whether it is another value than the one that was there. */
static bool reader_store_site(
	struct holding *h, const struct reader_item *item, const unsigned char *bytes, size_t got)
{
	struct probes_site_live *live = &h->site_live[item->index];
	bool differs = live->count != got || memcmp(live->bytes, bytes, got);

	live->count = (uint8_t)got;
	memcpy(live->bytes, bytes, got);
	return differs;
}

static bool reader_store_count(
	struct holding *h, const struct reader_item *item, const unsigned char *bytes, size_t got)
{
	uint32_t value = PROBES_NONE, before = h->values[item->index];

	if (got == READER_SEMAPHORE)
		value = bytes[0] | (uint32_t)bytes[1] << 8;
	h->values[item->index] = h->values[h->same[item->index]] = value;
	return value != before;
}

static bool reader_store(
	struct holding *h, const struct reader_item *item, const unsigned char *bytes, size_t got)
{
	return item->is_site ? reader_store_site(h, item, bytes, got)
			     : reader_store_count(h, item, bytes, got);
}

static void reader_store_all(struct reader *r, const struct catalog *c, bool whole)
{
	for (size_t i = 0; i < r->items.count; i++) {
		const struct reader_item *item = ARRAY_AT(&r->items, struct reader_item, i);
		size_t got = reader_length(item);

		if (!whole)
			got = spans_got(&r->spans, item->offset, got);
		r->differs |= reader_store(
			catalog_holding(c, item->object), item, r->bytes + item->offset, got);
	}
}

/* ---- what has changed ---- */

/* The first item that has a byte at or beyond the offset, or perhaps one that ends just before. */
static size_t reader_first(const struct reader *r, size_t offset)
{
	size_t low = 0, high = r->items.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ARRAY_AT(&r->items, struct reader_item, middle)->offset + SITE_BYTES <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Store what differs in one block. An item over the border of two may be stored twice. */
static bool reader_store_block(struct reader *r, const struct catalog *c, size_t from, size_t end)
{
	for (size_t i = reader_first(r, from); i < r->items.count; i++) {
		const struct reader_item *item = ARRAY_AT(&r->items, struct reader_item, i);
		struct holding *h = catalog_holding(c, item->object);
		size_t length = reader_length(item), *touched;

		if (item->offset >= end)
			break;
		if (!memcmp(r->bytes + item->offset, r->before + item->offset, length))
			continue;
		touched = array_add(&r->touched);
		if (!touched)
			return false;
		*touched = h->info.first_probe + holding_probe_of(h, item->is_site, item->index);
		reader_store(h, item, r->bytes + item->offset, length);
	}
	return true;
}

static bool reader_store_changes(struct reader *r, const struct catalog *c)
{
	bool fits = true;

	for (size_t at = 0; fits && at < r->spans.total; at += READER_BLOCK) {
		size_t left = r->spans.total - at;
		size_t length = left < READER_BLOCK ? left : READER_BLOCK;

		if (memcmp(r->bytes + at, r->before + at, length))
			fits = reader_store_block(r, c, at, at + length);
	}
	return fits;
}

/* A hole in the memory must hide nothing behind it: where one shows, it is read around. */
static int reader_fetch(struct reader *r, struct memory *m)
{
	int code = m->ops->read(m, &r->spans, r->bytes);

	if (code == 0 && spans_split(&r->spans, READER_PAGE))
		code = m->ops->read(m, &r->spans, r->bytes);
	return code;
}

int reader_run(struct reader *r, const struct catalog *c, struct memory *m, bool *changed)
{
	bool whole = true;
	unsigned char *swap = r->before;
	int code;

	r->before = r->bytes;
	r->bytes = swap;
	r->touched.count = 0;
	r->differs = false;
	code = reader_fetch(r, m);
	if (code < 0) {
		/* The buffer may be half new. */
		r->fresh = true;
		return code;
	}
	for (size_t i = 0; whole && i < r->spans.list.count; i++) {
		const struct span *span = ARRAY_AT(&r->spans.list, struct span, i);

		whole = span->got == span->length;
	}
	/* Without memory for a list of what has changed: everything may have. */
	r->everything = r->fresh || !whole || !reader_store_changes(r, c);
	if (r->everything)
		reader_store_all(r, c, whole);
	*changed = r->everything || r->touched.count;
	r->fresh = !whole;
	return 0;
}
