/*
 * The public call that undoes changes in children by fork that were born while
 * the changes were undone in their parents. Owns the repeated search;
 * session/fork.c decides what a child has inherited.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/procfs.h"
#include "process/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SWEEP_MS 5000
#define SWEEP_RECENT 1000 /* clock ticks: an older change is not part of this undo */

/* A process without any change of ours since `clean`, in clock ticks since boot. */
struct sweep_known {
	pid_t pid;
	uint64_t start, clean;
};

struct sweep {
	struct probes_session *const *sessions;
	size_t count;
	struct probes_options options;
	void (*each)(void *data, const struct probes_swept *swept);
	void *data;
	struct array known; /* struct sweep_known, by pid */
	uint64_t begun;     /* clock ticks */
	uint64_t last;      /* likewise: of the last undo */
	int64_t deadline;   /* ms */
	bool found;         /* any child, in this search */
};

static int64_t sweep_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- who is known ---- */

static int sweep_by_pid(const void *a, const void *b)
{
	const struct sweep_known *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* The entries before `sorted` are in order. */
static const struct sweep_known *sweep_find(const struct sweep *w, size_t sorted, pid_t pid)
{
	const struct sweep_known wanted = {.pid = pid};

	return sorted ? bsearch(&wanted, w->known.data, sorted, sizeof wanted, sweep_by_pid) : NULL;
}

static bool sweep_know(struct sweep *w, pid_t pid, uint64_t start)
{
	struct sweep_known *k = array_add(&w->known);

	if (k)
		*k = (struct sweep_known){pid, start, procfs_now()};
	return k;
}

/* The last entry of a pid is the live process. */
static void sweep_sort(struct sweep *w)
{
	struct sweep_known *k = w->known.data;
	size_t kept = 0;

	if (!w->known.count)
		return;
	qsort(k, w->known.count, sizeof *k, sweep_by_pid);
	for (size_t i = 0; i < w->known.count; i++) {
		if (kept && k[kept - 1].pid == k[i].pid) {
			if (k[i].start > k[kept - 1].start)
				k[kept - 1] = k[i];
		} else {
			k[kept++] = k[i];
		}
	}
	w->known.count = kept;
}

static bool sweep_begin(struct sweep *w)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct probes_session *s = w->sessions[i];

		if (!s->process || !s->first_switch_ticks || s->doubtful)
			continue;
		if (!sweep_know(w, s->who.pid, s->who.start_time))
			return false;
		if (probes_owned_count(s))
			ARRAY_AT(&w->known, struct sweep_known, w->known.count - 1)->clean =
				UINT64_MAX - SESSION_BIRTH;
	}
	sweep_sort(w);
	return true;
}

/* ---- one child ---- */

/* The possible parents of a child: its ppid first, of which it is certainly a copy. */
static const struct probes_session *sweep_origin(
	const struct sweep *w, const struct tree_link *link, uint64_t program)
{
	const struct probes_session *found = NULL;

	for (size_t i = 0; i < w->count; i++) {
		const struct probes_session *s = w->sessions[i];

		if (!s->process || !s->first_switch_ticks ||
			link->start_time < s->first_switch_ticks ||
			(program && s->who.program != program))
			continue;
		if (s->who.pid == link->parent)
			return s;
		found = found ? found : s;
	}
	return found;
}

/* Changes stay, or may stay, in a child: keep a record for a repair, and report it. */
static void sweep_leave(struct sweep *w, const struct tree_link *link, uint64_t program,
	const struct array *doubt, struct probes_swept *swept, struct probes_error *e)
{
	struct journal journal = {.fd = -1};
	int r = session_open_journal(&journal, link->pid, link->start_time, program);

	if (r == 0)
		r = journal_record(&journal, JOURNAL_INTENT, doubt, NULL);
	if (r == 0) {
		journal_leave(&journal);
		error_hint(e,
			"probes that it inherited may stay on; undo them with: probes-tui "
			"repair -pid %d",
			link->pid);
	} else {
		journal_remove(&journal);
		error_hint(e, "probes that it inherited may stay on, and no journal can be kept");
	}
	swept->pid = link->pid;
	swept->error = e;
	w->each(w->data, swept);
}

/* The child cannot be examined: all that is known is its parent. */
static void sweep_leave_unseen(struct sweep *w, const struct tree_link *link,
	const struct probes_session *origin, uint64_t program, struct probes_error *e)
{
	struct probes_swept swept = {0};
	struct array doubt;

	array_init(&doubt, sizeof(struct probes_edit));
	if (session_doubt_all(origin, &doubt) && doubt.count)
		sweep_leave(w, link, program, &doubt, &swept, e);
	array_done(&doubt);
}

static int sweep_inherit(struct sweep *w, const struct tree_link *link,
	struct probes_session *child, struct array *doubt, size_t *count, struct probes_error *e)
{
	int r = 0;

	/* A copy of its parent, if that is known; else of the first session that it agrees with. */
	for (int others = 0; others <= 1; others++)
		for (size_t i = 0; i < w->count; i++) {
			struct probes_session *s = w->sessions[i];
			bool after = link->start_time > s->changed_at + SESSION_BIRTH;

			if ((s->who.pid != link->parent) != others || !session_is_child(child, s))
				continue;
			doubt->count = 0;
			r = session_inherit(child, s,
				after && (!others || w->begun > s->changed_at + SWEEP_RECENT),
				doubt, count, e);
			if (r < 0 || *count || !doubt->count)
				return r;
		}
	return r;
}

static void sweep_restore(struct sweep *w, const struct tree_link *link,
	struct probes_session *child, size_t count, const struct array *doubt)
{
	struct probes_swept swept = {.pid = link->pid, .session = child, .probes = count};
	struct probes_result *result = NULL;
	struct probes_error e;
	int r = count ? probes_restore(child, &result, &e) : 0;

	w->found = true;
	swept.result = result;
	if (r < 0 && e.status != PROBES_GONE) {
		error_hint(&e, "undo it with: probes-tui repair -pid %d", link->pid);
		swept.error = &e;
	}
	if (count && (r == 0 || swept.error))
		w->each(w->data, &swept);
	if (doubt->count && (r == 0 || e.status != PROBES_GONE)) {
		swept.probes = 0;
		swept.result = NULL;
		error_set(&e, PROBES_FAILED, -EBUSY,
			"cannot take back everything in process %d, a child by fork", link->pid);
		error_why(&e,
			"others count there, too: %zu count%s may or may not include our part",
			doubt->count, doubt->count == 1 ? "" : "s");
		sweep_leave(w, link, child->who.program, doubt, &swept, &e);
	}
	probes_result_free(result);
}

/*
 * What an interrupted session knew of it is on record of its own: that is exact. It may also have
 * been killed before it wrote that down.
 */
static void sweep_repair(
	struct sweep *w, const struct tree_link *link, struct probes_session *child)
{
	struct probes_swept swept = {.pid = link->pid, .session = child};
	struct probes_leftover *left = NULL;
	struct probes_result *result = NULL;
	struct probes_error e;
	size_t count = 0;

	if (probes_leftovers(child, &left, &count, &e) == 0 && count) {
		if (probes_repair(child, &result, &e) < 0 && e.status != PROBES_GONE)
			swept.error = &e;
		swept.result = result;
		swept.probes = result ? result->item_count : 0;
		w->found = true;
		w->each(w->data, &swept);
	}
	probes_result_free(result);
	free(left);
}

/* 0, or a negative errno if there is no memory. */
static int sweep_child(struct sweep *w, const struct tree_link *link, uint64_t program,
	const struct probes_session *origin, struct probes_error *e)
{
	struct probes_session *child;
	struct probes_error why;
	struct array doubt;
	size_t count = 0;
	int r;

	array_init(&doubt, sizeof(struct probes_edit));
	r = probes_open_pid(link->pid, &w->options, &child, &why);
	if (r == 0 && child->who.start_time == link->start_time) {
		r = session_may_switch(child, false, &why);
		if (r == 0 && origin->repaired)
			sweep_repair(w, link, child);
		if (r == 0)
			r = sweep_inherit(w, link, child, &doubt, &count, &why);
		if (r == 0 && (count || doubt.count))
			sweep_restore(w, link, child, count, &doubt);
	}
	if (r < 0 && why.status != PROBES_GONE && why.status != PROBES_NO_TARGET) {
		w->found = true;
		sweep_leave_unseen(w, link, origin, program, &why);
	}
	probes_close(child);
	array_done(&doubt);
	return sweep_know(w, link->pid, link->start_time) ? 0 : error_memory(e, "a sweep");
}

/* ---- one look ---- */

/* Was its parent clean before the child was copied? */
static bool sweep_born_clean(const struct sweep *w, size_t sorted, const struct tree_link *link)
{
	const struct sweep_known *parent = sweep_find(w, sorted, link->parent);

	return parent && link->start_time > parent->clean + SESSION_BIRTH;
}

static int sweep_consider(
	struct sweep *w, size_t sorted, const struct tree_link *link, struct probes_error *e)
{
	const struct sweep_known *known = sweep_find(w, sorted, link->pid);
	const struct probes_session *origin;
	struct probes_error why;
	uint64_t program;

	if (!link->forked || (known && known->start == link->start_time) ||
		sweep_born_clean(w, sorted, link) || !sweep_origin(w, link, 0))
		return 0;
	errno = 0;
	program = identity_program(link->pid);
	/* A process that cannot be examined is known as our child only by its ppid. */
	if (!program &&
		((errno != EACCES && errno != EPERM) || !sweep_find(w, sorted, link->parent)))
		return 0;
	origin = sweep_origin(w, link, program);
	if (!origin)
		return 0;
	if (sweep_now_ms() <= w->deadline)
		return sweep_child(w, link, program, origin, e);
	error_set(&why, PROBES_FAILED, -ETIMEDOUT, "cannot look at process %d, a child by fork",
		link->pid);
	error_why(&why, "more children were born than could be opened in %d seconds",
		SWEEP_MS / 1000);
	sweep_leave_unseen(w, link, origin, program, &why);
	return sweep_know(w, link->pid, link->start_time) ? 0 : error_memory(e, "a sweep");
}

static int sweep_look(struct sweep *w, struct probes_error *e)
{
	size_t sorted = w->known.count;
	struct array links;
	int r;

	w->found = false;
	array_init(&links, sizeof(struct tree_link));
	r = tree_gather(&links);
	if (r < 0)
		error_set(e, PROBES_FAILED, r, "cannot look for children");
	for (size_t i = 0; r == 0 && i < links.count; i++)
		r = sweep_consider(w, sorted, ARRAY_AT(&links, struct tree_link, i), e);
	array_done(&links);
	sweep_sort(w);
	if (w->found)
		w->last = procfs_now();
	return r;
}

/* Does a session still hold a change of its own, which new children inherit? */
static bool sweep_is_open(const struct sweep *w)
{
	for (size_t i = 0; i < w->count; i++)
		if (probes_owned_count(w->sessions[i]) && identity_alive(&w->sessions[i]->who))
			return true;
	return false;
}

/*
 * The last look finds nobody, and begins so late that everybody is seen who was copied before
 * something was taken back.
 */
static int sweep_until_quiet(struct sweep *w, struct probes_error *e)
{
	const struct timespec nap = {.tv_nsec = 10000000};

	for (;;) {
		uint64_t began = procfs_now();
		int r = sweep_look(w, e);

		if (r < 0 || sweep_is_open(w) || sweep_now_ms() > w->deadline ||
			(!w->found && began > w->last + SESSION_BIRTH))
			return r;
		while (!w->found && procfs_now() <= w->last + SESSION_BIRTH)
			nanosleep(&nap, NULL);
	}
}

int probes_sweep(struct probes_session *const *sessions, size_t count,
	const struct probes_options *options,
	void (*each)(void *data, const struct probes_swept *swept), void *data,
	struct probes_error *e)
{
	struct sweep w = {.sessions = sessions,
		.count = count,
		.options = options ? *options : (struct probes_options){0},
		.each = each,
		.data = data,
		.begun = procfs_now(),
		.last = procfs_now(),
		.deadline = sweep_now_ms() + SWEEP_MS};
	int r = 0;

	/* A change that cannot be undone in a child must stay on record. */
	w.options.lasting = false;
	array_init(&w.known, sizeof(struct sweep_known));
	if (!sweep_begin(&w))
		r = error_memory(e, "a sweep");
	if (r == 0 && w.known.count)
		r = sweep_until_quiet(&w, e);
	array_done(&w.known);
	return r;
}
