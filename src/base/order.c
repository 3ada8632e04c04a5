/*
 * A radix sort, least significant byte first. Addresses of one process share most of their bytes,
 * and a byte that is equal in all of them needs no pass: three or four passes remain, where qsort
 * would call a comparison log n times per element.
 */
#include "base/order.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ORDER_BYTES 8

struct order {
	size_t count, size, key;
	unsigned shifts[ORDER_BYTES]; /* of the bytes that differ, from the least significant */
	unsigned passes;
	size_t of[ORDER_BYTES][256]; /* next index for an element, by the value of such a byte */
};

static uint64_t order_number(const struct order *o, const unsigned char *element)
{
	uint64_t number;

	memcpy(&number, element + o->key, sizeof number);
	return number;
}

/* The bits that differ between any two elements; 0 if they are sorted already. */
static uint64_t order_differences(const struct order *o, const unsigned char *elements)
{
	uint64_t first = o->count ? order_number(o, elements) : 0, last = first, bits = 0;
	bool ordered = true;

	for (size_t i = 0; i < o->count; i++, elements += o->size) {
		uint64_t number = order_number(o, elements);

		ordered = ordered && number >= last;
		last = number;
		bits |= number ^ first;
	}
	return ordered ? 0 : bits;
}

/* `size` is o->size: as a constant it makes each copy two instructions instead of a call. */
static inline __attribute__((always_inline)) void order_move(
	struct order *o, unsigned char *to, const unsigned char *from, unsigned k, size_t size)
{
	unsigned shift = o->shifts[k];

	for (size_t i = 0; i < o->count; i++, from += size)
		memcpy(to + size * o->of[k][order_number(o, from) >> shift & 0xff]++, from, size);
}

bool order_by_number(void *elements, size_t count, size_t size, size_t key)
{
	unsigned char *from = elements, *to, *copy;
	struct order o; /* not zeroed: 16 KiB, of which a few elements need a part */
	uint64_t bits;

	o.count = count;
	o.size = size;
	o.key = key;
	o.passes = 0;
	bits = order_differences(&o, from);
	if (!bits)
		return true;
	copy = to = malloc(count * size);
	if (!copy)
		return false;
	for (unsigned k = 0; k < ORDER_BYTES; k++)
		if (bits >> 8 * k & 0xff)
			o.shifts[o.passes++] = 8 * k;
	memset(o.of, 0, o.passes * sizeof o.of[0]);
	for (size_t i = 0; i < count; i++) {
		uint64_t number = order_number(&o, from + i * size);

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

size_t order_first(const void *elements, size_t count, size_t size, size_t key, uint64_t number)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t at;

		memcpy(&at, (const char *)elements + middle * size + key, sizeof at);
		if (at < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
