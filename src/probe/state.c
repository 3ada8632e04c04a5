#include "probe/state.h"

/* What the values of a probe say together. */
struct state_tally {
	uint32_t on, off, foreign, unreadable; /* sites */
	uint32_t raised, zero, unknown;        /* semaphores */
	bool disagree;                         /* a site and its semaphore */
};

static void state_tally(struct state_tally *t, struct object_probes *h,
	const struct probes_probe *p, struct probes_live *live)
{
	const uint32_t *values = &h->values[object_probes_semaphore(h, p)];
	const struct kind_ops *kind = kind_of(p);
	size_t first = object_probes_site(h, p);

	for (uint32_t i = 0; i < p->site_count; i++) {
		struct probes_site_live *site = &h->site_live[first + i];
		uint32_t k = p->sites[i].semaphore, value = k == PROBES_NONE ? k : values[k];

		if (h->no_code)
			arch_guess_original(site->bytes, h->original[first + i]);
		/* Under a jump to a counter the site has the bytes of the file. */
		site->counted = object_probes_counted(h, first + i);
		live->sites_counted += site->counted;
		site->state = kind->judge(h->original[first + i],
			site->counted && (!kind->call || object_probes_replaced(h, first + i))
				? h->original[first + i]
				: site->bytes,
			site->count);
		/* The code that counts looks at the semaphore itself. */
		if (site->counted && kind->call && object_probes_replaced(h, first + i))
			site->state = value && value != PROBES_NONE ? PROBES_ON : PROBES_OFF;
		/* Its displacement is still ours: the operand of a comparison without effect. */
		else if (kind->call && object_probes_cut_off(h, first + i))
			site->state = PROBES_OFF;
		t->on += site->state == PROBES_ON;
		t->off += site->state == PROBES_OFF;
		t->foreign += site->state == PROBES_FOREIGN;
		t->unreadable += site->state == PROBES_UNREADABLE;
		if (site->state == PROBES_FOREIGN)
			live->holder = kind->holder(site->bytes);
		t->disagree = t->disagree || (site->state == PROBES_ON && value == 0) ||
			      (site->state == PROBES_OFF && value > 0 && value != PROBES_NONE);
	}
	for (uint32_t i = 0; i < p->semaphore_count; i++) {
		if (values[i] == PROBES_NONE) {
			t->unknown++;
			continue;
		}
		t->raised += values[i] > 0;
		t->zero += values[i] == 0;
		if (live->ref_min == PROBES_NONE || values[i] < live->ref_min)
			live->ref_min = values[i];
		if (live->ref_max == PROBES_NONE || values[i] > live->ref_max)
			live->ref_max = values[i];
	}
}

void state_judge(struct object_probes *h, size_t local)
{
	const struct probes_probe *p = &h->probes[local];
	struct probes_live *live = &h->live[local];
	struct state_tally t = {0};

	if (h->info.gone)
		return;
	*live = (struct probes_live){.ref_min = PROBES_NONE, .ref_max = PROBES_NONE};
	state_tally(&t, h, p, live);
	live->sites_on = kind_switches(p) && p->site_count && !t.unreadable ? t.on : PROBES_NONE;
	/* The memory that broken notes name is not the probe's. */
	if ((p->flaw && p->flaw != PROBES_FLAW_CODE) || t.unreadable || t.unknown)
		live->state = PROBES_UNREADABLE;
	else if (t.foreign)
		live->state = PROBES_FOREIGN;
	else if (t.on && t.off)
		live->state = PROBES_PARTIAL;
	else if (t.disagree)
		live->state = PROBES_INCONSISTENT;
	else if (t.raised && t.zero)
		live->state = PROBES_PARTIAL;
	else if (kind_no_switch(p))
		live->state = PROBES_NO_SWITCH;
	else
		live->state = t.raised || t.on ? PROBES_ON : PROBES_OFF;
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
		[PROBES_NO_SWITCH] = "none",
		[PROBES_UNLOADED] = "gone",
	};

	return names[state];
}

const char *probes_holder_name(enum probes_holder holder)
{
	static const char *const names[] = {[PROBES_HOLDER_NONE] = "",
		[PROBES_HOLDER_INT3] = "int3",
		[PROBES_HOLDER_OTHER] = "other"};

	return names[holder];
}
