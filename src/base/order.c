/*
 * A radix sort, least significant byte first. Addresses of one process share most of their bytes,
 * and a byte that is equal in all of them needs no pass: three or four passes remain, where qsort
 * would call a comparison log n times per element.
 */
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

#define ORDER_BYTES 8

struct order {
	size_t count, size, key;
	unsigned shifts[ORDER_BYTES]; /* of the bytes that differ, from the least significant */
	unsigned passes;
	size_t of[ORDER_BYTES][256]; /* next index for an element, by the value of such a byte */
};

static uint64_t order_key(const void *element, size_t key)
{
	uint64_t number;

	memcpy(&number, (const char *)element + key, sizeof number);
	return number;
}

/* `size` is o->size: as a constant it makes each copy two instructions instead of a call. */
static inline __attribute__((always_inline)) void order_move(
	struct order *o, unsigned char *to, const unsigned char *from, unsigned k, size_t size)
{
	unsigned shift = o->shifts[k];

	for (size_t i = 0; i < o->count; i++, from += size)
		memcpy(to + size * o->of[k][order_key(from, o->key) >> shift & 0xff]++, from, size);
}

bool order_by_number(void *elements, size_t count, size_t size, size_t key)
{
	unsigned char *from = elements, *to, *copy;
	struct order o; /* not zeroed: 16 KiB, of which a few elements need a part */
	uint64_t first = 0, last = 0, bits = 0;
	bool ordered = true;

	o.count = count;
	o.size = size;
	o.key = key;
	o.passes = 0;
	/* The bits that differ between any two elements. */
	for (size_t i = 0; i < count; i++) {
		uint64_t number = order_key(from + i * size, key);

		first = i ? first : number;
		ordered = ordered && number >= last;
		last = number;
		bits |= number ^ first;
	}
	if (ordered)
		return true;
	copy = to = malloc(count * size);
	if (!copy)
		return false;
	for (unsigned k = 0; k < ORDER_BYTES; k++)
		if (bits >> 8 * k & 0xff)
			o.shifts[o.passes++] = 8 * k;
	memset(o.of, 0, o.passes * sizeof o.of[0]);
	for (size_t i = 0; i < count; i++) {
		uint64_t number = order_key(from + i * size, key);

		for (unsigned k = 0; k < o.passes; k++)
			o.of[k][number >> o.shifts[k] & 0xff]++;
	}
	for (unsigned k = 0; k < o.passes; k++) {
		unsigned char *swap = from;
		size_t at = 0;

		for (size_t i = 0; i < 256; i++) {
			size_t n = o.of[k][i];

			o.of[k][i] = at;
			at += n;
		}
		if (size == 16)
			order_move(&o, to, from, k, 16);
		else if (size == 24)
			order_move(&o, to, from, k, 24);
		else
			order_move(&o, to, from, k, size);
		from = to;
		to = swap;
	}
	if (from != elements)
		memcpy(elements, from, count * size);
	free(copy);
	return true;
}

size_t order_find(const struct array *a, size_t key, uint64_t number)
{
	size_t at;

	ORDER_FIND(at, a->count, order_key((const char *)a->data + at * a->size, key) < number);
	return at;
}
