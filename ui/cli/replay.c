/*
 * The verb replay: print what a recording holds as events, histogram and callers print what they
 * measure, the latency of a pair of its events, or what latency recorded. collect_replay.c delivers
 * the events.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "ui/cli/collect.h"
#include "ui/cli/latency_print.h"
#include "ui/cli/verbs.h"
#include "ui/figures/pairing.h"
#include "ui/output/outbuf.h"
#include "ui/words/reasons.h"
#include "ui/words/report.h"

struct pairs {
	struct collect collect;
	struct latency_list list;
	struct recording_end end;
};

/* > 0: the process has not both. */
static int check(void *data, struct probes_session *session, const struct probes_action *action,
	struct probes_error *e)
{
	const struct options *o = ((const struct pairs *)data)->collect.options;

	for (size_t i = 0, probe; i < 2; i++) {
		int r = measure_find_one(session, o, o->actions.items[i].text, &probe, e);

		if (r == -ENOENT)
			return report_set(e, PROBES_USAGE, 1, "-latency", "", "%s",
				"no process of the recording has both probes");
		if (r < 0)
			return r;
	}
	return action->indices[0] != action->indices[1]
		       ? 0
		       : report_set(e, PROBES_USAGE, -EINVAL, "-latency", "",
				 "start and end are the same probe");
}

static bool begin(void *data, struct collect_process *process)
{
	struct pairs *c = data;
	struct latency_row_of *row = reallocarray(c->list.rows, c->list.count + 1, sizeof *row);
	struct pairing *pairing = calloc(1, sizeof *pairing);

	c->list.rows = row ? row : c->list.rows;
	process->own = pairing;
	if (!row || !pairing)
		return false;
	pairing->by = c->list.by;
	row += c->list.count++;
	*row = (struct latency_row_of){.member = process->member,
		.start = process->probes[0].probe,
		.end = process->probes[1].probe};
	for (int i = 0; i < 2; i++) {
		size_t probe = i ? row->end : row->start;

		row->probes[i] = probes_at(row->member->session, probe);
		row->sites += row->probes[i]->site_count;
		row->counted += collect_sites(process, probe);
	}
	row->pid = row->member->pid;
	row->prog = probes_path(row->member->session);
	return true;
}

static bool take(
	void *data, const struct collect_process *process, const struct probes_event *event)
{
	struct pairs *c = data;
	const struct latency_row_of *row = &c->list.rows[process - c->collect.processes];

	pairing_add(process->own, event->probe == row->end, event);
	return true;
}

static void put_end(void *data)
{
	struct pairs *c = data;
	char gone[100];

	c->end = collect_end(&c->collect);
	c->list.of = &c->end;
	c->list.now = c->collect.ended - c->collect.began;
	for (size_t i = 0; i < c->list.count; i++) {
		c->list.rows[i].read = c->list.now;
		c->list.rows[i].now = ((struct pairing *)c->collect.processes[i].own)->sum;
	}
	latency_print(c->collect.measure.file, c->collect.options, &c->list, true);
	if (c->end.lost || c->end.undecided)
		report_line("events lost: %" PRIu64 ", left out: %" PRIu64
			    "; a start without an end, or an end without a start, may have had "
			    "one, and pairs may be wrong",
			c->end.lost, c->end.undecided);
	if (c->end.sites_lost)
		report_line("%s, and pairs may be wrong",
			reasons_lost(c->end.sites_lost, gone, sizeof gone));
}

static int pairs_run(const struct options *o)
{
	static const struct collect_ops ops = {
		.check = check, .begin = begin, .take = take, .end = put_end};
	struct pairs c = {.list.by = o->by};
	int status = collect_open(&c.collect, o);

	if (status)
		return status;
	c.collect.events.arguments = o->by ? 1u << (o->by - 1) : 0;
	status = collect_run(&c.collect, &ops, &c);
	for (size_t i = 0; i < c.collect.count && c.collect.processes[i].own; i++) {
		pairing_done(c.collect.processes[i].own);
		free(c.collect.processes[i].own);
	}
	free(c.list.rows);
	collect_done(&c.collect);
	return status;
}

int replay_run(const struct options *o)
{
	struct options with = *o;
	struct probes_action names[2] = {{.by = PROBES_BY_ALL}};

	outbuf_outlive();
	if (o->pair.count) {
		names[0] = (struct probes_action){.text = o->pair.items[0].text};
		names[1] = (struct probes_action){.text = o->pair.items[0].second};
	}
	if (!o->actions.count)
		with.actions = (struct actions){.items = names, .count = 1 + o->pair.count};
	return o->pair.count ? pairs_run(&with)
	       : o->argument ? histogram_run(&with)
	       : o->callers  ? callers_run(&with)
			     : events_run(&with);
}
