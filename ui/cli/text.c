/*
 * Probes as lines for people and for grep.
 *
 *   STATE PROVIDER:NAME        SITES  SEM  OBJECT
 *   [*]   ocaml_2:req_start    4/4    1    order_gw
 *           pc 0x4a81d0 at 0x55d0c04a81d0 [*] sem 0x55d0c05e2a1a=1 8@%rbx
 *
 * An unknown figure is "-", never 0. All texts are escaped.
 */
#include "ui/cli/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ui/figures/event.h"
#include "ui/output/outbuf.h"
#include "ui/words/probe_name.h"
#include "ui/words/states.h"
#include "ui/words/unreadable.h"

/* Limits of the width of the name column. */
enum { NAME_MIN = 20, NAME_MAX = 44 };

/* ------------------------------------------------------------------ a probe */

/* Print text up to `end`, padded. */
static void put_column(struct outbuf *out, const char *text, const char *end, size_t width)
{
	size_t length = (size_t)(end - text);

	outbuf_bytes(out, text, length);
	if (length < width)
		outbuf_blanks(out, width - length);
}

static void put_probe(struct outbuf *out, const struct output *s, const struct rows *rows,
	const struct rows_one *row, size_t width)
{
	const struct probes_probe *p = probes_at(rows->session, row->probe);
	const struct probes_live *live =
		rows->live ? probes_live_at(rows->session, row->probe) : NULL;
	char digits[48], *end = digits + sizeof digits, *at;

	outbuf_text(out, states[rows_state(rows, row->probe)].mark);
	outbuf_text(out, "   ");
	outbuf_padded(out, outbuf_probe(p), width);
	outbuf_text(out, "  ");
	at = outbuf_digits(end, p->site_count);
	*--at = '/';
	put_column(out, outbuf_digits(at, live ? live->sites_on : PROBES_NONE), end, 7);
	at = end;
	if (live && live->ref_min != live->ref_max) {
		at = outbuf_digits(at, live->ref_max);
		*--at = '-';
	}
	put_column(out, outbuf_digits(at, live ? live->ref_min : PROBES_NONE), end, 5);
	outbuf_escaped(out, probe_name_base(probes_object_at(rows->session, p->object)->path));
	if (s->quiet && *p->arguments) {
		outbuf_text(out, "  ");
		outbuf_escaped(out, p->arguments);
	}
	if (row->item) {
		outbuf_text(out, "  ");
		outbuf_text(out, rows_outcome(row->item->outcome));
	}
	if (row->item && row->item->outcome != PROBES_DONE) {
		outbuf_text(out, ": ");
		outbuf_escaped(out, row->item->why);
	}
	outbuf_text(out, "\n");
	if (p->broken && !s->quiet) {
		outbuf_text(out, "        broken: ");
		outbuf_escaped(out, p->broken);
		outbuf_text(out, "\n");
	}
}

static void put_semaphore(struct outbuf *out, const struct rows *rows, size_t probe, uint32_t index)
{
	const struct probes_semaphore *sem = &probes_at(rows->session, probe)->semaphores[index];
	uint32_t value =
		rows->live ? probes_semaphore_live_at(rows->session, probe, index) : PROBES_NONE;

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

/* A line a site; for a probe without one, its semaphores. */
static void put_sites(
	struct outbuf *out, const struct output *s, const struct rows *rows, size_t probe)
{
	const struct probes_probe *p = probes_at(rows->session, probe);
	char names[PROBES_EVENT_ARGUMENTS * EVENT_LABEL_BYTES];

	for (size_t i = 0; i < p->site_count; i++) {
		const struct probes_site *site = &p->sites[i];
		const struct probes_site_live *live =
			rows->live ? probes_site_live_at(rows->session, probe, i) : NULL;

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
		if (rows->hits && live && live->counted) {
			struct probes_site_hits h = probes_site_hits_at(rows->session, probe, i);
			char text[64];

			snprintf(text, sizeof text, " hits %" PRIu64, h.hits);
			outbuf_text(out, h.shared ? " hits shared" : text);
			snprintf(text, sizeof text, " (%s)", probes_tactic_name(h.tactic));
			outbuf_text(out, text);
		}
		if (site->semaphore != PROBES_NONE)
			put_semaphore(out, rows, probe, site->semaphore);
		if (live && s->verbose && live->count) {
			outbuf_text(out, " bytes ");
			outbuf_hex(out, live->bytes, live->count);
		}
		put_arguments(out, site->arguments);
		if (s->verbose &&
			*event_argument_names(rows->session, probe, i, names, sizeof names)) {
			outbuf_text(out, "           ");
			outbuf_text(out, names);
			outbuf_text(out, "\n");
		}
	}
	if (p->site_count)
		return;
	outbuf_text(out, "        no site");
	for (uint32_t i = 0; i < p->semaphore_count; i++)
		put_semaphore(out, rows, probe, i);
	put_arguments(out, p->arguments);
}

/* ------------------------------------------------------------- the summary */

static void put_plural(FILE *out, size_t count, const char *word)
{
	fprintf(out, "%zu %s%s", count, word, count == 1 ? "" : "s");
}

static void put_summary(FILE *out, const struct rows *rows)
{
	size_t sites = 0, objects = 0, unread = unreadable_count(rows->session), left_out = 0;
	size_t counts[STATES_COUNT] = {0};
	const char *separator = "; ";
	uint32_t last = PROBES_NONE;

	for (size_t i = 0; i < rows->count; i++) {
		const struct probes_probe *p = probes_at(rows->session, rows->items[i].probe);

		sites += p->site_count;
		objects += p->object != last; /* rows of a listing are sorted by object */
		last = p->object;
		counts[rows_state(rows, rows->items[i].probe)]++;
	}
	put_plural(out, sites, "site");
	fputs(", ", out);
	put_plural(out, rows->count, "probe");
	fputs(", ", out);
	put_plural(out, objects, "object");
	if (unread)
		fprintf(out, " and %zu not read", unread);
	for (int state = PROBES_OFF; state < STATES_COUNT; state++) {
		if (!counts[state])
			continue;
		fprintf(out, "%s%zu %s", separator, counts[state], states[state].word);
		separator = ", ";
	}
	for (size_t i = 0; i < probes_object_count(rows->session); i++) {
		const struct probes_object *o = probes_object_at(rows->session, i);

		left_out += o->gone ? 0 : o->left_out + o->malformed;
	}
	if (left_out) {
		fputs("; ", out);
		put_plural(out, left_out, "note");
		fputs(" left out (-verbose says why)", out);
	}
	fputc('\n', out);
}

static void put_title(struct output *s, const struct rows *rows)
{
	pid_t pid = probes_pid(rows->session), inner = probes_ns_pid(rows->session);

	fprintf(s->file, "%spid %d ", s->printed ? "\n" : "", pid);
	if (inner != pid)
		fprintf(s->file, "(%d in its own pid namespace) ", inner);
	fprintf(s->file, "%s\n", outbuf_safe(probes_path(rows->session)));
}

void text_rows(struct output *s, const struct rows *rows)
{
	size_t width = NAME_MIN;
	struct outbuf page;

	for (size_t i = 0; i < rows->count && width < NAME_MAX; i++) {
		const char *name = outbuf_probe(probes_at(rows->session, rows->items[i].probe));
		size_t n = outbuf_width(name);

		width = n > NAME_MAX ? NAME_MAX : n > width ? n : width;
	}
	if (s->many)
		put_title(s, rows);
	if (!s->quiet)
		fprintf(s->file, "STATE %-*s  SITES  SEM  OBJECT\n", (int)width, "PROVIDER:NAME");
	outbuf_begin(&page, s->file);
	for (size_t i = 0; i < rows->count; i++) {
		put_probe(&page, s, rows, &rows->items[i], width);
		if (!s->quiet)
			put_sites(&page, s, rows, rows->items[i].probe);
	}
	outbuf_flush(&page);
	if (!s->quiet && !rows->result)
		put_summary(s->file, rows);
}

/* ------------------------------------------------------------------ a plan */

static void put_hex(FILE *out, const uint8_t *bytes, size_t count, size_t width)
{
	for (size_t i = 0; i < width; i++)
		if (i < count)
			fprintf(out, "%02x ", bytes[i]);
		else
			fputs("   ", out);
}

void text_plan(struct output *s, const struct rows *rows)
{
	size_t width = 2; /* bytes */

	for (size_t i = 0; i < rows->result->edit_count; i++)
		if (rows->result->edits[i].length > width)
			width = rows->result->edits[i].length;
	if (s->many)
		put_title(s, rows);
	for (size_t i = 0; i < rows->result->edit_count; i++) {
		const struct probes_edit *w = &rows->result->edits[i];
		const struct probes_probe *p = probes_at(rows->session, w->probe);

		fprintf(s->file, "0x%012" PRIx64 "  ", w->address);
		put_hex(s->file, w->old, w->length, width);
		fputs("-> ", s->file);
		put_hex(s->file, w->new_, w->length, width);
		fprintf(s->file, " %-9s  %s\n", rows_role(w->role), outbuf_probe(p));
	}
	if (s->quiet)
		return;
	put_plural(s->file, rows->result->edit_count, "write");
	fputs(" planned, nothing written\n", s->file);
	if (rows->result->cost)
		fprintf(s->file, "%s%s\n", outbuf_safe(rows->result->cost),
			rows->result->no_room ? ": would be refused" : "");
}

/* ------------------------------------------------------------------- info */

static int compare(const void *x, const void *y, void *session)
{
	const struct probes_probe *a = probes_at(session, ((const struct rows_one *)x)->probe);
	const struct probes_probe *b = probes_at(session, ((const struct rows_one *)y)->probe);
	int c = strcmp(a->name, b->name);

	if (!c)
		c = strcmp(a->provider, b->provider);
	return c ? c : (a->object > b->object) - (a->object < b->object);
}

void text_info(struct output *s, const struct rows *rows)
{
	struct probe_name names;

	if (probe_name_init(&names, rows->session) < 0)
		return;
	qsort_r(rows->items, rows->count, sizeof *rows->items, compare, rows->session);
	for (size_t k = 0; k < rows->count; k++) {
		size_t i = rows->items[k].probe;
		const struct probes_probe *p = probes_at(rows->session, i);
		enum probes_state state = rows_state(rows, i);
		char name[512];
		bool whole = probe_name_short(&names, i, name, sizeof name) < sizeof name;

		if (s->many)
			fprintf(s->file, "%d ", probes_pid(rows->session));
		/* ocaml-probes knows "enabled" and "disabled" only. */
		fprintf(s->file, "%s %s", whole ? name : outbuf_probe(p),
			state == PROBES_ON          ? "enabled"
			: state == PROBES_OFF       ? "disabled"
			: state == PROBES_NO_SWITCH ? "cannot be enabled"
						    : states[state].word);
		if (probe_name_shared(&names, i))
			fprintf(s->file, " %s",
				outbuf_safe(probe_name_base(
					probes_object_at(rows->session, p->object)->path)));
		fputc('\n', s->file);
	}
	probe_name_done(&names);
}
