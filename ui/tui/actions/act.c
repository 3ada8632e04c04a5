/*
 * From requests to what they do: one table.
 */
#include "ui/tui/actions/act.h"

#include "ui/tui/actions/act_command.h"
#include "ui/tui/actions/act_find.h"
#include "ui/tui/actions/act_inconsistent.h"
#include "ui/tui/actions/act_leave.h"
#include "ui/tui/actions/act_look.h"
#include "ui/tui/actions/act_move.h"
#include "ui/tui/actions/act_output.h"
#include "ui/tui/actions/act_pair.h"
#include "ui/tui/actions/act_picker.h"
#include "ui/tui/actions/act_record.h"
#include "ui/tui/actions/act_sweep.h"
#include "ui/tui/actions/act_switch.h"

static void act_back(struct app *a, enum request r)
{
	(void)r;
	act_leave_back(a);
}

static void act_forget(struct app *a, enum request r)
{
	(void)r;
	act_find_forget(a);
}

static void act_on_off(struct app *a, enum request r)
{
	if (a->view == VIEW_PAIRS)
		act_pair(a, r);
	else
		act_switch(a, r);
}

static void act_preview(struct app *a, enum request r)
{
	if (a->view == VIEW_PAIRS)
		act_pair_preview(a);
	else
		act_switch_preview(a, r);
}

static void (*const act_table[REQUEST_COUNT])(struct app *a, enum request r) = {
	[REQUEST_DOWN] = act_move,
	[REQUEST_UP] = act_move,
	[REQUEST_PAGE_DOWN] = act_move,
	[REQUEST_PAGE_UP] = act_move,
	[REQUEST_HALF_DOWN] = act_move,
	[REQUEST_HALF_UP] = act_move,
	[REQUEST_FIRST] = act_move,
	[REQUEST_LAST] = act_move,
	[REQUEST_LEFT] = act_move,
	[REQUEST_RIGHT] = act_move,
	[REQUEST_SEARCH] = act_find_ask,
	[REQUEST_NEXT] = act_find_next,
	[REQUEST_PREVIOUS] = act_find_next,
	[REQUEST_FILTER] = act_find_ask,
	[REQUEST_TAG] = act_find_tag,
	[REQUEST_TAG_SHOWN] = act_find_tag,
	[REQUEST_TAG_REGEX] = act_find_ask,
	[REQUEST_UNTAG] = act_find_tag,
	[REQUEST_ON] = act_on_off,
	[REQUEST_OFF] = act_on_off,
	[REQUEST_PAIR] = act_pair,
	[REQUEST_PAIRS] = act_pair_list,
	[REQUEST_GO_TO] = act_pair_go_to,
	[REQUEST_EXPLAIN] = act_inconsistent,
	[REQUEST_REPAIR] = act_inconsistent_force,
	[REQUEST_FORCE_ON] = act_inconsistent_force,
	[REQUEST_FORCE_OFF] = act_inconsistent_force,
	[REQUEST_ARGUMENTS] = act_look_arguments,
	[REQUEST_LIBRARIES] = act_look_libraries,
	[REQUEST_TREE] = act_look_tree,
	[REQUEST_COLUMNS] = act_look_columns,
	[REQUEST_AS_COMMAND] = act_record_command,
	[REQUEST_SCRIPT] = act_record_ask,
	[REQUEST_WRITE] = act_record_ask,
	[REQUEST_NOTE] = act_record_ask,
	[REQUEST_COMMAND] = act_command_ask,
	[REQUEST_UNDO] = act_switch_undo,
	[REQUEST_REDO] = act_switch_undo,
	[REQUEST_SWEEP] = act_sweep,
	[REQUEST_PREVIEW] = act_preview,
	[REQUEST_OPEN] = act_picker_open,
	[REQUEST_DETAIL] = act_look_detail,
	[REQUEST_CODE] = act_look_code,
	[REQUEST_OUTPUT] = act_look_output,
	[REQUEST_NEXT_PANE] = act_look_next_pane,
	[REQUEST_FIND_OUTPUT] = act_find_ask,
	[REQUEST_OLDER] = act_output_next,
	[REQUEST_NEWER] = act_output_next,
	[REQUEST_TYPE] = act_output_type,
	[REQUEST_REOPEN] = act_look_reopen,
	[REQUEST_RUN] = act_look_run,
	[REQUEST_RETRY] = act_look_retry,
	[REQUEST_LIST] = act_look_list,
	[REQUEST_SORT] = act_look_sort,
	[REQUEST_INVERT] = act_look_sort,
	[REQUEST_FASTER] = act_look_interval,
	[REQUEST_SLOWER] = act_look_interval,
	[REQUEST_FREEZE] = act_look_freeze,
	[REQUEST_READ_ONLY] = act_look_read_only,
	[REQUEST_REDRAW] = act_look_redraw,
	[REQUEST_HELP] = act_look_help,
	[REQUEST_BACK] = act_back,
	[REQUEST_FORGET] = act_forget,
	[REQUEST_QUIT] = act_leave,
	[REQUEST_QUIT_LEAVE] = act_leave,
	[REQUEST_SUSPEND] = act_look_redraw,
};

static void act_refuse(struct app *a, enum request r)
{
	unsigned lacks = request_info(r)->need & ~app_have(a);

	if (lacks & NEED_LISTABLE)
		app_complain(a, "nothing can be listed: not even its maps may be read");
	else if (lacks & NEED_PROGRAM)
		app_complain(a, "no program was started from here (-prog)");
	else if (lacks & NEED_GONE)
		app_complain(a, "the target is still there");
	else if (lacks & NEED_HELD)
		app_complain(a, "no program is held at its start (-prog with -hold)");
	else if (!model_alive(&a->model))
		app_complain(a, "the target is gone: nothing can be switched");
	else if (a->read_only)
		app_complain(a, "read-only: nothing is switched%s",
			a->options->read_only ? " (-read-only)" : " (R allows it again)");
	else
		app_complain(a, "switching is not permitted here: quit and see probes-tui list "
				"-pid N, or start again as the process' owner");
}

void act(struct app *a, enum request r)
{
	if (!act_table[r])
		return;
	if (!request_possible(r, app_where(a), app_have(a))) {
		act_refuse(a, r);
		return;
	}
	act_table[r](a, r);
}

void act_answer(struct app *a, uint32_t key)
{
	if (a->question == ASK_DO)
		act_switch_answer(a, key == 'y');
	else if (a->question == ASK_COLUMNS)
		act_look_columns_key(a, key);
	else
		act_leave_answer(a, key);
}
