/*
 * The terminal of the program that was started, as the emulator has it: docked below the list,
 * which shows the lines around the cursor or the last ones, or a view of its own, which shows all
 * of it and what has scrolled off.
 */
#include "ui/tui/views/view.h"

#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/terminal/typing.h"

#include <stdio.h>
#include <string.h>

/* The first line that is shown in a window of so many. */
static size_t view_output_first(const struct app *a, size_t rows)
{
	struct emulator *e = a->program.terminal;
	size_t end = emulator_count(e) - a->output.back;

	if (!a->output.back)
		return emulator_follow(e, rows);
	return end > rows ? end - rows : 0;
}

/* Show the lines from this one on, or follow the program where these are its last. */
static void view_output_show_from(struct app *a, long first)
{
	struct emulator *e = a->program.terminal;
	size_t rows = (size_t)app_view_rows(a);

	a->output.back = 0;
	if (first < 0)
		first = 0;
	if ((size_t)first < emulator_follow(e, rows))
		a->output.back = emulator_count(e) - rows - (size_t)first;
}

static void view_output_line(struct canvas *c, int y, const struct emulator_line *l, int hscroll)
{
	const char *from = l->text;
	char text[EMULATOR_TEXT];
	int x = -hscroll;

	for (size_t i = 0; i < l->run_count; from += l->runs[i++].bytes) {
		const struct emulator_run *run = &l->runs[i];
		int width;

		memcpy(text, from, run->bytes);
		text[run->bytes] = '\0';
		width = text_width(text);
		if (x + width > 0)
			canvas_put_paint(c, y, x < 0 ? 0 : x, -1, &run->paint,
				text_skip(text, x < 0 ? -x : 0));
		x += width;
	}
}

static void view_output_lines(const struct app *a, struct canvas *c, struct area area, int hscroll)
{
	struct emulator *e = a->program.terminal;
	size_t rows = (size_t)(area.rows > 0 ? area.rows : 0), at;
	size_t first = view_output_first(a, rows), end = emulator_count(e);
	int column;

	for (size_t i = first; i < end && i < first + rows; i++) {
		struct emulator_line line = emulator_line(e, i);
		int y = area.y + (int)(i - first);

		view_output_line(c, y, &line, hscroll);
		pattern_mark(a->output.search, c, y, 0, STYLE_MATCH, line.text, hscroll);
	}
	if (!a->output.typing || !emulator_cursor(e, &at, &column))
		return;
	column -= hscroll;
	if (at >= first && at < first + rows && column >= 0 && column < c->columns) {
		c->cursor_y = area.y + (int)(at - first);
		c->cursor_x = c->window_x + column;
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
	text_addf(text, sizeof text, "%s ", a->output.typing ? ", has the keyboard" : more);
	text_rule(text, sizeof text, c->columns);
	canvas_put(c, y, 0, -1, p->ended ? STYLE_WARN : STYLE_TITLE, text);
}

void view_output_docked(const struct app *a, struct canvas *c, struct area area)
{
	view_output_title(a, c, area.y, "  (o: all of it)");
	view_output_lines(a, c, (struct area){area.y + 1, area.rows - 1}, 0);
}

static void view_output_draw(const struct app *a, struct canvas *c)
{
	char more[64] = "";

	if (a->output.back)
		snprintf(more, sizeof more, "  (%zu lines below, G follows)", a->output.back);
	view_output_title(a, c, 0, more);
	view_output_lines(a, c, (struct area){1, app_view_rows(a)}, a->hscroll);
}

static void view_output_layout(struct app *a)
{
	size_t rows = (size_t)app_view_rows(a), count;

	if (!a->program.used)
		return;
	count = emulator_count(a->program.terminal);
	if (a->output.back && a->output.back + rows > count)
		a->output.back = count > rows ? count - rows : 0;
}

static void view_output_move(struct app *a, enum request r)
{
	int window = app_view_rows(a);

	if (!view_move_sideways(&a->hscroll, r))
		view_output_show_from(
			a, (long)view_output_first(a, (size_t)window) + view_move_lines(r, window));
}

static void view_output_write(const struct app *a, FILE *out)
{
	struct emulator *e = a->program.terminal;

	for (size_t i = 0, count = emulator_used(e); i < count; i++)
		fprintf(out, "%s\n", emulator_line(e, i).text);
}

/* How many lines are no longer kept. */
static size_t view_output_gone(const struct app *a)
{
	const struct emulator *e = a->program.terminal;

	return emulator_scrolled(e) - emulator_kept(e);
}

/* The next match from a line on, older (-1) or newer (+1): to the middle of the view. */
static bool view_output_seek(struct app *a, long from, int direction)
{
	struct emulator *e = a->program.terminal;
	long i = from, count = (long)emulator_count(e);

	while (i >= 0 && i < count &&
		!pattern_match(a->output.search, emulator_line(e, (size_t)i).text))
		i += direction;
	if (i < 0 || i >= count)
		return false;
	view_output_show_from(a, i - app_view_rows(a) / 2);
	a->output.at = view_output_gone(a) + (size_t)i;
	return true;
}

static bool view_output_search(struct app *a, const char *text)
{
	struct pattern *p = NULL;

	if (*text)
		p = pattern_parse(text, a->prompt.why, sizeof a->prompt.why);
	if (*text && !p)
		return false;
	pattern_free(a->output.search);
	a->output.search = p;
	snprintf(a->output.search_text, sizeof a->output.search_text, "%s", text);
	a->output.back = a->prompt.from;
	return true;
}

static bool view_output_search_changed(struct app *a, const char *text)
{
	if (!view_output_search(a, text))
		return false;
	if (*text && !view_output_seek(a,
			     (long)(emulator_count(a->program.terminal) - a->output.back) - 1, -1))
		snprintf(a->prompt.why, sizeof a->prompt.why, "no match from here up");
	return true;
}

static void view_output_search_cancelled(struct app *a)
{
	view_output_search(a, a->prompt.before);
}

static const struct prompt_ops view_output_prompt = {
	.label = "/",
	.syntax = "word  ~regex   Enter, n, N: upwards, downwards",
	.past = PAST_SEARCH,
	.changed = view_output_search_changed,
	.cancelled = view_output_search_cancelled,
};

static bool view_output_request(struct app *a, enum request r)
{
	int direction = r == REQUEST_NEWER ? 1 : -1;

	if (r == REQUEST_FIND_OUTPUT)
		app_ask(a, &view_output_prompt, a->output.search_text, "", a->output.back);
	else if (r != REQUEST_OLDER && r != REQUEST_NEWER)
		return false;
	else if (!a->output.search)
		app_say(a, "nothing was searched for yet: / searches");
	else if (!view_output_seek(
			 a, (long)a->output.at - (long)view_output_gone(a) + direction, direction))
		app_complain(a, "/%s: no %s match", a->output.search_text,
			direction > 0 ? "newer" : "older");
	return true;
}

bool view_output_keys(struct app *a)
{
	uint32_t keys[64], key;
	size_t count = 0;
	bool any = false;

	while (a->output.typing && count < sizeof keys / sizeof *keys && typing_key(&key)) {
		any = true;
		if (key == K_PASTE || key == K_PASTED)
			a->pasting = key == K_PASTE ? PASTE_IGNORED : PASTE_NONE;
		if (key == K_CTRL(']') && !a->pasting)
			a->output.typing = false;
		else
			keys[count++] = key;
	}
	if (any) {
		a->last_key_ms = now_ms();
		a->dirty = true;
	}
	if (!program_type(&a->program, keys, count))
		app_complain(a, "the program does not read its input: what was typed is lost");
	return any;
}

void view_output_read(struct app *a)
{
	struct emulator *e = a->program.terminal;
	size_t before = emulator_scrolled(e);

	if (!program_read(&a->program))
		return;
	a->dirty = true;
	if (a->output.back)
		a->output.back += emulator_scrolled(e) - before;
	if (a->view == VIEW_OUTPUT)
		view_output_layout(a);
}

const struct view_ops view_output_ops = {
	.where = IN_OUTPUT,
	.around = 1,
	.layout = view_output_layout,
	.draw = view_output_draw,
	.move = view_output_move,
	.request = view_output_request,
	.write = view_output_write,
};
