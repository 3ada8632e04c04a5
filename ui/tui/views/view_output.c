/*
 * The output of the program that was started: docked below the list, or a view of its own. The ring
 * escapes the lines; nothing in them is interpreted here.
 */
#include "ui/tui/views/view.h"

#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <unistd.h>

static void view_output_lines(
	const struct app *a, struct canvas *c, struct area area, size_t back, int hscroll)
{
	const struct ring *r = &a->program.output;
	size_t count = ring_count(r), end = count > back ? count - back : 0;
	size_t rows = (size_t)(area.rows > 0 ? area.rows : 0), first = end > rows ? end - rows : 0;
	char text[2 * RING_BYTES + 1];

	for (size_t i = first; i < end; i++) {
		int y = area.y + (int)(i - first), x;
		size_t from, to;
		char found;

		canvas_put(c, y, 0, -1, STYLE_PLAIN,
			text_skip(ring_line(r, i, text, sizeof text), hscroll));
		if (!a->output.search || !pattern_find(a->output.search, text, &from, &to) ||
			from >= to)
			continue;
		/* highlight the match */
		text[to] = '\0';
		found = text[from];
		text[from] = '\0';
		x = text_width(text) - hscroll;
		text[from] = found;
		if (x >= 0)
			canvas_put(c, y, x, -1, STYLE_MATCH, text + from);
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
	view_output_lines(a, c, (struct area){area.y + 1, area.rows - 1}, 0, 0);
}

static void view_output_draw(const struct app *a, struct canvas *c)
{
	char more[64] = "";

	if (a->output.back)
		snprintf(more, sizeof more, "  (%zu lines below, G follows)", a->output.back);
	view_output_title(a, c, 0, more);
	view_output_lines(a, c, (struct area){1, app_view_rows(a)}, a->output.back, a->hscroll);
}

/* Nothing depends on the size: the view hangs on the last line. */
static void view_output_layout(struct app *a)
{
	(void)a;
}

static void view_output_move(struct app *a, enum request r)
{
	long window = app_view_rows(a), most = (long)ring_count(&a->program.output) - window;
	long back = (long)a->output.back - view_move_lines(r, (int)window);

	if (view_move_sideways(&a->hscroll, r))
		return;
	if (back > most)
		back = most;
	a->output.back = back > 0 ? (size_t)back : 0;
}

static void view_output_write(const struct app *a, FILE *out)
{
	char line[5 * RING_BYTES];

	for (size_t i = 0; i < ring_count(&a->program.output); i++)
		fprintf(out, "%s\n", ring_line(&a->program.output, i, line, sizeof line));
}

/* ---------------------------------------------------------------- search */

/* The next match from a line on, older (-1) or newer (+1): to the middle of the view. */
static bool view_output_seek(struct app *a, long from, int direction)
{
	const struct ring *r = &a->program.output;
	size_t count = ring_count(r), rows = (size_t)app_view_rows(a), end;
	char text[2 * RING_BYTES + 1];
	long i = from;

	while (i >= 0 && i < (long)count &&
		!pattern_match(a->output.search, ring_line(r, (size_t)i, text, sizeof text)))
		i += direction;
	if (i < 0 || i >= (long)count)
		return false;
	end = (size_t)i + rows / 2 + 1;
	if (end < rows)
		end = rows;
	a->output.back = count > end ? count - end : 0;
	a->output.at = r->dropped + (size_t)i;
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
	if (*text && !view_output_seek(
			     a, (long)(ring_count(&a->program.output) - a->output.back) - 1, -1))
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
	long at = (long)a->output.at - (long)a->program.output.dropped;

	if (r == REQUEST_FIND_OUTPUT)
		app_ask(a, &view_output_prompt, a->output.search_text, "", a->output.back);
	else if (r != REQUEST_OLDER && r != REQUEST_NEWER)
		return false;
	else if (!a->output.search)
		app_say(a, "nothing was searched for yet: / searches");
	else if (!view_output_seek(a, at + direction, direction))
		app_complain(a, "/%s: no %s match", a->output.search_text,
			direction > 0 ? "newer" : "older");
	return true;
}

/* ---------------------------------------------------------------- the program */

void view_output_keys(struct app *a)
{
	char byte;

	/* one by one: what follows ^] is for the screen */
	while (a->output.typing && read(0, &byte, 1) == 1) {
		a->last_key_ms = app_now_ms();
		a->dirty = true;
		if (byte == K_CTRL(']'))
			a->output.typing = false;
		else if (!program_type(&a->program, byte))
			app_complain(a, "the program does not read: that key was lost");
		if (!app_key_waits())
			return;
	}
}

void view_output_read(struct app *a)
{
	struct ring *r = &a->program.output;
	size_t before = r->dropped + ring_count(r), rows = (size_t)app_view_rows(a), most;

	if (!program_read(&a->program))
		return;
	a->dirty = true;
	if (!a->output.back)
		return;
	a->output.back += r->dropped + ring_count(r) - before;
	most = ring_count(r) > rows ? ring_count(r) - rows : 0;
	if (a->output.back > most)
		a->output.back = most;
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
