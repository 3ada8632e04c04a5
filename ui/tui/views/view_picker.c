/* The list of processes that hold probes: while the scan fills it in, one chooses which to open. */
#include "ui/tui/views/view.h"

#include "ui/tui/app/targets_load.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>

#define VIEW_PICKER_ABOVE 3       /* lines: title, filter, headings */
#define VIEW_PICKER_REDRAW_MS 100 /* while the scan fills the list in */

/* pid, user, how many probes, what may be done, command */
static void view_picker_line(const struct app *a, struct canvas *c, int y, size_t at)
{
	/* What may be done with its probes: on a narrow screen the most, else all of it. */
	static const char *const can[][2] = {{"list", "list"}, {"read", "list read"},
		{"count", "list read count"}, {"switch", "list read switch"}};
	const struct rowlist *l = &a->picker.rows;
	const struct scan_process *p = &a->picker.scan.all[l->ids[at]];
	bool wide = a->columns >= COLUMN_WORDS_FROM;
	char line[TEXT_MAX];

	snprintf(line, sizeof line, "%s%c%7d ", at == l->cursor ? text_glyph(TEXT_CURSOR) : " ",
		p->tagged ? '+' : ' ', (int)p->id.pid);
	if (wide)
		text_addf(line, sizeof line, "%-10.10s ", p->user);
	if (p->probes)
		text_addf(line, sizeof line, "%6zu", p->probes);
	else
		text_addf(line, sizeof line, "%6s", "");
	text_addf(line, sizeof line, "%c %-*s  %s",
		p->more     ? '+'
		: p->unread ? '?'
			    : ' ',
		wide ? 16 : 6,
		can[p->may_switch      ? 3
			: p->may_count ? 2
				       : p->may_read][wide],
		text_skip(p->command, a->hscroll));
	canvas_line(c, y, at == l->cursor ? STYLE_REVERSE : STYLE_PLAIN, line);
}

/* The right part only if it does not touch the left one. */
static void view_picker_sides(
	struct canvas *c, int y, int style, const char *left, const char *right)
{
	canvas_line(c, y, style, left);
	if (text_width(left) + text_width(right) + 2 <= c->columns)
		canvas_put(c, y, c->columns - text_width(right), -1, style, right);
}

static void view_picker_draw(const struct app *a, struct canvas *c)
{
	const struct scan *s = &a->picker.scan;
	const struct rowlist *l = &a->picker.rows;
	char left[128] = " Processes that hold probes", right[48] = "";
	char safe[4 * INPUT_SIZE], place[16];

	if (s->unread)
		text_addf(left, sizeof left, ", or may (?)");
	if (s->comm)
		text_addf(left, sizeof left, ", called %.40s",
			text_clean(s->comm, safe, sizeof safe));
	if (s->pids && !s->rounds)
		snprintf(right, sizeof right, "looking: %zu/%zu", s->pid_at, s->pid_count);
	view_picker_sides(c, 0, STYLE_BAR, left, right);
	if (filter_text(a->picker.filter)[0])
		canvas_putf(c, 1, 1, STYLE_WARN, "filter: %.60s   %zu of %zu shown",
			text_clean(filter_text(a->picker.filter), safe, sizeof safe), l->count,
			s->listed);
	else
		canvas_put(c, 1, 1, -1, STYLE_DIM, "no filter");
	canvas_line(c, 2, STYLE_HEAD,
		c->columns >= COLUMN_WORDS_FROM
			? "      PID USER       PROBES  CAN               COMMAND"
			: "      PID PROBES  CAN     COMMAND");
	for (int i = 0; i < l->height && l->top + (size_t)i < l->count; i++)
		view_picker_line(a, c, VIEW_PICKER_ABOVE + i, l->top + (size_t)i);
	if (!l->count)
		canvas_put(c, VIEW_PICKER_ABOVE, 2, -1, STYLE_WARN,
			s->listed   ? "no process matches the filter (\\ changes it)"
			: s->rounds ? "no process here holds probes that may be seen"
				    : "looking through the processes");
	snprintf(left, sizeof left, " %zu without probes, %zu not permitted", s->none, s->denied);
	if (s->unread)
		text_addf(left, sizeof left, ", %zu with unread objects (?)", s->unread);
	snprintf(right, sizeof right, "%zu/%zu %4s", l->count ? l->cursor + 1 : 0, l->count,
		rowlist_place(l, place, sizeof place));
	view_picker_sides(c, VIEW_PICKER_ABOVE + l->height, STYLE_DIM, left, right);
}

/* Open the tagged processes, else the one under the cursor, if they are still the same: a pid can
 * be another process' by now. */
static void view_picker_open(struct app *a)
{
	struct scan_identity *chosen, now;
	size_t count = picker_chosen(&a->picker, &chosen), same = 0;
	pid_t *pids = mem_array(count, sizeof *pids);
	struct probes_error e = {0};

	for (size_t i = 0; i < count; i++)
		if (scan_identify(chosen[i].pid, &now) && now.start == chosen[i].start)
			pids[same++] = now.pid;
	app_hush(a);
	if (!a->picker.rows.count)
		app_say(a, "nothing to open: no process is shown");
	else if (!same)
		app_complain(a, "nothing to open: gone, or another process by now");
	else if (targets_load_picked(a, pids, same, &e) < 0)
		app_say_error(a, "", &e);
	free(chosen);
	free(pids);
}

static const char *view_picker_searched(const void *app, size_t i)
{
	const struct picker *p = &((const struct app *)app)->picker;

	return p->scan.all[p->rows.ids[i]].all;
}

static int view_picker_filter(struct app *a, const char *text, char *why, size_t size)
{
	return picker_filter(&a->picker, text, why, size);
}

static struct app_filtered view_picker_filtered(const struct app *a)
{
	const struct picker *p = &a->picker;

	return (struct app_filtered){.text = filter_text(p->filter),
		.syntax = "word  ~regex  a|b  -not  tagged",
		.shown = p->rows.count,
		.all = p->scan.listed};
}

static bool view_picker_request(struct app *a, enum request r)
{
	switch (r) {
	case REQUEST_TAG:
		picker_tag(&a->picker);
		return true;
	case REQUEST_TAG_SHOWN:
		picker_tag_shown(&a->picker);
		return true;
	case REQUEST_UNTAG:
		picker_untag(&a->picker);
		return true;
	case REQUEST_OPEN:
		view_picker_open(a);
		return true;
	default:
		return false;
	}
}

static int64_t view_picker_wait(const struct app *a)
{
	return scan_wait(&a->picker.scan, now_ms());
}

static void view_picker_poll(struct app *a)
{
	struct picker *p = &a->picker;
	int64_t now = now_ms();

	if (scan_step(&p->scan, now)) {
		if (p->scan.shortage.code)
			app_say_error(a, "", &p->scan.shortage);
		picker_update(p);
		p->changed = true;
	}
	if (!p->changed && p->scan.rounds)
		return;
	if (now - p->drawn_ms < VIEW_PICKER_REDRAW_MS && p->scan.pids)
		return;
	p->drawn_ms = now;
	p->changed = false;
	a->dirty = true;
}

const struct view_ops view_picker_ops = {
	VIEW_ROWS_OPS(picker.rows, VIEW_PICKER_ABOVE),
	.where = IN_PICKER,
	.around = VIEW_PICKER_ABOVE + 1,
	.layout = view_rows_layout,
	.draw = view_picker_draw,
	.request = view_picker_request,
	.search = offsetof(struct app, picker.search),
	.line = view_picker_searched,
	.filter = view_picker_filter,
	.filtered = view_picker_filtered,
	.wait = view_picker_wait,
	.poll = view_picker_poll,
};
