/*
 * The rules of DESIGN "States". Order of precedence: unreadable, other, some
 * (sites disagree), odd (code and semaphore disagree), some (semaphores
 * disagree), on, off.
 */
#include "probe/state.h"

struct state_tally {
	uint32_t on, off, foreign, unreadable; /* sites, as judged */
	uint32_t raised, zero, unknown;        /* semaphores */
	bool disagree;                         /* some site with its own semaphore */
	const char *who;
};

static void state_tally_site(
	struct state_tally *t, struct object_probes *h, const struct probes_probe *p, uint32_t i)
{
	size_t index = object_probes_site(h, p) + i;
	struct probes_site_live *live = &h->site_live[index];
	uint32_t semaphore = p->sites[i].semaphore, value = PROBES_NONE;

	if (h->no_code)
		arch_guess_original(live->bytes, h->original[index]);
	live->state = kind_of(p)->judge(h->original[index], live->bytes, live->count);
	if (semaphore != PROBES_NONE)
		value = h->values[object_probes_semaphore(h, p) + semaphore];
	switch (live->state) {
	case PROBES_ON:
		t->on++;
		t->disagree = t->disagree || value == 0;
		break;
	case PROBES_OFF:
		t->off++;
		t->disagree = t->disagree || (value > 0 && value != PROBES_NONE);
		break;
	case PROBES_FOREIGN:
		t->foreign++;
		t->who = kind_of(p)->holder(live->bytes);
		break;
	case PROBES_UNREADABLE:
		t->unreadable++;
		break;
	default:
		break;
	}
}

static void state_tally(struct state_tally *t, struct object_probes *h,
	const struct probes_probe *p, struct probes_live *live)
{
	*live = (struct probes_live){.ref_min = PROBES_NONE, .ref_max = PROBES_NONE};
	for (uint32_t i = 0; i < p->site_count; i++)
		state_tally_site(t, h, p, i);
	for (uint32_t i = 0; i < p->semaphore_count; i++) {
		size_t index = object_probes_semaphore(h, p) + i;
		uint32_t value = h->values[index];

		if (value == PROBES_NONE) {
			t->unknown++;
			continue;
		}
		t->raised += value > 0;
		t->zero += value == 0;
		if (live->ref_min == PROBES_NONE || value < live->ref_min)
			live->ref_min = value;
		if (live->ref_max == PROBES_NONE || value > live->ref_max)
			live->ref_max = value;
	}
}

static enum probes_state state_decide(const struct state_tally *t)
{
	if (t->unreadable || t->unknown)
		return PROBES_UNREADABLE;
	if (t->foreign)
		return PROBES_FOREIGN;
	if (t->on && t->off)
		return PROBES_PARTIAL;
	if (t->disagree)
		return PROBES_INCONSISTENT;
	if (t->raised && t->zero)
		return PROBES_PARTIAL;
	return t->raised || t->on ? PROBES_ON : PROBES_OFF;
}

void state_judge_mine(struct object_probes *h, size_t local)
{
	const struct probes_probe *p = &h->probes[local];
	bool mine = false;

	for (uint32_t i = 0; i < p->semaphore_count; i++) {
		size_t index = object_probes_semaphore(h, p) + i;
		uint32_t value = h->values[index];

		/* Somebody else may have taken away what we had raised. */
		mine = mine || (value > 0 && value != PROBES_NONE &&
				       h->net[object_probes_same(h, index)] > 0);
	}
	h->live[local].mine = mine;
}

void state_judge(struct object_probes *h, size_t local)
{
	const struct probes_probe *p = &h->probes[local];
	struct probes_live *live = &h->live[local];
	struct state_tally t = {0};

	if (h->info.gone)
		return;
	state_tally(&t, h, p, live);
	live->sites_on = kind_of(p)->edit && p->site_count && !t.unreadable ? t.on : PROBES_NONE;
	live->who = t.who;
	state_judge_mine(h, local);
	/* What broken notes point at says nothing about the probe. */
	live->state = p->broken && p->broken != object_probes_no_code ? PROBES_UNREADABLE
								      : state_decide(&t);
}

const char *probes_state_name(enum probes_state state)
{
	static const char *const names[] = {
		[PROBES_UNKNOWN] = "unknown",
		[PROBES_OFF] = "off",
		[PROBES_ON] = "on",
		[PROBES_PARTIAL] = "partial",
		[PROBES_FOREIGN] = "foreign",
		[PROBES_INCONSISTENT] = "inconsistent",
		[PROBES_UNREADABLE] = "unreadable",
		[PROBES_UNLOADED] = "gone",
	};

	return names[state];
}
