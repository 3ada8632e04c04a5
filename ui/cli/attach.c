/*
 * The verb attach: switch probes in running processes and leave them so, or
 * with -for switch them back after a while. When one process fails the others
 * are still switched.
 */
#include <signal.h>

#include "ui/cli/outlet.h"
#include "ui/cli/run_until.h"
#include "ui/cli/signals.h"
#include "ui/cli/verbs.h"
#include "ui/output/outbuf.h"
#include "ui/words/now.h"
#include "ui/words/report.h"

/* Wait, then undo. Returns the exit status: `status`, unless something could not be undone. */
static int attach_for(struct act *a, struct probes_group *group, int status)
{
	struct run_until h = {
		.act = a,
		.group = group,
		.held = "switched",
		.undone = "switched back",
		.undo = "switch-back",
	};
	char seconds[32];
	int sig;

	run_until_seconds(a->options->for_ms, seconds, sizeof seconds);
	for (size_t i = 0; i < probes_group_count(group); i++) {
		const struct probes_member *t = probes_group_at(group, i);
		size_t count = t->session ? probes_owned_count(t->session) : 0;

		if (!count)
			explain_count(&h.tally, PROBES_OK);
		else if (!a->options->quiet)
			report_line("pid %d: %zu probe%s switched for %s s; an interrupt (^C) "
				    "switches back at once",
				t->pid, count, count == 1 ? "" : "s", seconds);
	}
	sig = run_until_wait(&h, now_ms() + (int64_t)a->options->for_ms);
	outlet_keep();
	run_until_undo(&h);
	outlet_end(&sig);
	if (h.tally.bad)
		return explain_status(&h.tally);
	return sig ? 128 + sig : status;
}

static int attach_one(struct act *a, const struct probes_member *t)
{
	const struct actions *actions = &a->options->actions;
	bool done, chosen = false;
	int status;

	status = act_open(a, t);
	if (status)
		return status;
	status = act_one(a, t, &done);
	/* Names were found; other choices may miss probes that could not be read. */
	for (size_t i = 0; i < actions->count; i++)
		chosen = chosen || actions->items[i].by == PROBES_BY_ALL ||
			 actions->items[i].by == PROBES_BY_REGEXP;
	if (!status && !a->options->quiet && chosen)
		explain_unreadable(t, a->options->verbose);
	return status;
}

int attach_run(const struct options *o)
{
	struct report_volume volume;
	struct probes_options engine = targets_engine(o, &volume);
	struct probes_group *group;
	struct tally tally = {.found = options_search(o)};
	struct probes_error e;
	struct act a;
	int status;

	outbuf_outlive();
	status = act_begin(&a, "attach", o,
		o->for_ms && !o->dry_run ? outlet_begin(stdout) : stdout, options_many(o));
	if (status)
		return status;
	if (targets_open(&group, o, &engine, &e) < 0)
		return act_end(&a, report_error(&e));
	if (o->for_ms) {
		signals_prepare(false);
		outlet_until(now_ms() + (int64_t)o->for_ms);
	}
	for (size_t i = 0; i < probes_group_count(group); i++) {
		sigset_t before;

		act_hold_signals(&before);
		explain_count(&tally, attach_one(&a, probes_group_at(group, i)));
		act_restore_signals(&before);
	}
	status = explain_status(&tally);
	/* Whoever reads the output need not wait as long as we do. */
	if (o->for_ms && !o->dry_run)
		status = attach_for(&a, group, act_printed(&a, status));
	probes_group_close(group);
	return act_end(&a, status);
}
