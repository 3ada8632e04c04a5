/* Sorts many elements by a number, in linear time, and finds them again. Pure. */
#pragma once

#include "base/array.h"

#include <stdint.h>

/*
 * Sort `count` elements of `size` bytes by the uint64_t at offset `key` of each, ascending and
 * stable. False when there is no memory (nothing is changed then).
 */
bool order_by_number(void *elements, size_t count, size_t size, size_t key);

/* The same of all elements of an array. */
static inline bool order_array(struct array *a, size_t key)
{
	return order_by_number(a->data, a->count, a->size, key);
}

/* In that order, the index of the first element whose number is at least this; or a->count. */
size_t order_find(const struct array *a, size_t key, uint64_t number);

/*
 * The same by any order: set `at` to the first index below `count` for which `before`, an
 * expression about `at`, is false; or to `count`. It is true for all indices before that one.
 */
#define ORDER_FIND(at, count, before)                                                     \
	for (size_t order_low = 0, order_high = (count);                                  \
		(at) = order_low + (order_high - order_low) / 2, order_low < order_high;) \
		if (before)                                                               \
			order_low = (at) + 1;                                             \
		else                                                                      \
			order_high = (at)
