/*
 * The verb questions: of the ready questions those that fit the processes or the file, each with
 * the call that answers it. Changes nothing.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ui/cli/explain.h"
#include "ui/cli/outlet.h"
#include "ui/cli/verbs.h"
#include "ui/options/config.h"
#include "ui/options/questions.h"
#include "ui/options/targets.h"
#include "ui/output/emit.h"
#include "ui/output/outbuf.h"
#include "ui/words/report.h"
#include "ui/words/shell.h"

/* -pid 12,13, or what else named them; of a file the call is for a process that runs it. */
static void put_target(FILE *out, const struct options *o)
{
	for (size_t i = 0; i < o->pid_count; i++)
		fprintf(out, "%s%d", i ? "," : "-pid ", (int)o->pids[i]);
	if (o->tree)
		fprintf(out, "-tree %d", (int)o->tree);
	if (o->prog)
		fputs("-pid PID", out);
	if (o->comm) {
		fputs("-comm ", out);
		shell_quote_any(out, o->comm);
	}
}

/* The call, to be pasted into a shell. False: not enough memory. */
static bool put_call(FILE *out, const struct question *q, const struct options *o)
{
	char *buffer = malloc(strlen(q->call) + 1), *words[QUESTIONS_WORDS];
	int n = buffer ? shell_split(q->call, buffer, words, QUESTIONS_WORDS) : -1;

	if (n > 0)
		fprintf(out, "probes-tui %s ", words[0]);
	if (n > 0)
		put_target(out, o);
	for (int i = 1; i < n; i++) {
		fputc(' ', out);
		shell_quote_any(out, words[i]);
	}
	free(buffer);
	return n > 0;
}

static bool put_text(FILE *out, const struct question *q, const struct options *o)
{
	bool done;

	fprintf(out, "%s\n    ", outbuf_safe(q->name));
	done = put_call(out, q, o);
	fputc('\n', out);
	if (q->note)
		fprintf(out, "    (%s)\n", outbuf_safe(q->note));
	if (o->verbose && q->source)
		fprintf(out, "    %s\n", outbuf_safe(q->source));
	return done;
}

static bool emit_one(struct emit *e, const struct question *q, const struct options *o)
{
	char *call = NULL;
	size_t size;
	FILE *out = open_memstream(&call, &size);
	bool done = out && put_call(out, q, o);

	if (out)
		done = fclose(out) == 0 && done;
	emit_element(e, TEXT(question, q->name), TEXT(call, call), TEXT(note, q->note),
		TEXT(source, q->source));
	free(call);
	return done;
}

static bool fits_any(const struct question *q, const struct probes_group *group)
{
	for (size_t i = 0; i < probes_group_count(group); i++) {
		const struct probes_member *t = probes_group_at(group, i);

		if (t->session && questions_fit(q, t->session))
			return true;
	}
	return false;
}

static void note_line(void *data, const char *text)
{
	report_line("%s", text);
}

/* Returns the exit status. */
static int put_all(const struct options *o, const struct probes_group *group,
	const struct questions *questions)
{
	FILE *out = outlet_begin(stdout);
	struct emit e = emit_begin(out, o->format, SCHEMA_QUESTIONS, false);
	bool json = o->format == FORMAT_JSON, done = true;
	size_t count = 0;
	int code;

	if (json)
		emit_list(&e, none);
	for (size_t i = 0; done && i < questions->count; i++) {
		const struct question *q = &questions->all[i];

		if (!fits_any(q, group))
			continue;
		count++;
		done = json ? emit_one(&e, q, o) : put_text(out, q, o);
	}
	emit_end(&e);
	code = outlet_written(out);
	if (!done || code)
		return report_unwritten("the output", done ? code : ENOMEM);
	if (!count && !o->quiet) {
		char path[PATH_MAX];
		bool known =
			config_path(path, sizeof path, "XDG_CONFIG_HOME", ".config", "/questions");

		report_line("none of the questions fits this program; probes-tui list shows the "
			    "probes%s%s",
			known ? "; add your own questions to " : "", known ? path : "");
	}
	return PROBES_OK;
}

int questions_run(const struct options *o)
{
	struct report_volume volume;
	struct probes_options engine = targets_engine(o, &volume);
	struct questions questions = {0};
	struct probes_group *group;
	struct tally tally = {0};
	struct probes_error e;
	int status;

	if (targets_open(&group, o, &engine, &e) < 0)
		return report_error(&e);
	for (size_t i = 0; i < probes_group_count(group); i++) {
		const struct probes_member *t = probes_group_at(group, i);
		int one = PROBES_OK;

		if (!t->session)
			one = explain_error(t, &t->error, probes_group_count(group) > 1);
		else if (!probes_count(t->session))
			one = explain_nothing(t, o->verbose);
		explain_count(&tally, one);
	}
	status = explain_status(&tally);
	if (tally.good) {
		if (questions_load(&questions, note_line, NULL) == 0) {
			int printed = put_all(o, group, &questions);

			status = status ? status : printed;
		} else {
			report_line("not enough memory");
			status = PROBES_FAILED;
		}
		questions_done(&questions);
	}
	probes_group_close(group);
	return status;
}
