/*
 * The program's output. Lines come escaped from the ring; nothing of them is
 * interpreted here.
 */
#include "ui/tui/views/view_output.h"

#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <string.h>

/* What was searched for, shown again in its own style. */
static void view_output_match(const struct app *a, struct canvas *c, int y, char *text, int left)
{
	size_t start, end;
	char first;
	int x;

	if (!pattern_find(a->output_search, text, &start, &end) || start >= end)
		return;
	text[end] = '\0';
	first = text[start];
	text[start] = '\0';
	x = text_width(text) - left;
	text[start] = first;
	if (x >= 0)
		canvas_put(c, y, x, -1, STYLE_MATCH, text + start);
}

static void view_output_lines(
	const struct app *a, struct canvas *c, struct area area, size_t back, int left)
{
	const struct ring *r = &a->program.output;
	size_t count = ring_count(r), end = count > back ? count - back : 0;
	size_t rows = (size_t)(area.rows > 0 ? area.rows : 0), first = end > rows ? end - rows : 0;
	char text[2 * RING_BYTES + 1];

	for (size_t i = first; i < end; i++) {
		int y = area.y + (int)(i - first);

		canvas_put(c, y, 0, -1, STYLE_PLAIN,
			text_skip(ring_line(r, i, text, sizeof text), left));
		if (a->output_search)
			view_output_match(a, c, y, text, left);
	}
}

static void view_output_title(const struct app *a, struct canvas *c, int y, const char *more)
{
	const struct program *p = &a->program;
	char text[TEXT_MAX] = "", end[128];

	text_rule(text, sizeof text, 2);
	text_addf(text, sizeof text, " output of pid %d: ", (int)p->pid);
	if (p->ended)
		text_addf(text, sizeof text, "it %s", program_end(p, end, sizeof end));
	else if (app_have(a) & NEED_HELD)
		text_addf(text, sizeof text, "held at its start, r lets it run");
	else
		text_addf(text, sizeof text, "running");
	text_addf(text, sizeof text, "%s ", a->typing ? ", has the keyboard" : more);
	text_rule(text, sizeof text, c->columns);
	canvas_put(c, y, 0, -1, p->ended ? STYLE_WARN : STYLE_TITLE, text);
}

void view_output_docked(const struct app *a, struct canvas *c, struct area area)
{
	view_output_title(a, c, area.y, "  (o: all of it)");
	view_output_lines(a, c, (struct area){area.y + 1, area.rows - 1}, 0, 0);
}

void view_output_draw(const struct app *a, struct canvas *c)
{
	char more[64] = "";

	if (a->output_back)
		snprintf(more, sizeof more, "  (%zu lines below, G follows)", a->output_back);
	view_output_title(a, c, 0, more);
	view_output_lines(a, c, (struct area){1, app_text_rows(a)}, a->output_back, a->left);
}
