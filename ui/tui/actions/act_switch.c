/*
 * Switching probes: which rows are meant, whether to ask first, what came of it.
 */
#include "ui/tui/actions/act_switch.h"

#include "ui/tui/app/workers.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/views/preview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACT_SWITCH_ASK_SITES 50 /* more are asked about */

/* ---------------------------------------------------------------- what is meant */

void act_switch_forget(struct app *a)
{
	free(a->pending.first);
	free(a->pending.second);
	if (a->pending.command)
		options_done(a->pending.command);
	free(a->pending.command);
	a->pending = (struct app_pending){0};
}

void act_switch_mean_one(struct app_pending *p, uint32_t id)
{
	p->first = mem_array(1, sizeof *p->first);
	p->first[0] = id;
	p->first_count = 1;
	p->named = true;
}

/* The row of the detail view; else the tagged rows; else the group or row under the cursor. */
static bool act_switch_mean(struct app *a, enum probes_verb verb)
{
	struct app_pending *p = &a->pending;
	const struct group *group = list_group(&a->list);
	uint32_t id = a->view == VIEW_DETAIL ? a->detail : list_current(&a->list);

	act_switch_forget(a);
	p->verb = verb;
	if (a->view != VIEW_DETAIL && a->model.tagged) {
		p->first = mem_array(a->model.tagged, sizeof *p->first);
		for (size_t i = 0; i < a->list.sorted_count; i++) {
			if (a->model.rows[a->list.sorted[i]].tag)
				p->first[p->first_count++] = a->list.sorted[i];
		}
	} else if (a->view != VIEW_DETAIL && group) {
		p->first = list_group_rows(&a->list, group, &p->first_count);
	} else if (id != ROWLIST_NONE) {
		act_switch_mean_one(p, id);
	} else {
		app_complain(a, "nothing to switch: no probe is shown%s",
			a->list.filter_text[0] ? " (\\ changes the filter)" : "");
	}
	return p->first_count > 0;
}

static struct operation_plan act_switch_plan(
	const struct app_pending *p, struct operation_step steps[2], bool dry_run)
{
	steps[0] = (struct operation_step){p->verb, p->first, p->first_count};
	steps[1] = (struct operation_step){p->verb, p->second, p->second_count};
	return (struct operation_plan){.steps = steps,
		.count = 1 + (p->second_count > 0),
		.named = p->named,
		.force = p->force,
		.pair = p->pair,
		.command = p->command,
		.text = p->text,
		.dry_run = dry_run};
}

/* ---------------------------------------------------------------- doing it */

void act_switch_audit(struct app *a, const char *verb, const struct operation *d)
{
	struct probes_error e = {0};

	for (size_t i = 0; i < d->count && i < a->model.process_count; i++) {
		if (d->results[i] && audit_note(&a->audit, verb, a->model.processes[i].session,
					     d->results[i], &e) < 0)
			text_clean(e.why, a->notice, sizeof a->notice);
	}
}

/* The result line of a deed; e belongs to status. */
static void act_switch_report(struct app *a, const char *prefix, const struct operation *d,
	int status, const struct probes_error *e)
{
	char said[400], before[800];

	if (status < 0 && !d->sum.processes) {
		snprintf(
			before, sizeof before, "%s%s FAILED, nothing was changed", prefix, d->what);
		app_say_error(a, before, e);
		return;
	}
	operation_say(&d->sum, said, sizeof said);
	if (status < 0) {
		snprintf(before, sizeof before, "%s%s: %s; FAILED in %zu processes", prefix,
			d->what, said, d->sum.failed_processes);
		app_say_error(a, before, e);
		return;
	}
	app_say(a, "%s%s: %s.%s%s%s", prefix, d->what, said,
		operation_wrote(d) ? (*prefix == 'u' ? " ^R=redo" : " u=undo") : "",
		a->notice[0] ? " " : "", a->notice);
	a->message_bad = !operation_wrote(d);
}

static void act_switch_do(struct app *a)
{
	struct operation_step steps[2];
	struct operation_plan plan = act_switch_plan(&a->pending, steps, false);
	struct probes_error e = {0};
	struct operation *d;
	int status;

	a->notice[0] = '\0';
	workers_look(a); /* what children took along is told by what is on until now */
	status = operation_do(&a->model, &plan, &d, &e);
	act_switch_audit(a, "screen", d);
	record_operation(&a->record, &a->model, "", d);
	app_refresh(a, true);
	act_switch_report(a, "", d, status, &e);
	if (operation_wrote(d))
		history_add(&a->history, d);
	else
		operation_free(d);
	act_switch_forget(a);
}

/* ---------------------------------------------------------------- asking first */

static size_t act_switch_sites(const struct model *m, const struct operation *d)
{
	size_t sites = 0;

	for (size_t i = 0; i < d->count; i++) {
		const struct probes_result *r = d->results[i];

		for (size_t j = 0; r && j < r->item_count; j++) {
			if (r->items[j].outcome == PROBES_DONE)
				sites += probes_at(m->processes[i].session, r->items[j].probe)
						 ->site_count;
		}
	}
	return sites;
}

/* Of what a command line chose: that which another party holds. */
static size_t act_switch_foreign_items(const struct model *m, const struct operation *dry)
{
	size_t foreign = 0;

	for (size_t i = 0; i < dry->count; i++) {
		const struct probes_result *r = dry->results[i];

		for (size_t j = 0; r && j < r->item_count; j++) {
			struct row one;

			row_clear(&one);
			row_add(&one, probes_live_at(m->processes[i].session, r->items[j].probe),
				0);
			if (r->items[j].outcome == PROBES_DONE)
				foreign += one.state == PROBES_FOREIGN ||
					   (r->items[j].verb == PROBES_DISABLE &&
						   row_held_by_others(&one));
		}
	}
	return foreign;
}

/* How many of the rows meant another party holds in a way that this would disturb. */
static size_t act_switch_foreign(const struct app *a, const struct operation *dry)
{
	const struct app_pending *p = &a->pending;
	size_t foreign = 0;

	if (p->command)
		return act_switch_foreign_items(&a->model, dry);

	for (size_t i = 0; i < p->first_count + p->second_count; i++) {
		const struct row *r =
			&a->model.rows[i < p->first_count ? p->first[i]
							  : p->second[i - p->first_count]];

		foreign += r->state == PROBES_FOREIGN ||
			   (p->verb == PROBES_DISABLE && row_held_by_others(r));
	}
	return foreign;
}

/* Tagged, to be switched, but not on the screen now. */
static size_t act_switch_hidden(const struct app *a)
{
	size_t shown = 0;

	if (a->pending.named || a->pending.second_count || a->pending.command || !a->model.tagged)
		return 0;
	for (size_t i = 0; i < a->list.shown_count; i++)
		shown += a->model.rows[a->list.shown[i]].tag > 0;
	return a->pending.first_count - shown;
}

static bool act_switch_must_ask(struct app *a, const struct operation *dry)
{
	size_t sites = act_switch_sites(&a->model, dry), foreign = act_switch_foreign(a, dry);
	size_t hidden = act_switch_hidden(a);
	size_t n = a->pending.command ? dry->sum.done
				      : a->pending.first_count + a->pending.second_count;

	if (sites <= ACT_SWITCH_ASK_SITES && !foreign && !hidden && !a->pending.force)
		return false;
	snprintf(a->asked, sizeof a->asked, "%s%s %zu probe%s, %zu site%s?",
		a->pending.force ? "By force: " : "",
		a->pending.command                 ? "Switch"
		: a->pending.verb == PROBES_ENABLE ? "Switch ON"
						   : "Switch OFF",
		n, n == 1 ? "" : "s", sites, sites == 1 ? "" : "s");
	if (foreign)
		text_addf(a->asked, sizeof a->asked, " %zu held by another party.", foreign);
	if (hidden)
		text_addf(a->asked, sizeof a->asked, " %zu tagged but not shown.", hidden);
	text_addf(a->asked, sizeof a->asked, " Type y to do it; Enter: no.");
	return true;
}

void act_switch_begin(struct app *a)
{
	struct operation_step steps[2];
	struct operation_plan plan = act_switch_plan(&a->pending, steps, true);
	struct probes_error e = {0};
	struct operation *dry;
	int status;

	app_refresh(a, true); /* decide on what is, not on what was a second ago */
	status = operation_do(&a->model, &plan, &dry, &e);
	if (status < 0 && !dry->sum.processes) {
		act_switch_report(a, "", dry, status, &e);
		act_switch_forget(a);
	} else if (act_switch_must_ask(a, dry)) {
		a->question = ASK_DO;
	} else {
		act_switch_do(a);
	}
	operation_free(dry);
}

void act_switch_answer(struct app *a, bool yes)
{
	a->question = ASK_NONE;
	if (yes) {
		act_switch_do(a);
		return;
	}
	act_switch_forget(a);
	app_say(a, "not done: nothing was changed");
}

void act_switch(struct app *a, enum request r)
{
	if (act_switch_mean(a, r == REQUEST_ON ? PROBES_ENABLE : PROBES_DISABLE))
		act_switch_begin(a);
}

/* ---------------------------------------------------------------- undo */

void act_switch_undo(struct app *a, enum request r)
{
	bool redo = r == REQUEST_REDO;
	const struct operation *last = history_last(&a->history, redo);
	struct probes_error e = {0};
	struct operation *d;
	int status;

	if (!last) {
		app_say(a, "nothing to %s", redo ? "redo" : "undo");
		return;
	}
	a->notice[0] = '\0';
	workers_look(a);
	status = operation_revert(&a->model, last, &d, &e);
	act_switch_audit(a, redo ? "redo" : "undo", d);
	record_operation(&a->record, &a->model, redo ? "redo: " : "undo: ", d);
	app_refresh(a, true);
	act_switch_report(a, redo ? "redone: " : "undone: ", d, status, &e);
	/* A refused undo can succeed once its cause has gone: keep it as the last deed. */
	if ((status < 0 && !d->sum.processes) || (!operation_wrote(d) && d->sum.refused))
		operation_free(d);
	else
		history_reverted(&a->history, redo, d);
}

/* ---------------------------------------------------------------- preview */

void act_switch_preview_add(struct app *a)
{
	struct operation_step steps[2];
	struct operation_plan plan = act_switch_plan(&a->pending, steps, true);

	preview_build(&a->lines, &a->model, &plan, a->columns);
}

void act_switch_preview_show(struct app *a, const char *heading)
{
	act_switch_forget(a);
	snprintf(a->heading, sizeof a->heading, "%s", heading);
	a->before = a->view;
	a->view = VIEW_PREVIEW;
	a->lines.top = 0;
	a->left = 0;
}

void act_switch_preview(struct app *a, enum request r)
{
	(void)r;
	pager_clear(&a->lines);
	for (int off = 0; off < 2; off++) {
		if (!act_switch_mean(a, off ? PROBES_DISABLE : PROBES_ENABLE))
			return;
		act_switch_preview_add(a);
	}
	act_switch_preview_show(a, "What e and d would write now (nothing is written)");
}
