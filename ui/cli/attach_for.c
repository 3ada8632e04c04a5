/*
 * -for: probes that are switched for a while.
 *
 * Owns the waiting and the way back, whatever ends the waiting. A process that
 * has gone leaves nothing to undo, which is success; what could not be undone
 * stays on record for repair.
 */
#include "ui/cli/attach_for.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ui/cli/explain.h"
#include "ui/report.h"

/* How soon we notice that a process ended or became another program: the latter no file
 * descriptor tells. */
#define TICK_MS 200

#define UNDO_MS 30000 /* wait for other sessions: no user may be there to try again */

#define LOOK_MS 1000 /* how often children are looked for */

static const int enders[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* --------------------------------------------------------------- the signals */

/* The signals that end the waiting. What is ignored (nohup) stays so: blocked, it would come. */
static sigset_t ending(void)
{
	struct sigaction now;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof enders / sizeof *enders; i++)
		if (sigaction(enders[i], NULL, &now) < 0 || now.sa_handler != SIG_IGN)
			sigaddset(&set, enders[i]);
	return set;
}

void attach_for_prepare(void)
{
	/* Stopped, we would not switch back in time. */
	static const int stoppers[] = {SIGTSTP, SIGTTIN, SIGTTOU};
	sigset_t set = ending();

	for (size_t i = 0; i < sizeof stoppers / sizeof *stoppers; i++)
		signal(stoppers[i], SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* ------------------------------------------------------------- the children */

/* Is there anything in it that is ours to undo? */
static bool changed(const struct target *t)
{
	return t->session && probes_owned_count(t->session);
}

static bool is_known(const struct targets *targets, pid_t pid)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i].pid == pid)
			return true;
	return false;
}

static bool inherited(
	const struct targets *targets, size_t parents, struct probes_session *child, size_t *count)
{
	struct probes_error e;

	*count = 0;
	for (size_t i = 0; i < parents && !*count; i++)
		if (changed(&targets->items[i]) &&
			probes_inherit(child, targets->items[i].session, count, &e) < 0)
			*count = 0;
	return *count;
}

static void put_born(pid_t pid, size_t count)
{
	report_line("pid %d: a child by fork, born with %zu probe%s switched", pid, count,
		count == 1 ? "" : "s");
}

/* Without descriptors or memory to open a child, it may stay switched: report that once. */
static void put_short(const struct probes_error *e)
{
	static bool said;

	if (!said && probes_is_shortage(e))
		report_error(e);
	said = said || probes_is_shortage(e);
}

static void adopt(struct targets *targets, size_t parents, pid_t pid, const struct options *o,
	const struct probes_options *engine)
{
	struct probes_session *child;
	struct probes_error e;
	size_t count;

	if (is_known(targets, pid))
		return;
	if (probes_open_pid(pid, engine, &child, &e) < 0) {
		put_short(&e);
		return; /* what may be gone by now is no child of this session's making */
	}
	if (!inherited(targets, parents, child, &count)) {
		probes_close(child);
		return;
	}
	if (!o->quiet)
		put_born(pid, count);
	targets_add(targets, child);
}

/* The caller frees the array; NULL: no memory. */
static struct probes_session **sessions_of(const struct targets *targets, size_t *count)
{
	struct probes_session **sessions = calloc(targets->count + 1, sizeof *sessions);

	*count = 0;
	for (size_t i = 0; sessions && i < targets->count; i++)
		if (targets->items[i].session)
			sessions[(*count)++] = targets->items[i].session;
	return sessions;
}

/* Children by fork took along what is switched: they are undone with the others. */
static void adopt_all(
	struct targets *targets, const struct options *o, const struct probes_options *engine)
{
	size_t parents = targets->count, count, found;
	struct probes_session **sessions = sessions_of(targets, &count);
	struct probes_error e;
	pid_t *pids;

	if (sessions && probes_forked(sessions, count, &pids, &found, &e) < 0) {
		put_short(&e);
	} else if (sessions) {
		for (size_t i = 0; i < found; i++)
			adopt(targets, parents, pids[i], o, engine);
		free(pids);
	}
	free(sessions);
}

/* --------------------------------------------------------------- the waiting */

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static bool any_left(const struct targets *targets)
{
	struct probes_error e;

	for (size_t i = 0; i < targets->count; i++)
		if (changed(&targets->items[i]) && probes_alive(targets->items[i].session, &e) == 0)
			return true;
	return false;
}

/* The signal that ended it, or 0. Children are looked for while their parents live. */
static int wait_for_end(
	struct targets *targets, const struct options *o, const struct probes_options *engine)
{
	uint64_t deadline = now_ms() + o->for_ms, look = 0;
	sigset_t set = ending();

	for (uint64_t now = now_ms(); now < deadline && any_left(targets); now = now_ms()) {
		uint64_t left = deadline - now, nap = left < TICK_MS ? left : TICK_MS;
		struct timespec t = {0, (long)nap * 1000000};
		int sig = sigtimedwait(&set, NULL, &t);

		if (sig > 0)
			return sig;
		if (now < look)
			continue;
		adopt_all(targets, o, engine);
		look = now_ms() + LOOK_MS;
	}
	return 0;
}

/* -------------------------------------------------------------- the way back */

static void put_undone(const struct target *t, const struct probes_result *result)
{
	report_line("pid %d: switched back: %zu probe%s, %zu site%s", t->pid, result->done,
		result->done == 1 ? "" : "s", result->sites, result->sites == 1 ? "" : "s");
}

/* What went with a library that was unloaded. */
static void put_skipped(const struct target *t, const struct probes_result *result)
{
	const struct probes_item *first = result->items;
	const struct probes_probe *p;

	while (first->outcome != PROBES_SKIPPED)
		first++;
	p = probes_at(t->session, first->probe);

	report_line("pid %d: not switched back: %zu probe%s (%s:%s%s): %s", t->pid, result->skipped,
		result->skipped == 1 ? "" : "s", p->provider, p->name,
		result->skipped == 1 ? "" : ", ...", first->why);
}

static void put_stuck(pid_t pid)
{
	report_line("pid %d: some of what was switched stays so; when the cause is gone, undo it "
		    "with: probes-tui repair -pid %d",
		pid, pid);
}

/* It could not be undone now: the journal stays, since the session is not closed. */
static void stuck(struct target *t)
{
	put_stuck(t->pid);
	targets_abandon(t);
}

static int undone(struct act *a, struct target *t, const struct probes_result *result)
{
	int status = act_note(a, "switch-back", t, result);

	if (result->done && !a->options->quiet)
		put_undone(t, result);
	if (result->skipped && !a->options->quiet)
		put_skipped(t, result);
	if (!result->not_done)
		return status;
	explain_items(t, result, a->options);
	stuck(t);
	return PROBES_FAILED;
}

static int undo(struct act *a, struct target *t)
{
	struct probes_result *result;
	struct probes_error e;
	int status = PROBES_OK;

	if (!changed(t))
		return PROBES_OK;
	probes_set_patience(t->session, UNDO_MS);
	if (probes_restore(t->session, &result, &e) == 0) {
		status = result ? undone(a, t, result) : PROBES_OK;
	} else if (e.status != PROBES_GONE) {
		status = explain_error(t, &e, a->many);
		stuck(t);
	} else if (!a->options->quiet) {
		report_line("pid %d: the process has gone (%s); nothing is left to undo", t->pid,
			e.why);
	}
	probes_result_free(result);
	return status;
}

/* The children that were born while their parents were undone. */
struct newborn {
	struct act *act;
	struct tally *tally;
};

static void undone_newborn(void *data, const struct probes_swept *swept)
{
	struct newborn *n = data;
	struct target t = {.pid = swept->pid, .session = swept->session};
	bool quiet = n->act->options->quiet;
	int status = PROBES_OK;

	if (swept->probes && !quiet)
		put_born(swept->pid, swept->probes);
	if (swept->result) {
		status = act_note(n->act, "switch-back", &t, swept->result);
		if (swept->result->done && !quiet)
			put_undone(&t, swept->result);
		if (swept->result->not_done) {
			explain_items(&t, swept->result, n->act->options);
			put_stuck(swept->pid);
			status = PROBES_FAILED;
		}
	}
	if (swept->error)
		status = explain_error(&t, swept->error, n->act->many);
	explain_count(n->tally, status);
}

static void undo_newborn(struct act *a, struct probes_session *const *sessions, size_t count,
	const struct probes_options *engine, struct tally *tally)
{
	struct newborn n = {a, tally};
	struct probes_error e;

	if (probes_sweep(sessions, count, engine, undone_newborn, &n, &e) < 0) {
		report_error(&e);
		explain_count(tally, (int)e.status);
	}
}

/* "30 s", "0.25 s" */
static const char *span(uint64_t ms, char *out, size_t size)
{
	int n = snprintf(
		out, size, "%llu.%03u", (unsigned long long)ms / 1000, (unsigned)(ms % 1000));

	while (out[n - 1] == '0')
		out[--n] = '\0';
	if (out[n - 1] == '.')
		out[--n] = '\0';
	return out;
}

static void put_waiting(const struct targets *targets, uint64_t ms)
{
	char seconds[32];

	span(ms, seconds, sizeof seconds);
	for (size_t i = 0; i < targets->count; i++) {
		const struct target *t = &targets->items[i];
		size_t mine = changed(t) ? probes_owned_count(t->session) : 0;

		if (mine)
			report_line("pid %d: %zu probe%s switched for %s s; an interrupt (^C) "
				    "switches back at once",
				t->pid, mine, mine == 1 ? "" : "s", seconds);
	}
}

int attach_for_run(
	struct act *a, struct targets *targets, const struct probes_options *engine, int status)
{
	struct tally tally = {0};
	struct probes_session **sessions;
	size_t count;
	int sig;

	if (!a->options->quiet)
		put_waiting(targets, a->options->for_ms);
	sig = wait_for_end(targets, a->options, engine);
	adopt_all(targets, a->options, engine);
	sessions = sessions_of(targets, &count);
	for (size_t i = 0; i < targets->count; i++)
		explain_count(&tally, undo(a, &targets->items[i]));
	if (sessions)
		undo_newborn(a, sessions, count, engine, &tally);
	free(sessions);
	if (tally.bad)
		return explain_status(&tally);
	return sig ? 128 + sig : status;
}
