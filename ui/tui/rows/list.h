/*
 * The main list: the model's rows, sorted and filtered, with a cursor and a
 * search. No curses, no sessions.
 */
#ifndef UI_TUI_ROWS_LIST_H
#define UI_TUI_ROWS_LIST_H

#include "ui/tui/rows/column.h"
#include "ui/tui/rows/filter.h"
#include "ui/tui/rows/functions.h"
#include "ui/tui/rows/groups.h"
#include "ui/tui/rows/model.h"
#include "ui/tui/widgets/input.h"
#include "ui/tui/widgets/pattern.h"
#include "ui/tui/widgets/rowlist.h"

struct list {
	struct model *model; /* not owned */
	struct rowlist rows;
	uint32_t *sorted; /* every row, in order */
	size_t sorted_count, sorted_capacity;
	const uint32_t *shown; /* of these, those that pass the filter (folded or not) */
	size_t shown_count;
	uint32_t *passed; /* where they are listed, once there is a filter */
	size_t passed_capacity;
	bool tree; /* rows are shown under their groups */
	struct groups groups;
	enum column_id order; /* sorted by this column */
	bool invert;
	struct filter *filter;
	struct functions functions; /* for fn: in it */
	char filter_text[INPUT_SIZE];
	struct pattern *search; /* NULL: none */
	char search_text[INPUT_SIZE];
	int hscroll; /* columns of the names that are scrolled off */
};

void list_init(struct list *l, struct model *model);
void list_done(struct list *l);

/* Bring order and filter up to date with the model. */
void list_update(struct list *l);
void list_sort(struct list *l, enum column_id order, bool invert);
/* Do order or filter depend on states and tags? */
bool list_is_live(const struct list *l);

/* 0, or -1 and why: then the filter stays as it was. */
int list_filter(struct list *l, const char *text, char *why, size_t size);
int list_search(struct list *l, const char *text, char *why, size_t size);
/* Go to the next (+1) or previous (-1) match from a place in the list; false: none. */
bool list_seek(struct list *l, size_t from, int direction);

/* Are there functions to be looked up still, for fn: in the filter? Do a part of that. */
bool list_is_looking(const struct list *l);
void list_look_on(struct list *l);
/* Does a row pass the filter? */
bool list_passes(struct list *l, uint32_t id);

/* Rows under their groups, or not. */
void list_tree(struct list *l, bool yes);
void list_fold(struct list *l, struct group *g, bool yes);
/* The group under the cursor, or NULL. */
struct group *list_group(const struct list *l);
/* Put the cursor on the group of what is under it; false: there is none above. */
bool list_to_parent(struct list *l);
/* The rows of a group that pass the filter; the array is the caller's. */
uint32_t *list_group_rows(const struct list *l, const struct group *g, size_t *count);
/* The number of the row under the cursor, or ROWLIST_NONE: no row, or a group. */
uint32_t list_current(const struct list *l);
/* The rows on the screen now; out has room for as many as the list has lines. */
size_t list_seen(const struct list *l, uint32_t *out);
/* Sum the groups' states anew. */
void list_sum(struct list *l);

const struct row *list_row(const struct list *l); /* under the cursor, or NULL */
/* Tag those shown that match (NULL: all). Returns how many matched; dry: only count. */
size_t list_tag(struct list *l, const struct pattern *p, bool dry);

#endif
