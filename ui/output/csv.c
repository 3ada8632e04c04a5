/* Probes as CSV. An unknown figure is an empty field, never 0. */
#include "ui/output/rows.h"

#include <inttypes.h>
#include <string.h>

#include "ui/output/outbuf.h"

static void put_fields(struct outbuf *out, const char *const *fields, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		outbuf_csv(out, fields[i]);
		outbuf_text(out, ",");
	}
}

/* The pid of the process; empty for a file. */
static void put_process(struct outbuf *out, const struct rows *rows)
{
	pid_t pid = probes_pid(rows->session);

	if (pid)
		outbuf_number(out, (uint32_t)pid);
	outbuf_text(out, ",");
}

static void csv_rows(struct output *o, const struct rows *rows)
{
	struct outbuf b;

	if (!o->printed)
		fputs("pid,prog,object,provider,name,state,ref,sites,sites_on,semaphores,"
		      "arguments,result,why,sites_counted,hits\n",
			o->file);
	outbuf_begin(&b, o->file);
	for (size_t i = 0; i < rows->count; i++) {
		const struct rows_one *row = &rows->items[i];
		const struct probes_probe *p = probes_at(rows->session, row->probe);
		const struct probes_live *live = probes_live_at(rows->session, row->probe);
		const char *texts[] = {probes_path(rows->session),
			probes_object_at(rows->session, p->object)->path, p->provider, p->name,
			probes_state_name(rows_state(rows, row->probe))};
		struct probes_hits hits;
		uint32_t ref;

		put_process(&b, rows);
		put_fields(&b, texts, 5);
		if (rows_ref(rows, row->probe, &ref))
			outbuf_number(&b, ref);
		outbuf_text(&b, ",");
		outbuf_number(&b, p->site_count);
		outbuf_text(&b, ",");
		if (rows->live && live->sites_on != PROBES_NONE)
			outbuf_number(&b, live->sites_on);
		outbuf_text(&b, ",");
		outbuf_number(&b, p->semaphore_count);
		outbuf_text(&b, ",");
		outbuf_csv(&b, p->arguments);
		outbuf_text(&b, ",");
		if (row->item)
			outbuf_text(&b, rows_outcome(row->item->outcome));
		outbuf_text(&b, ",");
		if (row->item && row->item->outcome != PROBES_DONE)
			outbuf_csv(&b, row->item->why);
		outbuf_text(&b, ",");
		if (rows_hits(rows, row->probe, &hits)) {
			char text[40];

			snprintf(text, sizeof text, "%u,", hits.counted);
			outbuf_text(&b, text);
			snprintf(text, sizeof text, "%" PRIu64, hits.hits);
			outbuf_text(&b, hits.shared ? "" : text);
		} else {
			outbuf_text(&b, rows->live ? "0," : ",");
		}
		outbuf_text(&b, "\n");
	}
	outbuf_flush(&b);
}

static void csv_plan(struct output *o, const struct rows *rows)
{
	struct outbuf b;

	if (!o->printed)
		fputs("pid,provider,name,what,address,old,new\n", o->file);
	outbuf_begin(&b, o->file);
	for (size_t i = 0; i < rows->result->edit_count; i++) {
		const struct probes_edit *w = &rows->result->edits[i];
		const struct probes_probe *p = probes_at(rows->session, w->probe);
		const char *texts[] = {p->provider, p->name};

		put_process(&b, rows);
		put_fields(&b, texts, 2);
		outbuf_text(&b, rows_role(w->role));
		outbuf_text(&b, ",");
		outbuf_address(&b, w->address);
		outbuf_text(&b, ",");
		outbuf_hex(&b, w->old, w->length);
		outbuf_text(&b, ",");
		outbuf_hex(&b, w->new_, w->length);
		outbuf_text(&b, "\n");
	}
	outbuf_flush(&b);
}

const struct format_ops csv_ops = {
	.rows = csv_rows,
	.plan = csv_plan,
};
