/* Sorts many elements by a number, in linear time. Pure. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Sort `count` elements of `size` bytes by the uint64_t at offset `key` of each, ascending and
 * stable. False when there is no memory (nothing is changed then).
 */
bool order_by_number(void *elements, size_t count, size_t size, size_t key);

#endif
