/*
 * The main view.
 */
#include "ui/tui/view_list.h"

#include "ui/tui/detail.h"
#include "ui/tui/header.h"
#include "ui/tui/rowtext.h"
#include "ui/tui/text.h"
#include "ui/tui/view_output.h"

#include <stdio.h>
#include <string.h>

static int view_list_state_style(enum probes_state state)
{
	static const int styles[] = {
		[PROBES_UNKNOWN] = STYLE_DIM,
		[PROBES_OFF] = STYLE_PLAIN,
		[PROBES_ON] = STYLE_ON,
		[PROBES_SOME] = STYLE_SOME,
		[PROBES_OTHER] = STYLE_WARN,
		[PROBES_ODD] = STYLE_BAD,
		[PROBES_UNREADABLE] = STYLE_DIM,
	};

	return styles[state];
}

static void view_list_heading(const struct rowtext_layout *l, struct canvas *c, int y)
{
	canvas_line(c, y, STYLE_HEAD, "");
	for (int i = 0; i < ROWTEXT_COLUMNS; i++) {
		if (l->at[i].width)
			canvas_put(c, y, l->at[i].x, -1, STYLE_HEAD,
				rowtext_heading((enum rowtext_column)i));
	}
}

/* What the search finds in a name, shown again in its own style. */
static void view_list_match(const struct app *a, struct canvas *c, int y,
	const struct rowtext_place *at, const char *label, int style)
{
	char part[TEXT_MAX];
	size_t start, end;
	int before;

	if (!a->list.search || !pattern_find(a->list.search, label, &start, &end) || start >= end ||
		end >= sizeof part)
		return;
	memcpy(part, label, start);
	part[start] = '\0';
	before = text_width(part) - a->list.left;
	if (before < 0 || before >= at->width)
		return;
	memcpy(part, label + start, end - start);
	part[end - start] = '\0';
	canvas_put(c, y, at->x + before, at->width - before, style | STYLE_MATCH, part);
}

static void view_list_row(const struct app *a, const struct rowtext_layout *l, struct canvas *c,
	int y, const struct row *r, bool cursor)
{
	int base = cursor ? STYLE_REVERSE : 0;
	char cell[TEXT_MAX], fitted[TEXT_MAX];

	if (cursor)
		canvas_line(c, y, base, "");
	for (int i = 0; i < ROWTEXT_COLUMNS; i++) {
		const struct rowtext_place *at = &l->at[i];
		const char *text =
			rowtext_cell(r, (enum rowtext_column)i, cursor, cell, sizeof cell);
		int style = i == ROWTEXT_STATE ? view_list_state_style(r->state) : STYLE_PLAIN;

		if (!at->width)
			continue;
		if (i == ROWTEXT_NAME)
			text = text_skip(text, a->list.left);
		canvas_put(c, y, at->x, at->width, base | style,
			text_fit(fitted, sizeof fitted, text, at->width));
	}
	view_list_match(a, c, y, &l->at[ROWTEXT_NAME], r->label, base);
}

static void view_list_rows(
	const struct app *a, const struct rowtext_layout *l, struct canvas *c, struct area area)
{
	const struct rowlist *rows = &a->list.rows;

	for (int i = 0; i < area.rows && rows->top + (size_t)i < rows->count; i++) {
		size_t at = rows->top + (size_t)i;

		view_list_row(
			a, l, c, area.y + i, &a->model.rows[rows->ids[at]], at == rows->cursor);
	}
	if (rows->count)
		return;
	canvas_put(c, area.y, 2, -1, STYLE_WARN, "no probe matches the filter");
	canvas_put(c, area.y + 1, 2, -1, STYLE_PLAIN, "\\ changes it, ^U in it clears it");
}

/* What kind of probe it is, and its arguments: the same in every process. */
static void view_list_about(const struct app *a, const struct row *r, char *out, size_t size)
{
	const struct model_member *m = &a->model.members[r->member];
	const struct probes_probe *p = probes_at(a->model.processes[m->process].session, m->probe);
	char arguments[TEXT_MAX];

	snprintf(out, size, "%s%s   %s", p->kind == PROBES_OCAML ? "OCaml" : "sdt",
		p->broken            ? ", broken notes: never switched"
		: p->semaphore_count ? ""
				     : ", no semaphore: nothing to switch",
		detail_arguments(p->arguments, arguments, sizeof arguments));
}

/* "-- 20 more --   row 1/27  top", and the arguments of the probe under the cursor. */
static void view_list_below(const struct app *a, struct canvas *c, struct area area)
{
	const struct rowlist *l = &a->list.rows;
	const struct row *r = list_row(&a->list);
	size_t below = l->top + (size_t)l->height;
	char text[2 * TEXT_MAX], fitted[TEXT_MAX], place[16];
	int width;

	if (below < l->count)
		canvas_putf(c, area.y, 1, STYLE_DIM, "-- %zu more --", l->count - below);
	snprintf(text, sizeof text, "row %zu/%zu  %4s", l->count ? l->cursor + 1 : 0, l->count,
		rowlist_place(l, place, sizeof place));
	width = text_width(text);
	canvas_put(c, area.y, c->columns - width, -1, STYLE_DIM, text);
	if (area.rows < 2 || !r)
		return;
	view_list_about(a, r, text, sizeof text);
	canvas_put(c, area.y + 1, 1, -1, STYLE_DIM,
		text_fit(fitted, sizeof fitted, text, c->columns - 1));
}

void view_list_draw(const struct app *a, struct canvas *c)
{
	struct app_layout l;
	struct rowtext_layout columns;
	struct rowtext_needs needs = {.width = c->columns,
		.widest = a->model.widest,
		.most_sites = a->model.most_sites,
		.several = a->model.process_count > 1};

	app_areas(a, &l);
	rowtext_arrange(&columns, &needs);
	header_draw(a, c, l.header);
	if (l.heading)
		view_list_heading(&columns, c, l.header.rows);
	view_list_rows(a, &columns, c, l.list);
	if (l.output.rows)
		view_output_docked(a, c, l.output);
	view_list_below(a, c, l.below);
}
