/*
 * The sweep after an undo: forked children that were born while the changes were undone in their
 * parents. Owns the repeated search; fork.c decides what a child has inherited.
 */
#include "session/group.h"

#include "base/error.h"
#include "base/now.h"
#include "process/descriptors.h"
#include "process/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SWEEP_MS 5000     /* so long at least: see sweep_run */
#define SWEEP_RECENT 1000 /* clock ticks: an older change is not part of this undo */

/* A process that held no change of these sessions at `clean`, in clock ticks since boot. */
struct sweep_known {
	pid_t pid;
	uint64_t start, clean;
};

struct sweep {
	struct probes_session *const *sessions;
	size_t count;
	struct probes_options options;
	probes_undone_fn *each;
	void *data;
	struct array known; /* struct sweep_known; the first `sorted` are in order of their pids */
	size_t sorted;
	uint64_t begun; /* clock ticks */
	uint64_t last;  /* likewise: of the last undo */
	size_t found;   /* children that held changes, or may hold some, in this search */
	bool outrun;    /* children are born faster than they are undone: they are only recorded */
};

/* ---- known processes ---- */

static int sweep_by_pid(const void *a, const void *b)
{
	const struct sweep_known *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static const struct sweep_known *sweep_find(const struct sweep *w, pid_t pid)
{
	const struct sweep_known wanted = {.pid = pid};

	return w->sorted ? bsearch(&wanted, w->known.data, w->sorted, sizeof wanted, sweep_by_pid)
			 : NULL;
}

/* 0, or a negative errno if there is no memory. */
static int sweep_know(
	struct sweep *w, pid_t pid, uint64_t start, uint64_t clean, struct probes_error *e)
{
	struct sweep_known *k = array_add(&w->known);

	if (!k)
		return error_memory(e, "a sweep");
	*k = (struct sweep_known){pid, start, clean};
	return 0;
}

/* Of several entries of a pid, the one that started last is the live process. */
static void sweep_sort(struct sweep *w)
{
	struct sweep_known *k = w->known.data;
	size_t kept = 0;

	if (w->known.count)
		qsort(k, w->known.count, sizeof *k, sweep_by_pid);
	for (size_t i = 0; i < w->known.count; i++) {
		if (kept && k[kept - 1].pid == k[i].pid) {
			if (k[i].start > k[kept - 1].start)
				k[kept - 1] = k[i];
		} else {
			k[kept++] = k[i];
		}
	}
	w->sorted = w->known.count = kept;
}

/* ---- one child ---- */

/* Changes stay, or may stay, in a child: record them for a repair, and report the child. */
static void sweep_leave(struct sweep *w, struct probes_undone *undone, uint64_t start,
	uint64_t program, const struct array *doubt, struct probes_error *e)
{
	pid_t pid = undone->member->pid;
	struct journal journal = {.fd = -1};
	int r = journals_open(&journal, pid, start, program);

	if (r == 0)
		r = journal_record(&journal, JOURNAL_INTENT, doubt, NULL);
	if (r == 0) {
		journal_leave(&journal);
		error_remains(e,
			"probes that it inherited may stay on; to undo that, repair process %d",
			pid);
	} else {
		journal_remove(&journal);
		error_remains(
			e, "probes that it inherited may stay on, and no journal can be kept");
	}
	undone->probes = 0;
	undone->result = NULL;
	undone->error = e;
	w->each(w->data, undone);
}

/* The child cannot be examined: all that is known is its parent. */
static void sweep_leave_unseen(struct sweep *w, const struct tree_link *link,
	const struct probes_session *origin, uint64_t program, struct probes_error *e)
{
	const struct probes_member member = {.pid = link->pid};
	struct probes_undone undone = {.member = &member, .newborn = true};
	struct array doubt;

	array_init(&doubt, sizeof(struct probes_edit));
	if (fork_doubt_all(origin, &doubt) && doubt.count) {
		sweep_leave(w, &undone, link->start_time, program, &doubt, e);
	} else if (fork_counted(origin)) {
		/* A repair finds jumps without a journal. */
		error_remains(e,
			"counters that it inherited may stay; to remove them, repair process %d",
			link->pid);
		undone.error = e;
		w->each(w->data, &undone);
	}
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
			bool after = fork_is_after(link->start_time, s);

			if ((s->who.pid != link->parent) != others || !fork_is_child(child, s))
				continue;
			doubt->count = 0;
			r = fork_inherit(child, s,
				after &&
					(!others || w->begun > s->last_switch_ticks + SWEEP_RECENT),
				doubt, count, e);
			if (r < 0 || *count || !doubt->count)
				return r;
		}
	return r;
}

/*
 * What an interrupted session knew of the child is on record of its own: that is exact. The session
 * may also have been killed before it wrote that record.
 */
static bool sweep_repair(struct sweep *w, const struct probes_member *member)
{
	struct probes_undone undone = {.member = member, .newborn = true};
	struct probes_leftover *left = NULL;
	struct probes_error e;
	size_t count = 0;
	bool found;

	found = probes_leftovers(member->session, &left, &count, &e) == 0 && count;
	if (found) {
		if (probes_repair(member->session, &undone.result, &e) < 0 &&
			e.status != PROBES_GONE)
			undone.error = &e;
		undone.probes = undone.result ? undone.result->item_count : 0;
		w->each(w->data, &undone);
	}
	probes_result_free(undone.result);
	free(left);
	return found;
}

static void sweep_restore(struct sweep *w, const struct probes_member *member,
	const struct array *doubt, struct probes_error *e)
{
	struct probes_undone undone = {
		.member = member, .newborn = true, .probes = member->inherited};
	struct probes_result *result = NULL;
	int r = member->inherited ? probes_restore(member->session, &result, e) : 0;
	bool gone = r < 0 && e->status == PROBES_GONE;

	undone.result = result;
	if (r < 0 && !gone) {
		error_remains(e, "to undo it, repair process %d", member->pid);
		undone.error = e;
	}
	if (member->inherited && !gone)
		w->each(w->data, &undone);
	probes_result_free(undone.result);
	if (!doubt->count || gone)
		return;
	error_set(e, PROBES_FAILED, -EBUSY, "cannot undo everything in process %d, a forked child",
		member->pid);
	error_why(e, "others count there, too: %zu count%s may or may not include our part",
		doubt->count, doubt->count == 1 ? "" : "s");
	sweep_leave(w, &undone, member->session->who.start_time, member->session->who.program,
		doubt, e);
}

static int sweep_consider(struct sweep *w, const struct tree_link *link, struct probes_error *e)
{
	const struct sweep_known *known = sweep_find(w, link->pid);
	const struct sweep_known *parent = sweep_find(w, link->parent);
	struct probes_member member = {.pid = link->pid};
	const struct probes_session *origin;
	struct probes_error why;
	struct array doubt;
	bool held = false;
	uint64_t program;
	int r;

	if (!link->forked || (known && known->start == link->start_time) ||
		/* The parent was clean before the child was copied. */
		(parent && link->start_time > parent->clean + SESSION_BIRTH))
		return 0;
	origin = fork_origin(w->sessions, w->count, link, &program);
	/* A process that cannot be examined is known as our child only by its parent pid. */
	if (!origin)
		return 0;
	if (!program && !parent) {
		r = descriptors_spare(1 - DESCRIPTORS_SPARE);
		return r < 0 ? error_set(e, PROBES_FAILED, r, "cannot look for children") : 0;
	}
	if (w->outrun) {
		error_set(&why, PROBES_FAILED, -ETIMEDOUT,
			"cannot undo what forked child %d inherited", link->pid);
		error_why(&why,
			"for more than %d seconds, children were forked faster than they could be "
			"examined",
			SWEEP_MS / 1000);
		sweep_leave_unseen(w, link, origin, program, &why);
		return sweep_know(w, link->pid, link->start_time, procfs_now(), e);
	}
	array_init(&doubt, sizeof(struct probes_edit));
	r = probes_open_pid(link->pid, &w->options, &member.session, &why);
	if (r == 0 && member.session->who.start_time == link->start_time) {
		r = session_may_switch(member.session, false, true, &why);
		if (r == 0 && origin->repaired)
			held = sweep_repair(w, &member);
		if (r == 0)
			r = sweep_inherit(w, link, member.session, &doubt, &member.inherited, &why);
		if (r == 0 && (member.inherited || doubt.count)) {
			held = true;
			sweep_restore(w, &member, &doubt, &why);
		}
	}
	if (r < 0 && why.status != PROBES_GONE && why.status != PROBES_NO_TARGET) {
		held = true;
		sweep_leave_unseen(w, link, origin, program, &why);
	}
	w->found += held;
	probes_close(member.session);
	array_done(&doubt);
	return sweep_know(w, link->pid, link->start_time, procfs_now(), e);
}

/* ---- the search ---- */

int sweep_run(struct probes_session *const *sessions, size_t count,
	const struct probes_options *options, probes_undone_fn *each, void *data,
	struct probes_error *e)
{
	const struct timespec nap = {.tv_nsec = 10000000};
	struct sweep w = {.sessions = sessions,
		.count = count,
		.options = *options,
		.each = each,
		.data = data,
		.begun = procfs_now(),
		.last = procfs_now(),
		.found = SIZE_MAX};
	uint64_t deadline = now_ms() + SWEEP_MS;
	bool open = false, quiet = false;
	int r = 0;

	/* A change that cannot be undone in a child must stay on record. */
	w.options.persistent = false;
	array_init(&w.known, sizeof(struct sweep_known));
	for (size_t i = 0; r == 0 && i < count; i++) {
		const struct probes_session *s = sessions[i];
		bool owes = probes_owned_count(s) > 0;

		/* New children inherit what a session still holds. */
		open = open || (owes && identity_alive(&s->who));
		if (!s->process || !s->first_switch_ticks || s->parts_unknown)
			continue;
		r = sweep_know(&w, s->who.pid, s->who.start_time,
			owes ? UINT64_MAX - SESSION_BIRTH : procfs_now(), e);
	}
	sweep_sort(&w);
	/*
	 * The last search finds nobody, and begins so late that it sees everybody who was copied
	 * before the last undo. All that one search finds are undone, however long that takes. Only
	 * children that hold changes hand these on, so each search finds fewer than the one before;
	 * unless they are forked faster than we undo. Then, but not before the deadline, the last
	 * search records what it finds.
	 */
	while (r == 0 && w.known.count && !quiet) {
		uint64_t began = procfs_now();
		size_t before = w.found;
		struct array links;

		w.found = 0;
		array_init(&links, sizeof(struct tree_link));
		r = tree_gather(&links);
		if (r < 0)
			error_set(e, PROBES_FAILED, r, "cannot look for children");
		for (size_t i = 0; r == 0 && i < links.count; i++)
			r = sweep_consider(&w, ARRAY_AT(&links, struct tree_link, i), e);
		array_done(&links);
		sweep_sort(&w);
		if (w.found)
			w.last = procfs_now();
		quiet = open || w.outrun || (!w.found && began > w.last + SESSION_BIRTH);
		w.outrun = w.found && w.found >= before && now_ms() > deadline;
		while (r == 0 && !quiet && !w.found && procfs_now() <= w.last + SESSION_BIRTH)
			nanosleep(&nap, NULL);
	}
	array_done(&w.known);
	return r;
}
