/*
 * Processes that come and go. Opens and adds; closes nothing, since rows and
 * operations may still speak of a process that is gone.
 */
#include "ui/tui/app/workers.h"

#include "ui/tui/app/forked_children.h"
#include "ui/tui/process/scan.h"
#include "ui/tui/terminal/mem.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define WORKERS_POLL_MS 1000
#define WORKERS_DEAR 20  /* looking may take 1/20 of the time */
#define WORKERS_HEIRS 16 /* opened at once, so that no key waits */

struct workers {
	struct scan_identity *passed;
	size_t count, capacity;
	int64_t next_ms;
	bool begun;  /* a first look was taken */
	size_t born; /* by this look */
	pid_t last;
};

void workers_done(struct app *a)
{
	if (a->workers)
		free(a->workers->passed);
	free(a->workers);
	a->workers = NULL;
}

/* ------------------------------------------------------------------ processes */

static bool workers_has(const struct app *a, pid_t pid)
{
	for (size_t i = 0; i < a->model.process_count; i++) {
		if (a->model.processes[i].pid == pid && !a->model.processes[i].gone)
			return true;
	}
	return false;
}

static bool workers_passed(const struct workers *w, const struct scan_identity *id)
{
	for (size_t i = 0; i < w->count; i++) {
		if (scan_same(&w->passed[i], id))
			return true;
	}
	return false;
}

static void workers_pass(struct workers *w, const struct scan_identity *id)
{
	w->passed = mem_grow(w->passed, &w->capacity, w->count + 1, sizeof *w->passed);
	w->passed[w->count++] = *id;
}

/* Forget those that are no longer there. */
static void workers_forget(struct workers *w)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->count; i++)
		if (kill(w->passed[i].pid, 0) == 0 || errno != ESRCH)
			w->passed[kept++] = w->passed[i];
	w->count = kept;
}

/* Take over what the child inherited by fork from a process of this session, even one that has
 * ended: this session must undo it there, too. */
static size_t workers_inherit(struct app *a, struct probes_session *child)
{
	struct probes_error ignored;
	size_t count = 0;

	for (size_t i = 0; !count && i < a->model.process_count; i++)
		if (probes_inherit(child, a->model.processes[i].session, &count, &ignored) < 0)
			count = 0;
	for (size_t i = 0; !count && i < a->heir_count; i++)
		if (probes_inherit(child, a->heirs[i], &count, &ignored) < 0)
			count = 0;
	return count;
}

/* A process that is new to us, with probes, or NULL. */
static struct probes_session *workers_open(struct app *a, pid_t pid, struct scan_identity *id)
{
	struct probes_session *session;
	struct probes_error e = {0};

	if (pid == getpid() || workers_has(a, pid) || forked_children_has(a, pid) ||
		!scan_identify(pid, id) || workers_passed(a->workers, id))
		return NULL;
	if (probes_open_pid(pid, &a->engine, &session, &e) < 0) {
		/* A later look may have more descriptors. */
		if (probes_is_shortage(&e))
			app_say_error(a, "", &e);
		else if (e.status != PROBES_GONE)
			workers_pass(a->workers, id);
		return NULL;
	}
	if (probes_count(session))
		return session;
	probes_close(session);
	workers_pass(a->workers, id);
	return NULL;
}

static bool workers_take(struct app *a, pid_t pid)
{
	struct scan_identity id;
	struct probes_session *session = workers_open(a, pid, &id);
	size_t inherited;

	if (!session)
		return false;
	inherited = workers_inherit(a, session);
	targets_add(&a->targets, session);
	model_add(&a->model, session);
	a->model.processes[a->model.process_count - 1].heir = inherited;
	return true;
}

static void workers_take_all(struct app *a, const pid_t *pids, size_t count)
{
	struct workers *w = a->workers;

	for (size_t i = 0; i < count; i++) {
		if (!workers_take(a, pids[i]))
			continue;
		w->born++;
		w->last = pids[i];
	}
}

/* --------------------------------------------------------------------- heirs */

/* Says whether it took long. */
static bool workers_take_heir(struct app *a, pid_t pid)
{
	struct scan_identity id;
	struct probes_session *session = workers_open(a, pid, &id);
	size_t count = session ? workers_inherit(a, session) : 0;

	if (!session)
		return false;
	if (!count) {
		probes_close(session);
		workers_pass(a->workers, &id);
		return true;
	}
	forked_children_add(a, session);
	app_complain(a,
		"child %d was born with %zu probe%s as this session switched %s; W takes that back "
		"there, and so does q",
		(int)pid, count, count == 1 ? "" : "s", count == 1 ? "it" : "them");
	return true;
}

/* All sessions that may have switched something, including those of ended processes, whose children
 * may live. The caller frees the array. */
static struct probes_session **workers_sessions(const struct app *a, size_t *count)
{
	struct probes_session **all =
		mem_array(a->model.process_count + a->heir_count, sizeof *all);

	*count = 0;
	for (size_t i = 0; i < a->model.process_count; i++)
		all[(*count)++] = a->model.processes[i].session;
	for (size_t i = 0; i < a->heir_count; i++)
		all[(*count)++] = a->heirs[i];
	return all;
}

/* At most so many new ones. */
static void workers_look_for_heirs(struct app *a, bool follow, size_t most)
{
	struct probes_error ignored;
	size_t count, found;
	struct probes_session **all = workers_sessions(a, &count);
	pid_t *pids;

	if (probes_forked(all, count, &pids, &found, &ignored) == 0) {
		if (follow)
			workers_take_all(a, pids, found);
		else
			for (size_t i = 0; i < found && most; i++)
				most -= workers_take_heir(a, pids[i]);
		free(pids);
	}
	free(all);
}

/* ------------------------------------------------------------------- sweeping */

struct workers_sweeping {
	struct app *a;
	const char *verb;
	struct forked_children_sum *sum;
};

static void workers_swept(void *data, const struct probes_swept *swept)
{
	const struct workers_sweeping *w = data;

	forked_children_count_swept(w->a, swept, w->verb, w->sum);
}

void workers_sweep(struct app *a, const char *verb, struct forked_children_sum *sum)
{
	struct workers_sweeping w = {a, verb, sum};
	struct probes_error e;
	size_t count;
	struct probes_session **all = workers_sessions(a, &count);

	if (probes_sweep(all, count, &a->engine, workers_swept, &w, &e) < 0 && !sum->failed++)
		sum->e = e;
	free(all);
}

/* --------------------------------------------------------------------- looks */

/* Under -follow those are left alone that were there before us. */
static void workers_pass_all(struct workers *w, const pid_t *pids, size_t count)
{
	struct scan_identity id;

	for (size_t i = 0; i < count; i++)
		if (scan_identify(pids[i], &id))
			workers_pass(w, &id);
}

static void workers_look_below(struct app *a, pid_t root)
{
	struct probes_error ignored;
	pid_t *pids;
	size_t count;

	if (probes_tree(root, &pids, &count, &ignored) < 0)
		return; /* its root is gone: the others are still shown */
	if (a->workers->begun || a->options->tree)
		workers_take_all(a, pids, count);
	else
		workers_pass_all(a->workers, pids, count);
	free(pids);
}

static void workers_say(struct app *a)
{
	struct workers *w = a->workers;

	list_update(&a->list);
	app_refresh(a, true);
	app_say(a, "%zu process%s born, the last of them %d", w->born,
		w->born == 1 ? " was" : "es were", (int)w->last);
}

static void workers_look_at_most(struct app *a, size_t heirs)
{
	bool follow = a->options->tree || a->options->follow;
	size_t roots = a->model.process_count;

	if (!a->model.process_count)
		return;
	if (!a->workers)
		a->workers = mem_alloc(sizeof *a->workers);
	a->workers->born = 0;
	a->workers->next_ms = app_now_ms() + WORKERS_POLL_MS;
	if (a->options->tree)
		workers_look_below(a, a->options->tree);
	for (size_t i = 0; !a->options->tree && follow && i < roots; i++)
		if (!a->model.processes[i].gone)
			workers_look_below(a, a->model.processes[i].pid);
	workers_look_for_heirs(a, follow, heirs);
	workers_forget(a->workers);
	a->workers->begun = true;
	if (a->workers->born)
		workers_say(a);
	if (!follow)
		return;
	app_title(a); /* some may have ended */
	a->dirty = true;
}

void workers_look(struct app *a)
{
	workers_look_at_most(a, SIZE_MAX);
}

void workers_poll(struct app *a)
{
	int64_t now = app_now_ms();

	if (a->frozen || (a->workers && now < a->workers->next_ms))
		return;
	forked_children_forget_dead(a);
	workers_look_at_most(a, WORKERS_HEIRS);
	if (a->workers)
		a->workers->next_ms += (app_now_ms() - now) * WORKERS_DEAR;
}
