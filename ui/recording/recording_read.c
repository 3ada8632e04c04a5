/* Recordings: reading. Nothing in a line is trusted. See recording.h. */
#include "ui/recording/recording.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ui/output/json_value.h"
#include "ui/words/report.h"

#define OFFSET 86400 /* no local time is further from UTC, seconds */

/* A line while it is read. */
struct reading {
	struct recording *r;
	const json_t *line;
	const char *why; /* it cannot be read; NULL: so far it can */
};

static void fail(struct reading *g, const char *why)
{
	if (!g->why)
		g->why = why;
}

/* -------------------------------------------------------------------- values */

/* A number from 0 to `most`; 0 where the key is missing. */
static uint64_t number(struct reading *g, const json_t *object, const char *key, uint64_t most)
{
	const json_t *json = json_object_get(object, key);
	uint64_t value = 0;

	if (json && (!json_value_unsigned(json, &value) || value > most)) {
		fail(g, "a number is out of its range");
		return 0;
	}
	return value;
}

/* The number of something that was described in an earlier line. */
static size_t reference(struct reading *g, const char *key, size_t count)
{
	uint64_t value = 0;

	if (!json_value_unsigned(json_object_get(g->line, key), &value) || value >= count)
		fail(g, "it refers to something that no earlier line describes");
	return g->why ? 0 : (size_t)value;
}

/* The bytes of a text, NUL-terminated, of at most size - 1; false: it is none. Out may be NULL. */
static bool bytes_of(const json_t *json, char *out, size_t size)
{
	const char *hex = json_string_value(json_object_get(json, "hex"));
	const char *text = json_string_value(json);
	size_t length = hex ? strlen(hex) : 0;

	if (text && strlen(text) < size) {
		memcpy(out, text, strlen(text) + 1);
		return true;
	}
	if (text || !hex || length % 2 || length / 2 >= size ||
		hex[strspn(hex, "0123456789abcdef")])
		return false;
	for (size_t i = 0; i < length / 2; i++) {
		char two[] = {hex[2 * i], hex[2 * i + 1], '\0'};

		out[i] = (char)strtoul(two, NULL, 16);
		if (!out[i])
			return false;
	}
	out[length / 2] = '\0';
	return true;
}

/* Room for one more; within what is kept. */
static void *grow(struct reading *g, void *all, size_t count, size_t size)
{
	void *more;

	g->r->kept += size;
	if (g->r->kept > RECORDING_KEPT)
		fail(g, "it describes too much");
	if (g->why || (count & (count - 1)))
		return all;
	more = reallocarray(all, count ? 2 * count : 1, size);
	if (!more)
		fail(g, strerror(ENOMEM));
	return more ? more : all;
}

/* A text, to be kept; NULL: there is none. */
static char *keep(struct reading *g, const json_t *json)
{
	char *text, *exact;

	if (!json || json_is_null(json) || g->why)
		return NULL;
	text = malloc(RECORDING_TEXT + 1);
	if (!text || !bytes_of(json, text, RECORDING_TEXT + 1)) {
		fail(g, text ? "a text is not valid, or too long" : strerror(ENOMEM));
		free(text);
		return NULL;
	}
	g->r->kept += strlen(text) + 1;
	if (g->r->kept > RECORDING_KEPT)
		fail(g, "it describes too much");
	exact = realloc(text, strlen(text) + 1);
	return exact ? exact : text;
}

/* A text of the line; where there is none, it is empty. */
static char *collect_any(struct reading *g, const char *key)
{
	char *text = keep(g, json_object_get(g->line, key));

	if (!text && !g->why)
		text = strdup("");
	if (!text)
		fail(g, strerror(ENOMEM));
	return text;
}

/* -------------------------------------------------------------------- lines */

static void read_head(struct reading *g, struct recording_item *item)
{
	struct recording_head *h = &g->r->head;
	uint64_t version = number(g, g->line, "probes_tui_recording", INT_MAX);
	int64_t offset = 0;

	if (version > RECORDING_VERSION)
		fail(g, "a newer probes-tui wrote it");
	if (g->r->lines > 1)
		fail(g, "it is a second head");
	(void)!json_value_signed(json_object_get(g->line, "utc_offset"), &offset);
	if (offset < -OFFSET || offset > OFFSET)
		fail(g, "a number is out of its range");
	h->offset = (long)offset;
	h->time_ns = (int64_t)number(g, g->line, "time_ns", INT64_MAX);
	if (g->why)
		return;
	h->of = collect_any(g, "of");
	h->host = collect_any(g, "host");
	h->kernel = collect_any(g, "kernel");
	h->version = collect_any(g, "version");
}

static void read_process(struct reading *g, struct recording_item *item)
{
	struct recording *r = g->r;
	struct recording_process *p;

	r->processes = grow(g, r->processes, r->process_count, sizeof *r->processes);
	if (g->why)
		return;
	p = &r->processes[r->process_count++];
	*p = (struct recording_process){.pid = (pid_t)number(g, g->line, "pid", INT_MAX),
		.start = number(g, g->line, "start", UINT64_MAX)};
	p->comm = collect_any(g, "comm");
	p->program = collect_any(g, "program");
}

/* "0x1234" */
static uint64_t address_of(struct reading *g, const json_t *json)
{
	const char *text = json_string_value(json);

	if (text && !strncmp(text, "0x", 2) && strlen(text) <= 18 && text[2] &&
		!text[2 + strspn(text + 2, "0123456789abcdef")])
		return strtoull(text, NULL, 16);
	fail(g, "an address is none");
	return 0;
}

static void read_object(struct reading *g, struct recording_item *item)
{
	struct recording *r = g->r;
	size_t process = reference(g, "of", r->process_count);
	struct recording_object *o;

	r->objects = grow(g, r->objects, r->object_count, sizeof *r->objects);
	if (g->why)
		return;
	o = &r->objects[r->object_count++];
	*o = (struct recording_object){.process = process};
	o->path = collect_any(g, "path");
	o->build_id = keep(g, json_object_get(g->line, "build_id"));
	if (json_is_string(json_object_get(g->line, "bias")))
		o->bias = address_of(g, json_object_get(g->line, "bias"));
}

static void read_probe(struct reading *g, struct recording_item *item)
{
	struct recording *r = g->r;
	size_t object = reference(g, "of", r->object_count);
	struct recording_probe *p;
	const char *kind;

	r->probes = grow(g, r->probes, r->probe_count, sizeof *r->probes);
	if (g->why)
		return;
	p = &r->probes[r->probe_count++];
	*p = (struct recording_probe){.object = object, .process = r->objects[object].process};
	p->first_site = r->site_count;
	p->probe.arguments = "";
	kind = json_string_value(json_object_get(g->line, "kind"));
	p->probe.kind =
		kind && !strcmp(kind, probes_kind_name(PROBES_OCAML)) ? PROBES_OCAML : PROBES_SDT;
	p->probe.site_count = (uint32_t)number(g, g->line, "sites", UINT32_MAX);
	p->probe.provider = collect_any(g, "provider");
	p->probe.name = collect_any(g, "name");
}

/* A site of the last probe; those of others are passed over. */
static void read_site(struct reading *g, struct recording_item *item)
{
	struct recording *r = g->r;
	size_t probe = reference(g, "of", r->probe_count);
	uint64_t number_of = number(g, g->line, "site", UINT32_MAX);
	const json_t *names = json_object_get(g->line, "names");
	struct probes_described_site *s;

	if (g->why || probe != r->probe_count - 1 ||
		number_of != r->site_count - r->probes[probe].first_site)
		return;
	r->sites = grow(g, r->sites, r->site_count, sizeof *r->sites);
	if (g->why)
		return;
	s = &r->sites[r->site_count++];
	*s = (struct probes_described_site){.offset = number(g, g->line, "offset", UINT64_MAX),
		.line = (int)number(g, g->line, "line", INT_MAX),
		.arguments = keep(g, json_object_get(g->line, "arguments")),
		.function = keep(g, json_object_get(g->line, "function")),
		.file = keep(g, json_object_get(g->line, "file"))};
	if (json_is_string(json_object_get(g->line, "pc")))
		s->pc = address_of(g, json_object_get(g->line, "pc"));
	for (size_t i = 0; i < PROBES_EVENT_ARGUMENTS; i++)
		s->names[i] = keep(g, json_array_get(names, i));
}

static void read_kept(struct reading *g, struct recording_item *item)
{
	size_t probe = reference(g, "kept", g->r->probe_count);

	if (!g->why)
		g->r->probes[probe].kept = (uint32_t)number(g, g->line, "sites", UINT32_MAX);
}

static void read_value(struct reading *g, const json_t *json, size_t at, struct probes_value *v)
{
	const json_t *text = json_object_get(json, "text"), *value;
	char *out = g->r->texts[at];

	*v = (struct probes_value){.size = (int8_t)number(g, json, "size", 16),
		.asked = json_is_true(json_object_get(json, "asked")),
		.cut = json_is_true(json_object_get(json, "cut"))};
	if ((value = json_object_get(json, "i")) != NULL) {
		v->kind = PROBES_VALUE_SIGNED;
		if (!json_value_signed(value, &v->number))
			fail(g, "an argument is not a number");
	} else if ((value = json_object_get(json, "u")) != NULL) {
		v->kind = PROBES_VALUE_UNSIGNED;
		if (!json_value_unsigned(value, &v->bits))
			fail(g, "an argument is not a number");
	} else if ((value = json_object_get(json, "f")) != NULL) {
		v->kind = PROBES_VALUE_FLOAT;
		if (!json_value_real(value, &v->real))
			fail(g, "an argument is not a number");
	}
	if (text && !bytes_of(text, out, sizeof g->r->texts[at]))
		fail(g, "a text is not valid, or too long");
	else if (text)
		v->text = out;
}

static void read_caller(struct reading *g, const json_t *json, struct recording_item *item)
{
	struct probes_caller *caller = &item->caller;
	struct probes_source *where = &caller->where;
	const json_t *object = json_object_get(json, "object");
	const json_t *function = json_object_get(json, "function");
	const json_t *file = json_object_get(json, "file");

	*caller = (struct probes_caller){0};
	item->callers = true;
	if (json_is_null(json))
		return;
	item->event.caller = address_of(g, json_object_get(json, "address"));
	caller->pc = address_of(g, json_object_get(json, "pc"));
	where->offset = number(g, json, "offset", UINT64_MAX);
	where->line = (int)number(g, json, "line", INT_MAX);
	if ((object && !bytes_of(object, g->r->object, sizeof g->r->object)) ||
		(function && !bytes_of(function, where->function, sizeof where->function)) ||
		(file && !bytes_of(file, where->file, sizeof where->file)))
		fail(g, "a text is not valid, or too long");
	else if (object)
		caller->object = g->r->object;
}

static void read_event(struct reading *g, struct recording_item *item)
{
	struct probes_event *event = &item->event;
	const json_t *args = json_object_get(g->line, "args");
	const json_t *thread = json_object_get(g->line, "thread");

	item->what = RECORDING_EVENT;
	*event = (struct probes_event){.probe = reference(g, "event", g->r->probe_count),
		.site = (uint32_t)number(g, g->line, "site", UINT32_MAX),
		.time_ns = (int64_t)number(g, g->line, "time_ns", INT64_MAX),
		.pid = (pid_t)number(g, g->line, "pid", INT_MAX),
		.tid = (pid_t)number(g, g->line, "tid", INT_MAX),
		.thread = "",
		.count = json_array_size(args)};
	if (thread && !bytes_of(thread, g->r->thread, sizeof g->r->thread))
		fail(g, "a text is not valid, or too long");
	else if (thread)
		event->thread = g->r->thread;
	if (event->count > PROBES_EVENT_ARGUMENTS)
		fail(g, "it has too many arguments");
	for (size_t i = 0; !g->why && i < event->count; i++)
		read_value(g, json_array_get(args, i), i, &event->values[i]);
	if (json_object_get(g->line, "caller"))
		read_caller(g, json_object_get(g->line, "caller"), item);
}

static void read_lost(struct reading *g, struct recording_item *item)
{
	item->what = RECORDING_LOST;
	item->lost = number(g, g->line, "lost", UINT64_MAX);
}

static void read_rate(struct reading *g, struct recording_item *item)
{
	item->what = RECORDING_RATE;
	item->rate = (struct recording_rate){.probe = reference(g, "rate", g->r->probe_count),
		.time_ns = (int64_t)number(g, g->line, "time_ns", INT64_MAX),
		.ns = (int64_t)number(g, g->line, "ns", INT64_MAX),
		.hits = number(g, g->line, "hits", UINT64_MAX)};
}

static void read_latency(struct reading *g, struct recording_item *item)
{
	struct recording_latency *row = &item->latency;
	struct probes_latency *m = &row->latency;
	const json_t *buckets = json_object_get(g->line, "buckets");

	item->what = RECORDING_LATENCY;
	*row = (struct recording_latency){
		.start = reference(g, "latency", g->r->probe_count),
		.end = reference(g, "end", g->r->probe_count),
		.row = (size_t)number(g, g->line, "row", INT_MAX),
		.rows = (size_t)number(g, g->line, "rows", INT_MAX),
		.by = (unsigned)number(g, g->line, "by", 16),
		.total = json_is_true(json_object_get(g->line, "total")),
		.over = json_is_true(json_object_get(g->line, "over_budget")),
		.sites = (uint32_t)number(g, g->line, "sites", INT_MAX),
		.counted = (uint32_t)number(g, g->line, "sites_counted", INT_MAX),
		.sites_lost = (uint32_t)number(g, g->line, "sites_lost", INT_MAX),
		.stopped_ns = number(g, g->line, "stopped_ns", INT64_MAX),
		.began = (int64_t)number(g, g->line, "began", INT64_MAX),
		.read = (int64_t)number(g, g->line, "read", INT64_MAX),
		.now = (int64_t)number(g, g->line, "now", INT64_MAX),
	};
	*m = (struct probes_latency){
		.matched = number(g, g->line, "matched", INT64_MAX),
		.open = number(g, g->line, "open", INT64_MAX),
		.end_without_start = number(g, g->line, "end_without_start", INT64_MAX),
		.start_without_end = number(g, g->line, "start_without_end", INT64_MAX),
		.nested = number(g, g->line, "nested", INT64_MAX),
		.lost = number(g, g->line, "lost", INT64_MAX),
		.sum_ns = number(g, g->line, "sum_ns", INT64_MAX),
		.min_ns = number(g, g->line, "min_ns", INT64_MAX),
		.max_ns = number(g, g->line, "max_ns", INT64_MAX),
	};
	if (row->row >= row->rows || row->rows > g->r->process_count)
		fail(g, "a table has a wrong row");
	for (size_t i = 0; i < json_array_size(buckets); i++) {
		const json_t *pair = json_array_get(buckets, i);
		uint64_t at, count;

		if (!json_value_unsigned(json_array_get(pair, 0), &at) ||
			at >= PROBES_LATENCY_BUCKETS ||
			!json_value_unsigned(json_array_get(pair, 1), &count)) {
			fail(g, "a bucket is out of its range");
			return;
		}
		m->buckets[at] = count;
	}
}

static void read_end(struct reading *g, struct recording_item *item)
{
	double seconds = 0;

	/* As nanoseconds they fit in 64 bits. */
	if (!json_value_real(json_object_get(g->line, "seconds"), &seconds) || !(seconds >= 0) ||
		seconds > 9e9)
		fail(g, "a number is out of its range");
	free(g->r->how);
	g->r->how = collect_any(g, "end");
	item->what = RECORDING_END;
	item->end = (struct recording_end){.how = g->r->how,
		.events = number(g, g->line, "events", INT64_MAX),
		.lost = number(g, g->line, "lost", INT64_MAX),
		.undecided = number(g, g->line, "undecided", INT64_MAX),
		.only_counted = number(g, g->line, "only_counted", INT64_MAX),
		.sites_lost = number(g, g->line, "sites_lost", INT64_MAX),
		.seconds = seconds,
		.over = json_is_true(json_object_get(g->line, "over_budget"))};
}

/* The first of these keys that a line has says what it is. */
static const struct {
	const char *key;
	void (*read)(struct reading *g, struct recording_item *item);
} kinds[] = {
	{"probes_tui_recording", read_head},
	{"event", read_event},
	{"latency", read_latency},
	{"process", read_process},
	{"object", read_object},
	{"probe", read_probe},
	{"site", read_site},
	{"kept", read_kept},
	{"rate", read_rate},
	{"end", read_end},
	{"lost", read_lost},
};

int recording_read(struct recording *r, const char *line, size_t length,
	struct recording_item *item, struct probes_error *e)
{
	json_error_t error;
	json_t *json = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
	struct reading g = {.r = r, .line = json};
	char what[80];

	*item = (struct recording_item){.what = RECORDING_FACT};
	if (!r->lines++ && !json_object_get(json, kinds[0].key))
		fail(&g, "not a recording made by probes-tui");
	else if (!json_is_object(json))
		fail(&g, json ? "not a JSON object" : error.text);
	for (size_t i = 0; !g.why && i < sizeof kinds / sizeof *kinds; i++)
		if (json_object_get(json, kinds[i].key)) {
			kinds[i].read(&g, item);
			break;
		}
	if (g.why) {
		snprintf(what, sizeof what, "line %zu of the recording cannot be read", r->lines);
		report_set(e, PROBES_FAILED, -EINVAL, what, "", "%s", g.why);
	}
	json_decref(json);
	return g.why ? -EINVAL : 0;
}
