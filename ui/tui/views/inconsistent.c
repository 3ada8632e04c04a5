/*
 * The explanation of an odd probe, from what was read last.
 */
#include "ui/tui/views/inconsistent.h"

#include "ui/tui/terminal/text.h"
#include "ui/tui/views/detail.h"

#include <stdio.h>

#define INCONSISTENT_SITES 200 /* listed; more are only counted */

bool inconsistent_is(enum probes_state state)
{
	return state == PROBES_INCONSISTENT || state == PROBES_PARTIAL;
}

bool inconsistent_counts_say_on(const struct row *r)
{
	return r->ref_max != PROBES_NONE && r->ref_max > 0;
}

static void inconsistent_site(struct pager *l, struct probes_session *s, size_t probe, uint32_t i)
{
	const struct probes_site_live *live = probes_site_live_at(s, probe, i);
	char where[TEXT_MAX], bytes[32] = "";

	for (uint8_t b = 0; live && b < live->count && b < 6; b++)
		text_addf(bytes, sizeof bytes, "%02x ", live->bytes[b]);
	pager_addf(l, STYLE_WARN, "     site %u at 0x%llx is %s: %s %s", i + 1,
		(unsigned long long)probes_at(s, probe)->sites[i].address,
		live ? probes_state_name(live->state) : "not read", bytes,
		detail_where(s, probe, i, where, sizeof where));
}

/* The sites that are not as the counts say. */
static void inconsistent_sites(struct pager *l, struct probes_session *s, size_t probe, bool on)
{
	const struct probes_probe *p = probes_at(s, probe);
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < p->site_count; i++) {
		const struct probes_site_live *live = probes_site_live_at(s, probe, i);

		if (live && live->state == (on ? PROBES_ON : PROBES_OFF))
			continue;
		if (wrong++ < INCONSISTENT_SITES)
			inconsistent_site(l, s, probe, i);
	}
	if (wrong > INCONSISTENT_SITES)
		pager_addf(l, STYLE_WARN, "     and %u more", wrong - INCONSISTENT_SITES);
	if (!wrong)
		pager_addf(l, STYLE_PLAIN, "     every site agrees with that");
}

static void inconsistent_counts(struct pager *l, struct probes_session *s, size_t probe, bool on)
{
	const struct probes_probe *p = probes_at(s, probe);

	for (uint32_t i = 0; i < p->semaphore_count && i < INCONSISTENT_SITES; i++) {
		uint32_t value = probes_semaphore_live_at(s, probe, i);

		if (value == PROBES_NONE)
			continue;
		pager_addf(l, (value > 0) == on ? STYLE_PLAIN : STYLE_WARN,
			"   count %u at 0x%llx: %u %s want%s it on", i + 1,
			(unsigned long long)p->semaphores[i].address, value,
			value == 1 ? "party" : "parties", value == 1 ? "s" : "");
	}
}

static const char *inconsistent_word(enum probes_state state)
{
	if (state == PROBES_INCONSISTENT)
		return "code and count DISAGREE";
	return state == PROBES_PARTIAL ? "NOT ALL of it agrees" : probes_state_name(state);
}

static void inconsistent_process(
	struct pager *l, const struct model *m, const struct model_member *member, int columns)
{
	const struct model_process *process = &m->processes[member->process];
	const struct probes_live *live = probes_live_at(process->session, member->probe);
	const struct probes_probe *p = probes_at(process->session, member->probe);
	bool on = live->ref_max != PROBES_NONE && live->ref_max > 0;
	char text[200];

	if (process->gone)
		return;
	pager_addf(l, STYLE_TITLE, " Process %d: %s", (int)process->pid,
		inconsistent_word(live->state));
	inconsistent_counts(l, process->session, member->probe, on);
	if (live->sites_on == PROBES_NONE)
		return;
	snprintf(text, sizeof text, "%u of %u sites are on; the count says that %s should be",
		live->sites_on, p->site_count, on ? "all" : "none");
	pager_wrap(l, STYLE_PLAIN, "   ", text, columns);
	if (inconsistent_is(live->state))
		inconsistent_sites(l, process->session, member->probe, on);
}

static const char *inconsistent_cause(enum probes_state state)
{
	if (state == PROBES_INCONSISTENT)
		return "Two readings agree, so it was not caught in the middle of a switch. A "
		       "tracer was probably killed or went away between its writes, or somebody "
		       "wrote by hand.";
	return "Its sites, counts or processes differ: switched in some processes only, or a "
	       "tracer went away between its writes, or somebody wrote by hand.";
}

static void inconsistent_ways(struct pager *l, const struct row *r, int columns)
{
	char repair[200];

	pager_addf(l, STYLE_PLAIN, "%s", "");
	pager_wrap(l, STYLE_PLAIN, " ", inconsistent_cause(r->state), columns);
	pager_addf(l, STYLE_TITLE, " What can be done (each asks first, u undoes it)");
	if (inconsistent_counts_say_on(r))
		snprintf(repair, sizeof repair,
			"repair, as the count says: every site on%s; the probe is then ON",
			r->ref_max > 1 ? ", and the count 1, which other parties will miss" : "");
	else
		snprintf(repair, sizeof repair,
			"repair, as the count says: every site off; the probe is then OFF");
	pager_wrap(l, STYLE_PLAIN, "  y  ", repair, columns);
	pager_wrap(l, STYLE_PLAIN, "  e  ",
		"set it ON by force: the count becomes 1, every site calls its handler", columns);
	pager_wrap(l, STYLE_PLAIN, "  d  ",
		"set it OFF by force: the count becomes 0, no site does; whoever else had wanted "
		"it on loses it",
		columns);
	pager_wrap(l, STYLE_PLAIN, " ",
		"What a killed session of probes-tui left is undone exactly by: probes-tui repair",
		columns);
}

void inconsistent_build(struct pager *l, const struct model *m, uint32_t row, int columns)
{
	const struct row *r = &m->rows[row];
	struct model_member member;
	uint32_t at = r->member;

	pager_clear(l);
	while (model_next(m, &at, &member))
		inconsistent_process(l, m, &member, columns);
	if (inconsistent_is(r->state))
		inconsistent_ways(l, r, columns);
	else
		pager_addf(l, STYLE_TITLE, " Nothing disagrees now: it is %s.",
			probes_state_name(r->state));
}
