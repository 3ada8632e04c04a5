/*
 * The whole picture: the view in front, and under it the result line (or the
 * question, or the prompt's remark) and the footer (or the prompt).
 */
#include "ui/tui/frame.h"

#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <string.h>

/* A text in an area; what is left over is cut at the edge, visibly. */
static void frame_text(
	struct canvas *c, struct area area, int x, int width, int style, const char *text)
{
	char line[TEXT_MAX], cut[TEXT_MAX];

	for (int y = 0; y < area.rows && *text; y++) {
		const char *next;
		size_t n = text_wrap(text, width, &next);

		if (y + 1 == area.rows)
			n = strcspn(text, "\n");
		snprintf(line, sizeof line, "%.*s", (int)n, text);
		canvas_put(c, area.y + y, x, width, style,
			text_width(line) > width ? text_fit(cut, sizeof cut, line, width) : line);
		text = next;
	}
}

static void frame_message(const struct app *a, struct canvas *c)
{
	struct area area = app_message_area(a);
	struct app_part parts[APP_PARTS];
	char room[TEXT_MAX];

	for (size_t i = 0, count = app_message_parts(a, parts, room, sizeof room); i < count; i++) {
		area.rows = parts[i].rows;
		frame_text(c, area, 0, c->columns,
			a->question.kind || a->prompt.ops ? STYLE_WARN
			: parts[i].bad                    ? STYLE_BAD
							  : STYLE_PLAIN,
			parts[i].text);
		area.y += area.rows;
	}
}

/* The question in a frame in the middle of the screen, as small as it can be. */
static void frame_dialog(const struct app *a, struct canvas *c)
{
	const char *text = a->question.text, *next = text;
	int width = 0, most = c->columns < 80 ? c->columns - 12 : 68;
	struct area area = {.rows = 2};

	for (char line[TEXT_MAX]; *next; area.rows++) {
		const char *from = next;
		size_t n = text_wrap(from, most, &next);

		snprintf(line, sizeof line, "%.*s", (int)n, from);
		width = text_width(line) > width ? text_width(line) : width;
	}
	area.y = (c->rows - area.rows) / 2;
	canvas_frame(c, area, (c->columns - width - 4) / 2, width + 4, "");
	frame_text(c, (struct area){area.y + 1, area.rows - 2}, 1, width, STYLE_WARN, text);
	canvas_whole(c);
}

static void frame_prompt(const struct app *a, struct canvas *c, int y)
{
	const struct input *input = &a->prompt.input;
	const char *label = a->prompt.ops->label;
	char head[INPUT_SIZE], safe[4 * INPUT_SIZE], line[4 * INPUT_SIZE + 16];
	int width, hscroll;

	snprintf(head, sizeof head, "%.*s", (int)input->cursor, input->text);
	width = text_width(label) + text_width(text_clean(head, safe, sizeof safe));
	hscroll = width >= c->columns ? width - c->columns + 1 : 0;
	snprintf(line, sizeof line, "%s%s", label, text_clean(input->text, safe, sizeof safe));
	canvas_put(c, y, 0, -1, STYLE_PLAIN, text_skip(line, hscroll));
	c->cursor_y = y;
	c->cursor_x = width - hscroll;
}

/* Keys, each with what it does on a bar that reaches the edge. */
static void frame_footer(const struct app *a, struct canvas *c, int y)
{
	struct request_label labels[REQUEST_COUNT];
	int count = request_footer(app_view(a)->where, app_have(a), c->columns, labels);

	canvas_line(c, y, STYLE_LABEL, "");
	for (int i = 0; i < count; i++) {
		int x = labels[i].x + canvas_put(c, y, labels[i].x, -1, STYLE_KEY, labels[i].key);

		canvas_putf(c, y, x, STYLE_LABEL, " %s ", labels[i].text);
	}
}

enum request frame_request(const struct app *a, int y, int x)
{
	struct request_label labels[REQUEST_COUNT];
	int count = request_footer(app_view(a)->where, app_have(a), a->columns, labels);

	if (y != a->rows - 1 || a->question.kind || a->prompt.ops || a->output.typing)
		return REQUEST_NONE;
	for (int i = 0; i < count; i++)
		if (x >= labels[i].x && x < labels[i].x + labels[i].width)
			return labels[i].request;
	return REQUEST_NONE;
}

void frame_draw(const struct app *a, struct canvas *c)
{
	int footer = a->rows - 1;
	char text[256];

	canvas_reset(c, a->rows, a->columns);
	if (a->rows < FRAME_ROWS || a->columns < FRAME_COLUMNS) {
		snprintf(text, sizeof text, "too small: need %dx%d", FRAME_COLUMNS, FRAME_ROWS);
		canvas_put(c, 0, 0, -1, STYLE_PLAIN, text);
		return;
	}
	app_view(a)->draw(a, c);
	if (app_dialog(a)) {
		frame_dialog(a, c);
		canvas_line(c, footer, STYLE_LABEL, "");
		return;
	}
	frame_message(a, c);
	if (a->question.kind)
		return; /* it takes the footer's line, too */
	if (a->output.typing)
		canvas_line(c, footer, STYLE_BAR,
			c->columns >= 60 ? " KEYS GO TO THE PROGRAM          ^] takes them back"
					 : " KEYS GO TO THE PROGRAM  ^] back");
	else if (a->prompt.ops)
		frame_prompt(a, c, footer);
	else
		frame_footer(a, c, footer);
}
