/*
 * From requests to what they do: one table.
 */
#include "ui/tui/actions/act.h"

#include "ui/tui/terminal/key.h"

static void (*const act_table[REQUEST_COUNT])(struct app *a, enum request r) = {
	[REQUEST_SEARCH] = act_find,
	[REQUEST_NEXT] = act_find_next,
	[REQUEST_PREVIOUS] = act_find_next,
	[REQUEST_FILTER] = act_find,
	[REQUEST_TAG] = act_find_tag,
	[REQUEST_TAG_SHOWN] = act_find_tag,
	[REQUEST_TAG_REGEX] = act_find,
	[REQUEST_UNTAG] = act_find_tag,
	[REQUEST_ON] = act_switch,
	[REQUEST_OFF] = act_switch,
	[REQUEST_HITS] = act_count,
	[REQUEST_LATENCY] = act_latency,
	[REQUEST_LATENCY_ANEW] = act_latency_anew,
	[REQUEST_LATENCY_END] = act_latency_end,
	[REQUEST_EVENTS] = act_events,
	[REQUEST_EVENTS_ANEW] = act_events_anew,
	[REQUEST_EVENTS_END] = act_events_end,
	[REQUEST_EVENTS_TEXTS] = act_events_ask,
	[REQUEST_EVENTS_FILTER] = act_events_ask,
	[REQUEST_EVENT] = act_look_open,
	[REQUEST_EVENTS_SHOW] = act_look_open,
	[REQUEST_HISTOGRAM] = act_histogram,
	[REQUEST_HISTOGRAM_NEXT] = act_histogram_next,
	[REQUEST_CALLERS] = act_callers,
	[REQUEST_PAIR] = act_pair,
	[REQUEST_PAIRS] = act_look_open,
	[REQUEST_EXPLAIN] = act_look_explain,
	[REQUEST_REPAIR] = act_switch_force,
	[REQUEST_FORCE_ON] = act_switch_force,
	[REQUEST_FORCE_OFF] = act_switch_force,
	[REQUEST_ARGUMENTS] = act_look_open,
	[REQUEST_LIBRARIES] = act_look_open,
	[REQUEST_TREE] = act_look_tree,
	[REQUEST_COLUMNS] = act_look_columns,
	[REQUEST_AS_COMMAND] = act_look_open,
	[REQUEST_OTHERS] = act_look_open,
	[REQUEST_SCRIPT] = act_record,
	[REQUEST_WRITE] = act_record,
	[REQUEST_NOTE] = act_record,
	[REQUEST_COMMAND] = act_command,
	[REQUEST_UNDO] = act_switch_undo,
	[REQUEST_REDO] = act_switch_undo,
	[REQUEST_SWEEP] = act_sweep,
	[REQUEST_PREVIEW] = act_switch_preview,
	[REQUEST_DETAIL] = act_look_detail,
	[REQUEST_CODE] = act_look_open,
	[REQUEST_OUTPUT] = act_look_output,
	[REQUEST_NEXT_PANE] = act_look_next_pane,
	[REQUEST_TYPE] = act_look_type,
	[REQUEST_REOPEN] = act_look_reopen,
	[REQUEST_RUN] = act_look_run,
	[REQUEST_RETRY] = act_look_retry,
	[REQUEST_LIST] = act_look_back,
	[REQUEST_SORT] = act_look_sort,
	[REQUEST_SORT_BY] = act_command,
	[REQUEST_INVERT] = act_look_sort,
	[REQUEST_FASTER] = act_look_interval,
	[REQUEST_SLOWER] = act_look_interval,
	[REQUEST_FREEZE] = act_look_freeze,
	[REQUEST_READ_ONLY] = act_look_read_only,
	[REQUEST_REDRAW] = act_look_redraw,
	[REQUEST_HELP] = act_look_open,
	[REQUEST_BACK] = act_look_back,
	[REQUEST_FORGET] = act_find_forget,
	[REQUEST_QUIT] = act_leave,
	[REQUEST_QUIT_LEAVE] = act_leave,
	[REQUEST_SUSPEND] = act_look_redraw,
};

void act_refuse(struct app *a, enum request r)
{
	unsigned lacks = request_info(r)->need & ~app_have(a);
	char gone[600];

	if (a->replay)
		act_replay_refuse(a);
	else if (lacks & NEED_LISTABLE)
		app_complain(a, "nothing can be listed: not even its maps may be read");
	else if (lacks & NEED_PROGRAM)
		app_complain(a, "no program was started from here (-prog)");
	else if (lacks & NEED_GONE)
		app_complain(a, "the target is still running");
	else if (lacks & NEED_HELD)
		app_say(a, a->program.used
				   ? "the program is already running: r starts one that is held "
				     "(-prog with -hold)"
				   : "r starts a program that is held at its start: "
				     "probes-tui -prog FILE -hold");
	else if (!model_alive(&a->model))
		app_complain(a, "nothing can be switched: %s", app_gone(a, gone, sizeof gone));
	else if (lacks & NEED_SWITCHABLE)
		app_complain(a, "no probe here can be switched: none has a semaphore or an OCaml "
				"site; H counts their hits, y shows commands that trace them");
	else if (a->read_only)
		app_complain(a, "read-only: nothing is switched%s",
			a->options->read_only ? " (-read-only)" : " (R allows it again)");
	else
		app_complain(a, "switching is not permitted here: quit and see probes-tui list "
				"-pid N, or start again as the process' owner");
}

void act_anywhere(struct app *a, enum request r)
{
	if (request_info(r)->need & ~app_have(a))
		act_refuse(a, r);
	else
		act_table[r](a, r);
}

void act(struct app *a, enum request r)
{
	const struct view_ops *view = app_view(a);

	if (!r)
		return;
	if (!request_possible(r, view->where, app_have(a)))
		act_refuse(a, r);
	else if (request_info(r)->section == SECTION_MOVE)
		view->move(a, r);
	else if ((!view->request || !view->request(a, r)) && act_table[r])
		act_table[r](a, r);
}

void act_answer(struct app *a, uint32_t key)
{
	if (a->question.kind == ASK_DO)
		act_switch_answer(a, key);
	else if (a->question.kind == ASK_STOP)
		act_count_answer(a, key);
	else if (a->question.kind == ASK_COLUMNS)
		act_look_columns_key(a, key);
	else
		act_leave_answer(a, key);
}

void act_question_poll(struct app *a)
{
	bool program = a->question.kind == ASK_PROGRAM || a->question.kind == ASK_HELD;
	bool pending = a->question.kind == ASK_DO || a->question.kind == ASK_STOP;

	if (program && a->program.ended)
		a->leaving.how = LEAVE_NOT;
	else if (pending && !model_alive(&a->model))
		act_switch_forget(a);
	else
		return;
	a->question.kind = ASK_NONE;
	a->dirty = true;
}

void act_prompt_key(struct app *a, uint32_t key)
{
	const struct prompt_ops *ops = a->prompt.ops;
	const char *text = a->prompt.input.text;
	struct input_past *past = &a->past[ops->past];
	enum input_outcome outcome;

	a->prompt.listed = false;
	if (key == K_TAB && ops->complete) {
		ops->complete(a);
		return;
	}
	if (key == K_UP || key == K_CTRL('P'))
		outcome =
			input_past_recall(past, &a->prompt.input, -1) ? INPUT_CHANGED : INPUT_SAME;
	else if (key == K_DOWN || key == K_CTRL('N'))
		outcome = input_past_recall(past, &a->prompt.input, 1) ? INPUT_CHANGED : INPUT_SAME;
	else
		outcome = input_key(&a->prompt.input, key);
	switch (outcome) {
	case INPUT_CHANGED:
		a->prompt.why[0] = '\0';
		if (ops->changed)
			ops->changed(a, text);
		break;
	case INPUT_DONE:
		a->prompt.why[0] = '\0';
		if (ops->changed && !ops->changed(a, text))
			break; /* the prompt stays open and says what is wrong */
		if (ops->past && *text)
			input_past_add(past, text);
		a->prompt.ops = NULL;
		if (ops->accepted)
			ops->accepted(a, text);
		break;
	case INPUT_CANCEL:
		a->prompt.ops = NULL;
		if (ops->cancelled)
			ops->cancelled(a);
		else
			app_say(a, "nothing was done");
		break;
	case INPUT_SAME:
	case INPUT_MOVED:
		break;
	}
}
