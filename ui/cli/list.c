/*
 * The verbs list and info: print the probes of each target; with -prog from the file alone. Go on
 * with the next process where one fails. Change nothing.
 */
#include "ui/cli/explain.h"
#include "ui/cli/output.h"
#include "ui/cli/verbs.h"
#include "ui/options/targets.h"
#include "ui/words/report.h"

/* Print one process or file. states_needed: only with states. Returns the exit status. */
static int list_one(const struct options *o, const struct probes_member *t, struct output *out,
	bool states_needed)
{
	struct probes_error e;
	struct rows rows;
	int status = PROBES_OK;

	if (!t->session)
		return explain_error(t, &t->error, out->many);
	if (rows_chosen(&rows, t->session, o, &e) < 0)
		return explain_error(t, &e, out->many);
	if (!o->quiet)
		report_leftovers(t->session);
	if (t->pid && rows.count)
		rows.live = probes_refresh(rows.session, NULL, 0, &e) == 0;
	rows_read_hits(&rows);
	if (t->pid && rows.count && !rows.live) {
		status = states_needed || e.status != PROBES_DENIED ? (int)e.status : PROBES_OK;
		if (status || !o->quiet)
			explain_error(t, &e, out->many);
	}
	if (!status && probes_count(t->session) == 0)
		status = explain_nothing(t, o->verbose);
	else if (!status && !o->quiet) {
		explain_unreadable(t, o->verbose);
		explain_translator(t);
	}
	if (!status && o->verbose)
		explain_objects(t->session);
	/* JSON says of each object why it has no probes. */
	if (!status || (status == PROBES_NO_TARGET && o->format == FORMAT_JSON))
		output_print(out, &rows, false);
	rows_done(&rows);
	return status;
}

static int list_all(const struct options *o, void (*text)(struct output *, const struct rows *),
	bool states_needed)
{
	struct report_volume volume;
	struct probes_options engine = targets_engine(o, &volume);
	struct probes_group *group;
	struct tally tally = {.found = options_search(o)};
	struct output out;
	struct probes_error e;
	int written;

	if (targets_open(&group, o, &engine, &e) < 0)
		return report_error(&e);
	output_begin(&out, stdout, o, options_many(o), text);
	for (size_t i = 0; i < probes_group_count(group); i++)
		explain_count(&tally, list_one(o, probes_group_at(group, i), &out, states_needed));
	probes_group_close(group);
	written = output_end(&out, o);
	return written ? written : explain_status(&tally);
}

int list_run(const struct options *o)
{
	return list_all(o, text_rows, false);
}

int info_run(const struct options *o)
{
	return list_all(o, text_info, true);
}
