/*
 * The verb latency: measure how long it takes from one probe to another, in running processes or in
 * a program that it starts, and leave them as found.
 *
 * Owns the order: count the sites of both probes, measure, wait, read, stop measuring, undo, print.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/cli/latency_print.h"
#include "ui/cli/measure.h"
#include "ui/cli/record_file.h"
#include "ui/cli/run_until.h"
#include "ui/cli/verbs.h"
#include "ui/figures/counting.h"
#include "ui/figures/latency.h"
#include "ui/output/outbuf.h"
#include "ui/words/line.h"
#include "ui/words/now.h"
#include "ui/words/reasons.h"
#include "ui/words/report.h"

struct latency {
	struct measure measure;
	const struct options *options;
	struct latency_list list;
	struct record_file record;
};

/* ---------------------------------------------------------------- beginning */

/* The one probe of a name. */
static int find_one(struct probes_session *session, const struct options *o, const char *name,
	size_t *probe, struct probes_error *e)
{
	struct probes_switch_options narrow = options_switch(o);
	char what[300];
	size_t *some, count;
	int r = probes_find(session, PROBES_BY_NAME, name, &narrow, &some, &count, e);

	if (r < 0)
		return r;
	*probe = some[0];
	free(some);
	if (count == 1)
		return 0;
	snprintf(what, sizeof what, "cannot measure %s", outbuf_safe(name));
	return report_set(e, PROBES_USAGE, -EINVAL, what, "choose one with -object",
		"%zu files have such a probe", count);
}

/* The sites of both probes, and how many of them are counted. */
static void count_sites(struct latency_row_of *row)
{
	for (int i = 0; i < 2; i++) {
		size_t probe = i ? row->end : row->start;

		row->sites += probes_at(row->member->session, probe)->site_count;
		row->counted += probes_live_at(row->member->session, probe)->sites_counted;
	}
}

/* "measuring a:start -> a:end by thread in process 12; 1 of 3 sites cannot be counted" */
static void put_beginning(const struct latency_row_of *row, unsigned by)
{
	struct probes_session *session = row->member->session;
	char key[16], text[600];
	struct line l = {.text = text, .size = sizeof text};

	line_add(&l, "measuring %s -> ", outbuf_probe(probes_at(session, row->start)));
	line_add(&l, "%s by %s in process %d", outbuf_probe(probes_at(session, row->end)),
		latency_key(by, key, sizeof key), (int)row->member->pid);
	if (row->counted < row->sites)
		line_add(&l,
			"; %u of %u sites cannot be counted: pairs that pass there are missing",
			(unsigned)(row->sites - row->counted), (unsigned)row->sites);
	report_line("%s", text);
}

/* Say of each probe why sites of it are not counted. */
static void put_reasons(const struct latency_row_of *row, size_t stop_sites)
{
	for (int i = 0; i < 2; i++) {
		size_t probe = i ? row->end : row->start;
		const struct probes_probe *p = probes_at(row->member->session, probe);

		struct reasons reasons = {0};

		reasons_add(&reasons, row->member->session, probe);
		for (size_t k = 0; k < reasons.count; k++)
			report_more("%s, %zu site%s: %s", outbuf_probe(p), reasons.all[k].sites,
				line_s(reasons.all[k].sites), reasons.all[k].why);
	}
	if (stop_sites)
		report_more("-stop would count %zu more", stop_sites);
}

/* Measure in one process. Returns the exit status. */
static int measure_one(void *data, const struct probes_member *t)
{
	struct latency *c = data;
	struct latency_row_of *row = reallocarray(c->list.rows, c->list.count + 1, sizeof *row);
	const struct options *o = c->options;
	const struct probes_action *pair = &o->actions.items[0];
	struct probes_result *result;
	struct probes_action action = {.verb = PROBES_COUNT, .by = PROBES_BY_INDEX, .count = 2};
	struct probes_error e;
	size_t both[2];
	int status;

	if (!row) {
		report_line("out of memory");
		return PROBES_FAILED;
	}
	c->list.rows = row;
	row += c->list.count;
	*row = (struct latency_row_of){.member = t};
	status = act_open(&c->measure.act, t);
	if (status)
		return status;
	action.indices = both;
	if (find_one(t->session, o, pair->text, &row->start, &e) < 0 ||
		find_one(t->session, o, pair->second, &row->end, &e) < 0 ||
		probes_latency_check(t->session, row->start, row->end, o->by, &e) < 0)
		return explain_error(t, &e, c->measure.act.many);
	record_file_describe(
		&c->record, t->session, (size_t[]){row->start, row->end}, 2, row->numbers);
	both[0] = row->end;
	both[1] = row->start;
	status = measure_count(&c->measure, t, &action, &result);
	if (status)
		return status;
	row->stopped_ns = result->stopped_ns;
	count_sites(row);
	status = act_tell(&c->measure.act, t, result);
	if (!status && probes_latency_begin(t->session, row->start, row->end, o->by, &e) < 0) {
		status = explain_error(t, &e, c->measure.act.many);
		put_reasons(row, result->stop_sites);
	} else if (!status) {
		c->list.count++;
		if (!o->quiet)
			put_beginning(row, o->by);
		if (!o->quiet && row->counted < row->sites)
			put_reasons(row, result->stop_sites);
	}
	probes_result_free(result);
	return status;
}

/* ------------------------------------------------------------------ measuring */

static void read_all(void *data)
{
	struct latency *c = data;
	struct probes_error e;

	/* Of one that has ended, or is no longer measured, the last reading holds all. */
	for (size_t i = 0; i < c->list.count; i++) {
		struct latency_row_of *row = &c->list.rows[i];

		if (!row->over && !probes_latency_read(row->member->session, &row->now, &e))
			c->list.now = row->read = now_ns();
	}
}

static const char *all_over(void *data)
{
	const struct latency *c = data;

	for (size_t i = 0; i < c->list.count; i++)
		if (!c->list.rows[i].over)
			return NULL;
	return "-max-overhead was exceeded";
}

/* What costs more than -max-overhead is measured no longer; what was measured stays. */
static void check_all(void *data, int64_t ns)
{
	struct latency *c = data;

	for (size_t i = 0; i < c->list.count; i++) {
		struct latency_row_of *row = &c->list.rows[i];
		uint64_t pairs = row->now.matched + row->now.nested, more = pairs - row->checked;
		struct probes_error e;
		char text[48];

		row->checked = pairs;
		if (row->over ||
			!counting_exceeds(more, LATENCY_PAIR_NS, ns, c->options->max_overhead))
			continue;
		probes_latency_end(row->member->session);
		if (!probes_latency_read(row->member->session, &row->now, &e))
			row->read = now_ns();
		row->over = true;
		report_line(
			"pid %d: no longer measured: at about %d ns a pair it cost an estimated %s "
			"%% of a core, and -max-overhead is %g",
			(int)row->member->pid, LATENCY_PAIR_NS,
			counting_rate_text(
				counting_overhead(more, LATENCY_PAIR_NS, ns), text, sizeof text),
			c->options->max_overhead);
	}
}

/* Print a table, and record it. */
static void put_table(struct latency *c, bool total)
{
	for (size_t i = 0; i < c->list.count; i++) {
		struct latency_row_of *row = &c->list.rows[i];
		struct recording_latency line = {.start = row->numbers[0],
			.end = row->numbers[1],
			.row = i,
			.rows = c->list.count,
			.by = c->list.by,
			.total = total,
			.over = row->over,
			.sites = row->sites,
			.counted = row->counted,
			.stopped_ns = row->stopped_ns,
			.began = c->list.began,
			.read = row->read,
			.now = c->list.now,
			.latency = row->now};

		row->pid = row->member->pid;
		row->prog = probes_path(row->member->session);
		row->probes[0] = probes_at(row->member->session, row->start);
		row->probes[1] = probes_at(row->member->session, row->end);
		if (record_file_goes_on(&c->record))
			recording_put_latency(&c->record.lines, &line);
	}
	record_file_flush(&c->record);
	latency_print(c->measure.file, c->options, &c->list, total);
}

static void put_interval(void *data)
{
	put_table(data, false);
}

/* Measure, undo, and print the totals. *sig: what ended it, or 0. Returns the exit status. */
static int measure_and_undo(void *data, int *sig)
{
	struct latency *c = data;
	int status = measure_resume(&c->measure);

	if (status)
		return status;
	c->list.began = c->list.now = c->list.table = now_ns();
	for (size_t i = 0; i < c->list.count; i++)
		c->list.rows[i].read = c->list.began;
	*sig = measure_wait(&c->measure);
	for (size_t i = 0; i < c->list.count; i++)
		probes_latency_end(c->list.rows[i].member->session);
	read_all(c);
	run_until_undo(&c->measure.hold);
	put_table(c, true);
	return PROBES_OK;
}

/* ------------------------------------------------------------------ the verb */

int latency_run(const struct options *o)
{
	static const struct measure_ops ops = {.verb = "latency",
		.held = "measured",
		.begin = measure_one,
		.measure = measure_and_undo,
		.read = read_all,
		.check = check_all,
		.table = put_interval,
		.over = all_over};
	struct latency c = {.options = o};
	struct recording_end end = {0};
	int status;

	outbuf_outlive();
	status = record_file_open(&c.record, o, "latency");
	if (status)
		return status;
	c.measure.file = measure_output(o);
	if (!c.measure.file)
		return record_file_close(&c.record, NULL, PROBES_FAILED);
	c.list.by = o->by;
	status = measure_run(&c.measure, o, &ops, &c);
	end.how = c.measure.how;
	end.seconds = (double)(c.list.now - c.list.began) / 1e9;
	end.over = all_over(&c);
	status = record_file_close(&c.record, c.measure.how ? &end : NULL, status);
	free(c.list.rows);
	return status;
}
