/*
 * The permission-denied screen: its text in a box, as high as the text or the
 * terminal.
 */
#include "ui/tui/views/view_denied.h"

#include "ui/tui/terminal/text.h"

#include <string.h>

static void view_denied_edge(struct canvas *c, int y, const char *remark)
{
	char edge[TEXT_MAX];
	int width = c->columns < TEXT_MAX - 1 ? c->columns : TEXT_MAX - 1;

	memset(edge, '-', (size_t)width);
	edge[0] = edge[width - 1] = '+';
	edge[width] = '\0';
	canvas_put(c, y, 0, -1, STYLE_PLAIN, edge);
	canvas_put(c, y, 3, -1, STYLE_PLAIN, remark);
}

static void view_denied_sides(struct canvas *c, int y)
{
	canvas_put(c, y, 0, -1, STYLE_PLAIN, "|");
	canvas_put(c, y, c->columns - 1, -1, STYLE_PLAIN, "|");
}

void view_denied_draw(const struct app *a, struct canvas *c)
{
	struct area text = {.y = 1, .rows = app_text_rows(a)};
	bool more;

	if ((size_t)text.rows > a->lines.count)
		text.rows = (int)a->lines.count;
	more = a->lines.top + (size_t)text.rows < a->lines.count;
	view_denied_edge(c, 0, "");
	pager_draw(&a->lines, c, text, 0);
	for (int y = 0; y <= text.rows; y++)
		view_denied_sides(c, 1 + y);
	canvas_put(c, 1 + text.rows, 2, c->columns - 4, STYLE_PLAIN,
		"Nothing in the target was changed.");
	view_denied_edge(c, 2 + text.rows, more ? " j: more " : "");
}
