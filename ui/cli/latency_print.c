/*
 * The results of latency, as text, JSON lines and CSV.
 *
 *      TIME      PAIRS    PAIRS/s     MIN     P50     P90     P99   P99.9     MAX    MEAN
 *     1.000       4021     4021.3   812 ns 1.20 us 2.10 us 8.40 us 12.1 us 33.5 us 1.34 us
 *
 * The text sums up processes; JSON and CSV keep them apart. All texts are escaped.
 */
#include "ui/cli/latency_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ui/figures/counting.h"
#include "ui/figures/latency.h"
#include "ui/output/emit.h"
#include "ui/output/outbuf.h"
#include "ui/words/line.h"
#include "ui/words/reasons.h"

#define BAR_WIDTH 32

/* What came since the last table. Its bounds are those of its buckets: min and max are of all. */
static struct probes_latency part_of(const struct latency_row_of *row, bool total)
{
	struct probes_latency part = row->now;
	const struct probes_latency *before = &row->table;
	size_t first = PROBES_LATENCY_BUCKETS, last = 0;

	if (total)
		return part;
	part.matched -= before->matched;
	part.end_without_start -= before->end_without_start;
	part.start_without_end -= before->start_without_end;
	part.nested -= before->nested;
	part.lost -= before->lost;
	part.sum_ns -= before->sum_ns;
	for (size_t i = 0; i < PROBES_LATENCY_BUCKETS; i++) {
		part.buckets[i] -= before->buckets[i];
		if (!part.buckets[i])
			continue;
		first = i < first ? i : first;
		last = i;
	}
	if (!part.matched) {
		part.min_ns = part.max_ns = 0;
		return part;
	}
	if (probes_latency_from(first) > part.min_ns)
		part.min_ns = probes_latency_from(first);
	if (probes_latency_from(last + 1) < part.max_ns)
		part.max_ns = probes_latency_from(last + 1);
	return part;
}

/* The time until `end` that a table covers: of all, or of a process that was measured less long. */
static int64_t time_of(const struct latency_list *all, int64_t end, bool total)
{
	int64_t from = total ? all->began : all->table;

	return end > from ? end - from : 0;
}

/* first: without a shortest one, a line with a time fits into 80 columns. lost: there is no rate.
 */
static void put_figures(
	FILE *file, const struct probes_latency *l, int64_t ns, bool lost, size_t first)
{
	uint64_t figures[LATENCY_FIGURES];
	char text[48];

	latency_figures(l, figures);
	fprintf(file, "%10" PRIu64 " %8s", l->matched,
		lost ? "-" : counting_rate_text(counting_rate(l->matched, ns), text, sizeof text));
	for (size_t i = first; i < LATENCY_FIGURES; i++)
		fprintf(file, " %7s",
			l->matched ? latency_time(figures[i], text, sizeof text) : "-");
	fputc('\n', file);
}

static void put_heading(FILE *file, size_t first)
{
	static const char *const names[LATENCY_FIGURES] = {
		"MIN", "P50", "P90", "P99", "P99.9", "MAX", "MEAN"};

	fprintf(file, "%10s %8s", "PAIRS", "PAIRS/s");
	for (size_t i = first; i < LATENCY_FIGURES; i++)
		fprintf(file, " %7s", names[i]);
	fputc('\n', file);
}

static void put_histogram(FILE *file, const struct probes_latency *l)
{
	static const char bar[] = "################################";
	struct latency_row rows[LATENCY_ROWS];
	size_t count = latency_rows(l, rows);
	uint64_t most = 0;
	char from[48], to[48];

	_Static_assert(sizeof bar == BAR_WIDTH + 1, "a bar is as wide as it says");
	for (size_t i = 0; i < count; i++)
		most = rows[i].count > most ? rows[i].count : most;
	if (count)
		fprintf(file, "\n%19s %12s\n", "DURATION", "PAIRS");
	for (size_t i = 0; i < count; i++) {
		double width = (double)rows[i].count * BAR_WIDTH / (double)most;
		int length = rows[i].count && width < 1 ? 1 : (int)width;

		fprintf(file, "%8s - %8s %12" PRIu64 "  |%-*.*s|\n",
			latency_time(rows[i].from, from, sizeof from),
			rows[i].to == UINT64_MAX ? "" : latency_time(rows[i].to, to, sizeof to),
			rows[i].count, BAR_WIDTH, length, bar);
	}
}

static void text_table(FILE *file, const struct options *o, struct latency_list *all, bool total)
{
	struct probes_latency sum = {0};
	char text[200];
	size_t sites = 0, counted = 0;
	uint64_t lost = all->of ? all->of->sites_lost : 0;

	for (size_t i = 0; i < all->count; i++) {
		struct probes_latency part = part_of(&all->rows[i], total);

		probes_latency_add(&sum, &part);
		sites += all->rows[i].sites;
		counted += all->rows[i].counted;
		lost += all->rows[i].sites_lost;
	}
	if (!total) {
		if (all->table == all->began) {
			fprintf(file, "%8s ", "TIME");
			put_heading(file, 1);
		}
		fprintf(file, "%8s ",
			counting_number(
				(double)(all->now - all->began) / 1e9, 3, text, sizeof text));
		put_figures(file, &sum, time_of(all, all->now, total), lost, 1);
		return;
	}
	if (all->table != all->began)
		fputc('\n', file);
	put_heading(file, 0);
	put_figures(file, &sum, time_of(all, all->now, total), lost, 0);
	put_histogram(file, &sum);
	if (o->quiet)
		return;
	latency_unmatched(&sum, text, sizeof text);
	fputc('\n', file);
	if (*text)
		fprintf(file, "not matched: %s\n", text);
	if (lost)
		fprintf(file, "%s\n", reasons_lost(lost, text, sizeof text));
	if (counted < sites)
		fprintf(file,
			"%zu of %zu site%s %s not counted: pairs that pass there are missing\n",
			sites - counted, sites, line_s(sites),
			sites - counted == 1 ? "was" : "were");
	fprintf(file, "measured for %s s\n",
		counting_number((double)(all->now - all->began) / 1e9, 3, text, sizeof text));
}

static void emit_one(struct emit *e, const struct latency_list *all,
	const struct latency_row_of *row, bool total)
{
	struct probes_latency l = part_of(row, total);
	char key[16], *start = strdup(outbuf_probe(row->probes[0]));
	uint64_t f[LATENCY_FIGURES];

	latency_figures(&l, f);
	emit_object(e, none, TEXT(table, total ? "total" : "interval"), I64(pid, row->pid),
		TEXT(prog, row->prog), TEXT(start, start), TEXT(end, outbuf_probe(row->probes[1])),
		TEXT(by, latency_key(all->by, key, sizeof key)),
		REAL(seconds, (double)time_of(all, row->read, total) / 1e9),
		REAL(stopped_ms, (double)row->stopped_ns / 1e6), U64(site_count, row->sites),
		U64(sites_counted, row->counted), U64(matched, l.matched), U64(open, l.open),
		U64(end_without_start, l.end_without_start),
		U64(start_without_end, l.start_without_end), U64(nested, l.nested),
		U64(lost, l.lost), BOOL(over_budget, row->over),
		KNOWN(all->of, U64, events_lost, all->of->lost),
		KNOWN(all->of, U64, events_undecided, all->of->undecided),
		U64(sites_lost, row->sites_lost + (all->of ? all->of->sites_lost : 0)));
	for (unsigned i = 0; i < LATENCY_FIGURES; i++)
		emit(e, (struct emit_value){
				FIELD_min_ns + i, l.matched ? EMIT_U64 : EMIT_NULL, .u64 = f[i]});
	emit_row(e);
	emit_list(e, buckets);
	for (size_t i = 0; i < PROBES_LATENCY_BUCKETS; i++) {
		uint64_t to = probes_latency_from(i + 1);

		if (l.buckets[i])
			emit_element(e, U64(from_ns, probes_latency_from(i)),
				KNOWN(to != UINT64_MAX, U64, to_ns, to), U64(count, l.buckets[i]));
	}
	emit_end(e);
	free(start);
}

void latency_print(FILE *file, const struct options *o, struct latency_list *all, bool total)
{
	struct emit e = emit_begin(file, o->format, SCHEMA_LATENCY, all->table != all->began);

	if (o->format <= FORMAT_TEXT)
		text_table(file, o, all, total);
	for (size_t i = 0; i < all->count; i++) {
		if (o->format > FORMAT_TEXT)
			emit_one(&e, all, &all->rows[i], total);
		all->rows[i].table = all->rows[i].now;
	}
	fflush(file);
	all->table = all->now;
}
