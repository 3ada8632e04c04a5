/*
 * Views and how things are shown.
 */
#include "ui/tui/actions/act_look.h"

#include "ui/columns.h"

#include "ui/tui/app/targets_load.h"
#include "ui/tui/rows/rowtext.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/views/arguments.h"
#include "ui/tui/views/code.h"
#include "ui/tui/views/detail.h"
#include "ui/tui/views/help.h"
#include "ui/tui/views/libraries.h"

#include <stdio.h>

static void act_look_at_lines(struct app *a, enum app_view view)
{
	a->view = view;
	a->lines.top = 0;
	a->left = 0;
}

void act_look_detail(struct app *a, enum request r)
{
	struct group *group = list_group(&a->list);

	(void)r;
	if (group) {
		list_fold(&a->list, group, !group->folded);
		return;
	}
	a->detail = list_current(&a->list);
	if (a->detail == ROWLIST_NONE)
		return;
	act_look_at_lines(a, VIEW_DETAIL);
	detail_build(&a->lines, &a->model, a->detail, a->columns);
}

void act_look_code(struct app *a, enum request r)
{
	uint32_t id = a->view == VIEW_DETAIL ? a->detail : list_current(&a->list);

	(void)r;
	if (id == ROWLIST_NONE)
		return;
	a->before = a->view;
	pager_clear(&a->lines);
	code_build(&a->lines, &a->model, id);
	snprintf(a->heading, sizeof a->heading, "Code of %s", a->model.rows[id].label);
	act_look_at_lines(a, VIEW_CODE);
}

void act_look_arguments(struct app *a, enum request r)
{
	uint32_t id = a->view == VIEW_DETAIL ? a->detail : list_current(&a->list);

	(void)r;
	if (id == ROWLIST_NONE)
		return;
	a->before = a->view;
	arguments_build(&a->lines, &a->model, id, a->columns);
	snprintf(a->heading, sizeof a->heading, "Arguments of %s", a->model.rows[id].label);
	act_look_at_lines(a, VIEW_ARGUMENTS);
}

void act_look_libraries(struct app *a, enum request r)
{
	(void)r;
	a->before = a->view;
	libraries_build(&a->lines, &a->model, a->columns);
	snprintf(a->heading, sizeof a->heading, "Objects of %s", a->title);
	act_look_at_lines(a, VIEW_LIBRARIES);
}

void act_look_tree(struct app *a, enum request r)
{
	(void)r;
	list_tree(&a->list, !a->list.tree);
	a->message[0] = '\0';
}

/* ----------------------------------------------------------------- columns */

static void act_look_ask_columns(struct app *a)
{
	int number = 0;

	a->question = ASK_COLUMNS;
	snprintf(a->asked, sizeof a->asked, "Columns, by their number:");
	for (int c = 0; c < COLUMN_COUNT; c++)
		text_addf(a->asked, sizeof a->asked, "  %d [%c] %s", ++number,
			a->hidden & 1u << c ? ' ' : 'x', columns_name((enum column)c));
	text_addf(a->asked, sizeof a->asked, "   Enter: done");
}

void act_look_columns(struct app *a, enum request r)
{
	(void)r;
	act_look_ask_columns(a);
}

void act_look_columns_key(struct app *a, uint32_t key)
{
	a->question = ASK_NONE;
	if (key < '1' || key >= '1' + COLUMN_COUNT)
		return;
	a->hidden ^= 1u << (key - '1');
	act_look_ask_columns(a);
}

void act_look_output(struct app *a, enum request r)
{
	(void)r;
	a->view = a->view == VIEW_OUTPUT ? VIEW_LIST : VIEW_OUTPUT;
	a->output_back = 0;
	a->left = 0;
}

void act_look_next_pane(struct app *a, enum request r)
{
	if (a->view == VIEW_LIST && list_current(&a->list) != ROWLIST_NONE)
		act_look_detail(a, r);
	else if (a->view != VIEW_OUTPUT && a->program.used)
		act_look_output(a, r);
	else
		act_look_list(a, r);
}

void act_look_run(struct app *a, enum request r)
{
	struct probes_error e = {0};

	(void)r;
	if (probes_resume(a->model.processes[0].session, &e) < 0)
		app_say_error(a, "run", &e);
	else
		app_say(a, "the program runs");
	app_refresh(a, true);
}

void act_look_retry(struct app *a, enum request r)
{
	(void)r;
	targets_load_again(a);
	if (a->access.can_switch && a->access.can_read)
		a->view = VIEW_LIST;
	else
		app_say(a, "tried again: nothing has changed");
}

void act_look_reopen(struct app *a, enum request r)
{
	pid_t pid = a->model.processes[0].pid;
	struct probes_session *session;
	struct probes_error e = {0};
	char filter[INPUT_SIZE], why[8];
	size_t count;

	(void)r;
	if (probes_open_pid(pid, NULL, &session, &e) < 0) {
		app_say_error(a, "still gone", &e);
		return;
	}
	count = probes_count(session);
	probes_close(session);
	if (!count) {
		app_complain(a, "process %d is another program now, without probes", (int)pid);
		return;
	}
	snprintf(filter, sizeof filter, "%s", a->list.filter_text);
	targets_load_again(a);
	if (list_filter(&a->list, filter, why, sizeof why) == 0)
		app_say(a, "opened process %d as it is now", (int)pid);
}

void act_look_list(struct app *a, enum request r)
{
	(void)r;
	a->view = VIEW_LIST;
}

/* Columns that are never shown as it is are left out. */
static bool act_look_sortable(const struct app *a, enum sort_key key)
{
	struct app_layout l;

	app_areas(a, &l);
	if (key == SORT_PROCESSES)
		return a->model.process_count > 1;
	return key != SORT_ARGUMENTS || (a->model.argued && l.list_columns >= ROWTEXT_WIDE);
}

void act_look_sort(struct app *a, enum request r)
{
	enum sort_key next = a->list.key;

	do
		next = (enum sort_key)((next + 1) % SORT_COUNT);
	while (!act_look_sortable(a, next));
	if (r == REQUEST_INVERT)
		list_sort(&a->list, a->list.key, !a->list.invert);
	else
		list_sort(&a->list, next, false);
	a->message[0] = '\0';
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
	(void)r;
	a->frozen = !a->frozen;
	if (!a->frozen)
		app_refresh(a, true);
	app_say(a, "%s",
		a->frozen ? "frozen: states are those of this moment (Z thaws)" : "thawed");
}

void act_look_read_only(struct app *a, enum request r)
{
	(void)r;
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

void act_look_help(struct app *a, enum request r)
{
	(void)r;
	a->before = a->view;
	help_build(&a->lines, app_where(a), app_have(a), a->columns);
	snprintf(a->heading, sizeof a->heading, "Help: what works here");
	act_look_at_lines(a, VIEW_HELP);
}
