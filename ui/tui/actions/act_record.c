/*
 * The record: shown as command lines, written as a script; views written to
 * files; marks.
 */
#include "ui/tui/actions/act_record.h"

#include "ui/tui/operations/command.h"
#include "ui/tui/operations/shell.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/views/save.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---------------------------------------------------------- command lines */

static void act_record_say(struct app *a, const char *what, char *command)
{
	pager_wrap(&a->lines, STYLE_TITLE, "# ", what, a->columns);
	shell_fold(&a->lines, STYLE_PLAIN, command, a->columns);
	pager_addf(&a->lines, STYLE_PLAIN, "%s", "");
	free(command);
}

/* What e and d would act on; the array is the caller's. */
static uint32_t *act_record_chosen(const struct app *a, size_t *count)
{
	uint32_t *ids, id = a->view == VIEW_DETAIL ? a->detail : list_current(&a->list);

	*count = 0;
	if (a->view == VIEW_LIST && !a->model.tagged && list_group(&a->list))
		return list_group_rows(&a->list, list_group(&a->list), count);
	ids = mem_array(a->model.tagged + 2, sizeof *ids);
	if (a->view == VIEW_PAIRS) {
		id = rowlist_current(&a->pair_rows);
		if (id == ROWLIST_NONE)
			return ids;
		ids[(*count)++] = a->pairs.all[id].end; /* in the order of switching on */
		ids[(*count)++] = a->pairs.all[id].start;
		return ids;
	}
	for (size_t i = 0; a->view == VIEW_LIST && i < a->list.sorted_count; i++) {
		if (a->model.rows[a->list.sorted[i]].tag)
			ids[(*count)++] = a->list.sorted[i];
	}
	if (!*count && id != ROWLIST_NONE)
		ids[(*count)++] = id;
	return ids;
}

static void act_record_selection(struct app *a)
{
	size_t count;
	uint32_t *ids = act_record_chosen(a, &count);
	char what[128];

	snprintf(what, sizeof what, "to switch on what is chosen now (%zu probe%s)", count,
		count == 1 ? "" : "s");
	if (count)
		act_record_say(a, what, command_of_rows(&a->model, ids, count, PROBES_ENABLE));
	for (size_t i = 0; a->view == VIEW_PAIRS && i + 1 < count; i += 2) {
		uint32_t end = ids[i];

		ids[i] = ids[i + 1];
		ids[i + 1] = end;
	}
	if (count)
		act_record_say(a, "to switch it off",
			command_of_rows(&a->model, ids, count, PROBES_DISABLE));
	free(ids);
}

void act_record_command(struct app *a, enum request r)
{
	const struct record_entry *last = record_last(&a->record);
	char what[800], when[16];
	struct tm tm;

	(void)r;
	pager_clear(&a->lines);
	if (last) {
		strftime(when, sizeof when, "%H:%M:%S", localtime_r(&last->when, &tm));
		snprintf(what, sizeof what, "last action, %s %s", when, last->text);
		act_record_say(a, what, mem_text(last->command));
	}
	act_record_selection(a);
	a->before = a->view;
	a->view = VIEW_RECORD;
	a->lines.top = 0;
	a->left = 0;
	snprintf(
		a->heading, sizeof a->heading, "As a command line (S writes the session's script)");
}

/* ------------------------------------------------------------------ prompts */

static void act_record_default(const struct app *a, const char *ending, char *out, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;
	char when[32];

	strftime(when, sizeof when, "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	snprintf(out, size, "probes-%d-%s.%s",
		a->model.process_count ? (int)a->model.processes[0].pid : 0, when, ending);
}

void act_record_ask(struct app *a, enum request r)
{
	char name[INPUT_SIZE] = "";

	a->prompt = r == REQUEST_SCRIPT  ? PROMPT_SCRIPT
		    : r == REQUEST_WRITE ? PROMPT_WRITE
					 : PROMPT_MARK;
	if (r != REQUEST_NOTE)
		act_record_default(a, r == REQUEST_SCRIPT ? "sh" : "txt", name, sizeof name);
	input_set(&a->edit, name);
	snprintf(a->prompt_why, sizeof a->prompt_why, "%s",
		r == REQUEST_SCRIPT    ? "a new file for the session as a shell script"
		: r == REQUEST_NOTE    ? "a note for the record: the script, -log, syslog"
		: a->view == VIEW_LIST ? "a new file for this list: .txt, .csv or .json"
				       : "a new file for this text");
}

void act_record_mark(struct app *a, const char *text)
{
	struct probes_error e = {0};

	if (!*text) {
		app_say(a, "no mark: nothing was typed");
		return;
	}
	record_mark(&a->record, text);
	app_say(a, "MARK %s", a->record.all[a->record.count - 1].text);
	for (size_t i = 0; i < a->model.process_count; i++) {
		if (audit_mark(&a->audit, a->model.processes[i].session, text, &e) < 0)
			app_say_error(a, "the mark is in the record, but", &e);
	}
}

/* ------------------------------------------------------------------ files */

static FILE *act_record_open(struct app *a, const char *path)
{
	char why[200], safe[4 * INPUT_SIZE];
	FILE *out = *path ? save_open(path, why, sizeof why) : NULL;

	if (!*path)
		app_say(a, "nothing was written: no file name");
	else if (!out)
		app_complain(a, "cannot write %s: %s", text_clean(path, safe, sizeof safe), why);
	return out;
}

static void act_record_close(struct app *a, const char *path, const char *what, FILE *out)
{
	char why[200], safe[4 * INPUT_SIZE];

	text_clean(path, safe, sizeof safe);
	if (save_close(out, why, sizeof why) < 0)
		app_complain(a, "%s: %s", safe, why);
	else
		app_say(a, "wrote %s to %s", what, safe);
}

void act_record_script(struct app *a, const char *path)
{
	FILE *out = act_record_open(a, path);
	char what[64];
	size_t actions;

	if (!out)
		return;
	actions = record_script(&a->record, &a->model, out);
	snprintf(what, sizeof what, "%zu action%s", actions, actions == 1 ? "" : "s");
	act_record_close(a, path, what, out);
}

void act_record_write(struct app *a, const char *path)
{
	enum save_form form = save_form(path);
	char what[64];
	FILE *out;

	if (form != SAVE_TEXT && a->view != VIEW_LIST) {
		app_complain(a, "only the list is written as CSV or JSON; give it another ending");
		return;
	}
	out = act_record_open(a, path);
	if (!out)
		return;
	save_view(a, form, out);
	if (a->view == VIEW_LIST)
		snprintf(what, sizeof what, "%zu probes as %s", a->list.shown_count,
			form == SAVE_JSON  ? "JSON"
			: form == SAVE_CSV ? "CSV"
					   : "text");
	else
		snprintf(what, sizeof what, "this view");
	act_record_close(a, path, what, out);
}
