#include "ui/tui/actions/act.h"

#include "ui/figures/event.h"
#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/probe_name.h"

#include <stdio.h>

void (*const act_table[REQUEST_COUNT])(struct app *a, enum request r) = {
#define REQUEST(NAME, act, ...) [REQUEST_##NAME] = act,
#include "ui/tui/app/requests.h"
#undef REQUEST
};

void act_by_view(struct app *a, enum request r)
{
}

static void act_refuse_recording(struct app *a)
{
	const struct recording *r = &a->replay->recording;
	char program[TEXT_MAX], host[TEXT_MAX], time[EVENT_TIME_BYTES], whose[40];

	event_time(r->head.time_ns, true, time);
	time[10] = ' '; /* no T */
	snprintf(whose, sizeof whose, r->process_count > 1 ? "%zu processes" : "pid %zu",
		r->process_count > 1 ? r->process_count : (size_t)r->processes[0].pid);
	app_complain(a,
		"this is a recording of %s (%.60s, on %.60s, %.16s): nothing can be switched",
		whose,
		probe_name_base(text_clean(r->processes[0].program, program, sizeof program)),
		text_clean(r->head.host, host, sizeof host), time);
}

void act_refuse(struct app *a, enum request r)
{
	unsigned lacks = request_info(r)->need & ~app_have(a);
	char gone[600];

	if (a->replay)
		act_refuse_recording(a);
	else if (lacks & NEED_LISTABLE)
		app_complain(a, "nothing can be listed: not even its maps may be read");
	else if (lacks & NEED_PROGRAM)
		app_complain(a, "no program was started from here (-prog)");
	else if (lacks & NEED_GONE)
		app_complain(a, "the target is still running");
	else if (lacks & NEED_HELD)
		app_say(a, a->program.used ? "the program is already running: r starts one that is "
					     "held (-prog with -hold)"
					   : "r starts a program that is held at its start: "
					     "probes-tui -prog FILE -hold");
	else if (!model_alive(&a->model))
		app_complain(a, "nothing can be switched: %s", app_gone(a, gone, sizeof gone));
	else if (lacks == NEED_RUNS)
		app_pass(a, "%s already (r restarts)",
			a->view == VIEW_LATENCY ? "measuring has stopped" : "events have stopped");
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

void act(struct app *a, enum request r)
{
	const struct view_ops *view = app_view(a);

	if (!r)
		return;
	if (!request_possible(r, view->where, app_have(a)))
		act_refuse(a, r);
	else if (request_info(r)->section == SECTION_MOVE)
		view->move(a, r);
	else if (!view->request || !view->request(a, r))
		act_table[r](a, r);
}

void act_answer(struct app *a, uint32_t key)
{
	if (!a->question.drawn)
		return;
	a->question.drawn = a->question.kind == ASK_COLUMNS; /* the same one goes on */
	if (a->question.kind == ASK_DO || a->question.kind == ASK_STOP)
		act_pending_answer(a, key);
	else if (a->question.kind == ASK_COLUMNS)
		act_look_columns_key(a, key);
	else
		act_leave_answer(a, key);
	a->question.drawn = a->question.drawn && a->question.kind;
}

void act_question_poll(struct app *a)
{
	bool program = a->question.kind == ASK_PROGRAM || a->question.kind == ASK_HELD;
	bool pending = a->question.kind == ASK_DO || a->question.kind == ASK_STOP;

	if (program && a->program.ended)
		a->leaving.how = LEAVE_NOT;
	else if (pending && !model_alive(&a->model))
		act_pending_forget(a);
	else
		return;
	a->question.kind = ASK_NONE;
	a->question.drawn = false;
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
