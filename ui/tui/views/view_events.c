/*
 * Events as they come, the newest last. The cursor stays on the newest until it is moved up; the
 * last line brings it back.
 */
#include "ui/tui/views/view.h"

#include "ui/figures/event.h"
#include "ui/tui/rows/trend.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VIEW_EVENTS_TOP 3    /* lines above the events: what, how many, column headings */
#define VIEW_EVENTS_LEFT 2   /* columns before an event: the cursor */
#define VIEW_EVENTS_NAMED 60 /* columns, from which there is room for the names of threads */
#define VIEW_EVENTS_THREAD 15
#define VIEW_EVENTS_LEAST 5  /* columns of the probe, */
#define VIEW_EVENTS_PROBE 28 /* and at most */

/* ---------------------------------------------------------------- one event */

static const char *view_events_name(const struct app *a, uint32_t row)
{
	return a->events.family ? row_name(&a->model.rows[row]) : a->model.rows[row].label;
}

/* Columns of the probe; 0: there is only one, which the heading names. */
static int view_events_width(const struct app *a)
{
	const struct feed *f = &a->events.feed;
	int widest = VIEW_EVENTS_LEAST;

	if (f->count == 1)
		return 0;
	for (size_t i = 0; i < f->count; i++) {
		int width = text_width(view_events_name(a, f->rows[i].row));

		widest = width > widest ? width : widest;
	}
	return widest < VIEW_EVENTS_PROBE ? widest : VIEW_EVENTS_PROBE;
}

/* A process or thread in a column of its own; 0: it is not known. */
static void view_events_id(
	char *out, size_t size, const char *heading, const struct probes_event *e, pid_t id)
{
	if (e && id)
		text_addf(out, size, "%7d ", (int)id);
	else
		text_addf(out, size, "%7s ", e ? "?" : heading);
}

/* Time, process if there are several, thread if there are several in one, probe. */
static void view_events_head(
	const struct app *a, const struct feed_event *one, char *out, size_t size)
{
	const struct probes_event *e = one ? &one->event : NULL;
	bool several = a->events.feed.part_count > 1;
	char text[TEXT_MAX], fit[TEXT_MAX];

	snprintf(out, size, "%-15s ", e ? event_time(e->time_ns, false, text) : "TIME");
	if (several)
		view_events_id(out, size, "PID", e, e ? e->pid : 0);
	if (!several || a->events.feed.threads)
		view_events_id(out, size, "TID", e, e ? e->tid : 0);
	if (a->columns >= VIEW_EVENTS_NAMED)
		text_addf(out, size, "%s ",
			text_fit(fit, sizeof fit,
				!e           ? "THREAD"
				: *e->thread ? text_clean(e->thread, text, sizeof text)
					     : "-",
				VIEW_EVENTS_THREAD));
	if (a->events.width)
		text_addf(out, size, "%s ",
			text_fit(fit, sizeof fit, e ? view_events_name(a, one->row) : "PROBE",
				a->events.width));
}

static const char *view_events_line(
	const struct app *a, const struct feed_event *one, int *arguments, char *out, size_t size)
{
	char value[EVENT_VALUE_BYTES], safe[4 * EVENT_VALUE_BYTES];
	char label[EVENT_LABEL_BYTES], name[4 * EVENT_LABEL_BYTES];

	view_events_head(a, one, out, size);
	*arguments = text_width(out);
	for (size_t i = 0; i < one->event.count; i++)
		text_addf(out, size, "%s%s=%s", i ? " " : "",
			text_shown(event_argument_label(a->model.processes[one->process].session,
					   one->event.probe, one->event.site, i + 1, label),
				name, sizeof name),
			text_shown(event_value(&one->event.values[i], value), safe, sizeof safe));
	return out;
}

/* ---------------------------------------------------------------- around them */

static void view_events_build(struct app *a)
{
	const struct feed *f = &a->events.feed;
	char *heading = a->text.heading;
	size_t size = sizeof a->text.heading;

	a->events.family = true;
	for (size_t i = 1; i < f->count; i++)
		a->events.family &= a->model.rows[f->rows[i].row].family ==
				    a->model.rows[f->rows[0].row].family;
	a->events.width = view_events_width(a);
	snprintf(heading, size, "Events: %.100s",
		f->count ? a->model.rows[f->rows[0].row].label : "none");
	for (size_t i = 1; i < f->count && i < 3; i++)
		text_addf(heading, size, ", %.60s", row_name(&a->model.rows[f->rows[i].row]));
	if (f->count > 3)
		text_addf(heading, size, " +%zu more", f->count - 3);
}

/* How far the recording was read, what it does not hold, and how it ended. */
static void view_events_recorded(const struct app *a, char *out, size_t size)
{
	const struct feed *f = &a->events.feed;
	char state[400];

	if (f->pass.end.only_counted)
		text_addf(out, size, ", %" PRIu64 " hit%s only counted", f->pass.end.only_counted,
			line_s(f->pass.end.only_counted));
	if (f->kept < f->sum.delivered)
		text_addf(out, size, "; the last %zu are listed (\\ chooses others)", f->kept);
	text_addf(out, size, "; %s", view_replay_state(a, &f->pass, state, sizeof state));
}

bool view_events_state(const struct app *a, char *out, size_t size)
{
	const struct feed *f = &a->events.feed;
	const char *why = "";
	char text[TEXT_MAX], names[100];
	size_t on = 0, over = 0;

	for (size_t i = 0; i < f->part_count; i++) {
		on += f->parts[i].on;
		why = *why ? why : f->parts[i].why;
	}
	for (size_t i = 0; i < f->count; i++)
		over += f->rows[i].over;
	snprintf(out, size, "  %" PRIu64 " event%s", f->sum.delivered, line_s(f->sum.delivered));
	if (f->count > 1)
		text_addf(out, size, " of %zu probes", f->count);
	if (on && !a->replay && trend_rate(&f->trend) >= 0)
		text_addf(out, size, ", now %s/s",
			trend_human(trend_rate(&f->trend), text, sizeof text));
	if (f->sum.lost)
		text_addf(out, size, ", %" PRIu64 " lost", f->sum.lost);
	if (f->sum.undecided)
		text_addf(out, size, ", %" PRIu64 " left out (unread)", f->sum.undecided);
	if (f->unkept)
		text_addf(out, size, ", %" PRIu64 " not kept while frozen", f->unkept);
	if (over)
		text_addf(out, size, ", %zu probe%s only counted", over, line_s(over));
	if (a->replay)
		view_events_recorded(a, out, size);
	else if (!on)
		text_addf(out, size, "; no more: %s%s", why,
			app_have(a) & NEED_SWITCH &&
					app_view(a)->where & (IN_EVENTS | IN_HISTOGRAM | IN_CALLERS)
				? " (r restarts)"
				: "");
	else if (on < f->part_count)
		text_addf(out, size, "; in %zu of %zu processes", on, f->part_count);
	if (on && a->frozen)
		text_addf(out, size, "; frozen");
	if (f->ask.texts)
		text_addf(out, size, "; texts of %s",
			event_arguments(f->ask.texts, names, sizeof names));
	if (f->ask.where)
		text_addf(
			out, size, "; only where %s", text_clean(f->ask.where, text, sizeof text));
	if (on && on < f->part_count)
		text_addf(out, size, "; elsewhere: %s", why);
	if (a->replay)
		return f->sum.lost || f->sum.undecided || f->pass.end.only_counted || *f->pass.why;
	return f->sum.lost || f->sum.undecided || f->unkept || over || on < f->part_count;
}

void view_events_label(struct app *a)
{
	char text[TEXT_MAX];
	bool warn = view_events_state(a, text, sizeof text);

	view_text_label(a, warn ? STYLE_WARN : STYLE_PLAIN, "events", text);
}

static void view_events_layout(struct app *a)
{
	struct app_events *v = &a->events;
	uint32_t *ids;

	rowlist_resize(&v->rows, app_view_rows(a));
	if (a->frozen && v->rows.count)
		return;
	ids = mem_array(v->feed.kept, sizeof *ids);
	for (size_t i = 0; i < v->feed.kept; i++)
		ids[i] = feed_at(&v->feed, i)->id;
	rowlist_set(&v->rows, ids, v->feed.kept);
	if (!v->leaves)
		rowlist_to(&v->rows, v->rows.count - 1);
	free(ids);
}

static void view_events_draw(const struct app *a, struct canvas *c)
{
	const struct rowlist *l = &a->events.rows;
	char text[TEXT_MAX], place[64], line[2 * TEXT_MAX];
	bool warn;

	canvas_line(c, 0, STYLE_BAR, a->text.heading);
	if (l->count > (size_t)l->height) {
		snprintf(place, sizeof place, "  %zu of %zu%s ", l->cursor + 1, l->count,
			a->events.leaves ? " (G follows)" : "");
		canvas_put(c, 0, c->columns - text_width(place), -1, STYLE_BAR, place);
	}
	warn = view_events_state(a, text, sizeof text);
	canvas_put(c, 1, 0, -1, warn ? STYLE_WARN : STYLE_PLAIN, text);
	view_events_head(a, NULL, text, sizeof text);
	text_addf(text, sizeof text, "ARGUMENTS");
	snprintf(line, sizeof line, "%*s%s", VIEW_EVENTS_LEFT, "", text_skip(text, a->hscroll));
	canvas_line(c, 2, STYLE_HEAD, line);
	for (int y = 0; y < l->height && l->top + (size_t)y < l->count; y++) {
		const struct feed_event *one =
			feed_find(&a->events.feed, l->ids[l->top + (size_t)y]);
		bool here = l->top + (size_t)y == l->cursor;
		int arguments, style = here ? STYLE_REVERSE : STYLE_PLAIN, at = y + VIEW_EVENTS_TOP;

		if (!one)
			continue;
		view_events_line(a, one, &arguments, line, sizeof line);
		arguments -= a->hscroll;
		if (here)
			canvas_line(c, at, STYLE_REVERSE, text_glyph(TEXT_CURSOR));
		canvas_put(c, at, VIEW_EVENTS_LEFT, -1, here ? style : STYLE_DIM,
			text_skip(line, a->hscroll));
		canvas_put(c, at, VIEW_EVENTS_LEFT + (arguments > 0 ? arguments : 0), -1, style,
			text_skip(line, a->hscroll + (arguments > 0 ? arguments : 0)));
		pattern_mark(a->events.search.pattern, c, at, VIEW_EVENTS_LEFT,
			STYLE_MATCH | (here ? STYLE_REVERSE : 0), line, a->hscroll);
	}
	if (!l->count)
		canvas_put(c, VIEW_EVENTS_TOP, VIEW_EVENTS_LEFT, -1, STYLE_DIM,
			!feed_on(&a->events.feed)  ? "none"
			: a->events.feed.ask.where ? "no such hit yet"
						   : "no hit yet");
}

/* ---------------------------------------------------------------- keys */

static void view_events_move(struct app *a, enum request r)
{
	struct rowlist *l = &a->events.rows;

	if (r == REQUEST_LEFT || r == REQUEST_RIGHT) {
		(void)view_move_sideways(&a->hscroll, r);
		return;
	}
	view_rows_move(l, NULL, r);
	a->events.leaves = l->count && l->cursor + 1 < l->count;
}

static bool view_events_click(struct app *a, int y, int x)
{
	if (!view_rows_click(&a->events.rows, VIEW_EVENTS_TOP, y))
		return false;
	a->events.leaves = a->events.rows.cursor + 1 < a->events.rows.count;
	return true;
}

bool view_events_leave(struct app *a, enum request r)
{
	if (r != REQUEST_BACK)
		return false;
	app_open(a, VIEW_LIST);
	if (feed_on(&a->events.feed) && !a->replay)
		app_pass(a, "still recording: v on the same probes shows the events; v again "
			    "stops");
	return true;
}

static bool view_events_request(struct app *a, enum request r)
{
	if (r == REQUEST_EVENT && rowlist_current(&a->events.rows) == ROWLIST_NONE) {
		app_say(a, "no events yet");
		return true;
	}
	return view_events_leave(a, r);
}

/* The probe of the event under the cursor. */
static uint32_t view_events_row(const struct app *a)
{
	const struct feed_event *one = feed_find(&a->events.feed, rowlist_current(&a->events.rows));

	if (!one && a->events.feed.count == 1 && a->events.rows.count)
		return a->events.feed.rows[0].row;
	return one ? one->row : ROWLIST_NONE;
}

static const char *view_events_text(const void *data, size_t i)
{
	static char line[2 * TEXT_MAX];
	const struct app *a = data;
	const struct feed_event *one = feed_find(&a->events.feed, a->events.rows.ids[i]);
	int arguments;

	return one ? view_events_line(a, one, &arguments, line, sizeof line) : NULL;
}

static bool view_events_seek(struct app *a, size_t from, int direction)
{
	struct app_events *v = &a->events;
	size_t at = search_next(&v->search, v->rows.count, from, direction, view_events_text, a);

	if (at >= v->rows.count)
		return false;
	rowlist_to(&v->rows, at);
	v->leaves = true;
	return true;
}

static void view_events_write(const struct app *a, FILE *out)
{
	const struct feed *f = &a->events.feed;
	char line[2 * TEXT_MAX];
	int arguments;

	view_events_state(a, line, sizeof line);
	fprintf(out, "%s  %s\n%s\n", a->title, a->text.heading, line);
	view_events_head(a, NULL, line, sizeof line);
	fprintf(out, "%sARGUMENTS\n", line);
	for (size_t i = 0; i < f->kept; i++)
		fprintf(out, "%s\n",
			view_events_line(a, feed_at(f, i), &arguments, line, sizeof line));
}

const struct view_ops view_events_ops = {
	.where = IN_EVENTS,
	.around = VIEW_EVENTS_TOP,
	.build = view_events_build,
	.layout = view_events_layout,
	.draw = view_events_draw,
	.move = view_events_move,
	.click = view_events_click,
	.request = view_events_request,
	.row = view_events_row,
	.rows = offsetof(struct app, events.rows),
	.search = offsetof(struct app, events.search),
	.seek = view_events_seek,
	.write = view_events_write,
};
