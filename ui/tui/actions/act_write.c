/* The record as a script, views written to files, marks. */
#include "ui/tui/actions/act.h"

#include "ui/output/rows.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/line.h"
#include "ui/words/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void act_write_mark(struct app *a, const char *text)
{
	struct probes_error e = {0};

	if (!*text) {
		app_say(a, "no mark: nothing was typed");
		return;
	}
	script_mark(&a->script, text);
	app_say(a, "MARK %s", a->script.all[a->script.count - 1].text);
	for (size_t i = 0; i < a->model.process_count; i++)
		if (audit_mark(&a->audit, a->model.processes[i].session, text, &e) < 0)
			app_say_error(a, "the mark is in the record, but", &e);
}

/* Create a file that only the user can read. NULL: it failed, and the result line says why. */
static FILE *act_write_open(struct app *a, const char *path)
{
	/* an existing name, a link above all, is not overwritten */
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;
	char safe[4 * INPUT_SIZE];
	FILE *out;
	int fd;

	if (!*path) {
		app_say(a, "nothing was written: no file name");
		return NULL;
	}
	fd = open(path, flags, 0600);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (out)
		return out;
	app_complain(a, "cannot write %s: %s", text_clean(path, safe, sizeof safe),
		errno == EEXIST ? "the file exists, and is not overwritten" : strerror(errno));
	if (fd >= 0)
		close(fd);
	return NULL;
}

static void act_write_close(struct app *a, const char *path, const char *what, FILE *out)
{
	char safe[4 * INPUT_SIZE];
	bool failed = ferror(out);

	text_clean(path, safe, sizeof safe);
	errno = 0;
	failed |= fclose(out) != 0;
	if (failed)
		/* An error noticed earlier has left no errno. */
		app_complain(a, "%s: not all of it could be written: %s; %s", safe,
			errno ? strerror(errno) : "the disk may be full",
			report_write_hint(errno ? errno : ENOSPC));
	else
		app_say(a, "wrote %s to %s", what, safe);
}

void act_write_script(struct app *a, const char *path)
{
	FILE *out = act_write_open(a, path);
	char what[64];
	size_t actions;

	if (!out)
		return;
	actions = script_text(&a->script, &a->model, out);
	snprintf(what, sizeof what, "%zu action%s", actions, line_s(actions));
	act_write_close(a, path, what, out);
}

/* The shown rows' probes, process by process, as the command line writes them. */
static void act_write_sheet(struct app *a, enum format format, FILE *out)
{
	struct output o = {.emit = emit_begin(out, format, SCHEMA_LIST, false)};

	if (a->model.process_count > 1)
		emit_list(&o.emit, none);
	for (size_t i = 0; i < a->model.process_count; i++) {
		const struct model_process *process = &a->model.processes[i];
		struct rows rows = {.session = process->session, .live = !process->unread};
		size_t *probes;

		if (process->gone)
			continue;
		probes = model_probes_of(
			&a->model, i, a->list.shown, a->list.shown_count, &rows.count);
		rows.items = mem_array(rows.count, sizeof *rows.items);
		for (size_t k = 0; k < rows.count; k++)
			rows.items[k].probe = probes[k];
		free(probes);
		rows_emit(&o, &rows, false);
		free(rows.items);
	}
	emit_end(&o.emit);
}

static bool act_write_ends(const char *path, const char *ending)
{
	size_t n = strlen(path), e = strlen(ending);

	return n > e && !strcasecmp(path + n - e, ending);
}

void act_write_view(struct app *a, const char *path)
{
	bool json = act_write_ends(path, ".json"), csv = act_write_ends(path, ".csv");
	char what[64] = "this view";
	FILE *out;

	if ((json || csv) && a->view != VIEW_LIST) {
		app_complain(a, "only the list is written as CSV or JSON; give it another ending");
		return;
	}
	if ((json || csv) && a->replay) {
		app_complain(a, "a recording is written as text; probes-tui replay FILE -format "
				"json prints its events");
		return;
	}
	out = act_write_open(a, path);
	if (!out)
		return;
	if (json || csv)
		act_write_sheet(a, json ? FORMAT_JSON : FORMAT_CSV, out);
	else
		app_view(a)->write(a, out);
	if (a->view == VIEW_LIST)
		snprintf(what, sizeof what, "%zu probes as %s", a->list.shown_count,
			json  ? "JSON"
			: csv ? "CSV"
			      : "text");
	act_write_close(a, path, what, out);
}

static const struct prompt_ops act_write_prompts[] = {
	{.label = "script to: ", .accepted = act_write_script},
	{.label = "write to: ", .accepted = act_write_view},
	{.label = "mark: ", .accepted = act_write_mark},
};

void act_write(struct app *a, enum request r)
{
	int kind = r == REQUEST_SCRIPT ? 0 : r == REQUEST_WRITE ? 1 : 2;
	time_t now = time(NULL);
	struct tm tm;
	char when[32], name[INPUT_SIZE] = "";

	strftime(when, sizeof when, "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	if (r != REQUEST_NOTE)
		snprintf(name, sizeof name, "probes-%d-%s.%s",
			a->model.process_count ? (int)a->model.processes[0].pid : 0, when,
			r == REQUEST_SCRIPT ? "sh" : "txt");
	app_ask(a, &act_write_prompts[kind], "", name, 0);
	snprintf(a->prompt.why, sizeof a->prompt.why, "%s",
		r == REQUEST_SCRIPT    ? "a new file for the session as a shell script"
		: r == REQUEST_NOTE    ? "a mark in the record: the script, -log, syslog"
		: a->view == VIEW_LIST ? "a new file for this list: .txt, .csv or .json"
				       : "a new file for this text");
}
