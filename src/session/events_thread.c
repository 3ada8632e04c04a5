/*
 * The threads of events: their names, and whether they may make system calls. A seccomp filter may
 * kill a process for a call that its program never makes: if there is one, no thread makes a call
 * for us. A filter can be installed at any time, so we check every EVENTS_CHECK_NS. Forked children
 * often install one: they may make calls only after we have checked them.
 */
#include "session/events.h"

#include "base/now.h"
#include "base/order.h"
#include "count/space.h"
#include "process/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVENTS_THREADS 20000        /* remembered at most */
#define EVENTS_NAMED_NS 500000000   /* a name is read again after this */
#define EVENTS_CHECK_NS 50000000    /* between two looks for filters */
#define EVENTS_ACTIVE_NS 2000000000 /* threads without an event for longer are not looked at */
#define EVENTS_PERMIT_SECONDS 1.0

/* ---- system calls ---- */

/* Has the thread whose status file this is no filter? False as well: it cannot be read. */
static bool events_thread_is_free(int dir, const char *file)
{
	char *status = NULL;
	size_t size;
	bool none;

	if (procfs_read(dir, file, &status, &size) < 0)
		return false;
	none = procfs_status(status, "Seccomp", 1) == 0;
	free(status);
	return none;
}

/* Have all threads of a process none? */
static bool events_thread_all_free(int process)
{
	int tasks = openat(process, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = tasks < 0 ? NULL : fdopendir(tasks);
	struct dirent *entry;
	bool all = list != NULL;
	char file[300];

	while (all && (entry = readdir(list))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof file, "%s/status", entry->d_name);
		/* One that has ended meanwhile makes no call. */
		all = events_thread_is_free(tasks, file) || faccessat(tasks, file, F_OK, 0) < 0;
	}
	if (list)
		closedir(list);
	else if (tasks >= 0)
		close(tasks);
	return all;
}

void events_thread_check(struct probes_session *s, struct events *ev)
{
	ev->no_calls = events_thread_all_free(s->who.proc)
			       ? NULL
			       : "the process has a seccomp filter, which may forbid it";
}

static uint32_t events_thread_window(const struct events_thread *t)
{
	return (uint32_t)(t->key >> 48);
}

static uint16_t events_thread_process(const struct events_thread *t)
{
	return (uint16_t)(t->key >> 32);
}

/* Permit or forbid system calls to a child by fork. */
static void events_thread_set(
	struct probes_session *s, struct events *ev, struct events_thread *t, bool calls)
{
	uint16_t number = events_thread_process(t);
	size_t at = offsetof(struct recorder_state, events) +
		    offsetof(struct events_state, child_calls) + number / 8;
	struct window *w = ARRAY_AT(&s->windows, struct window,
		ARRAY_AT(&ev->windows, struct events_window, events_thread_window(t))->window);
	uint8_t bits = 0;

	if (number == EVENTS_CHILDREN - 1 || !window_get(w, &s->memory, at, &bits, 1))
		return;
	bits = (uint8_t)(calls ? bits | 1u << number % 8 : bits & ~(1u << number % 8));
	t->calls = calls && window_put(w, &s->memory, at, &bits, 1);
}

static bool events_thread_child_is_free(const struct events_thread *t)
{
	char path[32];
	int process;
	bool all;

	snprintf(path, sizeof path, "/proc/%d", (int)t->pid);
	process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	all = process >= 0 && events_thread_all_free(process);
	if (process >= 0)
		close(process);
	return all;
}

/* Does one that made events lately have a filter by now? */
static void events_thread_check_again(struct probes_session *s, struct events *ev, int64_t now)
{
	bool all = events_thread_is_free(s->who.proc, "status");
	char file[48];

	for (size_t i = 0; all && i < ev->threads.count; i++) {
		struct events_thread *t = ARRAY_AT(&ev->threads, struct events_thread, i);

		if (now - t->seen > EVENTS_ACTIVE_NS)
			continue;
		if (events_thread_process(t)) {
			if (t->calls && !events_thread_child_is_free(t))
				events_thread_set(s, ev, t, false);
			continue;
		}
		snprintf(file, sizeof file, "task/%d/status", (int)t->tid);
		all = events_thread_is_free(s->who.proc, file) ||
		      faccessat(s->who.proc, file, F_OK, 0) < 0;
	}
	if (!all && !ev->no_calls)
		ev->no_calls = "the process has installed a seccomp filter meanwhile";
}

void events_thread_permit(struct probes_session *s, struct events *ev, int64_t now)
{
	struct events_mark mark;
	uint64_t until = 0;

	if (now && !ev->no_calls && now - ev->checked >= EVENTS_CHECK_NS) {
		events_thread_check_again(s, ev, now);
		ev->checked = (int64_t)now_ns();
	}
	clock_look(&mark.ticks, &mark.real_ns);
	if (!ev->no_calls)
		until = mark.ticks + (uint64_t)(EVENTS_PERMIT_SECONDS * 1e9 / ev->ns_per_tick);
	for (size_t i = 0; i < ev->windows.count; i++) {
		const struct events_window *ew = ARRAY_AT(&ev->windows, struct events_window, i);

		(void)window_put(ARRAY_AT(&s->windows, struct window, ew->window), &s->memory,
			offsetof(struct recorder_state, events) +
				offsetof(struct events_state, calls),
			&until, sizeof until);
	}
}

/* ---- names ---- */

/* The tid in our pid namespace of a thread of the process, whose own tid this is; 0: unknown. */
static pid_t events_thread_outside(struct probes_session *s, uint32_t thread)
{
	int tasks = openat(s->who.proc, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = tasks < 0 ? NULL : fdopendir(tasks);
	struct dirent *entry;
	pid_t found = 0;
	char file[300];

	while (list && !found && (entry = readdir(list))) {
		char *status = NULL;
		size_t size;

		snprintf(file, sizeof file, "%s/status", entry->d_name);
		if (entry->d_name[0] == '.' || procfs_read(tasks, file, &status, &size) < 0)
			continue;
		if (procfs_status_last(status, "NSpid", 0) == (long)thread)
			found = (pid_t)atoi(entry->d_name);
		free(status);
	}
	if (list)
		closedir(list);
	else if (tasks >= 0)
		close(tasks);
	return found;
}

/* Are both in one pid namespace with us? */
static bool events_thread_is_near(const struct probes_session *s)
{
	uint64_t numbers[2];
	char *status = NULL;
	size_t size, count;

	if (procfs_read(s->who.proc, "status", &status, &size) < 0)
		return true;
	count = procfs_status_numbers(status, "NSpid", 10, numbers, 2);
	free(status);
	return count < 2;
}

/* Is the process of this tid a child by fork of ours: does it map the same window? */
static pid_t events_thread_child(const struct window *w, uint32_t thread)
{
	struct array windows;
	struct identity child = {.pid = (pid_t)thread};
	struct probes_error ignored;
	char path[32], *status = NULL;
	bool same = false;
	pid_t pid = 0;
	size_t size;

	snprintf(path, sizeof path, "/proc/%u", (unsigned)thread);
	child.proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	child.task = child.proc;
	array_init(&windows, sizeof(struct maps_window));
	if (child.proc >= 0 && space_windows(&child, &windows, &ignored) == 0)
		for (size_t i = 0; i < windows.count; i++)
			same = same || ARRAY_AT(&windows, struct maps_window, i)->inode == w->inode;
	if (same && procfs_read(child.proc, "status", &status, &size) == 0)
		pid = (pid_t)procfs_status(status, "Tgid", 0);
	free(status);
	array_done(&windows);
	if (child.proc >= 0)
		close(child.proc);
	return pid;
}

static void events_thread_name(struct probes_session *s, struct events_thread *t)
{
	char path[48], *text = NULL;
	size_t size;
	int r;

	if (events_thread_process(t)) {
		snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)t->pid, (int)t->tid);
		r = procfs_read(AT_FDCWD, path, &text, &size);
	} else {
		snprintf(path, sizeof path, "task/%d/comm", (int)t->tid);
		r = procfs_read(s->who.proc, path, &text, &size);
	}
	/* One that has ended keeps its last name. */
	if (r == 0) {
		size = strcspn(text, "\n");
		size = size < sizeof t->name ? size : sizeof t->name - 1;
		memcpy(t->name, text, size);
		t->name[size] = '\0';
	}
	free(text);
}

static void events_thread_learn(
	struct probes_session *s, struct events *ev, struct events_thread *t)
{
	const struct window *w = ARRAY_AT(&s->windows, struct window,
		ARRAY_AT(&ev->windows, struct events_window, events_thread_window(t))->window);
	uint32_t thread = (uint32_t)t->key;
	bool near = events_thread_is_near(s);

	t->tid = (pid_t)thread;
	if (!events_thread_process(t)) {
		t->pid = s->who.pid;
		if (!near)
			t->tid = events_thread_outside(s, thread);
	} else if (near && thread) {
		t->pid = events_thread_child(w, thread);
	}
}

/* Its place among the threads, which are in order; NULL: it is not there, *at: where it belongs. */
static struct events_thread *events_thread_find(struct events *ev, uint64_t key, size_t *at)
{
	struct events_thread *found;

	*at = order_first(ev->threads.data, ev->threads.count, ev->threads.size,
		offsetof(struct events_thread, key), key);
	found = ARRAY_AT(&ev->threads, struct events_thread, *at);
	return *at < ev->threads.count && found->key == key ? found : NULL;
}

const struct events_thread *events_thread_of(struct probes_session *s, struct events *ev,
	const struct events_pending *from, const struct events_record *record, int64_t now)
{
	static const struct events_thread unknown;
	uint64_t key =
		(uint64_t)from->window << 48 | (uint64_t)record->process << 32 | record->thread;
	struct events_thread *t;
	size_t at;

	t = events_thread_find(ev, key, &at);
	if (!t) {
		if (ev->threads.count == EVENTS_THREADS)
			ev->threads.count = at = 0;
		if (!array_add(&ev->threads))
			return &unknown;
		t = ARRAY_AT(&ev->threads, struct events_thread, at);
		memmove(t + 1, t, (ev->threads.count - 1 - at) * sizeof *t);
		*t = (struct events_thread){.key = key};
		events_thread_learn(s, ev, t);
	}
	t->seen = now;
	if (t->tid && (!t->named || now - t->named > EVENTS_NAMED_NS)) {
		events_thread_name(s, t);
		t->named = now;
		if (record->process && t->pid && !t->calls && !ev->no_calls &&
			events_thread_child_is_free(t))
			events_thread_set(s, ev, t, true);
	}
	return t;
}
