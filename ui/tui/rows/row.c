#include "ui/tui/rows/row.h"

#include <string.h>

const char *row_name(const struct row *r)
{
	return r->label + r->family->provider_length + 1;
}

void row_clear(struct row *r)
{
	r->processes = r->sites = r->sites_on = r->sites_counted = r->sites_lost = r->others = 0;
	r->ref_min = r->ref_max = PROBES_NONE;
	r->state = PROBES_UNKNOWN;
	r->mine = r->mine_enabled = r->mine_counted = r->counted = false;
	r->holder = PROBES_HOLDER_NONE;
}

/* What needs attention wins; on and off together are partial. */
static enum probes_state row_join(enum probes_state a, enum probes_state b)
{
	if (a == b)
		return a;
	if (!states[a].weight && !states[b].weight)
		return PROBES_PARTIAL;
	return states[a].weight > states[b].weight ? a : b;
}

void row_add(struct row *r, const struct probes_live *live, uint32_t sites)
{
	r->state = r->processes ? row_join(r->state, live->state) : live->state;
	r->processes++;
	r->sites += sites;
	if (live->sites_on == PROBES_NONE || r->sites_on == PROBES_NONE)
		r->sites_on = PROBES_NONE;
	else
		r->sites_on += live->sites_on;
	if (live->ref_min != PROBES_NONE &&
		(r->ref_min == PROBES_NONE || live->ref_min < r->ref_min))
		r->ref_min = live->ref_min;
	if (live->ref_max != PROBES_NONE &&
		(r->ref_max == PROBES_NONE || live->ref_max > r->ref_max))
		r->ref_max = live->ref_max;
	if (live->ref_max != PROBES_NONE && live->ref_max - live->ref_mine > r->others)
		r->others = live->ref_max - live->ref_mine;
	r->mine |= live->mine;
	r->mine_enabled |= live->mine_enabled;
	r->sites_counted += live->sites_counted;
	r->mine_counted |= live->mine_counted;
	r->counted |= live->sites_counted > 0;
	if (r->holder == PROBES_HOLDER_NONE)
		r->holder = live->holder;
}

void row_add_recorded(struct row *r, uint32_t kept, uint32_t sites, bool events)
{
	const struct probes_live live = {.state = PROBES_UNKNOWN,
		.sites_counted = kept,
		.sites_on = PROBES_NONE,
		.ref_min = PROBES_NONE,
		.ref_max = PROBES_NONE};

	row_add(r, &live, sites);
	r->recorded = true;
	r->counted |= events;
}

void row_include(struct row *sum, const struct row *r, bool begin)
{
	sum->state = begin ? r->state : row_join(sum->state, r->state);
	sum->tag = (begin || sum->tag) && r->tag;
	if (sum->processes < r->processes)
		sum->processes = r->processes;
	sum->recorded = r->recorded;
	sum->sites += r->sites;
	if (sum->sites_on != PROBES_NONE && r->sites) /* without sites there is nothing to count */
		sum->sites_on =
			r->sites_on == PROBES_NONE ? PROBES_NONE : sum->sites_on + r->sites_on;
	sum->mine |= r->mine;
	sum->shared = r->shared || (!begin && sum->shared);
	sum->missed_sites = r->missed_sites || (!begin && sum->missed_sites);
	sum->missed_end = r->missed_end || (!begin && sum->missed_end);
	sum->missed_child = r->missed_child || (!begin && sum->missed_child);
	sum->missed_jump = r->missed_jump || (!begin && sum->missed_jump);
	sum->sites_counted += r->sites_counted;
	sum->mine_counted |= r->mine_counted;
	sum->counted |= r->counted;
	sum->switchable = r->switchable || (!begin && sum->switchable);
}

const struct states_row *row_state(const struct row *r)
{
	if (r->recorded)
		return &states_recorded;
	return r->state == PROBES_NO_SWITCH && r->sites_counted ? &states_counted
								: &states[r->state];
}

bool row_counted_too(const struct row *r)
{
	return r->sites_counted && row_state(r) == &states[r->state];
}

bool row_hits_partial(const struct row *r)
{
	return r->sites_counted < r->sites || r->shared || r->missed_child;
}

bool row_total_partial(const struct row *r)
{
	return row_hits_partial(r) || r->missed_sites || r->missed_end || r->missed_jump;
}

bool row_held_by_others(const struct row *r)
{
	if (r->state == PROBES_FOREIGN)
		return true;
	if (r->state != PROBES_ON && r->state != PROBES_PARTIAL)
		return false;
	return !r->mine || r->others;
}

bool row_on_to_count(const struct row *r)
{
	return r->state == PROBES_ON && r->mine && !r->mine_enabled && !r->others;
}

bool row_loses(const struct row *r, enum probes_verb verb, bool force)
{
	if (verb == PROBES_COUNT)
		return false;
	if (verb == PROBES_UNCOUNT)
		return r->sites_counted && !r->mine_counted;
	if (r->state == PROBES_FOREIGN || (verb == PROBES_DISABLE && row_held_by_others(r)))
		return true;
	/* Force sets the count: to 1, which it then may share with another party. */
	return force && r->others > (verb == PROBES_ENABLE && !r->mine ? 1 : 0);
}

bool row_differs(const struct row *r, const struct row *before)
{
	return r->state != before->state || r->sites != before->sites ||
	       r->sites_on != before->sites_on || r->ref_min != before->ref_min ||
	       r->ref_max != before->ref_max || r->others != before->others ||
	       r->mine != before->mine || r->mine_enabled != before->mine_enabled ||
	       r->sites_counted != before->sites_counted || r->sites_lost != before->sites_lost ||
	       r->mine_counted != before->mine_counted || r->counted != before->counted ||
	       r->holder != before->holder || r->processes != before->processes;
}
