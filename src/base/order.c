/*
 * A radix sort, least significant byte first. Addresses of one process share
 * most of their bytes, and a byte in which all agree needs no pass: what is left
 * are three or four passes, where comparing would take log n calls an element.
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
	size_t of[ORDER_BYTES][256]; /* where the elements with each value of such a byte go */
};

static uint64_t order_number(const struct order *o, const unsigned char *element)
{
	uint64_t number;

	memcpy(&number, element + o->key, sizeof number);
	return number;
}

/* Which bits differ between any two of them; 0 also where they are in order already. */
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

/* Count the elements with each value of each byte, and turn that into where those begin. */
static void order_begins(struct order *o, const unsigned char *elements)
{
	memset(o->of, 0, o->passes * sizeof o->of[0]);
	for (size_t i = 0; i < o->count; i++, elements += o->size) {
		uint64_t number = order_number(o, elements);

		for (unsigned k = 0; k < o->passes; k++)
			o->of[k][number >> o->shifts[k] & 0xff]++;
	}
	for (unsigned k = 0; k < o->passes; k++)
		for (size_t i = 0, at = 0; i < 256; i++) {
			size_t n = o->of[k][i];

			o->of[k][i] = at;
			at += n;
		}
}

/* `size` is o->size: known when this is compiled, a copy is two instructions instead of a call. */
static inline __attribute__((always_inline)) void order_move(
	struct order *o, unsigned char *to, const unsigned char *from, unsigned k, size_t size)
{
	unsigned shift = o->shifts[k];

	for (size_t i = 0; i < o->count; i++, from += size)
		memcpy(to + size * o->of[k][order_number(o, from) >> shift & 0xff]++, from, size);
}

static void order_pass(struct order *o, unsigned char *to, const unsigned char *from, unsigned k)
{
	if (o->size == 16)
		order_move(o, to, from, k, 16);
	else if (o->size == 24)
		order_move(o, to, from, k, 24);
	else
		order_move(o, to, from, k, o->size);
}

bool order_by_number(void *elements, size_t count, size_t size, size_t key)
{
	unsigned char *from = elements, *to, *room;
	struct order o; /* not cleared: 16 KiB, of which a few elements need a part */
	uint64_t bits;

	o.count = count;
	o.size = size;
	o.key = key;
	o.passes = 0;
	bits = order_differences(&o, from);
	if (!bits)
		return true;
	room = to = malloc(count * size);
	if (!room)
		return false;
	for (unsigned k = 0; k < ORDER_BYTES; k++)
		if (bits >> 8 * k & 0xff)
			o.shifts[o.passes++] = 8 * k;
	order_begins(&o, from);
	for (unsigned k = 0; k < o.passes; k++) {
		unsigned char *swap = from;

		order_pass(&o, to, from, k);
		from = to;
		to = swap;
	}
	if (from != elements)
		memcpy(elements, from, count * size);
	free(room);
	return true;
}
