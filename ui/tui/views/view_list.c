/*
 * The main view.
 */
#include "ui/tui/views/view_list.h"

#include "ui/tui/rows/argline.h"
#include "ui/tui/rows/rowtext.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/views/header.h"
#include "ui/tui/views/view_glance.h"
#include "ui/tui/views/view_output.h"

#include <stdio.h>
#include <string.h>

#define VIEW_LIST_INDENT 4 /* of a probe in the tree */
#define VIEW_LIST_GROUP 32 /* columns that a group's name and counts would like */

static int view_list_state_style(enum probes_state state)
{
	static const int styles[] = {
		[PROBES_UNKNOWN] = STYLE_DIM,
		[PROBES_OFF] = STYLE_PLAIN,
		[PROBES_ON] = STYLE_ON,
		[PROBES_PARTIAL] = STYLE_SOME,
		[PROBES_FOREIGN] = STYLE_WARN,
		[PROBES_INCONSISTENT] = STYLE_BAD,
		[PROBES_UNREADABLE] = STYLE_DIM,
		[PROBES_UNLOADED] = STYLE_DIM,
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

/* What is shown as the name: all of it, or in the tree what comes after the provider. */
static const char *view_list_name(const struct app *a, const struct row *r)
{
	return a->list.tree ? row_name(r) : r->label;
}

/* What the search finds in a name, shown again in its own style. */
static void view_list_match(const struct app *a, struct canvas *c, int y,
	const struct rowtext_place *at, const struct row *r, int style)
{
	const char *name = view_list_name(a, r);
	size_t start, end, hidden = (size_t)(name - r->label);
	char part[TEXT_MAX];
	int before;

	if (!a->list.search || !pattern_find(a->list.search, r->label, &start, &end) ||
		end <= hidden || start >= end || end - hidden >= sizeof part)
		return;
	start = start > hidden ? start - hidden : 0;
	end -= hidden;
	memcpy(part, name, start);
	part[start] = '\0';
	before = text_width(part) - a->list.left + (a->list.tree ? VIEW_LIST_INDENT : 0);
	if (before < 0 || before >= at->width)
		return;
	memcpy(part, name + start, end - start);
	part[end - start] = '\0';
	canvas_put(c, y, at->x + before, at->width - before, style | STYLE_MATCH, part);
}

/* A cell of a line, which is a row's or a group's. */
static const char *view_list_cell(const struct app *a, uint32_t id, enum rowtext_column column,
	bool cursor, char *out, size_t size)
{
	if (id & GROUPS_FLAG)
		return rowtext_group(
			&a->list.groups.all[id & ~GROUPS_FLAG], column, cursor, out, size);
	if (!a->list.tree || column != ROWTEXT_NAME)
		return rowtext_cell(&a->model.rows[id], column, cursor, out, size);
	snprintf(out, size, "%*s%s", VIEW_LIST_INDENT, "", row_name(&a->model.rows[id]));
	return out;
}

static void view_list_row(const struct app *a, const struct rowtext_layout *l, struct canvas *c,
	int y, uint32_t id, bool cursor)
{
	int base = cursor ? STYLE_REVERSE : 0;
	const struct row *r =
		id & GROUPS_FLAG ? &a->list.groups.all[id & ~GROUPS_FLAG].sum : &a->model.rows[id];
	char cell[2 * TEXT_MAX], fitted[TEXT_MAX];

	if (cursor)
		canvas_line(c, y, base, "");
	for (int i = 0; i < ROWTEXT_COLUMNS; i++) {
		const struct rowtext_place *at = &l->at[i];
		int style = i == ROWTEXT_STATE ? view_list_state_style(r->state)
			    : id & GROUPS_FLAG ? STYLE_TITLE
					       : STYLE_PLAIN;
		const char *text;

		if (!at->width)
			continue;
		text = view_list_cell(a, id, (enum rowtext_column)i, cursor, cell, sizeof cell);
		if (i == ROWTEXT_NAME && !(id & GROUPS_FLAG))
			text = text_skip(text, a->list.left);
		canvas_put(c, y, at->x, at->width, base | style,
			text_fit(fitted, sizeof fitted, text, at->width));
	}
	if (!(id & GROUPS_FLAG))
		view_list_match(a, c, y, &l->at[ROWTEXT_NAME], r, base);
}

static void view_list_rows(
	const struct app *a, const struct rowtext_layout *l, struct canvas *c, struct area area)
{
	const struct rowlist *rows = &a->list.rows;

	for (int i = 0; i < area.rows && rows->top + (size_t)i < rows->count; i++) {
		size_t at = rows->top + (size_t)i;

		view_list_row(a, l, c, area.y + i, rows->ids[at], at == rows->cursor);
	}
	if (rows->count)
		return;
	canvas_put(c, area.y, 2, -1, STYLE_WARN, "no probe matches the filter");
	canvas_put(c, area.y + 1, 2, -1, STYLE_PLAIN, "\\ changes it, ^U in it clears it");
}

/* What kind of probe it is, its arguments, where it lies: the same in every process. */
static void view_list_about(const struct app *a, const struct row *r, char *out, size_t size)
{
	struct model_member m = model_member(&a->model, (uint32_t)(r - a->model.rows));
	const struct probes_probe *p = probes_at(a->model.processes[m.process].session, m.probe);
	char arguments[TEXT_MAX];

	snprintf(out, size, "%s%s", probes_kind_name(p->kind),
		p->broken            ? ", broken: never switched"
		: p->semaphore_count ? ""
				     : ", no semaphore: nothing to switch");
	if (*argline_numbered(p->arguments, arguments, sizeof arguments))
		text_addf(out, size, "   %s", arguments);
	if (a->glance.where[0])
		text_addf(out, size, "   %s", a->glance.where);
}

/* "-- 20 more --   row 1/27  top", and the arguments of the probe under the cursor. */
static void view_list_below(const struct app *a, struct canvas *c, struct area area)
{
	const struct rowlist *l = &a->list.rows;
	const struct row *r = list_row(&a->list);
	const struct group *g = list_group(&a->list);
	size_t below = l->top + (size_t)l->height;
	char text[2 * TEXT_MAX], fitted[TEXT_MAX], place[16];
	int width;

	if (below < l->count)
		canvas_putf(c, area.y, 1, STYLE_DIM, "-- %zu more --", l->count - below);
	snprintf(text, sizeof text, "row %zu/%zu  %4s", l->count ? l->cursor + 1 : 0, l->count,
		rowlist_place(l, place, sizeof place));
	width = text_width(text);
	canvas_put(c, area.y, c->columns - width, -1, STYLE_DIM, text);
	if (area.rows < 2 || (!r && !g))
		return;
	if (g)
		snprintf(text, sizeof text, "group: e d Space mean all %zu of it; h l fold   %s",
			g->count, g->sum.family->path);
	else
		view_list_about(a, r, text, sizeof text);
	canvas_put(c, area.y + 1, 1, -1, STYLE_DIM,
		text_fit(fitted, sizeof fitted, text, c->columns - 1));
}

static struct rowtext_needs view_list_needs(const struct app *a, int columns)
{
	bool groups = a->list.tree;

	return (struct rowtext_needs){.width = columns,
		.widest = groups && a->model.widest < VIEW_LIST_GROUP ? VIEW_LIST_GROUP
								      : a->model.widest,
		.most_sites = groups ? (uint32_t)a->model.counts.sites : a->model.most_sites,
		.several = a->model.process_count > 1,
		.argued = a->model.argued,
		.hidden = a->hidden};
}

void view_list_draw(const struct app *a, struct canvas *c)
{
	struct app_layout l;
	struct rowtext_layout columns;
	struct rowtext_needs needs;

	app_areas(a, &l);
	needs = view_list_needs(a, l.list_columns);
	rowtext_arrange(&columns, &needs);
	header_draw(a, c, l.header);
	canvas_window(c, 0, l.list_columns);
	if (l.heading)
		view_list_heading(&columns, c, l.header.rows);
	view_list_rows(a, &columns, c, l.list);
	canvas_whole(c);
	view_glance_draw(a, c, &l);
	if (l.output.rows)
		view_output_docked(a, c, l.output);
	view_list_below(a, c, l.below);
}
