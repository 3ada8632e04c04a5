/*
 * How long a pair takes: L counts its probes as H does, then measures them. When measuring stops,
 * so does the counting that L started; undo, lease and quit stop the counting, and so the
 * measuring.
 */
#include "ui/tui/actions/act.h"

#include "ui/figures/counting.h"
#include "ui/tui/terminal/mem.h"

/* The probes of app.pending are counted, as far as they can be: measure. */
static void act_latency_begin(struct app *a)
{
	struct app_pending *p = &a->pending;
	const struct row *rows = a->model.rows;
	struct pairs_one pair = p->measured;
	struct probes_error e = {0};
	bool counted = rows[pair.start].sites_counted && rows[pair.end].sites_counted;

	if (timing_begin(&a->timing, &a->model, pair.start, pair.end, now_ms(), &e) < 0) {
		/* Otherwise the result line says already why. */
		if (counted)
			app_say_error(a, "not measured", &e);
		return;
	}
	act_count_own(&a->timing_begun, p);
	/* One time for all: no pair counts before the last process is ready. */
	if (timing_reset(&a->timing, &a->model, now_ms(), &e) < 0)
		app_say_error(a, "not restarted", &e);
	else if (!a->timing_begun.count)
		app_say(a, "measuring begins; the probes were counted already");
	script_latency(&a->script, &a->model, pair.start, pair.end, a->stop == STOP_YES);
	app_open(a, VIEW_LATENCY);
}

/* Set app.pending to the counting of a pair. */
static void act_latency_prepare(struct app *a, const struct pairs_one *pair)
{
	/* The end first: then no start is left open by that. What is counted already stays so. */
	struct app_selection s = {.rows = mem_array(2, sizeof *s.rows), .count = 2};

	s.rows[0] = pair->end;
	s.rows[1] = pair->start;
	act_pending_set(a, s, PROBES_COUNT);
	act_count_first(a, act_latency_begin);
	a->pending.measured = *pair;
}

/* Stop measuring, and counting what is counted only for that. */
static void act_latency_stop(struct app *a)
{
	timing_end(&a->timing, &a->model, now_ms());
	act_count_end(a, &a->timing_begun);
}

void act_latency(struct app *a, enum request r)
{
	struct pairs_one pair;

	if (act_pair_prepare(a, 'L', &pair))
		act_latency_of(a, &pair);
}

void act_latency_of(struct app *a, const struct pairs_one *pair)
{
	const struct timing *t = &a->timing;
	struct probes_error e = {0};

	if (t->used && t->start == pair->start && t->end == pair->end &&
		(timing_on(t) || !(app_have(a) & NEED_SWITCH))) {
		app_open(a, VIEW_LATENCY);
		return;
	}
	if (a->replay) {
		if (timing_begin(&a->timing, &a->model, pair->start, pair->end, now_ms(), &e) < 0)
			app_say_error(a, "not computed", &e);
		else
			app_open(a, VIEW_LATENCY);
		return;
	}
	if (!(app_have(a) & NEED_SWITCH)) {
		act_refuse(a, REQUEST_HITS);
		return;
	}
	if (timing_on(t))
		act_latency_stop(a);
	act_latency_prepare(a, pair);
	act_pending_begin(a);
}

void act_latency_anew(struct app *a, enum request r)
{
	struct pairs_one pair = {.start = a->timing.start, .end = a->timing.end};
	struct probes_error e = {0};

	if (!timing_on(&a->timing)) {
		act_latency_prepare(a, &pair);
		act_pending_begin(a);
	} else if (timing_reset(&a->timing, &a->model, now_ms(), &e) < 0) {
		app_say_error(a, "not restarted", &e);
	} else {
		app_say(a, "restarted from 0; open pairs stay open");
	}
	app_refresh(a, true);
}

void act_latency_end(struct app *a, enum request r)
{
	app_say(a, "measuring has stopped; counting goes on, because L did not start it");
	act_latency_stop(a);
}

void act_latency_limit(struct app *a)
{
	const struct timing *t = &a->timing;
	double limit = a->options->max_overhead;

	if (!timing_on(t) || a->question.kind || !(app_have(a) & NEED_SWITCH) ||
		!counting_exceeds((uint64_t)t->rate, PROBES_PAIR_NS, 1000000000, limit))
		return;
	act_latency_stop(a);
	app_complain(a,
		"%.80s: no longer measured: estimated to cost over %g %% of a core (-max-overhead)",
		a->model.rows[t->start].label, limit);
}
