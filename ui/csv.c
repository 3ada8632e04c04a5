/*
 * Probes as CSV.
 *
 * Owns the columns and their quoting. A figure that is not known is an empty
 * field, never 0.
 */
#include "ui/csv.h"

#include <inttypes.h>
#include <string.h>

#include "ui/outbuf.h"

static void put_text(struct outbuf *out, const char *raw)
{
	const char *text = outbuf_safe(raw);

	if (!text[strcspn(text, ",\" ")]) {
		outbuf_text(out, text);
		return;
	}
	outbuf_text(out, "\"");
	for (; *text; text++) {
		if (*text == '"')
			outbuf_text(out, "\"");
		outbuf_bytes(out, text, 1);
	}
	outbuf_text(out, "\"");
}

static void put_fields(struct outbuf *out, const char *const *fields, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		put_text(out, fields[i]);
		outbuf_text(out, ",");
	}
}

/* Which process a row belongs to; no pid for a file. */
static void put_process(struct outbuf *out, const struct rows *rows)
{
	pid_t pid = probes_pid(rows->session);

	if (pid)
		outbuf_number(out, (uint32_t)pid);
	outbuf_text(out, ",");
}

static void put_counts(struct outbuf *out, const struct rows *rows, size_t probe)
{
	const struct probes_probe *p = probes_at(rows->session, probe);
	const struct probes_live *live = probes_live_at(rows->session, probe);
	uint32_t ref;

	if (rows_ref(rows, probe, &ref))
		outbuf_number(out, ref);
	outbuf_text(out, ",");
	outbuf_number(out, p->site_count);
	outbuf_text(out, ",");
	if (rows->live && live->sites_on != PROBES_NONE)
		outbuf_number(out, live->sites_on);
	outbuf_text(out, ",");
	outbuf_number(out, p->semaphore_count);
	outbuf_text(out, ",");
}

static void put_row(struct outbuf *out, const struct rows *rows, const struct rows_one *row)
{
	const struct probes_probe *p = probes_at(rows->session, row->probe);
	const struct probes_live *live = probes_live_at(rows->session, row->probe);
	const char *names[] = {probes_path(rows->session),
		probes_object_at(rows->session, p->object)->path, p->provider, p->name,
		rows->live ? probes_state_name(live->state) : ""};

	put_process(out, rows);
	put_fields(out, names, 5);
	put_counts(out, rows, row->probe);
	put_text(out, p->arguments);
	outbuf_text(out, ",");
	if (row->item)
		outbuf_text(out, rows_outcome(row->item->outcome));
	outbuf_text(out, ",");
	if (row->item && row->item->outcome != PROBES_DONE)
		put_text(out, row->item->why);
	outbuf_text(out, "\n");
}

static void csv_rows(struct format_sheet *s, const struct rows *rows)
{
	struct outbuf page;

	if (!s->blocks)
		fputs("pid,prog,object,provider,name,state,ref,sites,sites_on,semaphores,"
		      "arguments,result,why\n",
			s->out);
	outbuf_begin(&page, s->out);
	for (size_t i = 0; i < rows->count; i++)
		put_row(&page, rows, &rows->items[i]);
	outbuf_flush(&page);
}

static void put_write(struct outbuf *out, const struct rows *rows, const struct probes_edit *w)
{
	const struct probes_probe *p = probes_at(rows->session, w->probe);
	const char *names[] = {p->provider, p->name};

	put_process(out, rows);
	put_fields(out, names, 2);
	outbuf_text(out, w->role == PROBES_ROLE_CODE ? "site," : "semaphore,");
	outbuf_address(out, w->address);
	outbuf_text(out, ",");
	outbuf_hex(out, w->old, w->length);
	outbuf_text(out, ",");
	outbuf_hex(out, w->new_, w->length);
	outbuf_text(out, "\n");
}

static void csv_plan(struct format_sheet *s, const struct rows *rows)
{
	struct outbuf page;

	if (!s->blocks)
		fputs("pid,provider,name,what,address,old,new\n", s->out);
	outbuf_begin(&page, s->out);
	for (size_t i = 0; i < rows->result->edit_count; i++)
		put_write(&page, rows, &rows->result->edits[i]);
	outbuf_flush(&page);
}

static void csv_nothing(struct format_sheet *s)
{
	(void)s;
}

const struct format_ops csv_ops = {
	.begin = csv_nothing,
	.rows = csv_rows,
	.plan = csv_plan,
	.end = csv_nothing,
};
