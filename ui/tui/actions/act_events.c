/*
 * Events: v counts the probes as H does, then keeps each hit. When that stops, so does the counting
 * that v started; undo, lease and quit stop the counting, and so the events.
 */
#include "ui/tui/actions/act.h"

#include "ui/figures/counting.h"
#include "ui/figures/event.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/values.h"

#include <stdlib.h>

#define ACT_EVENTS_BUSY_MS 10 /* between two readings while events come */
#define ACT_EVENTS_IDLE_MS 50 /* and while none come */
#define ACT_EVENTS_DRAW_MS 100
#define ACT_EVENTS_LIMIT_MS 1000 /* between two comparisons with -max-overhead */

/* ---------------------------------------------------------------- beginning */

static void act_events_stop(struct app *a)
{
	feed_end(&a->events.feed, &a->model);
	act_count_end(a, &a->events.begun);
}

/* The rows whose events there are. */
static struct app_selection act_events_rows(const struct feed *f)
{
	struct app_selection s = {.rows = mem_array(f->count, sizeof *s.rows), .count = f->count};

	for (size_t i = 0; i < f->count; i++)
		s.rows[i] = f->rows[i].row;
	return s;
}

/* One of these rows that this screen itself measures, or ROWLIST_NONE. */
static uint32_t act_events_timed(const struct app *a, const struct operation_step *rows)
{
	for (size_t i = 0; timing_on(&a->timing) && i < rows->count; i++)
		if (rows->ids[i] == a->timing.start || rows->ids[i] == a->timing.end)
			return rows->ids[i];
	return ROWLIST_NONE;
}

/* The rows of app.pending are counted, as far as they can be: keep their events. */
static void act_events_begin(struct app *a)
{
	struct app_pending *p = &a->pending;
	const struct operation_step *rows = &p->plan.steps[0];
	struct app_events *v = &a->events;
	struct probes_error e = {0};
	bool counted = a->replay;

	for (size_t i = 0; i < rows->count; i++)
		counted |= a->model.rows[rows->ids[i]].sites_counted > 0;
	p->ask.interrupts = a->stop == STOP_YES;
	if (feed_begin(&v->feed, a->replay ? &feed_recorded_ops : &feed_live_ops, &a->model,
		    rows->ids, rows->count, &p->ask, now_ms(), &e) < 0) {
		feed_done(&v->feed);
		if (counted) { /* otherwise the result line says already why */
			uint32_t timed = act_events_timed(a, rows);

			act_count_end(a, &p->begun);
			if (timed == ROWLIST_NONE)
				app_say_error(a, "no events", &e);
			else
				app_complain(a,
					"no events: L is measuring %.80s: press L to see it, L "
					"again to stop",
					row_name(&a->model.rows[timed]));
		}
		return;
	}
	act_count_own(&v->begun, p);
	if (!a->replay && !v->begun.count)
		app_say(a, "recording begins; the probes were counted already");
	rowlist_done(&v->rows);
	v->leaves = v->told = v->told_young = false;
	v->offered = 0;
	v->read_ms = v->limit_ms = now_ms();
	if (!a->replay)
		script_events(&a->script, &a->model, rows->ids, rows->count, &p->ask);
	if (feed_has(&v->feed, p->shown_row))
		feed_choose(&v->feed, &a->model, p->shown_row);
	app_open(a, p->show);
}

void act_events_of(struct app *a, struct app_selection s, const struct feed_ask *ask,
	enum app_view show, uint32_t row)
{
	struct app_pending *p = &a->pending;
	struct feed_ask copy = *ask;

	if (a->replay && a->model.processes[0].recorded->latency) {
		app_complain(
			a, "this recording holds the latency of a pair and no events: L shows it");
		free(s.rows);
		return;
	}
	copy.where = ask->where ? mem_text(ask->where) : NULL;
	if (!a->replay && feed_on(&a->events.feed))
		act_events_stop(a);
	s.pair = NULL; /* its probes, in no order */
	if (!act_pending_set(a, s, PROBES_COUNT) && !a->replay) {
		free((char *)copy.where);
		return;
	}
	p->ask = copy;
	p->show = show;
	p->shown_row = row;
	if (a->replay) {
		act_events_begin(a);
		act_pending_forget(a);
		return;
	}
	act_count_first(a, act_events_begin);
	act_pending_begin(a);
}

/* The probe under the cursor; false: there is none, and the result line says so. */
static bool act_events_row(struct app *a, uint32_t *row)
{
	*row = app_row(a);
	if (*row == ROWLIST_NONE)
		app_complain(a, a->view != VIEW_EVENTS ? "no probe is under the cursor"
				: a->events.rows.count
					? "this event is no longer kept; G goes to the newest one"
					: "no events yet");
	return *row != ROWLIST_NONE;
}

void act_events(struct app *a, enum request r)
{
	const struct feed *f = &a->events.feed;
	bool can = app_have(a) & NEED_CONDITION, same;
	struct app_selection s;

	if (!act_pending_select(a, &s))
		return;
	same = f->used && f->count == s.count && (feed_on(f) || a->replay);
	for (size_t i = 0; same && i < s.count; i++)
		same = f->rows[i].row == s.rows[i];
	if (f->used && (!can || same)) {
		free(s.rows);
		app_open(a, VIEW_EVENTS);
	} else if (can) {
		act_events_of(a, s, &(struct feed_ask){0}, VIEW_EVENTS, MODEL_NONE);
	} else {
		free(s.rows);
		act_refuse(a, REQUEST_HITS);
	}
}

/* ---------------------------------------------------------------- in the view */

/* Show at once, and while frozen, too, that the values are counted from nothing on. */
static void act_events_refresh(struct app *a)
{
	if (app_view(a)->refresh)
		app_view(a)->refresh(a);
}

void act_events_anew(struct app *a, enum request r)
{
	struct feed *f = &a->events.feed;

	if (feed_on(f)) {
		feed_forget(f, &a->model, now_ms());
		rowlist_done(&a->events.rows);
		a->events.leaves = false;
		act_events_refresh(a);
		app_say(a, "reset: the list is empty");
		return;
	}
	act_events_of(a, act_events_rows(f), &f->ask, a->view, f->values ? f->chosen : MODEL_NONE);
}

void act_events_end(struct app *a, enum request r)
{
	app_say(a, "events have stopped; counting goes on, because v did not start it");
	act_events_stop(a);
}

/* Change what is kept; false: it is not changed, and the result line says why. */
static bool act_events_change(struct app *a, struct feed_ask ask)
{
	struct feed *f = &a->events.feed;
	struct probes_error e = {0};
	struct app_selection s;

	if (!feed_on(f) && !a->replay) {
		app_complain(a, "events have stopped (r restarts)");
		return false;
	}
	ask.interrupts = a->stop == STOP_YES;
	if (feed_change(f, &a->model, &ask, &e) < 0) {
		app_say_error(a, "not changed", &e);
		return false;
	}
	a->events.told = false;
	if (!a->replay) {
		s = act_events_rows(f);
		script_events(&a->script, &a->model, s.rows, s.count, &f->ask);
		free(s.rows);
	}
	act_events_refresh(a);
	return true;
}

static bool act_events_where_changed(struct app *a, const char *text)
{
	struct probes_condition *condition = NULL;
	struct probes_error e;
	bool good = !*text || probes_condition_parse(text, &condition, &e) == 0;

	if (!good)
		text_clean(e.why, a->prompt.why, sizeof a->prompt.why);
	probes_condition_free(condition);
	return good;
}

static void act_events_where_accepted(struct app *a, const char *text)
{
	struct feed_ask ask = a->events.feed.ask;

	ask.where = text;
	if (act_events_change(a, ask))
		app_say(a, "showing %s%s", *text ? "only events that match" : "all events",
			a->replay ? "" : ", from now on");
}

static const struct prompt_ops act_events_where = {
	.label = "only where: ",
	.syntax = "arg1 > 100  arg2 ~ select  tid == 12  comm == java  and or not ( )",
	.past = PAST_WHERE,
	.changed = act_events_where_changed,
	.accepted = act_events_where_accepted,
};

static bool act_events_texts_changed(struct app *a, const char *text)
{
	unsigned texts;

	if (!*text || values_arguments(text, &texts))
		return true;
	snprintf(a->prompt.why, sizeof a->prompt.why, "arguments such as arg1,arg3");
	return false;
}

static void act_events_texts_accepted(struct app *a, const char *text)
{
	struct feed_ask ask = a->events.feed.ask;
	char names[INPUT_SIZE];

	ask.texts = 0;
	(void)!values_arguments(text, &ask.texts);
	if (act_events_change(a, ask))
		app_say(a,
			ask.texts ? "from now on with the texts of %s"
				  : "from now on without texts",
			event_arguments(ask.texts, names, sizeof names));
}

static const struct prompt_ops act_events_texts = {
	.label = "texts of: ",
	.syntax = "text arguments, such as arg1,arg3; empty for none",
	.changed = act_events_texts_changed,
	.accepted = act_events_texts_accepted,
};

void act_events_ask(struct app *a, enum request r)
{
	const struct feed *f = &a->events.feed;
	char names[INPUT_SIZE] = "";

	if (r == REQUEST_EVENTS_FILTER) {
		app_ask(a, &act_events_where, "", f->ask.where ? f->ask.where : "", 0);
		return;
	}
	app_ask(a, &act_events_texts, "",
		event_arguments(f->ask.texts | f->offered, names, sizeof names), 0);
}

/* ---------------------------------------------------------------- what sums them up */

/* C keeps the events of a probe, as v does, with their callers, and counts these. */
void act_events_callers(struct app *a, enum request r)
{
	struct feed *f = &a->events.feed;
	bool can = app_have(a) & NEED_CONDITION;
	struct feed_ask ask = f->ask;
	uint32_t row;

	if (!act_events_row(a, &row))
		return;
	if (feed_has(f, row) && (can && !a->replay ? feed_on(f) : a->replay || f->ask.callers)) {
		feed_choose(f, &a->model, row);
		ask.callers = true;
		if (!f->ask.callers && !act_events_change(a, ask))
			return;
		app_open(a, VIEW_CALLERS);
	} else if (can) {
		ask = (struct feed_ask){.callers = true};
		act_events_of(a, app_select(row), &ask, VIEW_CALLERS, row);
	} else {
		act_refuse(a, REQUEST_HITS);
	}
}

/* How many arguments the sites of a row have at most. */
static unsigned act_events_arguments(const struct app *a, uint32_t row)
{
	struct model_member member = model_member(&a->model, row);
	const struct probes_probe *p = probes_at(member.session, member.probe);
	struct probes_argument all[PROBES_EVENT_ARGUMENTS];
	size_t most = 0;

	for (uint32_t i = 0; i < p->site_count; i++) {
		size_t count = probes_arguments(p->sites[i].arguments, all, PROBES_EVENT_ARGUMENTS);

		most = count > most ? count : most;
	}
	return (unsigned)(most < PROBES_EVENT_ARGUMENTS ? most : PROBES_EVENT_ARGUMENTS);
}

/* A keeps the events of a probe, as v does, and counts the values of its first argument; again: of
 * the next one. */
void act_events_values(struct app *a, enum request r)
{
	struct feed *f = &a->events.feed;
	uint32_t row;

	if (!act_events_row(a, &row))
		return;
	if (!act_events_arguments(a, row)) {
		app_complain(a, "%.80s has no arguments", a->model.rows[row].label);
		return;
	}
	if (feed_has(f, row) && (feed_on(f) || !(app_have(a) & NEED_SWITCH))) {
		if (!a->events.argument || !f->values || f->chosen != row)
			a->events.argument = 1;
		feed_choose(f, &a->model, row);
		app_open(a, VIEW_HISTOGRAM);
	} else if (app_have(a) & NEED_CONDITION) {
		a->events.argument = 1;
		act_events_of(a, app_select(row), &(struct feed_ask){0}, VIEW_HISTOGRAM, row);
	} else {
		act_refuse(a, REQUEST_HITS);
	}
}

void act_events_values_next(struct app *a, enum request r)
{
	const struct feed *f = &a->events.feed;
	unsigned count = act_events_arguments(a, f->chosen);

	if (count < 2)
		app_say(a, "%.80s has only this argument", a->model.rows[f->chosen].label);
	a->events.argument = a->events.argument % count + 1;
	app_open(a, VIEW_HISTOGRAM);
}

/* ---------------------------------------------------------------- as they come */

/* What costs more than -max-overhead is only counted from now on. */
static void act_events_limit(struct app *a)
{
	struct feed *f = &a->events.feed;

	for (size_t i = 0; i < f->count; i++) {
		const struct row *r = &a->model.rows[f->rows[i].row];

		if (f->rows[i].over || !act_count_exceeds(a, r, true))
			continue;
		feed_drop(f, &a->model, i);
		app_complain(a,
			"%.80s: events stopped (hits still counted): they would cost more than %g "
			"%% of a core (-max-overhead)",
			r->label, a->options->max_overhead);
	}
}

/* Say once what may be texts, where that replaces no complaint, and why memory is not read. */
static void act_events_tell(struct app *a)
{
	struct app_events *v = &a->events;
	unsigned offers = v->feed.offered & ~v->feed.ask.texts & ~v->offered;
	char names[INPUT_SIZE], why[200];

	if (v->feed.no_calls && !v->told && v->feed.kept) {
		app_complain(a,
			"texts, and arguments in memory other than the stack, are not read: %s",
			text_clean(v->feed.no_calls, why, sizeof why));
		v->told = true;
	} else if (v->feed.young && !v->told_young) {
		app_complain(a,
			"a value of a forked child could not be read: nothing can be read at the "
			"address, or it is not known yet whether the child has a seccomp filter");
		v->told_young = true;
	} else if (offers && !a->message.bad &&
		   (a->view == VIEW_EVENTS || a->view == VIEW_HISTOGRAM)) {
		app_say(a, "%s seem%s to point to text: s shows it",
			event_arguments(offers, names, sizeof names),
			offers & (offers - 1) ? "" : "s");
		a->message.passing = true;
		v->offered |= offers;
	}
}

int64_t act_events_wait(const struct app *a)
{
	int64_t left = a->events.read_ms - now_ms();

	return !feed_on(&a->events.feed) ? -1 : left > 0 ? left : 0;
}

void act_events_catch_up(struct app *a)
{
	if (feed_on(&a->events.feed))
		(void)feed_read(&a->events.feed, &a->model, now_ms());
	a->views[VIEW_EVENTS]->layout(a);
}

void act_events_poll(struct app *a)
{
	struct app_events *v = &a->events;
	int64_t now = now_ms();
	bool came;

	feed_hold(&v->feed, &a->model, a->frozen);
	if (!feed_on(&v->feed) || now < v->read_ms)
		return;
	came = feed_read(&v->feed, &a->model, now);
	v->read_ms = now + (came ? ACT_EVENTS_BUSY_MS : ACT_EVENTS_IDLE_MS);
	if (!feed_on(&v->feed))
		a->dirty = true;
	if (now - v->drawn_ms >= ACT_EVENTS_DRAW_MS && v->feed.next != v->drawn) {
		a->dirty |= a->view == VIEW_EVENTS && !a->frozen;
		v->drawn_ms = now;
		v->drawn = v->feed.next;
	}
	if (!a->question.kind && !a->prompt.ops)
		act_events_tell(a);
	if (now - v->limit_ms >= ACT_EVENTS_LIMIT_MS) {
		v->limit_ms = now;
		act_events_limit(a);
	}
}
