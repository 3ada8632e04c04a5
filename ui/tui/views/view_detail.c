/*
 * One probe: in each process its object, its semaphores, its sites with the bytes that are there
 * now. In a few lines it is the pane of the list.
 */
#include "ui/figures/event.h"
#include "ui/tui/views/view.h"
#include "ui/words/probe_name.h"

#include "ui/tui/rows/argline.h"
#include "ui/tui/rows/column.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/line.h"
#include "ui/words/reasons.h"
#include "ui/words/states.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define VIEW_DETAIL_WHERE 100  /* sites that are looked up in symbol tables */
#define VIEW_DETAIL_SITES 1000 /* listed per process; more are only counted */

const char *view_detail_where(
	struct probes_session *s, size_t probe, size_t site, bool base, char *out, size_t size)
{
	struct probes_source where;
	char text[TEXT_MAX];

	probes_source(s, probe, site, &where);
	out[0] = '\0';
	if (where.function[0])
		text_addf(out, size, "%s+0x%llx", text_clean(where.function, text, sizeof text),
			(unsigned long long)where.offset);
	if (where.file[0]) {
		text_clean(where.file, text, sizeof text);
		text_addf(out, size, "%s%s:%d", out[0] ? "  " : "",
			base ? probe_name_base(text) : text, where.line);
	}
	return out;
}

static void view_detail_value(struct app *a, const char *name, const char *value)
{
	char label[32];

	snprintf(label, sizeof label, "  %-11s", name);
	pager_wrap(&a->text.pager, STYLE_PLAIN, label, value, a->columns);
}

static const char *view_detail_bytes(const uint8_t *bytes, uint8_t count, char *out, size_t size)
{
	out[0] = '\0';
	for (uint8_t i = 0; i < count && i < 6; i++)
		text_addf(out, size, "%s%02x", i ? " " : "", bytes[i]);
	if (!out[0])
		text_addf(out, size, "-");
	return out;
}

/* One line of a site, without where it is. */
static void view_detail_site(struct pager *l, struct probes_session *s, size_t probe, uint32_t i)
{
	const struct probes_site *site = &probes_at(s, probe)->sites[i];
	const struct probes_site_live *live = probes_site_live_at(s, probe, i);
	const uint8_t *original = probes_site_original(s, probe, i);
	struct probes_site_hits hits = probes_site_hits_at(s, probe, i);
	const char *state =
		!live || live->state == PROBES_UNKNOWN ? "-" : probes_state_name(live->state);
	char now[32], before[32], why[TEXT_MAX];

	pager_addf(l, STYLE_PLAIN, "  0x%-12llx  0x%-8llx  %-7s %-18s %s",
		(unsigned long long)site->address, (unsigned long long)site->pc,
		hits.counted && *state == '-' ? states_counted.word : state,
		view_detail_bytes(
			live ? live->bytes : NULL, live ? live->count : 0, now, sizeof now),
		view_detail_bytes(original, original ? 6 : 0, before, sizeof before));
	if (hits.counted && hits.shared)
		pager_addf(l, STYLE_WARN, "      hits not known: %s",
			reasons_shared(hits.shared, why, sizeof why));
	else if (hits.counted)
		pager_addf(l, STYLE_COUNTED, "      %llu hit%s  (%s)",
			(unsigned long long)hits.since, line_s(hits.since),
			probes_tactic_name(hits.tactic));
	else if (hits.why)
		pager_addf(l, STYLE_WARN, "      not counted: %s",
			text_clean(hits.why, why, sizeof why));
}

static void view_detail_sites_heading(struct pager *l, const struct probes_probe *p)
{
	if (!p->site_count)
		pager_addf(l, STYLE_PLAIN, "  no sites: the program only looks at the semaphore");
	else
		pager_addf(l, STYLE_HEAD,
			"  SITE            ADDRESS     STATE   BYTES NOW          IN THE FILE");
}

/* The semaphores and the sites in one process. */
static void view_detail_places(struct pager *l, struct probes_session *s, size_t probe, int columns)
{
	const struct probes_probe *p = probes_at(s, probe);
	char text[TEXT_MAX];

	if (p->semaphore_count)
		pager_addf(l, STYLE_HEAD, "  SEMAPHORE       ADDRESS     VALUE");
	for (uint32_t i = 0; i < p->semaphore_count && i < VIEW_DETAIL_SITES; i++) {
		uint32_t value = probes_semaphore_live_at(s, probe, i);
		char count[16] = "-";

		if (value != PROBES_NONE)
			snprintf(count, sizeof count, "%u", value);
		pager_addf(l, STYLE_PLAIN, "  0x%-12llx  0x%-8llx  %s",
			(unsigned long long)p->semaphores[i].address,
			(unsigned long long)p->semaphores[i].vaddr, count);
	}
	view_detail_sites_heading(l, p);
	for (uint32_t i = 0; i < p->site_count && i < VIEW_DETAIL_SITES; i++) {
		const struct probes_site *site = &p->sites[i];

		view_detail_site(l, s, probe, i);
		if (i < VIEW_DETAIL_WHERE &&
			view_detail_where(s, probe, i, false, text, sizeof text)[0])
			pager_addf(l, STYLE_PLAIN, "      in %s", text);
		if (i < VIEW_DETAIL_WHERE && *event_argument_names(s, probe, i, text, sizeof text))
			pager_wrap(l, STYLE_PLAIN, "      ", text, columns);
		if (strcmp(site->arguments, p->arguments) != 0) /* else they are shown above */
			pager_addf(l, STYLE_PLAIN, "      %s",
				argline(site->arguments, true, text, sizeof text));
	}
	if (p->site_count > VIEW_DETAIL_SITES)
		pager_addf(l, STYLE_PLAIN, "  and %u more", p->site_count - VIEW_DETAIL_SITES);
}

static void view_detail_process(struct app *a, const struct model_member *member)
{
	struct pager *l = &a->text.pager;
	const struct model_process *process = &a->model.processes[member->process];
	const struct probes_probe *p = probes_at(process->session, member->probe);
	const struct probes_object *o = probes_object_at(process->session, p->object);
	char text[TEXT_MAX], raw[TEXT_MAX / 2];

	pager_addf(l, STYLE_PLAIN, "%s", "");
	pager_addf(l, STYLE_TITLE, "Process %d%s", (int)process->pid,
		process->gone ? ": gone; what was read last:" : "");
	view_detail_value(a, "object", text_clean(o->path, text, sizeof text));
	if (o->gone)
		pager_addf(l, STYLE_WARN, "             unloaded: this was its place");
	if (o->deleted)
		view_detail_value(a, "", "deleted or replaced on disk");
	if (o->left_out || o->malformed)
		view_detail_value(a, "", o->why);
	view_detail_value(a, "", o->executable ? "the program itself" : "a library");
	view_detail_value(
		a, "build-id", o->build_id ? text_clean(o->build_id, text, sizeof text) : "none");
	view_detail_value(a, "kind", probes_kind_about(p));
	if (p->broken)
		pager_addf(l, STYLE_BAD, "  broken     %s; it is never switched",
			text_clean(p->broken, text, sizeof text));
	if (p->arguments && *p->arguments) {
		view_detail_value(a, "arguments", argline(p->arguments, true, raw, sizeof raw));
		view_detail_value(a, "as noted", text_clean(p->arguments, raw, sizeof raw));
	}
	view_detail_places(l, process->session, member->probe, a->columns);
}

/* The sums of a row: its state with who holds it, its sites, its semaphore. */
struct view_detail_sums {
	char state[96], sites[32], ref[32];
	const char *label; /* of the sites */
};

static void view_detail_sum(const struct row *r, struct view_detail_sums *sums)
{
	char who[32], sites[32], ref[32];
	const char *held = column_cell(r, COLUMN_HOLDER, who, sizeof who);

	snprintf(sums->state, sizeof sums->state, "%s%s%s%s", row_state(r)->word,
		row_counted_too(r) ? ", counted" : "", *held ? ", held by " : "", held);
	sums->label = !r->processes || !r->sites || r->sites_on != PROBES_NONE ? "sites on"
		      : r->sites_counted                                       ? "counted"
									       : "sites";
	snprintf(sums->sites, sizeof sums->sites, "%s",
		column_cell(r, COLUMN_SITES, sites, sizeof sites));
	snprintf(sums->ref, sizeof sums->ref, "%s",
		column_cell(r, COLUMN_SEMAPHORE, ref, sizeof ref));
}

/* "12345, now 31 a second  ▁▂▃; 3 of 7 sites are counted". */
static const char *view_detail_hits(const struct row *r, char *out, size_t size)
{
	char figure[16], spark[128];

	if (r->shared && !r->trend->ms)
		return "not known: another process has the same counters";
	snprintf(out, size, "%s%llu", row_total_partial(r) ? "~" : "",
		(unsigned long long)r->trend->total);
	if (trend_rate(r->trend) >= 0)
		text_addf(out, size, ", now %s a second  %s",
			trend_human(trend_rate(r->trend), figure, sizeof figure),
			trend_spark(r->trend, TREND_CELLS, spark, sizeof spark));
	if (r->shared)
		text_addf(out, size, "; without processes that share their counters");
	if (r->sites_counted + r->sites_lost < r->sites)
		text_addf(out, size, "; %u of %u sites are counted, the rest may be hit as well",
			r->sites_counted, r->sites);
	if (r->missed_sites)
		text_addf(out, size, "; of a process that has ended, not all sites were counted");
	if (r->sites_lost)
		text_addf(out, size,
			"; the jump%s of %u site%s %s gone: another program or session removed %s; "
			"hits since then are missing; %s",
			line_s(r->sites_lost), r->sites_lost, line_s(r->sites_lost),
			r->sites_lost == 1 ? "is" : "are", r->sites_lost == 1 ? "it" : "them",
			r->sites_counted ? "H twice counts again" : "H counts again");
	else if (r->missed_jump)
		text_addf(out, size,
			"; a jump was missing for a while: its hits in that time are lost");
	if (r->missed_child)
		text_addf(out, size, "; a forked child lost a jump: its hits may be missing");
	if (r->missed_end)
		text_addf(out, size, "; hits of the last moment of a process may be missing");
	return out;
}

/* The values of each argument, as far as they are summed up. */
static void view_detail_values(const struct app *a, struct pager *l, int columns)
{
	const struct feed *f = &a->events.feed;
	const struct feed_event *last = feed_last(f);
	char text[TEXT_MAX], safe[TEXT_MAX], value[EVENT_VALUE_BYTES], label[32];
	char time[EVENT_TIME_BYTES];

	if (f->summed)
		pager_addf(l, STYLE_PLAIN, "  values of %" PRIu64 " event%s since %s", f->summed,
			line_s(f->summed), event_time(f->summed_ns, false, time));
	for (unsigned i = 0; i < PROBES_EVENT_ARGUMENTS; i++) {
		const struct distribution *d = &f->values[i];

		if (!d->count && !d->unreadable)
			continue;
		snprintf(label, sizeof label, "  arg%-2u last ", i + 1);
		snprintf(text, sizeof text, "%s",
			last && i < last->event.count
				? text_shown(event_value(&last->event.values[i], value), safe,
					  sizeof safe)
				: "-");
		if (d->min.kind) {
			text_addf(text, sizeof text, ", min %s", event_value(&d->min, value));
			text_addf(text, sizeof text, ", max %s", event_value(&d->max, value));
		}
		text_addf(text, sizeof text, ", %zu%s distinct", d->value_count,
			d->others ? " or more" : "");
		if (d->unreadable)
			text_addf(text, sizeof text, ", %" PRIu64 " could not be read",
				d->unreadable);
		pager_wrap(l, STYLE_PLAIN, label, text, columns);
	}
}

/* Its events, and their values; or how to get them. */
static void view_detail_events(struct app *a)
{
	struct feed *f = &a->events.feed;
	char text[TEXT_MAX];

	if (!feed_has(f, a->text.row)) {
		view_detail_value(a, "values",
			a->replay ? "none yet: v reads the events" : "none yet: v records events");
		return;
	}
	feed_choose(f, &a->model, a->text.row);
	(void)view_events_state(a, text, sizeof text);
	view_detail_value(a, "events", text + strspn(text, " "));
	view_detail_values(a, &a->text.pager, a->columns);
}

static void view_detail_build(struct app *a)
{
	const struct row *r = &a->model.rows[a->text.row];
	struct pager *l = &a->text.pager;
	struct view_detail_sums sums;
	struct model_member member;
	uint32_t at = r->member;
	char hits[TEXT_MAX];
	const struct probes_probe *p;

	member = model_member(&a->model, a->text.row);
	p = probes_at(member.session, member.probe);
	view_text_begin(a, "Detail of %s", r->label);
	view_detail_sum(r, &sums);
	pager_addf(l, STYLE_PLAIN, "  state      %s", sums.state);
	pager_addf(l, STYLE_PLAIN, "  %-8s   %s", sums.label, sums.sites);
	pager_addf(l, STYLE_PLAIN, "  semaphore  %s", sums.ref);
	if (r->counted)
		view_detail_value(a, "hits", view_detail_hits(r, hits, sizeof hits));
	if (p->arguments && *p->arguments)
		view_detail_events(a);
	if (!r->switchable && !a->replay)
		view_detail_value(a, "tools", "y shows commands for bpftrace, gdb and perf");
	while (model_next(&a->model, &at, &member))
		view_detail_process(a, &member);
}

void view_detail_glance(struct app *a, const struct model_member *member, int rows, int columns)
{
	const struct model *m = &a->model;
	struct pager *l = &a->glance.pane;
	uint32_t row = a->glance.row;
	const struct model_process *process = &m->processes[member->process];
	const struct probes_probe *p = probes_at(process->session, member->probe);
	const struct probes_object *o = probes_object_at(process->session, p->object);
	struct view_detail_sums sums;
	char text[TEXT_MAX];
	uint32_t i = 0;

	view_detail_sum(&m->rows[row], &sums);
	/* "counted 1/1" once, where that is its state, too */
	pager_addf(l, STYLE_PLAIN, "  %s%s%s %s   semaphore %s",
		strcmp(sums.state, sums.label) ? sums.state : "",
		strcmp(sums.state, sums.label) ? "   " : "", sums.label, sums.sites, sums.ref);
	pager_addf(l, STYLE_PLAIN, "  %s%s%s",
		probe_name_base(text_clean(o->path, text, sizeof text)),
		o->deleted ? " (deleted or replaced)" : "", o->executable ? "" : ", a library");
	if (m->rows[row].counted)
		pager_wrap(l, STYLE_COUNTED, "  hits ",
			view_detail_hits(&m->rows[row], text, sizeof text), columns);
	if (*a->glance.where)
		pager_addf(l, STYLE_PLAIN, "  %s", a->glance.where);
	if (p->broken)
		pager_addf(l, STYLE_BAD, "  broken %s", text_clean(p->broken, text, sizeof text));
	if (p->arguments && *p->arguments)
		pager_wrap(l, STYLE_PLAIN, "  ", argline(p->arguments, true, text, sizeof text),
			columns);
	if (a->events.feed.values && a->events.feed.chosen == row)
		view_detail_values(a, l, columns);
	if (m->process_count > 1)
		pager_addf(l, STYLE_TITLE, "  process %d, of %u:", (int)process->pid,
			m->rows[row].processes);
	view_detail_sites_heading(l, p);
	while (i < p->site_count && (int)l->count + 2 < rows)
		view_detail_site(l, process->session, member->probe, i++);
	if (i + 1 == p->site_count)
		view_detail_site(l, process->session, member->probe, i);
	else if (i < p->site_count)
		pager_addf(l, STYLE_DIM, "  and %u more (i)", p->site_count - i);
}

static struct app_selection view_detail_selection(const struct app *a)
{
	return app_select(a->text.row);
}

const struct view_ops view_detail_ops = {
	VIEW_TEXT_OPS,
	.where = IN_DETAIL,
	.build = view_detail_build,
	.refresh = view_detail_build,
	.row = view_text_row,
	.selection = view_detail_selection,
	.write = view_text_write,
};
