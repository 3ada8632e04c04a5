/*
 * The lines over the list: the process, the counts, the filter. What does not fit is cut from the
 * right of the left part.
 */
#include "ui/tui/views/view.h"

#include "ui/tui/app/births.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <string.h>

/* The right part always; of the left one what there is room for. */
static void view_header_line(
	struct canvas *c, int y, int style, const char *left, const char *right)
{
	int width = text_width(right), room = c->columns - width - 1;
	char cut[TEXT_MAX];

	if (text_width(left) > room && room > 0)
		left = text_fit(cut, sizeof cut, left, room);
	canvas_line(c, y, style, left);
	if (room > 0)
		canvas_put(c, y, c->columns - width, -1, style, right);
}

/* "9d 4h", "3h 12m", "5m" or "<1m". Returns out. */
static const char *view_header_span(long seconds, char *out, size_t size)
{
	long minutes = seconds / 60, hours = minutes / 60, days = hours / 24;

	if (days)
		snprintf(out, size, "%ldd %ldh", days, hours % 24);
	else if (hours)
		snprintf(out, size, "%ldh %ldm", hours, minutes % 60);
	else if (minutes)
		snprintf(out, size, "%ldm", minutes);
	else
		snprintf(out, size, "<1m");
	return out;
}

/* "lease 14m ", while there is something to undo. */
static void view_header_lease(const struct app *a, char *out, size_t size)
{
	long left = (long)((app_lease_remaining(a) + 999) / 1000);

	if (left <= 0)
		return;
	if (left >= 60)
		text_addf(out, size, "lease %ldm ", left / 60);
	else
		text_addf(out, size, "lease %lds ", left);
}

/* "3 on (2 by you)", or "3 on 2 you" on a narrow terminal. */
static void view_header_on(const struct model_counts *n, bool narrow, char *out, size_t size)
{
	text_addf(out, size, "%zu on", n->states[PROBES_ON]);
	if (n->on_mine)
		text_addf(out, size, narrow ? " %zu you" : " (%zu by you)", n->on_mine);
}

/* The process, and what this session may do with it. */
static void view_header_identity(const struct app *a, struct canvas *c, int y)
{
	const struct probes_access *can = &a->access;
	char left[256], right[128] = "", span[32], pieces[2][64];
	int room;

	if (!model_alive(&a->model)) {
		text_addf(right, sizeof right, "%s", a->program.ended ? "ENDED" : "GONE");
	} else if (app_have(a) & NEED_HELD) {
		text_addf(right, sizeof right, "HELD AT ITS START: r runs it");
	} else {
		view_header_lease(a, right, sizeof right);
		text_addf(right, sizeof right, "can:%s%s%s", can->can_list ? " list" : "",
			can->can_read ? " read" : "",
			can->can_switch && !a->read_only ? " switch" : "");
		if (a->read_only)
			text_addf(right, sizeof right, " (read-only)");
		else if (!can->can_switch)
			text_addf(right, sizeof right, " NOT switch");
	}
	room = c->columns - text_width(right) - 1;
	snprintf(left, sizeof left, "%s%s", c->columns >= 60 ? "probes-tui  " : "", a->title);
	if (a->info.up_seconds >= 0 && c->columns >= 60 && a->model.process_count == 1) {
		snprintf(pieces[0], sizeof pieces[0], "  up %s",
			view_header_span(a->info.up_seconds, span, sizeof span));
		snprintf(pieces[1], sizeof pieces[1], "  %ld thr", a->info.threads);
		for (int i = 0; i < 2; i++) {
			if (text_width(left) + text_width(pieces[i]) <= room)
				text_addf(left, sizeof left, "%s", pieces[i]);
		}
	}
	view_header_line(c, y, STYLE_BAR, left, right);
}

static void view_header_counts(const struct app *a, struct canvas *c, int y)
{
	const struct model_counts *n = &a->model.counts;
	static const enum probes_state exceptions[] = {
		PROBES_PARTIAL, PROBES_INCONSISTENT, PROBES_FOREIGN, PROBES_UNREADABLE};
	bool gone = a->model.process_count && !model_alive(&a->model);
	char text[256] = "", interval[24];

	if (a->frozen)
		snprintf(interval, sizeof interval, "FROZEN");
	else if (a->refresh_ms % 1000)
		snprintf(interval, sizeof interval, "every %u.%us", a->refresh_ms / 1000,
			a->refresh_ms % 1000 / 100);
	else
		snprintf(interval, sizeof interval, "every %us", a->refresh_ms / 1000);
	/* The states of a process that is gone are not known: not even 0 are on. */
	if (gone) {
		snprintf(text, sizeof text, " %zu probes | - on", a->model.row_count);
		view_header_line(c, y, STYLE_PLAIN, text, interval);
		return;
	}
	/* Notes left out come first: the counts after them are incomplete. */
	if (n->left_out)
		text_addf(text, sizeof text, " %zu NOTES LEFT OUT |", n->left_out);
	text_addf(text, sizeof text, " %zu probes %zu sites %zu object%s | ", a->model.row_count,
		n->sites, n->objects, n->objects == 1 ? "" : "s");
	view_header_on(n, false, text, sizeof text);
	for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++)
		if (n->states[exceptions[i]])
			text_addf(text, sizeof text, " %zu %s", n->states[exceptions[i]],
				probes_state_name(exceptions[i]));
	view_header_line(c, y, n->left_out ? STYLE_WARN : STYLE_PLAIN, text, interval);
}

static void view_header_filter(const struct app *a, struct canvas *c, int y)
{
	const struct list *l = &a->list;
	size_t probes, children = births_children(a, &probes);
	char left[INPUT_SIZE + 64], right[64] = "", safe[INPUT_SIZE * 2];

	snprintf(left, sizeof left, "filter: %.*s", c->columns > 40 ? c->columns - 36 : 12,
		filter_text(l->filter)[0] ? text_clean(filter_text(l->filter), safe, sizeof safe)
					  : "-");
	text_addf(left, sizeof left, "    %s%zu/%zu shown", list_is_looking(l) ? "looking: " : "",
		l->shown_count, a->model.row_count);
	if (children)
		text_addf(right, sizeof right, "%zu child%s on  ", children,
			children == 1 ? "" : "ren");
	if (a->objects.unread)
		text_addf(right, sizeof right, "%zu object%s UNREAD (O)  ", a->objects.unread,
			a->objects.unread == 1 ? "" : "s");
	if (a->model.tagged)
		text_addf(right, sizeof right, "%u tagged  ", a->model.tagged);
	text_addf(right, sizeof right, "%ssort %s%s", l->tree ? "tree " : "",
		column_table[l->order].name, l->invert ? " inv" : "");
	view_header_line(c, y, filter_text(l->filter)[0] ? STYLE_WARN : STYLE_PLAIN, left, right);
}

void view_header_draw(const struct app *a, struct canvas *c, struct area area)
{
	char right[64] = "";

	if (area.rows >= 3) {
		view_header_identity(a, c, area.y);
		view_header_counts(a, c, area.y + 1);
		view_header_filter(a, c, area.y + 2);
		return;
	}
	if (!model_alive(&a->model)) {
		text_addf(right, sizeof right, "%s", a->program.ended ? "ENDED" : "GONE");
	} else if (app_have(a) & NEED_HELD) {
		text_addf(right, sizeof right, "HELD");
	} else {
		view_header_lease(a, right, sizeof right);
		view_header_on(&a->model.counts, c->columns < 60, right, sizeof right);
	}
	view_header_line(c, area.y, STYLE_BAR, a->title, right);
	view_header_filter(a, c, area.y + 1);
}
