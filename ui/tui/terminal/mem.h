/*
 * Allocation for the screen. Failure ends the program through abort(), whose handler in screen.c
 * restores the terminal: a screen that lost a part of its model would lie.
 */
#pragma once

#include <stddef.h>

void *mem_alloc(size_t size);           /* zeroed */
char *mem_text(const char *text);       /* a copy */
void *mem_array(size_t n, size_t size); /* zeroed */

/* Grow an array of *capacity elements of `size` bytes to at least `need`; new elements are not
 * cleared. Returns the array. */
void *mem_grow(void *array, size_t *capacity, size_t need, size_t size);
