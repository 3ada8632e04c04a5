/*
 * The sweep after an undo: forked children that were born while the changes were undone in their
 * parents. Owns the repeated search; fork.c decides what a child has inherited.
 */
#include "session/group.h"

#include "base/error.h"
#include "base/now.h"
#include "process/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

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
	uint64_t begun;  /* clock ticks */
	uint64_t last;   /* likewise: of the last undo */
	size_t found;    /* children that held changes, or may hold some, in this search */
	bool unrecorded; /* changes stay in a child of which no journal could be kept */
	bool outrun;     /* children are born faster than they are undone: they are only recorded */
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
	return array_push(&w->known, &(struct sweep_known){pid, start, clean})
		       ? 0
		       : error_memory(e, "a sweep");
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
	size_t count;
	const struct probes_session *kept = journals_kept(w->sessions, w->count, &count);
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
		w->unrecorded = true;
		if (!kept)
			error_remains(e,
				"probes that it inherited may stay on, and no journal can be kept");
		else
			error_remains(e,
				"probes that it inherited may stay on; to undo that, repair "
				"process %d again",
				kept->who.pid);
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
	struct array doubt = ARRAY_OF(struct probes_edit);

	/* It runs what it was forked with. Were that another program, a repair would drop the
	 * record. */
	if (!program && link->parent == origin->who.pid)
		program = origin->who.program;
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

/* What is done in one child, and told once. */
struct sweep_child {
	struct probes_member member;
	struct array doubt, unknown; /* fork_inherit, unowned_undo */
	struct probes_undone undone;
	struct probes_error why; /* of undone.error */
	bool held;
};

/*
 * What an interrupted session knew of the child is on record of its own: that is exact. The session
 * may also have been killed before it wrote that record.
 */
static void sweep_repair(struct sweep_child *c)
{
	struct probes_leftover *left = NULL;
	size_t count = 0;
	int r = probes_leftovers(c->member.session, &left, &count, &c->why);

	if (r == 0 && count)
		r = repair_process(c->member.session, &c->unknown, &c->undone.result, &c->why);
	c->held = r < 0 || count;
	if (r < 0 && c->why.status != PROBES_GONE)
		c->undone.error = &c->why;
	free(left);
}

static int sweep_inherit(struct sweep *w, const struct tree_link *link, struct sweep_child *c,
	struct probes_error *e)
{
	struct probes_session *child = c->member.session;
	size_t *count = &c->member.inherited;
	int r = 0;

	/* A copy of its parent, if that is known; else of the first session that it agrees with. */
	for (int others = 0; others <= 1; others++)
		for (size_t i = 0; i < w->count; i++) {
			struct probes_session *s = w->sessions[i];
			bool after = fork_is_after(link->start_time, s);

			if ((s->who.pid != link->parent) != others || !fork_is_child(child, s))
				continue;
			c->doubt.count = 0;
			r = fork_inherit(child, s,
				after &&
					(!others || w->begun > s->last_switch_ticks + SWEEP_RECENT),
				&c->doubt, count, e);
			if (r < 0 || *count || !c->doubt.count)
				return r;
		}
	return r;
}

static void sweep_tell(struct sweep *w, struct sweep_child *c)
{
	struct probes_undone *u = &c->undone;
	size_t kept = 0;

	u->probes = c->member.inherited;
	if (u->result && !u->probes)
		u->probes = u->result->item_count;
	/* A count in doubt has been reported: do not report its probe again. */
	for (size_t i = 0; i < c->unknown.count; i++) {
		size_t probe = *ARRAY_AT(&c->unknown, size_t, i);
		const struct probes_probe *p = probes_at(c->member.session, probe);
		bool said = false;

		for (size_t k = 0; !said && k < c->doubt.count * p->semaphore_count; k++)
			said = p->semaphores[k % p->semaphore_count].address ==
			       ARRAY_AT(&c->doubt, struct probes_edit, k / p->semaphore_count)
				       ->address;
		if (!said)
			*ARRAY_AT(&c->unknown, size_t, kept++) = probe;
	}
	c->unknown.count = kept;
	if (u->result)
		u->result->still_raised = unowned_still_raised(c->member.session, &c->unknown);
	if (u->result || u->error)
		w->each(w->data, u);
	probes_result_free(u->result);
	u->result = NULL;
}

static void sweep_restore(struct sweep *w, struct sweep_child *c)
{
	struct probes_session *child = c->member.session;
	struct probes_result *result = NULL;
	struct probes_error e;
	int r = c->member.inherited ? probes_restore(child, &result, &e) : 0;
	bool gone = r < 0 && e.status == PROBES_GONE;

	c->held = true;
	if (!result_join(&c->undone.result, result) && r == 0)
		r = error_memory(&e, "a result");
	if (r < 0 && !gone) {
		error_remains(&e, "to undo it, repair process %d", c->member.pid);
		c->why = e;
		c->undone.error = &c->why;
	}
	if (gone || !c->doubt.count)
		return;
	sweep_tell(w, c);
	error_set(&c->why, PROBES_FAILED, -EBUSY,
		"cannot undo everything in process %d, a forked child", c->member.pid);
	error_why(&c->why, "others count there, too: %zu count%s may or may not include our part",
		c->doubt.count, c->doubt.count == 1 ? "" : "s");
	sweep_leave(w, &c->undone, child->who.start_time, child->who.program, &c->doubt, &c->why);
	c->undone.error = NULL;
}

static int sweep_consider(struct sweep *w, const struct tree_link *link, struct probes_error *e)
{
	const struct sweep_known *known = sweep_find(w, link->pid);
	const struct sweep_known *parent = sweep_find(w, link->parent);
	struct sweep_child c = {
		.member.pid = link->pid, .undone = {.member = &c.member, .newborn = true}};
	const struct probes_session *origin;
	struct probes_error why;
	uint64_t program;
	int r, hidden;

	if (!link->forked || (known && known->start == link->start_time) ||
		/* The parent was clean before the child was copied. */
		(parent && link->start_time > parent->clean + SESSION_BIRTH))
		return 0;
	origin = fork_origin(w->sessions, w->count, link, &program);
	hidden = errno;
	/* A process that cannot be examined is known as our child only by its parent pid. */
	if (!origin)
		return 0;
	if (!program && !parent)
		return error_is_shortage(-hidden)
			       ? error_set(e, PROBES_FAILED, -hidden, "cannot look for children")
			       : 0;
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
	c.doubt = ARRAY_OF(struct probes_edit);
	c.unknown = ARRAY_OF(size_t);
	r = probes_open_pid(link->pid, &w->options, &c.member.session, &why);
	if (r == 0 && c.member.session->who.start_time == link->start_time) {
		r = session_may_switch(c.member.session, false, true, false, &why);
		if (r == 0 && origin->repaired)
			sweep_repair(&c);
		if (r == 0)
			r = sweep_inherit(w, link, &c, &why);
		if (r == 0 && (c.member.inherited || c.doubt.count))
			sweep_restore(w, &c);
		sweep_tell(w, &c);
	}
	if (r < 0 && why.status != PROBES_GONE && why.status != PROBES_NO_TARGET) {
		c.held = true;
		sweep_leave_unseen(w, link, origin, program, &why);
	}
	w->found += c.held;
	probes_close(c.member.session);
	array_done(&c.doubt);
	array_done(&c.unknown);
	return sweep_know(w, link->pid, link->start_time, procfs_now(), e);
}

/* ---- members ---- */

/* What a process that was repaired as one of its own has inherited from another one. */
static void sweep_inherit_member(struct sweep *w, struct probes_session *child,
	struct probes_session *parent, const struct tree_link *link)
{
	struct sweep_child c = {.member = {.pid = child->who.pid, .session = child},
		.undone = {.member = &c.member, .newborn = true}};
	struct probes_error why;
	int r;

	c.doubt = ARRAY_OF(struct probes_edit);
	c.unknown = ARRAY_OF(size_t);
	r = session_may_switch(child, false, true, false, &why);
	if (r == 0)
		r = fork_inherit(child, parent, fork_is_after(link->start_time, parent), &c.doubt,
			&c.member.inherited, &why);
	if (r == 0 && (c.member.inherited || c.doubt.count))
		sweep_restore(w, &c);
	sweep_tell(w, &c);
	if (r < 0 && why.status != PROBES_GONE)
		sweep_leave_unseen(w, link, parent, child->who.program, &why);
	array_done(&c.doubt);
	array_done(&c.unknown);
}

/* The session whose journals were undone in a process, and that the member is a copy of. */
static struct probes_session *sweep_ancestor(
	const struct sweep *w, const struct probes_session *child, pid_t pid)
{
	for (size_t i = 0; i < w->count; i++) {
		struct probes_session *s = w->sessions[i];

		if (s != child && s->history_ticks && (!pid || s->who.pid == pid) &&
			s->who.start_time <= child->who.start_time && fork_is_child(child, s))
			return s;
	}
	return NULL;
}

static const struct tree_link *sweep_link(const struct array *links, pid_t pid)
{
	for (size_t i = 0; i < links->count; i++)
		if (ARRAY_AT(links, struct tree_link, i)->pid == pid)
			return ARRAY_AT(links, struct tree_link, i);
	return NULL;
}

/*
 * The records of a child do not name what its parent's say of both. The nearest ancestor comes
 * first, as what it added came last. If its parent has ended, any process that it is a copy of may
 * stand for that.
 */
static void sweep_member(struct sweep *w, struct probes_session *child, const struct array *links)
{
	const struct tree_link *own = sweep_link(links, child->who.pid), *at = own;
	struct probes_session *from;
	bool known = false;

	if (!own || !own->forked || own->start_time != child->who.start_time)
		return;
	for (size_t i = 0; i < w->count; i++)
		known = known || w->sessions[i]->who.pid == own->parent;
	for (size_t i = 0; at && at->parent && i < links->count; i++) {
		from = sweep_ancestor(w, child, at->parent);
		if (from)
			sweep_inherit_member(w, child, from, own);
		at = at->forked ? sweep_link(links, at->parent) : NULL;
	}
	from = known ? NULL : sweep_ancestor(w, child, 0);
	if (from)
		sweep_inherit_member(w, child, from, own);
}

static int sweep_members(struct sweep *w, struct probes_error *e)
{
	struct array links = ARRAY_OF(struct tree_link);
	bool any = false;
	int r = 0;

	for (size_t i = 0; i < w->count; i++)
		any = any || w->sessions[i]->history_ticks;
	if (!any || w->count < 2)
		return 0;
	r = tree_gather(&links);
	if (r < 0)
		error_set(e, PROBES_FAILED, r, "cannot look for children");
	for (size_t i = 0; r == 0 && i < w->count; i++)
		/* The others are opened anew, as any forked child. */
		if (w->sessions[i]->repaired && w->sessions[i]->first_switch_ticks)
			sweep_member(w, w->sessions[i], &links);
	array_done(&links);
	return r;
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
	const struct probes_session *kept;
	bool open = false, quiet = false;
	struct probes_error more;
	size_t journals;
	int r = 0;

	/* A change that cannot be undone in a child must stay on record. */
	w.options.persistent = false;
	w.known = ARRAY_OF(struct sweep_known);
	r = sweep_members(&w, e);
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
		struct array links = ARRAY_OF(struct tree_link);

		w.found = 0;
		r = tree_gather(&links);
		if (r < 0)
			error_set(e, PROBES_FAILED, r, "cannot look for children");
		/* A shortage hides one process, and the next may be found. */
		ARRAY_EACH(const struct tree_link, link, &links) {
			int one = sweep_consider(&w, link, r == 0 ? e : &more);

			r = r == 0 ? one : r;
		}
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
	kept = journals_kept(sessions, count, &journals);
	if (r < 0 && kept)
		error_remains(e, "children may hold changes; to undo them, repair process %d%s",
			kept->who.pid, journals > 1 ? " and the others" : "");
	journals_swept(sessions, count, r == 0 && !w.unrecorded);
	return r;
}
