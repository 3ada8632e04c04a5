/*
 * The orders that the list can have. Pure.
 */
#ifndef UI_TUI_ROWS_SORT_H
#define UI_TUI_ROWS_SORT_H

#include "ui/tui/rows/row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sort_key {
	SORT_NAME,
	SORT_STATE,
	SORT_REF,
	SORT_SITES,
	SORT_PROCESSES,
	SORT_WHO,
	SORT_OBJECT,
	SORT_ARGUMENTS,
	SORT_COUNT
};

const char *sort_name(enum sort_key key);
/* Does the order depend on what changes by itself? */
bool sort_is_live(enum sort_key key);
/* Bring row numbers into an order; equals keep the order of their names. */
void sort_rows(const struct row *rows, uint32_t *ids, size_t count, enum sort_key key, bool invert);

#endif
