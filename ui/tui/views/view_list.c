/* The list of probes: header, rows, what lies under the cursor, the program's last lines. */
#include "ui/tui/views/view.h"

#include "ui/tui/rows/argline.h"
#include "ui/tui/rows/column.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/states.h"

#include <stdio.h>
#include <string.h>

#define VIEW_LIST_INDENT 4        /* of a probe in the tree */
#define VIEW_LIST_GROUP 32        /* columns that a group's name and counts would like */
#define VIEW_LIST_PANE_ROWS 10    /* at least, of the pane below the list, with its frame */
#define VIEW_LIST_PANE_COLUMNS 78 /* that a site takes, and the frame */

/* ---------------------------------------------------------------- the space */

struct view_list_areas view_list_areas(const struct app *a)
{
	bool roomy = a->rows >= 16;
	struct view_list_areas l = {
		.header.rows = roomy ? 3 : 2, .heading = roomy, .columns = a->columns};
	int top = l.header.rows + l.heading, room, spare;

	l.below.rows = roomy ? 2 : 1;
	l.below.y = app_message_area(a).y - l.below.rows;
	room = l.below.y - top; /* 0 or less, where a long question lies over a small screen */
	spare = room - (int)a->model.row_count - 1;

	/* The program's output: free lines under a short list, or a third of a tall screen. */
	if (a->program.used && spare >= 5)
		l.output.rows = spare > room * 2 / 3 ? room * 2 / 3 : spare;
	else if (a->program.used && room >= 14)
		l.output.rows = room / 3;
	l.output.y = l.below.y - l.output.rows;
	l.list = (struct area){.y = top, .rows = room > l.output.rows ? room - l.output.rows : 1};

	/* The glance: beside the list where that keeps 80 columns, else below it on a tall screen.
	 */
	if (a->hidden & 1u << COLUMN_DETAIL || !a->model.row_count)
		return l;
	if (a->columns >= VIEW_LIST_PANE_COLUMNS + 80) {
		l.pane = (struct area){.y = top - l.heading, .rows = l.list.rows + l.heading};
		l.pane_column = a->columns - VIEW_LIST_PANE_COLUMNS;
		l.columns = l.pane_column;
	} else if (a->columns >= VIEW_LIST_PANE_COLUMNS && room >= 3 * VIEW_LIST_PANE_ROWS &&
		   !l.output.rows) {
		l.pane.rows = spare < VIEW_LIST_PANE_ROWS ? VIEW_LIST_PANE_ROWS
			      : spare > room / 2          ? room / 2
							  : spare;
		l.pane.y = l.output.y - l.pane.rows;
		l.list.rows -= l.pane.rows;
	}
	return l;
}

static void view_list_layout(struct app *a)
{
	struct view_list_areas areas = view_list_areas(a);

	/* Nobody types into a program that is not shown. */
	if (a->output.typing && !areas.output.rows) {
		app_open(a, VIEW_OUTPUT);
		return;
	}
	rowlist_resize(&a->list.rows, areas.list.rows);
	view_glance_update(a, &areas);
}

/* ---------------------------------------------------------------- the lines */

static void view_list_arrange(
	const struct app *a, int width, int widest, struct column_layout *columns)
{
	struct column_needs needs = {.width = width,
		.widest = widest,
		.widest_name = a->list.tree ? 0 : a->model.widest_name,
		.widest_object = a->model.widest_object,
		.scroll = a->list.hscroll,
		.most_sites = a->list.tree ? (uint32_t)a->model.counts.sites : a->model.most_sites,
		.several = a->model.process_count > 1,
		.argued = a->model.argued,
		.counted = a->model.counts.counted > 0,
		.unswitchable = !model_switchable(&a->model),
		.hidden = a->hidden};

	column_arrange(columns, &needs);
}

void view_list_columns(const struct app *a, struct column_layout *columns)
{
	bool groups = a->list.tree && a->model.widest < VIEW_LIST_GROUP;

	view_list_arrange(
		a, view_list_areas(a).columns, groups ? VIEW_LIST_GROUP : a->model.widest, columns);
}

static const struct row *view_list_at(const struct app *a, uint32_t id)
{
	return id & GROUPS_FLAG ? &a->list.groups.all[id & ~GROUPS_FLAG].sum : &a->model.rows[id];
}

/* A cell of a line, which is a probe's or a group's. The first two columns of the state are the
 * cursor's and the tag's. tree: names as the tree shows them. */
static const char *view_list_cell(const struct app *a, const struct column_layout *l, uint32_t id,
	enum column_id column, bool tree, char *out, size_t size)
{
	const struct row *r = view_list_at(a, id);

	if (column == COLUMN_STATE)
		snprintf(out, size, " %c%s%s", r->tag ? '+' : ' ',
			l->narrow ? row_state(r)->mark : row_state(r)->word,
			!l->narrow && row_counted_too(r) ? STATES_COUNTED_MARK : "");
	else if (id & GROUPS_FLAG)
		column_group(&a->list.groups.all[id & ~GROUPS_FLAG], column, out, size);
	else if (column == COLUMN_PROBE && (tree || l->bare))
		snprintf(out, size, "%*s%s", tree ? VIEW_LIST_INDENT : 0, "", row_name(r));
	else
		column_cell(r, column, out, size);
	return out;
}

/* Highlight what the search finds in a name, of which the row may show only a part. */
static void view_list_match(const struct app *a, const struct column_layout *l, struct canvas *c,
	int y, const struct row *r, int style)
{
	const struct column_place *at = &l->at[COLUMN_PROBE];
	const char *name = a->list.tree || l->bare ? row_name(r) : r->label;
	int indent = a->list.tree ? VIEW_LIST_INDENT : 0, from, to;
	char shown[TEXT_MAX], part[TEXT_MAX], whole[TEXT_MAX];
	size_t start, end, hidden = (size_t)(name - r->label);
	const struct pattern *searched = a->list.search.pattern;

	if (!searched || !pattern_find(searched, r->label, &start, &end) || end <= hidden ||
		start >= end)
		return;
	start = start > hidden ? start - hidden : 0;
	snprintf(whole, sizeof whole, "%*s%s", indent, "", name);
	snprintf(part, sizeof part, "%.*s", (int)(start + (size_t)indent), whole);
	from = text_middle_at(whole, at->width, text_width(part));
	snprintf(part, sizeof part, "%.*s", (int)(end - hidden + (size_t)indent), whole);
	to = text_middle_at(whole, at->width, text_width(part) - 1) + 1;
	text_middle(shown, sizeof shown, whole, at->width);
	canvas_put(c, y, at->x + from, to - from, style | STYLE_MATCH, text_skip(shown, from));
}

static void view_list_line(const struct app *a, const struct column_layout *l, struct canvas *c,
	int y, uint32_t id, bool cursor)
{
	int base = cursor ? STYLE_REVERSE : 0;
	bool group = id & GROUPS_FLAG;
	const struct row *r = view_list_at(a, id);
	/* What cannot be switched is dimmed from the start. */
	int state = (int)row_state(r)->style;
	int plain = group ? STYLE_TITLE : state == STYLE_DIM ? STYLE_DIM : STYLE_PLAIN;
	size_t provider = (size_t)(row_name(r) - r->label);
	char cell[2 * TEXT_MAX], fitted[TEXT_MAX];

	if (cursor)
		canvas_line(c, y, base, "");
	for (int i = 0; i < COLUMN_COUNT; i++) {
		const struct column_place *at = &l->at[i];

		if (!at->width)
			continue;
		view_list_cell(a, l, id, (enum column_id)i, a->list.tree, cell, sizeof cell);
		canvas_put(c, y, at->x, at->width, base | (i == COLUMN_STATE ? state : plain),
			group && i == COLUMN_PROBE
				? text_fit(fitted, sizeof fitted, cell, at->width)
				: column_fit(fitted, sizeof fitted, l, (enum column_id)i, cell));
		/* The provider and its colon, if all of it is shown: the name is what matters. */
		if (i == COLUMN_PROBE && plain == STYLE_PLAIN &&
			!strncmp(fitted, r->label, provider))
			canvas_putf(c, y, at->x, base | STYLE_PROVIDER, "%.*s", (int)provider,
				r->label);
	}
	canvas_putf(c, y, l->at[COLUMN_STATE].x, base | plain, "%s%c",
		cursor ? text_glyph(TEXT_CURSOR) : " ", r->tag ? '+' : ' ');
	if (!group)
		view_list_match(a, l, c, y, r, base);
}

/* The titles on a bar that reaches the edge, with the mark of the order; > : there is more. */
static void view_list_heading(
	const struct app *a, const struct column_layout *l, struct canvas *c, int y)
{
	canvas_line(c, y, STYLE_HEAD, "");
	for (int i = 0; i < COLUMN_COUNT; i++) {
		const struct column *column = &column_table[i];
		const struct column_place *at = &l->at[i];
		bool sorted = a->list.order == (enum column_id)i, down = column->number;
		char title[32] = "", fitted[TEXT_MAX];

		if (!at->width)
			continue;
		if (i == COLUMN_STATE && !l->narrow)
			text_addf(title, sizeof title, "  ");
		else if (column->number)
			text_addf(title, sizeof title, "%*s", at->width - text_width(column->title),
				"");
		text_addf(title, sizeof title, "%s%s", column->title,
			sorted ? text_glyph(down != a->list.invert ? TEXT_DOWN : TEXT_UP) : "");
		text_fit(fitted, sizeof fitted, title, at->width + (sorted && i > COLUMN_PROBE));
		canvas_put(c, y, at->x, -1, sorted ? STYLE_SORTED : STYLE_HEAD, fitted);
	}
	if (l->more)
		canvas_put(c, y, c->columns - 1, 1, STYLE_HEAD, ">");
}

/* What its kind means for the keys. */
static const char *view_list_kind(const struct app *a, uint32_t id, const struct probes_probe *p)
{
	const struct row *r = &a->model.rows[id];

	if (p->broken)
		return ", broken: never switched";
	if (p->semaphore_count || a->replay)
		return "";
	if (r->sites_counted || r->state == PROBES_UNLOADED || !(app_have(a) & NEED_SWITCH))
		return ", no semaphore";
	return model_in_vain(&a->model, id) ? ", no semaphore, cannot be counted (i=why)"
					    : ", no semaphore: H counts its hits";
}

/* "-- 20 more --   row 1/27  top"; below it the kind of the probe under the cursor, its arguments
 * and where it lies, which are the same in every process. */
static void view_list_below(const struct app *a, struct canvas *c, struct area area)
{
	const struct rowlist *l = &a->list.rows;
	const struct group *g = list_group(&a->list);
	uint32_t id = list_current(&a->list);
	size_t below = l->top + (size_t)l->height;
	char text[2 * TEXT_MAX], fitted[TEXT_MAX], place[16], arguments[TEXT_MAX];

	if (below < l->count)
		canvas_putf(c, area.y, 1, STYLE_DIM, "-- %zu more --", l->count - below);
	snprintf(text, sizeof text, "row %zu/%zu  %4s", l->count ? l->cursor + 1 : 0, l->count,
		rowlist_place(l, place, sizeof place));
	canvas_put(c, area.y, c->columns - text_width(text), -1, STYLE_DIM, text);
	if (area.rows < 2 || (id == ROWLIST_NONE && !g))
		return;
	if (g) {
		snprintf(text, sizeof text, "group: %s all %zu; h l fold   %s",
			g->sum.switchable && app_have(a) & NEED_SWITCH ? "e d Space act on"
								       : "Space acts on",
			g->count, g->sum.family->path);
	} else {
		struct model_member m = model_member(&a->model, id);
		const struct probes_probe *p = probes_at(m.session, m.probe);

		snprintf(text, sizeof text, "%s%s", probes_kind_name(p->kind),
			view_list_kind(a, id, p));
		if (*argline(p->arguments, true, arguments, sizeof arguments))
			text_addf(text, sizeof text, "   %s", arguments);
		if (a->glance.where[0])
			text_addf(text, sizeof text, "   %s", a->glance.where);
	}
	canvas_put(c, area.y + 1, 1, -1, STYLE_DIM,
		text_fit(fitted, sizeof fitted, text, c->columns - 1));
}

static void view_list_empty(const struct app *a, struct canvas *c, int y)
{
	size_t nameless = list_nameless(&a->list);

	canvas_put(c, y, 2, -1, STYLE_WARN,
		list_is_looking(&a->list) ? "no probe yet: functions are being looked up"
					  : "no probe matches the filter");
	canvas_put(c, y + 1, 2, -1, STYLE_PLAIN, "\\ changes it; \\ ^U Enter clears it");
	if (filter_asks_hits(a->list.filter) && !a->model.counts.counted)
		canvas_put(c, y + 2, 2, -1, STYLE_DIM, "nothing is counted yet: H counts hits");
	if (nameless && !list_is_looking(&a->list))
		canvas_putf(c, y + 2, 2, STYLE_DIM,
			"fn: no function is known for %zu of %zu: files without symbols", nameless,
			a->model.row_count);
}

static void view_list_draw(const struct app *a, struct canvas *c)
{
	struct view_list_areas areas = view_list_areas(a);
	const struct rowlist *rows = &a->list.rows;
	struct column_layout columns;

	view_list_columns(a, &columns);
	view_header_draw(a, c, areas.header);
	canvas_window(c, 0, areas.columns);
	if (areas.heading)
		view_list_heading(a, &columns, c, areas.header.rows);
	for (int i = 0; i < areas.list.rows && rows->top + (size_t)i < rows->count; i++) {
		size_t at = rows->top + (size_t)i;

		view_list_line(a, &columns, c, areas.list.y + i, rows->ids[at], at == rows->cursor);
	}
	if (!rows->count)
		view_list_empty(a, c, areas.list.y);
	canvas_whole(c);
	view_glance_draw(a, c, &areas);
	if (areas.output.rows)
		view_output_docked(a, c, areas.output);
	view_list_below(a, c, areas.below);
}

/* One line of the file; id ROWLIST_NONE: the headings. */
static void view_list_write_line(
	const struct app *a, const struct column_layout *columns, uint32_t id, FILE *out)
{
	char line[8 * TEXT_MAX] = "", cell[4 * TEXT_MAX], fitted[4 * TEXT_MAX];
	size_t n;
	int x = 0;

	for (int i = 0; i < COLUMN_COUNT; i++) {
		const char *text = column_table[i].title;

		if (!columns->at[i].width)
			continue;
		if (id != ROWLIST_NONE)
			text = view_list_cell(
				a, columns, id, (enum column_id)i, false, cell, sizeof cell);
		else if (i == COLUMN_STATE)
			text = "  STATE";
		text_addf(line, sizeof line, "%*s%s", columns->at[i].x - x, "",
			column_fit(fitted, sizeof fitted, columns, (enum column_id)i, text));
		x = columns->at[i].x + columns->at[i].width;
	}
	for (n = strlen(line); n > 0 && line[n - 1] == ' ';)
		n--;
	fprintf(out, "%.*s\n", (int)n, line);
}

static void view_list_write(const struct app *a, FILE *out)
{
	int width = a->model.widest + 130;
	struct column_layout columns;

	/* names of groups are longer than those of probes */
	view_list_arrange(
		a, width < 2 * TEXT_MAX ? width : 2 * TEXT_MAX, a->model.widest + 30, &columns);
	fprintf(out, "%s  %zu of %zu probes  filter: %s  sort: %s%s\n", a->title,
		a->list.shown_count, a->model.row_count,
		filter_text(a->list.filter)[0] ? filter_text(a->list.filter) : "-",
		column_table[a->list.order].name, a->list.invert ? " inverted" : "");
	view_list_write_line(a, &columns, ROWLIST_NONE, out);
	for (size_t i = 0; i < a->list.rows.count; i++)
		view_list_write_line(a, &columns, a->list.rows.ids[i], out);
}

/* ---------------------------------------------------------------- keys */

/* In the tree, left and right fold and unfold. */
static void view_list_move(struct app *a, enum request r)
{
	struct list *l = &a->list;
	struct group *g = list_group(l);
	struct column_layout columns;

	if (l->tree && g && (r == REQUEST_LEFT || r == REQUEST_RIGHT) &&
		g->folded == (r == REQUEST_RIGHT))
		list_fold(l, g, r == REQUEST_LEFT);
	else if (l->tree && g && r == REQUEST_RIGHT) /* unfolded already: into it */
		rowlist_move(&l->rows, 1);
	else if (l->tree && r == REQUEST_LEFT && !l->hscroll)
		list_to_parent(l);
	else if (r == REQUEST_RIGHT) {
		view_list_columns(a, &columns);
		l->hscroll += columns.more;
	} else if (r == REQUEST_LEFT)
		l->hscroll -= l->hscroll > 0;
	else
		view_rows_move_in(&l->rows, r);
}

/* On a heading: sort by its column; if it is sorted by that, invert the order. */
static bool view_list_click(struct app *a, int y, int x)
{
	struct view_list_areas areas = view_list_areas(a);
	struct column_layout columns;

	if (x >= areas.columns)
		return false;
	if (!areas.heading || y != areas.header.rows)
		return view_rows_click_in(&a->list.rows, areas.list.y, y);
	view_list_columns(a, &columns);
	for (int i = 0; i < COLUMN_COUNT; i++) {
		const struct column_place *at = &columns.at[i];
		bool sorted = a->list.order == (enum column_id)i;

		if (at->width && x >= at->x && x < at->x + at->width)
			list_sort(&a->list, (enum column_id)i, sorted && !a->list.invert);
	}
	return false;
}

static bool view_list_seek(struct app *a, size_t from, int direction)
{
	return list_seek(&a->list, from, direction);
}

int view_list_filter(struct app *a, const char *text, char *why, size_t size)
{
	return list_filter(&a->list, text, why, size);
}

struct app_filtered view_list_filtered(const struct app *a)
{
	return (struct app_filtered){.text = filter_text(a->list.filter),
		.syntax = a->replay ? "word  ~regex  a|b  -not  tagged  hits>9  prov: obj: fn:"
				    : "word  ~regex  a|b  -not  on  off  tagged  hits>9  "
				      "prov: obj: fn:  \"on\"",
		.shown = a->list.shown_count,
		.all = a->model.row_count};
}

static uint32_t view_list_row(const struct app *a)
{
	return list_current(&a->list);
}

/* The tagged rows; else the group or the row under the cursor. */
static struct app_selection view_list_selection(const struct app *a)
{
	const struct list *l = &a->list;
	struct app_selection s = {.tagged = a->model.tagged};

	if (s.tagged) {
		s.rows = mem_array(a->model.tagged, sizeof *s.rows);
		for (size_t i = 0; i < l->sorted_count; i++)
			if (a->model.rows[l->sorted[i]].tag)
				s.rows[s.count++] = l->sorted[i];
	} else if (list_group(l)) {
		s.rows = list_group_rows(l, list_group(l), &s.count);
	} else {
		s = app_select(list_current(l));
	}
	return s;
}

const struct view_ops view_list_ops = {
	.where = IN_LIST,
	.layout = view_list_layout,
	.draw = view_list_draw,
	.move = view_list_move,
	.click = view_list_click,
	.row = view_list_row,
	.selection = view_list_selection,
	.rows = offsetof(struct app, list.rows),
	.search = offsetof(struct app, list.search),
	.seek = view_list_seek,
	.filter = view_list_filter,
	.filtered = view_list_filtered,
	.write = view_list_write,
	.wait = view_glance_wait,
	.poll = view_glance_poll,
};
