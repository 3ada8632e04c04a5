/*
 * The verb count: count the hits of probes in running processes, or in a program that it starts,
 * and leave them as found.
 *
 * Owns the order: count, wait, read, print, undo, read a last time. What is read after the undo is
 * final: no hit is missed. A probe that costs more than -max-overhead is uncounted by itself.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ui/cli/counts.h"
#include "ui/cli/measure.h"
#include "ui/cli/run_until.h"
#include "ui/cli/verbs.h"
#include "ui/figures/counting.h"
#include "ui/output/outbuf.h"
#include "ui/words/now.h"
#include "ui/words/report.h"

#define MOST_ROWS 20 /* of a table on a terminal, without -verbose */

struct count {
	struct measure measure;
	const struct options *options;
	struct counts counts;
	struct counts_output output;
	bool complained; /* the hits of a process could not be read */
};

/* ---------------------------------------------------------------- beginning */

static void put_reason(void *data, size_t sites, const char *why)
{
	(void)data;
	report_more("%zu site%s: %s", sites, sites == 1 ? "" : "s", why);
}

/* Count in one process. Returns the exit status. */
static int count_one(void *data, const struct probes_member *t)
{
	struct count *c = data;
	const struct options *o = c->options;
	struct probes_result *result;
	struct probes_action action;
	size_t *indices = NULL;
	struct probes_error e;
	struct counting now;
	char line[200];
	int status;

	status = act_open(&c->measure.act, t);
	if (status)
		return status;
	if (measure_choose(t->session, o, &indices, &action, &e) < 0)
		status = explain_error(t, &e, c->measure.act.many);
	else
		status = measure_count(&c->measure, t, &action, &result);
	free(indices);
	if (status)
		return status;
	/* From here on hits are shown: who reads that it counts may rely on it. */
	status = counts_add(&c->counts, t, result, &e);
	if (status == 0 && probes_read_hits(t->session, &e) == 0)
		counts_begin(&c->counts, t);
	if (status < 0)
		status = explain_error(t, &e, c->measure.act.many);
	now = counting_of(t->pid, result);
	now.stops = o->stop;
	if (!o->quiet)
		report_line("%s", counting_text(&now, line, sizeof line));
	if (!o->quiet && o->actions.items[0].by != PROBES_BY_NAME)
		explain_unreadable(t, o->verbose);
	if (!status)
		status = act_tell(&c->measure.act, t, result);
	/* A dry run exits as the counting itself would. */
	if (!status && result->no_room)
		status = PROBES_REFUSED;
	probes_result_free(result);
	return status;
}

/* Is any site counted? Else say why none is. */
static bool is_counting(void *data)
{
	const struct counts *counts = &((struct count *)data)->counts;

	for (size_t i = 0; i < counts->count; i++)
		if (counts->rows[i].counted)
			return true;
	report_line("no site can be counted%s", counts->stop_sites     ? "; try -stop"
						: counts->kernel_sites ? "; as root, try -kernel"
								       : "");
	counts_reasons(counts, put_reason, NULL);
	return false;
}

/* ------------------------------------------------------------------ counting */

static void read_all(void *data)
{
	struct count *c = data;
	struct probes_error e;

	c->measure.hold.watches = false;
	for (size_t i = 0; i < probes_group_count(c->measure.group); i++) {
		const struct probes_member *t = probes_group_at(c->measure.group, i);
		int r;

		if (!t->session)
			continue;
		r = probes_read_hits(t->session, &e);
		/* Of one that has ended, the last reading holds all. */
		c->measure.hold.watches =
			c->measure.hold.watches || (r == 0 && counts_go_on(&c->counts, t));
		if (r < 0 && e.status != PROBES_GONE && !c->complained) {
			explain_error(t, &e, c->measure.act.many);
			c->complained = true;
		}
		counts_read(&c->counts, t);
	}
}

/* Uncount these probes of one process: each cost more than -max-overhead since the last look. */
static bool uncount(
	struct count *c, const struct probes_member *t, const size_t *probes, size_t count)
{
	struct probes_action action = {
		.verb = PROBES_UNCOUNT, .by = PROBES_BY_INDEX, .indices = probes, .count = count};
	struct probes_result *result = NULL;
	struct probes_error e;
	bool done = probes_switch(t->session, &action, 1, NULL, &result, &e) == 0;

	if (!done)
		explain_error(t, &e, c->measure.act.many);
	else if (result)
		act_note(&c->measure.act, "uncount", t, result);
	probes_result_free(result);
	return done;
}

/* A probe that cost more than -max-overhead, in the time between two checks. */
struct over {
	const struct probes_probe *probe;
	uint64_t hits;
	int64_t ns;
	double hit_ns;
};

static void put_over(const struct probes_member *t, const struct over *over, double max_percent)
{
	char cost[200];

	report_line("pid %d: %s:%s is no longer counted: %s", t->pid, over->probe->provider,
		over->probe->name,
		counting_over_text(
			over->hits, over->hit_ns, over->ns, max_percent, cost, sizeof cost));
}

static void collect_budget(struct count *c)
{
	struct counts_row *rows = c->counts.rows;
	size_t *probes = calloc(c->counts.count + 1, sizeof *probes);
	struct over *over = calloc(c->counts.count + 1, sizeof *over);

	for (size_t i = 0; probes && over && i < c->counts.count;) {
		const struct probes_member *t = rows[i].member;
		size_t count = 0;

		for (; i < c->counts.count && rows[i].member == t; i++) {
			struct counts_row *row = &rows[i];
			struct counting_cost cost = {0};
			struct over one = {.probe = probes_at(t->session, row->probe),
				.hits = row->now.hits - row->check.hits,
				.ns = row->now.ns - row->check.ns};

			counting_cost_add(&cost, t->session, row->probe);
			one.hit_ns = counting_hit_ns(&cost);
			row->check = row->now;
			/* The hits of other processes cost this one nothing. */
			if (row->over || row->shared ||
				!counting_exceeds(
					one.hits, one.hit_ns, one.ns, c->options->max_overhead))
				continue;
			row->over = true;
			over[count] = one;
			probes[count++] = row->probe;
		}
		/* It is said when it is true. */
		if (count && uncount(c, t, probes, count))
			for (size_t k = 0; k < count; k++)
				put_over(t, &over[k], c->options->max_overhead);
	}
	free(over);
	free(probes);
}

static void put_lost(const struct counts_row *row, size_t probes)
{
	const struct probes_probe *p = probes_at(row->member->session, row->probe);

	report_line("pid %d: %zu probe%s (%s:%s%s) %s counted at fewer sites now: another "
		    "program or session removed jumps, or the library was reloaded; hits since "
		    "then may be missing",
		row->member->pid, probes, probes == 1 ? "" : "s", p->provider, p->name,
		probes == 1 ? "" : ", ...", probes == 1 ? "is" : "are");
}

static void put_unguarded(const struct counts_row *row)
{
	const struct probes_probe *p = probes_at(row->member->session, row->probe);

	report_line("pid %d: the semaphore of %s:%s fell to 0: another program or session lowered "
		    "it, and the process skips the probe; hits since then may be missing",
		row->member->pid, p->provider, p->name);
}

/* Are all jumps still there? A probe that is no longer counted must not look like one not hit. */
static void look_all(struct count *c, bool last)
{
	const struct counts_row *first;
	struct probes_error e;

	for (size_t i = 0; i < probes_group_count(c->measure.group); i++) {
		const struct probes_member *t = probes_group_at(c->measure.group, i);
		size_t lost;

		if (!t->session || probes_refresh(t->session, NULL, 0, &e) < 0)
			continue;
		lost = counts_look(&c->counts, t, last, &first);
		if (lost) {
			put_lost(first, lost);
			explain_count(&c->measure.hold.ends, PROBES_FAILED);
		}
		while ((first = counts_unguarded(&c->counts, t))) {
			put_unguarded(first);
			explain_count(&c->measure.hold.ends, PROBES_FAILED);
		}
	}
}

static void check_all(void *data, int64_t ns)
{
	(void)ns; /* each row has its own */
	collect_budget(data);
	look_all(data, false);
}

static void put_table(void *data)
{
	struct count *c = data;

	counts_print(&c->output, &c->counts, COUNTS_INTERVAL);
}

/* Count, undo, and print the totals. *sig: what ended it, or 0. Returns the exit status. */
static int count_and_undo(void *data, int *sig)
{
	struct count *c = data;
	int status = measure_resume(&c->measure);

	if (status)
		return status;
	read_all(c);
	*sig = measure_wait(&c->measure);
	look_all(c, true);
	read_all(c);
	c->counts.ended = true;
	run_until_undo(&c->measure.hold);
	read_all(c);
	counts_print(&c->output, &c->counts, COUNTS_TOTAL);
	return PROBES_OK;
}

/* ------------------------------------------------------------------ the verb */

int count_run(const struct options *o)
{
	static const struct measure_ops ops = {.verb = "count",
		.held = "counted",
		.looks = true,
		.begin = count_one,
		.any = is_counting,
		.measure = count_and_undo,
		.read = read_all,
		.check = check_all,
		.table = put_table};
	struct count c = {.options = o};
	int status;

	c.measure.file = measure_output(o);
	if (!c.measure.file)
		return PROBES_FAILED;
	counts_output_init(&c.output, c.measure.file, o);
	if (isatty(fileno(c.measure.file)) && o->format <= FORMAT_TEXT && !o->verbose)
		c.output.most = MOST_ROWS;
	status = measure_run(&c.measure, o, &ops, &c);
	counts_done(&c.counts);
	return status;
}
