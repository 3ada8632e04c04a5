/*
 * The verb attach: switch probes in running processes and leave them so, or
 * with -for switch them back after a while.
 *
 * Owns going on with the other processes when one fails. Says nothing on
 * success unless asked.
 */
#include <signal.h>

#include "ui/cli/act.h"
#include "ui/cli/attach_for.h"
#include "ui/cli/explain.h"
#include "ui/cli/verbs.h"
#include "ui/report.h"

/* Does any action select probes other than by their names? */
static bool chooses(const struct options *o)
{
	for (size_t i = 0; i < o->actions.count; i++)
		if (o->actions.items[i].by == PROBES_BY_ALL ||
			o->actions.items[i].by == PROBES_BY_REGEXP)
			return true;
	return false;
}

static int attach_one(struct act *a, const struct target *t)
{
	bool done;
	int status;

	if (!t->session)
		return explain_error(t, &t->error, a->many);
	if (!a->options->quiet)
		report_leftovers(t->session);
	if (!probes_count(t->session))
		return explain_nothing(t, a->options->verbose);
	status = act_one(a, t, &done);
	if (!status && !a->options->quiet && chooses(a->options))
		explain_unread(t, a->options->verbose);
	return status;
}

static int attach_all(struct act *a)
{
	struct report_volume volume;
	struct probes_options engine = targets_engine(a->options, &volume);
	struct tally tally = {0};
	struct probes_error e;
	struct targets t;
	int status;

	if (targets_open(&t, a->options, &engine, &e) < 0) {
		report_error(&e);
		return (int)e.status;
	}
	if (a->options->for_ms)
		attach_for_prepare();
	for (size_t i = 0; i < t.count; i++) {
		sigset_t before;

		act_hold_signals(&before);
		explain_count(&tally, attach_one(a, &t.items[i]));
		act_restore_signals(&before);
	}
	status = explain_status(&tally);
	/* Whoever reads the output need not wait as long as we do. */
	if (a->options->for_ms && !a->options->dry_run)
		status = attach_for_run(a, &t, &engine, act_printed(a, status));
	targets_close(&t);
	return status;
}

int attach_run(const struct options *o)
{
	struct act a;
	int status;

	/* A reader that goes away must not end us between two processes. */
	signal(SIGPIPE, SIG_IGN);
	status = act_begin(&a, "attach", o, stdout, options_many(o));
	return status ? status : act_end(&a, attach_all(&a));
}
