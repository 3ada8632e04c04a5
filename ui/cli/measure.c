#include "ui/cli/measure.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ui/cli/explain.h"
#include "ui/cli/launch.h"
#include "ui/cli/outlet.h"
#include "ui/cli/result.h"
#include "ui/cli/signals.h"
#include "ui/figures/counting.h"
#include "ui/output/outbuf.h"
#include "ui/words/now.h"
#include "ui/words/report.h"

#define INTERVAL_MS 1000 /* between two tables on a terminal */
#define READ_MS                                                                                  \
	200           /* between two readings: hits in counters of an earlier run, which are not \
			 mapped here, are lost from the last one on when a process ends */
#define CHECK_MS 1000 /* between two comparisons with -max-overhead */

/* Open the processes, or start the program. Returns the exit status. */
static int measure_open(
	struct probes_group **group, const struct options *o, const struct probes_options *engine)
{
	struct probes_member started = {0};
	struct probes_error e;
	int status = PROBES_OK;

	if (!o->prog) {
		if (targets_open(group, o, engine, &e) == 0)
			return PROBES_OK;
		report_error(&e);
		return (int)e.status;
	}
	/* Before the program exists, not after its launcher has run. */
	if (o->read_only && !o->dry_run) {
		report_set(&e, PROBES_REFUSED, -EROFS, "cannot count hits", "",
			"this session is read-only");
		return report_error(&e);
	}
	status = launch_start(&started, o, engine);
	if (!status && (probes_group_new(engine, group, &e) < 0 ||
			       probes_group_add(*group, started.session, &e) < 0)) {
		report_error(&e);
		status = (int)e.status;
	}
	/* A program that is not resumed dies here, before its first instruction. */
	if (status)
		probes_close(started.session);
	return status;
}

int measure_find_one(struct probes_session *session, const struct options *o, const char *name,
	size_t *probe, struct probes_error *e)
{
	struct probes_switch_options narrow = options_switch(o);
	char what[300];
	size_t *some, count;
	int r = probes_find(session, PROBES_BY_NAME, name, &narrow, &some, &count, e);

	if (r < 0)
		return r;
	*probe = some[0];
	free(some);
	if (count == 1)
		return 0;
	snprintf(what, sizeof what, "cannot measure %s", outbuf_safe(name));
	return report_set(e, PROBES_USAGE, -EINVAL, what, "choose one with -object",
		"%zu files have such a probe", count);
}

/*
 * Add the probes of one action. One that is there already was named by another spelling: an error,
 * as if it were spelled the same.
 */
static int add_chosen(struct probes_session *session, size_t **indices,
	struct probes_action *action, const size_t *some, size_t count, struct probes_error *e)
{
	size_t *all = reallocarray(*indices, action->count + count + 1, sizeof *all);
	size_t before = action->count;

	if (!all)
		return probes_failed(e, -ENOMEM, "cannot count the hits");
	action->indices = *indices = all;
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < before; k++)
			if (all[k] == some[i])
				return report_set(e, PROBES_USAGE, -EINVAL, "PROBES",
					"name each probe once", "\"%s\" is named twice",
					outbuf_probe(probes_at(session, some[i])));
		all[action->count++] = some[i];
	}
	return 0;
}

int measure_choose(struct probes_session *session, const struct options *o, bool *found,
	struct probes_action *action, struct probes_error *e)
{
	struct probes_switch_options narrow = options_switch(o);
	size_t *indices = NULL;
	int r = 0;

	*action = (struct probes_action){.verb = PROBES_COUNT, .by = PROBES_BY_INDEX};
	for (size_t i = 0; r == 0 && i < o->actions.count; i++) {
		const struct probes_action *one = &o->actions.items[i];
		size_t *some, count;

		r = probes_find(session, one->by, one->text, &narrow, &some, &count, e);
		if (r == -ENOENT && found) {
			r = 0;
			continue;
		}
		if (r < 0)
			break;
		if (found)
			found[i] = found[i] || count;
		r = add_chosen(session, &indices, action, some, count, e);
		free(some);
	}
	return r;
}

/* Count the sites of an action in one process, and let the verb begin there. Returns the exit
 * status. */
static int begin_action(const struct measure *m, const struct probes_member *member,
	const struct probes_action *action,
	int (*begin)(void *data, const struct probes_member *, const struct probes_action *,
		const struct probes_result *))
{
	struct probes_switch_options how = options_switch(m->options);
	struct probes_result *result = NULL;
	struct probes_error e;
	int status;

	if (probes_refresh(member->session, NULL, 0, &e) < 0 ||
		probes_switch(member->session, action, 1, &how, &result, &e) < 0) {
		if (result && !m->options->quiet)
			explain_items(member, result, m->options, true);
		status = explain_error(member, &e, m->act.many);
	} else {
		status = begin(m->data, member, action, result);
	}
	probes_result_free(result);
	return status;
}

static int begin_process(struct measure *m, const struct probes_member *member)
{
	struct probes_session *session = member->session;
	struct probes_action action = {0};
	struct probes_error e;
	int r, status = act_open(&m->act, member);

	if (status)
		return status;
	r = m->ops->choose ? m->ops->choose(m->data, session, &action, &e)
			   : measure_choose(session, m->options, NULL, &action, &e);
	status = r < 0 ? explain_error(member, &e, m->act.many)
		       : begin_action(m, member, &action, m->ops->begin);
	free((size_t *)action.indices);
	return status;
}

/* For struct later. */
static int begin_more(
	void *data, const struct probes_member *member, const struct probes_action *action)
{
	const struct measure *m = data;

	return begin_action(m, member, action, m->ops->more);
}

void measure_uncount(struct measure *m, const struct probes_member *member, const size_t *probes,
	const struct measure_over *over, size_t count)
{
	struct probes_action action = {
		.verb = PROBES_UNCOUNT, .by = PROBES_BY_INDEX, .indices = probes, .count = count};
	struct probes_result *result = NULL;
	struct probes_error e;
	bool done = probes_switch(member->session, &action, 1, NULL, &result, &e) == 0;
	double most = m->options->max_overhead;
	char cost[200];

	if (!done)
		explain_error(member, &e, m->act.many);
	else if (result)
		act_note(&m->act, "uncount", member, result);
	/* It is said when it is true. */
	for (size_t i = 0; done && i < count; i++)
		report_line("pid %d: %s is no longer counted: %s", (int)member->pid,
			outbuf_probe(probes_at(member->session, probes[i])),
			counting_over_text("hit", over[i].hits, over[i].hit_ns, over[i].ns, most,
				cost, sizeof cost));
	probes_result_free(result);
}

static int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

static void read_figures(struct measure *m)
{
	m->hold.watches = false;
	m->ops->read(m->data);
	m->hold.watches = m->hold.watches || later_waits(&m->later);
}

/* Read until the term, a signal, or the end of all processes or of all measuring; m->how and m->sig
 * say what it was. */
static void wait_for_end(struct measure *m)
{
	const struct measure_ops *ops = m->ops;
	int64_t start = now_ms(), table = m->interval_ms ? start + m->interval_ms : INT64_MAX;
	int64_t end = m->options->for_ms ? start + (int64_t)m->options->for_ms : INT64_MAX;
	const char *over;

	m->checked = now_ns();
	while (!m->sig && now_ms() < end && run_until_goes_on(&m->hold) &&
		!(ops->over && ops->over(m->data)) && !result_reader_gone(m->file)) {
		int64_t next = now_ms() + (m->pause_ms ? m->pause_ms : READ_MS);
		int64_t check = m->checked / 1000000 + CHECK_MS + 1, now;

		m->sig = run_until_wait(&m->hold, least(least(table, check), least(next, end)));
		read_figures(m);
		if (now_ns() - m->checked >= (int64_t)CHECK_MS * 1000000) {
			later_look(&m->later, false);
			m->hold.watches = m->hold.watches || later_waits(&m->later);
			now = now_ns();
			run_until_look_at_jumps(&m->hold, false);
			ops->check(m->data, now - m->checked);
			m->checked = now;
		}
		if (now_ms() < table)
			continue;
		if (!outlet_waits(m->file))
			ops->table(m->data);
		/* Late by more than an interval: no table for what was missed. */
		table += m->interval_ms * (1 + (now_ms() - table) / m->interval_ms);
	}
	over = ops->over ? ops->over(m->data) : NULL;
	m->how = m->sig                         ? strsignal(m->sig)
		 : over                         ? over
		 : now_ms() >= end              ? "the -for time was up"
		 : !run_until_goes_on(&m->hold) ? "the process ended"
						: "the output could not be written";
	later_look(&m->later, true);
}

/* Let a program run on that was held at its start. Returns the exit status. */
static int resume(const struct measure *m)
{
	struct probes_error e;

	for (size_t i = 0; i < probes_group_count(m->group); i++) {
		const struct probes_member *t = probes_group_at(m->group, i);

		if (t->session && probes_held(t->session) && probes_resume(t->session, &e) < 0)
			return explain_error(t, &e, m->act.many);
	}
	return PROBES_OK;
}

/* The program that was started here: its exit status where it has ended, else `status`. `sig`: what
 * ended the call; `held`: what the program is no longer. */
static int measure_leave(const struct options *o, pid_t pid, int sig, int status, const char *held)
{
	siginfo_t info = {0};

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid)
		return status ? status : launch_wait(pid);
	/* What a terminal types reaches the program as well. */
	if (sig == SIGTERM || sig == SIGHUP)
		kill(pid, sig);
	else if (!o->quiet)
		report_line("pid %d: it keeps running, and is no longer %s", pid, held);
	return status;
}

/* From the time of all to the result. Returns the exit status. */
static int measure_and_undo(struct measure *m)
{
	int status;

	m->ops->start(m->data);
	status = resume(m);
	if (status)
		return status;
	wait_for_end(m);
	m->ops->stop(m->data);
	run_until_undo(&m->hold);
	m->ops->end(m->data);
	return PROBES_OK;
}

/* From the opened targets to the end. Returns the exit status. */
static int measure_all(struct measure *m)
{
	const struct measure_ops *ops = m->ops;
	const struct options *o = m->options;
	struct tally tally = {.found = options_search(o)};
	int status, measured;
	sigset_t before;

	/* No reader keeps us from looking at children and at -max-overhead. */
	if (!o->dry_run) {
		signals_prepare(o->prog);
		outlet_keep();
	}
	act_hold_signals(&before);
	for (size_t i = 0; i < probes_group_count(m->group); i++)
		explain_count(&tally, later_begin(&m->later, i)
					      ? begin_process(m, probes_group_at(m->group, i))
					      : PROBES_FAILED);
	act_restore_signals(&before);
	status = explain_status(&tally);
	if (o->dry_run)
		return status;
	if (!tally.good || (ops->any && !ops->any(m->data))) {
		run_until_undo(&m->hold);
		outlet_end(&m->sig);
		return tally.good ? PROBES_FAILED : status;
	}
	measured = measure_and_undo(m);
	outlet_end(&m->sig);
	if (!measured)
		measured = explain_status(&m->hold.tally);
	if (!measured)
		measured = result_written(m->file, o, m->code);
	if (!measured && m->sig)
		measured = 128 + m->sig;
	if (!measured)
		measured = explain_status(&m->hold.ends);
	status = measured ? measured : status;
	return o->prog ? measure_leave(
				 o, probes_group_at(m->group, 0)->pid, m->sig, status, ops->held)
		       : status;
}

int measure_run(
	struct measure *m, const struct options *o, const struct measure_ops *ops, void *data)
{
	struct report_volume volume;
	struct probes_options engine = targets_engine(o, &volume);
	int status;

	m->options = o;
	m->ops = ops;
	m->data = data;
	m->interval_ms = ops->table ? (int64_t)o->interval_ms : 0;
	if (o->verb & (VERB_COUNT | VERB_LATENCY) && !m->interval_ms && o->format <= FORMAT_TEXT &&
		isatty(outlet_descriptor(m->file)))
		m->interval_ms = INTERVAL_MS;
	m->hold = (struct run_until){.act = &m->act,
		.held = ops->held,
		.undone = "no longer counted by this session",
		.undo = "uncount",
		.child = o->prog,
		.measures = true,
		.looks = ops->looks,
		.ends.found = options_search(o)};
	outbuf_outlive();
	status = act_begin(&m->act, ops->verb, o, m->file, options_many(o));
	if (!status) {
		status = measure_open(&m->group, o, &engine);
		m->hold.group = m->group;
		m->later = (struct later){.options = o,
			.group = m->group,
			.ends = &m->hold.ends,
			.many = m->act.many,
			.more = ops->more ? begin_more : NULL,
			.data = m};
		if (!status)
			status = measure_all(m);
		status = act_end(&m->act, status);
	}
	run_until_done(&m->hold);
	later_done(&m->later);
	probes_group_close(m->group);
	return result_close(m->file, o, status);
}
