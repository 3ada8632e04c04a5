/*
 * The whole picture: the view in front, and under it the result line (or the
 * question, or the prompt's remark) and the footer (or the prompt).
 */
#include "ui/tui/frame.h"

#include "ui/tui/terminal/text.h"
#include "ui/tui/views/view_denied.h"
#include "ui/tui/views/view_list.h"
#include "ui/tui/views/view_output.h"
#include "ui/tui/views/view_pairs.h"
#include "ui/tui/views/view_picker.h"
#include "ui/tui/views/view_text.h"

#include <stdio.h>
#include <string.h>

static void (*const frame_views[VIEW_COUNT])(const struct app *a, struct canvas *c) = {
	[VIEW_LIST] = view_list_draw,
	[VIEW_DENIED] = view_denied_draw,
	[VIEW_OUTPUT] = view_output_draw,
	[VIEW_DETAIL] = view_text_draw,
	[VIEW_HELP] = view_text_draw,
	[VIEW_PREVIEW] = view_text_draw,
	[VIEW_CODE] = view_text_draw,
	[VIEW_PICKER] = view_picker_draw,
	[VIEW_PAIRS] = view_pairs_draw,
	[VIEW_INCONSISTENT] = view_text_draw,
	[VIEW_ARGUMENTS] = view_text_draw,
	[VIEW_RECORD] = view_text_draw,
	[VIEW_LIBRARIES] = view_text_draw,
};

static void frame_wrapped(struct canvas *c, struct area area, int style, const char *text)
{
	char line[TEXT_MAX];
	const char *next = text;

	for (int y = 0; y < area.rows && *next; y++) {
		size_t n = y + 1 < area.rows ? text_wrap(text, c->columns, &next) : strlen(text);

		snprintf(line, sizeof line, "%.*s", (int)n, text);
		canvas_put(c, area.y + y, 0, -1, style, line);
		text = next;
	}
}

static void frame_message(const struct app *a, struct canvas *c, struct area area)
{
	if (a->question)
		frame_wrapped(c, area, STYLE_WARN, a->asked);
	else if (a->prompt)
		frame_wrapped(c, area, STYLE_WARN, a->prompt_why);
	else
		frame_wrapped(c, area, a->message_bad ? STYLE_BAD : STYLE_PLAIN, a->message);
}

static void frame_prompt(const struct app *a, struct canvas *c, int y)
{
	static const char *const labels[] = {[PROMPT_SEARCH] = "/",
		[PROMPT_FILTER] = "filter: ",
		[PROMPT_TAG] = "tag ~",
		[PROMPT_OUTPUT] = "/",
		[PROMPT_PICKER_SEARCH] = "/",
		[PROMPT_PICKER_FILTER] = "filter: ",
		[PROMPT_MARK] = "mark: ",
		[PROMPT_SCRIPT] = "script to: ",
		[PROMPT_WRITE] = "write to: ",
		[PROMPT_COMMAND] = ":"};
	char head[INPUT_SIZE], safe[4 * INPUT_SIZE], line[4 * INPUT_SIZE + 16];
	const char *label = labels[a->prompt];
	int width, left;

	snprintf(head, sizeof head, "%.*s", (int)a->edit.cursor, a->edit.text);
	width = text_width(label) + text_width(text_clean(head, safe, sizeof safe));
	left = width >= c->columns ? width - c->columns + 1 : 0;
	snprintf(line, sizeof line, "%s%s", label, text_clean(a->edit.text, safe, sizeof safe));
	canvas_put(c, y, 0, -1, STYLE_PLAIN, text_skip(line, left));
	c->cursor_y = y;
	c->cursor_x = width - left;
}

static void frame_footer(const struct app *a, struct canvas *c, int y)
{
	char footer[256];

	if (a->question)
		return;
	if (a->typing)
		canvas_line(c, y, STYLE_WARN | STYLE_REVERSE,
			c->columns >= 60 ? " KEYS GO TO THE PROGRAM          ^] takes them back"
					 : " KEYS GO TO THE PROGRAM  ^] back");
	else if (a->prompt)
		frame_prompt(a, c, y);
	else
		canvas_put(c, y, 0, -1, STYLE_KEY,
			request_footer(
				app_where(a), app_have(a), c->columns, footer, sizeof footer));
}

static void frame_too_small(const struct app *a, struct canvas *c)
{
	char text[80];

	snprintf(text, sizeof text, "terminal too small (%dx%d): need %dx%d", a->columns, a->rows,
		FRAME_COLUMNS, FRAME_ROWS);
	canvas_put(c, 0, 0, -1, STYLE_PLAIN, text);
}

void frame_draw(const struct app *a, struct canvas *c)
{
	struct app_layout l;

	canvas_reset(c, a->rows, a->columns);
	if (a->rows < FRAME_ROWS || a->columns < FRAME_COLUMNS) {
		frame_too_small(a, c);
		return;
	}
	app_areas(a, &l);
	frame_views[a->view](a, c);
	frame_message(a, c, l.message);
	frame_footer(a, c, l.footer.y);
}
