/*
 * The pane of details: a title, and what the glance has.
 */
#include "ui/tui/view_glance.h"

#include "ui/tui/text.h"

#include <stdio.h>
#include <string.h>

static void view_glance_title(const struct app *a, struct canvas *c, int y)
{
	char title[TEXT_MAX], label[TEXT_MAX];

	if (a->glance.row == MODEL_NONE)
		snprintf(title, sizeof title, "-- no probe under the cursor ");
	else
		snprintf(title, sizeof title, "-- %s  (i: all of it) ",
			text_fit(label, sizeof label, a->model.rows[a->glance.row].label,
				text_width(a->model.rows[a->glance.row].label) < c->columns - 22
					? text_width(a->model.rows[a->glance.row].label)
					: c->columns - 22));
	while (text_width(title) < c->columns && strlen(title) + 1 < sizeof title)
		strcat(title, "-");
	canvas_put(c, y, 0, -1, STYLE_TITLE, title);
}

void view_glance_draw(const struct app *a, struct canvas *c, const struct app_layout *l)
{
	struct area lines = {.y = l->pane.y + 1, .rows = l->pane.rows - 1};

	if (!l->pane.rows)
		return;
	for (int y = 0; l->pane_left && y < l->pane.rows; y++)
		canvas_put(c, l->pane.y + y, l->pane_left - 1, 1, STYLE_DIM, "|");
	canvas_window(c, l->pane_left, c->screen_columns - l->pane_left);
	view_glance_title(a, c, l->pane.y);
	lines_draw(&a->glance.pane, c, lines, 0);
	canvas_whole(c);
}
