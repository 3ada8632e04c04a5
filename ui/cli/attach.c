/*
 * The verb attach: switch probes in running processes and leave them so, or
 * with -for switch them back after a while.
 *
 * Owns the waiting, and the way back whatever ends it. When one process fails
 * the others are still switched. A process that has ended leaves nothing to
 * undo, which is success; what could not be undone stays recorded for repair.
 */
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "ui/cli/act.h"
#include "ui/cli/explain.h"
#include "ui/cli/verbs.h"
#include "ui/now.h"
#include "ui/report.h"

/* How soon we notice that a process ended or executed another program; no file descriptor shows the
 * latter. */
#define TICK_MS 200

#define UNDO_MS 30000 /* wait for other sessions: no user may be there to try again */

#define LOOK_MS 1000 /* between two searches for forked children */

/* The signals that end the waiting, but for those ignored (nohup): blocked, they would come. */
static sigset_t ending(void)
{
	static const int enders[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction now;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof enders / sizeof *enders; i++)
		if (sigaction(enders[i], NULL, &now) < 0 || now.sa_handler != SIG_IGN)
			sigaddset(&set, enders[i]);
	return set;
}

/* From here on nothing that ends a program politely ends this one before it has switched back. */
static void prepare_to_wait(void)
{
	/* Stopped, we would not switch back in time. */
	static const int stoppers[] = {SIGTSTP, SIGTTIN, SIGTTOU};
	sigset_t set = ending();

	for (size_t i = 0; i < sizeof stoppers / sizeof *stoppers; i++)
		signal(stoppers[i], SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* --------------------------------------------------------------- the waiting */

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

static void born(void *data, const struct probes_member *child)
{
	const struct act *a = data;

	if (!child->session)
		put_short(&child->error);
	else if (!a->options->quiet)
		put_born(child->pid, child->inherited);
}

/* Forked children inherited what is switched: it is undone with the others. */
static void look_for_children(struct act *a, struct probes_group *group)
{
	struct probes_error e;

	if (probes_group_look(group, false, SIZE_MAX, born, a, &e) < 0)
		put_short(&e);
}

/* Wait until the time is over or no process holds a change. Returns the signal that came, or 0. */
static int wait_for_end(struct act *a, struct probes_group *group)
{
	int64_t deadline = now_ms() + (int64_t)a->options->for_ms, look = 0;
	sigset_t set = ending();

	for (int64_t now = now_ms(); now < deadline && probes_group_holds(group); now = now_ms()) {
		int64_t left = deadline - now, nap = left < TICK_MS ? left : TICK_MS;
		struct timespec t = {0, nap * 1000000};
		int sig = sigtimedwait(&set, NULL, &t);

		if (sig > 0)
			return sig;
		if (now < look)
			continue;
		look_for_children(a, group);
		look = now_ms() + LOOK_MS;
	}
	return 0;
}

/* -------------------------------------------------------------- the way back */

struct way_back {
	struct act *act;
	struct tally tally;
};

static void undone(void *data, struct probes_undone *u)
{
	struct way_back *w = data;
	const struct options *o = w->act->options;
	const struct probes_member *t = u->member;
	const struct probes_result *r = u->error ? NULL : u->result;
	bool stuck = r && r->not_done;
	int status = PROBES_OK;
	char done[64];

	if (u->newborn && u->probes && !o->quiet)
		put_born(t->pid, u->probes);
	if (u->error && u->error->status != PROBES_GONE) {
		status = explain_error(t, u->error, w->act->many);
		stuck = !u->newborn; /* else the error says it */
	} else if (u->error && !o->quiet) {
		report_line("pid %d: the process has gone (%s); nothing is left to undo", t->pid,
			u->error->why);
	} else if (r) {
		status = act_note(w->act, "switch-back", t, r);
	}
	if (r && r->done && !o->quiet)
		report_line(
			"pid %d: switched back: %s", t->pid, explain_done(r, done, sizeof done));
	if (r && r->skipped && !o->quiet) { /* their library was unloaded */
		const struct probes_item *first = r->items;
		const struct probes_probe *p;

		while (first->outcome != PROBES_SKIPPED)
			first++;
		p = probes_at(t->session, first->probe);
		report_line("pid %d: not switched back: %zu probe%s (%s:%s%s): %s", t->pid,
			r->skipped, r->skipped == 1 ? "" : "s", p->provider, p->name,
			r->skipped == 1 ? "" : ", ...", first->why);
	}
	if (r && r->not_done) {
		explain_items(t, r, o, false);
		status = PROBES_FAILED;
	}
	if (stuck)
		report_line("pid %d: some of what was switched stays so; when the cause is gone, "
			    "undo it with: probes-tui repair -pid %d",
			t->pid, t->pid);
	explain_count(&w->tally, status);
}

/* Wait, then undo. Returns the exit status: `status`, unless something could not be undone. */
static int hold_for(struct act *a, struct probes_group *group, int status)
{
	unsigned long long ms = a->options->for_ms;
	struct way_back w = {.act = a};
	struct probes_error e;
	char seconds[32]; /* "30", "0.25" */
	int length, sig;

	length = snprintf(seconds, sizeof seconds, "%llu.%03u", ms / 1000, (unsigned)(ms % 1000));
	while (seconds[length - 1] == '0')
		seconds[--length] = '\0';
	if (seconds[length - 1] == '.')
		seconds[--length] = '\0';
	for (size_t i = 0; i < probes_group_count(group); i++) {
		const struct probes_member *t = probes_group_at(group, i);
		size_t count = t->session ? probes_owned_count(t->session) : 0;

		if (!count)
			explain_count(&w.tally, PROBES_OK);
		else if (!a->options->quiet)
			report_line("pid %d: %zu probe%s switched for %s s; an interrupt (^C) "
				    "switches back at once",
				t->pid, count, count == 1 ? "" : "s", seconds);
	}
	sig = wait_for_end(a, group);
	look_for_children(a, group);
	if (probes_group_restore(group, UNDO_MS, undone, &w, &e) < 0) {
		report_error(&e);
		explain_count(&w.tally, (int)e.status);
	}
	if (w.tally.bad)
		return explain_status(&w.tally);
	return sig ? 128 + sig : status;
}

/* ------------------------------------------------------------------ the verb */

static int attach_one(struct act *a, const struct probes_member *t)
{
	const struct actions *actions = &a->options->actions;
	bool done, chosen = false;
	int status;

	if (!t->session)
		return explain_error(t, &t->error, a->many);
	if (!a->options->quiet)
		report_leftovers(t->session);
	if (!probes_count(t->session))
		return explain_nothing(t, a->options->verbose);
	status = act_one(a, t, &done);
	/* Names were found; other choices may miss probes that could not be read. */
	for (size_t i = 0; i < actions->count; i++)
		chosen = chosen || actions->items[i].by == PROBES_BY_ALL ||
			 actions->items[i].by == PROBES_BY_REGEXP;
	if (!status && !a->options->quiet && chosen)
		explain_unread(t, a->options->verbose);
	return status;
}

int attach_run(const struct options *o)
{
	struct report_volume volume;
	struct probes_options engine = targets_engine(o, &volume);
	struct probes_group *group;
	struct tally tally = {0};
	struct probes_error e;
	struct act a;
	int status;

	/* A reader that goes away must not end us between two processes. */
	signal(SIGPIPE, SIG_IGN);
	status = act_begin(&a, "attach", o, stdout, options_many(o));
	if (status)
		return status;
	if (targets_open(&group, o, &engine, &e) < 0) {
		report_error(&e);
		return act_end(&a, (int)e.status);
	}
	if (o->for_ms)
		prepare_to_wait();
	for (size_t i = 0; i < probes_group_count(group); i++) {
		sigset_t before;

		act_hold_signals(&before);
		explain_count(&tally, attach_one(&a, probes_group_at(group, i)));
		act_restore_signals(&before);
	}
	status = explain_status(&tally);
	/* Whoever reads the output need not wait as long as we do. */
	if (o->for_ms && !o->dry_run)
		status = hold_for(&a, group, act_printed(&a, status));
	probes_group_close(group);
	return act_end(&a, status);
}
