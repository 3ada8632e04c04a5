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
#include "ui/figures/event.h"
#include "ui/output/json_value.h"
#include "ui/output/outbuf.h"
#include "ui/words/line.h"
#include "ui/words/now.h"
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
	struct probes_caller caller;

	if (!callers_hit(c, number, event->caller)) {
		probes_caller(process->member->session, event->caller, &caller);
		callers_add(c, number, event->caller, &caller);
	}
	return !c->failed && (!v->collect.options->most || c->hits < v->collect.options->most);
}

/* ---------------------------------------------------------------- printing */

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

static void csv_row(const struct callers_verb *v, const struct callers_row *row, struct outbuf *b)
{
	char text[64], percent[32];

	snprintf(text, sizeof text, "%" PRIu64 ",%s,", row->hits,
		counting_number(callers_share(&v->callers, row->hits), 3, percent, sizeof percent));
	outbuf_text(b, text);
	if (row->address)
		outbuf_address(b, row->address);
	for (int i = 0; i < 3; i++) {
		const char *value = i == 0 ? row->symbol : i == 1 ? row->line : row->object;

		outbuf_text(b, ",");
		if (value)
			outbuf_csv(b, value);
	}
	outbuf_text(b, "\n");
}

static void put_csv(const struct callers_verb *v, const struct callers_row **rows)
{
	struct callers_row others = {.symbol = (char[]){"others"}, .hits = v->callers.others};
	struct outbuf b;

	outbuf_begin(&b, v->collect.measure.file);
	outbuf_text(&b, "hits,share,address,symbol,line,object\n");
	for (size_t i = 0; i < v->callers.count; i++)
		csv_row(v, rows[i], &b);
	if (others.hits)
		csv_row(v, &others, &b);
	outbuf_flush(&b);
}

static void put_json(const struct callers_verb *v, const struct callers_row **rows, double seconds,
	uint64_t lost, uint64_t unread, bool over)
{
	const struct callers *c = &v->callers;
	json_t *list = json_array(), *all;

	for (size_t i = 0; i < c->count; i++)
		json_array_append_new(list,
			json_pack("{s:I, s:f, s:o, s:o, s:o, s:o, s:o}", "hits",
				(json_int_t)rows[i]->hits, "share", callers_share(c, rows[i]->hits),
				"address", json_value_address(rows[i]->address), "pc",
				json_value_address(rows[i]->pc), "symbol",
				json_value_text(rows[i]->symbol), "line",
				json_value_text(rows[i]->line), "object",
				json_value_text(rows[i]->object)));
	all = json_pack("{s:f, s:I, s:I, s:I, s:b, s:I, s:o}", "seconds", seconds, "events",
		(json_int_t)c->hits, "lost", (json_int_t)lost, "only_counted", (json_int_t)unread,
		"over_budget", (int)over, "others", (json_int_t)c->others, "callers", list);
	json_dumpf(all, v->collect.measure.file,
		JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(12));
	json_decref(all);
	fputc('\n', v->collect.measure.file);
}

static void put_end(void *data)
{
	struct callers_verb *v = data;
	struct callers *c = &v->callers;
	const struct callers_row **rows = callers_sorted(c);
	const struct options *o = v->collect.options;
	double seconds = (double)(now_ns() - v->collect.began) / 1e9;
	uint64_t lost = collect_lost(&v->collect), unread = 0, hits;
	char text[200], time[32];
	struct line l = {.text = text, .size = sizeof text};
	bool over = false;

	for (size_t i = 0; i < v->collect.count; i++) {
		over = collect_over(&v->collect.processes[i], &hits) || over;
		unread += hits;
	}
	if (rows && o->format == FORMAT_JSON)
		put_json(v, rows, seconds, lost, unread, over);
	else if (rows && o->format == FORMAT_CSV)
		put_csv(v, rows);
	else if (rows)
		put_text(v, rows);
	line_add(&l, "%" PRIu64 " hit%s in %s s", c->hits, line_s((size_t)c->hits),
		counting_number(seconds, 3, time, sizeof time));
	line_add(&l, lost ? ", %" PRIu64 " lost" : ", none lost", lost);
	if (unread)
		line_add(&l, ", %" PRIu64 " hits only counted", unread);
	if (c->failed || !rows)
		report_line("out of memory: not all callers are counted");
	/* Always say what is missing. */
	if ((!o->quiet || lost || unread) && !collect_hung_up(&v->collect))
		report_line("%s", text);
	if ((lost || unread) && !o->quiet && !collect_hung_up(&v->collect))
		report_more("the callers of these hits are not counted");
	free(rows);
}

int callers_run(const struct options *o)
{
	static const struct collect_ops ops = {.verb = "callers", .take = take, .end = put_end};
	struct callers_verb v;
	int status;

	if (o->stacks)
		return stacks_run(o);
	if (!callers_begin(&v.callers)) {
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
