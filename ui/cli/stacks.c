/*
 * The verb callers with -stack: samples of the whole stacks of hits, folded.
 *
 *     worker;clone3;start_thread;serve;handle 17
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ui/cli/collect.h"
#include "ui/cli/verbs.h"
#include "ui/figures/counting.h"
#include "ui/figures/stacks.h"
#include "ui/output/json_value.h"
#include "ui/output/outbuf.h"
#include "ui/words/line.h"
#include "ui/words/now.h"
#include "ui/words/report.h"

#define SAMPLES 99 /* a second, of each process */
#define REASONS 8

struct stacks_verb {
	struct collect collect;
	struct stacks stacks;
	char *text; /* STACKS_TEXT bytes */
	struct {
		const char *why;
		uint64_t samples;
	} reasons[REASONS]; /* why outer callers may be missing */
};

/* What a function is called; of an unknown one, its object's name in brackets, as perf writes it.
 */
static const char *name_of(const struct probes_source *where, const char *object, char out[256])
{
	const char *slash = object ? strrchr(object, '/') : NULL;

	if (*where->function)
		return where->function;
	snprintf(out, 256, "[%.200s]", slash ? slash + 1 : object ? object : "unknown");
	return out;
}

static bool take(
	void *data, const struct collect_process *process, const struct probes_event *event)
{
	struct stacks_verb *v = data;
	struct probes_session *session = process->member->session;
	const struct probes_object *object =
		probes_object_at(session, probes_at(session, event->probe)->object);
	size_t at = STACKS_TEXT - 1, before, i;
	const char *why = event->stack_why;
	struct probes_source where;
	struct probes_caller caller;
	char name[256];

	v->text[at] = '\0';
	probes_source(session, event->probe, event->site, &where);
	at = stacks_put(v->text, at, name_of(&where, object->path, name));
	for (i = 0; i < event->depth; i++) {
		probes_caller(session, event->stack[i], &caller);
		before = at;
		at = stacks_put(v->text, at, name_of(&caller.where, caller.object, name));
		if (at == before || at < sizeof name) {
			why = "its names are too long";
			break;
		}
	}
	for (i = 0; why && i < REASONS - 1 && v->reasons[i].why; i++)
		if (!strcmp(v->reasons[i].why, why))
			break;
	if (why) {
		v->reasons[i].why = why;
		v->reasons[i].samples++;
		at = stacks_put(v->text, at, "[incomplete]");
	}
	at = stacks_put(v->text, at, *event->thread ? event->thread : "[unknown]");
	stacks_add(&v->stacks, v->text + at);
	return !v->collect.options->most || v->stacks.samples < v->collect.options->most;
}

/* ---------------------------------------------------------------- printing */

static void put_json(const struct stacks_verb *v, double seconds, uint64_t hits)
{
	json_t *list = json_array(), *incomplete = json_array(), *all;

	for (size_t i = 0; i < v->stacks.count; i++) {
		json_t *names = json_array();
		const char *end;

		for (const char *at = v->stacks.rows[i].text; at; at = *end ? end + 1 : NULL) {
			end = at + strcspn(at, ";");
			json_array_append_new(names, json_stringn(at, (size_t)(end - at)));
		}
		json_array_append_new(
			list, json_pack("{s:I, s:o}", "samples",
				      (json_int_t)v->stacks.rows[i].samples, "stack", names));
	}
	for (size_t i = 0; i < REASONS && v->reasons[i].why; i++)
		json_array_append_new(
			incomplete, json_pack("{s:s, s:I}", "why", v->reasons[i].why, "samples",
					    (json_int_t)v->reasons[i].samples));
	all = json_pack("{s:f, s:I, s:I, s:I, s:I, s:o, s:o}", "seconds", seconds, "hits",
		(json_int_t)hits, "samples", (json_int_t)v->stacks.samples, "lost",
		(json_int_t)collect_lost(&v->collect), "others", (json_int_t)v->stacks.others,
		"incomplete", incomplete, "stacks", list);
	json_dumpf(all, v->collect.measure.file,
		JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(12));
	json_decref(all);
	fputc('\n', v->collect.measure.file);
}

static void put_csv(const struct stacks_verb *v)
{
	struct outbuf b;
	char number[32];

	outbuf_begin(&b, v->collect.measure.file);
	outbuf_text(&b, "samples,stack\n");
	for (size_t i = 0; i < v->stacks.count; i++) {
		snprintf(number, sizeof number, "%" PRIu64 ",", v->stacks.rows[i].samples);
		outbuf_text(&b, number);
		outbuf_csv(&b, v->stacks.rows[i].text);
		outbuf_text(&b, "\n");
	}
	outbuf_flush(&b);
}

static void put_end(void *data)
{
	struct stacks_verb *v = data;
	const struct options *o = v->collect.options;
	double seconds = (double)(now_ns() - v->collect.began) / 1e9;
	uint64_t lost = collect_lost(&v->collect), hits = 0;
	char text[200], time[32];
	struct line l = {.text = text, .size = sizeof text};

	for (size_t i = 0; i < v->collect.count; i++)
		for (size_t n = 0; n < v->collect.processes[i].count; n++)
			hits += v->collect.processes[i].probes[n].hits;
	stacks_sort(&v->stacks);
	if (o->format == FORMAT_JSON)
		put_json(v, seconds, hits);
	else if (o->format == FORMAT_CSV)
		put_csv(v);
	else
		for (size_t i = 0; i < v->stacks.count; i++)
			fprintf(v->collect.measure.file, "%s %" PRIu64 "\n", v->stacks.rows[i].text,
				v->stacks.rows[i].samples);
	if (collect_hung_up(&v->collect))
		return;
	line_add(&l, "%" PRIu64 " stack%s of %" PRIu64 " hit%s in %s s", v->stacks.samples,
		line_s((size_t)v->stacks.samples), hits, line_s((size_t)hits),
		counting_number(seconds, 3, time, sizeof time));
	line_add(&l, lost ? ", %" PRIu64 " lost" : ", none lost", lost);
	/* Always say what is missing. */
	if (!o->quiet || lost)
		report_line("%s", text);
	if (v->stacks.others)
		report_line("%" PRIu64 " stack%s not in the output: too many distinct ones",
			v->stacks.others, v->stacks.others == 1 ? " is" : "s are");
	for (size_t i = 0; !o->quiet && i < REASONS && v->reasons[i].why; i++)
		report_more("%" PRIu64 " incomplete: %s", v->reasons[i].samples, v->reasons[i].why);
}

int stacks_run(const struct options *o)
{
	static const struct collect_ops ops = {.verb = "callers", .take = take, .end = put_end};
	struct stacks_verb v = {.text = malloc(STACKS_TEXT)};
	int status;

	if (!v.text || !stacks_begin(&v.stacks)) {
		free(v.text);
		report_line("out of memory");
		return PROBES_FAILED;
	}
	status = collect_open(&v.collect, o);
	v.collect.events.stacks = SAMPLES;
	v.collect.events.bare = true;
	v.collect.shown = 0;
	if (!status) {
		status = collect_run(&v.collect, &ops, &v);
		collect_done(&v.collect);
	}
	stacks_done(&v.stacks);
	free(v.text);
	return status;
}
