/*
 * Probes for programs, in the shape of probes-tui(1). Printed value by value, so that 100,000
 * probes need no memory.
 */
#include "ui/output/rows.h"
#include "ui/words/unreadable.h"

/* Debug information takes time to read: only with -verbose. */
static void put_argument_names(struct emit *e, const struct rows *rows, size_t probe, size_t site)
{
	const char *raw = probes_at(rows->session, probe)->sites[site].arguments;
	size_t count = probes_arguments(raw, NULL, 0);

	emit_list(e, argument_names);
	for (unsigned i = 1; i <= count && i <= PROBES_EVENT_ARGUMENTS; i++)
		emit(e, TEXT(none, probes_argument_name(rows->session, probe, site, i)));
	emit_close(e);
}

static void put_sites(struct output *o, const struct rows *rows, size_t probe)
{
	const struct probes_probe *p = probes_at(rows->session, probe);
	struct emit *e = &o->emit;

	emit_list(e, sites);
	for (size_t i = 0; i < p->site_count; i++) {
		static const struct probes_site_live none;
		const struct probes_site_live *live =
			rows->live ? probes_site_live_at(rows->session, probe, i) : &none;
		struct probes_site_hits h = {0};

		if (rows->hits)
			h = probes_site_hits_at(rows->session, probe, i);
		emit_object(e, none, ADDRESS(pc, p->sites[i].pc),
			ADDRESS(address, p->sites[i].address),
			BYTES(bytes, live->bytes, live->count),
			KNOWN(live->state, TEXT, state, probes_state_name(live->state)),
			BOOL(counted, live->counted),
			KNOWN(h.counted, TEXT, tactic, probes_tactic_name(h.tactic)),
			KNOWN(h.counted && !h.shared, U64, hits, h.hits));
		if (o->verbose)
			put_argument_names(e, rows, probe, i);
		emit_close(e);
	}
	emit_close(e);
}

/* Without a process the address of a semaphore is the one in the file. */
static void put_semaphores(struct emit *e, const struct rows *rows, size_t probe)
{
	const struct probes_probe *p = probes_at(rows->session, probe);

	emit_list(e, semaphores);
	for (size_t i = 0; i < p->semaphore_count; i++) {
		const struct probes_semaphore *sem = &p->semaphores[i];
		uint32_t value = rows->live ? probes_semaphore_live_at(rows->session, probe, i)
					    : PROBES_NONE;

		emit_element(e, ADDRESS(address, sem->address ? sem->address : sem->vaddr),
			KNOWN(value != PROBES_NONE, U64, value, value));
	}
	emit_close(e);
}

static void put_probe(struct output *o, const struct rows *rows, const struct rows_one *row)
{
	const struct probes_probe *p = probes_at(rows->session, row->probe);
	const struct probes_live *live = probes_live_at(rows->session, row->probe);
	const struct probes_item *item = row->item;
	struct emit *e = &o->emit;
	struct probes_hits hits;
	uint32_t ref;
	bool ref_known = rows_ref(rows, row->probe, &ref);
	bool counted = rows_hits(rows, row->probe, &hits);

	emit_object(e, none, TEXT(object, probes_object_at(rows->session, p->object)->path),
		TEXT(provider, p->provider), TEXT(name, p->name),
		TEXT(state, probes_state_name(rows_state(rows, row->probe))),
		KNOWN(ref_known, U64, ref, ref),
		KNOWN(item, TEXT, result, rows_outcome(item->outcome)),
		KNOWN(item && item->outcome != PROBES_DONE, TEXT, why, item->why),
		U64(site_count, p->site_count),
		KNOWN(rows->live && live->sites_on != PROBES_NONE, U64, sites_on, live->sites_on),
		U64(semaphore_count, p->semaphore_count), TEXT(arguments, p->arguments),
		KNOWN(rows->live, U64, sites_counted, hits.counted),
		KNOWN(counted && !hits.shared, U64, hits, hits.hits));
	if (e->schema == SCHEMA_LIST)
		emit_row(e);
	put_sites(o, rows, row->probe);
	put_semaphores(e, rows, row->probe);
	emit_close(e);
}

/* What the writes are, and cost in memory. */
static void put_plan(struct emit *e, const struct rows *rows)
{
	const struct probes_result *r = rows->result;

	emit(e, U64(copied_pages, r->copied_pages), U64(cost_bytes, r->cost_bytes),
		KNOWN(r->room_bytes < UINT64_MAX, U64, room_bytes, r->room_bytes),
		U64(sites_counted, r->counted_sites), U64(sites_not_counted, r->uncounted_sites),
		U64(stop_sites, r->stop_sites), U64(kernel_sites, r->kernel_sites),
		U64(uprobe_sites, r->uprobe_sites), U64(mapped_pages, r->mapped_pages));
	emit_list(e, writes);
	for (const struct probes_edit *w = r->edits; w < r->edits + r->edit_count; w++) {
		const struct probes_probe *p = probes_at(rows->session, w->probe);

		emit_element(e, TEXT(provider, p->provider), TEXT(name, p->name),
			ADDRESS(address, w->address), TEXT(what, rows_role(w->role)),
			BYTES(old, w->old, w->length), BYTES(new, w->new_, w->length));
		emit_row(e);
	}
	emit_close(e);
}

void rows_emit(struct output *o, const struct rows *rows, bool plan)
{
	struct emit *e = &o->emit;
	pid_t pid = probes_pid(rows->session);
	uint64_t stopped_ns = rows->result ? rows->result->stopped_ns : 0;

	e->schema = plan ? SCHEMA_PLAN : SCHEMA_LIST;
	emit_object(e, none, KNOWN(pid, I64, pid, pid), TEXT(prog, probes_path(rows->session)),
		KNOWN(pid, REAL, stopped_ms, (double)stopped_ns / 1e6));
	emit_list(e, objects);
	for (size_t i = 0; i < probes_object_count(rows->session); i++) {
		const struct probes_object *object = probes_object_at(rows->session, i);

		emit_element(e, TEXT(path, object->path), TEXT(build_id, object->build_id),
			U64(probe_count, object->probe_count), BOOL(unread, unreadable_is(object)),
			TEXT(why, object->why));
	}
	emit_close(e);
	emit_list(e, probes);
	for (size_t i = 0; i < rows->count; i++)
		put_probe(o, rows, &rows->items[i]);
	emit_close(e);
	if (plan)
		put_plan(e, rows);
	emit_close(e);
}
