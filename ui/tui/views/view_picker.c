/*
 * The list of processes that hold probes.
 */
#include "ui/tui/views/view_picker.h"

#include "ui/tui/terminal/text.h"

#include <stdio.h>

/* pid, user, how many probes, what may be done, command */
static void view_picker_line(
	const struct app *a, const struct scan_process *p, bool cursor, char *out, size_t size)
{
	bool roomy = a->columns >= 60;

	snprintf(out, size, "%c%c", cursor ? '>' : ' ', p->tagged ? '+' : ' ');
	text_addf(out, size, "%7d ", (int)p->id.pid);
	if (roomy)
		text_addf(out, size, "%-10.10s ", p->user);
	if (p->probes)
		text_addf(out, size, "%6zu", p->probes);
	else
		text_addf(out, size, "%6s", "");
	text_addf(out, size, "%c %-6s  %s",
		p->more     ? '+'
		: p->unread ? '?'
			    : ' ',
		p->may_switch ? "switch"
		: p->may_read ? "read"
			      : "list",
		text_skip(p->command, a->left));
}

static void view_picker_heading(struct canvas *c, int y)
{
	canvas_line(c, y, STYLE_HEAD,
		c->columns >= 60 ? "      PID USER       PROBES  CAN     COMMAND"
				 : "      PID PROBES  CAN     COMMAND");
}

static void view_picker_title(const struct app *a, struct canvas *c)
{
	const struct scan *s = &a->picker.scan;
	char right[48] = "", safe[4 * INPUT_SIZE], left[128] = "Processes that hold probes";

	if (s->unread)
		text_addf(left, sizeof left, ", or may (?)");
	if (s->comm)
		text_addf(left, sizeof left, ", called %.40s",
			text_clean(s->comm, safe, sizeof safe));
	if (s->pids && !s->rounds)
		snprintf(right, sizeof right, "looking: %zu/%zu", s->pid_at, s->pid_count);
	canvas_put(c, 0, 0, -1, STYLE_TITLE, left);
	if (right[0] && text_width(left) + text_width(right) + 2 <= c->columns)
		canvas_put(c, 0, c->columns - text_width(right), -1, STYLE_TITLE, right);
	canvas_putf(c, 1, 0, a->picker.filter_text[0] ? STYLE_WARN : STYLE_PLAIN,
		"filter: %.60s    %zu/%zu shown",
		a->picker.filter_text[0] ? text_clean(a->picker.filter_text, safe, sizeof safe)
					 : "-",
		a->picker.rows.count, s->listed);
}

static void view_picker_nothing(const struct app *a, struct canvas *c)
{
	const struct scan *s = &a->picker.scan;

	canvas_put(c, APP_PICKER_ABOVE, 2, -1, STYLE_WARN,
		s->listed   ? "no process matches the filter (\\ changes it)"
		: s->rounds ? "no process here holds probes that may be seen"
			    : "looking through the processes");
}

static void view_picker_below(const struct app *a, struct canvas *c, int y)
{
	const struct scan *s = &a->picker.scan;
	const struct rowlist *l = &a->picker.rows;
	char left[96], right[48], place[16];

	snprintf(left, sizeof left, " %zu without probes, %zu not permitted", s->none, s->denied);
	if (s->unread)
		text_addf(left, sizeof left, ", %zu with unread objects (?)", s->unread);
	snprintf(right, sizeof right, "%zu/%zu %4s", l->count ? l->cursor + 1 : 0, l->count,
		rowlist_place(l, place, sizeof place));
	canvas_put(c, y, 0, -1, STYLE_DIM, left);
	if (text_width(left) + text_width(right) + 2 <= c->columns)
		canvas_put(c, y, c->columns - text_width(right), -1, STYLE_DIM, right);
}

void view_picker_draw(const struct app *a, struct canvas *c)
{
	const struct rowlist *l = &a->picker.rows;
	char line[TEXT_MAX];

	view_picker_title(a, c);
	view_picker_heading(c, APP_PICKER_ABOVE - 1);
	for (int i = 0; i < l->height && l->top + (size_t)i < l->count; i++) {
		size_t at = l->top + (size_t)i;
		bool cursor = at == l->cursor;
		const struct scan_process *p = &a->picker.scan.all[l->ids[at]];

		view_picker_line(a, p, cursor, line, sizeof line);
		canvas_line(c, APP_PICKER_ABOVE + i, cursor ? STYLE_REVERSE : STYLE_PLAIN, line);
	}
	if (!l->count)
		view_picker_nothing(a, c);
	view_picker_below(a, c, APP_PICKER_ABOVE + l->height);
}
