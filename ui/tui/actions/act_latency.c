/*
 * How long a pair takes: L counts its probes as H does, then measures them. When measuring stops,
 * so does the counting that L started; undo, lease and quit stop the counting, and so the
 * measuring.
 */
#include "ui/tui/actions/act.h"

#include "ui/figures/counting.h"
#include "ui/figures/latency.h"
#include "ui/tui/terminal/mem.h"

/* Set app.pending to the counting of a pair. */
static void act_latency_prepare(struct app *a, const struct pairs_one *pair)
{
	/* The end first: then no start is left open by that. What is counted already stays so. */
	struct app_selection s = {.rows = mem_array(2, sizeof *s.rows), .count = 2};

	s.rows[0] = pair->end;
	s.rows[1] = pair->start;
	act_switch_prepare(a, s, PROBES_COUNT);
	a->pending.stop = a->stop == STOP_YES;
	act_count_first(a, THEN_MEASURE);
	a->pending.measured = *pair;
}

/* Stop measuring, and counting what is counted only for that. */
static void act_latency_stop(struct app *a)
{
	timing_end(&a->timing, &a->model, app_now_ms());
	act_count_end(a, &a->timing_begun);
}

void act_latency(struct app *a, enum request r)
{
	struct pairs_one pair;

	(void)r;
	if (act_pair_prepare(a, 'L', &pair))
		act_latency_of(a, &pair);
}

void act_latency_of(struct app *a, const struct pairs_one *pair)
{
	const struct timing *t = &a->timing;

	if (t->used && t->start == pair->start && t->end == pair->end &&
		(timing_on(t) || !(app_have(a) & NEED_SWITCH))) {
		app_open(a, VIEW_LATENCY);
		return;
	}
	if (a->replay) {
		act_replay_latency(a, pair);
		return;
	}
	if (!(app_have(a) & NEED_SWITCH)) {
		act_refuse(a, REQUEST_HITS);
		return;
	}
	if (timing_on(t))
		act_latency_stop(a);
	act_latency_prepare(a, pair);
	act_switch_begin(a);
}

void act_latency_begin(struct app *a)
{
	struct app_pending *p = &a->pending;
	const struct row *rows = a->model.rows;
	struct pairs_one pair = p->measured;
	struct probes_error e = {0};
	bool counted = rows[pair.start].sites_counted && rows[pair.end].sites_counted;

	if (timing_begin(&a->timing, &a->model, pair.start, pair.end, app_now_ms(), &e) < 0) {
		/* Otherwise the result line says already why. */
		if (counted)
			app_say_error(a, "not measured", &e);
		return;
	}
	act_count_own(&a->timing_begun, p);
	script_latency(&a->script, &a->model, pair.start, pair.end, a->stop == STOP_YES);
	app_open(a, VIEW_LATENCY);
}

void act_latency_anew(struct app *a, enum request r)
{
	struct pairs_one pair = {.start = a->timing.start, .end = a->timing.end};
	struct probes_error e = {0};

	(void)r;
	if (!timing_on(&a->timing)) {
		act_latency_prepare(a, &pair);
		act_switch_begin(a);
	} else if (timing_reset(&a->timing, &a->model, app_now_ms(), &e) < 0) {
		app_say_error(a, "not reset", &e);
	} else {
		app_say(a, "reset to 0; open pairs stay open");
	}
	app_refresh(a, true);
}

void act_latency_end(struct app *a, enum request r)
{
	(void)r;
	if (!timing_on(&a->timing)) {
		app_say(a, "measuring has stopped already (r measures again)");
		return;
	}
	app_say(a, "measuring has stopped; counting goes on, because L did not start it");
	act_latency_stop(a);
}

void act_latency_limit(struct app *a)
{
	const struct timing *t = &a->timing;
	double limit = a->options->max_overhead;

	if (!timing_on(t) || a->question.kind || !(app_have(a) & NEED_SWITCH) ||
		!counting_exceeds((uint64_t)t->rate, LATENCY_PAIR_NS, 1000000000, limit))
		return;
	act_latency_stop(a);
	app_complain(a,
		"%.80s: no longer measured: estimated to cost over %g %% of a core "
		"(-max-overhead)",
		a->model.rows[t->start].label, limit);
}
