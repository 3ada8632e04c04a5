/*
 * The verb callers: how many hits of probes came from each caller of their functions. collect.c
 * keeps and reads the events.
 *
 *         HITS   SHARE  CALLER
 *          300   75.0%  alpha+0x9 (named.c:64)
 */
#include <inttypes.h>
#include <stdlib.h>

#include "ui/cli/collect.h"
#include "ui/cli/verbs.h"
#include "ui/figures/callers.h"
#include "ui/figures/counting.h"
#include "ui/output/emit.h"
#include "ui/words/line.h"
#include "ui/words/report.h"

struct callers_verb {
	struct collect collect;
	struct callers callers;
};

static bool take(
	void *data, const struct collect_process *process, const struct probes_event *event)
{
	struct callers_verb *v = data;
	struct callers *c = &v->callers;
	uint32_t number = (uint32_t)(process - v->collect.processes);
	struct probes_caller room;

	if (!callers_hit(c, number, event->caller))
		callers_add(c, number, event->caller,
			collect_caller(&v->collect, process, event, &room));
	return !c->failed && (!v->collect.options->most || c->hits < v->collect.options->most);
}

static void text_row(const struct callers_verb *v, uint64_t hits, const char *text)
{
	char percent[32];

	fprintf(v->collect.measure.file, "%12" PRIu64 "  %5s%%  %s\n", hits,
		counting_number(callers_share(&v->callers, hits), 1, percent, sizeof percent),
		text);
}

static void put_text(const struct callers_verb *v, const struct callers_row **rows)
{
	fprintf(v->collect.measure.file, "%12s  %6s  %s\n", "HITS", "SHARE", "CALLER");
	for (size_t i = 0; i < v->callers.count; i++)
		text_row(v, rows[i]->hits, rows[i]->text);
	if (v->callers.others)
		text_row(v, v->callers.others, "(others: too many callers)");
}

static void emit_all(const struct callers_verb *v, const struct callers_row **rows,
	const struct recording_end *end)
{
	const struct callers *c = &v->callers;
	struct emit e = emit_begin(
		v->collect.measure.file, v->collect.options->format, SCHEMA_CALLERS, false);

	emit_object(&e, none, REAL(seconds, end->seconds), U64(events, c->hits),
		U64(lost, end->lost), U64(only_counted, end->only_counted),
		BOOL(over_budget, end->over), U64(others, c->others),
		U64(sites_lost, end->sites_lost));
	emit_list(&e, callers);
	for (size_t i = 0; i < c->count; i++) {
		emit_element(&e, I64(pid, v->collect.processes[rows[i]->process].member->pid),
			U64(hits, rows[i]->hits), REAL(share, callers_share(c, rows[i]->hits)),
			ADDRESS(address, rows[i]->address), ADDRESS(pc, rows[i]->pc),
			TEXT(symbol, rows[i]->symbol), TEXT(line, rows[i]->line),
			TEXT(object, rows[i]->object));
		emit_row(&e);
	}
	if (e.ops->row && c->others) {
		emit(&e, NONE(pid), U64(hits, c->others), REAL(share, callers_share(c, c->others)),
			NONE(address), TEXT(symbol, "others"), NONE(line), NONE(object), NONE(pc));
		emit_row(&e);
	}
	emit_end(&e);
}

static void put_end(void *data)
{
	struct callers_verb *v = data;
	struct callers *c = &v->callers;
	const struct callers_row **rows = callers_sorted(c);
	const struct options *o = v->collect.options;
	struct recording_end end = collect_end(&v->collect);

	if (rows && o->format > FORMAT_TEXT)
		emit_all(v, rows, &end);
	else if (rows)
		put_text(v, rows);
	if (c->failed || !rows)
		report_line("out of memory: not all callers are counted");
	collect_tell_totals(&v->collect, c->hits, "hit", "");
	if ((end.lost || end.only_counted) && !o->quiet && !collect_hung_up(&v->collect))
		report_more("lost and only-counted hits have no caller");
	free(rows);
}

int callers_run(const struct options *o)
{
	static const struct collect_ops ops = {.verb = "callers", .take = take, .end = put_end};
	struct callers_verb v;
	int status;

	if (o->stacks)
		return stacks_run(o);
	if (!callers_begin(&v.callers, o->format > FORMAT_TEXT)) {
		report_line("out of memory");
		return PROBES_FAILED;
	}
	status = collect_open(&v.collect, o);
	v.collect.events.callers = true;
	v.collect.events.bare = true;
	v.collect.shown = 0;
	if (!status) {
		status = collect_run(&v.collect, &ops, &v);
		collect_done(&v.collect);
	}
	callers_done(&v.callers);
	return status;
}
