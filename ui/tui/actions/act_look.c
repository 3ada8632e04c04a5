/* Opening views, and how things are shown. */
#include "ui/tui/actions/act.h"

#include "ui/tui/app/targets_load.h"
#include "ui/tui/rows/column.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/views/view.h"

#include <errno.h>
#include <stdio.h>

/* ------------------------------------------------------------------- views */

/* Open a view of one probe. */
static void act_look_at(struct app *a, enum app_view view, uint32_t row)
{
	if (row == ROWLIST_NONE)
		return;
	a->text.row = row;
	app_open(a, view);
}

void act_look_open(struct app *a, enum request r)
{
	static const enum app_view views[REQUEST_COUNT] = {[REQUEST_CODE] = VIEW_CODE,
		[REQUEST_ARGUMENTS] = VIEW_ARGUMENTS,
		[REQUEST_EVENTS_SHOW] = VIEW_EVENTS,
		[REQUEST_EVENT] = VIEW_EVENT,
		[REQUEST_LIBRARIES] = VIEW_LIBRARIES,
		[REQUEST_PAIRS] = VIEW_PAIRS,
		[REQUEST_AS_COMMAND] = VIEW_COMMAND,
		[REQUEST_OTHERS] = VIEW_COMMAND,
		[REQUEST_HELP] = VIEW_HELP};

	if (r == REQUEST_CODE || r == REQUEST_ARGUMENTS)
		act_look_at(a, views[r], app_row(a));
	else
		app_open(a, views[r]);
}

void act_look_detail(struct app *a, enum request r)
{
	struct group *group = list_group(&a->list);

	if (group)
		list_fold(&a->list, group, !group->folded);
	else
		act_look_at(a, VIEW_DETAIL, list_current(&a->list));
}

/* Why there is nothing to explain in a row. */
static const char *act_look_consistent(const struct app *a, const struct row *row)
{
	if (!model_alive(&a->model))
		return "its process is gone: there is nothing left to compare";
	switch (row->state) {
	case PROBES_FOREIGN:
		return row->holder == PROBES_HOLDER_INT3
			       ? "another tool holds its site with a breakpoint (int3), which is "
				 "left alone"
			       : "another tool has changed its site, which is left alone";
	case PROBES_UNLOADED:
		return "it is gone: there is nothing left to compare";
	case PROBES_NO_SWITCH:
		return "it has no semaphore: nothing in it can disagree";
	case PROBES_OFF:
	case PROBES_ON:
		if (row->sites_on == PROBES_NONE)
			return row->state == PROBES_ON ? "it is on, by its semaphore alone"
						       : "it is off, by its semaphore alone";
		return row->state == PROBES_ON ? "it is on, and code and semaphore agree"
					       : "it is off, and code and semaphore agree";
	default:
		return "it could not be read: whether code and semaphore agree is unknown";
	}
}

/* Why a probe is inconsistent or partial. */
void act_look_explain(struct app *a, enum request r)
{
	uint32_t id = app_row(a);
	const struct row *row;

	if (id == ROWLIST_NONE)
		return;
	app_refresh(a, true);
	row = &a->model.rows[id];
	if (view_inconsistent_is(row->state) && model_alive(&a->model))
		act_look_at(a, VIEW_INCONSISTENT, id);
	else
		app_say(a, "%.80s: %s", row->label, act_look_consistent(a, row));
}

void act_look_back(struct app *a, enum request r)
{
	app_open(a, app_view(a)->overlay ? a->before : VIEW_LIST);
}

void act_look_output(struct app *a, enum request r)
{
	a->output.back = 0;
	app_open(a, a->view == VIEW_OUTPUT ? VIEW_LIST : VIEW_OUTPUT);
}

/* Give the keyboard to the program, until ^]. */
void act_look_type(struct app *a, enum request r)
{
	if (a->program.ended) {
		app_complain(a, "the program has ended: it cannot read keys");
		return;
	}
	if (!view_list_areas(a).output.rows) /* there is no room below the list */
		app_open(a, VIEW_OUTPUT);
	a->output.back = 0;
	a->output.typing = true;
}

void act_look_next_pane(struct app *a, enum request r)
{
	if (a->view == VIEW_LIST && app_row(a) != ROWLIST_NONE)
		act_look_detail(a, r);
	else if (a->view != VIEW_OUTPUT && a->program.used)
		act_look_output(a, r);
	else
		act_look_back(a, r);
}

void act_look_tree(struct app *a, enum request r)
{
	list_tree(&a->list, !a->list.tree);
	app_hush(a);
}

/* ----------------------------------------------------------------- columns */

/* Why a column that was chosen is not on the screen, or "". */
static const char *act_look_absent(
	const struct app *a, const struct column_layout *shown, enum column_id c)
{
	if (a->hidden & 1u << c)
		return "";
	if (c == COLUMN_DETAIL)
		return view_list_areas(a).pane.rows ? "" : " (no room)";
	if (shown->at[c].width)
		return "";
	return c == COLUMN_PROCESSES && a->model.process_count < 2 ? " (one process)"
	       : c == COLUMN_ARGUMENTS && !a->model.argued         ? " (no arguments)"
	       : a->list.hscroll                                   ? " (not in view)"
								   : " (no room)";
}

/* By column, as on the keyboard. */
static const char act_look_numbers[] = "1234567890abcdefghijklmnop";

_Static_assert(COLUMN_DETAIL - COLUMN_FIRST_CHOSEN < sizeof act_look_numbers - 1, "a key each");

void act_look_columns(struct app *a, enum request r)
{
	char *text = a->question.text;
	size_t size = sizeof a->question.text;
	const char *absent[COLUMN_COUNT + 1], *line;
	struct column_layout shown;
	bool dialog;

	/* before the question takes lines from the list */
	a->question.kind = ASK_NONE;
	view_list_columns(a, &shown);
	for (int c = COLUMN_FIRST_CHOSEN; c <= COLUMN_DETAIL; c++)
		absent[c] = act_look_absent(a, &shown, (enum column_id)c);
	a->question.kind = ASK_COLUMNS;
	dialog = app_dialog(a);
	line = dialog ? "\n" : "  ";
	snprintf(text, size, "%s",
		dialog ? "Columns, by their number:" : "Columns, by number (-: no room)");
	for (int c = COLUMN_FIRST_CHOSEN; c <= COLUMN_DETAIL; c++)
		text_addf(text, size, "%s%c [%c] %s%s", line,
			act_look_numbers[c - COLUMN_FIRST_CHOSEN],
			a->hidden & 1u << c     ? ' '
			: *absent[c] && !dialog ? '-'
						: 'x',
			columns_name((enum column_id)c), dialog ? absent[c] : "");
	text_addf(text, size, "%sEnter: done", line);
}

void act_look_columns_key(struct app *a, uint32_t key)
{
	int column = COLUMN_FIRST_CHOSEN;

	while (column <= COLUMN_DETAIL &&
		(unsigned char)act_look_numbers[column - COLUMN_FIRST_CHOSEN] != key)
		column++;
	a->question.kind = ASK_NONE;
	if (column > COLUMN_DETAIL)
		return;
	a->hidden ^= 1u << column;
	act_look_columns(a, REQUEST_COLUMNS);
}

/* ------------------------------------------------------------- the process */

void act_look_run(struct app *a, enum request r)
{
	struct probes_error e = {0};

	if (probes_resume(a->model.processes[0].session, &e) < 0)
		app_say_error(a, "run", &e);
	else
		app_say(a, "the program runs");
	app_refresh(a, true);
}

void act_look_retry(struct app *a, enum request r)
{
	targets_load_again(a);
	if (a->access.can_switch && a->access.can_read)
		app_open(a, VIEW_LIST);
	else
		app_say(a, "tried again: nothing has changed");
}

void act_look_reopen(struct app *a, enum request r)
{
	pid_t pid = a->model.processes[0].pid;
	struct probes_session *session;
	struct probes_error e = {0};
	char filter[INPUT_SIZE], why[8], gone[600];
	size_t count;

	if (probes_open_pid(pid, NULL, &session, &e) < 0) {
		if (e.code == -ESRCH) /* how it ended is known */
			app_complain(a, "still gone: %s", app_gone(a, gone, sizeof gone));
		else
			app_say_error(a, "still gone", &e);
		return;
	}
	count = probes_count(session);
	probes_close(session);
	if (!count) {
		app_complain(a, "process %d is another program now, without probes", (int)pid);
		return;
	}
	snprintf(filter, sizeof filter, "%s", filter_text(a->list.filter));
	targets_load_again(a);
	if (list_filter(&a->list, filter, why, sizeof why) == 0)
		app_say(a, "opened process %d as it is now", (int)pid);
}

/* ------------------------------------------------------------------ the list */

/* Sort by the next column on the screen. */
void act_look_sort(struct app *a, enum request r)
{
	enum column_id next = a->list.order;
	struct column_layout shown;

	view_list_columns(a, &shown);
	do
		next = (next + 1) % COLUMN_COUNT;
	while (!shown.at[next].width);
	if (r == REQUEST_INVERT)
		list_sort(&a->list, a->list.order, !a->list.invert);
	else
		list_sort(&a->list, next, false);
	app_hush(a);
}

void act_look_interval(struct app *a, enum request r)
{
	static const unsigned steps[] = {100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000};
	const size_t last = sizeof steps / sizeof *steps - 1;
	size_t i = 0;

	while (i < last && steps[i] < a->refresh_ms)
		i++;
	if (r == REQUEST_SLOWER && steps[i] <= a->refresh_ms && i < last)
		i++;
	else if (r == REQUEST_FASTER && i > 0)
		i--;
	a->refresh_ms = steps[i];
}

void act_look_freeze(struct app *a, enum request r)
{
	if (!a->frozen)
		act_events_catch_up(a);
	a->frozen = !a->frozen;
	if (!a->frozen)
		app_refresh(a, true);
	else if (app_view(a)->refresh)
		app_view(a)->refresh(a);
	app_say(a, "%s",
		a->frozen ? "frozen: states are those of this moment (Z thaws)" : "thawed");
}

void act_look_read_only(struct app *a, enum request r)
{
	if (a->options->read_only) {
		app_say(a, "read-only for the whole session (-read-only)");
		return;
	}
	a->read_only = !a->read_only;
	app_say(a, "%s",
		a->read_only ? "read-only: nothing is switched by mistake (R allows it)"
			     : "switching is allowed again");
}

void act_look_redraw(struct app *a, enum request r)
{
	a->redraw = true;
	a->suspend = r == REQUEST_SUSPEND;
}
