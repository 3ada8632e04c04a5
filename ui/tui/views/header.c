/*
 * The lines over the list. What does not fit is left out from the right.
 */
#include "ui/tui/views/header.h"

#include "ui/tui/app/forked_children.h"
#include "ui/tui/app/lease.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <string.h>

/* The right part always; of the left one what there is room for. */
static void header_line(struct canvas *c, int y, int style, const char *left, const char *right)
{
	int width = text_width(right), room = c->columns - width - 1;
	char cut[TEXT_MAX];

	if (text_width(left) > room && room > 0)
		left = text_fit(cut, sizeof cut, left, room);
	canvas_put(c, y, 0, -1, style, left);
	if (room > 0)
		canvas_put(c, y, c->columns - width, -1, style, right);
}

/* "lease 14m", while there is something to undo and a time for it. */
static void header_lease(const struct app *a, char *out, size_t size)
{
	long left = (long)((lease_left(a) + 999) / 1000);

	if (left <= 0)
		return;
	if (left >= 60)
		text_addf(out, size, "lease %ldm ", left / 60);
	else
		text_addf(out, size, "lease %lds ", left);
}

static void header_rights(const struct app *a, char *out, size_t size)
{
	const struct probes_access *can = &a->access;

	out[0] = '\0';
	if (!model_alive(&a->model)) {
		text_addf(out, size, "%s", a->program.ended ? "ENDED" : "GONE");
		return;
	}
	if (app_have(a) & NEED_HELD) {
		text_addf(out, size, "HELD AT ITS START: r runs it");
		return;
	}
	header_lease(a, out, size);
	text_addf(out, size, "can:%s%s%s", can->can_list ? " list" : "",
		can->can_read ? " read" : "", can->can_switch && !a->read_only ? " switch" : "");
	if (a->read_only)
		text_addf(out, size, " (read-only)");
	else if (!can->can_switch)
		text_addf(out, size, " NOT switch");
}

/* Append a piece if there is room for all of it. */
static void header_piece(char *left, size_t size, const char *piece, int room)
{
	if (text_width(left) + text_width(piece) <= room)
		text_addf(left, size, "%s", piece);
}

static void header_identity(const struct app *a, struct canvas *c, int y)
{
	char left[256], right[128], span[32], piece[64];
	int room;

	header_rights(a, right, sizeof right);
	room = c->columns - text_width(right) - 1;
	snprintf(left, sizeof left, "%s%s", c->columns >= 60 ? "probes-tui  " : "", a->title);
	if (a->info.up_seconds >= 0 && c->columns >= 60 && a->model.process_count == 1) {
		snprintf(piece, sizeof piece, "  up %s",
			procinfo_span(a->info.up_seconds, span, sizeof span));
		header_piece(left, sizeof left, piece, room);
		snprintf(piece, sizeof piece, "  %ld thr", a->info.threads);
		header_piece(left, sizeof left, piece, room);
	}
	header_line(c, y, STYLE_TITLE, left, right);
}

static void header_interval(const struct app *a, char *out, size_t size)
{
	if (a->frozen)
		snprintf(out, size, "FROZEN");
	else if (a->refresh_ms % 1000)
		snprintf(out, size, "every %u.%us", a->refresh_ms / 1000,
			a->refresh_ms % 1000 / 100);
	else
		snprintf(out, size, "every %us", a->refresh_ms / 1000);
}

/* "3 on (2 by you)", or "3 on 2 you" on a narrow terminal. */
static void header_on(const struct model_counts *n, bool narrow, char *out, size_t size)
{
	text_addf(out, size, "%zu on", n->on);
	if (n->on_mine)
		text_addf(out, size, narrow ? " %zu you" : " (%zu by you)", n->on_mine);
}

static void header_counts(const struct app *a, struct canvas *c, int y)
{
	const struct model_counts *n = &a->model.counts;
	const struct {
		enum probes_state state;
		size_t count;
	} exceptions[] = {{PROBES_PARTIAL, n->partial}, {PROBES_INCONSISTENT, n->inconsistent},
		{PROBES_FOREIGN, n->foreign}, {PROBES_UNREADABLE, n->unreadable}};
	char text[256], interval[24];

	header_interval(a, interval, sizeof interval);
	/* Of what is gone no state is known, not even 0. */
	if (a->model.process_count && !model_alive(&a->model)) {
		snprintf(text, sizeof text, " %zu probes | - on", a->model.row_count);
		header_line(c, y, STYLE_PLAIN, text, interval);
		return;
	}
	snprintf(text, sizeof text, " %zu probes %zu sites %zu object%s", a->model.row_count,
		n->sites, n->objects, n->objects == 1 ? "" : "s");
	text_addf(text, sizeof text, " | ");
	header_on(n, false, text, sizeof text);
	for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++)
		if (exceptions[i].count)
			text_addf(text, sizeof text, " %zu %s", exceptions[i].count,
				probes_state_name(exceptions[i].state));
	/* This comes first: the counts after it are incomplete. */
	if (n->left_out) {
		char all[sizeof text];

		memcpy(all, text, sizeof all);
		snprintf(text, sizeof text, " %zu NOTES LEFT OUT |%.200s", n->left_out, all);
	}
	header_line(c, y, n->left_out ? STYLE_WARN : STYLE_PLAIN, text, interval);
}

static void header_filter(const struct app *a, struct canvas *c, int y)
{
	const struct list *l = &a->list;
	size_t heirs = forked_children_count(a);
	char left[INPUT_SIZE + 64], right[64] = "", safe[INPUT_SIZE * 2];

	snprintf(left, sizeof left, "filter: %.*s", c->columns > 40 ? c->columns - 36 : 12,
		l->filter_text[0] ? text_clean(l->filter_text, safe, sizeof safe) : "-");
	text_addf(left, sizeof left, "    %s%zu/%zu shown", list_is_looking(l) ? "looking: " : "",
		l->shown_count, a->model.row_count);
	if (heirs)
		text_addf(right, sizeof right, "%zu child%s on  ", heirs, heirs == 1 ? "" : "ren");
	if (a->objects_unread)
		text_addf(right, sizeof right, "%zu object%s UNREAD (O)  ", a->objects_unread,
			a->objects_unread == 1 ? "" : "s");
	if (a->model.tagged)
		text_addf(right, sizeof right, "%u tagged  ", a->model.tagged);
	text_addf(right, sizeof right, "%ssort %s%s", l->tree ? "tree " : "", sort_name(l->key),
		l->invert ? " inv" : "");
	header_line(c, y, l->filter_text[0] ? STYLE_WARN : STYLE_PLAIN, left, right);
}

/* Two lines: the process with what is on, the filter. */
static void header_small(const struct app *a, struct canvas *c, int y)
{
	const struct model_counts *n = &a->model.counts;
	char right[64] = "";

	if (!model_alive(&a->model))
		text_addf(right, sizeof right, "%s", a->program.ended ? "ENDED" : "GONE");
	else if (app_have(a) & NEED_HELD)
		text_addf(right, sizeof right, "HELD");
	else
		header_lease(a, right, sizeof right);
	if (model_alive(&a->model) && !(app_have(a) & NEED_HELD))
		header_on(n, c->columns < 60, right, sizeof right);
	header_line(c, y, STYLE_TITLE, a->title, right);
	header_filter(a, c, y + 1);
}

void header_draw(const struct app *a, struct canvas *c, struct area area)
{
	if (area.rows < 3) {
		header_small(a, c, area.y);
		return;
	}
	header_identity(a, c, area.y);
	header_counts(a, c, area.y + 1);
	header_filter(a, c, area.y + 2);
}
