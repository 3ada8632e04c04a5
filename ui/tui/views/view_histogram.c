/*
 * The values of one argument of a probe: how they are distributed, and which ones are the most
 * frequent. Sums all processes.
 */
#include "ui/tui/views/view.h"

#include "ui/figures/event.h"
#include "ui/tui/terminal/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VIEW_HISTOGRAM_MOST 100 /* values in the table */
#define VIEW_HISTOGRAM_AT 43    /* column of the bars, from 60 columns on; else */
#define VIEW_HISTOGRAM_NARROW 28

static const struct distribution *view_histogram_of(const struct app *a)
{
	return &a->events.feed.values[a->events.argument - 1];
}

static void view_histogram_figures(struct app *a)
{
	const struct distribution *d = view_histogram_of(a);
	char text[TEXT_MAX], value[EVENT_VALUE_BYTES], real[48], time[EVENT_TIME_BYTES];

	snprintf(text, sizeof text, "%" PRIu64 ", %zu%s distinct", d->count, d->value_count,
		d->others ? " or more" : "");
	if (d->min.kind) {
		text_addf(text, sizeof text, ", min %s", event_value(&d->min, value));
		text_addf(text, sizeof text, ", max %s", event_value(&d->max, value));
		text_addf(text, sizeof text, ", mean %s",
			event_real(distribution_mean(d), 6, real, sizeof real));
	}
	if (d->count + d->unreadable && d->count + d->unreadable < a->events.feed.sum.delivered)
		text_addf(text, sizeof text, "; since %s",
			event_time(a->events.feed.summed_ns, false, time));
	view_text_label(a, STYLE_PLAIN, "values", text);
	text[0] = '\0';
	if (d->unreadable)
		text_addf(text, sizeof text, "%" PRIu64 " could not be read", d->unreadable);
	if (d->nan)
		text_addf(text, sizeof text, "%s%" PRIu64 " nan", *text ? ", " : "", d->nan);
	if (*text)
		view_text_label(a, STYLE_WARN, "missing", text);
}

static void view_histogram_ranges(struct app *a)
{
	const struct distribution *d = view_histogram_of(a);
	struct distribution_row rows[DISTRIBUTION_BUCKETS];
	size_t count = distribution_rows(d, rows);
	bool wide = a->columns >= VIEW_WIDE;
	int at = wide ? VIEW_HISTOGRAM_AT : VIEW_HISTOGRAM_NARROW;
	uint64_t most = 1;
	char line[TEXT_MAX], from[40], to[40], range[90], bar[4 * VIEW_BAR];

	for (size_t i = 0; i < count; i++)
		most = rows[i].count > most ? rows[i].count : most;
	if (count)
		pager_addf(&a->text.pager, STYLE_HEAD, "  %-20s%*s%s", "RANGE",
			VIEW_COUNT_WIDTH(wide), "COUNT", wide ? "   SHARE" : "");
	for (size_t i = 0; i < count; i++) {
		snprintf(range, sizeof range, "[%s, %s%c",
			distribution_bound(rows[i].from, from, sizeof from),
			distribution_bound(rows[i].to, to, sizeof to),
			rows[i].to == INFINITY ? ']' : ')');
		snprintf(line, sizeof line, "  %-20s", range);
		view_share(a, line, sizeof line, rows[i].count, d->count, wide);
		view_bar(
			(double)rows[i].count / (double)most, a->columns - at - 1, bar, sizeof bar);
		text_addf(line, sizeof line, "%*s%s", at - text_width(line), "", bar);
		pager_addf(&a->text.pager, STYLE_PLAIN, "%s", line);
		pager_tint(&a->text.pager, at, STYLE_COUNTED);
	}
}

static void view_histogram_values(struct app *a)
{
	const struct distribution *d = view_histogram_of(a);
	const struct distribution_value **all = distribution_sorted(d);
	bool wide = a->columns >= VIEW_WIDE;
	uint64_t rest = d->count - d->others;
	size_t shown = 0;
	char value[EVENT_VALUE_BYTES], safe[TEXT_MAX];

	if (d->count)
		pager_addf(&a->text.pager, STYLE_HEAD, "  %*s%s  VALUE", VIEW_COUNT_WIDTH(wide),
			"COUNT", wide ? "   SHARE" : "");
	for (; all && shown < d->value_count && shown < VIEW_HISTOGRAM_MOST; shown++) {
		rest -= all[shown]->count;
		view_share_line(a, STYLE_PLAIN, all[shown]->count, d->count, wide,
			text_shown(event_value(&all[shown]->value, value), safe, sizeof safe));
	}
	snprintf(safe, sizeof safe, "(%zu other values)", d->value_count - shown);
	if (rest)
		view_share_line(a, STYLE_DIM, rest, d->count, wide, safe);
	snprintf(safe, sizeof safe, "(values beyond the first %zu distinct ones)", d->value_count);
	if (d->others)
		view_share_line(a, STYLE_DIM, d->others, d->count, wide, safe);
	free(all);
}

static void view_histogram_build(struct app *a)
{
	const struct feed *f = &a->events.feed;
	char text[TEXT_MAX], names[TEXT_MAX];
	struct model_member member = model_member(&a->model, f->chosen);

	view_text_begin(
		a, "Values of %.100s arg%u", a->model.rows[f->chosen].label, a->events.argument);
	event_argument_label(member.session, member.probe, 0, a->events.argument, text);
	if (strncmp(text, "arg", 3) != 0)
		text_addf(a->text.heading, sizeof a->text.heading, " (%s)",
			text_shown(text, names, sizeof names));
	a->text.row = f->chosen;
	view_events_label(a);
	view_histogram_figures(a);
	view_histogram_ranges(a);
	view_histogram_values(a);
}

const struct view_ops view_histogram_ops = {
	VIEW_TEXT_OPS,
	.where = IN_HISTOGRAM,
	.build = view_histogram_build,
	.refresh = view_histogram_build,
	.request = view_events_leave,
	.row = view_text_row,
	.write = view_text_write_headed,
};
