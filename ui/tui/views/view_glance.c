/*
 * The pane of details: a title, and what the glance has.
 */
#include "ui/tui/views/view_glance.h"

#include "ui/tui/terminal/text.h"

static void view_glance_title(const struct app *a, struct canvas *c, int y)
{
	char title[TEXT_MAX] = "", label[TEXT_MAX];
	const char *text = a->glance.row == MODEL_NONE ? "" : a->model.rows[a->glance.row].label;
	int room = c->columns - 22; /* for the words around it */

	text_rule(title, sizeof title, 2);
	if (!*text)
		text_addf(title, sizeof title, " no probe under the cursor ");
	else
		text_addf(title, sizeof title, " %s  (i: all of it) ",
			text_fit(label, sizeof label, text,
				text_width(text) < room ? text_width(text) : room));
	text_rule(title, sizeof title, c->columns);
	canvas_put(c, y, 0, -1, STYLE_TITLE, title);
}

void view_glance_draw(const struct app *a, struct canvas *c, const struct app_layout *l)
{
	struct area lines = {.y = l->pane.y + 1, .rows = l->pane.rows - 1};

	if (!l->pane.rows)
		return;
	for (int y = 0; l->pane_left && y < l->pane.rows; y++)
		canvas_put(c, l->pane.y + y, l->pane_left - 1, 1, STYLE_DIM, text_upright());
	canvas_window(c, l->pane_left, c->screen_columns - l->pane_left);
	view_glance_title(a, c, l->pane.y);
	pager_draw(&a->glance.pane, c, lines, 0);
	canvas_whole(c);
}
