/*
 * Print the probes of each target.
 *
 * Owns the way of list and info: open, choose, read the states, print, and go
 * on with the next process when one fails. Changes nothing anywhere.
 */
#include "ui/cli/show.h"

#include "ui/cli/explain.h"
#include "ui/cli/output.h"
#include "ui/report.h"

struct show {
	const struct options *options;
	const struct show_style *style;
	struct output output;
	bool many;
};

/* The exit status; 0 also where only the states are missing and the style can do without. */
static int read_states(struct show *w, const struct probes_member *t, struct rows *rows)
{
	struct probes_error e;
	bool needed = w->style->states_needed;

	if (!t->pid || !rows->count)
		return PROBES_OK;
	rows->live = probes_refresh(rows->session, NULL, 0, &e) == 0;
	if (rows->live)
		return PROBES_OK;
	if (e.status != PROBES_DENIED)
		needed = true;
	if (needed || !w->options->quiet)
		explain_error(t, &e, w->many);
	return needed ? (int)e.status : PROBES_OK;
}

/* Some probes are listed; explain which objects are missing. */
static void explain_some(const struct show *w, const struct probes_member *t)
{
	if (!w->options->quiet)
		explain_unread(t, w->options->verbose);
	if (w->options->verbose)
		explain_objects(t->session);
}

static int show_one(struct show *w, const struct probes_member *t)
{
	struct probes_error e;
	struct rows rows;
	int status;

	if (!t->session)
		return explain_error(t, &t->error, w->many);
	if (rows_chosen(&rows, t->session, w->options, &e) < 0)
		return explain_error(t, &e, w->many);
	if (!w->options->quiet)
		report_leftovers(t->session);
	status = read_states(w, t, &rows);
	if (!status && probes_count(t->session) == 0)
		status = explain_nothing(t, w->options->verbose);
	else if (!status)
		explain_some(w, t);
	/* A program reads why each object has no probes. */
	if (!status || (status == PROBES_NO_TARGET && w->options->format == FORMAT_JSON))
		output_rows(&w->output, &rows);
	rows_done(&rows);
	return status;
}

int show_run(const struct options *o, const struct show_style *style)
{
	struct show w = {.options = o, .style = style, .many = options_many(o)};
	struct report_volume volume;
	struct probes_options engine = targets_engine(o, &volume);
	struct tally tally = {0};
	struct probes_error e;
	struct probes_group *group;

	if (targets_open(&group, o, &engine, &e) < 0) {
		report_error(&e);
		return (int)e.status;
	}
	output_begin(&w.output, stdout, o, w.many, style->text);
	for (size_t i = 0; i < probes_group_count(group); i++)
		explain_count(&tally, show_one(&w, probes_group_at(group, i)));
	probes_group_close(group);
	if (output_end(&w.output, &e) < 0) {
		report_error(&e);
		return (int)e.status;
	}
	return explain_status(&tally);
}
