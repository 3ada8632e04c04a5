/*
 * The main list: the model's rows, sorted and filtered, with a cursor and a
 * search. No curses, no sessions.
 */
#ifndef UI_TUI_LIST_H
#define UI_TUI_LIST_H

#include "ui/tui/filter.h"
#include "ui/tui/lineedit.h"
#include "ui/tui/model.h"
#include "ui/tui/pattern.h"
#include "ui/tui/rowlist.h"
#include "ui/tui/sort.h"

struct list {
	struct model *model; /* not owned */
	struct rowlist rows;
	uint32_t *sorted; /* every row, in order */
	size_t sorted_count, sorted_capacity;
	enum sort_key key;
	bool invert;
	struct filter *filter;
	char filter_text[LINEEDIT_SIZE];
	struct pattern *search; /* NULL: none */
	char search_text[LINEEDIT_SIZE];
	int left; /* columns of the names that are scrolled off */
};

void list_init(struct list *l, struct model *model);
void list_done(struct list *l);

/* Bring order and filter up to date with the model. */
void list_update(struct list *l);
void list_sort(struct list *l, enum sort_key key, bool invert);
/* Do order or filter depend on states and tags? */
bool list_is_live(const struct list *l);

/* 0, or -1 and why: then the filter stays as it was. */
int list_filter(struct list *l, const char *text, char *why, size_t size);
int list_search(struct list *l, const char *text, char *why, size_t size);
/* Go to the next (+1) or previous (-1) match from a place in the list; false: none. */
bool list_seek(struct list *l, size_t from, int direction);

const struct row *list_row(const struct list *l); /* under the cursor, or NULL */
/* Tag those shown that match (NULL: all). Returns how many matched; dry: only count. */
size_t list_tag(struct list *l, const struct pattern *p, bool dry);

#endif
