/*
 * Texts of many lines.
 */
#include "ui/tui/views/view_text.h"

#include "ui/tui/terminal/text.h"

#include <stdio.h>

void view_text_draw(const struct app *a, struct canvas *c)
{
	struct area area = {.y = 1, .rows = app_text_rows(a)};
	size_t below = a->lines.top + (size_t)area.rows;
	char heading[TEXT_MAX], place[64];

	if (a->view == VIEW_DETAIL)
		snprintf(heading, sizeof heading, "Detail of %s", a->model.rows[a->detail].label);
	else if (a->view == VIEW_INCONSISTENT)
		snprintf(heading, sizeof heading, "What disagrees in %s",
			a->model.rows[a->detail].label);
	else
		snprintf(heading, sizeof heading, "%s", a->heading);
	canvas_line(c, 0, STYLE_TITLE | STYLE_REVERSE, heading);
	if (a->lines.count > (size_t)area.rows) {
		snprintf(place, sizeof place, " %zu-%zu of %zu ", a->lines.top + 1,
			below < a->lines.count ? below : a->lines.count, a->lines.count);
		canvas_put(c, 0, c->columns - text_width(place), -1, STYLE_TITLE | STYLE_REVERSE,
			place);
	}
	pager_draw(&a->lines, c, area, a->left);
}
