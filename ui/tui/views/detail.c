/*
 * The detail view's text: the probe in each process, its semaphores, its
 * sites with the bytes that are there now.
 */
#include "ui/tui/views/detail.h"

#include "ui/tui/rows/argline.h"

#include "ui/tui/rows/rowtext.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DETAIL_WHERE 100  /* sites that are looked up in symbol tables */
#define DETAIL_SITES 1000 /* more of one process are only counted */

static void detail_value(struct pager *l, const char *name, const char *value, int columns)
{
	char label[32];

	snprintf(label, sizeof label, "  %-11s", name);
	pager_wrap(l, STYLE_PLAIN, label, value, columns);
}

static void detail_head(struct pager *l, const struct row *r)
{
	char who[32], sites[32], ref[32];
	const char *held = rowtext_cell(r, ROWTEXT_WHO, false, who, sizeof who);

	pager_addf(l, STYLE_PLAIN, "  state      %s %s%s%s", rowtext_state(r->state),
		probes_state_name(r->state), *held ? ", held by " : "", held);
	pager_addf(l, STYLE_PLAIN, "  sites on   %s",
		rowtext_cell(r, ROWTEXT_SITES, false, sites, sizeof sites));
	pager_addf(l, STYLE_PLAIN, "  semaphore  %s",
		rowtext_cell(r, ROWTEXT_REF, false, ref, sizeof ref));
}

static void detail_object(
	struct pager *l, const struct probes_object *o, const struct probes_probe *p, int columns)
{
	char text[TEXT_MAX];

	detail_value(l, "object", text_clean(o->path, text, sizeof text), columns);
	if (o->gone)
		pager_addf(l, STYLE_WARN, "             unloaded: this was its place");
	if (o->deleted)
		detail_value(l, "", "deleted or replaced on disk", columns);
	if (o->left_out)
		detail_value(l, "", o->why, columns);
	detail_value(l, "", o->executable ? "the program itself" : "a library", columns);
	detail_value(l, "build-id",
		o->build_id ? text_clean(o->build_id, text, sizeof text) : "none", columns);
	detail_value(l, "kind", probes_kind_about(p), columns);
	if (p->broken)
		pager_addf(l, STYLE_BAD, "  BROKEN     %s; it is never switched",
			text_clean(p->broken, text, sizeof text));
}

static void detail_semaphores(
	struct pager *l, const struct probes_session *s, const struct probes_probe *p, size_t probe)
{
	for (uint32_t i = 0; i < p->semaphore_count && i < DETAIL_SITES; i++) {
		uint32_t value = probes_semaphore_live_at(s, probe, i);

		if (!i)
			pager_addf(l, STYLE_HEAD, "  SEMAPHORE       ADDRESS     COUNT");
		if (value == PROBES_NONE)
			pager_addf(l, STYLE_PLAIN, "  0x%-12llx  0x%-8llx  -",
				(unsigned long long)p->semaphores[i].address,
				(unsigned long long)p->semaphores[i].vaddr);
		else
			pager_addf(l, STYLE_PLAIN, "  0x%-12llx  0x%-8llx  %u",
				(unsigned long long)p->semaphores[i].address,
				(unsigned long long)p->semaphores[i].vaddr, value);
	}
}

static const char *detail_bytes(const uint8_t *bytes, uint8_t count, char *out, size_t size)
{
	out[0] = '\0';
	for (uint8_t i = 0; i < count && i < 6; i++)
		text_addf(out, size, "%s%02x", i ? " " : "", bytes[i]);
	if (!out[0])
		text_addf(out, size, "-");
	return out;
}

const char *detail_place(const struct probes_source *where, bool base, char *out, size_t size)
{
	char text[TEXT_MAX];
	const char *file = text_clean(where->file, text, sizeof text);

	out[0] = '\0';
	if (where->function[0]) {
		char function[TEXT_MAX];

		text_addf(out, size, "%s+0x%llx",
			text_clean(where->function, function, sizeof function),
			(unsigned long long)where->offset);
	}
	if (where->file[0])
		text_addf(out, size, "%s%s:%d", out[0] ? "  " : "", base ? text_base(file) : file,
			where->line);
	return out;
}

const char *detail_where(
	struct probes_session *s, size_t probe, size_t site, char *out, size_t size)
{
	struct probes_source where;

	probes_source(s, probe, site, &where);
	return detail_place(&where, false, out, size);
}

/* One line of a site, without where it is. */
static void detail_site_bytes(struct pager *l, struct probes_session *s, size_t probe, uint32_t i)
{
	const struct probes_site *site = &probes_at(s, probe)->sites[i];
	const struct probes_site_live *live = probes_site_live_at(s, probe, i);
	const uint8_t *original = probes_site_original(s, probe, i);
	char now[32], before[32];

	pager_addf(l, STYLE_PLAIN, "  0x%-12llx  0x%-8llx  %-6s %-18s %s",
		(unsigned long long)site->address, (unsigned long long)site->pc,
		!live || live->state == PROBES_UNKNOWN ? "-" : probes_state_name(live->state),
		detail_bytes(live ? live->bytes : NULL, live ? live->count : 0, now, sizeof now),
		detail_bytes(original, original ? 6 : 0, before, sizeof before));
}

static void detail_site(struct pager *l, struct probes_session *s, size_t probe, uint32_t i)
{
	const struct probes_probe *p = probes_at(s, probe);
	const struct probes_site *site = &p->sites[i];
	char text[TEXT_MAX];

	detail_site_bytes(l, s, probe, i);
	if (i < DETAIL_WHERE && detail_where(s, probe, i, text, sizeof text)[0])
		pager_addf(l, STYLE_PLAIN, "      in %s", text);
	if (strcmp(site->arguments, p->arguments) != 0) /* else said above */
		pager_addf(l, STYLE_PLAIN, "      %s",
			argline_numbered(site->arguments, text, sizeof text));
}

static void detail_sites_heading(struct pager *l, const struct probes_probe *p)
{
	if (!p->site_count)
		pager_addf(l, STYLE_PLAIN, "  no sites: the program only looks at the semaphore");
	else
		pager_addf(l, STYLE_HEAD,
			"  SITE            ADDRESS     STATE  BYTES NOW          IN THE FILE");
}

static void detail_sites(
	struct pager *l, struct probes_session *s, const struct probes_probe *p, size_t probe)
{
	detail_sites_heading(l, p);
	for (uint32_t i = 0; i < p->site_count && i < DETAIL_SITES; i++)
		detail_site(l, s, probe, i);
	if (p->site_count > DETAIL_SITES)
		pager_addf(l, STYLE_PLAIN, "  and %u more", p->site_count - DETAIL_SITES);
}

static void detail_member(
	struct pager *l, const struct model *m, const struct model_member *member, int columns)
{
	const struct model_process *process = &m->processes[member->process];
	const struct probes_probe *p = probes_at(process->session, member->probe);

	pager_addf(l, STYLE_PLAIN, "%s", "");
	pager_addf(l, STYLE_TITLE, "Process %d%s", (int)process->pid,
		process->gone ? ": gone; what was read last:" : "");
	detail_object(l, probes_object_at(process->session, p->object), p, columns);
	if (p->arguments && *p->arguments) {
		char text[TEXT_MAX / 2];

		detail_value(
			l, "arguments", argline_numbered(p->arguments, text, sizeof text), columns);
		detail_value(l, "as noted", text_clean(p->arguments, text, sizeof text), columns);
	}
	detail_semaphores(l, process->session, p, member->probe);
	detail_sites(l, process->session, p, member->probe);
}

void detail_build(struct pager *l, const struct model *m, uint32_t row, int columns)
{
	uint32_t at = m->rows[row].member;
	struct model_member member;

	pager_clear(l);
	detail_head(l, &m->rows[row]);
	while (model_next(m, &at, &member))
		detail_member(l, m, &member, columns);
}

static void detail_glance_head(struct pager *l, const struct row *r, const struct probes_object *o,
	const struct detail_room *room)
{
	char who[32], sites[32], ref[32], text[TEXT_MAX];
	const char *held = rowtext_cell(r, ROWTEXT_WHO, false, who, sizeof who);

	pager_addf(l, STYLE_PLAIN, "  %s %s%s%s   sites on %s   semaphore %s",
		rowtext_state(r->state), probes_state_name(r->state), *held ? ", held by " : "",
		held, rowtext_cell(r, ROWTEXT_SITES, false, sites, sizeof sites),
		rowtext_cell(r, ROWTEXT_REF, false, ref, sizeof ref));
	pager_addf(l, STYLE_PLAIN, "  %s%s%s", text_base(text_clean(o->path, text, sizeof text)),
		o->deleted ? " (deleted or replaced)" : "", o->executable ? "" : ", a library");
	if (*room->where)
		pager_addf(l, STYLE_PLAIN, "  %s", room->where);
}

void detail_glance(struct pager *l, const struct model *m, uint32_t row,
	const struct model_member *member, const struct detail_room *room)
{
	const struct model_process *process = &m->processes[member->process];
	const struct probes_probe *p = probes_at(process->session, member->probe);
	char text[TEXT_MAX];
	uint32_t i = 0;

	detail_glance_head(l, &m->rows[row], probes_object_at(process->session, p->object), room);
	if (p->broken)
		pager_addf(l, STYLE_BAD, "  BROKEN %s", text_clean(p->broken, text, sizeof text));
	if (p->arguments && *p->arguments)
		pager_wrap(l, STYLE_PLAIN, "  ", argline_numbered(p->arguments, text, sizeof text),
			room->columns);
	if (m->process_count > 1)
		pager_addf(l, STYLE_TITLE, "  process %d, of %u:", (int)process->pid,
			m->rows[row].processes);
	detail_sites_heading(l, p);
	while (i < p->site_count && (int)l->count + 1 < room->rows)
		detail_site_bytes(l, process->session, member->probe, i++);
	if (i + 1 == p->site_count)
		detail_site_bytes(l, process->session, member->probe, i);
	else if (i < p->site_count)
		pager_addf(l, STYLE_DIM, "  and %u more (i)", p->site_count - i);
}
