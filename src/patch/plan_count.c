/*
 * Counting in a plan: the edits that write and remove jumps. Which bytes they are was decided
 * before (struct object_jump). Pure like the plan.
 *
 * A jump of one byte may be written while threads execute the site. One of several bytes needs a
 * stop, both to be written and to be removed.
 */
#include "patch/plan.h"
#include "probe/kind.h"

#include <string.h>

static const struct object_jump *plan_count_jump(const struct plan_step *s, uint32_t i)
{
	return s->h->jumps ? &s->h->jumps[s->site + i] : NULL;
}

/* May the jump of a site be written now? */
static bool plan_count_may(
	const struct plan_step *s, const struct probes_switch_options *mode, uint32_t i)
{
	const struct object_jump *j = plan_count_jump(s, i);

	/* An OCaml site is changed in steps, each of which is correct: see apply.c. */
	if (j && j->tactic == PROBES_TACTIC_KERNEL && s->h->no_uprobe)
		return false;
	return j && j->length &&
	       (j->arena != PROBES_NONE || j->tactic == PROBES_TACTIC_KERNEL ||
		       (mode && mode->dry_run)) &&
	       !s->view->counted[s->site + i] &&
	       s->h->site_live[s->site + i].state != PROBES_FOREIGN &&
	       (!mode || (!j->why && (j->tactic != PROBES_TACTIC_EVICTED || mode->atomically)));
}

/* Does this session count hits of the site, after what is planned so far? */
static bool plan_count_mine(const struct plan_step *s, uint32_t i)
{
	size_t site = s->site + i;

	return s->view->counted && s->view->counted[site] &&
	       (s->h->jumps[site].mine || !s->h->site_live[site].counted);
}

/* Does it count there because of other sessions alone? */
static bool plan_count_theirs(const struct plan_step *s, uint32_t i)
{
	const struct object_jump *j = plan_count_jump(s, i);

	return j && s->view->counted && s->view->counted[s->site + i] && !plan_count_mine(s, i) &&
	       j->length && j->tactic != PROBES_TACTIC_KERNEL && j->arena != PROBES_NONE;
}

bool plan_count_check(const struct plan_step *s, const struct probes_switch_options *mode,
	enum probes_verb verb, struct probes_item *item)
{
	const char *why = NULL;
	uint32_t counted = 0, mine = 0, can = 0, theirs = 0, largest = 0;

	if (s->h->info.gone)
		return plan_step_skip(item, PROBES_SKIP_UNLOADED, PLAN_UNLOADED);
	if (s->p->broken)
		return plan_step_not(item, s->p->broken);
	if (!s->p->site_count)
		return plan_step_not(item, "it has no site, only a semaphore");
	if (!plan_step_readable(s, item))
		return false;
	for (uint32_t i = 0; i < s->p->site_count; i++) {
		counted += s->view->counted && s->view->counted[s->site + i];
		mine += plan_count_mine(s, i);
		theirs += plan_count_theirs(s, i);
		can += plan_count_may(s, mode, i);
		if (!why && plan_count_jump(s, i))
			why = plan_count_jump(s, i)->why;
	}
	if (verb == PROBES_UNCOUNT && !counted)
		return plan_step_skip(item, PROBES_SKIP_UNCOUNTED, "its hits are not counted");
	if (verb == PROBES_UNCOUNT && !mine)
		return plan_step_not(item, "another session counts its hits");
	if (verb == PROBES_UNCOUNT)
		return true;
	if (!can && counted && !theirs)
		return plan_step_skip(item, PROBES_SKIP_COUNTED, "its hits are counted already");
	if (!can && !theirs)
		return plan_step_not(item, why ? why : "its sites cannot be counted");
	for (uint32_t k = 0; k < s->p->semaphore_count; k++)
		largest = plan_step_value(s, k) > largest ? plan_step_value(s, k) : largest;
	if (s->p->semaphore_count && largest >= s->limit)
		return plan_step_not(item, "its count is at its limit");
	return true;
}

uint32_t plan_count_target(const struct plan_step *s, enum probes_verb verb, uint32_t value)
{
	uint32_t raised = plan_step_raised(s);

	if (!kind_of(s->p)->guarded || (verb == PROBES_COUNT && raised))
		return value;
	if (verb == PROBES_COUNT)
		return value + 1;
	return value > raised ? value - raised : 0;
}

int plan_count_part(const struct plan_step *s, uint32_t i)
{
	const int32_t *parts = s->undo ? s->undo->of[PLAN_COUNTER] : NULL;

	return !parts || !parts[s->site + i] ? 0 : parts[s->site + i] > 0 ? -1 : 1;
}

bool plan_count_unheld(const struct plan_step *s, struct probes_item *item)
{
	for (uint32_t i = 0; i < s->p->site_count; i++)
		if (plan_count_part(s, i) && !plan_step_gone(s, s->site + i) &&
			s->h->site_live[s->site + i].state == PROBES_FOREIGN)
			return plan_step_not(item, "another tool holds one of its sites");
	return true;
}

/* Is the jump of a site to be written, or to be removed? */
static bool plan_count_wants(
	const struct plan_step *s, const struct probes_switch_options *mode, uint32_t i, bool on)
{
	size_t site = s->site + i;

	if (!mode && plan_count_part(s, i) != (on ? 1 : -1))
		return false;
	if (on)
		return plan_count_may(s, mode, i);
	/* Sessions may count different sites of one probe, or the same: the last one removes. */
	if ((mode && !s->h->jumps[site].mine && !plan_count_mine(s, i)) ||
		(s->h->jumps && s->h->jumps[site].shared))
		return false;
	if (s->h->jumps && s->h->jumps[site].placed)
		return true;
	if (plan_step_gone(s, site))
		return false;
	return s->view->counted && (s->view->counted[site] || object_probes_cut_off(s->h, site));
}

/* Write the jumps of a probe (`on`), or the bytes of the file. False: no memory. */
static bool plan_count_sites(struct plan *p, const struct plan_step *s,
	const struct probes_switch_options *mode, bool on)
{
	for (uint32_t i = 0; i < s->p->site_count; i++) {
		const struct object_jump *j = plan_count_jump(s, i);
		size_t site = s->site + i;
		struct probes_edit edit = {
			.address = s->p->sites[i].address, .role = PROBES_ROLE_COUNTER};
		const struct arch_site *code = kind_of(s->p)->site;
		uint32_t k = s->p->sites[i].semaphore;
		struct plan_check *c;

		if (!plan_count_wants(s, mode, i, on))
			continue;
		edit.length = j->length;
		memcpy(edit.old, on ? j->old : j->new_, j->length);
		memcpy(edit.new_, on ? j->new_ : j->old, j->length);
		/* The kernel writes these, so no journal records them. */
		if (j->tactic == PROBES_TACTIC_KERNEL) {
			edit.role = PROBES_ROLE_UPROBE;
			edit.probe = s->probe;
			edit.index = i;
			if (!array_push(&p->uprobes, &edit))
				return false;
			s->view->counted[site] = on;
			continue;
		}
		/* The file's bytes of a site that is a call, switched as its count says. */
		if (kind_of(s->p)->call)
			memcpy((on ? edit.old : edit.new_) + code->switch_at,
				k != PROBES_NONE && plan_step_value(s, k) > 0 ? code->on
									      : code->off,
				ARCH_SWITCH_BYTES);
		if (object_probes_cut_off(s->h, site) && !s->view->counted[site])
			memcpy(edit.old, s->h->site_live[site].bytes, j->length);
		c = plan_edit_add(p, s, i, edit);
		if (!c)
			return false;
		/* The bytes behind one that is changed alone are its displacement: those that it
		   was planned from, since another library may have been there when the site was
		   read.
		 */
		if (j->length == 1) {
			plan_edit_guard(s, site, c);
			if (on)
				memcpy(c->bytes, j->old, ARCH_SITE_BYTES);
		}
		if (j->tactic == PROBES_TACTIC_EVICTED)
			p->needs_stop = true;
		s->view->counted[site] = on;
	}
	return true;
}

bool plan_count_probe(struct plan *p, const struct plan_step *s,
	const struct probes_switch_options *mode, const uint32_t *to, const uint32_t *from, bool up,
	bool on)
{
	size_t first = p->edits.count, second, begin = first;
	bool again = plan_step_touched(s, p->epoch);

	/* Jumps and semaphores prove each other: an earlier step of this plan is a batch before. */
	p->epoch += again;
	if (on && !plan_count_sites(p, s, mode, true))
		return false;
	second = p->edits.count;
	if (!plan_edit_probe(p, s, to, from, up, false))
		return false;
	if (second > first && p->edits.count > second)
		ARRAY_AT(&p->checks, struct plan_check, second)->cut = true;
	first = second;
	second = p->edits.count;
	if (!on && !plan_count_sites(p, s, mode, false))
		return false;
	if (second > first && p->edits.count > second)
		ARRAY_AT(&p->checks, struct plan_check, second)->cut = true;
	if (p->edits.count == begin) {
		p->epoch -= again;
		return true;
	}
	if (again)
		ARRAY_AT(&p->checks, struct plan_check, begin)->cut = true;
	plan_step_touch(s, p->epoch);
	return true;
}
