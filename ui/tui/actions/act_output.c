/*
 * The output view's search, and the keyboard that is lent to the program.
 */
#include "ui/tui/actions/act_output.h"

#include "ui/tui/terminal/key.h"

#include <stdio.h>
#include <unistd.h>

/* ------------------------------------------------------------------ search */

/* Bring a line to the middle of the view. */
static void act_output_show(struct app *a, size_t line)
{
	size_t count = ring_count(&a->program.output), rows = (size_t)app_text_rows(a);
	size_t end = line + rows / 2 + 1;

	if (end < rows)
		end = rows;
	a->output_back = count > end ? count - end : 0;
	a->output_at = a->program.output.dropped + line;
}

/* The next match from a line on, older (-1) or newer (+1). */
static bool act_output_seek(struct app *a, long from, int direction)
{
	const struct ring *r = &a->program.output;
	char text[2 * RING_BYTES + 1];

	for (long i = from; i >= 0 && i < (long)ring_count(r); i += direction) {
		if (pattern_match(a->output_search, ring_line(r, (size_t)i, text, sizeof text))) {
			act_output_show(a, (size_t)i);
			return true;
		}
	}
	return false;
}

static bool act_output_set(struct app *a, const char *text)
{
	struct pattern *p = NULL;

	if (*text)
		p = pattern_parse(text, a->prompt_why, sizeof a->prompt_why);
	if (*text && !p)
		return false;
	pattern_free(a->output_search);
	a->output_search = p;
	snprintf(a->output_search_text, sizeof a->output_search_text, "%s", text);
	return true;
}

bool act_output_search_changed(struct app *a, const char *text)
{
	if (!act_output_set(a, text))
		return false;
	a->output_back = a->search_from;
	if (*text && !act_output_seek(
			     a, (long)(ring_count(&a->program.output) - a->output_back) - 1, -1))
		snprintf(a->prompt_why, sizeof a->prompt_why, "no match from here up");
	return true;
}

void act_output_search_cancelled(struct app *a)
{
	act_output_set(a, a->prompt_before);
	a->output_back = a->search_from;
}

void act_output_next(struct app *a, enum request r)
{
	int direction = r == REQUEST_NEWER ? 1 : -1;
	long at = (long)a->output_at - (long)a->program.output.dropped;

	if (!a->output_search)
		app_say(a, "nothing was searched for yet: / searches");
	else if (!act_output_seek(a, at + direction, direction))
		app_complain(a, "/%s: no %s match", a->output_search_text,
			direction > 0 ? "newer" : "older");
}

/* --------------------------------------------------------------- the keyboard */

void act_output_type(struct app *a, enum request r)
{
	struct app_layout l;

	(void)r;
	if (a->program.ended) {
		app_complain(a, "the program has ended: nobody reads keys");
		return;
	}
	app_areas(a, &l);
	if (a->view == VIEW_LIST && !l.output.rows) /* there is no room for both */
		a->view = VIEW_OUTPUT;
	a->output_back = 0;
	a->typing = true;
}

void act_output_keys(struct app *a)
{
	char byte;

	/* one by one: what follows ^] is for us */
	while (a->typing && read(0, &byte, 1) == 1) {
		a->last_key_ms = app_now_ms();
		a->dirty = true;
		if (byte == K_CTRL(']'))
			a->typing = false;
		else if (!program_type(&a->program, byte))
			app_complain(a, "the program does not read: that key was lost");
		if (!app_key_waits())
			return;
	}
}

void act_output_read(struct app *a)
{
	struct ring *r = &a->program.output;
	size_t before = r->dropped + ring_count(r), after, most;

	if (!program_read(&a->program))
		return;
	a->dirty = true;
	after = r->dropped + ring_count(r);
	if (!a->output_back)
		return;
	a->output_back += after - before;
	most = ring_count(r) > (size_t)app_text_rows(a) ? ring_count(r) - (size_t)app_text_rows(a)
							: 0;
	if (a->output_back > most)
		a->output_back = most;
}
