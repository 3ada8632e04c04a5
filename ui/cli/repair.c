/*
 * The verb repair: undo what interrupted sessions left in running processes.
 *
 * Owns the line that says what was undone. Nothing to repair is success, even
 * if nothing could be written; a record that cannot be checked is a failure.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "ui/cli/act.h"
#include "ui/cli/explain.h"
#include "ui/cli/verbs.h"

/* "session 12" or "sessions 12, 14"; cut where it is full. */
static const char *owners(const struct probes_leftover *left, size_t count, char *out, size_t size)
{
	int used = snprintf(out, size, "session%s", count == 1 ? "" : "s");

	for (size_t i = 0; i < count && used < (int)size; i++)
		used += snprintf(
			out + used, size - (size_t)used, "%s %d", i ? "," : "", left[i].owner);
	return out;
}

static void put_undone(const struct target *t, const struct probes_leftover *left, size_t count,
	const struct probes_result *result)
{
	char who[160];

	owners(left, count, who, sizeof who);
	if (result && result->not_done)
		report_line("pid %d: %zu probe%s could not be repaired now; call repair again when "
			    "the cause is gone",
			t->pid, result->not_done, result->not_done == 1 ? "" : "s");
	else if (!result || !result->edit_count)
		report_line("pid %d: %s left nothing that had to be undone", t->pid, who);
	else
		report_line("pid %d: undid what %s left: %zu probe%s, %zu site%s", t->pid, who,
			result->done, result->done == 1 ? "" : "s", result->sites,
			result->sites == 1 ? "" : "s");
}

/* Where output was asked for there is some, also of nothing. */
static int tell(struct act *a, const struct target *t, const struct probes_result *result)
{
	static const struct probes_result nothing;

	return act_tell(a, t, result ? result : &nothing);
}

static int repair_left(
	struct act *a, const struct target *t, const struct probes_leftover *left, size_t count)
{
	struct probes_result *result;
	struct probes_error e;
	bool done = probes_repair(t->session, &result, &e) == 0;
	int status = PROBES_OK, told;

	if (result && !a->options->quiet)
		explain_items(t, result, a->options);
	if (!done)
		status = explain_error(t, &e, a->many);
	else if (!a->options->quiet)
		put_undone(t, left, count, result);
	/* What the first of several journals said is undone, also where the second failed. */
	told = tell(a, t, result);
	if (!status)
		status = told;
	if (!status && result && result->not_done)
		status = PROBES_FAILED;
	probes_result_free(result);
	return status;
}

/* Children by fork that inherited the changes, and that no session knew. */
struct repair_children {
	struct act *act;
	int status;
};

static void repair_child(void *data, const struct probes_swept *swept)
{
	struct repair_children *c = data;
	const struct target t = {.pid = swept->pid, .session = swept->session};
	const struct probes_result *result = swept->result;
	int status = PROBES_OK;

	if (result) {
		status = act_note(c->act, "repair", &t, result);
		if (!c->act->options->quiet) {
			explain_items(&t, result, c->act->options);
			report_line("pid %d: a child by fork: undid what it inherited: %zu "
				    "probe%s, %zu site%s",
				t.pid, result->done, result->done == 1 ? "" : "s", result->sites,
				result->sites == 1 ? "" : "s");
		}
		if (!status && result->not_done)
			status = PROBES_FAILED;
	}
	if (swept->error)
		status = explain_error(&t, swept->error, c->act->many);
	c->status = c->status ? c->status : status;
}

static int repair_children(
	struct act *a, const struct target *t, const struct probes_options *engine)
{
	struct repair_children c = {.act = a};
	struct probes_error e;

	if (probes_sweep(&t->session, 1, engine, repair_child, &c, &e) < 0)
		return explain_error(t, &e, a->many);
	return c.status;
}

/* Move the records that can be repaired to the front, and report the others; returns how many can
 * be. */
static size_t put_unjudged(const struct target *t, struct probes_leftover *left, size_t count)
{
	size_t judged = 0;

	for (size_t i = 0; i < count; i++)
		if (!*left[i].unjudged)
			left[judged++] = left[i];
		else
			report_line("pid %d: changes may remain: could not check %s", t->pid,
				left[i].unjudged);
	return judged;
}

static int repair_one(struct act *a, const struct target *t, const struct probes_options *engine)
{
	struct probes_leftover *left;
	struct probes_error e;
	size_t count, judged;
	int status;

	if (!t->session)
		return explain_error(t, &t->error, a->many);
	if (probes_leftovers(t->session, &left, &count, &e) < 0)
		return explain_error(t, &e, a->many);
	judged = put_unjudged(t, left, count);
	if (!count && !a->options->quiet)
		report_line("pid %d: nothing to repair", t->pid);
	status = judged ? repair_left(a, t, left, judged) : tell(a, t, NULL);
	if (judged && !status)
		status = repair_children(a, t, engine);
	free(left);
	return status || judged == count ? status : PROBES_FAILED;
}

static int repair_all(struct act *a)
{
	struct report_volume volume;
	struct probes_options engine = targets_engine(a->options, &volume);
	struct tally tally = {0};
	struct probes_error e;
	struct targets t;

	if (targets_open(&t, a->options, &engine, &e) < 0) {
		report_error(&e);
		return (int)e.status;
	}
	for (size_t i = 0; i < t.count; i++) {
		sigset_t before;

		act_hold_signals(&before);
		explain_count(&tally, repair_one(a, &t.items[i], &engine));
		act_restore_signals(&before);
	}
	targets_close(&t);
	return explain_status(&tally);
}

int repair_run(const struct options *o)
{
	struct act a;
	int status;

	signal(SIGPIPE, SIG_IGN);
	status = act_begin(&a, "repair", o, stdout, options_many(o));
	return status ? status : act_end(&a, repair_all(&a));
}
