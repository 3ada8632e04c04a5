#include "ui/tui/operations/timing.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void timing_done(struct timing *t)
{
	for (size_t i = 0; i < t->count; i++)
		pairing_done(&t->parts[i].pairing);
	free(t->parts);
	free(t->part_of);
	*t = (struct timing){0};
}

bool timing_on(const struct timing *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->parts[i].on)
			return true;
	return false;
}

static void timing_sum(struct timing *t)
{
	t->sum = (struct probes_latency){0};
	for (size_t i = 0; i < t->count; i++)
		probes_latency_add(&t->sum, &t->parts[i].now);
}

static void timing_restart(struct timing *t, int64_t ms)
{
	t->from_ms = t->rated_ms = ms;
	t->covered_ns = 0;
	t->rate = 0;
	trend_begin(&t->trend);
	timing_sum(t);
	t->rated = t->sum.matched + t->sum.nested;
	trend_read(&t->trend, ms, t->sum.matched);
}

int timing_begin(struct timing *t, const struct model *m, uint32_t start, uint32_t end, int64_t ms,
	struct probes_error *e)
{
	const uint32_t pair[2] = {start, end};
	int r = 0;

	timing_end(t, m, ms);
	timing_done(t);
	t->start = start;
	t->end = end;
	t->parts = mem_array(m->process_count, sizeof *t->parts);
	for (uint32_t i = 0; i < m->process_count; i++) {
		struct timing_part *part = &t->parts[t->count];
		struct probes_error one = {0};
		size_t count, *probes = model_probes_of(m, i, pair, 2, &count);

		if (count == 2 && !m->processes[i].gone) {
			part->process = i;
			part->session = m->processes[i].session;
			memcpy(part->probes, probes, sizeof part->probes);
			part->on = m->replay || probes_latency_begin(part->session, probes[0],
							probes[1], 0, &one) == 0;
			part->measured = part->on;
			text_clean(part->on ? "" : one.why, part->why, sizeof part->why);
			t->count++;
		}
		free(probes);
		if (one.code && !r) {
			*e = one;
			r = one.code;
		}
	}
	if (m->replay) {
		t->replay = m->replay;
		t->pass = t->replay->begin;
		t->part_of = mem_array(m->process_count, sizeof(struct timing_part *));
		for (size_t i = 0; i < t->count; i++)
			t->part_of[t->parts[i].process] = &t->parts[i];
	}
	t->used = timing_on(t);
	timing_restart(t, ms);
	if (!t->used && !r)
		r = report_set(e, PROBES_NO_TARGET, -ESRCH, "cannot measure times", "",
			"no process has both probes");
	return t->used ? 0 : r;
}

int timing_reset(struct timing *t, const struct model *m, int64_t ms, struct probes_error *e)
{
	int r = 0;

	for (struct timing_part *part = t->parts; part < t->parts + t->count; part++) {
		struct probes_error ignored;

		if (!part->on) {
			part->now = (struct probes_latency){0};
			part->measured = false;
			continue;
		}
		if (probes_latency_reset(part->session, r ? &ignored : e) < 0)
			r = r ? r : e->code;
		else
			part->now = (struct probes_latency){.open = part->now.open};
	}
	timing_restart(t, ms);
	return r;
}

static void timing_take(void *data, const struct recording_item *item)
{
	struct timing *t = data;
	const struct replay *r = t->replay;
	const struct recording_latency *row = &item->latency;
	size_t probe = item->what == RECORDING_EVENT ? item->event.probe : row->start, local;
	struct timing_part *part;

	if (item->what != RECORDING_EVENT && item->what != RECORDING_LATENCY)
		return;
	local = r->local[probe];
	part = t->part_of[r->recording.probes[probe].process];
	if (!part)
		return;
	if (item->what == RECORDING_EVENT) {
		if (local == part->probes[0])
			pairing_add(&part->pairing, false, &item->event);
		if (local == part->probes[1])
			pairing_add(&part->pairing, true, &item->event);
		t->covered_ns = t->pass.last_ns - t->pass.first_ns;
	} else if (local == part->probes[0] && r->local[row->end] == part->probes[1]) {
		part->now = row->latency; /* until then, from the beginning on */
		t->covered_ns = row->read - row->began;
		t->by = row->by;
		t->over = row->over;
		t->recorded = true;
	}
}

bool timing_replay(struct timing *t)
{
	if (!t->replay || !t->pass.on)
		return false;
	replay_read(t->replay, &t->pass, timing_take, t);
	for (size_t i = 0; i < t->count; i++) {
		t->parts[i].on = t->pass.on;
		if (!t->recorded)
			t->parts[i].now = t->parts[i].pairing.sum;
	}
	t->over |= t->pass.end.over;
	if (t->pass.ended && !t->recorded)
		t->covered_ns = (int64_t)(t->pass.end.seconds * 1e9);
	timing_sum(t);
	return true;
}

void timing_read(struct timing *t, const struct model *m, int64_t ms)
{
	uint64_t pairs;
	bool any = false;

	if (t->replay)
		return;
	for (struct timing_part *part = t->parts; part < t->parts + t->count; part++) {
		const struct model_process *process = &m->processes[part->process];
		const char *over = model_uncounted(process, part->probes, 2, 2);
		struct probes_error gone;

		if (!part->on)
			continue;
		any = true;
		part->on = !over;
		if (over) {
			probes_latency_end(process->session);
			snprintf(part->why, sizeof part->why, "%s", over);
		}
		if (probes_latency_read(process->session, &part->now, &gone) < 0 && part->on)
			text_clean(gone.why, part->why, sizeof part->why);
		else if (part->now.shared)
			snprintf(part->why, sizeof part->why,
				"its pairs are among those of process %d", (int)part->now.shared);
	}
	if (!any)
		return;
	timing_sum(t);
	t->covered_ns = (ms - t->from_ms) * 1000000;
	trend_read(&t->trend, ms, t->sum.matched);
	if (ms - t->rated_ms < TREND_LEAST_MS)
		return;
	pairs = t->sum.matched + t->sum.nested;
	t->rate = pairs > t->rated ? (double)(pairs - t->rated) * 1000 / (double)(ms - t->rated_ms)
				   : 0;
	t->rated = pairs;
	t->rated_ms = ms;
}

void timing_end(struct timing *t, const struct model *m, int64_t ms)
{
	if (t->replay)
		return;
	if (timing_on(t))
		t->covered_ns = (ms - t->from_ms) * 1000000;
	for (struct timing_part *part = t->parts; part < t->parts + t->count; part++) {
		struct probes_error gone;

		if (!part->on)
			continue;
		probes_latency_end(part->session);
		part->on = false;
		snprintf(part->why, sizeof part->why, "it was stopped");
		if (probes_latency_read(part->session, &part->now, &gone) < 0)
			text_clean(gone.why, part->why, sizeof part->why);
	}
	timing_sum(t);
}
