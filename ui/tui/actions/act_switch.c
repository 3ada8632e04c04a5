/* Switching probes, undo, and the preview of what would be written. */
#include "ui/tui/actions/act.h"

#include "ui/tui/app/new_children.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/views/view.h"

#include <stdio.h>

void act_switch(struct app *a, enum request r)
{
	struct app_selection s;
	bool off = r == REQUEST_OFF;

	if (!act_pending_select(a, &s))
		return;
	if (act_pending_set(a, s, off ? PROBES_DISABLE : PROBES_ENABLE))
		act_pending_begin(a);
	else
		act_pair_say_done(a, off);
}

/* Set an inconsistent probe on or off, or repair it: as its count says. */
void act_switch_force(struct app *a, enum request r)
{
	const struct row *row = &a->model.rows[a->text.row];
	bool on = r == REQUEST_FORCE_ON ||
		  (r == REQUEST_REPAIR && view_inconsistent_count_says_on(row));

	act_pending_set(a, app_select(a->text.row), on ? PROBES_ENABLE : PROBES_DISABLE);
	a->pending.plan.options.force = true;
	a->pending.plan.options.keep_counts =
		r == REQUEST_REPAIR && view_inconsistent_keeps_counts(row);
	a->pending.shown = *row;
	act_pending_begin(a);
}

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
			"%sBut %zu forked child%s still hold%s what %s inherited: W takes it back.",
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
	act_pending_audit(a, redo ? "redo" : "undo", op);
	script_operation(&a->script, &a->model, redo ? "redo: " : "undo: ", op);
	app_refresh(a, true);
	if (!redo)
		act_switch_inheritors(a, switched);
	act_pending_report(a,
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

/* Is what is measured in this view counted by an earlier change alone? */
static bool act_switch_views_only(const struct app *a)
{
	if (a->view == VIEW_LATENCY)
		return timing_on(&a->timing) && !a->timing_begun.count;
	return app_view(a)->where & (IN_EVENTS | IN_HISTOGRAM | IN_CALLERS) &&
	       feed_on(&a->events.feed) && !a->events.begun.count;
}

void act_switch_undo(struct app *a, enum request r)
{
	if (r == REQUEST_UNDO && act_switch_views_only(a)) {
		app_complain(a, "this view changed nothing: q first, then u undoes the change "
				"before it");
		return;
	}
	while (act_switch_undo_one(a, r == REQUEST_REDO))
		;
}

void act_switch_preview_add(struct app *a)
{
	a->pending.plan.options.dry_run = true;
	view_preview_add(a, &a->pending.plan);
}

void act_switch_preview_open(struct app *a, const char *heading)
{
	act_pending_forget(a);
	snprintf(a->text.heading, sizeof a->text.heading, "%s", heading);
	app_open(a, VIEW_PREVIEW);
}

void act_switch_preview(struct app *a, enum request r)
{
	pager_clear(&a->text.pager);
	for (enum probes_verb verb = PROBES_ENABLE; verb <= PROBES_COUNT; verb++) {
		struct app_selection s;
		bool meant;

		if (!act_pending_select(a, &s))
			return;
		meant = act_pending_set(a, s, verb == PROBES_COUNT ? act_count_verb(a, &s) : verb);
		if (verb == PROBES_COUNT)
			act_count_permit(a);
		if (meant)
			act_switch_preview_add(a);
		else
			pager_addf(&a->text.pager, STYLE_TITLE,
				"%s: nothing to change at either probe", operation_verb(verb));
	}
	act_switch_preview_open(a,
		model_alive(&a->model) ? "What e, d and H would write now (nothing is written)"
				       : "What e, d and H would have written (the target is gone)");
}
