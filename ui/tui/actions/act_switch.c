/*
 * Switching probes: which rows are meant, whether to ask first, what came of it.
 */
#include "ui/tui/actions/act.h"

#include "ui/tui/app/new_children.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/views/view.h"
#include "ui/words/states.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACT_SWITCH_ASK_SITES 50   /* ask before switching more */
#define ACT_SWITCH_SLIPPED_MS 400 /* a key so soon after the row has moved means another row */
/* What can be done with probes that have no switch. */
#define ACT_SWITCH_OTHERS "; H counts its hits, y shows how bpftrace, perf or gdb can trace it"

/* ---------------------------------------------------------------- what is meant */

void act_switch_forget(struct app *a)
{
	free(a->pending.first);
	free(a->pending.second);
	free(a->pending.begun.rows);
	free((char *)a->pending.ask.where);
	if (a->pending.command)
		options_done(a->pending.command);
	free(a->pending.command);
	a->pending = (struct app_pending){0};
}

void act_switch_finish(struct app *a)
{
	if (a->pending.then == THEN_MEASURE)
		act_latency_begin(a);
	else if (a->pending.then == THEN_EVENTS)
		act_events_begin(a);
	act_switch_forget(a);
}

bool act_switch_prepare(struct app *a, struct app_selection s, enum probes_verb verb)
{
	struct pairs_one pair;

	if (s.pair && (verb == PROBES_ENABLE || verb == PROBES_DISABLE)) {
		pair = *s.pair;
		free(s.rows);
		return act_pair_plan(a, &pair, verb == PROBES_DISABLE);
	}
	act_switch_forget(a);
	a->pending.verb = verb;
	a->pending.first = s.rows;
	a->pending.first_count = s.count;
	a->pending.named = s.named;
	return s.count > 0;
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
		.keep = p->keep,
		.pair = p->pair,
		.stop = p->stop,
		.kernel = p->kernel,
		.command = p->command,
		.text = p->text,
		.dry_run = dry_run};
}

/* ---------------------------------------------------------------- doing it */

void act_switch_audit(struct app *a, const char *verb, const struct operation *op)
{
	struct probes_error e = {0};

	for (size_t i = 0; i < op->count && i < a->model.process_count; i++) {
		if (op->results[i] && audit_note(&a->audit, verb, a->model.processes[i].session,
					      op->results[i], &e) < 0)
			text_clean(e.why, a->message.notice, sizeof a->message.notice);
	}
}

/* Report an operation in the result line; e belongs to status. */
static void act_switch_report(struct app *a, const char *prefix, const struct operation *op,
	int status, const struct probes_error *e)
{
	const char *others = op->sum.skips[PROBES_SKIP_NO_SWITCH]  ? ACT_SWITCH_OTHERS
			     : op->sum.skips[PROBES_SKIP_COUNTING] ? "; H ends that"
								   : "";
	char said[400], before[800];
	bool failed = status < 0 && status != -EALREADY;

	if (failed && !op->sum.processes) {
		struct probes_error here = *e;

		if (op->sum.force_helps)
			snprintf(here.hint, sizeof here.hint, "! explains and repairs it");
		else if (*others)
			snprintf(here.hint, sizeof here.hint, "%s", others + strlen("; "));
		snprintf(before, sizeof before, "%s%s: nothing was changed", prefix, op->what);
		app_say_error(a, before, &here);
		return;
	}
	if (status < 0 && !op->sum.processes) { /* nothing was to be done */
		app_say(a, "%s%s: %s%s", prefix, op->what, text_clean(e->why, said, sizeof said),
			others);
		return;
	}
	operation_say(&op->sum, said, sizeof said);
	if (failed) {
		snprintf(before, sizeof before, "%s%s: %s; failed in %zu process%s", prefix,
			op->what, said, op->sum.failed_processes,
			op->sum.failed_processes == 1 ? "" : "es");
		app_say_error(a, before, e);
		return;
	}
	app_say(a, "%s%s: %s%s.%s%s%s", prefix, op->what, said, operation_wrote(op) ? "" : others,
		!operation_wrote(op)                        ? ""
		: *prefix == 'u'                            ? " ^R=redo"
		: op->sum.counted > 1 && op->sum.sites_left ? " u=undo i=why"
							    : " u=undo",
		a->message.notice[0] ? " " : "", a->message.notice);
	/* Of many, the detail of each says it. */
	if (op->sum.counted == 1 && *operation_left(&a->model, op, said, sizeof said))
		text_addf(a->message.text, sizeof a->message.text, " Left out: %s.", said);
	a->message.bad = op->sum.refused && !operation_wrote(op);
}

void act_switch_do(struct app *a)
{
	struct operation_step steps[2];
	struct operation_plan plan = act_switch_plan(&a->pending, steps, false);
	struct probes_error e = {0};
	struct operation *op;
	int status;

	a->message.notice[0] = '\0';
	new_children_look(a); /* children are recognized by the states before the switch */
	status = operation_do(&a->model, &plan, &op, &e);
	act_switch_audit(a, "screen", op);
	if (!a->pending.then) /* else what follows is recorded */
		script_operation(&a->script, &a->model, "", op);
	app_refresh(a, true);
	act_switch_report(a, "", op, status, &e);
	op->continues = a->pending.continues;
	if (!act_count_ask(a, op))
		act_switch_finish(a);
	if (operation_wrote(op))
		history_add(&a->history, op);
	else
		operation_free(op);
}

/* ---------------------------------------------------------------- asking first */

/* What a question is about: rows that would be switched, their sites, and those taken from others.
 */
struct act_switch_stake {
	size_t probes, sites, others;
};

/* What a dry run would switch in a process: its items by probe, else NULL. The caller frees. */
static const struct probes_item **act_switch_chosen(
	const struct probes_session *s, const struct probes_result *r)
{
	const struct probes_item **chosen = mem_array(probes_count(s) + 1, sizeof *chosen);

	for (size_t i = 0; r && i < r->item_count; i++)
		if (r->items[i].outcome == PROBES_DONE)
			chosen[r->items[i].probe] = &r->items[i];
	return chosen;
}

static struct act_switch_stake act_switch_stake(
	const struct model *m, const struct app_pending *p, const struct operation *dry)
{
	const struct probes_item ***chosen = mem_array(m->process_count, sizeof *chosen);
	size_t n = p->command ? m->row_count : p->first_count + p->second_count;
	struct act_switch_stake stake = {0};
	struct model_member member;

	for (size_t i = 0; i < m->process_count; i++)
		chosen[i] = act_switch_chosen(m->processes[i].session, dry->results[i]);
	for (size_t i = 0; i < n; i++) {
		uint32_t id = p->command           ? (uint32_t)i
			      : i < p->first_count ? p->first[i]
						   : p->second[i - p->first_count];
		bool any = false, loses = false;

		for (uint32_t at = m->rows[id].member; model_next(m, &at, &member);) {
			struct probes_session *s = m->processes[member.process].session;
			const struct probes_item *item = chosen[member.process][member.probe];
			struct row one;

			if (!item)
				continue;
			any = true;
			stake.sites += probes_at(s, member.probe)->site_count;
			row_clear(&one);
			row_add(&one, probes_live_at(s, member.probe), 0);
			loses |= row_loses(&one, item->verb, dry->force);
		}
		stake.probes += any;
		stake.others += loses;
	}
	for (size_t i = 0; i < m->process_count; i++)
		free(chosen[i]);
	free(chosen);
	return stake;
}

static bool act_switch_must_ask(struct app *a, const struct operation *dry)
{
	static const char *const verbs[] = {[PROBES_ENABLE] = "Switch on",
		[PROBES_DISABLE] = "Switch off",
		[PROBES_COUNT] = "Count the hits of",
		[PROBES_UNCOUNT] = "Stop counting"};
	const struct app_pending *p = &a->pending;
	struct act_switch_stake stake = act_switch_stake(&a->model, p, dry);
	size_t hidden = 0;
	char *text = a->question.text;
	size_t size = sizeof a->question.text;

	if (!p->named && p->then != THEN_MEASURE && !p->second_count && !p->command &&
		a->model.tagged) {
		hidden = p->first_count;
		for (size_t i = 0; i < a->list.shown_count; i++)
			hidden -= a->model.rows[a->list.shown[i]].tag > 0;
	}
	if (!stake.probes || p->unasked ||
		(stake.sites <= ACT_SWITCH_ASK_SITES && !stake.others && !hidden && !p->force))
		return false;
	snprintf(text, size, "%s%s %zu probe%s, %zu site%s?", dry->force ? "By force: " : "",
		p->command ? "Switch" : verbs[p->verb], stake.probes, stake.probes == 1 ? "" : "s",
		stake.sites, stake.sites == 1 ? "" : "s");
	if (stake.others)
		text_addf(text, size, " %zu held by another party.", stake.others);
	if (hidden)
		text_addf(text, size, " %zu tagged but not shown.", hidden);
	text_addf(text, size, " Type y to do it; Enter: no.");
	return true;
}

/* What is forced is meant for what was shown: refuse it where that holds no more. */
static bool act_switch_stale(struct app *a)
{
	const struct app_pending *p = &a->pending;
	const struct row *now = p->force ? &a->model.rows[p->first[0]] : NULL;

	if (!now || !row_differs(now, &p->shown))
		return false;
	app_complain(
		a, "not done: %.80s has changed since it was shown; look at it again", now->label);
	act_switch_forget(a);
	return true;
}

void act_switch_begin(struct app *a)
{
	struct operation_step steps[2];
	struct operation_plan plan = act_switch_plan(&a->pending, steps, true);
	struct probes_error e = {0};
	struct operation *dry;
	int status;

	app_refresh(a, true); /* decide on the states now, not a second ago */
	if (act_switch_stale(a))
		return;
	status = operation_do(&a->model, &plan, &dry, &e);
	if (status < 0 && !dry->sum.processes) {
		act_switch_report(a, "", dry, status, &e);
		if (!act_count_ask(a, dry))
			act_switch_finish(a);
	} else if (act_switch_must_ask(a, dry)) {
		a->question.kind = ASK_DO;
	} else {
		act_switch_do(a);
	}
	operation_free(dry);
}

void act_switch_answer(struct app *a, uint32_t key)
{
	a->question.kind = ASK_NONE;
	if (key == 'y') {
		if (a->pending.force)
			app_refresh(a, true);
		if (!act_switch_stale(a))
			act_switch_do(a);
		return;
	}
	act_switch_forget(a);
	app_say(a, "not done: nothing was changed");
}

bool act_switch_select(struct app *a, struct app_selection *s)
{
	*s = app_selection(a);
	if (s->count && a->view == VIEW_LIST && !s->tagged && a->slipped_ms &&
		a->last_key_ms - a->slipped_ms < ACT_SWITCH_SLIPPED_MS) {
		app_complain(a,
			"nothing was done: another row has just moved under the cursor; press the "
			"key again");
		free(s->rows);
		return false;
	}
	if (!s->count && a->view == VIEW_PAIRS)
		app_complain(a, "no pair is shown");
	else if (!s->count)
		app_complain(a, "nothing to switch: no probe is shown%s",
			filter_text(a->list.filter)[0] ? " (\\ changes the filter)" : "");
	return s->count > 0;
}

void act_switch(struct app *a, enum request r)
{
	struct app_selection s;
	bool off = r == REQUEST_OFF;

	if (!act_switch_select(a, &s))
		return;
	if (act_switch_prepare(a, s, off ? PROBES_DISABLE : PROBES_ENABLE))
		act_switch_begin(a);
	else
		act_pair_say_done(a, off);
}

/* Set an inconsistent probe on or off, or repair it: as its count says. */
void act_switch_force(struct app *a, enum request r)
{
	const struct row *row = &a->model.rows[a->text.row];
	bool on = r == REQUEST_FORCE_ON ||
		  (r == REQUEST_REPAIR && view_inconsistent_count_says_on(row));

	act_switch_prepare(a, app_select(a->text.row), on ? PROBES_ENABLE : PROBES_DISABLE);
	a->pending.force = true;
	a->pending.keep = r == REQUEST_REPAIR && view_inconsistent_keeps_counts(row);
	a->pending.shown = *row;
	act_switch_begin(a);
}

/* ---------------------------------------------------------------- undo */

/*
 * An undo is of the processes that were switched. Children born since, those after the first `from`
 * of the list, have the change still: say so, and what takes it back.
 */
static void act_switch_inheritors(struct app *a, size_t from)
{
	size_t probes,
		inheritors = new_children_inheritors(a, from) + new_children_children(a, &probes);

	if (inheritors)
		text_addf(a->message.notice, sizeof a->message.notice,
			"%sBut %zu forked child%s still hold%s what %s inherited: W takes it "
			"back.",
			a->message.notice[0] ? " " : "", inheritors, inheritors == 1 ? "" : "ren",
			inheritors == 1 ? "s" : "", inheritors == 1 ? "it" : "they");
}

/* True: what was done together with it is to be undone (or redone) as well. */
static bool act_switch_undo_one(struct app *a, bool redo)
{
	const struct operation *last = history_last(&a->history, redo);
	size_t switched = last ? last->count : 0;
	struct probes_error e = {0};
	struct operation *op;
	int status;

	if (!last) {
		app_say(a, "nothing to %s", redo ? "redo" : "undo");
		return false;
	}
	a->message.notice[0] = '\0';
	new_children_look(a);
	status = operation_revert(&a->model, last, &op, &e);
	op->continues = last->continues;
	act_switch_audit(a, redo ? "redo" : "undo", op);
	script_operation(&a->script, &a->model, redo ? "redo: " : "undo: ", op);
	app_refresh(a, true);
	if (!redo)
		act_switch_inheritors(a, switched);
	act_switch_report(a,
		operation_wrote(op) ? redo ? "redone: " : "undone: "
		: redo              ? "not redone: "
				    : "not undone: ",
		op, status, &e);
	/* A refused undo can succeed once its cause has gone: keep it as the last operation. */
	if ((status < 0 && !op->sum.processes) || (!operation_wrote(op) && op->sum.refused)) {
		operation_free(op);
		return false;
	}
	history_reverted(&a->history, redo, op);
	last = redo ? history_last(&a->history, redo) : op;
	return last && last->continues;
}

void act_switch_undo(struct app *a, enum request r)
{
	while (act_switch_undo_one(a, r == REQUEST_REDO))
		;
}

/* ---------------------------------------------------------------- preview */

void act_switch_preview_add(struct app *a)
{
	struct operation_step steps[2];
	struct operation_plan plan = act_switch_plan(&a->pending, steps, true);

	view_preview_add(a, &plan);
}

void act_switch_preview_open(struct app *a, const char *heading)
{
	act_switch_forget(a);
	snprintf(a->text.heading, sizeof a->text.heading, "%s", heading);
	app_open(a, VIEW_PREVIEW);
}

void act_switch_preview(struct app *a, enum request r)
{
	(void)r;
	pager_clear(&a->text.pager);
	for (enum probes_verb verb = PROBES_ENABLE; verb <= PROBES_COUNT; verb++) {
		struct app_selection s;
		bool meant;

		if (!act_switch_select(a, &s))
			return;
		meant = act_switch_prepare(
			a, s, verb == PROBES_COUNT ? act_count_verb(a, &s) : verb);
		a->pending.stop = verb == PROBES_COUNT && a->stop == STOP_YES;
		a->pending.kernel = a->kernel;
		if (meant)
			act_switch_preview_add(a);
		else
			pager_addf(&a->text.pager, STYLE_TITLE,
				"%s: nothing to change at either probe", operation_verb(verb));
	}
	act_switch_preview_open(a, "What e, d and H would write now (nothing is written)");
}
