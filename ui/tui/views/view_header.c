/*
 * The lines over the list: the process, the counts, the filter. A line is made of pieces. Where it
 * is too long, what matters least is left out first; then what remains is shortened.
 */
#include "ui/tui/views/view.h"

#include "ui/figures/event.h"
#include "ui/tui/app/new_children.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/line.h"
#include "ui/words/states.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define VIEW_HEADER_PIECES 16

/* In what order pieces are left out: the highest first; KEEP never is. */
enum view_header_drop { KEEP, LAST, NEXT, SOON, FIRST };

struct view_header_piece {
	char text[INPUT_SIZE];
	char brief[32]; /* where room is short, or "": the same */
	int style;
	enum view_header_drop drop;
	bool right; /* stands at the right edge */
};

struct view_header_line {
	struct view_header_piece pieces[VIEW_HEADER_PIECES];
	int count;
	int style; /* of the line, and of pieces that are STYLE_PLAIN */
};

__attribute__((format(printf, 4, 5))) static struct view_header_piece *view_header_add(
	struct view_header_line *l, enum view_header_drop drop, int style, const char *format, ...)
{
	struct view_header_piece *p = &l->pieces[l->count];
	va_list args;

	*p = (struct view_header_piece){.style = style, .drop = drop};
	va_start(args, format);
	vsnprintf(p->text, sizeof p->text, format, args);
	va_end(args);
	l->count += l->count < VIEW_HEADER_PIECES - 1;
	return p;
}

static int view_header_width(const struct view_header_line *l, int gap)
{
	int width = 1;

	for (int i = 0; i < l->count; i++)
		width += text_width(l->pieces[i].text) + (i ? gap : 0);
	return width;
}

/* Leave out pieces from this rank on, while the line is too long. */
static void view_header_thin(
	struct view_header_line *l, int gap, int columns, enum view_header_drop from)
{
	for (enum view_header_drop rank = FIRST; rank >= from; rank--)
		for (int i = l->count - 1; i >= 0 && view_header_width(l, gap) > columns; i--) {
			if (l->pieces[i].drop != rank)
				continue;
			l->count--;
			memmove(&l->pieces[i], &l->pieces[i + 1],
				(size_t)(l->count - i) * sizeof l->pieces[i]);
		}
}

/* The first piece is a name, or what somebody typed: it is cut if all else does not help. */
static void view_header_fit(struct view_header_line *l, int gap, int columns)
{
	char cut[INPUT_SIZE];
	int room;

	view_header_thin(l, gap, columns, NEXT);
	for (int i = 0; i < l->count && view_header_width(l, gap) > columns; i++) {
		struct view_header_piece *p = &l->pieces[i];

		if (p->brief[0])
			memcpy(p->text, p->brief, sizeof p->brief);
	}
	view_header_thin(l, gap, columns, LAST);
	room = text_width(l->pieces[0].text) + columns - view_header_width(l, gap);
	if (room < text_width(l->pieces[0].text)) {
		text_middle(cut, sizeof cut, l->pieces[0].text, room < 8 ? 8 : room);
		snprintf(l->pieces[0].text, sizeof l->pieces[0].text, "%s", cut);
	}
}

static void view_header_put(struct view_header_line *l, struct canvas *c, int y)
{
	int gap = c->columns >= COLUMN_WORDS_FROM ? 3 : 2, x = 1, right = 0, width;

	if (l->count)
		view_header_fit(l, gap, c->columns);
	for (int i = 0; i < l->count; i++)
		right += l->pieces[i].right ? text_width(l->pieces[i].text) + gap : 0;
	right = c->columns - right + gap;
	canvas_line(c, y, l->style, "");
	for (const struct view_header_piece *p = l->pieces; p < l->pieces + l->count; p++) {
		int *at = p->right ? &right : &x;

		width = canvas_put(
			c, y, *at, -1, p->style == STYLE_PLAIN ? l->style : p->style, p->text);
		*at += width + gap;
	}
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

/* ------------------------------------------------------------------ the process */

/* At the right edge: what became of the process, or what this session may do with it. */
static void view_header_access(const struct app *a, struct view_header_line *l)
{
	const struct probes_access *can = &a->access;
	long lease = (long)((app_lease_remaining(a) + 999) / 1000);
	bool may = can->can_switch && !a->read_only;
	int before = l->count;

	if (a->replay) {
		view_header_add(l, KEEP, STYLE_PLAIN, "RECORDING");
	} else if (!model_alive(&a->model)) {
		view_header_add(l, KEEP, STYLE_PLAIN, "%s", a->program.ended ? "ENDED" : "GONE");
	} else if (app_have(a) & NEED_HELD) {
		snprintf(view_header_add(l, KEEP, STYLE_PLAIN, "HELD AT ITS START: r runs it")
				 ->brief,
			sizeof l->pieces[0].brief, "HELD: r runs it");
	} else {
		/* It only looks idle. */
		if (a->stopped && a->model.process_count == 1)
			view_header_add(l, KEEP, STYLE_WARN, "STOPPED");
		else if (a->stopped)
			view_header_add(l, KEEP, STYLE_WARN, "%zu STOPPED", a->stopped);
		if (lease > 0) /* there is something to undo */
			view_header_add(l, KEEP, STYLE_PLAIN, "lease %ld%c",
				lease >= 60 ? lease / 60 : lease, lease >= 60 ? 'm' : 's');
		/* Whoever may switch may count. */
		view_header_add(l, NEXT, STYLE_PLAIN, "%s%s%s", can->can_list ? "list" : "",
			can->can_read ? " read" : "",
			!may                          ? ""
			: model_switchable(&a->model) ? " switch"
						      : " count");
		if (a->read_only)
			view_header_add(l, KEEP, STYLE_PLAIN, "read-only");
		else if (!can->can_read)
			view_header_add(l, KEEP, STYLE_PLAIN, "may not read");
		else if (!may)
			view_header_add(l, KEEP, STYLE_PLAIN, "may not switch");
	}
	for (int i = before; i < l->count; i++)
		l->pieces[i].right = true;
}

static void view_header_when(const struct app *a, struct view_header_line *l)
{
	const struct recording_head *h = &a->replay->recording.head;
	const struct replay_pass *p = &a->replay->total;
	int64_t from = p->first_ns ? p->first_ns : h->time_ns;
	int64_t to = p->last_ns ? p->last_ns : from + (int64_t)(p->end.seconds * 1e9);
	char time[EVENT_TIME_BYTES], end[EVENT_TIME_BYTES], host[TEXT_MAX];

	event_time(from, true, time);
	event_time(to, false, end);
	time[10] = ' '; /* no T, */
	view_header_add(l, NEXT, STYLE_PLAIN, "%.19s - %.8s", time, end);
	view_header_add(l, SOON, STYLE_PLAIN, "on %.40s", text_clean(h->host, host, sizeof host));
}

/* ------------------------------------------------------------------ the counts */

/* How many are counted, and how often they hit now, all together. */
static void view_header_hits(const struct app *a, struct view_header_line *l)
{
	char figure[16] = "-", spark[128];
	struct view_header_piece *p =
		view_header_add(l, KEEP, STYLE_COUNTED, "%zu counted", a->model.counts.counted_now);

	snprintf(p->brief, sizeof p->brief, "%s%zu", states_counted.mark,
		a->model.counts.counted_now);
	if (trend_rate(&a->model.hits) >= 0)
		trend_human(trend_rate(&a->model.hits), figure, sizeof figure);
	p = view_header_add(l, KEEP, STYLE_PLAIN, "%5s hits/s", figure);
	snprintf(p->brief, sizeof p->brief, "%s/s", figure);
	view_header_add(l, SOON, STYLE_COUNTED, "%s",
		trend_spark(&a->model.hits, TREND_CELLS, spark, sizeof spark));
}

/* What the recording holds, and how far it was read. */
static void view_header_recorded(const struct app *a, struct view_header_line *l)
{
	const struct replay_pass *p = &a->replay->total;
	bool events = !a->model.processes[0].recorded->latency;
	char state[sizeof p->why], figure[32];
	struct view_header_piece *piece;

	if (events)
		view_header_add(l, KEEP, STYLE_PLAIN, "%s event%s",
			trend_exact(p->events, 12, figure, sizeof figure), line_s(p->events));
	else
		view_header_add(l, KEEP, STYLE_PLAIN, "latency of a pair (L)");
	if (p->lost)
		view_header_add(l, KEEP, STYLE_WARN, "%s LOST",
			trend_exact(p->lost, 12, figure, sizeof figure));
	if (p->end.sites_lost)
		view_header_add(l, KEEP, STYLE_WARN, "%s JUMP%s LOST",
			trend_exact(p->end.sites_lost, 12, figure, sizeof figure),
			p->end.sites_lost == 1 ? "" : "S");
	if (p->end.undecided)
		view_header_add(l, KEEP, STYLE_WARN, "%s LEFT OUT",
			trend_exact(p->end.undecided, 12, figure, sizeof figure));
	if (p->end.only_counted)
		view_header_add(l, NEXT, STYLE_WARN, "%s only counted",
			trend_exact(p->end.only_counted, 12, figure, sizeof figure));
	if (p->end.over)
		view_header_add(l, NEXT, STYLE_WARN, "cost too much");
	piece = view_header_add(l, p->on || *p->why ? KEEP : LAST,
		p->on || *p->why ? STYLE_WARN : STYLE_DIM, "%s",
		view_replay_state(a, p, state, sizeof state));
	if (p->on)
		snprintf(piece->brief, sizeof piece->brief, "%d %%", replay_percent(a->replay, p));
	else if (*p->why)
		snprintf(piece->brief, sizeof piece->brief, "NOT ALL OF IT");
}

/* How many are on, and every exception. What is as usual is not said. */
static void view_header_states(const struct app *a, struct view_header_line *l)
{
	static const enum probes_state exceptions[] = {PROBES_PARTIAL, PROBES_INCONSISTENT,
		PROBES_FOREIGN, PROBES_UNREADABLE, PROBES_UNKNOWN, PROBES_UNLOADED};
	const struct model_counts *n = &a->model.counts;
	size_t on = n->states[PROBES_ON], off = n->states[PROBES_OFF];
	size_t none = n->states[PROBES_NO_SWITCH];
	struct view_header_piece *p;

	if (a->replay) {
		view_header_recorded(a, l);
		return;
	}
	if (a->model.process_count && !model_alive(&a->model)) {
		view_header_add(l, KEEP, STYLE_PLAIN, "no states: gone");
		return;
	}
	if (on) {
		p = view_header_add(l, KEEP, STYLE_ON, "%zu on", on);
		snprintf(p->brief, sizeof p->brief, "%zu on", on);
		if (n->on_mine)
			text_addf(p->text, sizeof p->text, " (%zu by you)", n->on_mine);
	} else if (off && off + none == a->model.row_count) {
		view_header_add(l, KEEP, STYLE_PLAIN, none ? "%zu off" : "all off", off);
		if (none)
			view_header_add(l, LAST, STYLE_DIM, "%zu no switch", none);
	}
	for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++) {
		const struct states_row *state = &states[exceptions[i]];
		size_t count = n->states[exceptions[i]];

		if (!count)
			continue;
		p = view_header_add(l, KEEP, (int)state->style, "%zu %s", count, state->word);
		snprintf(p->brief, sizeof p->brief, "%s%zu", state->mark, count);
	}
	if (n->counted_now)
		view_header_hits(a, l);
	else if (!model_switchable(&a->model))
		snprintf(view_header_add(
				 l, KEEP, STYLE_WARN, "none can be switched: H counts their hits")
				 ->brief,
			sizeof p->brief, "no switch: H counts");
}

static void view_header_counts(const struct app *a, struct view_header_line *l)
{
	const struct model_counts *n = &a->model.counts;
	struct view_header_piece *p;

	/* Notes left out come first: the counts after them are incomplete. */
	if (n->left_out)
		view_header_add(l, KEEP, STYLE_WARN, "%zu NOTES LEFT OUT", n->left_out);
	view_header_add(l, LAST, STYLE_PLAIN, "%zu probe%s", a->model.row_count,
		line_s(a->model.row_count));
	view_header_states(a, l);
	if (n->objects > 1)
		view_header_add(l, SOON, STYLE_DIM, "in %zu objects", n->objects);
	if (a->replay)
		return;
	if (a->frozen)
		p = view_header_add(l, KEEP, STYLE_WARN, "FROZEN");
	else if (a->refresh_ms % 1000)
		p = view_header_add(l, FIRST, STYLE_DIM, "every %u.%us", a->refresh_ms / 1000,
			a->refresh_ms % 1000 / 100);
	else
		p = view_header_add(l, FIRST, STYLE_DIM, "every %us", a->refresh_ms / 1000);
	p->right = true;
}

/* ------------------------------------------------------------------ the filter */

/* The filter and what it leaves, tags, what else is not in the list. */
static void view_header_chosen(const struct app *a, struct view_header_line *l)
{
	const struct list *list = &a->list;
	size_t probes, children = new_children_children(a, &probes);
	char safe[INPUT_SIZE];
	struct view_header_piece *p;

	if (filter_text(list->filter)[0]) {
		view_header_add(l, KEEP, STYLE_WARN, "filter: %s",
			text_clean(filter_text(list->filter), safe, sizeof safe));
		p = view_header_add(l, KEEP, STYLE_PLAIN, "%s%zu of %zu shown",
			list_is_looking(list) ? "looking: " : "", list->shown_count,
			a->model.row_count);
		snprintf(p->brief, sizeof p->brief, "%zu shown", list->shown_count);
	}
	if (a->model.tagged)
		view_header_add(l, KEEP, STYLE_PLAIN, "%u tagged", a->model.tagged);
	if (children)
		view_header_add(l, LAST, STYLE_WARN, "%zu child%s on", children,
			children == 1 ? "" : "ren");
	if (a->objects.unread)
		view_header_add(l, LAST, STYLE_WARN, "%zu object%s UNREAD (O)", a->objects.unread,
			line_s(a->objects.unread));
	p = view_header_add(l, SOON, STYLE_DIM, "%ssort %s%s", list->tree ? "tree " : "",
		column_table[list->order].name, list->invert ? " inv" : "");
	p->right = true;
}

/* Counts and filter in one line, on a low screen. */
static void view_header_both(const struct app *a, struct view_header_line *l)
{
	if (a->model.counts.left_out)
		view_header_add(l, KEEP, STYLE_WARN, "%zu LEFT OUT", a->model.counts.left_out);
	if (!filter_text(a->list.filter)[0])
		view_header_add(l, LAST, STYLE_PLAIN, "%zu probe%s", a->model.row_count,
			line_s(a->model.row_count));
	if (a->frozen)
		view_header_add(l, KEEP, STYLE_WARN, "FROZEN");
	view_header_states(a, l);
	view_header_chosen(a, l);
}

void view_header_draw(const struct app *a, struct canvas *c, struct area area)
{
	struct view_header_line identity = {.style = STYLE_BAR}, counts = {0}, filter = {0};
	char span[32];

	view_header_add(&identity, KEEP, STYLE_PLAIN, "%s", a->title);
	if (a->info.up_seconds >= 0)
		view_header_add(&identity, SOON, STYLE_PLAIN, "up %s",
			view_header_span(a->info.up_seconds, span, sizeof span));
	if (a->info.threads > 0)
		view_header_add(&identity, FIRST, STYLE_PLAIN, "%ld thread%s", a->info.threads,
			line_s(a->info.threads));
	if (a->replay)
		view_header_when(a, &identity);
	view_header_access(a, &identity);
	view_header_put(&identity, c, area.y);
	if (area.rows < 3)
		view_header_both(a, &counts);
	else
		view_header_counts(a, &counts);
	view_header_put(&counts, c, area.y + 1);
	if (area.rows < 3)
		return;
	if (!filter_text(a->list.filter)[0])
		view_header_add(&filter, SOON, STYLE_DIM, "no filter");
	view_header_chosen(a, &filter);
	view_header_put(&filter, c, area.y + 2);
}
