/* The hits of the rows that are counted. */
#include <stdlib.h>

#include "ui/figures/counting.h"
#include "ui/tui/rows/model.h"
#include "ui/tui/rows/trend.h"
#include "ui/tui/terminal/mem.h"

#define MODEL_KEEP_MS 200

/* The hits of a probe in one process, as they were read last. */
static struct probes_hits model_hits(const struct model *m, const struct model_member *member)
{
	const struct model_process *p = &m->processes[member->process];

	if (p->recorded)
		return (struct probes_hits){.hits = p->recorded->events[member->probe],
			.since = p->recorded->events[member->probe],
			.counted = p->recorded->kept[member->probe]};
	return probes_hits(p->session, member->probe);
}

const char *model_uncounted(
	const struct model_process *p, const size_t *probes, size_t count, size_t least)
{
	size_t counted = 0;

	for (size_t i = 0; !p->gone && i < count; i++)
		counted += probes_live_at(p->session, probes[i])->sites_counted > 0;
	return p->gone ? "the process is gone" : counted < least ? "no longer counted" : NULL;
}

bool model_in_vain(const struct model *m, uint32_t id)
{
	struct model_member member;

	if (m->rows[id].sites_counted)
		return false;
	for (uint32_t at = m->rows[id].member; model_next(m, &at, &member);) {
		const struct probes_session *s = member.session;

		for (uint32_t i = 0; i < probes_at(s, member.probe)->site_count; i++)
			if (!probes_site_hits_at(s, member.probe, i).why)
				return false;
	}
	return true;
}

/* The jumps that a child has lost, in order; the caller frees them. */
static struct counting_site *model_lost_of(const struct probes_session *child, size_t *count)
{
	struct counting_site *lost = NULL;
	size_t capacity = 0, probe;

	*count = 0;
	if (!probes_lost_sites(child, &probe))
		return NULL;
	for (; probe < probes_count(child); probe++)
		for (uint32_t i = 0; i < probes_at(child, probe)->site_count; i++) {
			pid_t shared = probes_site_hits_at(child, probe, i).shared;

			if (shared <= 0 || !counting_child_lost(child, probe, i, false))
				continue;
			lost = mem_grow(lost, &capacity, *count + 1, sizeof *lost);
			lost[(*count)++] = (struct counting_site){
				shared, probes_at(child, probe)->sites[i].address};
		}
	if (lost)
		qsort(lost, *count, sizeof *lost, counting_site_compare);
	return lost;
}

/* Is one of these jumps that of a site of the row which is counted? */
static bool model_lost_here(
	const struct model *m, uint32_t id, const struct counting_site *lost, size_t count)
{
	struct model_member member;

	for (uint32_t at = m->rows[id].member; model_next(m, &at, &member);) {
		const struct model_process *p = &m->processes[member.process];
		const struct probes_probe *probe = probes_at(p->session, member.probe);

		for (uint32_t i = 0; i < probe->site_count; i++) {
			const struct counting_site one = {p->pid, probe->sites[i].address};

			if (bsearch(&one, lost, count, sizeof one, counting_site_compare) &&
				probes_site_hits_at(p->session, member.probe, i).counted)
				return true;
		}
	}
	return false;
}

size_t model_look_child(struct model *m, const struct probes_session *child, uint32_t *first)
{
	size_t found = 0, count;
	struct counting_site *lost = model_lost_of(child, &count);

	for (uint32_t id = 0; count && id < m->row_count; id++) {
		struct row *r = &m->rows[id];

		if (!r->counted || r->missed_child || !model_lost_here(m, id, lost, count))
			continue;
		r->missed_child = true;
		if (!found++)
			*first = id;
	}
	free(lost);
	return found;
}

static bool model_lists(const struct model *m, pid_t pid)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].pid == pid)
			return true;
	return false;
}

/* What is shared with a process that is listed is among the hits of that one. Of the count of
 * another session, the hits since this screen saw it. */
static void model_read_row(struct model *m, struct row *r, int64_t ms)
{
	struct model_member member;
	uint64_t total = 0;
	bool goes_on = false, own = false;

	r->shared = false;
	for (uint32_t at = r->member; model_next(m, &at, &member);) {
		struct model_process *p = &m->processes[member.process];
		struct probes_hits hits = model_hits(m, &member);
		bool shared = hits.shared && !model_lists(m, hits.shared);

		r->shared |= shared;
		own |= !shared && (hits.counted || hits.hits);
		total += shared ? 0 : hits.since;
		goes_on |= !p->gone && hits.counted;
		p->fleeting |= hits.misses_end;
		r->missed_end |= p->gone && hits.misses_end;
	}
	/* How fast a recording is read is no rate of hits. */
	if (m->replay || (r->shared && !own))
		trend_begin(r->trend);
	if (r->shared && !own)
		return;
	trend_read(r->trend, ms, total);
	if (!goes_on)
		trend_rest(r->trend);
}

/* Read the counters of all processes, or of those alone that take their counters with them. */
static void model_read_counters(struct model *m, bool fleeting)
{
	struct probes_error e;

	for (size_t i = 0; i < m->process_count && !m->replay; i++) {
		struct model_process *p = &m->processes[i];

		/* One that has ended left its last hits in counters that are mapped here. */
		if (p->fleeting || !fleeting)
			(void)!probes_read_hits(p->session, &e);
	}
}

bool model_read_hits(struct model *m, int64_t ms)
{
	if (!m->counts.counted)
		return false;
	model_read_counters(m, false);
	m->kept_ms = ms;
	for (size_t i = 0; i < m->process_count; i++)
		m->processes[i].fleeting = false;
	m->hits = (struct trend){0};
	for (size_t i = 0; i < m->measured_count; i++) {
		struct row *r = &m->rows[m->measured[i]];

		if (!r->counted)
			continue;
		model_read_row(m, r, ms);
		trend_add(&m->hits, r->trend);
	}
	return true;
}

int64_t model_keep_wait(const struct model *m, int64_t ms)
{
	int64_t wait = m->kept_ms + MODEL_KEEP_MS - ms;

	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].fleeting && !m->processes[i].gone)
			return wait > 0 ? wait : 0;
	return -1;
}

void model_keep_hits(struct model *m, int64_t ms)
{
	if (model_keep_wait(m, ms) != 0)
		return;
	m->kept_ms = ms;
	model_read_counters(m, true);
}
