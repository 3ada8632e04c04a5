#include "ui/tui/actions/act.h"

#include "ui/tui/terminal/key.h"

static void (*const act_table[REQUEST_COUNT])(struct app *a, enum request r) = {
#define REQUEST(NAME, act, ...) [REQUEST_##NAME] = act,
#include "ui/tui/app/requests.h"
#undef REQUEST
};

void act_by_view(struct app *a, enum request r)
{
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
