/*
 * The verb events: print the hits of probes as they come, in running processes or in a program that
 * it starts, and leave them as found. collect.c keeps and reads them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ui/cli/collect.h"
#include "ui/cli/events_print.h"
#include "ui/cli/record_file.h"
#include "ui/cli/verbs.h"
#include "ui/figures/counting.h"
#include "ui/output/outbuf.h"
#include "ui/words/line.h"
#include "ui/words/report.h"

struct events {
	struct collect collect;
	struct events_print print;
	struct record_file record;
	size_t *numbers;          /* in the recording: of the probes of the process that begins */
	struct recording_end end; /* how: NULL: nothing was kept */
};

/* A probe of a process, by the index of its session. */
struct shown {
	enum pair_role role; /* in FORMAT_CHROME */
	size_t number;       /* in the recording */
	bool rated;          /* its last rate was not 0 */
};

/* Describe a process in the recording, before its events are kept. */
static int prepare(void *data, struct probes_session *session, const struct probes_action *action,
	struct probes_error *e)
{
	struct events *c = data;

	free(c->numbers);
	c->numbers = calloc(action->count + 1, sizeof *c->numbers);
	if (!c->numbers)
		return probes_failed(e, -ENOMEM, "cannot record events");
	record_file_describe(&c->record, session, action->indices, action->count, c->numbers);
	return 0;
}

/*
 * Are the hits of a probe events? A forked child may share its counters with its parent: the
 * parent's session, which began before, keeps the events of both.
 */
static bool is_kept(const struct events *c, const struct probes_session *session, size_t probe)
{
	const struct probes_probe *p = probes_at(session, probe);
	bool kept = probes_cost(session, probe).event_ns;

	for (size_t i = 0; !kept && i < c->collect.count; i++) {
		const struct collect_process *other = &c->collect.processes[i];

		for (size_t k = 0; !kept && k < other->count; k++) {
			size_t its = other->probes[k].probe;
			const struct probes_probe *q = probes_at(other->member->session, its);

			kept = !strcmp(p->name, q->name) && !strcmp(p->provider, q->provider) &&
			       probes_cost(other->member->session, its).event_ns;
		}
	}
	return kept;
}

/* Is every hit of a probe an event? */
static bool is_whole(const struct events *c, const struct collect_process *process, size_t probe)
{
	const struct probes_session *session = process->member->session;
	const struct probes_condition *filter = c->collect.filter;
	uint32_t sites = collect_sites(process, probe);
	unsigned texts;

	return sites && sites == probes_at(session, probe)->site_count &&
	       (process->recorded || is_kept(c, session, probe)) &&
	       !(filter && probes_condition_arguments(filter, &texts));
}

static bool begin(void *data, struct collect_process *process)
{
	struct events *c = data;
	struct probes_session *session = process->member->session;
	struct chrome_probe *all = calloc(process->count + 1, sizeof *all);
	struct shown *shown = calloc(probes_count(session) + 1, sizeof *shown);
	struct probes_process_info info;
	struct probes_error e;

	process->own = shown;
	for (size_t i = 0; all && shown && i < process->count; i++) {
		size_t probe = process->probes[i].probe;

		all[i] = (struct chrome_probe){.provider = probes_at(session, probe)->provider,
			.name = probes_at(session, probe)->name,
			.whole = is_whole(c, process, probe)};
		shown[probe].number = c->numbers[i];
		if (record_file_goes_on(&c->record) && is_kept(c, session, probe))
			recording_put_kept(&c->record.lines, c->numbers[i],
				probes_live_at(session, probe)->sites_counted);
	}
	if (all && shown && c->print.format == FORMAT_CHROME)
		chrome_roles(all, process->count);
	for (size_t i = 0; all && shown && i < process->count; i++)
		shown[process->probes[i].probe].role = all[i].role;
	if (process->recorded)
		events_print_process(&c->print, process->member->pid, process->recorded->comm);
	else if (probes_process_info(process->member->pid, &info, &e) == 0)
		events_print_process(&c->print, process->member->pid, info.name);
	free(all);
	return all && shown;
}

static bool take(
	void *data, const struct collect_process *process, const struct probes_event *event)
{
	struct events *c = data;
	const struct shown *shown = (const struct shown *)process->own + event->probe;
	uint64_t most = c->collect.options->most;
	struct probes_session *session = process->member->session;
	const char *names[PROBES_EVENT_ARGUMENTS] = {0};
	struct probes_caller room;
	const struct probes_caller *caller = collect_caller(&c->collect, process, event, &room);

	for (size_t i = 0; !c->print.silent && i < event->count; i++)
		names[i] =
			probes_argument_name(session, event->probe, event->site, (unsigned)i + 1);
	events_print_add(
		&c->print, probes_at(session, event->probe), shown->role, names, event, caller);
	if (record_file_goes_on(&c->record))
		recording_put_event(&c->record.lines, shown->number, event, caller);
	return !most || c->print.printed + c->print.lines.count - c->print.names < most;
}

static void rate(void *data, const struct collect_process *process, size_t probe, uint64_t hits,
	int64_t from, int64_t ns)
{
	struct events *c = data;
	size_t index = process->probes[probe].probe;
	struct shown *shown = (struct shown *)process->own + index;
	struct recording_rate line = {
		.probe = shown->number, .time_ns = from, .ns = ns, .hits = hits};

	/* One 0 ends what was before; more of them say nothing. */
	if (!hits && !shown->rated)
		return;
	shown->rated = hits > 0;
	events_print_rate(&c->print, probes_at(process->member->session, index),
		process->member->pid, line.time_ns, counting_rate(hits, ns));
	if (record_file_goes_on(&c->record))
		recording_put_rate(&c->record.lines, &line);
}

static void print(void *data)
{
	struct events *c = data;

	record_file_flush_lost(&c->record, collect_lost(&c->collect));
	events_print_flush(&c->print, collect_lost(&c->collect));
	/* It neither prints nor records. */
	c->collect.full = c->collect.full || (c->print.silent && !record_file_goes_on(&c->record));
	if (!c->collect.measure.code)
		c->collect.measure.code = c->print.code;
}

static void put_end(void *data)
{
	struct events *c = data;
	struct recording_end *end = &c->end;
	char more[100] = "";

	*end = collect_end(&c->collect);
	end->events = c->print.printed + c->print.unwritten;
	if (end->how || c->print.format == FORMAT_CHROME)
		events_print_end(&c->print, end);
	if (c->collect.replay && c->print.code)
		return;
	if (c->print.unwritten == 1)
		snprintf(more, sizeof more, "; output failed: the last event was not written");
	else if (c->print.unwritten)
		snprintf(more, sizeof more,
			"; output failed: some of the last %" PRIu64 " events were not written",
			c->print.unwritten);
	collect_tell_totals(&c->collect, c->print.printed, "event", more);
	if (!c->collect.options->quiet && !c->collect.replay && !collect_hung_up(&c->collect))
		collect_tell_lost(&c->collect);
}

int events_run(const struct options *o)
{
	static const struct collect_ops ops = {.verb = "events",
		.check = prepare,
		.begin = begin,
		.take = take,
		.rate = rate,
		.print = print,
		.end = put_end};
	struct events c = {.print = {.format = o->format,
				   .sorted = o->recording,
				   .silent = o->record && o->quiet && !o->output}};
	int status;

	outbuf_outlive();
	status = record_file_open(&c.record, o, "events");
	if (status)
		return status;
	status = collect_open(&c.collect, o);
	if (!status) {
		c.print.file = c.collect.measure.file;
		status = collect_run(&c.collect, &ops, &c);
		for (size_t i = 0; i < c.collect.count; i++)
			free(c.collect.processes[i].own);
		collect_done(&c.collect);
	}
	status = record_file_close(&c.record, c.end.how ? &c.end : NULL, status);
	free(c.numbers);
	events_print_done(&c.print);
	return status;
}
