#include "ui/tui/widgets/rowlist.h"

#include "ui/tui/terminal/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rowlist_init(struct rowlist *l)
{
	memset(l, 0, sizeof *l);
	l->height = 1;
	l->wanted = ROWLIST_NONE;
}

void rowlist_done(struct rowlist *l)
{
	free(l->copy);
	rowlist_init(l);
}

/* Scroll as little as needed to show the cursor, without blank lines at the end. */
static void rowlist_follow(struct rowlist *l)
{
	size_t height = (size_t)l->height;

	if (l->cursor < l->top)
		l->top = l->cursor;
	if (l->cursor >= l->top + height)
		l->top = l->cursor - height + 1;
	if (l->top + height > l->count)
		l->top = l->count > height ? l->count - height : 0;
}

static size_t rowlist_find(const struct rowlist *l, uint32_t id)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->ids[i] == id)
			return i;
	return l->count;
}

void rowlist_set(struct rowlist *l, const uint32_t *ids, size_t count)
{
	l->copy = mem_grow(l->copy, &l->capacity, count, sizeof *ids);
	if (count)
		memcpy(l->copy, ids, count * sizeof *ids);
	rowlist_borrow(l, l->copy, count);
}

void rowlist_borrow(struct rowlist *l, const uint32_t *ids, size_t count)
{
	size_t offset = l->cursor - l->top, at; /* the cursor's line on the screen */

	l->ids = ids;
	l->count = count;
	at = rowlist_find(l, l->wanted);
	if (at < count) {
		l->cursor = at;
		l->top = at > offset ? at - offset : 0;
	} else if (l->cursor >= count) {
		l->cursor = count ? count - 1 : 0;
	}
	if (l->wanted == ROWLIST_NONE)
		l->wanted = rowlist_current(l);
	rowlist_follow(l);
}

void rowlist_resize(struct rowlist *l, int height)
{
	l->height = height > 0 ? height : 1;
	rowlist_follow(l);
}

uint32_t rowlist_current(const struct rowlist *l)
{
	return l->cursor < l->count ? l->ids[l->cursor] : ROWLIST_NONE;
}

void rowlist_to(struct rowlist *l, size_t index)
{
	if (!l->count)
		return;
	l->cursor = index < l->count ? index : l->count - 1;
	l->wanted = l->ids[l->cursor];
	rowlist_follow(l);
}

void rowlist_move(struct rowlist *l, long by)
{
	long to = (long)l->cursor + by;

	rowlist_to(l, to > 0 ? (size_t)to : 0);
}

void rowlist_page(struct rowlist *l, int halves)
{
	long by = (long)halves * (l->height > 1 ? l->height / 2 : 1);
	long top = (long)l->top + by;

	l->top = top > 0 ? (size_t)top : 0;
	if (l->top >= l->count)
		l->top = l->count ? l->count - 1 : 0;
	rowlist_move(l, by);
}

bool rowlist_seek(struct rowlist *l, uint32_t id)
{
	size_t at = rowlist_find(l, id);

	if (at == l->count)
		return false;
	rowlist_to(l, at);
	return true;
}

const char *rowlist_place(const struct rowlist *l, char *out, size_t size)
{
	size_t below = l->top + (size_t)l->height;

	if (l->count <= (size_t)l->height)
		return "all";
	if (!l->top)
		return "top";
	if (below >= l->count)
		return "bot";
	snprintf(out, size, "%zu%%", l->top * 100 / (l->count - (size_t)l->height));
	return out;
}
