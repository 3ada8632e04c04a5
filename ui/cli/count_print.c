/*
 * The tables of count, as text, JSON lines and CSV.
 *
 *      TIME           HITS     HITS/s   SITES  PROBE
 *     1.000           4021     4021.3     4/4  ocaml_2:req_start
 *
 * A probe whose sites are not all counted shows n/m: its hits are those of n sites. The text sums
 * up processes; JSON and CSV keep them apart. All texts are escaped.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ui/cli/counts.h"
#include "ui/figures/counting.h"
#include "ui/output/json_value.h"
#include "ui/output/outbuf.h"
#include "ui/words/line.h"
#include "ui/words/probe_name.h"
#include "ui/words/reasons.h"

/* A format prints whole tables. */
struct counts_format {
	void (*table)(struct counts_output *out, struct counts *c, enum counts_kind kind);
};

static const struct probes_probe *probe_of(const struct counts_row *row)
{
	return probes_at(row->member->session, row->probe);
}

static const char *object_of(const struct counts_row *row)
{
	return probes_object_at(row->member->session, probe_of(row)->object)->path;
}

/* The hits of a table, and the time in which they came. */
static struct counts_mark part_of(const struct counts_row *row, enum counts_kind kind)
{
	if (kind == COUNTS_TOTAL)
		return (struct counts_mark){row->hits, row->now.ns - row->began.ns};
	return (struct counts_mark){row->now.hits - row->table.hits, row->now.ns - row->table.ns};
}

/* Of the hits in its time: not those while counting began and ended. */
static double rate_of(const struct counts_row *row, enum counts_kind kind)
{
	const struct counts_mark *from = kind == COUNTS_TOTAL ? &row->began : &row->table;

	return counting_rate(row->now.hits - from->hits, row->now.ns - from->ns);
}

/* Seconds from the first process's beginning to the last reading of any. */
static double seconds_since(const struct counts *c)
{
	int64_t last = c->began;

	for (size_t i = 0; i < c->count; i++)
		if (c->rows[i].now.ns > last)
			last = c->rows[i].now.ns;
	return (double)(last - c->began) / 1e9;
}

static bool is_partial(const struct counts_row *row)
{
	return row->shared || row->unguarded ||
	       row->counted - row->lost < probe_of(row)->site_count;
}

/* Are its hits those of all of its time? */
static bool has_rate(const struct counts_row *row)
{
	return row->counted && !row->shared && !row->lost && !row->unguarded;
}

/* Why not all of its sites are counted, or only part of the time: raw, or NULL. */
static const char *why_of(const struct counts_row *row)
{
	static char with[160];

	if (row->shared)
		return reasons_shared(row->shared, with, sizeof with);
	if (row->lost)
		return "another program or session removed its jump, or its library was "
		       "reloaded";
	if (row->unguarded)
		return "its semaphore fell to 0: another program or session lowered it";
	for (uint32_t i = 0; !row->why && i < probe_of(row)->site_count; i++)
		if (!row->sites[i].counted && row->sites[i].why)
			return row->sites[i].why;
	return row->why;
}

/* --------------------------------------------------------------------- text */

/* One probe, or the probes of this name and file in several processes. */
struct table_line {
	const struct counts_row *row;
	uint64_t hits;
	double rate;
	size_t sites, counted;
	bool over;   /* somewhere */
	bool lost;   /* somewhere */
	bool shared; /* another line has the same name, of another file */
	bool none;   /* nowhere are the hits its own */
};

static int by_name(const void *x, const void *y)
{
	const struct table_line *a = x, *b = y;
	int c = strcmp(probe_of(a->row)->provider, probe_of(b->row)->provider);

	if (!c)
		c = strcmp(probe_of(a->row)->name, probe_of(b->row)->name);
	return c ? c : strcmp(object_of(a->row), object_of(b->row));
}

static int by_hits(const void *x, const void *y)
{
	const struct table_line *a = x, *b = y;

	if (a->hits != b->hits)
		return a->hits < b->hits ? 1 : -1;
	return by_name(x, y);
}

static bool same_name(const struct table_line *a, const struct table_line *b)
{
	return !strcmp(probe_of(a->row)->provider, probe_of(b->row)->provider) &&
	       !strcmp(probe_of(a->row)->name, probe_of(b->row)->name);
}

/* The most hits first. Returns their number; NULL: no memory. */
static struct table_line *lines_of(const struct counts *c, enum counts_kind kind, size_t *count)
{
	struct table_line *lines = calloc(c->count + 1, sizeof *lines);
	size_t kept = 0;

	*count = 0;
	for (size_t i = 0; lines && i < c->count; i++) {
		const struct counts_row *row = &c->rows[i];

		lines[i] = (struct table_line){row, row->shared ? 0 : part_of(row, kind).hits,
			row->shared ? 0 : rate_of(row, kind), probe_of(row)->site_count,
			row->counted, row->over, row->lost > 0 || row->unguarded, false,
			row->shared != 0};
	}
	if (!lines)
		return NULL;
	qsort(lines, c->count, sizeof *lines, by_name);
	for (size_t i = 0; i < c->count; i++) {
		struct table_line *last = kept ? &lines[kept - 1] : NULL;

		if (last && !by_name(last, &lines[i])) {
			last->hits += lines[i].hits;
			last->rate += lines[i].rate;
			last->sites += lines[i].sites;
			last->counted += lines[i].counted;
			last->over = last->over || lines[i].over;
			last->lost = last->lost || lines[i].lost;
			last->none = last->none && lines[i].none;
			continue;
		}
		if (last && same_name(last, &lines[i]))
			last->shared = lines[i].shared = true;
		lines[kept++] = lines[i];
	}
	qsort(lines, kept, sizeof *lines, by_hits);
	*count = kept;
	return lines;
}

static void put_line(FILE *file, const struct table_line *l)
{
	char rate[40], sites[48];

	snprintf(sites, sizeof sites, "%zu/%zu", l->counted, l->sites);
	fprintf(file, "%14" PRIu64 "  %12s  %8s  %s", l->hits,
		l->lost ? "-" : counting_rate_text(l->rate, rate, sizeof rate), sites,
		outbuf_probe(probe_of(l->row)));
	if (l->shared)
		fprintf(file, "  %s", outbuf_safe(probe_name_base(object_of(l->row))));
	if (l->over)
		fputs("  (over -max-overhead)", file);
	if (l->lost)
		fputs("  (part of the time)", file);
	fputc('\n', file);
}

static void put_reason(void *data, size_t sites, const char *why)
{
	fprintf(data, "%6zu: %s\n", sites, outbuf_safe(why));
}

/* What the table leaves out. */
static void put_rest(struct counts_output *out, const struct counts *c,
	const struct table_line *lines, size_t count)
{
	size_t quiet = 0, lost = 0, without = 0, no_site = 0, sites = 0, counted = 0;

	for (size_t i = 0; i < count; i++) {
		quiet += !lines[i].hits && lines[i].counted && !lines[i].lost && !lines[i].none;
		lost += !lines[i].hits && lines[i].lost;
		without += !lines[i].counted && lines[i].sites;
		no_site += !lines[i].sites;
		sites += lines[i].sites;
		counted += lines[i].counted;
	}
	for (size_t i = 0; i < c->count; i++)
		if (c->rows[i].shared && (!i || c->rows[i - 1].member != c->rows[i].member ||
						 !c->rows[i - 1].shared))
			fprintf(out->file, "hits of process %d are unknown: %s\n",
				(int)c->rows[i].member->pid, why_of(&c->rows[i]));
	if (quiet)
		fprintf(out->file, "%zu probe%s %s not hit\n", quiet, line_s(quiet),
			quiet == 1 ? "was" : "were");
	if (lost)
		fprintf(out->file, "%zu probe%s %s not hit while counted\n", lost, line_s(lost),
			lost == 1 ? "was" : "were");
	if (without)
		fprintf(out->file, "%zu probe%s could not be counted\n", without, line_s(without));
	if (no_site)
		fprintf(out->file, "%zu probe%s %s no site, only a semaphore\n", no_site,
			line_s(no_site), no_site == 1 ? "has" : "have");
	if (counted == sites)
		return;
	fprintf(out->file, "%zu of %zu site%s %s not counted:\n", sites - counted, sites,
		line_s(sites), sites - counted == 1 ? "was" : "were");
	counts_reasons(c, put_reason, out->file);
	if (c->stop_sites)
		fprintf(out->file, "-stop would count %zu more site%s\n", c->stop_sites,
			line_s(c->stop_sites));
	if (c->kernel_sites)
		fprintf(out->file, "-kernel, as root, would count %zu more site%s\n",
			c->kernel_sites, line_s(c->kernel_sites));
}

static void text_interval(struct counts_output *out, const struct counts *c)
{
	char at[32];
	size_t count, moved = 0;
	struct table_line *lines = lines_of(c, COUNTS_INTERVAL, &count);

	counting_number(seconds_since(c), 3, at, sizeof at);
	if (!out->started)
		fprintf(out->file, "%9s  %14s  %12s  %8s  %s\n", "TIME", "HITS", "HITS/s", "SITES",
			"PROBE");
	for (; moved < count && lines[moved].hits; moved++)
		if (moved < out->most) {
			fprintf(out->file, "%9s  ", at);
			put_line(out->file, &lines[moved]);
		}
	if (!moved)
		fprintf(out->file, "%9s  %14d  no probe was hit\n", at, 0);
	if (moved > out->most)
		fprintf(out->file, "%9s  and %zu more probes\n", at, moved - out->most);
	free(lines);
}

static void text_total(struct counts_output *out, const struct counts *c)
{
	size_t count;
	struct table_line *lines = lines_of(c, COUNTS_TOTAL, &count);
	char seconds[32];

	if (out->started)
		fputc('\n', out->file);
	fprintf(out->file, "%14s  %12s  %8s  %s\n", "HITS", "HITS/s", "SITES", "PROBE");
	for (size_t i = 0; i < count && lines[i].hits; i++)
		put_line(out->file, &lines[i]);
	if (!out->quiet) {
		put_rest(out, c, lines, count);
		fprintf(out->file, "counted for %s s\n",
			counting_number(seconds_since(c), 3, seconds, sizeof seconds));
	}
	free(lines);
}

static void text_table(struct counts_output *out, struct counts *c, enum counts_kind kind)
{
	if (kind == COUNTS_INTERVAL)
		text_interval(out, c);
	else
		text_total(out, c);
}

/* --------------------------------------------------------------------- JSON */

static json_t *json_sites(const struct counts_row *row)
{
	const struct probes_probe *p = probe_of(row);
	json_t *list = json_array();

	for (uint32_t i = 0; i < p->site_count; i++) {
		const struct counts_site *site = &row->sites[i];
		const char *tactic = probes_tactic_name(site->tactic);

		json_array_append_new(list,
			json_pack("{s:o, s:o, s:o, s:o, s:o}", "pc",
				json_value_address(p->sites[i].pc), "address",
				json_value_address(p->sites[i].address), "hits",
				site->counted && !row->shared ? json_integer((json_int_t)site->hits)
							      : json_null(),
				"tactic",
				site->counted && *tactic ? json_string(tactic) : json_null(), "why",
				site->counted ? json_null() : json_value_text(site->why)));
	}
	return list;
}

static json_t *json_probe(const struct counts_row *row, enum counts_kind kind)
{
	const struct probes_probe *p = probe_of(row);
	struct counts_mark part = part_of(row, kind);
	bool own = row->counted && !row->shared;
	json_t *probe = json_pack("{s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:b, s:o}", "object",
		json_value_text(object_of(row)), "provider", json_value_text(p->provider), "name",
		json_value_text(p->name), "hits",
		own ? json_integer((json_int_t)part.hits) : json_null(), "hits_per_s",
		has_rate(row) ? json_real(rate_of(row, kind)) : json_null(), "sites_counted",
		(int)row->counted, "site_count", (int)p->site_count, "sites_lost", (int)row->lost,
		"over_budget", row->over, "why",
		is_partial(row) ? json_value_text(why_of(row)) : json_null());

	if (kind == COUNTS_TOTAL)
		json_object_set_new(probe, "sites", json_sites(row));
	return probe;
}

/* A line a process. */
static void json_table(struct counts_output *out, struct counts *c, enum counts_kind kind)
{
	for (size_t i = 0; i < c->count;) {
		const struct counts_row *first = &c->rows[i];
		json_t *probes = json_array(), *line;
		int64_t ns = 0;

		for (; i < c->count && c->rows[i].member == first->member; i++) {
			struct counts_mark part = part_of(&c->rows[i], kind);

			ns = part.ns > ns ? part.ns : ns;
			if (kind == COUNTS_TOTAL || part.hits)
				json_array_append_new(probes, json_probe(&c->rows[i], kind));
		}
		line = json_pack("{s:s, s:i, s:o, s:f, s:f, s:f, s:o}", "table",
			kind == COUNTS_TOTAL ? "total" : "interval", "pid", (int)first->member->pid,
			"prog", json_value_text(probes_path(first->member->session)), "at",
			seconds_since(c), "seconds", (double)ns / 1e9, "stopped_ms",
			(double)first->stopped_ns / 1e6, "probes", probes);
		json_dumpf(line, out->file,
			JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(12));
		json_decref(line);
		fputc('\n', out->file);
	}
}

/* ---------------------------------------------------------------------- CSV */

static void csv_table(struct counts_output *out, struct counts *c, enum counts_kind kind)
{
	struct outbuf b;
	char text[96], number[48], at[48];

	counting_number(seconds_since(c), 6, at, sizeof at);

	if (!out->started)
		fputs("table,pid,prog,at,seconds,object,provider,name,site_count,sites_counted,"
		      "hits,hits_per_s,why\n",
			out->file);
	outbuf_begin(&b, out->file);
	for (size_t i = 0; i < c->count; i++) {
		const struct counts_row *row = &c->rows[i];
		const struct probes_probe *p = probe_of(row);
		struct counts_mark part = part_of(row, kind);

		if (kind == COUNTS_INTERVAL && !part.hits)
			continue;
		snprintf(text, sizeof text, "%s,%d,", kind == COUNTS_TOTAL ? "total" : "interval",
			(int)row->member->pid);
		outbuf_text(&b, text);
		outbuf_csv(&b, probes_path(row->member->session));
		outbuf_text(&b, ",");
		outbuf_text(&b, at);
		outbuf_text(&b, ",");
		outbuf_text(&b, counting_number((double)part.ns / 1e9, 6, number, sizeof number));
		outbuf_text(&b, ",");
		outbuf_csv(&b, object_of(row));
		outbuf_text(&b, ",");
		outbuf_csv(&b, p->provider);
		outbuf_text(&b, ",");
		outbuf_csv(&b, p->name);
		snprintf(text, sizeof text, ",%u,%u,", (unsigned)p->site_count,
			(unsigned)row->counted);
		outbuf_text(&b, text);
		if (row->counted && !row->shared) {
			snprintf(text, sizeof text, "%" PRIu64 ",%s,", part.hits,
				has_rate(row) ? counting_number(rate_of(row, kind), 3, number,
							sizeof number)
					      : "");
			outbuf_text(&b, text);
		} else {
			outbuf_text(&b, ",,");
		}
		if (is_partial(row) && why_of(row))
			outbuf_csv(&b, why_of(row));
		outbuf_text(&b, "\n");
	}
	outbuf_flush(&b);
}

/* ---------------------------------------------------------------------- all */

void counts_output_init(struct counts_output *out, FILE *file, const struct options *o)
{
	static const struct counts_format formats[] = {
		[FORMAT_UNSET] = {text_table},
		[FORMAT_TEXT] = {text_table},
		[FORMAT_JSON] = {json_table},
		[FORMAT_CSV] = {csv_table},
	};

	*out = (struct counts_output){
		.file = file,
		.format = &formats[o->format],
		.quiet = o->quiet,
		.most = SIZE_MAX,
	};
}

void counts_print(struct counts_output *out, struct counts *c, enum counts_kind kind)
{
	out->format->table(out, c, kind);
	out->started = true;
	fflush(out->file);
	for (size_t i = 0; i < c->count; i++)
		c->rows[i].table = c->rows[i].now;
}
