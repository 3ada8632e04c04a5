/*
 * Probes as CSV.
 *
 * Owns the columns and their quoting. A figure that is not known is an empty
 * field, never 0.
 */
#include "ui/csv.h"

#include <inttypes.h>
#include <string.h>

#include "ui/put.h"

static void put_text(struct page *out, const char *raw)
{
	const char *text = put_safe(raw);

	if (!text[strcspn(text, ",\" ")]) {
		page_text(out, text);
		return;
	}
	page_text(out, "\"");
	for (; *text; text++) {
		if (*text == '"')
			page_text(out, "\"");
		page_bytes(out, text, 1);
	}
	page_text(out, "\"");
}

static void put_fields(struct page *out, const char *const *fields, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		put_text(out, fields[i]);
		page_text(out, ",");
	}
}

/* Which process a row belongs to; no pid for a file. */
static void put_process(struct page *out, const struct rows *rows)
{
	pid_t pid = probes_pid(rows->session);

	if (pid)
		page_number(out, (uint32_t)pid);
	page_text(out, ",");
}

static void put_counts(struct page *out, const struct rows *rows, size_t probe)
{
	const struct probes_probe *p = probes_at(rows->session, probe);
	const struct probes_live *live = probes_live_at(rows->session, probe);
	uint32_t ref;

	if (rows_ref(rows, probe, &ref))
		page_number(out, ref);
	page_text(out, ",");
	page_number(out, p->site_count);
	page_text(out, ",");
	if (rows->live && live->sites_on != PROBES_NONE)
		page_number(out, live->sites_on);
	page_text(out, ",");
	page_number(out, p->semaphore_count);
	page_text(out, ",");
}

static void put_row(struct page *out, const struct rows *rows, const struct rows_one *row)
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
	page_text(out, ",");
	if (row->item)
		page_text(out, rows_outcome(row->item->outcome));
	page_text(out, ",");
	if (row->item && row->item->outcome != PROBES_DONE)
		put_text(out, row->item->why);
	page_text(out, "\n");
}

static void csv_rows(struct sheet *s, const struct rows *rows)
{
	struct page page;

	if (!s->blocks)
		fputs("pid,prog,object,provider,name,state,ref,sites,sites_on,semaphores,"
		      "arguments,result,why\n",
			s->out);
	page_begin(&page, s->out);
	for (size_t i = 0; i < rows->count; i++)
		put_row(&page, rows, &rows->items[i]);
	page_flush(&page);
}

static void put_write(struct page *out, const struct rows *rows, const struct probes_write *w)
{
	const struct probes_probe *p = probes_at(rows->session, w->probe);
	const char *names[] = {p->provider, p->name};

	put_process(out, rows);
	put_fields(out, names, 2);
	page_text(out, w->is_site ? "site," : "semaphore,");
	page_address(out, w->address);
	page_text(out, ",");
	page_hex(out, w->old, w->length);
	page_text(out, ",");
	page_hex(out, w->new_, w->length);
	page_text(out, "\n");
}

static void csv_plan(struct sheet *s, const struct rows *rows)
{
	struct page page;

	if (!s->blocks)
		fputs("pid,provider,name,what,address,old,new\n", s->out);
	page_begin(&page, s->out);
	for (size_t i = 0; i < rows->result->write_count; i++)
		put_write(&page, rows, &rows->result->writes[i]);
	page_flush(&page);
}

static void csv_nothing(struct sheet *s)
{
	(void)s;
}

const struct sheet_ops csv_ops = {
	.begin = csv_nothing,
	.rows = csv_rows,
	.plan = csv_plan,
	.end = csv_nothing,
};
