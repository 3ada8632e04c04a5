/* The hits of the rows that are counted. */
#include "ui/tui/rows/model.h"
#include "ui/tui/rows/trend.h"

struct probes_hits model_hits(const struct model *m, const struct model_member *member)
{
	const struct model_process *p = &m->processes[member->process];

	if (p->recorded)
		return (struct probes_hits){.hits = p->recorded->events[member->probe],
			.counted = p->recorded->kept[member->probe]};
	return probes_hits(p->session, member->probe);
}

static bool model_lists(const struct model *m, pid_t pid)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].pid == pid)
			return true;
	return false;
}

/* What is shared with a process that is listed is among the hits of that one. */
static void model_read_row(const struct model *m, struct row *r, int64_t ms)
{
	struct model_member member;
	uint64_t total = 0;
	bool lives = false, own = false;

	r->shared = false;
	for (uint32_t at = r->member; model_next(m, &at, &member);) {
		struct probes_hits hits = model_hits(m, &member);
		bool shared = hits.shared && !model_lists(m, hits.shared);

		r->shared |= shared;
		own |= !shared && (hits.counted || hits.hits);
		total += shared ? 0 : hits.hits;
		lives |= !m->processes[member.process].gone;
	}
	/* How fast a recording is read is no rate of hits. */
	if (m->replay || (r->shared && !own))
		trend_begin(r->trend);
	if (r->shared && !own)
		return;
	trend_read(r->trend, ms, total);
	if (!lives)
		trend_rest(r->trend);
}

bool model_read_hits(struct model *m, int64_t ms)
{
	struct probes_error e;

	if (!m->counts.counted)
		return false;
	for (size_t i = 0; i < m->process_count; i++) {
		/* One that has ended left its last hits in counters that are mapped here. */
		if (!m->replay && probes_read_hits(m->processes[i].session, &e) < 0)
			continue;
	}
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
