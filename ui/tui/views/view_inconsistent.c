/*
 * Why a probe is inconsistent or partial: which of its sites and counts disagree, in each process,
 * as they were read last; and what can be done.
 */
#include "ui/tui/views/view.h"

#include "ui/tui/terminal/text.h"
#include "ui/words/states.h"

#include <stdio.h>

#define VIEW_INCONSISTENT_SITES 200 /* listed; more are only counted */

bool view_inconsistent_is(enum probes_state state)
{
	return state == PROBES_INCONSISTENT || state == PROBES_PARTIAL;
}

bool view_inconsistent_count_says_on(const struct row *r)
{
	return r->ref_max != PROBES_NONE && r->ref_max > 0;
}

bool view_inconsistent_keeps_counts(const struct row *r)
{
	return r->ref_max != PROBES_NONE && r->ref_min > 0 && r->ref_max > 1;
}

/* The sites that are not as the counts say. */
static void view_inconsistent_sites(
	struct pager *l, struct probes_session *s, size_t probe, bool on)
{
	const struct probes_probe *p = probes_at(s, probe);
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < p->site_count; i++) {
		const struct probes_site_live *live = probes_site_live_at(s, probe, i);
		char where[TEXT_MAX], bytes[32] = "";

		if (live && live->state == (on ? PROBES_ON : PROBES_OFF))
			continue;
		if (wrong++ >= VIEW_INCONSISTENT_SITES)
			continue;
		for (uint8_t b = 0; live && b < live->count && b < 6; b++)
			text_addf(bytes, sizeof bytes, "%02x ", live->bytes[b]);
		pager_addf(l, STYLE_WARN, "     site %u at 0x%llx is %s: %s %s", i + 1,
			(unsigned long long)p->sites[i].address,
			live ? states[live->state].word : "not read", bytes,
			view_detail_where(s, probe, i, false, where, sizeof where));
	}
	if (wrong > VIEW_INCONSISTENT_SITES)
		pager_addf(l, STYLE_WARN, "     and %u more", wrong - VIEW_INCONSISTENT_SITES);
	if (!wrong)
		pager_addf(l, STYLE_PLAIN, "     the same at every site");
}

static void view_inconsistent_process(struct app *a, const struct model_member *member)
{
	struct pager *l = &a->text.pager;
	const struct model_process *process = &a->model.processes[member->process];
	const struct probes_live *live = probes_live_at(process->session, member->probe);
	const struct probes_probe *p = probes_at(process->session, member->probe);
	bool on = live->ref_max != PROBES_NONE && live->ref_max > 0;
	char text[200];

	if (process->gone)
		return;
	pager_addf(l, STYLE_TITLE, " Process %d: %s", (int)process->pid,
		live->state == PROBES_INCONSISTENT ? "code and semaphore disagree"
		: live->state == PROBES_PARTIAL    ? "not all of it agrees"
						   : states[live->state].word);
	for (uint32_t i = 0; i < p->semaphore_count && i < VIEW_INCONSISTENT_SITES; i++) {
		uint32_t value = probes_semaphore_live_at(process->session, member->probe, i);

		if (value == PROBES_NONE)
			continue;
		pager_addf(l, (value > 0) == on ? STYLE_PLAIN : STYLE_WARN,
			"   semaphore %u of %u at 0x%llx: %u", i + 1, p->semaphore_count,
			(unsigned long long)p->semaphores[i].address, value);
	}
	if (live->sites_on == PROBES_NONE)
		return;
	snprintf(text, sizeof text, "%u of %u site%s on; the semaphore says that %s should be",
		live->sites_on, p->site_count, p->site_count == 1 ? " is" : "s are",
		!on                  ? "none"
		: p->site_count == 1 ? "it"
				     : "all");
	pager_wrap(l, STYLE_PLAIN, "   ", text, a->columns);
	if (view_inconsistent_is(live->state))
		view_inconsistent_sites(l, process->session, member->probe, on);
}

static void view_inconsistent_ways(struct app *a, const struct row *r)
{
	struct pager *l = &a->text.pager;
	const char *cause =
		r->state == PROBES_INCONSISTENT
			? "Two readings agree, so it was not caught in the middle of a switch. A "
			  "tracer was probably killed or went away between its writes, or somebody "
			  "wrote by hand."
			: "Its sites, counts or processes differ: switched in some processes only, "
			  "or a tracer went away between its writes, or somebody wrote by hand.";
	char repair[200];

	pager_addf(l, STYLE_PLAIN, "%s", "");
	pager_wrap(l, STYLE_PLAIN, " ", cause, a->columns);
	pager_addf(l, STYLE_TITLE, " What can be done (each asks first, u undoes it)");
	if (view_inconsistent_keeps_counts(r))
		snprintf(repair, sizeof repair,
			"repair, as the semaphore says: every site on; the semaphore stays as it "
			"is");
	else if (view_inconsistent_count_says_on(r))
		snprintf(repair, sizeof repair,
			"repair, as the semaphore says: every site on%s; the probe is then on",
			r->ref_max > 1 ? ", and the semaphore 1: what others added is lost" : "");
	else
		snprintf(repair, sizeof repair,
			"repair, as the semaphore says: every site off; the probe is then off");
	pager_wrap(l, STYLE_PLAIN, "  y  ", repair, a->columns);
	pager_wrap(l, STYLE_PLAIN, "  e  ",
		"force it on: the semaphore becomes 1, every site calls its handler", a->columns);
	pager_wrap(l, STYLE_PLAIN, "  d  ",
		"force it off: the semaphore becomes 0, no site calls its handler; other tools "
		"that enabled it lose it",
		a->columns);
	pager_wrap(l, STYLE_PLAIN, " ",
		"What a killed session of probes-tui left is undone exactly by: probes-tui repair",
		a->columns);
}

static void view_inconsistent_build(struct app *a)
{
	const struct row *r = &a->model.rows[a->text.row];
	struct model_member member;
	uint32_t at = r->member;

	view_text_begin(a, "What disagrees in %s", r->label);
	while (model_next(&a->model, &at, &member))
		view_inconsistent_process(a, &member);
	if (view_inconsistent_is(r->state))
		view_inconsistent_ways(a, r);
	else
		pager_addf(&a->text.pager, STYLE_TITLE, " Nothing disagrees now: it is %s.",
			states[r->state].word);
}

const struct view_ops view_inconsistent_ops = {
	VIEW_TEXT_OPS,
	.where = IN_INCONSISTENT,
	.build = view_inconsistent_build,
	.refresh = view_inconsistent_build,
	.row = view_text_row,
	.write = view_text_write,
};
