/*
 * The main list: the model's rows, sorted and filtered, with a cursor, a search and groups. No
 * curses.
 */
#pragma once

#include "ui/tui/rows/column.h"
#include "ui/tui/rows/filter.h"
#include "ui/tui/rows/groups.h"
#include "ui/tui/rows/model.h"
#include "ui/tui/widgets/input.h"
#include "ui/tui/widgets/pattern.h"
#include "ui/tui/widgets/rowlist.h"
#include "ui/tui/widgets/search.h"

/* The functions that the sites of a row lie in, looked up when fn: in a filter needs them. */
struct list_functions {
	char **names; /* each once; safe for the terminal */
	size_t count, capacity;
	uint32_t next; /* site to look up */
	bool known;    /* all of them were looked up */
};

struct list {
	struct model *model; /* not owned */
	struct rowlist rows;
	uint32_t *sorted; /* every row, in order */
	size_t sorted_count, sorted_capacity;
	const uint32_t *shown; /* the sorted rows that pass the filter, folded or not */
	size_t shown_count;
	uint32_t *passed; /* array of these while there is a filter */
	size_t passed_capacity;
	bool tree; /* show the rows under their groups */
	struct groups groups;
	enum column_id order; /* sorted by this column */
	bool invert;
	struct filter *filter;
	struct list_functions *functions; /* by row */
	size_t function_count, function_capacity;
	int64_t until_ms; /* look up no more functions after this moment */
	size_t waiting;   /* rows whose functions were not looked up in time */
	struct search search;
	int hscroll; /* columns after PROBE that are scrolled off */
};

void list_init(struct list *l, struct model *model);
void list_done(struct list *l);

/* Put the cursor on the first row that can be switched, or on the first one. */
void list_start(struct list *l);

/* Bring order and filter up to date with the model. */
void list_update(struct list *l);
void list_sort(struct list *l, enum column_id order, bool invert);
/* Do the order or the filter depend on states or tags? */
bool list_is_live(const struct list *l);
/* Likewise on hits? */
bool list_follows_hits(const struct list *l);

/* 0; or -1 and why: the old filter stays. */
int list_filter(struct list *l, const char *text, char *why, size_t size);
/* Go to the next (+1) or previous (-1) match from an index of the list; false: none. */
bool list_seek(struct list *l, size_t from, int direction);

/* Must more functions be looked up for fn: in the filter? list_show does a part of that, and
 * filters again. */
bool list_is_looking(const struct list *l);
void list_show(struct list *l);
/* Rows of which fn: in the filter finds no function: their files have no symbols. */
size_t list_nameless(const struct list *l);
/* Does a row pass the filter? */
bool list_passes(struct list *l, uint32_t id);

/* Show rows under their groups, or not. */
void list_tree(struct list *l, bool yes);
void list_fold(struct list *l, struct group *g, bool yes);
/* The group under the cursor, or NULL. */
struct group *list_group(const struct list *l);
/* Move the cursor to the group above it, if there is one. */
void list_to_parent(struct list *l);
/* The rows of a group that pass the filter; the caller frees the array. */
uint32_t *list_group_rows(const struct list *l, const struct group *g, size_t *count);
/* The row under the cursor; ROWLIST_NONE: none, or a group. */
uint32_t list_current(const struct list *l);
/* The rows on the screen. out has room for rows.height. Returns how many. */
size_t list_seen(const struct list *l, uint32_t *out);
/* Sum up the states of the groups again. */
void list_sum(struct list *l);

/* Tag the shown rows that match (NULL: all), or with `dry` only count them. Returns how many. */
size_t list_tag(struct list *l, const struct pattern *p, bool dry);
