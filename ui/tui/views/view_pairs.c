/* The list of pairs: the state of both halves, and which are incomplete. */
#include "ui/tui/views/view.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int view_pairs_compare(const void *x, const void *y, void *data)
{
	const struct app *a = data;
	const struct pairs_one *one = &a->pairs.known.all[*(const uint32_t *)x];
	const struct pairs_one *two = &a->pairs.known.all[*(const uint32_t *)y];
	int order = strcmp(a->model.rows[one->start].label, a->model.rows[two->start].label);

	return order ? order : (one > two) - (one < two);
}

static void view_pairs_build(struct app *a)
{
	pairs_update(&a->pairs.known, &a->model);
	if (!a->pairs.known.count)
		app_say(a, "no probes match as start and end; tag two probes, then p");
}

/* Shown are the pairs of which the filter lets a half through, in the order of their names. */
static void view_pairs_layout(struct app *a)
{
	const struct pairs *p = &a->pairs.known;
	uint32_t *ids = mem_array(p->count, sizeof *ids);
	size_t count = 0;

	for (size_t i = 0; i < p->count; i++)
		if (list_passes(&a->list, p->all[i].start) || list_passes(&a->list, p->all[i].end))
			ids[count++] = (uint32_t)i;
	qsort_r(ids, count, sizeof *ids, view_pairs_compare, a);
	rowlist_set(&a->pairs.rows, ids, count);
	rowlist_resize(&a->pairs.rows, app_view_rows(a));
	free(ids);
}

/* One pair. The end's name is shortened to what differs, if both are of one family. */
static const char *view_pairs_line(
	const struct model *m, const struct pairs_one *one, char *out, size_t size)
{
	const struct row *start = &m->rows[one->start], *end = &m->rows[one->end];
	bool family = start->family == end->family;
	bool started = start->state == PROBES_ON || start->state == PROBES_PARTIAL;
	size_t stem = 0;

	if (family)
		pair_role(row_name(end), &stem);
	snprintf(out, size, "%s   %s   %s%s%s%s", row_state(start)->mark, row_state(end)->mark,
		!pairs_half_on(m, one) ? ""
		: started              ? "incomplete: starts without ends  "
				       : "incomplete: ends without starts  ",
		start->label, family && !one->chosen ? " | " : " -> ",
		family && !one->chosen ? row_name(end) + stem : end->label);
	if (one->chosen)
		text_addf(out, size, "  (chosen)");
	return out;
}

static void view_pairs_draw(const struct app *a, struct canvas *c)
{
	const struct rowlist *l = &a->pairs.rows;
	const struct pairs *p = &a->pairs.known;
	size_t half = 0;
	char text[TEXT_MAX], safe[2 * INPUT_SIZE], line[4 * TEXT_MAX];

	for (size_t i = 0; i < p->count; i++)
		half += pairs_half_on(&a->model, &p->all[i]);
	snprintf(text, sizeof text, "Pairs: %zu, incomplete: %zu", p->count, half);
	if (filter_text(a->list.filter)[0])
		text_addf(text, sizeof text, "   filter: %s   %zu shown",
			text_clean(filter_text(a->list.filter), safe, sizeof safe), l->count);
	canvas_line(c, 0, STYLE_BAR, text);
	canvas_line(c, 1, STYLE_HEAD, " START END   PAIR");
	for (int y = 0; y < l->height && l->top + (size_t)y < l->count; y++) {
		size_t at = l->top + (size_t)y;
		const struct pairs_one *one = &p->all[l->ids[at]];
		int style = at == l->cursor                 ? STYLE_REVERSE
			    : pairs_half_on(&a->model, one) ? STYLE_WARN
							    : STYLE_PLAIN;

		if (at == l->cursor)
			canvas_line(c, y + 2, STYLE_REVERSE, "");
		canvas_put(c, y + 2, 0, -1, style, at == l->cursor ? text_glyph(TEXT_CURSOR) : "");
		canvas_put(c, y + 2, 2, -1, style,
			text_skip(view_pairs_line(&a->model, one, line, sizeof line), a->hscroll));
		if (a->hscroll)
			continue;
		for (int end = 0; end < 2; end++) {
			const struct row *r = &a->model.rows[end ? one->end : one->start];

			canvas_put(c, y + 2, end ? 8 : 2, -1,
				(int)row_state(r)->style | (style & STYLE_REVERSE),
				row_state(r)->mark);
		}
	}
	if (!l->count)
		canvas_put(c, 2, 2, -1, STYLE_WARN,
			p->count ? "no pair matches the filter (\\ changes it)" : "no pairs");
}

/* The search is that of the list; the name of the start stands for a pair. */
static const char *view_pairs_start(const void *data, size_t i)
{
	const struct app *a = data;

	return a->model.rows[a->pairs.known.all[a->pairs.rows.ids[i]].start].label;
}

static bool view_pairs_request(struct app *a, enum request r)
{
	uint32_t id = rowlist_current(&a->pairs.rows);

	if (r != REQUEST_GO_TO)
		return false;
	app_open(a, VIEW_LIST);
	if (id != ROWLIST_NONE && !rowlist_seek(&a->list.rows, a->pairs.known.all[id].start))
		app_complain(a, "%.80s is not shown: the filter hides it, or its group is folded",
			a->model.rows[a->pairs.known.all[id].start].label);
	return true;
}

/* The pair under the cursor, in the order of switching on. */
static struct app_selection view_pairs_selection(const struct app *a)
{
	uint32_t id = rowlist_current(&a->pairs.rows);
	struct app_selection s = {0};

	if (id == ROWLIST_NONE)
		return s;
	s.pair = &a->pairs.known.all[id];
	s.rows = mem_array(2, sizeof *s.rows);
	s.rows[s.count++] = s.pair->end;
	s.rows[s.count++] = s.pair->start;
	return s;
}

static void view_pairs_write(const struct app *a, FILE *out)
{
	char line[4 * TEXT_MAX];

	for (size_t i = 0; i < a->pairs.rows.count; i++)
		fprintf(out, "%s\n",
			view_pairs_line(&a->model, &a->pairs.known.all[a->pairs.rows.ids[i]], line,
				sizeof line));
}

const struct view_ops view_pairs_ops = {
	VIEW_ROWS_OPS(pairs.rows, 2),
	.where = IN_PAIRS,
	.around = 2,
	.build = view_pairs_build,
	.layout = view_pairs_layout,
	.draw = view_pairs_draw,
	.request = view_pairs_request,
	.selection = view_pairs_selection,
	.search = offsetof(struct app, list.search),
	.line = view_pairs_start,
	.filter = view_list_filter,
	.filtered = view_list_filtered,
	.write = view_pairs_write,
};
