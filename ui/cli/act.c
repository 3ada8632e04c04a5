/* Switch, explain, audit, print: in that order. */
#include "ui/cli/act.h"

#include "ui/cli/explain.h"
#include "ui/output/outbuf.h"

int act_begin(struct act *a, const char *verb, const struct options *o, FILE *file, bool many)
{
	struct probes_error e;

	*a = (struct act){
		.verb = verb,
		.options = o,
		.many = many,
		/* count prints tables of its own. */
		.printing = o->dry_run || (o->format != FORMAT_UNSET && !(o->verb & VERB_MEASURE)),
	};
	if (audit_open(&a->audit, o, &e) < 0)
		return report_error(&e);
	if (a->printing)
		output_begin(&a->output, file, o, many, text_rows);
	return PROBES_OK;
}

/* Print the probes that were switched, as they are now, or what would be written. */
static int print(struct act *a, const struct probes_member *t, const struct probes_result *result)
{
	struct probes_error e;
	struct rows rows;
	int status = PROBES_OK;

	if (rows_acted(&rows, t->session, result, &e) < 0 ||
		(rows.count && rows_refresh(&rows, &e) < 0))
		status = explain_error(t, &e, a->many);
	if (!status)
		output_print(&a->output, &rows, a->options->dry_run);
	rows_done(&rows);
	return status;
}

int act_open(const struct act *a, const struct probes_member *t)
{
	if (!t->session)
		return explain_error(t, &t->error, a->many);
	if (!a->options->quiet)
		report_leftovers(t->session);
	return probes_count(t->session) ? PROBES_OK : explain_nothing(t, a->options->verbose);
}

int act_note(struct act *a, const char *verb, const struct probes_member *t,
	const struct probes_result *result)
{
	struct probes_error e;

	if (a->options->dry_run || audit_note(&a->audit, verb, t->session, result, &e) == 0)
		return PROBES_OK;
	return explain_error(t, &e, a->many);
}

int act_tell(struct act *a, const struct probes_member *t, const struct probes_result *result)
{
	int noted = act_note(a, a->verb, t, result);
	int printed = a->printing ? print(a, t, result) : PROBES_OK;

	return noted ? noted : printed;
}

int act_one(struct act *a, const struct probes_member *t, bool *done)
{
	struct probes_switch_options how = options_switch(a->options);
	const struct actions *actions = &a->options->actions;
	struct probes_result *result = NULL;
	struct probes_error e;
	int status = PROBES_OK;

	*done = probes_switch(t->session, actions->items, actions->count, &how, &result, &e) == 0;
	if (result && !a->options->quiet)
		explain_items(t, result, a->options, !*done);
	if (!*done) {
		status = explain_error(t, &e, a->many);
		if (result && a->printing && !a->options->dry_run)
			print(a, t, result);
	} else if (result) {
		explain_stop(t, result, a->options);
		status = act_tell(a, t, result);
	}
	if (!status && result && result->cannot_enable)
		status = explain_cannot_enable(t, result, a->many);
	if (!status && result && result->not_done)
		status = PROBES_FAILED;
	/* A dry run exits as the switch itself would. */
	if (!status && result && result->no_room)
		status = PROBES_REFUSED;
	probes_result_free(result);
	return status;
}

void act_hold_signals(sigset_t *before)
{
	static const int held[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof held / sizeof *held; i++)
		sigaddset(&set, held[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

void act_restore_signals(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

int act_printed(struct act *a, int status)
{
	bool printing = a->printing;
	int written;

	a->printing = false;
	written = printing ? output_end(&a->output, a->options) : PROBES_OK;
	return status ? status : written;
}

int act_end(struct act *a, int status)
{
	audit_close(&a->audit);
	return act_printed(a, status);
}
