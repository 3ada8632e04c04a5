#include "ui/cli/counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ui/figures/counting.h"
#include "ui/output/outbuf.h"
#include "ui/words/line.h"
#include "ui/words/now.h"
#include "ui/words/report.h"

static int fill_row(struct counts_row *to, const struct probes_member *member,
	const struct probes_item *item, struct probes_error *e)
{
	const struct probes_probe *p = probes_at(member->session, item->probe);
	struct counts_row row = {.member = member, .probe = item->probe};

	row.sites = calloc(p->site_count + 1, sizeof *row.sites);
	if (item->outcome != PROBES_DONE && item->skip != PROBES_SKIP_COUNTED)
		row.why = strdup(item->why);
	if (!row.sites) {
		free(row.why);
		return probes_failed(e, -ENOMEM, "cannot count the hits");
	}
	for (uint32_t i = 0; i < p->site_count; i++) {
		struct probes_site_hits h = probes_site_hits_at(member->session, item->probe, i);

		row.sites[i] = (struct counts_site){
			.counted = h.counted, .tactic = h.tactic, .why = h.why};
		row.counted += h.counted;
	}
	*to = row;
	return 0;
}

int counts_add(struct counts *c, const struct probes_member *member,
	const struct probes_result *result, bool later, struct probes_error *e)
{
	size_t added = 0, at = c->count, before = c->count, room = result->item_count;
	struct counts_row *rows = reallocarray(c->rows, c->count + room + 1, sizeof *rows);
	bool *listed = calloc(probes_count(member->session) + 1, sizeof *listed);
	int r = rows && listed ? 0 : probes_failed(e, -ENOMEM, "cannot count the hits");

	if (rows)
		c->rows = rows;
	/* Behind its others. */
	while (at && c->rows[at - 1].member != member)
		at--;
	at = at ? at : before;
	if (r == 0)
		memmove(rows + at + room, rows + at, (before - at) * sizeof *rows);
	for (size_t i = 0; r == 0 && i < result->item_count; i++) {
		size_t probe = result->items[i].probe;

		if (listed[probe])
			continue;
		r = fill_row(&rows[at + added], member, &result->items[i], e);
		if (r == 0)
			rows[at + added++].later = later;
		listed[probe] = true;
	}
	if (rows && listed)
		memmove(rows + at + added, rows + at + room, (before - at) * sizeof *rows);
	c->count += added;
	c->stop_sites += result->stop_sites;
	c->kernel_sites += result->kernel_sites;
	for (size_t i = 0; i < c->count; i++) {
		if (c->rows[i].member != member)
			continue;
		c->rows[i].stopped_ns += result->stopped_ns;
		c->rows[i].held_ns += result->held_ns;
	}
	free(listed);
	return r;
}

static uint64_t read_row(struct counts_row *row)
{
	uint32_t count = probes_at(row->member->session, row->probe)->site_count;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct counts_site *site = &row->sites[i];
		uint64_t hits = probes_site_hits_at(row->member->session, row->probe, i).since;

		if (!site->counted)
			continue;
		if (hits > site->hits)
			site->hits = hits;
		sum += site->hits;
	}
	return sum;
}

void counts_begin(struct counts *c, const struct probes_member *member)
{
	struct probes_error ignored;
	int64_t now;

	/* One that has ended keeps its last hits. */
	if (probes_read_hits(member->session, &ignored) < 0)
		ignored.code = 0;
	now = now_ns();
	if (!c->began)
		c->began = now;
	for (size_t i = 0; i < c->count; i++) {
		struct counts_row *row = &c->rows[i];

		if (row->member != member || row->began.ns)
			continue;
		row->hits = read_row(row);
		row->shared = probes_hits(member->session, row->probe).shared;
		row->began = row->table = row->check = row->now =
			(struct counts_mark){row->hits, now};
	}
}

void counts_read(struct counts *c, const struct probes_member *member)
{
	int64_t now = now_ns();

	for (size_t i = 0; i < c->count; i++) {
		struct counts_row *row = &c->rows[i];

		if (row->member != member)
			continue;
		row->hits = read_row(row);
		if (!row->over && !c->ended)
			row->now = (struct counts_mark){row->hits, now};
	}
}

/* Does the program pass by its sites, because somebody lowered what this call raised? */
static bool look_guard(const struct probes_member *member, size_t probe)
{
	const struct probes_probe *p = probes_at(member->session, probe);

	for (uint32_t k = 0; p->kind == PROBES_SDT && k < p->semaphore_count; k++)
		if (probes_semaphore_live_at(member->session, probe, k) == 0)
			return true;
	return false;
}

const struct counts_row *counts_unguarded(struct counts *c, const struct probes_member *member)
{
	for (size_t i = 0; i < c->count; i++) {
		struct counts_row *row = &c->rows[i];
		const struct probes_probe *p = probes_at(row->member->session, row->probe);

		if (row->member != member || row->over || row->unguarded || !row->counted ||
			probes_object_at(member->session, p->object)->gone ||
			!look_guard(member, row->probe))
			continue;
		row->unguarded = true;
		return row;
	}
	return NULL;
}

size_t counts_look(struct counts *c, const struct probes_member *member, bool last,
	const struct counts_row **first)
{
	size_t found = 0;

	for (size_t i = 0; i < c->count; i++) {
		struct counts_row *row = &c->rows[i];
		const struct probes_probe *p = probes_at(row->member->session, row->probe);
		uint32_t before = row->lost;

		if (row->member != member || row->over ||
			probes_object_at(member->session, p->object)->gone)
			continue;
		row->lost = row->gone = 0;
		for (uint32_t k = 0; k < p->site_count; k++) {
			struct counts_site *site = &row->sites[k];
			const struct probes_site_live *live =
				probes_site_live_at(member->session, row->probe, k);
			bool away =
				site->counted && !live->counted && live->state != PROBES_UNREADABLE;

			/* When a debugger removes its int3, our jump is back; when a uprobe goes,
			 * the file's byte is. */
			site->held = away && live->state == PROBES_FOREIGN;
			site->lost = site->lost || (away && (last || !site->held));
			row->gone += site->lost;
			row->lost += site->lost || site->lost_in_child;
		}
		if (before || !row->lost)
			continue;
		if (!found++)
			*first = row;
	}
	return found;
}

/* The row of a process with a counted site at an address, or NULL. */
static struct counts_row *row_at(struct counts *c, pid_t pid, uint64_t address, uint32_t *site)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct probes_probe *p;

		if (c->rows[i].member->pid != pid || c->rows[i].over)
			continue;
		p = probes_at(c->rows[i].member->session, c->rows[i].probe);
		for (*site = 0; *site < p->site_count; ++*site)
			if (p->sites[*site].address == address && c->rows[i].sites[*site].counted)
				return &c->rows[i];
	}
	return NULL;
}

size_t counts_look_child(struct counts *c, const struct probes_session *child, bool last,
	const struct counts_row **first)
{
	size_t found = 0, probe;

	if (!probes_lost_sites(child, &probe))
		return 0;
	for (probe = 0; probe < probes_count(child); probe++) {
		const struct probes_probe *p = probes_at(child, probe);

		for (uint32_t k = 0; k < p->site_count; k++) {
			struct counts_row *row;
			uint32_t site;

			if (!counting_child_lost(child, probe, k, last))
				continue;
			row = row_at(c, probes_site_hits_at(child, probe, k).shared,
				p->sites[k].address, &site);
			if (!row || row->sites[site].lost || row->sites[site].lost_in_child)
				continue;
			row->sites[site].lost_in_child = true;
			if (!row->lost++ && !found++)
				*first = row;
		}
	}
	return found;
}

bool counts_go_on(const struct counts *c, const struct probes_member *member)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct counts_row *row = &c->rows[i];

		if (row->member == member && !row->over && row->counted > row->gone)
			return true;
	}
	return false;
}

void counts_done(struct counts *c)
{
	for (size_t i = 0; i < c->count; i++) {
		free(c->rows[i].sites);
		free(c->rows[i].why);
	}
	free(c->rows);
	*c = (struct counts){0};
}

bool counts_shared(const struct counts *c, size_t row, char *out, size_t size)
{
	const struct counts_row *first = &c->rows[row];
	struct line all = {.text = out, .size = size}, *l = &all;
	size_t count = 0, at = row;
	char why[160];

	while (at && c->rows[at - 1].member == first->member)
		if (c->rows[--at].shared == first->shared)
			return false;
	if (!first->shared)
		return false;
	for (at = row; at < c->count && c->rows[at].member == first->member; at++)
		count += c->rows[at].shared == first->shared;
	line_add(l, "the hits of %zu probe%s (", count, line_s(count));
	for (at = row; at < c->count && c->rows[at].member == first->member; at++) {
		const char *name =
			outbuf_probe(probes_at(first->member->session, c->rows[at].probe));
		bool fits = l->length + strlen(name) + sizeof why + 100 < size;

		if (c->rows[at].shared != first->shared)
			continue;
		line_add(l, "%s%s", at > row ? ", " : "", fits ? name : "...");
		if (!fits)
			break;
	}
	line_add(l, ") are unknown: %s%s", reasons_shared(first->shared, why, sizeof why),
		first->shared < 0 && !c->stop ? "; -stop may find room for its own" : "");
	return true;
}

struct reasons counts_reasons(const struct counts *c)
{
	struct reasons reasons = {0};

	for (const struct counts_row *row = c->rows; row < c->rows + c->count; row++) {
		const char *otherwise = row->why ? row->why : "the reason is not known";
		uint32_t sites = probes_at(row->member->session, row->probe)->site_count;

		for (uint32_t k = 0; k < sites; k++)
			if (!row->sites[k].counted)
				reasons_add_one(&reasons,
					row->sites[k].why ? row->sites[k].why : otherwise);
	}
	return reasons;
}
