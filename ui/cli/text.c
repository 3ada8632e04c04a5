/*
 * Probes as lines for people and for grep.
 *
 *   STATE PROVIDER:NAME        SITES  REF  OBJECT
 *   [*]   ocaml_2:req_start    4/4    1    order_gw
 *           pc 0x4a81d0 at 0x55d0c04a81d0 [*] sem 0x55d0c05e2a1a=1 8@%rbx
 *
 * Owns the columns. A figure that is not known is "-", never 0. Nothing raw
 * gets out, and no escape sequences.
 */
#include "ui/cli/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ui/outbuf.h"
#include "ui/probe_name.h"
#include "ui/states.h"
#include "ui/unread.h"

/* The name column is as wide as its names, within these. */
enum { NAME_MIN = 20, NAME_MAX = 44 };

static enum probes_state state_of(const struct rows *rows, size_t probe)
{
	return rows->live ? probes_live_at(rows->session, probe)->state : PROBES_UNKNOWN;
}

static size_t name_width(const struct rows *rows)
{
	size_t width = NAME_MIN;

	for (size_t i = 0; i < rows->count && width < NAME_MAX; i++) {
		size_t n =
			outbuf_width(outbuf_probe(probes_at(rows->session, rows->items[i].probe)));

		width = n > width ? n : width;
	}
	return width < NAME_MAX ? width : NAME_MAX;
}

/* ------------------------------------------------------------------ a probe */

/* Our own text that ends at `end`. */
static void put_column(struct outbuf *out, const char *text, const char *end, size_t width)
{
	size_t length = (size_t)(end - text);

	outbuf_bytes(out, text, length);
	if (length < width)
		outbuf_blanks(out, width - length);
}

static void put_counts(struct outbuf *out, const struct probes_live *live, uint32_t count)
{
	char sites[24], ref[24];
	char *end = sites + sizeof sites, *at = outbuf_digits(end, count);

	*--at = '/';
	at = outbuf_digits(at, live ? live->sites_on : PROBES_NONE);
	outbuf_text(out, "  ");
	put_column(out, at, end, 7);
	at = end = ref + sizeof ref;
	if (live && live->ref_min != live->ref_max) {
		at = outbuf_digits(at, live->ref_max);
		*--at = '-';
	}
	put_column(out, outbuf_digits(at, live ? live->ref_min : PROBES_NONE), end, 5);
}

static void put_outcome(struct outbuf *out, const struct probes_item *item)
{
	outbuf_text(out, "  ");
	outbuf_text(out, rows_outcome(item->outcome));
	if (item->outcome == PROBES_DONE)
		return;
	outbuf_text(out, ": ");
	outbuf_escaped(out, item->why);
}

static void put_probe(struct outbuf *out, const struct format_sheet *s, const struct rows *rows,
	const struct rows_one *row, size_t width)
{
	const struct probes_probe *p = probes_at(rows->session, row->probe);
	const struct probes_live *live =
		rows->live ? probes_live_at(rows->session, row->probe) : NULL;

	outbuf_text(out, states[live ? live->state : PROBES_UNKNOWN].mark);
	outbuf_text(out, "   ");
	outbuf_padded(out, outbuf_probe(p), width);
	put_counts(out, live, p->site_count);
	outbuf_escaped(out, probe_name_base(probes_object_at(rows->session, p->object)->path));
	if (s->quiet && *p->arguments) {
		outbuf_text(out, "  ");
		outbuf_escaped(out, p->arguments);
	}
	if (row->item)
		put_outcome(out, row->item);
	outbuf_text(out, "\n");
	if (p->broken && !s->quiet) {
		outbuf_text(out, "        broken: ");
		outbuf_escaped(out, p->broken);
		outbuf_text(out, "\n");
	}
}

/* Where a probe stands in its session, and what it is. */
struct which {
	size_t index;
	const struct probes_probe *probe;
};

static void put_semaphore(
	struct outbuf *out, const struct rows *rows, const struct which *which, uint32_t index)
{
	const struct probes_semaphore *sem = &which->probe->semaphores[index];
	uint32_t value = PROBES_NONE;

	if (rows->live)
		value = probes_semaphore_live_at(rows->session, which->index, index);
	outbuf_text(out, " sem ");
	outbuf_address(out, sem->address ? sem->address : sem->vaddr);
	if (value != PROBES_NONE) {
		outbuf_text(out, "=");
		outbuf_number(out, value);
	}
}

static void put_arguments(struct outbuf *out, const char *arguments)
{
	if (*arguments) {
		outbuf_text(out, " ");
		outbuf_escaped(out, arguments);
	}
	outbuf_text(out, "\n");
}

static void put_site(struct outbuf *out, const struct format_sheet *s, const struct rows *rows,
	const struct which *which, size_t index)
{
	const struct probes_site *site = &which->probe->sites[index];
	const struct probes_site_live *live = NULL;

	if (rows->live)
		live = probes_site_live_at(rows->session, which->index, index);
	outbuf_text(out, "        pc ");
	outbuf_address(out, site->pc);
	if (site->address) {
		outbuf_text(out, " at ");
		outbuf_address(out, site->address);
	}
	if (live && live->state != PROBES_UNKNOWN) {
		outbuf_text(out, " ");
		outbuf_text(out, states[live->state].mark);
	}
	if (site->semaphore != PROBES_NONE)
		put_semaphore(out, rows, which, site->semaphore);
	if (live && s->verbose && live->count) {
		outbuf_text(out, " bytes ");
		outbuf_hex(out, live->bytes, live->count);
	}
	put_arguments(out, site->arguments);
}

/* A line a site; for a probe without one, what there is instead. */
static void put_sites(struct outbuf *out, const struct format_sheet *s, const struct rows *rows,
	const struct which *which)
{
	const struct probes_probe *p = which->probe;

	for (size_t i = 0; i < p->site_count; i++)
		put_site(out, s, rows, which, i);
	if (p->site_count)
		return;
	outbuf_text(out, "        no site");
	for (uint32_t i = 0; i < p->semaphore_count; i++)
		put_semaphore(out, rows, which, i);
	put_arguments(out, p->arguments);
}

/* ------------------------------------------------------------- the summary */

static void put_plural(FILE *out, size_t count, const char *word)
{
	fprintf(out, "%zu %s%s", count, word, count == 1 ? "" : "s");
}

static void put_states(FILE *out, const struct rows *rows)
{
	size_t counts[STATES_COUNT] = {0};
	const char *separator = "; ";

	for (size_t i = 0; i < rows->count; i++)
		counts[state_of(rows, rows->items[i].probe)]++;
	for (size_t i = PROBES_OFF; i < STATES_COUNT; i++) {
		if (!counts[i])
			continue;
		fprintf(out, "%s%zu %s", separator, counts[i], probes_state_name(i));
		separator = ", ";
	}
}

static void put_summary(FILE *out, const struct rows *rows)
{
	size_t sites = 0, objects = 0, unread = unread_count(rows->session);
	uint32_t last = PROBES_NONE;

	for (size_t i = 0; i < rows->count; i++) {
		const struct probes_probe *p = probes_at(rows->session, rows->items[i].probe);

		sites += p->site_count;
		/* Rows of a listing are sorted by object. */
		objects += p->object != last;
		last = p->object;
	}
	put_plural(out, sites, "site");
	fputs(", ", out);
	put_plural(out, rows->count, "probe");
	fputs(", ", out);
	put_plural(out, objects, "object");
	if (unread)
		fprintf(out, " and %zu not read", unread);
	put_states(out, rows);
	fputc('\n', out);
}

static void put_title(struct format_sheet *s, const struct rows *rows)
{
	pid_t pid = probes_pid(rows->session), inner = probes_ns_pid(rows->session);

	fprintf(s->out, "%spid %d ", s->blocks ? "\n" : "", pid);
	if (inner != pid)
		fprintf(s->out, "(%d in its own pid namespace) ", inner);
	fprintf(s->out, "%s\n", outbuf_safe(probes_path(rows->session)));
}

static void text_rows(struct format_sheet *s, const struct rows *rows)
{
	size_t width = name_width(rows);
	struct outbuf page;

	if (s->many)
		put_title(s, rows);
	if (!s->quiet)
		fprintf(s->out, "STATE %-*s  SITES  REF  OBJECT\n", (int)width, "PROVIDER:NAME");
	outbuf_begin(&page, s->out);
	for (size_t i = 0; i < rows->count; i++) {
		size_t probe = rows->items[i].probe;
		struct which which = {probe, probes_at(rows->session, probe)};

		put_probe(&page, s, rows, &rows->items[i], width);
		if (!s->quiet)
			put_sites(&page, s, rows, &which);
	}
	outbuf_flush(&page);
	if (!s->quiet && !rows->result)
		put_summary(s->out, rows);
}

/* ------------------------------------------------------------------ a plan */

static void put_hex(FILE *out, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < 2; i++)
		if (i < count)
			fprintf(out, "%02x ", bytes[i]);
		else
			fputs("   ", out);
}

static void text_plan(struct format_sheet *s, const struct rows *rows)
{
	if (s->many)
		put_title(s, rows);
	for (size_t i = 0; i < rows->result->edit_count; i++) {
		const struct probes_edit *w = &rows->result->edits[i];
		const struct probes_probe *p = probes_at(rows->session, w->probe);

		fprintf(s->out, "0x%012" PRIx64 "  ", w->address);
		put_hex(s->out, w->old, w->length);
		fputs("-> ", s->out);
		put_hex(s->out, w->new_, w->length);
		fprintf(s->out, " %-9s  %s\n", w->role == PROBES_ROLE_CODE ? "site" : "semaphore",
			outbuf_probe(p));
	}
	if (s->quiet)
		return;
	put_plural(s->out, rows->result->edit_count, "write");
	fputs(" planned, nothing written\n", s->out);
	if (rows->result->cost)
		fprintf(s->out, "%s%s\n", outbuf_safe(rows->result->cost),
			rows->result->no_room ? ": would be refused" : "");
}

/* ------------------------------------------------------------------- info */

/* What ocaml-probes says; it knows no other states. */
static const char *info_state(enum probes_state state)
{
	if (state == PROBES_ON)
		return "enabled";
	return state == PROBES_OFF ? "disabled" : probes_state_name(state);
}

static int compare(const void *x, const void *y, void *session)
{
	const struct probes_probe *a = probes_at(session, ((const struct rows_one *)x)->probe);
	const struct probes_probe *b = probes_at(session, ((const struct rows_one *)y)->probe);
	int c = strcmp(a->name, b->name);

	if (!c)
		c = strcmp(a->provider, b->provider);
	return c ? c : (a->object > b->object) - (a->object < b->object);
}

static void put_info(
	struct format_sheet *s, const struct rows *rows, const struct probe_name *spell, size_t i)
{
	const struct probes_probe *p = probes_at(rows->session, i);
	char name[512];
	bool whole = probe_name_short(spell, i, name, sizeof name) < sizeof name;

	if (s->many)
		fprintf(s->out, "%d ", probes_pid(rows->session));
	fprintf(s->out, "%s %s", whole ? name : outbuf_probe(p), info_state(state_of(rows, i)));
	if (probe_name_shared(spell, i))
		fprintf(s->out, " %s",
			outbuf_safe(
				probe_name_base(probes_object_at(rows->session, p->object)->path)));
	fputc('\n', s->out);
}

static void info_rows(struct format_sheet *s, const struct rows *rows)
{
	struct probe_name spell;

	if (probe_name_init(&spell, rows->session) < 0)
		return;
	qsort_r(rows->items, rows->count, sizeof *rows->items, compare, rows->session);
	for (size_t i = 0; i < rows->count; i++)
		put_info(s, rows, &spell, rows->items[i].probe);
	probe_name_done(&spell);
}

static void text_nothing(struct format_sheet *s)
{
	(void)s;
}

const struct format_ops text_ops = {
	.begin = text_nothing,
	.rows = text_rows,
	.plan = text_plan,
	.end = text_nothing,
};

const struct format_ops text_info_ops = {
	.begin = text_nothing,
	.rows = info_rows,
	.plan = text_plan,
	.end = text_nothing,
};
