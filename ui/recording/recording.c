#include "ui/recording/recording.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ui/figures/event.h"

#define EXACT (INT64_C(1) << 53) /* a double holds every whole number until here */

/* A text, or {"hex":"..."} if it is not UTF-8; null. */
static json_t *text_of(const char *raw)
{
	size_t length = raw ? strnlen(raw, RECORDING_TEXT) : 0;
	json_t *text = raw ? json_stringn(raw, length) : json_null();
	char *hex;

	if (text)
		return text;
	hex = malloc(2 * length + 1);
	if (!hex)
		return NULL;
	for (size_t i = 0; i < length; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char)raw[i]);
	text = json_pack("{s:s}", "hex", hex);
	free(hex);
	return text;
}

static json_t *address_of(uint64_t address)
{
	return json_sprintf("0x%" PRIx64, address);
}

static json_t *number_of(uint64_t number)
{
	return number <= EXACT ? json_integer((json_int_t)number)
			       : json_sprintf("%" PRIu64, number);
}

/* A line that is released. */
static void put_json(struct lines *l, json_t *json, int64_t time_ns)
{
	char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	size_t from = l->length;

	if (text) {
		lines_put(l, text);
		lines_end(l, from, time_ns);
	} else {
		l->failed = true;
	}
	free(text);
	json_decref(json);
}

void recording_put_head(struct lines *l, const struct recording_head *h)
{
	put_json(l,
		json_pack("{s:i, s:s, s:o, s:o, s:o, s:s, s:I, s:I}", "probes_tui_recording",
			RECORDING_VERSION, "of", h->of, "version", text_of(h->version), "host",
			text_of(h->host), "kernel", text_of(h->kernel), "clock", "CLOCK_REALTIME",
			"time_ns", (json_int_t)h->time_ns, "utc_offset", (json_int_t)h->offset),
		0);
}

void recording_put_process(struct lines *l, size_t number, const struct recording_process *p)
{
	put_json(l,
		json_pack("{s:I, s:i, s:o, s:o, s:o}", "process", (json_int_t)number, "pid",
			(int)p->pid, "comm", text_of(p->comm), "program", text_of(p->program),
			"start", number_of(p->start)),
		0);
}

void recording_put_object(struct lines *l, size_t number, const struct recording_object *o)
{
	put_json(l,
		json_pack("{s:I, s:I, s:o, s:o, s:o}", "object", (json_int_t)number, "of",
			(json_int_t)o->process, "path", text_of(o->path), "build_id",
			text_of(o->build_id), "bias", address_of(o->bias)),
		0);
}

void recording_put_probe(
	struct lines *l, size_t number, size_t object, const struct probes_probe *probe)
{
	put_json(l,
		json_pack("{s:I, s:I, s:o, s:o, s:s, s:I}", "probe", (json_int_t)number, "of",
			(json_int_t)object, "provider", text_of(probe->provider), "name",
			text_of(probe->name), "kind", probes_kind_name(probe->kind), "sites",
			(json_int_t)probe->site_count),
		0);
}

void recording_put_site(struct lines *l, size_t number, size_t probe, const struct probes_site *s,
	const struct probes_source *where, const struct probes_described_site *names)
{
	json_t *line = json_pack("{s:I, s:I, s:o, s:o}", "site", (json_int_t)number, "of",
		(json_int_t)probe, "pc", address_of(s->pc), "arguments", text_of(s->arguments));

	json_t *all = json_array();
	size_t count = 0;

	for (size_t i = 0; i < PROBES_EVENT_ARGUMENTS; i++)
		if (names->names[i])
			count = i + 1;
	for (size_t i = 0; i < count; i++)
		json_array_append_new(all, text_of(names->names[i]));
	json_object_set_new(line, "names", all);
	if (*where->function) {
		json_object_set_new(line, "function", text_of(where->function));
		json_object_set_new(line, "offset", number_of(where->offset));
	}
	if (*where->file) {
		json_object_set_new(line, "file", text_of(where->file));
		json_object_set_new(line, "line", json_integer(where->line));
	}
	put_json(l, line, 0);
}

void recording_put_kept(struct lines *l, size_t probe, uint32_t sites)
{
	put_json(l, json_pack("{s:I, s:I}", "kept", (json_int_t)probe, "sites", (json_int_t)sites),
		0);
}

/* A text behind what names it. */
static void put_text(struct lines *l, const char *key, const char *raw)
{
	json_t *json = text_of(raw);
	char *text =
		json ? json_dumps(json, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	lines_put(l, key);
	lines_put(l, text ? text : "null");
	l->failed = l->failed || !text;
	free(text);
	json_decref(json);
}

static void put_value(struct lines *l, const struct probes_value *v)
{
	char real[40];

	switch (v->kind) {
	case PROBES_VALUE_SIGNED:
		lines_format(l,
			v->number > EXACT || v->number < -EXACT ? "\"i\":\"%" PRId64 "\","
								: "\"i\":%" PRId64 ",",
			v->number);
		break;
	case PROBES_VALUE_UNSIGNED:
		lines_format(l, v->bits > EXACT ? "\"u\":\"%" PRIu64 "\"," : "\"u\":%" PRIu64 ",",
			v->bits);
		break;
	case PROBES_VALUE_FLOAT:
		event_real(v->real, 17, real, sizeof real);
		lines_format(l, strpbrk(real, "ni") ? "\"f\":\"%s\"," : "\"f\":%s,", real);
		break;
	default:
		break;
	}
	lines_format(l, "\"size\":%d", v->size);
	if (v->asked)
		lines_put(l, ",\"asked\":true");
	if (v->text)
		put_text(l, ",\"text\":", v->text);
	if (v->cut)
		lines_put(l, ",\"cut\":true");
}

static void put_caller(struct lines *l, uint64_t address, const struct probes_caller *caller)
{
	const struct probes_source *where = &caller->where;

	if (!address) {
		lines_put(l, ",\"caller\":null");
		return;
	}
	lines_format(l, ",\"caller\":{\"address\":\"0x%" PRIx64 "\",\"pc\":\"0x%" PRIx64 "\"",
		address, caller->pc);
	if (caller->object)
		put_text(l, ",\"object\":", caller->object);
	if (*where->function) {
		put_text(l, ",\"function\":", where->function);
		lines_format(l, ",\"offset\":%" PRIu64, where->offset);
	}
	if (*where->file) {
		put_text(l, ",\"file\":", where->file);
		lines_format(l, ",\"line\":%d", where->line);
	}
	lines_put(l, "}");
}

void recording_put_event(struct lines *l, size_t probe, const struct probes_event *event,
	const struct probes_caller *caller)
{
	size_t from = l->length;

	/* By hand: there may be a million a second. */
	lines_format(l, "{\"event\":%zu,\"site\":%u,\"time_ns\":%" PRId64 ",\"pid\":%d,\"tid\":%d",
		probe, (unsigned)event->site, event->time_ns, (int)event->pid, (int)event->tid);
	if (*event->thread)
		put_text(l, ",\"thread\":", event->thread);
	lines_put(l, ",\"args\":[");
	for (size_t i = 0; i < event->count; i++) {
		lines_put(l, i ? ",{" : "{");
		put_value(l, &event->values[i]);
		lines_put(l, "}");
	}
	lines_put(l, "]");
	if (caller)
		put_caller(l, event->caller, caller);
	lines_put(l, "}");
	lines_end(l, from, event->time_ns);
}

void recording_put_lost(struct lines *l, uint64_t lost)
{
	put_json(l, json_pack("{s:o}", "lost", number_of(lost)), 0);
}

void recording_put_rate(struct lines *l, const struct recording_rate *r)
{
	put_json(l,
		json_pack("{s:I, s:I, s:I, s:o}", "rate", (json_int_t)r->probe, "time_ns",
			(json_int_t)r->time_ns, "ns", (json_int_t)r->ns, "hits",
			number_of(r->hits)),
		r->time_ns);
}

void recording_put_latency(struct lines *l, const struct recording_latency *row)
{
	const struct probes_latency *m = &row->latency;
	json_t *buckets = json_array();

	for (size_t i = 0; i < PROBES_LATENCY_BUCKETS; i++)
		if (m->buckets[i])
			json_array_append_new(buckets,
				json_pack("[I, o]", (json_int_t)i, number_of(m->buckets[i])));
	put_json(l,
		json_pack("{s:I, s:I, s:I, s:I, s:i, s:b, s:b, s:I, s:I, s:I, s:o, s:I, s:I, s:I, "
			  "s:o, "
			  "s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			"latency", (json_int_t)row->start, "end", (json_int_t)row->end, "row",
			(json_int_t)row->row, "rows", (json_int_t)row->rows, "by", (int)row->by,
			"total", (int)row->total, "over_budget", (int)row->over, "sites",
			(json_int_t)row->sites, "sites_counted", (json_int_t)row->counted,
			"sites_lost", (json_int_t)row->sites_lost, "stopped_ns",
			number_of(row->stopped_ns), "began", (json_int_t)row->began, "read",
			(json_int_t)row->read, "now", (json_int_t)row->now, "matched",
			number_of(m->matched), "open", number_of(m->open), "end_without_start",
			number_of(m->end_without_start), "start_without_end",
			number_of(m->start_without_end), "nested", number_of(m->nested), "lost",
			number_of(m->lost), "sum_ns", number_of(m->sum_ns), "min_ns",
			number_of(m->min_ns), "max_ns", number_of(m->max_ns), "buckets", buckets),
		0);
}

void recording_put_end(struct lines *l, const struct recording_end *end)
{
	char seconds[40];
	size_t from = l->length;

	put_text(l, "{\"end\":", end->how);
	lines_format(l, ",\"events\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"undecided\":%" PRIu64,
		end->events, end->lost, end->undecided);
	lines_format(l, ",\"only_counted\":%" PRIu64 ",\"sites_lost\":%" PRIu64, end->only_counted,
		end->sites_lost);
	lines_format(l, ",\"seconds\":%s,\"over_budget\":%s}",
		event_real(end->seconds, 17, seconds, sizeof seconds),
		end->over ? "true" : "false");
	lines_end(l, from, INT64_MAX);
}

void recording_init(struct recording *r)
{
	*r = (struct recording){0};
}

const struct probes_described_site *recording_sites(
	const struct recording *r, size_t probe, size_t *count)
{
	size_t first = r->probes[probe].first_site;
	size_t end = probe + 1 < r->probe_count ? r->probes[probe + 1].first_site : r->site_count;

	*count = end - first;
	return *count ? r->sites + first : NULL;
}

static void free_text(const char *text)
{
	free((void *)(uintptr_t)text);
}

void recording_done(struct recording *r)
{
	const struct recording_head *h = &r->head;

	free_text(h->of);
	free_text(h->host);
	free_text(h->kernel);
	free_text(h->version);
	for (size_t i = 0; i < r->process_count; i++) {
		free_text(r->processes[i].comm);
		free_text(r->processes[i].program);
	}
	for (size_t i = 0; i < r->object_count; i++) {
		free_text(r->objects[i].path);
		free_text(r->objects[i].build_id);
	}
	for (size_t i = 0; i < r->probe_count; i++) {
		free_text(r->probes[i].probe.provider);
		free_text(r->probes[i].probe.name);
	}
	for (size_t i = 0; i < r->site_count; i++) {
		free_text(r->sites[i].arguments);
		free_text(r->sites[i].function);
		free_text(r->sites[i].file);
		for (size_t k = 0; k < PROBES_EVENT_ARGUMENTS; k++)
			free_text(r->sites[i].names[k]);
	}
	free(r->sites);
	free(r->processes);
	free(r->objects);
	free(r->probes);
	free(r->how);
	recording_init(r);
}
