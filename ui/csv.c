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

static void put_text(FILE *out, const char *raw)
{
	const char *text = put_safe(raw);

	if (!text[strcspn(text, ",\" ")]) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void put_fields(FILE *out, const char *const *fields, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		put_text(out, fields[i]);
		fputc(',', out);
	}
}

/* Which process a row belongs to; no pid for a file. */
static void put_process(FILE *out, const struct rows *rows)
{
	pid_t pid = probes_pid(rows->session);

	if (pid)
		fprintf(out, "%d", pid);
	fputc(',', out);
}

static void put_counts(FILE *out, const struct rows *rows, size_t probe)
{
	const struct probes_probe *p = probes_at(rows->session, probe);
	const struct probes_live *live = probes_live_at(rows->session, probe);
	uint32_t ref;

	if (rows_ref(rows, probe, &ref))
		fprintf(out, "%" PRIu32, ref);
	fprintf(out, ",%" PRIu32 ",", p->site_count);
	if (rows->live && live->sites_on != PROBES_NONE)
		fprintf(out, "%" PRIu32, live->sites_on);
	fprintf(out, ",%" PRIu32 ",", p->semaphore_count);
}

static void put_row(FILE *out, const struct rows *rows, const struct rows_one *row)
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
	fputc(',', out);
	if (row->item)
		fputs(rows_outcome(row->item->outcome), out);
	fputc(',', out);
	if (row->item && row->item->outcome != PROBES_DONE)
		put_text(out, row->item->why);
	fputc('\n', out);
}

static void csv_rows(struct sheet *s, const struct rows *rows)
{
	if (!s->blocks)
		fputs("pid,prog,object,provider,name,state,ref,sites,sites_on,semaphores,"
		      "arguments,result,why\n",
			s->out);
	for (size_t i = 0; i < rows->count; i++)
		put_row(s->out, rows, &rows->items[i]);
}

static void put_write(FILE *out, const struct rows *rows, const struct probes_write *w)
{
	const struct probes_probe *p = probes_at(rows->session, w->probe);
	const char *names[] = {p->provider, p->name};

	put_process(out, rows);
	put_fields(out, names, 2);
	fprintf(out, "%s,0x%" PRIx64 ",", w->is_site ? "site" : "semaphore", w->address);
	for (size_t i = 0; i < w->length; i++)
		fprintf(out, "%02x", w->old[i]);
	fputc(',', out);
	for (size_t i = 0; i < w->length; i++)
		fprintf(out, "%02x", w->new_[i]);
	fputc('\n', out);
}

static void csv_plan(struct sheet *s, const struct rows *rows)
{
	if (!s->blocks)
		fputs("pid,provider,name,what,address,old,new\n", s->out);
	for (size_t i = 0; i < rows->result->write_count; i++)
		put_write(s->out, rows, &rows->result->writes[i]);
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
