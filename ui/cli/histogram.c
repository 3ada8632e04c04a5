/*
 * The verb histogram: the distribution of an argument of a probe, in running processes or in a
 * program that it starts, and leave them as found. collect.c keeps and reads the events.
 */
#include <errno.h>
#include <stdlib.h>

#include "ui/cli/collect.h"
#include "ui/cli/histogram_print.h"
#include "ui/cli/verbs.h"
#include "ui/output/outbuf.h"
#include "ui/words/now.h"
#include "ui/words/report.h"

struct histogram {
	struct collect collect;
	struct histogram_list list;
	uint64_t delivered; /* for -max */
};

/* The probe is one. */
static int check(void *data, struct probes_session *session, const struct probes_action *action,
	struct probes_error *e)
{
	struct histogram *c = data;
	char what[300];

	if (action->count == 1) {
		/* The first look may take a second: not while events are kept. */
		(void)probes_argument_name(
			session, action->indices[0], 0, c->collect.options->argument);
		return 0;
	}
	snprintf(what, sizeof what, "cannot make a histogram of %s",
		outbuf_safe(c->collect.options->actions.items[0].text));
	return report_set(e, PROBES_USAGE, -EINVAL, what, "choose one with -object",
		"%zu files have such a probe", action->count);
}

static bool begin(void *data, struct collect_process *process)
{
	struct histogram *c = data;
	struct histogram_row *row = calloc(1, sizeof *row), **rows;

	rows = reallocarray(c->list.rows, c->list.count + 1, sizeof(void *));
	if (rows)
		c->list.rows = rows;
	if (!row || !rows) {
		free(row);
		return false;
	}
	row->member = process->member;
	row->probe = process->probes[0].probe;
	row->sites = probes_at(row->member->session, row->probe)->site_count;
	row->counted = collect_sites(process, row->probe);
	process->own = rows[c->list.count++] = row;
	return true;
}

static bool take(
	void *data, const struct collect_process *process, const struct probes_event *event)
{
	const struct probes_value none = {.kind = PROBES_VALUE_UNREADABLE};
	struct histogram *c = data;
	struct histogram_row *row = process->own;
	size_t n = c->list.argument - 1;

	distribution_add(&row->part, n < event->count ? &event->values[n] : &none);
	return ++c->delivered != c->collect.options->most;
}

static void read_lost(struct histogram *c)
{
	const struct recording_end *end = &c->collect.pass.end;

	for (size_t i = 0; i < c->list.count; i++) {
		struct histogram_row *row = c->list.rows[i];

		row->lost = probes_events(row->member->session).lost;
		row->sites_lost = run_until_lost(&c->collect.measure.hold, row->member, row->probe);
		row->over = collect_over(&c->collect.processes[i], &row->only_counted) || end->over;
	}
	c->list.lost = c->collect.replay ? collect_end(&c->collect).lost : 0;
	c->list.only_counted = end->only_counted;
	c->list.sites_lost = end->sites_lost;
	c->list.now = c->collect.ended ? c->collect.ended : now_ns();
	if (!c->list.began)
		c->list.began = c->list.table = c->collect.began;
}

static void put_interval(void *data)
{
	struct histogram *c = data;

	read_lost(c);
	histogram_print(c->collect.measure.file, c->collect.options, &c->list, false);
}

static void put_end(void *data)
{
	struct histogram *c = data;

	read_lost(c);
	histogram_print(c->collect.measure.file, c->collect.options, &c->list, true);
}

int histogram_run(const struct options *o)
{
	static const struct collect_ops ops = {.verb = "histogram",
		.check = check,
		.begin = begin,
		.take = take,
		.table = put_interval,
		.end = put_end};
	struct histogram c = {.list.argument = o->argument};
	int status = collect_open(&c.collect, o);

	if (status)
		return status;
	c.collect.events.arguments = c.collect.shown = 1u << (o->argument - 1);
	status = collect_run(&c.collect, &ops, &c);
	for (size_t i = 0; i < c.list.count; i++) {
		distribution_done(&c.list.rows[i]->part);
		distribution_done(&c.list.rows[i]->total);
		free(c.list.rows[i]);
	}
	free(c.list.rows);
	collect_done(&c.collect);
	return status;
}
