/* Sorts many elements by a number, in linear time, and finds them again. Pure. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Sort `count` elements of `size` bytes by the uint64_t at offset `key` of each, ascending and
 * stable. False when there is no memory (nothing is changed then).
 */
bool order_by_number(void *elements, size_t count, size_t size, size_t key);

/* Of elements in that order, the index of the first whose number is at least this; or `count`. */
size_t order_first(const void *elements, size_t count, size_t size, size_t key, uint64_t number);

#endif
