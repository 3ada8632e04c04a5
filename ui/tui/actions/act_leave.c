/*
 * Leaving. The session's changes are undone first, unless the user leaves them (Q). If the undo
 * fails, the screen stays and says so.
 */
#include "ui/tui/actions/act.h"

#include "ui/tui/app/new_children.h"
#include "ui/tui/app/targets_load.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/line.h"
#include "ui/words/states.h"

#include <signal.h>
#include <stdio.h>

#define ACT_LEAVE_UNDO_MS 30000    /* how long an undo without a user waits for other sessions */
#define ACT_LEAVE_PIDS 5           /* of processes that are named */
#define ACT_LEAVE_PATIENCE_MS 3000 /* between SIGTERM and SIGKILL */

/* An undo of all that this session changed, and what came of it. */
struct act_leave_undo {
	struct app *app;
	const char *children_word; /* what audit and record call the undo in children */
	int status;
	struct probes_error e;
	struct operation *operation; /* the caller's */
	struct new_children_sum children;
	size_t unreverted; /* probes that are still as this session switched them */
};

static void act_leave_undone(void *data, struct probes_undone *undone)
{
	struct act_leave_undo *u = data;
	int status;

	if (undone->newborn || undone->member->child) {
		new_children_undone(u->app, undone, u->children_word, &u->children);
	} else {
		status = operation_undone(u->operation, &u->app->model, undone, &u->e);
		u->status = u->status ? u->status : status;
	}
}

static void act_leave_undo_all(struct app *a, const char *word, const char *children_word,
	const char *remark, unsigned lock_timeout_ms, struct act_leave_undo *u)
{
	struct probes_error e;

	new_children_look(a); /* children are recognized by the states before the undo */
	*u = (struct act_leave_undo){
		.app = a, .children_word = children_word, .operation = operation_new(&a->model)};
	if (a->group &&
		probes_group_restore(a->group, lock_timeout_ms, act_leave_undone, u, &e) < 0 &&
		!u->children.failed++)
		u->children.e = e;
	act_pending_audit(a, word, u->operation);
	script_operation(&a->script, &a->model, remark, u->operation);
	u->unreverted = model_changed(&a->model);
}

/* Undo; false: some changes remain. */
static bool act_leave_undo(struct app *a)
{
	size_t changed = model_changed(&a->model);
	struct act_leave_undo b;
	char said[300];

	/* With a user at the keyboard the screen must not block for long. */
	act_leave_undo_all(a, "undo", "sweep",
		"undo at the end: ", a->leaving.signal ? ACT_LEAVE_UNDO_MS : 0, &b);
	if (b.status < 0)
		app_say_error(
			a, "this session's changes could not be undone (Q leaves them)", &b.e);
	else if (b.unreverted)
		app_complain(a, "%zu probe%s could not be undone (Q leaves %s): %s", b.unreverted,
			line_s(b.unreverted), b.unreverted == 1 ? "it" : "them",
			operation_say(&b.operation->sum, said, sizeof said));
	else if (changed && operation_wrote(b.operation))
		text_addf(a->leaving.farewell, sizeof a->leaving.farewell,
			"undid this session's changes: %s. ",
			operation_say(&b.operation->sum, said, sizeof said));
	else if (changed && states_skips(b.operation->sum.skips, said, sizeof said)[0])
		text_addf(a->leaving.farewell, sizeof a->leaving.farewell, "%s. ", said);
	operation_free(b.operation);
	new_children_say(&b.children, a->leaving.farewell, sizeof a->leaving.farewell);
	if (b.status >= 0 && b.children.failed)
		app_say_error(a,
			"changes that children inherited could not be undone (Q leaves them)",
			&b.children.e);
	a->leaving.failure[0] = '\0';
	if (b.status >= 0 && !b.unreverted && !b.children.failed)
		return true;
	snprintf(a->leaving.failure, sizeof a->leaving.failure, "%.250s",
		b.status < 0        ? text_clean(b.e.what, said, sizeof said)
		: b.children.failed ? text_clean(b.children.e.what, said, sizeof said)
				    : "some probes could not be undone");
	return false;
}

/* Sites that this session counts in a process: by jumps, which stay, or by uprobes, which end with
 * the session. */
static size_t act_leave_sites(const struct model_process *p, bool uprobes)
{
	const struct probes_session *s = p->gone ? NULL : p->session;
	size_t sites = 0;

	for (size_t i = 0; s && i < probes_count(s); i++)
		for (uint32_t k = 0;
			probes_live_at(s, i)->mine_counted && k < probes_at(s, i)->site_count;
			k++) {
			struct probes_site_hits hits = probes_site_hits_at(s, i, k);

			sites += hits.counted && (hits.tactic == PROBES_TACTIC_KERNEL) == uprobes;
		}
	return sites;
}

/* Probes that this session has only counted. */
static size_t act_leave_only_counted(const struct model *m)
{
	size_t probes = 0;

	for (size_t i = 0; i < m->process_count; i++) {
		const struct probes_session *s =
			m->processes[i].gone ? NULL : m->processes[i].session;

		for (size_t k = 0; s && k < probes_count(s); k++)
			probes += probes_live_at(s, k)->mine_counted &&
				  !probes_live_at(s, k)->mine_enabled;
	}
	return probes;
}

/* The counters that do and do not stay, and what ends those. */
static void act_leave_counters(const struct model *m, char *out, size_t size)
{
	size_t sites = 0, uprobes = 0, processes = 0;
	char pids[80] = "", of[96];

	for (size_t i = 0; i < m->process_count; i++) {
		size_t here = act_leave_sites(&m->processes[i], false);

		uprobes += act_leave_sites(&m->processes[i], true);
		sites += here;
		if (here && ++processes <= ACT_LEAVE_PIDS)
			text_addf(pids, sizeof pids, "%s%d", *pids ? "," : "",
				(int)m->processes[i].pid);
	}
	if (processes > 1)
		snprintf(of, sizeof of, "%zu processes", processes);
	else
		snprintf(of, sizeof of, "process %s", pids);
	if (sites)
		text_addf(out, size,
			"%zu site%s of %s %s still counted: probes-tui repair -pid %s%s removes "
			"the counters, as does the end of the next count of the same probes. ",
			sites, line_s(sites), of, sites == 1 ? "is" : "are", pids,
			processes > ACT_LEAVE_PIDS ? ",..." : "");
	if (uprobes)
		text_addf(out, size, "uprobes end with the session: %zu site%s no longer counted. ",
			uprobes, uprobes == 1 ? " is" : "s are");
}

/* The end of the screen; or, if the process was chosen in the picker, back to that. */
static void act_leave_finish(struct app *a)
{
	size_t changed = model_changed(&a->model), counted = act_leave_only_counted(&a->model);
	size_t switched = changed > counted ? changed - counted : 0, probes, children;
	char *farewell = a->leaving.farewell;
	size_t size = sizeof a->leaving.farewell;

	if (a->leaving.how == LEAVE_UNDO && !act_leave_undo(a)) {
		a->leaving.how = LEAVE_NOT;
		return;
	}
	children = new_children_children(a, &probes);
	if (a->leaving.how == LEAVE_AS_IS && a->leaving.failure[0])
		text_addf(farewell, size, "not all was undone: %s. ", a->leaving.failure);
	if (a->leaving.how == LEAVE_AS_IS && switched)
		text_addf(farewell, size, "left %zu probe%s as this session switched %s. ",
			switched, line_s(switched), switched == 1 ? "it" : "them");
	if (a->leaving.how == LEAVE_AS_IS && !(app_have(a) & NEED_HELD))
		act_leave_counters(&a->model, farewell, size);
	if (a->leaving.how == LEAVE_AS_IS && children)
		text_addf(farewell, size, "%zu forked child%s too. ", children,
			children == 1 ? "" : "ren");
	if (a->program.used && !a->program.ended && a->program.ends)
		text_addf(farewell, size, "process %d ends with the screen. ", (int)a->program.pid);
	else if (a->program.used && !a->program.ended && !(app_have(a) & NEED_HELD))
		text_addf(farewell, size, "process %d runs on; its output goes to %s ",
			(int)a->program.pid, a->program.relay.path);
	if (!a->picker.used || a->view == VIEW_PICKER || a->leaving.signal) {
		a->quit = true;
		return;
	}
	targets_load_close(a);
	a->leaving.how = LEAVE_NOT;
	app_open(a, VIEW_PICKER);
	app_hush(a);
	if (*farewell)
		app_say(a, "%s", farewell);
	farewell[0] = '\0';
}

static void act_leave_end_program(struct app *a)
{
	program_signal(&a->program, SIGTERM);
	program_signal(&a->program, SIGCONT); /* a stopped program would not end */
	a->leaving.ending = true;
	a->leaving.since_ms = now_ms();
	app_say(a, "waiting for process %d to end", (int)a->program.pid);
}

void act_leave(struct app *a, enum request r)
{
	a->leaving.how = r == REQUEST_QUIT ? LEAVE_UNDO : LEAVE_AS_IS;
	if (!a->program.used || a->program.ended) {
		act_leave_finish(a);
	} else if (app_have(a) & NEED_HELD) {
		a->question.kind = ASK_HELD;
		snprintf(a->question.text, sizeof a->question.text,
			"The program is held at its start and ends with probes-tui. Type y to "
			"quit; Enter: stay.");
	} else if (a->program.ends) {
		act_leave_end_program(a);
	} else {
		a->question.kind = ASK_PROGRAM;
		snprintf(a->question.text, sizeof a->question.text,
			"Process %d is still running.  e: end it (SIGTERM)  l: leave it, output to "
			"a file  Enter: stay",
			(int)a->program.pid);
	}
}

void act_leave_answer(struct app *a, uint32_t key)
{
	enum app_question_kind question = a->question.kind;

	a->question.kind = ASK_NONE;
	if (question == ASK_PROGRAM && key == 'e') {
		act_leave_end_program(a);
	} else if ((question == ASK_PROGRAM && key == 'l') ||
		   (question == ASK_HELD && key == 'y')) {
		act_leave_finish(a);
	} else {
		a->leaving.how = LEAVE_NOT;
	}
}

void act_leave_wait(struct app *a)
{
	char end[128];

	if (!a->leaving.ending)
		return;
	if (a->program.ended) {
		text_addf(a->leaving.farewell, sizeof a->leaving.farewell, "process %d %s. ",
			(int)a->program.pid, program_end(&a->program, end, sizeof end));
		a->quit = true;
	} else if (now_ms() - a->leaving.since_ms > ACT_LEAVE_PATIENCE_MS) {
		program_signal(&a->program, SIGKILL);
		a->leaving.since_ms = now_ms();
	}
}

void act_leave_lease(struct app *a)
{
	struct act_leave_undo b;
	char said[500];

	if (now_ms() - a->last_key_ms < a->lease_ms || app_lease_remaining(a) != 0)
		return;
	act_leave_undo_all(a, "lease", "lease", "undo by the lease: ", ACT_LEAVE_UNDO_MS, &b);
	app_refresh(a, true);
	operation_say(&b.operation->sum, said, sizeof said - 100);
	if (b.status < 0 || b.children.failed || b.unreverted)
		a->last_key_ms = now_ms(); /* try again when the lease runs out again */
	if (b.status < 0 || b.children.failed) {
		app_say_error(a, "the lease ran out, but not all could be undone",
			b.status < 0 ? &b.e : &b.children.e);
	} else if (b.unreverted) {
		app_complain(a, "the lease ran out, but %zu probe%s could not be undone: %s",
			b.unreverted, line_s(b.unreverted), said);
	} else {
		text_addf(said, sizeof said, "%s", b.children.processes ? "; " : "");
		new_children_say(&b.children, said, sizeof said);
		app_complain(a, "the lease ran out, %sundone: %s",
			operation_wrote(b.operation) || b.children.processes ? "" : "not ", said);
		history_done(&a->history);
	}
	operation_free(b.operation);
}

void act_leave_signal(struct app *a, int signal)
{
	a->leaving.signal = signal;
	a->leaving.how = LEAVE_UNDO;
	act_leave_finish(a);
	if (!a->quit) /* the undo failed, and there is nobody to ask */
		text_addf(a->leaving.farewell, sizeof a->leaving.farewell, "%s ", a->message.text);
	a->quit = true;
}
