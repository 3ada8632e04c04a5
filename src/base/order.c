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
	size_t of[ORDER_BYTES][256]; /* per byte of the number: elements with each value */
};

static uint64_t order_number(const struct order *o, const unsigned char *element)
{
	uint64_t number;

	memcpy(&number, element + o->key, sizeof number);
	return number;
}

static unsigned order_digit(const struct order *o, const unsigned char *element, unsigned k)
{
	return order_number(o, element) >> 8 * k & 0xff;
}

/* Count, and say whether they are in order already. */
static bool order_count(struct order *o, const unsigned char *elements)
{
	uint64_t last = 0;
	bool ordered = true;

	for (size_t i = 0; i < o->count; i++) {
		uint64_t number = order_number(o, elements + i * o->size);

		ordered = ordered && number >= last;
		last = number;
		for (unsigned k = 0; k < ORDER_BYTES; k++)
			o->of[k][number >> 8 * k & 0xff]++;
	}
	return ordered;
}

/* Turn counts into the places where the elements of each value begin. */
static void order_begins(size_t *of)
{
	size_t at = 0;

	for (unsigned i = 0; i < 256; i++) {
		size_t n = of[i];

		of[i] = at;
		at += n;
	}
}

static void order_pass(struct order *o, unsigned char *to, const unsigned char *from, unsigned k)
{
	order_begins(o->of[k]);
	for (size_t i = 0; i < o->count; i++, from += o->size)
		memcpy(to + o->size * o->of[k][order_digit(o, from, k)]++, from, o->size);
}

bool order_by_number(void *elements, size_t count, size_t size, size_t key)
{
	struct order o = {.count = count, .size = size, .key = key};
	unsigned char *from = elements, *to, *room;

	if (order_count(&o, from))
		return true;
	room = to = malloc(count * size);
	if (!room)
		return false;
	for (unsigned k = 0; k < ORDER_BYTES; k++) {
		unsigned char *swap = from;

		if (o.of[k][order_digit(&o, from, k)] == count)
			continue;
		order_pass(&o, to, from, k);
		from = to;
		to = swap;
	}
	if (from != elements)
		memcpy(elements, from, count * size);
	free(room);
	return true;
}
