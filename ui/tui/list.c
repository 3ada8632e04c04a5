/*
 * The main list. Sorting is done once for all rows, filtering over the sorted
 * rows, so that a key typed in the filter costs one pass.
 */
#include "ui/tui/list.h"

#include "ui/tui/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void list_init(struct list *l, struct model *model)
{
	char why[8];

	memset(l, 0, sizeof *l);
	l->model = model;
	rowlist_init(&l->rows);
	l->filter = filter_parse("", why, sizeof why);
}

void list_done(struct list *l)
{
	rowlist_done(&l->rows);
	free(l->sorted);
	filter_free(l->filter);
	pattern_free(l->search);
	memset(l, 0, sizeof *l);
}

static bool list_shows(const struct list *l, uint32_t id)
{
	const struct row *r = &l->model->rows[id];
	struct filter_subject s = {
		.all = r->all,
		.provider = r->provider,
		.object = r->object,
		.state = r->state,
		.tagged = r->tag > 0,
		.mine = r->mine,
	};

	return filter_match(l->filter, &s);
}

static void list_show(struct list *l)
{
	uint32_t *shown = mem_array(l->sorted_count, sizeof *shown);
	size_t count = 0;

	for (size_t i = 0; i < l->sorted_count; i++) {
		if (list_shows(l, l->sorted[i]))
			shown[count++] = l->sorted[i];
	}
	rowlist_set(&l->rows, shown, count);
	free(shown);
}

void list_update(struct list *l)
{
	size_t count = l->model->row_count;

	l->sorted = mem_grow(l->sorted, &l->sorted_capacity, count, sizeof *l->sorted);
	for (; l->sorted_count < count; l->sorted_count++)
		l->sorted[l->sorted_count] = (uint32_t)l->sorted_count;
	sort_rows(l->model->rows, l->sorted, count, l->key, l->invert);
	list_show(l);
}

void list_sort(struct list *l, enum sort_key key, bool invert)
{
	l->key = key;
	l->invert = invert;
	list_update(l);
}

bool list_is_live(const struct list *l)
{
	return sort_is_live(l->key) || filter_is_live(l->filter);
}

int list_filter(struct list *l, const char *text, char *why, size_t size)
{
	struct filter *f = filter_parse(text, why, size);

	if (!f)
		return -1;
	filter_free(l->filter);
	l->filter = f;
	snprintf(l->filter_text, sizeof l->filter_text, "%s", text);
	list_show(l);
	return 0;
}

int list_search(struct list *l, const char *text, char *why, size_t size)
{
	struct pattern *p = *text ? pattern_parse(text, why, size) : NULL;

	if (*text && !p)
		return -1;
	pattern_free(l->search);
	l->search = p;
	snprintf(l->search_text, sizeof l->search_text, "%s", text);
	return 0;
}

bool list_seek(struct list *l, size_t from, int direction)
{
	size_t count = l->rows.count, at = from;

	for (size_t i = 0; l->search && i < count; i++) {
		if (pattern_match(l->search, l->model->rows[l->rows.ids[at]].label)) {
			rowlist_to(&l->rows, at);
			return true;
		}
		at = direction > 0 ? (at + 1) % count : (at + count - 1) % count;
	}
	return false;
}

const struct row *list_row(const struct list *l)
{
	uint32_t id = rowlist_current(&l->rows);

	return id == ROWLIST_NONE ? NULL : &l->model->rows[id];
}

size_t list_tag(struct list *l, const struct pattern *p, bool dry)
{
	size_t matched = 0;

	for (size_t i = 0; i < l->rows.count; i++) {
		uint32_t id = l->rows.ids[i];

		if (p && !pattern_match(p, l->model->rows[id].label))
			continue;
		matched++;
		if (!dry)
			model_tag(l->model, id, true);
	}
	return matched;
}
