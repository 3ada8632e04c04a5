/*
 * The list widget: the rows in display order, the cursor, and the visible part. Pure: it knows
 * rows only by their identity, a number that a row keeps for life.
 *
 * When the order changes, the cursor stays on its row, and the row on its screen line if possible.
 * If a filter hides the row, the cursor moves to a neighbour, and returns if the row
 * reappears before the user moves the cursor.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROWLIST_NONE UINT32_MAX

struct rowlist {
	const uint32_t *ids; /* identities in display order */
	size_t count;
	uint32_t *copy; /* backs ids after rowlist_set */
	size_t capacity;
	size_t cursor;   /* index into ids; 0 in an empty list */
	size_t top;      /* index of the first visible row */
	int height;      /* lines on the screen */
	uint32_t wanted; /* the row that the cursor is on, or returns to */
};

void rowlist_init(struct rowlist *l);
void rowlist_done(struct rowlist *l);

/* Show these rows, in this order. Copies the array. */
void rowlist_set(struct rowlist *l, const uint32_t *ids, size_t count);
/* The same without a copy: the array must live until the next set or borrow. */
void rowlist_borrow(struct rowlist *l, const uint32_t *ids, size_t count);
void rowlist_resize(struct rowlist *l, int height);

/* The identity under the cursor, or ROWLIST_NONE. */
uint32_t rowlist_current(const struct rowlist *l);
void rowlist_move(struct rowlist *l, long by);
void rowlist_to(struct rowlist *l, size_t index);
/* Scroll by this many half screens. */
void rowlist_page(struct rowlist *l, int halves);
/* Move the cursor to a row. False: the row is not in the list. */
bool rowlist_seek(struct rowlist *l, uint32_t id);

/* "top", "bot", "all" or a percentage, as in more(1). */
const char *rowlist_place(const struct rowlist *l, char *out, size_t size);
