/*
 * The verb repair: undo what interrupted sessions left in running processes.
 *
 * Owns the line that says what was undone. Nothing to repair is success, even
 * if nothing could be written; a record that cannot be checked is a failure.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "ui/cli/act.h"
#include "ui/cli/explain.h"
#include "ui/cli/verbs.h"
#include "ui/output/outbuf.h"

static void put_undone(const struct probes_member *t, const struct probes_leftover *left,
	size_t count, const struct probes_result *result)
{
	char done[64], who[160]; /* "session 12", "sessions 12, 14"; cut where it is full */
	int used = snprintf(who, sizeof who, "%s",
		!left[0].owner ? "a session that has ended"
		: count == 1   ? "session"
			       : "sessions");

	for (size_t i = 0; i < count && used < (int)sizeof who; i++)
		if (left[i].owner)
			used += snprintf(who + used, sizeof who - (size_t)used, "%s %d",
				i ? "," : "", left[i].owner);
		else if (i)
			used += snprintf(
				who + used, sizeof who - (size_t)used, " and one that has ended");
	if (result && result->not_done)
		report_line("pid %d: %zu probe%s could not be repaired now; call repair again when "
			    "the cause is gone",
			t->pid, result->not_done, result->not_done == 1 ? "" : "s");
	else if (!result || !result->edit_count)
		report_line("pid %d: %s left nothing that had to be undone", t->pid, who);
	else
		report_line("pid %d: undid what %s left behind: %s", t->pid, who,
			explain_done(result, done, sizeof done));
}

/* No session left anything. What is inconsistent nevertheless, somebody else left. */
static void put_nothing(const struct probes_member *t)
{
	size_t bad = 0, total = probes_count(t->session);
	struct probes_error e;

	if (probes_refresh(t->session, NULL, 0, &e) < 0)
		total = 0;
	for (size_t i = 0; i < total; i++)
		bad += probes_live_at(t->session, i)->state == PROBES_INCONSISTENT;
	if (!bad)
		report_line("pid %d: nothing to repair", t->pid);
	else
		report_line("pid %d: no session left anything to repair, but %zu probe%s "
			    "inconsistent: ! on the screen explains and repairs that; attach "
			    "-force repairs it, too",
			t->pid, bad, bad == 1 ? " is" : "s are");
}

/* A living session keeps its changes and undoes them itself. Returns whether one is dying: that one
 * undoes nothing. */
static bool put_holders(
	const struct probes_member *t, const struct probes_other *all, size_t count, bool quiet)
{
	bool dying = false;

	for (size_t i = 0; i < count; i++) {
		dying = dying || all[i].dying;
		if (quiet)
			continue;
		if (all[i].dying)
			report_line(
				"pid %d: session %d (%s) is ending, and no longer undoes anything: "
				"call repair again when process %d is gone",
				t->pid, (int)all[i].pid, all[i].name, (int)all[i].pid);
		else if (all[i].elsewhere)
			report_line("pid %d: a session in another pid namespace (process %d there) "
				    "is alive: it undoes what it changed when it ends",
				t->pid, (int)all[i].pid);
		else
			report_line("pid %d: session %d (%s) is alive and holds what it changed: "
				    "it undoes that when it ends",
				t->pid, (int)all[i].pid, all[i].name);
	}
	return dying;
}

/* Where output was asked for there is some, also of nothing. */
static int tell(struct act *a, const struct probes_member *t, const struct probes_result *result)
{
	static const struct probes_result nothing;

	return act_tell(a, t, result ? result : &nothing);
}

static int repair_left(struct act *a, const struct probes_member *t,
	const struct probes_leftover *left, size_t count)
{
	struct probes_result *result;
	struct probes_error e;
	bool done = probes_repair(t->session, &result, &e) == 0;
	int status = PROBES_OK, told;

	if (result && !a->options->quiet)
		explain_items(t, result, a->options, false);
	if (!done)
		status = explain_error(t, &e, a->many);
	else if (!a->options->quiet)
		put_undone(t, left, count, result);
	/* What the first of several journals recorded is undone, also where the second failed. */
	told = tell(a, t, result);
	if (!status)
		status = told;
	if (!status && result && (result->not_done || result->still_raised))
		status = PROBES_FAILED;
	probes_result_free(result);
	return status;
}

/* Forked children that inherited the changes, and that no session knew. */
struct repair_children {
	struct act *act;
	int status;
	size_t named; /* members; those behind them are children that were found */
	pid_t *told;  /* those that were reported */
	size_t count;
};

static bool was_told(const struct repair_children *c, pid_t pid)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->told[i] == pid)
			return true;
	return false;
}

/* Children with records of their own, which nobody named: they become members. But what remains of
 * those that were reported was said. */
static int add_heirs(struct probes_group *g, const struct probes_member *t,
	const struct repair_children *c, size_t *added)
{
	struct probes_error e;
	size_t count, at;
	pid_t *heirs;
	int r = probes_heirs(t->session, &heirs, &count, &e);

	for (size_t i = 0; r == 0 && i < count; i++) {
		if (was_told(c, heirs[i]))
			continue;
		for (at = 0; at < probes_group_count(g); at++)
			if (probes_group_at(g, at)->pid == heirs[i])
				break;
		*added += at == probes_group_count(g);
		if (at == probes_group_count(g))
			r = probes_group_open(g, &heirs[i], 1, false, &e);
	}
	free(heirs);
	return r < 0 ? report_error(&e) : PROBES_OK;
}

static int repair_one(
	struct repair_children *c, struct probes_group *g, const struct probes_member *t)
{
	struct act *a = c->act;
	struct probes_leftover *left;
	struct probes_other *others;
	struct probes_error e;
	size_t count, alive, judged = 0, heirs = 0;
	int status, looked = PROBES_OK;
	bool dying;

	if (!t->session)
		return explain_error(t, &t->error, a->many);
	if (probes_leftovers(t->session, &left, &count, &e) < 0)
		return explain_error(t, &e, a->many);
	if (probes_others(t->session, &others, &alive, &e) < 0) {
		free(left);
		return explain_error(t, &e, a->many);
	}
	for (size_t i = 0; i < count; i++)
		if (!*left[i].unjudged)
			left[judged++] = left[i];
		else
			report_line("pid %d: changes may remain: could not check %s", t->pid,
				left[i].unjudged);
	dying = put_holders(t, others, alive, a->options->quiet);
	/* A search has found them. */
	if (!count && !options_search(a->options))
		looked = add_heirs(g, t, c, &heirs);
	if (!a->options->quiet && !alive && !count && !heirs)
		put_nothing(t);
	status = judged ? repair_left(a, t, left, judged) : tell(a, t, NULL);
	free(left);
	free(others);
	status = status ? status : looked;
	return status || (judged == count && !dying) ? status : PROBES_FAILED;
}

static void repaired_child(void *data, struct probes_undone *u)
{
	struct repair_children *c = data;
	const struct probes_result *r = u->result;
	pid_t *told = reallocarray(c->told, c->count + 1, sizeof *told);
	int status = told ? PROBES_OK : PROBES_FAILED;
	char done[64];

	c->told = told ? told : c->told;
	if (told)
		told[c->count++] = u->member->pid;
	else
		report_line("out of memory");
	if (r && !status)
		status = act_note(c->act, "repair", u->member, r);
	if (r && !c->act->options->quiet) {
		explain_items(u->member, r, c->act->options, false);
		report_line("pid %d: forked child: undid what it inherited: %s", u->member->pid,
			explain_done(r, done, sizeof done));
	}
	if (!status && r && (r->not_done || r->still_raised))
		status = PROBES_FAILED;
	if (u->error)
		status = explain_error(u->member, u->error, c->act->many);
	c->status = c->status ? c->status : status;
}

static void sweep(struct probes_group *g, struct repair_children *c)
{
	struct probes_error e;
	sigset_t before;
	int status;

	act_hold_signals(&before);
	status = probes_group_sweep(g, repaired_child, c, &e) < 0 ? report_error(&e) : PROBES_OK;
	c->status = c->status ? c->status : status;
	act_restore_signals(&before);
}

/* From this member on, to the last one, which may be one that is found meanwhile. The output of one
 * process has no room for a child that was found, nor is it printed of those that are swept. */
static void repair_from(
	struct repair_children *c, struct probes_group *g, size_t first, struct tally *tally)
{
	bool printing = c->act->printing;

	for (size_t i = first; i < probes_group_count(g); i++) {
		sigset_t before;

		c->act->printing = printing && (c->act->many || i < c->named);
		act_hold_signals(&before);
		explain_count(tally, repair_one(c, g, probes_group_at(g, i)));
		act_restore_signals(&before);
	}
	c->act->printing = printing;
}

int repair_run(const struct options *o)
{
	struct report_volume volume;
	struct probes_options engine = targets_engine(o, &volume);
	struct act a;
	struct repair_children c = {.act = &a};
	struct probes_group *group;
	struct tally tally = {.found = options_search(o)};
	struct probes_error e;
	size_t members, added = 0;
	int status;

	outbuf_outlive();
	status = act_begin(&a, "repair", o, stdout, options_many(o));
	if (status)
		return status;
	if (targets_open(&group, o, &engine, &e) < 0)
		return act_end(&a, report_error(&e));
	c.named = probes_group_count(group);
	repair_from(&c, group, 0, &tally);
	sweep(group, &c);
	/* What a session counted in a child that is older than its changes, nobody inherited. */
	members = probes_group_count(group);
	for (size_t i = 0; !options_search(o) && i < members; i++) {
		const struct probes_member *t = probes_group_at(group, i);
		int looked = t->session ? add_heirs(group, t, &c, &added) : PROBES_OK;

		c.status = c.status ? c.status : looked;
	}
	if (added) {
		repair_from(&c, group, members, &tally);
		sweep(group, &c);
	}
	probes_group_close(group);
	free(c.told);
	/* A process is not repaired as long as a child of it is not. */
	if (c.status && tally.good) {
		tally.good--;
		explain_count(&tally, c.status);
	}
	return act_end(&a, explain_status(&tally));
}
