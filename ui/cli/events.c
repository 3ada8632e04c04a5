/*
 * The verb events: print the hits of probes as they come, in running processes or in a program that
 * it starts, and leave them as found. keep.c keeps and reads them.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "ui/cli/events_print.h"
#include "ui/cli/keep.h"
#include "ui/cli/verbs.h"
#include "ui/counting.h"
#include "ui/line.h"
#include "ui/report.h"

struct events {
	struct keep keep;
	struct events_print print;
};

/* In FORMAT_CHROME, a process has the roles of its probes. */
static bool begin(void *data, struct keep_process *process)
{
	struct events *c = data;
	size_t *probes;

	if (c->print.format != FORMAT_CHROME)
		return true;
	probes = calloc(process->count + 1, sizeof *probes);
	for (size_t i = 0; probes && i < process->count; i++)
		probes[i] = process->probes[i].probe;
	if (probes)
		process->own = chrome_roles(process->member->session, probes, process->count);
	free(probes);
	return process->own;
}

static bool take(void *data, const struct keep_process *process, const struct probes_event *event)
{
	struct events *c = data;
	const unsigned char *roles = process->own;
	uint64_t most = c->keep.options->most;

	events_print_add(&c->print, process->member,
		roles ? (enum pair_role)roles[event->probe] : PAIR_NEITHER, event);
	return !most || c->print.printed + c->print.lines.count - c->print.names < most;
}

static void print(void *data)
{
	struct events *c = data;

	events_print_flush(&c->print, keep_lost(&c->keep));
	if (!c->keep.measure.code)
		c->keep.measure.code = c->print.code;
}

static void put_end(void *data)
{
	struct events *c = data;
	const struct options *o = c->keep.options;
	double seconds = (double)(c->keep.ended - c->keep.began) / 1e9;
	uint64_t lost = keep_lost(&c->keep), unread = 0;
	char text[200], time[32];
	struct line l = {.text = text, .size = sizeof text};
	bool over = false;

	for (size_t i = 0; i < c->keep.count; i++) {
		uint64_t hits;

		over = keep_over(&c->keep.processes[i], &hits) || over;
		unread += hits;
	}
	events_print_end(&c->print, lost, unread, seconds, over);
	line_add(&l, "%" PRIu64 " event%s in %s s", c->print.printed,
		line_s((size_t)c->print.printed), counting_number(seconds, 3, time, sizeof time));
	line_add(&l, lost ? ", %" PRIu64 " lost" : ", none lost", lost);
	if (c->print.unwritten)
		line_add(&l, ", not all of the last %" PRIu64 " written", c->print.unwritten);
	if (unread)
		line_add(&l, ", %" PRIu64 " hits only counted", unread);
	/* What is missing is said in any case. */
	if (!o->quiet || lost || unread)
		report_line("%s", text);
	if (lost && !o->quiet)
		report_more(
			"events came faster than they could be read; name fewer probes, or test "
			"numbers with -where, which the process itself does");
}

int events_run(const struct options *o)
{
	static const struct keep_ops ops = {
		.verb = "events", .begin = begin, .take = take, .print = print, .end = put_end};
	struct events c = {.print.format = o->format};
	int status = keep_open(&c.keep, o);

	if (status)
		return status;
	c.print.file = c.keep.measure.file;
	status = keep_run(&c.keep, &ops, &c);
	for (size_t i = 0; i < c.keep.count; i++)
		free(c.keep.processes[i].own);
	keep_done(&c.keep);
	events_print_done(&c.print);
	return status;
}
