/*
 * Memory for the screen. Running out of it ends the program through abort(),
 * which the terminal's owner turns into an orderly terminal: a screen that has
 * lost part of its model would lie.
 */
#ifndef UI_TUI_TERMINAL_MEM_H
#define UI_TUI_TERMINAL_MEM_H

#include <stddef.h>

void *mem_alloc(size_t size);           /* zeroed */
char *mem_text(const char *text);       /* a copy */
void *mem_array(size_t n, size_t size); /* zeroed */

/* Make room for `need` elements of `size` bytes in an array that has *capacity; the new ones
 * are not cleared. Returns where the array lies now. */
void *mem_grow(void *array, size_t *capacity, size_t need, size_t size);

#endif
