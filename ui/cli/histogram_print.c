/*
 * The results of histogram, as text, JSON lines and CSV.
 *
 *        VALUES VALUES/s  DISTINCT              MIN              MAX           MEAN
 *           300     74.9       100                1              100           50.5
 *
 *     RANGE                         COUNT   SHARE
 *     [1, 2)                            3   1.0 %  |#                           |
 *
 *            COUNT   SHARE  VALUE OF arg1
 *                3   1.0 %  1
 *
 * The text sums up processes; JSON and CSV keep them apart. All texts are escaped.
 */
#include "ui/cli/histogram_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ui/figures/counting.h"
#include "ui/figures/event.h"
#include "ui/output/emit.h"
#include "ui/output/outbuf.h"
#include "ui/words/line.h"
#include "ui/words/reasons.h"

#define BAR_WIDTH 28
#define MOST_TEXTS 20 /* of a table of text */
#define MOST_NUMBERS 10

/* What one table is about. */
struct table {
	const struct options *options;
	const struct histogram_list *list;
	const struct histogram_row *row; /* of a sum: one of them */
	const struct distribution *d;
	uint64_t lost, only_counted, sites_lost;
	double seconds;
	bool total;
};

static struct table table_of(const struct histogram_list *all, const struct options *o,
	const struct histogram_row *row, bool total)
{
	return (struct table){.options = o,
		.list = all,
		.row = row,
		.d = total ? &row->total : &row->part,
		.lost = row->lost - (total ? 0 : row->lost_table),
		.only_counted = row->only_counted - (total ? 0 : row->only_counted_table),
		.sites_lost = row->sites_lost,
		.seconds = (double)(all->now - (total ? all->began : all->table)) / 1e9,
		.total = total};
}

/* ---------------------------------------------------------------------- text */

/* "12.3 %", of all values. Returns out. */
static const char *share_text(const struct table *t, uint64_t count, char *out, size_t size)
{
	char number[32];
	struct line l = {.text = out, .size = size};

	line_add(&l, "%s %%",
		counting_number(
			(double)count * 100 / (double)t->d->count, 1, number, sizeof number));
	return out;
}

static void put_figures(FILE *file, const struct table *t)
{
	const struct distribution *d = t->d;
	bool any = d->min.kind;
	char min[EVENT_VALUE_BYTES], max[EVENT_VALUE_BYTES], mean[48], rate[48], distinct[32];

	snprintf(distinct, sizeof distinct, "%zu%s", d->value_count, d->others ? "+" : "");
	fprintf(file, "%10s %8s %9s %16s %16s %14s\n", "VALUES", "VALUES/s", "DISTINCT", "MIN",
		"MAX", "MEAN");
	fprintf(file, "%10" PRIu64 " %8s %9s %16s %16s %14s\n", d->count,
		t->sites_lost
			? "-"
			: counting_rate_text(counting_rate(d->count, (int64_t)(t->seconds * 1e9)),
				  rate, sizeof rate),
		distinct, any ? event_value(&d->min, min) : "-",
		any ? event_value(&d->max, max) : "-",
		any ? event_real(distribution_mean(d), 9, mean, sizeof mean) : "-");
}

static void put_histogram(FILE *file, const struct table *t)
{
	static const char bar[] = "############################";
	struct distribution_row rows[DISTRIBUTION_BUCKETS];
	size_t count = distribution_rows(t->d, rows);
	uint64_t most = 0;

	_Static_assert(sizeof bar == BAR_WIDTH + 1, "a bar is as wide as it says");
	for (size_t i = 0; i < count; i++)
		most = rows[i].count > most ? rows[i].count : most;
	if (count)
		fprintf(file, "\n%-22s %12s %7s\n", "RANGE", "COUNT", "SHARE");
	for (size_t i = 0; i < count; i++) {
		double width = (double)rows[i].count * BAR_WIDTH / (double)most;
		int length = rows[i].count && width < 1 ? 1 : (int)width;
		char from[40], to[40], range[90], share[48];

		snprintf(range, sizeof range, "[%s, %s%c",
			distribution_bound(rows[i].from, from, sizeof from),
			distribution_bound(rows[i].to, to, sizeof to),
			rows[i].to == INFINITY ? ']' : ')');
		fprintf(file, "%-22s %12" PRIu64 " %7s  |%-*.*s|\n", range, rows[i].count,
			share_text(t, rows[i].count, share, sizeof share), BAR_WIDTH, length, bar);
	}
}

static void put_values(FILE *file, const struct table *t)
{
	const struct distribution *d = t->d;
	const struct distribution_value **all = distribution_sorted(d);
	uint64_t rest = d->count - d->others;
	char share[48], value[EVENT_VALUE_BYTES], label[EVENT_LABEL_BYTES];
	size_t shown = 0, most = d->texts ? MOST_TEXTS : MOST_NUMBERS;

	if (d->count)
		fprintf(file, "\n%12s %7s  VALUE OF %s\n", "COUNT", "SHARE",
			event_argument_label(t->row->member->session, t->row->probe, 0,
				t->list->argument, label));
	for (; all && shown < d->value_count && shown < most; shown++) {
		rest -= all[shown]->count;
		fprintf(file, "%12" PRIu64 " %7s  %s\n", all[shown]->count,
			share_text(t, all[shown]->count, share, sizeof share),
			event_value(&all[shown]->value, value));
	}
	if (rest)
		fprintf(file, "%12" PRIu64 " %7s  (%zu other value%s)\n", rest,
			share_text(t, rest, share, sizeof share), d->value_count - shown,
			line_s(d->value_count - shown));
	if (d->others)
		fprintf(file, "%12" PRIu64 " %7s  (values beyond the first %zu distinct ones)\n",
			d->others, share_text(t, d->others, share, sizeof share), d->value_count);
	free(all);
}

/* Always say what is missing. */
static void put_missing(FILE *file, const struct table *t, size_t sites, size_t counted)
{
	const struct {
		uint64_t count;
		const char *one, *many;
	} all[] = {
		{t->lost, t->list->lost ? "event of the recording was lost" : "event was lost",
			t->list->lost ? "events of the recording were lost" : "events were lost"},
		{t->d->unreadable, "value could not be read", "values could not be read"},
		{t->only_counted, "hit was only counted", "hits were only counted"},
		{t->d->nan, "value is not a number (nan)", "values are not numbers (nan)"}};
	char text[400], seconds[32], gone[100];
	struct line l = {.text = text, .size = sizeof text};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].count)
			line_add(&l, "%s%" PRIu64 " %s", l.length ? ", " : "", all[i].count,
				all[i].count == 1 ? all[i].one : all[i].many);
	if (l.length)
		fprintf(file, "\nnot in the histogram: %s\n", text);
	else if (!t->options->quiet && t->total)
		fputc('\n', file);
	if (t->options->quiet || !t->total)
		return;
	if (t->sites_lost)
		fprintf(file, "%s\n", reasons_lost(t->sites_lost, gone, sizeof gone));
	if (counted < sites)
		fprintf(file, "%zu of %zu site%s %s not counted: hits there are missing\n",
			sites - counted, sites, line_s(sites),
			sites - counted == 1 ? "was" : "were");
	fprintf(file, "measured for %s s\n",
		counting_number(t->seconds, 3, seconds, sizeof seconds));
}

static void text_table(FILE *file, const struct options *o, struct histogram_list *all, bool total)
{
	struct distribution sum = {0};
	struct table t = {0};
	size_t sites = 0, counted = 0;
	char time[32];

	for (size_t i = 0; i < all->count; i++) {
		const struct histogram_row *row = all->rows[i];
		struct table one = table_of(all, o, row, total);

		one.lost += t.lost;
		one.only_counted += t.only_counted;
		one.sites_lost += t.sites_lost;
		t = one;
		if (all->count > 1)
			distribution_merge(&sum, one.d);
		sites += row->sites;
		counted += row->counted;
	}
	t.lost += all->lost;
	t.only_counted += all->only_counted;
	t.sites_lost += all->sites_lost;
	if (all->count > 1)
		t.d = &sum;
	if (!total || all->started)
		fprintf(file, "%s-- %s%s --\n", all->started ? "\n" : "",
			total ? "total"
			      : counting_number((double)(all->now - all->began) / 1e9, 3, time,
					sizeof time),
			total ? "" : " s");
	put_figures(file, &t);
	put_histogram(file, &t);
	put_values(file, &t);
	put_missing(file, &t, sites, counted);
	distribution_done(&sum);
}

/* ------------------------------------------------------------- JSON and CSV */

/* A bound of a row; "null" where there is none. */
static const char *bound_json(double bound, char *out, size_t size)
{
	if (isinf(bound))
		return "null";
	/* A power of 2: all of its digits are exact. */
	if (fabs(bound) >= 1 && fabs(bound) < 0x1p70)
		snprintf(out, size, "%.0f", bound);
	else
		event_real(bound, 17, out, size);
	return out;
}

/* In a format of rows all is a row of its own, with the number of its values or hits. */
static void emit_row_of(struct emit *e, const char *kind, uint64_t count)
{
	emit(e, TEXT(kind, kind), U64(count, count));
	emit_row(e);
	emit(e, NONE(from), NONE(to), NONE(value));
}

/* A figure of hits or values, or one of so many numbers. */
static void emit_figure(struct emit *e, struct emit_value v, uint64_t numbers)
{
	char out[EMIT_SIZE];
	const char *text = emit_text(&v, out);

	if (!e->ops->row) {
		emit_values(e, &v, 1);
	} else if (v.kind == EMIT_U64) {
		emit_row_of(e, fields[v.field].name, v.u64);
	} else if (text) {
		emit(e, DIGITS(value, text));
		emit_row_of(e, fields[v.field].name, numbers);
	}
}

static void emit_bucket(struct emit *e, const struct distribution_row *row)
{
	char from[48], to[48];

	emit_element(e, DIGITS(from, bound_json(row->from, from, sizeof from)),
		DIGITS(to, bound_json(row->to, to, sizeof to)), U64(count, row->count));
	if (e->ops->row)
		emit_row_of(e, "bucket", row->count);
}

static void emit_value(struct emit *e, const struct distribution_value *one)
{
	const struct probes_value *value = &one->value;
	char number[EVENT_NUMBER_BYTES], name[EVENT_VALUE_BYTES];
	const char *digits = event_json(value, number), *text = value->text;

	if (e->ops->row) {
		emit(e, text ? TEXT(value, text) : DIGITS(value, digits));
		emit_row_of(e, !text ? "value" : value->cut ? "text_cut" : "text", one->count);
		return;
	}
	/* Numbers that JSON does not have: nan, inf. */
	if (!text && !strcmp(digits, "null"))
		text = event_value(value, name);
	emit_object(e, none, KNOWN(!value->text, DIGITS, value, digits), TEXT(text, text));
	if (value->cut)
		emit(e, BOOL(cut, true));
	emit(e, U64(count, one->count));
	emit_close(e);
}

static void emit_table(struct emit *e, const struct table *t)
{
	struct distribution_row rows[DISTRIBUTION_BUCKETS];
	size_t count = distribution_rows(t->d, rows);
	const struct distribution_value **all = distribution_sorted(t->d);
	const struct distribution *d = t->d;
	struct probes_session *session = t->row->member->session;
	const struct probes_probe *p = probes_at(session, t->row->probe);
	uint64_t numbers = distribution_numbers(d);
	char arg[16], number[EVENT_NUMBER_BYTES];

	snprintf(arg, sizeof arg, "arg%u", t->list->argument);
	emit_object(e, none, TEXT(table, t->total ? "total" : "interval"),
		I64(pid, t->row->member->pid), TEXT(provider, p->provider), TEXT(name, p->name),
		TEXT(arg, arg),
		TEXT(argument, probes_argument_name(session, t->row->probe, 0, t->list->argument)),
		REAL(seconds, t->seconds));
	emit_figure(e, U64(events, d->count + d->unreadable), 0);
	emit_figure(e, U64(lost, t->lost), 0);
	emit_figure(e, U64(unreadable, d->unreadable), 0);
	emit_figure(e, U64(only_counted, t->only_counted), 0);
	emit_figure(e, U64(sites_lost, t->sites_lost), 0);
	emit(e, BOOL(over_budget, t->row->over));
	emit_figure(e, DIGITS(min, event_json(&d->min, number)), numbers);
	emit_figure(e, DIGITS(max, event_json(&d->max, number)), numbers);
	emit_figure(e, REAL(mean, distribution_mean(d)), numbers);
	emit_list(e, buckets);
	for (size_t i = 0; i < count; i++)
		if (rows[i].count)
			emit_bucket(e, &rows[i]);
	emit_close(e);
	emit_list(e, values);
	for (size_t i = 0; all && i < d->value_count; i++)
		emit_value(e, all[i]);
	emit_close(e);
	if (e->ops->row && (d->others || !all))
		emit_row_of(e, "others", all ? d->others : d->count);
	emit(e, U64(distinct, d->value_count), BOOL(values_complete, all && !d->others));
	emit_end(e);
	free(all);
}

void histogram_print(FILE *file, const struct options *o, struct histogram_list *all, bool total)
{
	struct emit e = emit_begin(file, o->format, SCHEMA_HISTOGRAM, all->started);

	for (size_t i = 0; total && i < all->count; i++)
		distribution_merge(&all->rows[i]->total, &all->rows[i]->part);
	if (o->format <= FORMAT_TEXT)
		text_table(file, o, all, total);
	for (size_t i = 0; i < all->count; i++) {
		struct histogram_row *row = all->rows[i];
		struct table t = table_of(all, o, row, total);

		t.lost += all->lost;
		t.only_counted += all->only_counted;
		t.sites_lost += all->sites_lost;
		if (o->format > FORMAT_TEXT)
			emit_table(&e, &t);
		if (!total)
			distribution_merge(&row->total, &row->part);
		distribution_done(&row->part);
		row->lost_table = row->lost;
		row->only_counted_table = row->only_counted;
	}
	fflush(file);
	all->started = true;
	all->table = all->now;
}
