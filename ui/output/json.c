/*
 * Probes as JSON, in the shape of probes-tui(1). Prints value by value, so that 100,000 probes need
 * no memory; only ASCII. What is unknown or does not apply is null.
 */
#include "ui/output/rows.h"

#include <inttypes.h>

#include "ui/output/json_value.h"
#include "ui/words/unreadable.h"

static json_t *bytes(const uint8_t *data, size_t count)
{
	char hex[2 * sizeof((struct probes_site_live){0}.bytes) + 1] = "";

	for (size_t i = 0; i < count; i++)
		snprintf(hex + 2 * i, 3, "%02x", data[i]);
	return count ? json_string(hex) : json_null();
}

/* Of a site; one without a switch has no state. */
static json_t *site_state(enum probes_state value)
{
	return value == PROBES_UNKNOWN ? json_null() : json_string(probes_state_name(value));
}

static json_t *number(uint32_t value)
{
	return value == PROBES_NONE ? json_null() : json_integer(value);
}

/* Print and free a value. */
static void put(struct output *s, json_t *value)
{
	json_dumpf(value, s->file, JSON_ENSURE_ASCII | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
	json_decref(value);
}

/* ------------------------------------------------------------------ a probe */

/* The names of the arguments of a site, null where one is unknown. */
static json_t *names(const struct rows *rows, size_t probe, size_t site)
{
	const char *raw = probes_at(rows->session, probe)->sites[site].arguments;
	size_t count = probes_arguments(raw, NULL, 0);
	json_t *list = json_array();

	for (size_t i = 0; i < count && i < PROBES_EVENT_ARGUMENTS; i++)
		json_array_append_new(list, json_value_text(probes_argument_name(
						    rows->session, probe, site, (unsigned)i + 1)));
	return list;
}

static json_t *sites(const struct output *s, const struct rows *rows, size_t probe)
{
	const struct probes_probe *p = probes_at(rows->session, probe);
	json_t *list = json_array();

	for (size_t i = 0; i < p->site_count; i++) {
		static const struct probes_site_live none;
		const struct probes_site_live *live =
			rows->live ? probes_site_live_at(rows->session, probe, i) : &none;

		struct probes_site_hits h = {0};
		json_t *site;

		if (rows->hits)
			h = probes_site_hits_at(rows->session, probe, i);
		site = json_pack("{s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "pc",
			json_value_address(p->sites[i].pc), "address",
			json_value_address(p->sites[i].address), "bytes",
			bytes(live->bytes, live->count), "state", site_state(live->state),
			"counted", live->counted, "tactic",
			h.counted ? json_string(probes_tactic_name(h.tactic)) : json_null(), "hits",
			h.counted && !h.shared ? json_integer((json_int_t)h.hits) : json_null());
		/* Debug information takes time to read. */
		if (s->verbose)
			json_object_set_new(site, "argument_names", names(rows, probe, i));
		json_array_append_new(list, site);
	}
	return list;
}

/* Without a process the address of a semaphore is the one in the file. */
static json_t *semaphores(const struct rows *rows, size_t probe)
{
	const struct probes_probe *p = probes_at(rows->session, probe);
	json_t *list = json_array();

	for (size_t i = 0; i < p->semaphore_count; i++) {
		const struct probes_semaphore *sem = &p->semaphores[i];
		uint32_t value = rows->live ? probes_semaphore_live_at(rows->session, probe, i)
					    : PROBES_NONE;

		json_array_append_new(
			list, json_pack("{s:o, s:o}", "address",
				      json_value_address(sem->address ? sem->address : sem->vaddr),
				      "value", number(value)));
	}
	return list;
}

static json_t *probe(const struct output *s, const struct rows *rows, const struct rows_one *row)
{
	const struct probes_probe *p = probes_at(rows->session, row->probe);
	const struct probes_item *item = row->item;
	uint32_t ref;
	bool known = rows_ref(rows, row->probe, &ref);
	struct probes_hits hits;
	bool counted = rows_hits(rows, row->probe, &hits);

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o}", "object",
		json_value_text(probes_object_at(rows->session, p->object)->path), "provider",
		json_value_text(p->provider), "name", json_value_text(p->name), "state",
		json_value_text(probes_state_name(rows_state(rows, row->probe))), "ref",
		known ? number(ref) : json_null(), "result",
		item ? json_value_text(rows_outcome(item->outcome)) : json_null(), "why",
		item && item->outcome != PROBES_DONE ? json_value_text(item->why) : json_null(),
		"sites", sites(s, rows, row->probe), "semaphores", semaphores(rows, row->probe),
		"arguments", json_value_text(p->arguments), "sites_counted", (int)hits.counted,
		"hits",
		counted && !hits.shared ? json_integer((json_int_t)hits.hits) : json_null());
}

/* ---------------------------------------------------------------- a process */

/* All but the last brace. */
static void put_process(struct output *s, const struct rows *rows)
{
	const struct probes_session *session = rows->session;
	uint64_t stopped_ns = rows->result ? rows->result->stopped_ns : 0;
	pid_t pid = probes_pid(session);

	fputs(s->printed ? ",\n{\"pid\": " : "{\"pid\": ", s->file);
	put(s, pid ? json_integer(pid) : json_null());
	fputs(", \"prog\": ", s->file);
	put(s, json_value_text(probes_path(session)));
	fputs(", \"stopped_ms\": ", s->file);
	put(s, !pid          ? json_null()
		: stopped_ns ? json_real((double)stopped_ns / 1e6)
			     : json_integer(0));
	fputs(",\n \"objects\": [", s->file);
	for (size_t i = 0; i < probes_object_count(session); i++) {
		const struct probes_object *object = probes_object_at(session, i);

		fputs(i ? ",\n  " : "\n  ", s->file);
		put(s, json_pack("{s:o, s:o, s:o, s:b, s:o}", "path", json_value_text(object->path),
			       "build_id", json_value_text(object->build_id), "probes",
			       json_integer((json_int_t)object->probe_count), "unread",
			       unreadable_is(object), "why", json_value_text(object->why)));
	}
	fputs("],\n \"probes\": [", s->file);
	for (size_t i = 0; i < rows->count; i++) {
		fputs(i ? ",\n  " : "\n  ", s->file);
		put(s, probe(s, rows, &rows->items[i]));
	}
	fputs("]", s->file);
}

static void json_rows(struct output *s, const struct rows *rows)
{
	put_process(s, rows);
	fputs("}", s->file);
}

/* Likewise, with the writes and their cost in memory. */
static void json_plan(struct output *s, const struct rows *rows)
{
	const struct probes_result *r = rows->result;

	put_process(s, rows);
	fprintf(s->file, ",\n \"copied_pages\": %zu, \"cost_bytes\": %" PRIu64 ", \"room_bytes\": ",
		r->copied_pages, r->cost_bytes);
	put(s, r->room_bytes < UINT64_MAX ? json_integer((json_int_t)r->room_bytes) : json_null());
	fprintf(s->file,
		",\n \"sites_counted\": %zu, \"sites_not_counted\": %zu, "
		"\"stop_sites\": %zu, \"kernel_sites\": %zu, \"uprobe_sites\": %zu, "
		"\"mapped_pages\": %zu",
		r->counted_sites, r->uncounted_sites, r->stop_sites, r->kernel_sites,
		r->uprobe_sites, r->mapped_pages);
	fputs(",\n \"writes\": [", s->file);
	for (size_t i = 0; i < rows->result->edit_count; i++) {
		const struct probes_edit *w = &rows->result->edits[i];
		const struct probes_probe *p = probes_at(rows->session, w->probe);

		fputs(i ? ",\n  " : "\n  ", s->file);
		put(s, json_pack("{s:o, s:o, s:o, s:s, s:o, s:o}", "provider",
			       json_value_text(p->provider), "name", json_value_text(p->name),
			       "address", json_value_address(w->address), "what",
			       rows_role(w->role), "old", bytes(w->old, w->length), "new",
			       bytes(w->new_, w->length)));
	}
	fputs("]}", s->file);
}

static void json_begin(struct output *s)
{
	if (s->many)
		fputs("[", s->file);
}

static void json_end(struct output *s)
{
	if (s->many)
		fputs("]", s->file);
	if (s->many || s->printed)
		fputs("\n", s->file);
}

const struct format_ops json_ops = {
	.begin = json_begin,
	.rows = json_rows,
	.plan = json_plan,
	.end = json_end,
};
