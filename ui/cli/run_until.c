/*
 * A process that has ended leaves nothing to undo, which is success; what could not be undone stays
 * recorded for repair.
 */
#include "ui/cli/run_until.h"

#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ui/cli/signals.h"
#include "ui/figures/counting.h"
#include "ui/words/now.h"
#include "ui/words/report.h"
#include "ui/words/states.h"

/* How soon we notice that a process ended or executed another program, which no file descriptor
 * shows; and that it has new threads. */
#define TICK_MS 50

#define UNDO_MS 30000 /* wait for other sessions: no user may be there to try again */

#define LOOK_MS 1000 /* between two searches for forked children */
#define CHILDREN 32  /* that are read in one look for lost jumps */

const char *run_until_seconds(uint64_t ms, char *out, size_t size)
{
	int length = snprintf(
		out, size, "%llu.%03u", (unsigned long long)ms / 1000, (unsigned)(ms % 1000));

	while (out[length - 1] == '0')
		out[--length] = '\0';
	if (out[length - 1] == '.')
		out[--length] = '\0';
	return out;
}

/* Is this child to be named? Else it was added to the sum: hundreds of lines would hide others. */
static bool names_child(
	const struct run_until *h, struct run_until_sum *sum, size_t probes, size_t sites)
{
	if (h->act->options->verbose || !sum->processes++)
		return !h->act->options->quiet;
	sum->probes += probes;
	sum->sites += sites;
	return false;
}

static void put_born(struct run_until *h, pid_t pid, size_t count)
{
	if (names_child(h, &h->born, count, 0))
		report_line("pid %d: forked child, inherited %zu %s probe%s", pid, count, h->held,
			count == 1 ? "" : "s");
}

static void put_sums(const struct run_until *h)
{
	struct probes_result undone = {.done = h->undone_in.probes, .sites = h->undone_in.sites};
	size_t born = h->born.processes, back = h->undone_in.processes;
	char done[64];

	if (h->act->options->quiet)
		return;
	if (born > 1)
		report_line("%zu more forked child%s inherited %s probes (-verbose names each)",
			born - 1, born == 2 ? "" : "ren", h->held);
	if (back > 1)
		report_line("%zu more forked child%s %s: %s in total", back - 1,
			back == 2 ? "" : "ren", h->undone,
			explain_done(&undone, done, sizeof done));
}

/* Without descriptors or memory to open a child, it may keep the changes: report that once. */
static void put_short(const struct probes_error *e)
{
	static bool said;

	if (!said && probes_is_shortage(e))
		report_error(e);
	said = said || probes_is_shortage(e);
}

static void born(void *data, const struct probes_member *child)
{
	if (!child->session)
		put_short(&child->error);
	else
		put_born(data, child->pid, child->inherited);
}

/* Forked children inherited the changes: they are undone with the others. */
void run_until_look(struct run_until *h)
{
	struct probes_error e;

	if (probes_group_look(h->group, false, SIZE_MAX, born, h, &e) < 0)
		put_short(&e);
	h->look = now_ms() + LOOK_MS;
}

bool run_until_goes_on(const struct run_until *h)
{
	return h->watches || probes_group_holds(h->group);
}

int run_until_wait(struct run_until *h, int64_t end)
{
	sigset_t set = signals_ending(h->child);

	for (int64_t now = now_ms(); now < end && run_until_goes_on(h); now = now_ms()) {
		int64_t left = end - now, nap = left < TICK_MS ? left : TICK_MS;
		struct timespec t = {0, nap * 1000000};
		int sig = sigtimedwait(&set, NULL, &t);

		if (sig > 0 && sig != SIGCHLD)
			return sig;
		if (now >= h->look)
			run_until_look(h);
	}
	return 0;
}

static void undone(void *data, struct probes_undone *u)
{
	struct run_until *h = data;
	const struct options *o = h->act->options;
	const struct probes_member *t = u->member;
	const struct probes_result *r = u->error ? NULL : u->result;
	bool stuck = r && r->not_done;
	int status = PROBES_OK;
	char done[64], end[512];

	if (u->newborn && u->probes)
		put_born(h, t->pid, u->probes);
	if (u->error && u->error->status != PROBES_GONE) {
		status = explain_error(t, u->error, h->act->many);
		stuck = !u->newborn; /* else the error says it */
	} else if (u->error && !o->quiet && (!t->child || o->verbose)) {
		report_line("pid %d: the process %s; nothing is left to undo", t->pid,
			states_end(u->error->why, end, sizeof end));
	} else if (r) {
		status = act_note(h->act, h->undo, t, r);
	}
	if (r && r->done &&
		(t->child ? names_child(h, &h->undone_in, r->done, r->sites) : !o->quiet))
		report_line(
			"pid %d: %s: %s", t->pid, h->undone, explain_done(r, done, sizeof done));
	if (r && r->skipped && !o->quiet) { /* their library was unloaded */
		const struct probes_item *first = r->items;
		const struct probes_probe *p;

		while (first->outcome != PROBES_SKIPPED)
			first++;
		p = probes_at(t->session, first->probe);
		report_line("pid %d: left alone: %zu probe%s (%s:%s%s): %s", t->pid, r->skipped,
			r->skipped == 1 ? "" : "s", p->provider, p->name,
			r->skipped == 1 ? "" : ", ...", first->why);
	}
	if (r && r->not_done) {
		explain_items(t, r, o, false);
		status = PROBES_FAILED;
	}
	if (stuck)
		report_line("pid %d: some of what was %s remains; once the cause is gone, "
			    "undo it with: probes-tui repair -pid %d",
			t->pid, h->held, t->pid);
	explain_count(&h->tally, status);
}

/* A process that was killed, or runs another program, is not measured to the end. */
static void look_at_ends(struct run_until *h)
{
	for (size_t i = 0; i < probes_group_count(h->group); i++) {
		const struct probes_member *t = probes_group_at(h->group, i);
		int sig = 0;
		enum probes_end end = t->session ? probes_end(t->session, &sig) : PROBES_END_NONE;

		if (!t->session)
			continue;
		if (end == PROBES_END_SIGNAL && !h->child)
			report_line("pid %d: signal %d (%s) ended the process; results stop "
				    "there",
				t->pid, sig, strsignal(sig));
		else if (end == PROBES_END_EXEC)
			report_line("pid %d: the process is now running another program (exec), "
				    "which is not %s; results stop there",
				t->pid, h->held);
		if (end != PROBES_END_NONE && probes_misses_end(t->session))
			report_line(
				"pid %d: an earlier session made the counters; hits of the last "
				"moment before the process ended may be missing",
				t->pid);
		explain_count(
			&h->ends, end == PROBES_END_EXEC || (end == PROBES_END_SIGNAL && !h->child)
					  ? PROBES_GONE
					  : PROBES_OK);
	}
}

uint32_t run_until_lost(const struct run_until *h, const struct probes_member *member, size_t probe)
{
	const struct probes_probe *p = probes_at(member->session, probe);
	uint32_t lost = 0;

	for (uint32_t k = 0; k < p->site_count; k++) {
		struct counting_site one = {member->pid, p->sites[k].address};

		lost += tfind(&one, &h->lost, counting_site_compare) != NULL;
	}
	return lost;
}

void run_until_done(struct run_until *h)
{
	tdestroy(h->lost, free);
	h->lost = NULL;
}

/* Keep that a site has lost its jump. Was that not known? */
static bool keep_lost(struct run_until *h, const struct probes_member *t, size_t probe, uint32_t k)
{
	pid_t shared = probes_site_hits_at(t->session, probe, k).shared;
	struct counting_site *one = malloc(sizeof *one), **at;

	if (!one)
		return false;
	*one = (struct counting_site){t->pid, probes_at(t->session, probe)->sites[k].address};
	for (size_t i = 0; shared > 0 && i < probes_group_count(h->group); i++)
		if (probes_group_at(h->group, i)->pid == shared)
			one->pid = shared;
	at = tsearch(one, &h->lost, counting_site_compare);
	if (!at || *at != one) {
		free(one);
		return false;
	}
	h->lost_count++;
	return true;
}

/*
 * Keep which sites of a process have lost their jump. Returns how many have; 0, too, where all of
 * them are known. *first: the probe of one. Of a process that has ended, the last reading decides.
 */
static size_t look_at_sites(
	struct run_until *h, const struct probes_member *t, bool last, size_t *first)
{
	size_t lost = 0, before = h->lost_count;
	struct probes_error e;

	last = probes_refresh(t->session, NULL, 0, &e) == 0 && last;
	if (!probes_lost_sites(t->session, first))
		return 0;
	for (size_t i = 0; i < probes_count(t->session); i++)
		for (uint32_t k = 0; k < probes_at(t->session, i)->site_count; k++) {
			if (last && !t->child ? !probes_site_lost(t->session, i, k)
					      : !counting_child_lost(t->session, i, k, last))
				continue;
			*first = lost++ ? *first : i;
			keep_lost(h, t, i, k);
		}
	return h->lost_count > before ? lost : 0;
}

/* What is measured no longer, since another party took the jump away. */
static void look_at_members(struct run_until *h, bool last)
{
	for (size_t i = 0; i < probes_group_count(h->group); i++) {
		const struct probes_member *t = probes_group_at(h->group, i);
		const struct probes_probe *p;
		size_t first, lost = t->session ? look_at_sites(h, t, last, &first) : 0;

		if (!lost)
			continue;
		p = probes_at(t->session, first);
		report_line(
			"pid %d: the jumps of %zu site%s (%s:%s%s) are gone: another program or "
			"session removed them, or the library was reloaded; hits since then "
			"are missing",
			t->pid, lost, lost == 1 ? "" : "s", p->provider, p->name,
			lost == 1 ? "" : ", ...");
		explain_count(&h->ends, PROBES_FAILED);
	}
}

/* The same of forked children, whose hits are among those of their parents: the first is named. Of
 * many, each look reads some; the last one all. */
static void look_at_children(struct run_until *h, bool last)
{
	h->next = last ? 0 : h->next;
	for (size_t i = 0; last || i < CHILDREN; i++) {
		const struct probes_member *t = probes_group_child(h->group, h->next);
		const struct probes_probe *p;
		size_t first;

		h->next = t ? h->next + 1 : 0;
		if (!t)
			break;
		if (!look_at_sites(h, t, last, &first) || h->child_lost)
			continue;
		p = probes_at(t->session, first);
		report_line("pid %d: a jump of %s:%s is gone in this forked child: another program "
			    "or session removed it; its hits since then are missing",
			t->pid, p->provider, p->name);
		explain_count(&h->ends, PROBES_FAILED);
		h->child_lost = true;
	}
}

void run_until_look_at_jumps(struct run_until *h, bool last)
{
	if (h->looks)
		return;
	look_at_members(h, last);
	look_at_children(h, last);
}

void run_until_undo(struct run_until *h)
{
	struct probes_error e;

	if (h->measures)
		look_at_ends(h);
	if (!h->looks)
		run_until_look(h);
	if (h->measures)
		run_until_look_at_jumps(h, true);
	if (probes_group_restore(h->group, UNDO_MS, undone, h, &e) < 0)
		explain_count(&h->tally, report_error(&e));
	put_sums(h);
}
