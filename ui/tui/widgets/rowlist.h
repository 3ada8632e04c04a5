/*
 * The list widget: which rows are shown in which order, where the cursor is
 * and what of it is on the screen. Pure: it knows rows only by their identity,
 * a number that stays with a row for ever.
 *
 * The cursor stays on its row when the order changes, and the row stays on its
 * line of the screen where that is possible. If its row is filtered out the
 * cursor moves to a neighbour, and returns if the row comes back before the
 * cursor was moved by hand.
 */
#ifndef UI_TUI_WIDGETS_ROWLIST_H
#define UI_TUI_WIDGETS_ROWLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROWLIST_NONE UINT32_MAX

struct rowlist {
	const uint32_t *ids; /* identities in the order shown */
	size_t count;
	uint32_t *copy; /* where they are, unless they are lent */
	size_t capacity;
	size_t cursor;   /* index into ids; 0 in an empty list */
	size_t top;      /* index of the first one on the screen */
	int height;      /* lines on the screen */
	uint32_t wanted; /* identity that the cursor is on, or would like to be on */
};

void rowlist_init(struct rowlist *l);
void rowlist_done(struct rowlist *l);

/* Show these, in this order (copied). */
void rowlist_set(struct rowlist *l, const uint32_t *ids, size_t count);
/* The same without a copy: they must be there until something else is shown. */
void rowlist_lend(struct rowlist *l, const uint32_t *ids, size_t count);
void rowlist_resize(struct rowlist *l, int height);

/* The identity under the cursor, or ROWLIST_NONE. */
uint32_t rowlist_current(const struct rowlist *l);
void rowlist_move(struct rowlist *l, long by);
void rowlist_to(struct rowlist *l, size_t index);
/* Move by so many halves of a screen. */
void rowlist_page(struct rowlist *l, int halves);
/* Put the cursor on a row; false if it is not shown. */
bool rowlist_seek(struct rowlist *l, uint32_t id);

/* "top", "bot", "all" or a percentage, as in more(1). */
const char *rowlist_place(const struct rowlist *l, char *out, size_t size);

#endif
