/*
 * How long a pair takes: histogram, percentiles, what was not matched, what is not measured and
 * why. Sums all processes; each has a line of its own if there are several.
 */
#include "ui/tui/views/view.h"

#include "ui/figures/counting.h"
#include "ui/figures/latency.h"
#include "ui/tui/rows/trend.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/line.h"
#include "ui/words/reasons.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define VIEW_LATENCY_MARKS 20 /* columns: " p50 p90 p99 p99.9" */

/* Of a recording: was it measured, or is it computed of its events? */
static void view_latency_recorded(struct app *a)
{
	const struct timing *t = &a->timing;
	bool measured = a->model.processes[0].recorded->latency;
	char text[TEXT_MAX], state[400], by[16];

	snprintf(by, sizeof by, t->by ? "arg%u" : "thread", t->by);
	if (measured && !t->recorded && !t->pass.on)
		snprintf(text, sizeof text,
			"not of this pair; recorded is that of another one, or the other way "
			"round");
	else
		snprintf(text, sizeof text, "by %s, for %.3f s; %s", by,
			(double)t->covered_ns / 1e9,
			view_replay_state(a, &t->pass, state, sizeof state));
	if (t->over)
		text_addf(text, sizeof text, "; it ended early, because it cost too much");
	view_text_label(a, t->pass.ended && !t->over ? STYLE_PLAIN : STYLE_WARN,
		measured ? "measured" : "computed", text);
	if (t->pass.lost || t->pass.end.undecided)
		view_text_label(a, STYLE_WARN, "",
			"events were lost or left out: a start or end without the other may have "
			"had it");
	if (t->pass.end.sites_lost)
		view_text_label(
			a, STYLE_WARN, "", reasons_lost(t->pass.end.sites_lost, text, sizeof text));
}

/* Is it measured, how, and for how long? */
static void view_latency_state(struct app *a)
{
	const struct timing *t = &a->timing;
	const char *why = t->count ? t->parts[0].why : "";
	size_t on = 0;
	char text[300];

	if (a->replay) {
		view_latency_recorded(a);
		return;
	}
	for (size_t i = 0; i < t->count; i++)
		on += t->parts[i].on;
	for (size_t i = 1; i < t->count; i++)
		why = !strcmp(why, t->parts[i].why) ? why : "see below";
	if (on)
		snprintf(text, sizeof text, "by thread, for %.*f s",
			t->covered_ns < 10000000000 ? 1 : 0, (double)t->covered_ns / 1e9);
	else
		snprintf(text, sizeof text, "for %.*f s, no longer: %s (r restarts)",
			t->covered_ns < 10000000000 ? 1 : 0, (double)t->covered_ns / 1e9, why);
	if (on && t->count > 1)
		text_addf(text, sizeof text, ", in %zu of %zu processes", on, t->count);
	view_text_label(a, on ? STYLE_COUNTED : STYLE_WARN, "measured", text);
}

static void view_latency_figures(struct app *a)
{
	const struct timing *t = &a->timing;
	const struct probes_latency *l = &t->sum;
	static const enum latency_figure lines[2][4] = {
		{LATENCY_P50, LATENCY_P90, LATENCY_P99, LATENCY_P999},
		{LATENCY_MIN, LATENCY_MEAN, LATENCY_MAX, LATENCY_FIGURES}};
	uint64_t figures[LATENCY_FIGURES];
	char text[300], figure[48], spark[128];

	snprintf(text, sizeof text, "%" PRIu64 ", %s a second", l->matched,
		counting_rate_text(
			counting_rate(l->matched, t->covered_ns), figure, sizeof figure));
	if (timing_on(t) && trend_rate(&t->trend) >= 0)
		text_addf(text, sizeof text, ", now %s  %s",
			trend_human(trend_rate(&t->trend), figure, sizeof figure),
			trend_spark(&t->trend, TREND_CELLS, spark, sizeof spark));
	view_text_label(a, STYLE_PLAIN, "pairs", text);
	latency_figures(l, figures);
	for (int i = 0; i < 2; i++) {
		text[0] = '\0';
		for (int k = 0; k < 4 && lines[i][k] < LATENCY_FIGURES; k++)
			text_addf(text, sizeof text, "%s%s %-8s", k ? "  " : "",
				latency_names[lines[i][k]],
				l->matched
					? latency_time(figures[lines[i][k]], figure, sizeof figure)
					: "-");
		view_text_label(a, STYLE_PLAIN, i ? "" : "duration", text);
	}
	snprintf(text, sizeof text,
		"%" PRIu64 " still open, %" PRIu64 " end%s without start, %" PRIu64
		" start%s without end, %" PRIu64 " nested, %" PRIu64 " lost",
		l->open, l->end_without_start, line_s(l->end_without_start), l->start_without_end,
		line_s(l->start_without_end), l->nested, l->lost);
	view_text_label(a, l->lost ? STYLE_WARN : STYLE_PLAIN, "unmatched", text);
}

static void view_latency_histogram(struct app *a)
{
	const struct probes_latency *l = &a->timing.sum;
	struct latency_row rows[LATENCY_ROWS];
	size_t count = latency_rows(l, rows);
	bool wide = a->columns >= VIEW_WIDE;
	int at = wide ? 43 : 29, width = a->columns - at - (wide ? VIEW_LATENCY_MARKS : 1);
	uint64_t figures[LATENCY_FIGURES], most = 1;
	char from[48], to[48], line[TEXT_MAX], bar[4 * VIEW_BAR];

	if (!count)
		return;
	latency_figures(l, figures);
	for (size_t i = 0; i < count; i++)
		most = rows[i].count > most ? rows[i].count : most;
	pager_addf(&a->text.pager, STYLE_HEAD, "%21s %*s%s", "DURATION", VIEW_COUNT_WIDTH(wide),
		"PAIRS", wide ? "   SHARE" : "");
	for (const struct latency_row *row = rows; row < rows + count; row++) {
		snprintf(line, sizeof line, "  %8s - %8s ",
			latency_time(row->from, from, sizeof from),
			row->to == UINT64_MAX ? "" : latency_time(row->to, to, sizeof to));
		view_share(a, line, sizeof line, row->count, l->matched, wide);
		view_bar((double)row->count / (double)most, width, bar, sizeof bar);
		text_addf(line, sizeof line, "%*s%s", at - text_width(line), "", bar);
		for (int k = LATENCY_P50; wide && k <= LATENCY_P999; k++)
			if (figures[k] >= row->from && figures[k] < row->to)
				text_addf(line, sizeof line, " %s", latency_names[k]);
		pager_addf(&a->text.pager, STYLE_PLAIN, "%s", line);
		pager_tint(&a->text.pager, at, STYLE_COUNTED);
	}
}

static void view_latency_processes(struct app *a)
{
	const struct timing *t = &a->timing;
	uint64_t figures[LATENCY_FIGURES];
	char text[48];

	if (t->count < 2)
		return;
	pager_addf(&a->text.pager, STYLE_HEAD, "  %7s %10s  %8s %8s %8s", "PID", "PAIRS", "P50",
		"P99", "MAX");
	for (size_t i = 0; i < t->count; i++) {
		static const enum latency_figure shown[] = {LATENCY_P50, LATENCY_P99, LATENCY_MAX};
		const struct timing_part *part = &t->parts[i];
		char line[TEXT_MAX];

		latency_figures(&part->now, figures);
		snprintf(text, sizeof text, "%" PRIu64, part->now.matched);
		snprintf(line, sizeof line, "  %7d %10s ",
			(int)a->model.processes[part->process].pid,
			part->now.shared || !part->measured ? "-" : text);
		for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
			text_addf(line, sizeof line, " %8s",
				part->now.matched
					? latency_time(figures[shown[k]], text, sizeof text)
					: "-");
		if (part->why[0])
			text_addf(line, sizeof line, "  %s", part->why);
		pager_addf(&a->text.pager, part->on ? STYLE_PLAIN : STYLE_DIM, "%s", line);
	}
}

/* The sites of a half that are not counted, each reason once: pairs that pass there are missing. */
static void view_latency_left(struct app *a, uint32_t row)
{
	struct reasons reasons = {0};
	struct model_member member;
	char why[TEXT_MAX], label[32];

	for (uint32_t at = a->model.rows[row].member; model_next(&a->model, &at, &member);)
		if (!a->model.processes[member.process].gone)
			reasons_add(&reasons, member.session, member.probe);
	if (!reasons.sites || a->replay || !timing_on(&a->timing))
		return;
	pager_addf(&a->text.pager, STYLE_WARN,
		"  %zu site%s of %.80s %s not measured; pairs that pass there are missing:",
		reasons.sites, line_s(reasons.sites), a->model.rows[row].label,
		reasons.sites == 1 ? "is" : "are");
	for (size_t i = 0; i < reasons.count; i++) {
		snprintf(label, sizeof label, "  %5zu  ", reasons.all[i].sites);
		pager_wrap(&a->text.pager, STYLE_PLAIN, label,
			text_clean(reasons.all[i].why, why, sizeof why), a->columns);
	}
}

static void view_latency_build(struct app *a)
{
	const struct timing *t = &a->timing;
	const struct row *start = &a->model.rows[t->start], *end = &a->model.rows[t->end];

	view_text_begin(a, "Latency: %.100s -> %.100s", start->label,
		start->family == end->family ? row_name(end) : end->label);
	a->text.row = t->start;
	view_latency_state(a);
	view_latency_figures(a);
	view_latency_left(a, t->start);
	view_latency_left(a, t->end);
	view_latency_histogram(a);
	view_latency_processes(a);
}

static bool view_latency_request(struct app *a, enum request r)
{
	if (r != REQUEST_BACK)
		return false;
	app_open(a, VIEW_LIST);
	if (timing_on(&a->timing) && !a->replay)
		app_pass(a, "still measuring %.80s: L shows it again, L once more stops it",
			a->text.heading + strlen("Latency: "));
	return true;
}

const struct view_ops view_latency_ops = {
	VIEW_TEXT_OPS,
	.where = IN_LATENCY,
	.build = view_latency_build,
	.refresh = view_latency_build,
	.request = view_latency_request,
	.write = view_text_write_headed,
};
