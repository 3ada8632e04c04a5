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
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ui/figures/counting.h"
#include "ui/figures/event.h"
#include "ui/output/json_value.h"
#include "ui/output/outbuf.h"
#include "ui/words/line.h"

#define BAR_WIDTH 28
#define MOST_TEXTS 20 /* of a table of text */
#define MOST_NUMBERS 10

/* What one table is about. */
struct table {
	const struct options *options;
	const struct histogram_list *list;
	const struct histogram_row *row; /* of a sum: one of them */
	const struct distribution *d;
	uint64_t lost, only_counted;
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
		counting_rate_text(
			counting_rate(d->count, (int64_t)(t->seconds * 1e9)), rate, sizeof rate),
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
	} all[] = {{t->lost, "event was lost", "events were lost"},
		{t->d->unreadable, "value could not be read", "values could not be read"},
		{t->only_counted, "hit was only counted", "hits were only counted"},
		{t->d->nan, "value is not a number (nan)", "values are not numbers (nan)"}};
	char text[400], seconds[32];
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
	if (counted < sites)
		fprintf(file, "%zu of %zu site%s not counted: hits there are missing\n",
			sites - counted, sites, sites - counted == 1 ? " was" : "s were");
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
		t = one;
		if (all->count > 1)
			distribution_merge(&sum, one.d);
		sites += row->sites;
		counted += row->counted;
	}
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

static const struct probes_probe *probe_of(const struct table *t)
{
	return probes_at(t->row->member->session, t->row->probe);
}

static void json_text(FILE *file, const char *raw)
{
	json_t *value = json_value_text(raw);

	json_dumpf(value, file, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	json_decref(value);
}

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

static const char *mean_json(const struct distribution *d, char *out)
{
	const struct probes_value mean = {.kind = PROBES_VALUE_FLOAT, .real = distribution_mean(d)};

	return event_json(&mean, out);
}

static void json_row(FILE *file, const struct table *t)
{
	struct distribution_row rows[DISTRIBUTION_BUCKETS];
	size_t count = distribution_rows(t->d, rows);
	const struct distribution_value **all = distribution_sorted(t->d);
	char min[EVENT_NUMBER_BYTES], max[EVENT_NUMBER_BYTES], mean[EVENT_NUMBER_BYTES];
	char from[48], to[48], number[EVENT_VALUE_BYTES];
	const char *comma = "";

	fprintf(file, "{\"table\":\"%s\",\"pid\":%d,\"probe\":", t->total ? "total" : "interval",
		(int)t->row->member->pid);
	json_text(file, outbuf_probe(probe_of(t)));
	fprintf(file, ",\"argument\":\"arg%u\",\"name\":", t->list->argument);
	json_text(file,
		probes_argument_name(t->row->member->session, t->row->probe, 0, t->list->argument));
	fprintf(file,
		",\"seconds\":%s,\"events\":%" PRIu64 ",\"lost\":%" PRIu64
		",\"unreadable\":%" PRIu64 ",\"only_counted\":%" PRIu64 ",\"over_budget\":%s",
		counting_number(t->seconds, 6, number, sizeof number),
		t->d->count + t->d->unreadable, t->lost, t->d->unreadable, t->only_counted,
		t->row->over ? "true" : "false");
	fprintf(file, ",\"min\":%s,\"max\":%s,\"mean\":%s,\"buckets\":[",
		event_json(&t->d->min, min), event_json(&t->d->max, max), mean_json(t->d, mean));
	for (size_t i = 0; i < count; i++) {
		if (!rows[i].count)
			continue;
		fprintf(file, "%s{\"from\":%s,\"to\":%s,\"count\":%" PRIu64 "}", comma,
			bound_json(rows[i].from, from, sizeof from),
			bound_json(rows[i].to, to, sizeof to), rows[i].count);
		comma = ",";
	}
	fputs("],\"values\":[", file);
	for (size_t i = 0; all && i < t->d->value_count; i++) {
		const struct probes_value *value = &all[i]->value;
		const char *json = value->text ? "null" : event_json(value, number);

		fprintf(file, "%s{\"value\":%s,\"text\":", i ? "," : "", json);
		/* Numbers that JSON does not have: nan, inf. */
		json_text(file, value->text || strcmp(json, "null") ? value->text
								    : event_value(value, number));
		fprintf(file, "%s,\"count\":%" PRIu64 "}", value->cut ? ",\"cut\":true" : "",
			all[i]->count);
	}
	fprintf(file, "],\"distinct\":%zu,\"values_complete\":%s}\n", t->d->value_count,
		all && !t->d->others ? "true" : "false");
	free(all);
}

/* One line: kind, from, to and value are fields, of which the last one is raw. */
static void csv_line(struct outbuf *b, const struct table *t, const char *kind, const char *from,
	const char *to, const char *value, uint64_t count)
{
	char text[200], seconds[32];

	snprintf(text, sizeof text, "%s,%d,", t->total ? "total" : "interval",
		(int)t->row->member->pid);
	outbuf_text(b, text);
	outbuf_csv(b, probe_of(t)->provider);
	outbuf_text(b, ",");
	outbuf_csv(b, probe_of(t)->name);
	snprintf(text, sizeof text, ",arg%u,%s,%s,%s,%s,", t->list->argument,
		counting_number(t->seconds, 6, seconds, sizeof seconds), kind, from, to);
	outbuf_text(b, text);
	outbuf_csv(b, value);
	snprintf(text, sizeof text, ",%" PRIu64 "\n", count);
	outbuf_text(b, text);
}

static void csv_row(FILE *file, const struct table *t)
{
	const struct distribution *d = t->d;
	struct distribution_row rows[DISTRIBUTION_BUCKETS];
	size_t count = distribution_rows(d, rows);
	const struct distribution_value **all = distribution_sorted(d);
	char number[EVENT_VALUE_BYTES], from[48], to[48];
	struct outbuf b;

	outbuf_begin(&b, file);
	csv_line(&b, t, "events", "", "", "", d->count + d->unreadable);
	csv_line(&b, t, "lost", "", "", "", t->lost);
	csv_line(&b, t, "unreadable", "", "", "", d->unreadable);
	csv_line(&b, t, "only_counted", "", "", "", t->only_counted);
	if (d->min.kind) {
		csv_line(
			&b, t, "min", "", "", event_json(&d->min, number), distribution_numbers(d));
		csv_line(
			&b, t, "max", "", "", event_json(&d->max, number), distribution_numbers(d));
		csv_line(&b, t, "mean", "", "", mean_json(d, number), distribution_numbers(d));
	}
	for (size_t i = 0; i < count; i++)
		if (rows[i].count)
			csv_line(&b, t, "bucket", bound_json(rows[i].from, from, sizeof from),
				bound_json(rows[i].to, to, sizeof to), "", rows[i].count);
	for (size_t i = 0; all && i < d->value_count; i++) {
		const struct probes_value *value = &all[i]->value;

		csv_line(&b, t,
			!value->text ? "value"
			: value->cut ? "text_cut"
				     : "text",
			"", "", value->text ? value->text : event_json(value, number),
			all[i]->count);
	}
	if (d->others || !all)
		csv_line(&b, t, "others", "", "", "", all ? d->others : d->count);
	outbuf_flush(&b);
	free(all);
}

void histogram_print(FILE *file, const struct options *o, struct histogram_list *all, bool total)
{
	if (o->format == FORMAT_CSV && !all->started)
		fputs("table,pid,provider,name,argument,seconds,kind,from,to,value,count\n", file);
	for (size_t i = 0; total && i < all->count; i++)
		distribution_merge(&all->rows[i]->total, &all->rows[i]->part);
	if (o->format <= FORMAT_TEXT)
		text_table(file, o, all, total);
	for (size_t i = 0; i < all->count; i++) {
		struct histogram_row *row = all->rows[i];
		struct table t = table_of(all, o, row, total);

		if (o->format == FORMAT_JSON)
			json_row(file, &t);
		if (o->format == FORMAT_CSV)
			csv_row(file, &t);
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
