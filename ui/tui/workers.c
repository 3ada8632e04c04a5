/*
 * Processes that come and go. Opens and adds; closes nothing, since rows and
 * deeds may still speak of a process that is gone.
 */
#include "ui/tui/workers.h"

#include "ui/tui/mem.h"
#include "ui/tui/scan.h"

#include <stdlib.h>
#include <unistd.h>

#define WORKERS_POLL_MS 1000

struct workers {
	struct scan_identity *passed;
	size_t count, capacity;
	int64_t next_ms;
};

void workers_done(struct app *a)
{
	if (a->workers)
		free(a->workers->passed);
	free(a->workers);
	a->workers = NULL;
}

/* -------------------------------------------------------------------- births */

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
static void workers_forget(struct workers *w, const pid_t *pids, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->count; i++) {
		bool there = false;

		for (size_t j = 0; j < count && !there; j++)
			there = pids[j] == w->passed[i].pid;
		if (there)
			w->passed[kept++] = w->passed[i];
	}
	w->count = kept;
}

static bool workers_take(struct app *a, pid_t pid)
{
	struct probes_session *session;
	struct probes_error e = {0};
	struct scan_identity id;

	if (pid == getpid() || workers_has(a, pid) || !scan_identify(pid, &id) ||
		workers_passed(a->workers, &id))
		return false;
	if (probes_open_pid(pid, &a->engine, &session, &e) < 0) {
		if (e.status != PROBES_GONE)
			workers_pass(a->workers, &id);
		return false;
	}
	if (!probes_count(session)) {
		probes_close(session);
		workers_pass(a->workers, &id);
		return false;
	}
	targets_add(&a->targets, session);
	model_add(&a->model, session);
	return true;
}

void workers_poll(struct app *a)
{
	struct probes_error e = {0};
	pid_t *pids, last = 0;
	size_t count, born = 0;

	if (!a->options->tree || a->frozen || !a->model.process_count)
		return;
	if (!a->workers)
		a->workers = mem_alloc(sizeof *a->workers);
	if (app_now_ms() < a->workers->next_ms)
		return;
	a->workers->next_ms = app_now_ms() + WORKERS_POLL_MS;
	if (probes_tree(a->options->tree, &pids, &count, &e) < 0)
		return; /* its root is gone: the others are still shown */
	for (size_t i = 0; i < count; i++) {
		if (workers_take(a, pids[i])) {
			born++;
			last = pids[i];
		}
	}
	workers_forget(a->workers, pids, count);
	free(pids);
	if (born) {
		list_update(&a->list);
		app_refresh(a, true);
		app_say(a, "%zu process%s born, the last of them %d", born,
			born == 1 ? " was" : "es were", (int)last);
	}
	app_title(a);
	a->dirty = true;
}
