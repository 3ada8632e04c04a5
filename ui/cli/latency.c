/*
 * The verb latency: measure how long it takes from one probe to another, in running processes or in
 * a program that it starts, and leave them as found.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ui/cli/latency_print.h"
#include "ui/cli/measure.h"
#include "ui/cli/record_file.h"
#include "ui/cli/result.h"
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
	size_t numbers[2]; /* in it: of the pair in the process that begins */
};

/* ---------------------------------------------------------------- beginning */

/* Say of each probe why sites of it are not counted. */
static void put_reasons(const struct latency_row_of *row)
{
	for (int i = 0; i < 2; i++) {
		size_t probe = i ? row->end : row->start;
		struct reasons reasons = {0};

		reasons_add(&reasons, row->member->session, probe);
		reasons_tell(&reasons, outbuf_probe(probes_at(row->member->session, probe)));
	}
	if (row->stop_sites)
		report_more("-stop would count %zu more", row->stop_sites);
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
	if (row->counted < row->sites)
		put_reasons(row);
}

/* Are its pairs among those of another process, which is measured, too? Then it has no table. */
static bool is_shared(const struct probes_member *t, bool quiet)
{
	struct probes_latency now;
	struct probes_error e;

	if (probes_latency_read(t->session, &now, &e) < 0)
		return false;
	if (now.shared && !quiet)
		report_line(
			"pid %d: its pairs are among those of process %d: it shares its counters",
			(int)t->pid, (int)now.shared);
	return now.shared;
}

static int choose(void *data, struct probes_session *session, struct probes_action *action,
	struct probes_error *e)
{
	struct latency *c = data;
	const struct options *o = c->options;
	const struct probes_action *pair = &o->actions.items[0];
	size_t start, end, *both;

	if (measure_find_one(session, o, pair->text, &start, e) < 0 ||
		measure_find_one(session, o, pair->second, &end, e) < 0 ||
		probes_latency_check(session, start, end, o->by, e) < 0)
		return -EINVAL;
	both = calloc(2, sizeof *both);
	*action = (struct probes_action){
		.verb = PROBES_COUNT, .by = PROBES_BY_INDEX, .indices = both, .count = 2};
	if (!both)
		return probes_failed(e, -ENOMEM, "cannot measure");
	/* The end first: then no start is left open by that. */
	both[0] = end;
	both[1] = start;
	record_file_describe(&c->record, session, (size_t[]){start, end}, 2, c->numbers);
	return 0;
}

/* Measure in one process. Returns the exit status. */
static int begin(void *data, const struct probes_member *t, const struct probes_action *action,
	const struct probes_result *result)
{
	struct latency *c = data;
	struct latency_row_of *row = reallocarray(c->list.rows, c->list.count + 1, sizeof *row);
	struct probes_error e;
	int status;

	if (!row) {
		report_line("out of memory");
		return PROBES_FAILED;
	}
	c->list.rows = row;
	row += c->list.count;
	*row = (struct latency_row_of){.member = t,
		.start = action->indices[1],
		.end = action->indices[0],
		.stopped_ns = result->stopped_ns,
		.stop_sites = result->stop_sites};
	memcpy(row->numbers, c->numbers, sizeof c->numbers);
	for (size_t i = 0; i < action->count; i++) {
		row->sites += probes_at(t->session, action->indices[i])->site_count;
		row->counted += probes_live_at(t->session, action->indices[i])->sites_counted;
	}
	status = act_tell(&c->measure.act, t, result);
	if (!status &&
		probes_latency_begin(t->session, row->start, row->end, c->options->by, &e) < 0) {
		status = explain_error(t, &e, c->measure.act.many);
		put_reasons(row);
	} else if (!status && !is_shared(t, c->options->quiet)) {
		c->list.count++;
	}
	return status;
}

/* ------------------------------------------------------------------ measuring */

static void read_all(void *data)
{
	struct latency *c = data;
	struct probes_error e;

	/* Of one that has ended, or is no longer measured, the last reading holds all. */
	for (struct latency_row_of *row = c->list.rows; row < c->list.rows + c->list.count; row++)
		if (!row->over && !probes_latency_read(row->member->session, &row->now, &e))
			c->list.now = row->read = now_ns();
}

static const char *all_over(void *data)
{
	const struct latency *c = data;

	for (size_t i = 0; i < c->list.count; i++)
		if (!c->list.rows[i].over)
			return NULL;
	return "-max-overhead was exceeded";
}

/* End measuring in a process (NULL: in all), and where its pairs come from. */
static void end_measuring(struct latency *c, const struct probes_member *only)
{
	for (size_t i = 0; i < probes_group_count(c->measure.group); i++) {
		const struct probes_member *t = probes_group_at(c->measure.group, i);
		struct probes_latency now = {0};
		struct probes_error e;

		if (!t->session)
			continue;
		if (only && t != only &&
			(probes_latency_read(t->session, &now, &e) < 0 || now.shared != only->pid))
			continue;
		probes_latency_end(t->session);
	}
}

/* What costs more than -max-overhead is measured no longer; what was measured stays. */
static void check_all(void *data, int64_t ns)
{
	struct latency *c = data;

	for (struct latency_row_of *row = c->list.rows; row < c->list.rows + c->list.count; row++) {
		uint64_t pairs = row->now.matched + row->now.nested, more = pairs - row->checked;
		struct probes_error e;
		char text[200];

		row->checked = pairs;
		if (row->over ||
			!counting_exceeds(more, PROBES_PAIR_NS, ns, c->options->max_overhead))
			continue;
		end_measuring(c, row->member);
		if (!probes_latency_read(row->member->session, &row->now, &e))
			row->read = now_ns();
		row->over = true;
		report_line("pid %d: no longer measured: %s", (int)row->member->pid,
			counting_over_text("pair", more, PROBES_PAIR_NS, ns,
				c->options->max_overhead, text, sizeof text));
	}
}

/* Print a table, and record it. */
static void put_table(struct latency *c, bool total)
{
	for (size_t i = 0; i < c->list.count; i++) {
		struct latency_row_of *row = &c->list.rows[i];
		const struct run_until *hold = &c->measure.hold;
		uint32_t lost = run_until_lost(hold, row->member, row->start) +
				run_until_lost(hold, row->member, row->end);
		struct recording_latency line = {.start = row->numbers[0],
			.end = row->numbers[1],
			.row = i,
			.rows = c->list.count,
			.by = c->list.by,
			.total = total,
			.over = row->over,
			.sites = row->sites,
			.counted = row->counted,
			.sites_lost = row->sites_lost = row->over ? row->sites_lost : lost,
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

/*
 * Begin the time of all, and say so: the pairs of those that were ready before the last one do not
 * count until then, since no time does.
 */
static void start(void *data)
{
	struct latency *c = data;
	struct probes_error e;

	for (size_t i = 0; i < c->list.count; i++)
		if (probes_latency_reset(c->list.rows[i].member->session, &e) < 0)
			explain_error(c->list.rows[i].member, &e, c->measure.act.many);
	c->list.began = c->list.now = c->list.table = now_ns();
	for (struct latency_row_of *row = c->list.rows; row < c->list.rows + c->list.count; row++) {
		row->read = c->list.began;
		if (!c->options->quiet)
			put_beginning(row, c->list.by);
	}
}

static void stop(void *data)
{
	end_measuring(data, NULL);
	read_all(data);
}

static void put_total(void *data)
{
	put_table(data, true);
}

int latency_run(const struct options *o)
{
	static const struct measure_ops ops = {.verb = "latency",
		.held = "measured",
		.choose = choose,
		.begin = begin,
		.start = start,
		.read = read_all,
		.check = check_all,
		.table = put_interval,
		.over = all_over,
		.stop = stop,
		.end = put_total};
	struct latency c = {.options = o};
	struct recording_end end = {0};
	int status;

	outbuf_outlive();
	status = record_file_open(&c.record, o, "latency");
	if (status)
		return status;
	c.measure.file = result_open(o);
	if (!c.measure.file)
		return record_file_close(&c.record, NULL, PROBES_FAILED);
	c.list.by = o->by;
	status = measure_run(&c.measure, o, &ops, &c);
	end.how = c.measure.how;
	end.seconds = (double)(c.list.now - c.list.began) / 1e9;
	end.over = all_over(&c);
	end.sites_lost = c.measure.hold.lost_count;
	status = record_file_close(&c.record, c.measure.how ? &end : NULL, status);
	free(c.list.rows);
	return status;
}
