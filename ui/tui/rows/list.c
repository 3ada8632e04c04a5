/*
 * The main list. All rows are sorted once; the filter goes over the sorted rows, so that a key
 * typed in it costs one pass.
 */
#include "ui/tui/rows/list.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/now.h"

#include <stdlib.h>
#include <string.h>

#define LIST_FUNCTIONS_MS 60 /* a large program takes seconds, which no key may wait for */
#define LIST_SITES 1000      /* of a row; the functions of more are not looked up */

void list_init(struct list *l, struct model *model)
{
	char why[8];

	memset(l, 0, sizeof *l);
	l->model = model;
	l->order = COLUMN_PROBE;
	rowlist_init(&l->rows);
	l->filter = filter_parse("", why, sizeof why);
}

void list_done(struct list *l)
{
	rowlist_done(&l->rows);
	free(l->sorted);
	free(l->passed);
	groups_done(&l->groups);
	for (size_t i = 0; i < l->function_count; i++) {
		for (size_t k = 0; k < l->functions[i].count; k++)
			free(l->functions[i].names[k]);
		free(l->functions[i].names);
	}
	free(l->functions);
	filter_free(l->filter);
	search_done(&l->search);
	memset(l, 0, sizeof *l);
}

/* ---------------------------------------------------------------- the functions */

/* The code is the same file's in every process: one that has it is enough. */
static void list_look_up(const struct list *l, struct list_functions *f, uint32_t row)
{
	struct model_member member = model_member(l->model, row);
	struct probes_session *s = member.session;
	uint32_t sites = probes_at(s, member.probe)->site_count;

	for (; f->next < sites && f->next < LIST_SITES; f->next++) {
		struct probes_source source;
		char name[TEXT_MAX];
		size_t i;

		if (now_ms() >= l->until_ms)
			return;
		probes_source(s, member.probe, f->next, &source);
		text_clean(source.function, name, sizeof name);
		/* From the end: neighbours are likely to be equal. */
		for (i = f->count; i > 0 && strcmp(f->names[i - 1], name);)
			i--;
		if (i || !name[0])
			continue;
		f->names = mem_grow(f->names, &f->capacity, f->count + 1, sizeof *f->names);
		f->names[f->count++] = mem_text(name);
	}
	f->known = true;
}

/* A row and its list, for the filter. */
struct list_subject {
	struct list *list;
	uint32_t row;
};

static const char *list_function(void *data, size_t i)
{
	struct list_subject *subject = data;
	struct list *l = subject->list;
	struct list_functions *f;

	if (l->model->rows[subject->row].member == MODEL_NONE)
		return NULL;
	l->functions = mem_grow(
		l->functions, &l->function_capacity, subject->row + 1, sizeof *l->functions);
	while (l->function_count <= subject->row)
		l->functions[l->function_count++] = (struct list_functions){0};
	f = &l->functions[subject->row];
	if (!f->known)
		list_look_up(l, f, subject->row);
	l->waiting += !f->known;
	return f->known && i < f->count ? f->names[i] : NULL;
}

/* --------------------------------------------------------- filter and order */

bool list_passes(struct list *l, uint32_t id)
{
	const struct row *r = &l->model->rows[id];
	struct list_subject subject = {l, id};
	struct filter_subject s = {
		.text = r->label,
		.provider = r->family->provider,
		.object = r->family->object,
		.state = r->state,
		.tagged = r->tag > 0,
		.mine = r->mine || r->mine_counted,
		.counted = r->counted,
		.hits = r->counted && r->trend->ms ? (double)r->trend->total : -1,
		.rate = r->counted ? trend_rate(r->trend) : -1,
		.function = list_function,
		.data = &subject,
	};
	size_t waiting = l->waiting;
	bool passes = filter_match(l->filter, &s);

	/* Functions that are not known yet match neither fn:x nor -fn:x. */
	return passes && l->waiting == waiting;
}

/* Filter again, and show what passes. Without a filter that is all, without a list of its own. */
void list_show(struct list *l)
{
	uint32_t *lines;
	size_t count;

	l->until_ms = now_ms() + LIST_FUNCTIONS_MS;
	l->waiting = 0;
	l->shown = l->sorted;
	l->shown_count = l->sorted_count;
	if (!filter_is_empty(l->filter)) {
		l->passed = mem_grow(
			l->passed, &l->passed_capacity, l->sorted_count, sizeof *l->passed);
		l->shown = l->passed;
		l->shown_count = 0;
		for (size_t i = 0; i < l->sorted_count; i++)
			if (list_passes(l, l->sorted[i]))
				l->passed[l->shown_count++] = l->sorted[i];
	}
	if (!l->tree) {
		rowlist_borrow(&l->rows, l->shown, l->shown_count);
		return;
	}
	groups_update(&l->groups, l->model->rows, l->model->row_count);
	lines = mem_array(l->shown_count + l->groups.count, sizeof *lines);
	count = groups_arrange(&l->groups, l->model->rows, l->shown, l->shown_count, lines);
	rowlist_set(&l->rows, lines, count);
	free(lines);
}

bool list_is_looking(const struct list *l)
{
	return l->waiting > 0;
}

size_t list_nameless(const struct list *l)
{
	size_t count = 0;

	for (size_t i = 0; filter_asks_functions(l->filter) && i < l->function_count; i++)
		count += l->functions[i].known && !l->functions[i].count;
	return count;
}

void list_update(struct list *l)
{
	size_t count = l->model->row_count;

	l->sorted = mem_grow(l->sorted, &l->sorted_capacity, count, sizeof *l->sorted);
	for (; l->sorted_count < count; l->sorted_count++)
		l->sorted[l->sorted_count] = (uint32_t)l->sorted_count;
	column_sort(l->model->rows, l->sorted, count, l->order, l->invert);
	list_show(l);
}

void list_start(struct list *l)
{
	size_t at = 0;

	while (at < l->shown_count && !l->model->rows[l->shown[at]].switchable)
		at++;
	rowlist_to(&l->rows, at < l->shown_count ? at : 0);
	l->rows.top = 0; /* the rows before it are shown, too, where there is room */
}

void list_sort(struct list *l, enum column_id order, bool invert)
{
	l->order = order;
	l->invert = invert;
	list_update(l);
}

bool list_is_live(const struct list *l)
{
	return column_table[l->order].live || filter_is_live(l->filter);
}

bool list_follows_hits(const struct list *l)
{
	return column_table[l->order].hits || filter_asks_hits(l->filter);
}

int list_filter(struct list *l, const char *text, char *why, size_t size)
{
	if (filter_replace(&l->filter, text, why, size) < 0)
		return -1;
	list_show(l);
	return 0;
}

/* What the search sees of a line: groups have no name of their own. */
static const char *list_line(const void *data, size_t i)
{
	const struct list *l = data;
	uint32_t id = l->rows.ids[i];

	return id & GROUPS_FLAG ? NULL : l->model->rows[id].label;
}

static const char *list_shown_line(const void *data, size_t i)
{
	const struct list *l = data;

	return l->model->rows[l->shown[i]].label;
}

bool list_seek(struct list *l, size_t from, int direction)
{
	size_t at = search_next(&l->search, l->rows.count, from, direction, list_line, l);
	struct group *g;
	uint32_t id;

	if (at < l->rows.count) {
		rowlist_to(&l->rows, at);
		return true;
	}
	/* The first match in a folded group: unfold it. */
	at = search_next(&l->search, l->shown_count, 0, 1, list_shown_line, l);
	if (!l->tree || at == l->shown_count)
		return false;
	id = l->shown[at];
	g = &l->groups.all[l->groups.of[id]];
	g->folded = l->groups.all[g->parent].folded = false;
	list_show(l);
	return rowlist_seek(&l->rows, id);
}

uint32_t list_current(const struct list *l)
{
	uint32_t id = rowlist_current(&l->rows);

	return id & GROUPS_FLAG ? ROWLIST_NONE : id;
}

size_t list_seen(const struct list *l, uint32_t *out)
{
	const struct rowlist *rows = &l->rows;
	size_t count = 0;

	for (size_t i = rows->top; i < rows->count && i < rows->top + (size_t)rows->height; i++)
		if (!(rows->ids[i] & GROUPS_FLAG))
			out[count++] = rows->ids[i];
	return count;
}

size_t list_tag(struct list *l, const struct pattern *p, bool dry)
{
	size_t matched = 0;

	for (size_t i = 0; i < l->shown_count; i++) {
		uint32_t id = l->shown[i];

		if (p && !pattern_match(p, l->model->rows[id].label))
			continue;
		matched++;
		if (!dry)
			model_tag(l->model, id, true);
	}
	return matched;
}

/* ---------------------------------------------------------------- the tree */

void list_sum(struct list *l)
{
	if (l->tree)
		groups_sum(&l->groups, l->model->rows, l->shown, l->shown_count);
}

void list_tree(struct list *l, bool yes)
{
	uint32_t id = list_current(l);
	size_t half;

	l->tree = yes;
	l->hscroll = 0;
	list_show(l);
	if (id != ROWLIST_NONE)
		rowlist_seek(&l->rows, id);
	/* show the groups above it as well */
	half = (size_t)l->rows.height / 2;
	l->rows.top = l->rows.cursor > half ? l->rows.cursor - half : 0;
	rowlist_to(&l->rows, l->rows.cursor);
}

void list_fold(struct list *l, struct group *g, bool yes)
{
	g->folded = yes;
	list_show(l);
}

struct group *list_group(const struct list *l)
{
	uint32_t id = rowlist_current(&l->rows);

	if (id == ROWLIST_NONE || !(id & GROUPS_FLAG))
		return NULL;
	return &l->groups.all[id & ~GROUPS_FLAG];
}

void list_to_parent(struct list *l)
{
	uint32_t id = rowlist_current(&l->rows), parent;

	if (id == ROWLIST_NONE)
		return;
	parent = id & GROUPS_FLAG ? l->groups.all[id & ~GROUPS_FLAG].parent : l->groups.of[id];
	if (parent != GROUPS_NONE)
		rowlist_seek(&l->rows, GROUPS_FLAG | parent);
}

uint32_t *list_group_rows(const struct list *l, const struct group *g, size_t *count)
{
	uint32_t group = (uint32_t)(g - l->groups.all), *ids = mem_array(g->count, sizeof *ids);

	*count = 0;
	for (size_t i = 0; i < l->shown_count && *count < g->count; i++)
		if (groups_holds(&l->groups, group, l->shown[i]))
			ids[(*count)++] = l->shown[i];
	return ids;
}
