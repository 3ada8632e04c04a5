/*
 * The verb callers with -stack: samples of the whole stacks of hits, folded.
 *
 *     worker;clone3;start_thread;serve;handle 17
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <xxhash.h>

#include "ui/cli/collect.h"
#include "ui/cli/verbs.h"
#include "ui/figures/counting.h"
#include "ui/output/emit.h"
#include "ui/words/line.h"
#include "ui/words/reasons.h"
#include "ui/words/report.h"

#define SAMPLES 99 /* a second, of each process */
#define REASONS 8
#define MOST 16384        /* different stacks */
#define TEXTS (32u << 20) /* of their texts */
#define LONGEST 65536     /* bytes of one; outer functions of a longer one are cut */
#define SLOTS (2 * MOST)  /* a power of 2 */

/* A stack as folded text: functions from the outermost one on, separated by semicolons. */
struct row {
	char *text;
	uint32_t process;
	uint64_t samples;
};

struct stacks_verb {
	struct collect collect;
	uint64_t samples;
	uint64_t others; /* of these: of stacks that found no place */
	struct row *rows;
	size_t count, bytes;
	uint32_t *slots; /* a hash table of the rows: 1 + index */
	uint64_t secret;
	char *text; /* LONGEST bytes */
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

static void add(struct stacks_verb *v, uint32_t process, const char *text)
{
	size_t length = strlen(text), at = XXH3_64bits_withSeed(text, length, v->secret + process);
	struct row *row = &v->rows[v->count];

	v->samples++;
	for (at &= SLOTS - 1; v->slots[at]; at = (at + 1) & (SLOTS - 1)) {
		struct row *known = &v->rows[v->slots[at] - 1];

		if (known->process != process || strcmp(known->text, text))
			continue;
		known->samples++;
		return;
	}
	if (v->count < MOST && v->bytes + length < TEXTS)
		row->text = strdup(text);
	if (v->count == MOST || !row->text) {
		v->others++;
		return;
	}
	row->process = process;
	row->samples = 1;
	v->bytes += length;
	v->slots[at] = (uint32_t)++v->count;
}

static int compare(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return strcmp(a->text, b->text);
}

/*
 * Put a function, or what stands for one, before the folded text that begins at `at` of out. The
 * name is untrusted: it becomes safe for a terminal, and has no semicolon. Returns where the text
 * begins now; `at`: there is no room.
 */
static size_t put(char out[LONGEST], size_t at, const char *name)
{
	char safe[1200];
	size_t length;

	probes_escape(name, safe, sizeof safe);
	length = strlen(safe);
	if (length + 1 > at)
		return at;
	for (char *c = strchr(safe, ';'); c; c = strchr(c, ';'))
		*c = ':';
	if (out[at])
		out[--at] = ';';
	memcpy(out + at - length, safe, length);
	return at - length;
}

static bool take(
	void *data, const struct collect_process *process, const struct probes_event *event)
{
	struct stacks_verb *v = data;
	struct probes_session *session = process->member->session;
	const struct probes_object *object =
		probes_object_at(session, probes_at(session, event->probe)->object);
	size_t at = LONGEST - 1, before, i;
	const char *why = event->stack_why;
	struct probes_source where;
	struct probes_caller caller;
	uint32_t number = 0;
	char name[256];

	v->text[at] = '\0';
	probes_source(session, event->probe, event->site, &where);
	at = put(v->text, at, name_of(&where, object->path, name));
	for (i = 0; i < event->depth; i++) {
		probes_caller(session, event->stack[i], &caller);
		before = at;
		at = put(v->text, at, name_of(&caller.where, caller.object, name));
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
		at = put(v->text, at, "[incomplete]");
	}
	at = put(v->text, at, *event->thread ? event->thread : "[unknown]");
	if (v->collect.options->format > FORMAT_TEXT) /* text sums up processes */
		number = (uint32_t)(process - v->collect.processes);
	add(v, number, v->text + at);
	return !v->collect.options->most || v->samples < v->collect.options->most;
}

static void emit_all(const struct stacks_verb *v, double seconds, uint64_t hits)
{
	struct emit e = emit_begin(
		v->collect.measure.file, v->collect.options->format, SCHEMA_STACKS, false);

	emit_object(&e, none, REAL(seconds, seconds), U64(hits, hits), U64(samples, v->samples),
		U64(lost, collect_lost(&v->collect)), U64(others, v->others),
		U64(sites_lost, v->collect.measure.hold.lost_count));
	emit_list(&e, incomplete);
	for (size_t i = 0; i < REASONS && v->reasons[i].why; i++)
		emit_element(&e, TEXT(why, v->reasons[i].why), U64(samples, v->reasons[i].samples));
	emit_close(&e);
	emit_list(&e, stacks);
	for (const struct row *row = v->rows; row < v->rows + v->count; row++) {
		emit_element(&e, I64(pid, v->collect.processes[row->process].member->pid),
			U64(samples, row->samples), TEXT(stack, row->text));
		emit_row(&e);
	}
	emit_end(&e);
}

static void put_end(void *data)
{
	struct stacks_verb *v = data;
	const struct options *o = v->collect.options;
	double seconds = (double)(v->collect.ended - v->collect.began) / 1e9;
	uint64_t lost = collect_lost(&v->collect), hits = 0;
	size_t gone = v->collect.measure.hold.lost_count;
	char text[300], time[32], why[100];
	struct line l = {.text = text, .size = sizeof text};

	for (size_t i = 0; i < v->collect.count; i++)
		for (size_t n = 0; n < v->collect.processes[i].count; n++)
			hits += v->collect.processes[i].probes[n].hits;
	qsort(v->rows, v->count, sizeof *v->rows, compare);
	if (o->format > FORMAT_TEXT)
		emit_all(v, seconds, hits);
	else
		for (size_t i = 0; i < v->count; i++)
			fprintf(v->collect.measure.file, "%s %" PRIu64 "\n", v->rows[i].text,
				v->rows[i].samples);
	if (collect_hung_up(&v->collect))
		return;
	line_add(&l, "%" PRIu64 " stack%s of %" PRIu64 " hit%s in %s s", v->samples,
		line_s((size_t)v->samples), hits, line_s((size_t)hits),
		counting_number(seconds, 3, time, sizeof time));
	if (lost || !gone)
		line_add(&l, lost ? ", %" PRIu64 " lost" : ", none lost", lost);
	if (gone)
		line_add(&l, "; %s", reasons_lost(gone, why, sizeof why));
	/* Always say what is missing. */
	if (!o->quiet || lost || gone)
		report_line("%s", text);
	if (v->others)
		report_line("%" PRIu64 " stack%s not in the output: too many distinct ones",
			v->others, v->others == 1 ? " is" : "s are");
	for (size_t i = 0; !o->quiet && i < REASONS && v->reasons[i].why; i++)
		report_more("%" PRIu64 " incomplete: %s", v->reasons[i].samples, v->reasons[i].why);
}

int stacks_run(const struct options *o)
{
	static const struct collect_ops ops = {.verb = "callers", .take = take, .end = put_end};
	struct stacks_verb v = {.text = malloc(LONGEST),
		.rows = calloc(MOST, sizeof *v.rows),
		.slots = calloc(SLOTS, sizeof *v.slots)};
	int status = PROBES_FAILED;

	memcpy(&v.secret, (const void *)getauxval(AT_RANDOM), sizeof v.secret);
	if (v.text && v.rows && v.slots)
		status = collect_open(&v.collect, o);
	else
		report_line("out of memory");
	v.collect.events.stacks = SAMPLES;
	v.collect.events.bare = true;
	v.collect.shown = 0;
	if (!status) {
		status = collect_run(&v.collect, &ops, &v);
		collect_done(&v.collect);
	}
	for (size_t i = 0; i < v.count; i++)
		free(v.rows[i].text);
	free(v.rows);
	free(v.slots);
	free(v.text);
	return status;
}
