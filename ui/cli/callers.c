/*
 * The verb callers: how many hits of probes came from each caller of their functions. keep.c keeps
 * and reads the events.
 *
 *         HITS   SHARE  CALLER
 *          300   75.0%  alpha+0x9 (named.c:64)
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ui/cli/keep.h"
#include "ui/cli/verbs.h"
#include "ui/counting.h"
#include "ui/event.h"
#include "ui/json_value.h"
#include "ui/line.h"
#include "ui/now.h"
#include "ui/outbuf.h"
#include "ui/report.h"

#define PLACES 16384    /* for addresses of one process; a power of 2 */
#define MOST PLACES / 2 /* addresses of one process, and rows */
#define OTHERS SIZE_MAX /* the row of what found no place */

/* Callers that read the same are one: processes of a tree have their objects at other addresses. */
struct row {
	char *text;           /* as event_caller prints it, or "?" */
	char *symbol, *line;  /* NULL: unknown */
	const char *object;   /* likewise */
	uint64_t address, pc; /* in the first process, in the file; 0: unknown */
	uint64_t hits;
};

/* Of a process: the rows of its addresses, by a hash; row 0 is that of unknown callers. */
struct places {
	struct {
		uint64_t address;
		size_t row;
	} all[PLACES];
	size_t count;
};

struct callers {
	struct keep keep;
	struct row *rows;
	size_t count;
	uint64_t others; /* hits from callers that found no place */
	uint64_t hits;
	bool failed; /* no memory */
};

/* ---------------------------------------------------------------- counting */

/* The row of a caller, which is added. OTHERS: there are too many. */
static size_t row_of(struct callers *c, struct probes_session *session, uint64_t address)
{
	char text[EVENT_CALLER_BYTES], symbol[EVENT_CALLER_BYTES], line[EVENT_CALLER_BYTES];
	struct probes_caller caller;
	struct row *row;

	probes_caller(session, address, &caller);
	event_caller(&caller, address, text);
	for (size_t i = 0; i < c->count; i++)
		if (!strcmp(c->rows[i].text, text) &&
			(!c->rows[i].object || !caller.object ||
				!strcmp(c->rows[i].object, caller.object)))
			return i;
	if (c->count == MOST)
		return OTHERS;
	row = reallocarray(c->rows, c->count + 1, sizeof *row);
	if (!row) {
		c->failed = true;
		return OTHERS;
	}
	c->rows = row;
	row += c->count;
	*row = (struct row){
		.text = strdup(text), .object = caller.object, .address = address, .pc = caller.pc};
	if (caller.object)
		row->symbol = strdup(event_caller_symbol(&caller, address, symbol));
	if (event_caller_line(&caller, line))
		row->line = strdup(line);
	if (!row->text) {
		c->failed = true;
		return OTHERS;
	}
	return c->count++;
}

static bool begin(void *data, struct keep_process *process)
{
	(void)data;
	process->own = calloc(1, sizeof(struct places));
	return process->own;
}

static bool take(void *data, const struct keep_process *process, const struct probes_event *event)
{
	struct callers *c = data;
	struct places *places = process->own;
	size_t at = (size_t)(event->caller * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (PLACES - 1);
	size_t row = 0;

	while (event->caller && places->all[at].address && places->all[at].address != event->caller)
		at = (at + 1) & (PLACES - 1);
	if (event->caller && places->all[at].address) {
		row = places->all[at].row;
	} else if (event->caller) {
		row = places->count < MOST ? row_of(c, process->member->session, event->caller)
					   : OTHERS;
		if (row != OTHERS) {
			places->all[at].address = event->caller;
			places->all[at].row = row;
			places->count++;
		}
	}
	if (row == OTHERS)
		c->others++;
	else
		c->rows[row].hits++;
	c->hits++;
	return !c->failed && (!c->keep.options->most || c->hits < c->keep.options->most);
}

static void print(void *data)
{
	(void)data;
}

/* ---------------------------------------------------------------- printing */

/* Most hits first. */
static int compare(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->hits != b->hits)
		return a->hits > b->hits ? -1 : 1;
	return strcmp(a->text, b->text);
}

static double share(const struct callers *c, uint64_t hits)
{
	return c->hits ? 100.0 * (double)hits / (double)c->hits : 0;
}

static void text_row(const struct callers *c, uint64_t hits, const char *text)
{
	char percent[32];

	fprintf(c->keep.measure.file, "%12" PRIu64 "  %5s%%  %s\n", hits,
		counting_number(share(c, hits), 1, percent, sizeof percent), text);
}

static void put_text(const struct callers *c)
{
	fprintf(c->keep.measure.file, "%12s  %6s  %s\n", "HITS", "SHARE", "CALLER");
	for (size_t i = 0; i < c->count; i++)
		if (c->rows[i].hits)
			text_row(c, c->rows[i].hits, c->rows[i].text);
	if (c->others)
		text_row(c, c->others, "(others: too many callers)");
}

static void csv_row(const struct callers *c, const struct row *row, struct outbuf *b)
{
	char text[64], percent[32];

	snprintf(text, sizeof text, "%" PRIu64 ",%s,", row->hits,
		counting_number(share(c, row->hits), 3, percent, sizeof percent));
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

static void put_csv(const struct callers *c)
{
	struct row others = {.symbol = (char[]){"others"}, .hits = c->others};
	struct outbuf b;

	outbuf_begin(&b, c->keep.measure.file);
	outbuf_text(&b, "hits,share,address,symbol,line,object\n");
	for (size_t i = 0; i < c->count; i++)
		if (c->rows[i].hits)
			csv_row(c, &c->rows[i], &b);
	if (c->others)
		csv_row(c, &others, &b);
	outbuf_flush(&b);
}

static void put_json(
	const struct callers *c, double seconds, uint64_t lost, uint64_t unread, bool over)
{
	json_t *list = json_array(), *all;

	for (size_t i = 0; i < c->count; i++) {
		const struct row *row = &c->rows[i];

		if (row->hits)
			json_array_append_new(
				list, json_pack("{s:I, s:f, s:o, s:o, s:o, s:o, s:o}", "hits",
					      (json_int_t)row->hits, "share", share(c, row->hits),
					      "address", json_value_address(row->address), "pc",
					      json_value_address(row->pc), "symbol",
					      json_value_text(row->symbol), "line",
					      json_value_text(row->line), "object",
					      json_value_text(row->object)));
	}
	all = json_pack("{s:f, s:I, s:I, s:I, s:b, s:I, s:o}", "seconds", seconds, "events",
		(json_int_t)c->hits, "lost", (json_int_t)lost, "only_counted", (json_int_t)unread,
		"over_budget", (int)over, "others", (json_int_t)c->others, "callers", list);
	json_dumpf(all, c->keep.measure.file,
		JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(12));
	json_decref(all);
	fputc('\n', c->keep.measure.file);
}

static void put_end(void *data)
{
	struct callers *c = data;
	const struct options *o = c->keep.options;
	double seconds = (double)(now_ns() - c->keep.began) / 1e9;
	uint64_t lost = keep_lost(&c->keep), unread = 0, hits;
	char text[200], time[32];
	struct line l = {.text = text, .size = sizeof text};
	bool over = false;

	for (size_t i = 0; i < c->keep.count; i++) {
		over = keep_over(&c->keep.processes[i], &hits) || over;
		unread += hits;
	}
	qsort(c->rows, c->count, sizeof *c->rows, compare);
	if (o->format == FORMAT_JSON)
		put_json(c, seconds, lost, unread, over);
	else if (o->format == FORMAT_CSV)
		put_csv(c);
	else
		put_text(c);
	line_add(&l, "%" PRIu64 " hit%s in %s s", c->hits, line_s((size_t)c->hits),
		counting_number(seconds, 3, time, sizeof time));
	line_add(&l, lost ? ", %" PRIu64 " lost" : ", none lost", lost);
	if (unread)
		line_add(&l, ", %" PRIu64 " hits only counted", unread);
	if (c->failed)
		report_line("out of memory: not all callers are counted");
	/* What is missing is said in any case. */
	if (!o->quiet || lost || unread)
		report_line("%s", text);
	if ((lost || unread) && !o->quiet)
		report_more("the callers of these hits are not counted");
}

int callers_run(const struct options *o)
{
	static const struct keep_ops ops = {
		.verb = "callers", .begin = begin, .take = take, .print = print, .end = put_end};
	struct callers c = {.rows = calloc(1, sizeof *c.rows), .count = 1};
	int status;

	if (c.rows)
		c.rows->text = strdup("?");
	if (!c.rows || !c.rows->text) {
		free(c.rows);
		report_line("out of memory");
		return PROBES_FAILED;
	}
	status = keep_open(&c.keep, o);
	c.keep.events.callers = true;
	if (!status) {
		status = keep_run(&c.keep, &ops, &c);
		for (size_t i = 0; i < c.keep.count; i++)
			free(c.keep.processes[i].own);
		keep_done(&c.keep);
	}
	for (size_t i = 0; i < c.count; i++) {
		free(c.rows[i].text);
		free(c.rows[i].symbol);
		free(c.rows[i].line);
	}
	free(c.rows);
	return status;
}
