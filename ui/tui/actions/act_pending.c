/*
 * The operation that was asked for (app.pending): which rows are meant, whether to ask first, what
 * came of it, and what follows.
 */
#include "ui/tui/actions/act.h"

#include "ui/tui/app/new_children.h"
#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/line.h"
#include "ui/words/states.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACT_PENDING_ASK_SITES 50   /* ask before switching more */
#define ACT_PENDING_SLIPPED_MS 400 /* a key so soon after the row has moved means another row */
/* What can be done with probes that have no switch. */
#define ACT_PENDING_OTHER "; H counts its hits, y shows how bpftrace, perf or gdb can trace it"
#define ACT_PENDING_OTHERS "; H counts their hits, y shows how bpftrace, perf or gdb can trace them"

/* ---------------------------------------------------------------- what is meant */

bool act_pending_select(struct app *a, struct app_selection *s)
{
	*s = app_selection(a);
	if (s->count && a->view == VIEW_LIST && !s->tagged && a->slipped_ms &&
		a->last_key_ms - a->slipped_ms < ACT_PENDING_SLIPPED_MS) {
		app_complain(a, "nothing was done: another row has just moved under the cursor; "
				"press the key again");
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

void act_pending_forget(struct app *a)
{
	struct app_pending *p = &a->pending;

	for (size_t i = 0; i < OPERATION_STEPS; i++)
		free(p->plan.steps[i].ids);
	free(p->begun.rows);
	free((char *)p->ask.where);
	if (p->plan.command)
		options_done(p->plan.command);
	free(p->plan.command);
	*p = (struct app_pending){0};
}

bool act_pending_pair(struct app *a, const struct pairs_one *pair, bool off)
{
	struct operation_plan *p = &a->pending.plan;
	uint32_t order[2] = {off ? pair->start : pair->end, off ? pair->end : pair->start};
	size_t count = 0;

	act_pending_forget(a);
	p->verb = off ? PROBES_DISABLE : PROBES_ENABLE;
	p->named = true;
	for (int i = 0; i < 2; i++) {
		const struct row *r = &a->model.rows[order[i]];

		if (off ? r->state != PROBES_OFF && !row_on_to_count(r)
			: r->state != PROBES_ON || !r->mine_enabled)
			p->steps[count++] = (struct operation_step){app_select(order[i]).rows, 1};
	}
	return count;
}

bool act_pending_set(struct app *a, struct app_selection s, enum probes_verb verb)
{
	if (s.pair && (verb == PROBES_ENABLE || verb == PROBES_DISABLE)) {
		free(s.rows);
		return act_pending_pair(a, s.pair, verb == PROBES_DISABLE);
	}
	act_pending_forget(a);
	a->pending.plan = (struct operation_plan){
		.verb = verb, .steps[0] = {s.rows, s.count}, .named = s.named};
	a->pending.tagged = s.tagged;
	return s.count > 0;
}

/* Do what follows, and drop it. */
static void act_pending_finish(struct app *a)
{
	if (a->pending.then)
		a->pending.then(a);
	act_pending_forget(a);
}

/* Ask whether to stop the process for the sites that need it; or say that they are left. False: it
 * is over. */
static bool act_pending_ask_stop(struct app *a, const struct operation *op)
{
	struct app_pending *p = &a->pending;
	size_t sites = op->sum.stop_sites;

	if (!sites || p->plan.verb != PROBES_COUNT || p->plan.options.atomically)
		return false;
	if (a->stop == STOP_NO) {
		text_addf(a->message.text, sizeof a->message.text,
			" %zu would need a stop (:stop allows it).", sites);
		return false;
	}
	snprintf(a->question.text, sizeof a->question.text,
		"%zu %ssite%s can be counted only if all threads stop for a few milliseconds; "
		"epoll_wait and its like return EINTR then. Stop?\n"
		"y: yes   n: no, go on without %s",
		sites, op->sum.counted ? "more " : "", line_s(sites), sites == 1 ? "it" : "them");
	a->question.kind = ASK_STOP;
	p->plan.options.atomically = p->unasked = true;
	p->continues = operation_wrote(op);
	return true;
}

/* ---------------------------------------------------------------- doing it */

void act_pending_audit(struct app *a, const char *verb, const struct operation *op)
{
	struct probes_error e = {0};

	for (size_t i = 0; i < op->count && i < a->model.process_count; i++)
		if (op->results[i] && audit_note(&a->audit, verb, a->model.processes[i].session,
					      op->results[i], &e) < 0)
			text_clean(e.why, a->message.notice, sizeof a->message.notice);
}

void act_pending_report(struct app *a, const char *prefix, const struct operation *op, int status,
	const struct probes_error *e)
{
	size_t without = op->sum.skips[PROBES_SKIP_NO_SWITCH];
	const char *others = without == 1                          ? ACT_PENDING_OTHER
			     : without                             ? ACT_PENDING_OTHERS
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
	app_say(a, "%s%s: %s%s.", prefix, op->what, said, operation_wrote(op) ? "" : others);
	a->message.offer = operation_wrote(op) ? strlen(a->message.text) : 0;
	text_addf(a->message.text, sizeof a->message.text, "%s%s%s%s",
		!a->message.offer ? ""
		: *prefix == 'u'  ? APP_REDO
				  : APP_UNDO,
		a->message.offer && *prefix != 'u' && op->sum.counted > 1 && op->sum.sites_left &&
				request_possible(REQUEST_DETAIL, app_view(a)->where, app_have(a))
			? " i=why"
			: "",
		a->message.notice[0] ? " " : "", a->message.notice);
	/* Of many, the detail of each says it. */
	if (op->sum.counted == 1 && *operation_left(&a->model, op, said, sizeof said))
		text_addf(a->message.text, sizeof a->message.text, " Left out: %s.", said);
	a->message.bad = op->sum.refused && !operation_wrote(op);
}

void act_pending_do(struct app *a)
{
	struct probes_error e = {0};
	struct operation *op;
	int status;

	a->message.notice[0] = '\0';
	new_children_look(a); /* children are recognized by the states before the switch */
	status = operation_do(&a->model, &a->pending.plan, &op, &e);
	act_pending_audit(a, "screen", op);
	if (!a->pending.then) /* else what follows is recorded */
		script_operation(&a->script, &a->model, "", op);
	app_refresh(a, true);
	act_pending_report(a, "", op, status, &e);
	op->continues = a->pending.continues;
	if (!act_pending_ask_stop(a, op))
		act_pending_finish(a);
	if (operation_wrote(op))
		history_add(&a->history, op);
	else
		operation_free(op);
}

/* ---------------------------------------------------------------- asking first */

/* What a question is about: rows that would be switched, their sites, and those taken from others.
 */
struct act_pending_stake {
	size_t probes, sites, others;
};

static struct act_pending_stake act_pending_stake(
	const struct model *m, const struct operation *dry)
{
	/* Of each process: what would be switched, by probe; else NULL. */
	const struct probes_item ***chosen = mem_array(m->process_count, sizeof *chosen);
	struct act_pending_stake stake = {0};
	struct model_member member;

	for (size_t i = 0; i < m->process_count; i++) {
		const struct probes_result *r = dry->results[i];

		chosen[i] = mem_array(probes_count(m->processes[i].session) + 1, sizeof **chosen);
		for (size_t k = 0; r && k < r->item_count; k++)
			if (r->items[k].outcome == PROBES_DONE)
				chosen[i][r->items[k].probe] = &r->items[k];
	}
	for (size_t i = 0; i < m->row_count; i++) {
		bool any = false, loses = false;

		for (uint32_t at = m->rows[i].member; model_next(m, &at, &member);) {
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

static bool act_pending_must_ask(struct app *a, const struct operation *dry)
{
	static const char *const verbs[] = {[PROBES_ENABLE] = "Switch on",
		[PROBES_DISABLE] = "Switch off",
		[PROBES_COUNT] = "Count the hits of",
		[PROBES_UNCOUNT] = "Stop counting"};
	const struct app_pending *p = &a->pending;
	struct act_pending_stake stake = act_pending_stake(&a->model, dry);
	size_t hidden = 0;
	char *text = a->question.text;
	size_t size = sizeof a->question.text;

	if (p->tagged) {
		hidden = p->plan.steps[0].count;
		for (size_t i = 0; i < a->list.shown_count; i++)
			hidden -= a->model.rows[a->list.shown[i]].tag > 0;
	}
	if (!stake.probes || p->unasked ||
		(stake.sites <= ACT_PENDING_ASK_SITES && !stake.others && !hidden &&
			!p->plan.options.force))
		return false;
	snprintf(text, size, "%s%s %zu probe%s, %zu site%s?", dry->force ? "By force: " : "",
		p->plan.command ? "Switch" : verbs[p->plan.verb], stake.probes,
		line_s(stake.probes), stake.sites, line_s(stake.sites));
	if (stake.others)
		text_addf(text, size, " %zu held by another party.", stake.others);
	if (hidden)
		text_addf(text, size, " %zu tagged but not shown.", hidden);
	text_addf(text, size, " Type y to do it; Enter: no.");
	return true;
}

/* What is forced is meant for what was shown: refuse it where that holds no more. */
static bool act_pending_stale(struct app *a)
{
	const struct app_pending *p = &a->pending;
	const struct row *now =
		p->plan.options.force ? &a->model.rows[p->plan.steps[0].ids[0]] : NULL;

	if (!now || !row_differs(now, &p->shown))
		return false;
	app_complain(
		a, "not done: %.80s has changed since it was shown; look at it again", now->label);
	act_pending_forget(a);
	return true;
}

void act_pending_begin(struct app *a)
{
	struct probes_error e = {0};
	struct operation *dry;
	int status;

	app_refresh(a, true); /* decide on the states now, not a second ago */
	if (act_pending_stale(a))
		return;
	a->pending.plan.options.dry_run = true;
	status = operation_do(&a->model, &a->pending.plan, &dry, &e);
	a->pending.plan.options.dry_run = false;
	if (status < 0 && !dry->sum.processes) {
		act_pending_report(a, "", dry, status, &e);
		if (!act_pending_ask_stop(a, dry))
			act_pending_finish(a);
	} else if (act_pending_must_ask(a, dry)) {
		a->question.kind = ASK_DO;
	} else {
		act_pending_do(a);
	}
	operation_free(dry);
}

static void act_pending_answer_do(struct app *a, uint32_t key)
{
	a->question.kind = ASK_NONE;
	if (key == 'y') {
		if (a->pending.plan.options.force)
			app_refresh(a, true);
		if (!act_pending_stale(a))
			act_pending_do(a);
		return;
	}
	act_pending_forget(a);
	app_say(a, "not done: nothing was changed");
}

/* Any other key was not meant for a question that came by itself. */
static void act_pending_answer_stop(struct app *a, uint32_t key)
{
	if (key == 'y' || key == 'Y') {
		a->question.kind = ASK_NONE;
		a->stop = STOP_YES;
		act_pending_do(a);
	} else if (key == 'n' || key == 'N' || key == K_ENTER || key == '\n' || key == K_ESC) {
		a->question.kind = ASK_NONE;
		a->stop = STOP_NO;
		/* beside what has been done already */
		text_addf(a->message.text, sizeof a->message.text,
			"%sNot stopped; you will not be asked again (:stop permits it).",
			a->message.text[0] ? " " : "");
		a->message.answer = true;
		act_pending_finish(a);
	} else {
		a->question.drawn = true; /* it stays, and the next key may follow at once */
	}
}

void act_pending_answer(struct app *a, uint32_t key)
{
	if (a->question.kind == ASK_STOP)
		act_pending_answer_stop(a, key);
	else
		act_pending_answer_do(a, key);
}
