/* The edits of one probe of a plan, with what is verified for each. Pure like the plan. */
#include "patch/plan.h"
#include "probe/kind.h"

#include <string.h>

struct plan_check *plan_edit_add(
	struct plan *p, const struct plan_step *s, uint32_t index, struct probes_edit edit)
{
	struct probes_edit *slot = array_add(&p->edits);
	struct plan_check *c = array_add(&p->checks);

	edit.probe = s->probe;
	edit.index = index;
	if (slot)
		*slot = edit;
	return slot ? c : NULL;
}

/* Where jumps are known, neighbours may be counted: what was read just now, and what is planned. */
void plan_edit_guard(const struct plan_step *s, size_t site, struct plan_check *c)
{
	const struct object_jump *j = s->h->jumps ? &s->h->jumps[site] : NULL;
	const struct probes_site_live *live = &s->h->site_live[site];

	c->guard = s->h->sites[site].address;
	c->guard_at = kind_of(s->p)->site->fixed_at;
	memcpy(c->bytes, s->h->original[site], ARCH_SITE_BYTES);
	if (!j)
		return;
	if (live->count >= ARCH_SITE_BYTES && live->state != PROBES_FOREIGN)
		memcpy(c->bytes, live->bytes, ARCH_SITE_BYTES);
	if (s->view->counted[site])
		memcpy(c->bytes, j->new_, j->length);
	else if (live->counted)
		memcpy(c->bytes, j->old, j->length);
	c->guard_varies = j->vary;
}

int32_t plan_edit_part(const struct plan_step *s, uint32_t i)
{
	return s->undo && s->undo->of[PLAN_CODE] ? s->undo->of[PLAN_CODE][s->site + i] : 0;
}

bool plan_edit_torn(const struct plan_step *s)
{
	return s->undo && s->undo->torn && s->undo->torn[s->p - s->h->probes];
}

bool plan_edit_stays(const struct plan_step *s, uint32_t i)
{
	int32_t part = plan_edit_part(s, i);

	return part && s->view->on[s->site + i] == (part > 0);
}

/*
 * Does an undo set a site to what its count says, though that stays 0 or stays > 0? Then code and
 * count may disagree because of the change that is undone: others have moved the count since, and
 * not the code. What the change found is never written back where that disagrees with the count: it
 * was inconsistent, and by now somebody else may rely on the code.
 */
static bool plan_edit_follows(const struct plan_step *s, uint32_t i)
{
	const int32_t *parts = s->undo ? s->undo->of[PLAN_SEMAPHORE] : NULL;

	if (plan_edit_torn(s) || plan_edit_part(s, i))
		return plan_edit_torn(s) || plan_edit_stays(s, i);
	/* Nobody can tell what another tool keeps below the bytes that it has put there. */
	return parts && parts[plan_step_slot(s, s->p->sites[i].semaphore)] &&
	       s->h->site_live[s->site + i].state != PROBES_FOREIGN;
}

/* Sites follow their semaphore where it goes to or from 0, or always. */
static bool plan_edit_sites(struct plan *p, const struct plan_step *s, const uint32_t *to,
	const uint32_t *from, bool always)
{
	for (uint32_t i = 0; kind_switches(s->p) && i < s->p->site_count; i++) {
		uint32_t k = s->p->sites[i].semaphore;
		size_t site = s->site + i;
		struct probes_edit edit;
		struct plan_check *c;
		bool crosses, on;

		if (k == PROBES_NONE || plan_step_gone(s, site))
			continue;
		crosses = (from[k] > 0) != (to[k] > 0);
		on = to[k] > 0;
		/* The code that counts looks at the semaphore itself. */
		if (s->view->counted && s->view->counted[site] &&
			object_probes_replaced(s->h, site)) {
			s->view->on[site] = on;
			continue;
		}
		if (s->view->on[site] == on || !(crosses || always || plan_edit_follows(s, i)))
			continue;
		edit = kind_of(s->p)->edit(s->p->sites[i].address, on);
		if (s->undo ? plan_edit_part(s, i) != 0 : !crosses)
			edit.role = PROBES_ROLE_CODE_ALONE;
		c = plan_edit_add(p, s, i, edit);
		if (!c)
			return false;
		plan_edit_guard(s, site, c);
		s->view->on[site] = on;
	}
	return true;
}

static bool plan_edit_semaphore(struct plan *p, const struct plan_step *s, uint32_t i, uint32_t to)
{
	uint32_t slot = plan_step_slot(s, i), from = s->view->values[slot], count;
	const uint32_t *counting = semaphore_sites_of(&s->view->counting, slot, &count);
	struct plan_check *c;

	if (from == to)
		return true;
	c = plan_edit_add(p, s, i, edit_semaphore(s->p->semaphores[i].address, from, to));
	if (!c)
		return false;
	s->view->values[slot] = to;
	/* A count is written only where its code still is: the object may have been unloaded and
	   another mapped in its place. A site that counts there proves it, else any of the probe.
	 */
	for (uint32_t k = 0; !c->guard && k < count + s->p->site_count; k++) {
		size_t site = k < count ? counting[k] : s->site + (k - count);

		if (s->h->site_live[site].count >= ARCH_SITE_BYTES && !plan_step_gone(s, site))
			plan_edit_guard(s, site, c);
	}
	c->shared = s->limit == KIND_SHARED_LIMIT;
	if (!c->shared)
		return true;
	if (count == 1 && c->guard == s->h->sites[counting[0]].address) {
		c->guard_counts = true;
		return true;
	}
	/* The kernel counts one per uprobe on these sites; capped where probes share the semaphore.
	 */
	if (s->h->same && count > PLAN_REFCOUNT_SITES)
		count = PLAN_REFCOUNT_SITES;
	c->refcount_site = (uint32_t)p->refcount_sites.count;
	c->refcount_site_count = count;
	if (!array_reserve(&p->refcount_sites, count))
		return false;
	for (uint32_t k = 0; k < count; k++) {
		size_t site = counting[k];
		bool counted = s->view->counted && s->view->counted[site];

		*(struct plan_refcount_site *)array_add(&p->refcount_sites) =
			(struct plan_refcount_site){
				.address = s->h->sites[site].address + ARCH_HELD_AT,
				/* The byte that is there while no other tool holds it. */
				.own = counted ? s->h->jumps[site].new_[ARCH_HELD_AT]
					       : s->h->original[site][ARCH_HELD_AT]};
	}
	return true;
}

bool plan_edit_probe(struct plan *p, const struct plan_step *s, const uint32_t *to,
	const uint32_t *from, bool up, bool always)
{
	size_t first = p->edits.count;
	bool fits = !up || plan_edit_sites(p, s, to, from, always);

	for (uint32_t i = 0; fits && i < s->p->semaphore_count; i++)
		fits = plan_edit_semaphore(p, s, i, to[i]);
	if (!fits || (!up && !plan_edit_sites(p, s, to, from, always)))
		return false;
	if (p->edits.count == first)
		return true;
	if (plan_step_touched(s, p->epoch)) {
		ARRAY_AT(&p->checks, struct plan_check, first)->cut = true;
		p->epoch++;
	}
	plan_step_touch(s, p->epoch);
	return true;
}
