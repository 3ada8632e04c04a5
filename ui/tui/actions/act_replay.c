/*
 * What the keys do on a recording: its events and latencies are read from the file, and nothing can
 * be switched.
 */
#include "ui/tui/actions/act.h"

#include "ui/figures/event.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/probe_name.h"

#include <stdio.h>

#define ACT_REPLAY_DRAW_MS 200 /* between two pictures while the file is read */

void act_replay_refuse(struct app *a)
{
	const struct recording *r = &a->replay->recording;
	char program[TEXT_MAX], host[TEXT_MAX], time[EVENT_TIME_BYTES], whose[40];

	event_time(r->head.time_ns, true, time);
	time[10] = ' '; /* no T */
	snprintf(whose, sizeof whose, r->process_count > 1 ? "%zu processes" : "pid %zu",
		r->process_count > 1 ? r->process_count : (size_t)r->processes[0].pid);
	app_complain(a,
		"this is a recording of %s (%.60s, on %.60s, %.16s): nothing can be switched",
		whose,
		probe_name_base(text_clean(r->processes[0].program, program, sizeof program)),
		text_clean(r->head.host, host, sizeof host), time);
}

void act_replay_events(struct app *a, struct app_selection s, struct feed_ask ask,
	enum app_view show, uint32_t row)
{
	struct app_pending *p = &a->pending;

	act_switch_forget(a);
	p->first = s.rows;
	p->first_count = s.count;
	p->ask = ask;
	p->show = show;
	p->shown_row = row;
	if (a->model.processes[0].recorded->latency)
		app_complain(
			a, "this recording holds the latency of a pair and no events: L shows it");
	else
		act_events_begin(a);
	act_switch_forget(a);
}

void act_replay_latency(struct app *a, const struct pairs_one *pair)
{
	struct probes_error e = {0};

	if (timing_begin(&a->timing, &a->model, pair->start, pair->end, app_now_ms(), &e) < 0)
		app_say_error(a, "not computed", &e);
	else
		app_open(a, VIEW_LATENCY);
}

int64_t act_replay_wait(const struct app *a)
{
	return a->replay && (a->replay->total.on || a->timing.pass.on) ? 0 : -1;
}

void act_replay_poll(struct app *a)
{
	struct replay *r = a->replay;
	bool read = r && (timing_replay(&a->timing) || replay_count(r));

	if (!read || (act_replay_wait(a) >= 0 && app_now_ms() < a->replay_ms))
		return;
	if (!r->total.on && *r->total.why && !a->replay_told) {
		app_complain(a, "%s", r->total.why);
		a->replay_told = true;
	}
	app_refresh(a, true);
	if (list_follows_hits(&a->list))
		list_update(&a->list);
	a->replay_ms = app_now_ms() + ACT_REPLAY_DRAW_MS;
}
