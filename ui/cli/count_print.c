/*
 * The tables of count, as text, JSON lines and CSV.
 *
 *      TIME           HITS     HITS/s   SITES  PROBE
 *     1.000           4021     4021.3     4/4  ocaml_2:req_start
 *
 * A probe whose sites are not all counted shows n/m: its hits are those of n sites. The text sums
 * up processes, and says of how many the hits are, if not of all that have the probe; JSON and CSV
 * keep them apart. All texts are escaped.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ui/cli/counts.h"
#include "ui/figures/counting.h"
#include "ui/output/emit.h"
#include "ui/output/outbuf.h"
#include "ui/words/line.h"
#include "ui/words/probe_name.h"

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
	return row->shared || row->unguarded || row->later ||
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
	if (row->later)
		return "its library was opened after counting began: hits before it was found are "
		       "missing";
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
	size_t sites, counted;   /* in all processes */
	size_t known;            /* of the counted ones, those whose hits are in `hits` */
	size_t processes, heard; /* that have the probe; of these, those with such sites */
	bool over;               /* somewhere */
	bool lost;               /* somewhere: it has no rate */
	bool part;               /* somewhere it was counted part of the time */
	bool shared;             /* another line has the same name, of another file */
	bool none;               /* nowhere are the hits its own */
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

/* Sites whose hits are in the table: not where only a process that is not listed could tell them.
 */
static bool is_listed(const struct counts *c, pid_t pid)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->rows[i].member->pid == pid)
			return true;
	return false;
}

/* The most hits first. Returns their number; NULL: no memory. */
static struct table_line *lines_of(const struct counts *c, enum counts_kind kind, size_t *count)
{
	struct table_line *lines = calloc(c->count + 1, sizeof *lines);
	size_t kept = 0;
	pid_t shared = 0;
	bool listed = true;

	*count = 0;
	for (size_t i = 0; lines && i < c->count; i++) {
		const struct counts_row *row = &c->rows[i];
		bool lost = row->lost || row->unguarded;

		if (row->shared != shared) /* the same for many rows */
			listed = !row->shared || is_listed(c, row->shared);
		shared = row->shared;

		lines[i] = (struct table_line){.row = row,
			.hits = row->shared ? 0 : part_of(row, kind).hits,
			.rate = row->shared ? 0 : rate_of(row, kind),
			.sites = probe_of(row)->site_count,
			.counted = row->counted,
			.known = listed ? row->counted : 0,
			.processes = 1,
			.heard = listed && row->counted > 0,
			.over = row->over,
			.lost = lost,
			.part = lost || row->later,
			.none = row->shared != 0};
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
			last->known += lines[i].known;
			last->processes++;
			last->heard += lines[i].heard;
			last->over = last->over || lines[i].over;
			/* Rates of different times have no sum. */
			last->lost = last->lost || lines[i].lost || lines[i].row->later ||
				     last->row->later;
			last->part = last->part || lines[i].part;
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

	snprintf(sites, sizeof sites, "%zu/%zu", l->known, l->sites);
	fprintf(file, "%14" PRIu64 "  %12s  %8s  %s", l->hits,
		l->lost ? "-" : counting_rate_text(l->rate, rate, sizeof rate), sites,
		outbuf_probe(probe_of(l->row)));
	if (l->shared)
		fprintf(file, "  %s", outbuf_safe(probe_name_base(object_of(l->row))));
	if (l->over)
		fputs("  (over -max-overhead)", file);
	if (l->heard < l->processes)
		fprintf(file, "  (hits of %zu of %zu processes)", l->heard, l->processes);
	if (l->part)
		fputs("  (part of the time)", file);
	fputc('\n', file);
}

static void put_not_hit(FILE *file, size_t probes, const char *when)
{
	if (probes)
		fprintf(file, "%zu probe%s not hit%s\n", probes, probes == 1 ? " was" : "s were",
			when);
}

/* What the table leaves out. */
static void put_rest(struct counts_output *out, const struct counts *c,
	const struct table_line *lines, size_t count)
{
	size_t quiet = 0, part = 0, without = 0, no_site = 0, sites = 0, counted = 0;
	struct reasons reasons;
	char text[COUNTS_SHARED];

	for (size_t i = 0; i < count; i++) {
		quiet += !lines[i].hits && lines[i].counted && !lines[i].part && !lines[i].none;
		part += !lines[i].hits && lines[i].part;
		without += !lines[i].counted && lines[i].sites;
		no_site += !lines[i].sites;
		sites += lines[i].sites;
		counted += lines[i].counted;
	}
	for (size_t i = 0; i < c->count; i++)
		if (counts_shared(c, i, text, sizeof text))
			fprintf(out->file, "process %d: %s\n", (int)c->rows[i].member->pid, text);
	put_not_hit(out->file, quiet, "");
	put_not_hit(out->file, part, " while counted");
	if (without)
		fprintf(out->file, "%zu probe%s could not be counted\n", without, line_s(without));
	if (no_site)
		fprintf(out->file, "%zu probe%s %s no site, only a semaphore\n", no_site,
			line_s(no_site), no_site == 1 ? "has" : "have");
	if (counted == sites)
		return;
	fprintf(out->file, "%zu of %zu site%s %s not counted:\n", sites - counted, sites,
		line_s(sites), sites - counted == 1 ? "was" : "were");
	reasons = counts_reasons(c);
	for (size_t i = 0; i < reasons.count; i++)
		fprintf(out->file, "%6zu: %s\n", reasons.all[i].sites,
			outbuf_safe(reasons.all[i].why));
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

/* ------------------------------------------------------------ JSON and CSV */

static void emit_site(struct emit *e, const struct counts_row *row, uint32_t i)
{
	const struct probes_site *where = &probe_of(row)->sites[i];
	const struct counts_site *site = &row->sites[i];
	const char *tactic = probes_tactic_name(site->tactic);

	emit_element(e, ADDRESS(pc, where->pc), ADDRESS(address, where->address),
		KNOWN(site->counted && !row->shared, U64, hits, site->hits),
		KNOWN(site->counted && *tactic, TEXT, tactic, tactic),
		KNOWN(!site->counted, TEXT, why, site->why));
}

static void emit_probe(struct emit *e, const struct counts_row *row, enum counts_kind kind)
{
	const struct probes_probe *p = probe_of(row);
	struct counts_mark part = part_of(row, kind);

	emit_object(e, none, TEXT(object, object_of(row)), TEXT(provider, p->provider),
		TEXT(name, p->name), REAL(seconds, (double)part.ns / 1e9),
		KNOWN(row->counted && !row->shared, U64, hits, part.hits),
		KNOWN(has_rate(row), REAL, hits_per_s, rate_of(row, kind)),
		U64(site_count, p->site_count), U64(sites_counted, row->counted),
		U64(sites_lost, row->lost), BOOL(over_budget, row->over),
		KNOWN(is_partial(row), TEXT, why, why_of(row)));
	emit_row(e);
	if (kind == COUNTS_TOTAL) {
		emit_list(e, sites);
		for (uint32_t i = 0; i < p->site_count; i++)
			emit_site(e, row, i);
		emit_close(e);
	}
	emit_close(e);
}

/* An object a process. */
static void emit_table(struct counts_output *out, struct counts *c, enum counts_kind kind)
{
	struct emit e = emit_begin(out->file, out->format, SCHEMA_COUNT, out->started);

	for (size_t i = 0; i < c->count;) {
		const struct counts_row *first = &c->rows[i];
		int64_t ns = 0;

		for (size_t k = i; k < c->count && c->rows[k].member == first->member; k++)
			ns = part_of(&c->rows[k], kind).ns > ns ? part_of(&c->rows[k], kind).ns
								: ns;
		emit_object(&e, none, TEXT(table, kind == COUNTS_TOTAL ? "total" : "interval"),
			I64(pid, first->member->pid),
			TEXT(prog, probes_path(first->member->session)), REAL(at, seconds_since(c)),
			REAL(seconds, (double)ns / 1e9),
			REAL(stopped_ms, (double)first->stopped_ns / 1e6),
			REAL(held_ms, (double)first->held_ns / 1e6));
		emit_list(&e, probes);
		for (; i < c->count && c->rows[i].member == first->member; i++)
			if (kind == COUNTS_TOTAL || part_of(&c->rows[i], kind).hits)
				emit_probe(&e, &c->rows[i], kind);
		emit_end(&e);
	}
}

/* ---------------------------------------------------------------------- all */

void counts_print(struct counts_output *out, struct counts *c, enum counts_kind kind)
{
	if (out->format > FORMAT_TEXT)
		emit_table(out, c, kind);
	else if (kind == COUNTS_TOTAL)
		text_total(out, c);
	else
		text_interval(out, c);
	out->started = true;
	fflush(out->file);
	for (size_t i = 0; i < c->count; i++)
		c->rows[i].table = c->rows[i].now;
}
