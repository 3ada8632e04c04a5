/*
 * Probes as JSON.
 *
 * Owns the shape, which probes-tui(1) describes. Values go out one by one, so that 100,000
 * probes need no memory. Only ASCII is printed; what is not known or does not
 * apply is null.
 */
#include "ui/json.h"

#include <inttypes.h>
#include <jansson.h>

#include "ui/outbuf.h"
#include "ui/unread.h"

/* Raw text as a string; what is no UTF-8 as escaped text. */
static json_t *text(const char *raw)
{
	json_t *string = raw ? json_string(raw) : json_null();

	return string ? string : json_string(outbuf_safe(raw));
}

static json_t *address(uint64_t value)
{
	char hex[24];

	if (!value)
		return json_null();
	snprintf(hex, sizeof hex, "0x%" PRIx64, value);
	return json_string(hex);
}

static json_t *bytes(const uint8_t *data, size_t count)
{
	char hex[2 * sizeof((struct probes_site_live){0}.bytes) + 1] = "";

	for (size_t i = 0; i < count; i++)
		snprintf(hex + 2 * i, 3, "%02x", data[i]);
	return count ? json_string(hex) : json_null();
}

static json_t *state(enum probes_state value)
{
	return value == PROBES_UNKNOWN ? json_null() : json_string(probes_state_name(value));
}

static json_t *number(uint32_t value)
{
	return value == PROBES_NONE ? json_null() : json_integer(value);
}

/* Print a value and give it up. */
static void put(struct format_sheet *s, json_t *value)
{
	json_dumpf(value, s->out, JSON_ENSURE_ASCII | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
	json_decref(value);
}

/* ------------------------------------------------------------------ a probe */

static json_t *sites(const struct rows *rows, size_t probe)
{
	const struct probes_probe *p = probes_at(rows->session, probe);
	json_t *list = json_array();

	for (size_t i = 0; i < p->site_count; i++) {
		static const struct probes_site_live none;
		const struct probes_site_live *live =
			rows->live ? probes_site_live_at(rows->session, probe, i) : &none;

		json_array_append_new(list,
			json_pack("{s:o, s:o, s:o, s:o}", "pc", address(p->sites[i].pc), "address",
				address(p->sites[i].address), "bytes",
				bytes(live->bytes, live->count), "state", state(live->state)));
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
				      address(sem->address ? sem->address : sem->vaddr), "value",
				      number(value)));
	}
	return list;
}

static json_t *probe(const struct rows *rows, const struct rows_one *row)
{
	const struct probes_probe *p = probes_at(rows->session, row->probe);
	const struct probes_item *item = row->item;
	const struct probes_live *live = probes_live_at(rows->session, row->probe);
	uint32_t ref;
	bool known = rows_ref(rows, row->probe, &ref);

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "object",
		text(probes_object_at(rows->session, p->object)->path), "provider",
		text(p->provider), "name", text(p->name), "state",
		rows->live ? state(live->state) : json_null(), "ref",
		known ? number(ref) : json_null(), "result",
		item ? text(rows_outcome(item->outcome)) : json_null(), "why",
		item && item->outcome != PROBES_DONE ? text(item->why) : json_null(), "sites",
		sites(rows, row->probe), "semaphores", semaphores(rows, row->probe), "arguments",
		text(p->arguments));
}

/* ---------------------------------------------------------------- a process */

static json_t *stopped(const struct rows *rows)
{
	if (!probes_pid(rows->session))
		return json_null();
	if (!rows->result || !rows->result->stopped_ns)
		return json_integer(0);
	return json_real((double)rows->result->stopped_ns / 1e6);
}

static void put_objects(struct format_sheet *s, const struct probes_session *session)
{
	fputs(" \"objects\": [", s->out);
	for (size_t i = 0; i < probes_object_count(session); i++) {
		const struct probes_object *object = probes_object_at(session, i);

		fputs(i ? ",\n  " : "\n  ", s->out);
		put(s, json_pack("{s:o, s:o, s:o, s:b, s:o}", "path", text(object->path),
			       "build_id", text(object->build_id), "probes",
			       json_integer((json_int_t)object->probe_count), "unread",
			       unread_is(object), "why", text(object->why)));
	}
	fputs("],\n", s->out);
}

static void put_head(struct format_sheet *s, const struct rows *rows)
{
	pid_t pid = probes_pid(rows->session);

	fputs(s->blocks ? ",\n" : "", s->out);
	fputs("{\"pid\": ", s->out);
	put(s, pid ? json_integer(pid) : json_null());
	fputs(", \"prog\": ", s->out);
	put(s, text(probes_path(rows->session)));
	fputs(", \"stopped_ms\": ", s->out);
	put(s, stopped(rows));
	fputs(",\n", s->out);
	put_objects(s, rows->session);
	fputs(" \"probes\": [", s->out);
	for (size_t i = 0; i < rows->count; i++) {
		fputs(i ? ",\n  " : "\n  ", s->out);
		put(s, probe(rows, &rows->items[i]));
	}
	fputs("]", s->out);
}

static void json_rows(struct format_sheet *s, const struct rows *rows)
{
	put_head(s, rows);
	fputs("}", s->out);
}

/* What it would cost the process in memory. */
static void put_cost(struct format_sheet *s, const struct probes_result *r)
{
	bool limited = r->room_bytes < UINT64_MAX;

	fprintf(s->out, ",\n \"copied_pages\": %zu, \"cost_bytes\": %" PRIu64 ", \"room_bytes\": ",
		r->copied_pages, r->cost_bytes);
	put(s, limited ? json_integer((json_int_t)r->room_bytes) : json_null());
}

/* The same, with some keys more: what would be written. */
static void json_plan(struct format_sheet *s, const struct rows *rows)
{
	put_head(s, rows);
	put_cost(s, rows->result);
	fputs(",\n \"writes\": [", s->out);
	for (size_t i = 0; i < rows->result->edit_count; i++) {
		const struct probes_edit *w = &rows->result->edits[i];
		const struct probes_probe *p = probes_at(rows->session, w->probe);

		fputs(i ? ",\n  " : "\n  ", s->out);
		put(s, json_pack("{s:o, s:o, s:o, s:s, s:o, s:o}", "provider", text(p->provider),
			       "name", text(p->name), "address", address(w->address), "what",
			       w->role == PROBES_ROLE_CODE ? "site" : "semaphore", "old",
			       bytes(w->old, w->length), "new", bytes(w->new_, w->length)));
	}
	fputs("]}", s->out);
}

static void json_begin(struct format_sheet *s)
{
	if (s->many)
		fputs("[", s->out);
}

static void json_end(struct format_sheet *s)
{
	if (s->many)
		fputs("]", s->out);
	if (s->many || s->blocks)
		fputs("\n", s->out);
}

const struct format_ops json_ops = {
	.begin = json_begin,
	.rows = json_rows,
	.plan = json_plan,
	.end = json_end,
};
