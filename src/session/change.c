/*
 * One change of a process, whatever its plan: read, plan, put on record, apply,
 * remember what is ours. The turn is the caller's.
 */
#include "session/session.h"

#include "base/error.h"
#include "patch/apply.h"
#include "probe/state.h"
#include "process/access.h"
#include "process/identity.h"
#include "process/procfs.h"
#include "process/stop.h"
#include "process/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SESSION_STOP_MS 1000 /* how long a process may be held still */
#define SESSION_TRIES 3      /* a count that others change between look and plan is planned anew */

/* ---- results ---- */

static struct probes_result *session_result(struct plan *p, struct probes_error *e)
{
	struct probes_result *r = calloc(1, sizeof *r);

	if (!r) {
		error_memory(e, "a result");
		return NULL;
	}
	r->item_count = p->items.count;
	r->items = array_take(&p->items);
	r->text_count = p->texts.count;
	r->texts = array_take(&p->texts);
	for (size_t i = 0; i < r->item_count; i++) {
		r->done += r->items[i].outcome == PROBES_DONE;
		r->skipped += r->items[i].outcome == PROBES_SKIPPED;
		r->not_done += r->items[i].outcome == PROBES_NOT_DONE;
	}
	return r;
}

/* What was written, or would be: the plan's own list. */
static void session_take_writes(struct probes_result *r, struct plan *p)
{
	r->edit_count = p->edits.count;
	r->edits = array_take(&p->edits);
	for (size_t i = 0; i < r->edit_count; i++)
		r->sites += r->edits[i].role == PROBES_ROLE_CODE;
}

/* ---- what is ours ---- */

/* The slot of a semaphore write among the deltas of its object_probes. */
uint32_t session_slot(const struct object_probes *h, size_t local, const struct probes_edit *w)
{
	return object_probes_same(h, object_probes_semaphore(h, &h->probes[local]) + w->index);
}

/*
 * Remember the value of each count and our part of it before and after a change: a child forked in
 * the middle of the change holds either. If memory runs out, such a child is left as it is.
 */
static void session_note(
	struct probes_session *s, const struct session_change *c, const struct probes_result *r)
{
	s->change++;
	for (size_t i = 0; i < r->edit_count; i++) {
		const struct probes_edit *w = &r->edits[i];
		struct object_probes_change *change;
		struct object_probes *h;
		size_t local;
		uint32_t slot;

		if (w->role != PROBES_ROLE_SEMAPHORE)
			continue;
		h = catalog_find(&s->catalog, w->probe, &local);
		slot = session_slot(h, local, w);
		if (!h->changes)
			h->changes = calloc(h->semaphore_count + 1, sizeof *h->changes);
		if (!h->changes)
			continue;
		change = &h->changes[slot];
		if (change->serial == s->change) {
			change->steps = true;
		} else {
			*change = (struct object_probes_change){.serial = s->change,
				.old = (uint16_t)edit_value(w->old),
				.before = h->net[slot]};
			if (c->not_ours)
				change->before += c->deltas[h->probes[local].object][slot];
		}
		change->new_ = (uint16_t)edit_value(w->new_);
	}
	s->changed_at = procfs_now();
}

/* A switch: what it wrote is ours now. */
static void session_remember(struct probes_session *s, const struct probes_result *r)
{
	for (size_t i = 0; i < r->edit_count; i++) {
		const struct probes_edit *w = &r->edits[i];
		struct object_probes *h;
		size_t local;

		if (w->role != PROBES_ROLE_SEMAPHORE)
			continue;
		h = catalog_find(&s->catalog, w->probe, &local);
		h->net[session_slot(h, local, w)] += edit_delta(w);
	}
}

/*
 * A restore: what was to be taken back is ours no more, also where somebody else had taken it away
 * before us and there was nothing left to write. A slot that probes share is settled once.
 */
static void session_forget(
	struct probes_session *s, int32_t *const *deltas, const struct probes_result *r)
{
	for (size_t i = 0; i < r->item_count; i++) {
		size_t local;
		struct object_probes *h = catalog_find(&s->catalog, r->items[i].probe, &local);
		const struct probes_probe *p = &h->probes[local];

		if (r->items[i].outcome != PROBES_DONE || !deltas[p->object])
			continue;
		if (h->torn)
			h->torn[local] = false;
		for (uint32_t k = 0; k < p->semaphore_count; k++) {
			uint32_t slot = object_probes_same(h, object_probes_semaphore(h, p) + k);

			/* The deltas of a restore at the end are the net change itself. */
			h->net[slot] -= deltas[p->object][slot];
			deltas[p->object][slot] = 0;
		}
	}
}

/* An apply that failed, and whose undoing failed too: what stayed is a debt of ours. */
static bool session_owe(struct probes_session *s, const struct apply *a)
{
	bool any = false;

	for (size_t i = 0; i < a->verify.plan->edits.count; i++) {
		const struct probes_edit *w = verify_edit(&a->verify, i);
		size_t local;
		struct object_probes *h;

		if (!a->unreverted[i] || w->role != PROBES_ROLE_SEMAPHORE)
			continue;
		h = catalog_find(&s->catalog, w->probe, &local);
		h->net[session_slot(h, local, w)] += edit_delta(w);
		h->switch_seq[local] = ++s->switch_seq;
		state_judge_mine(h, local);
		any = true;
	}
	return any;
}

/* When each was switched; and whose it is now, which the next reading judges where values differ.
 */
static void session_switch_seq(struct probes_session *s, const struct probes_result *r)
{
	for (size_t i = 0; i < r->item_count; i++) {
		size_t local;
		struct object_probes *h = catalog_find(&s->catalog, r->items[i].probe, &local);

		if (r->items[i].outcome != PROBES_DONE)
			continue;
		h->switch_seq[local] = ++s->switch_seq;
		state_judge_mine(h, local);
	}
}

/* ---- one change, whatever its plan ---- */

/* What is done while the process stands still: nothing but looking and writing. */
struct session_work {
	struct apply apply;
	struct memory *memory;
};

static int session_run_apply(void *data, struct probes_error *e)
{
	struct session_work *w = data;

	return apply_run(&w->apply, w->memory, e);
}

/* It was forbidden to write to code; the tracer of the process may, on most of such kernels. */
static int session_run_attached(
	struct probes_session *s, struct session_work *w, struct probes_error *e)
{
	int r = tracer_run(&s->who, session_run_apply, w, e);

	s->needs_tracer = r == 0;
	if (r == -EIO || (r < 0 && e->status == PROBES_FAILED && (r == -EPERM || r == -EACCES)))
		error_why(e, "the kernel forbids it even to a tracer: code that is mapped shared, "
			     "or proc_mem.force_override=never");
	return r;
}

static int session_run(struct probes_session *s, const struct session_change *c,
	struct session_work *w, uint64_t *stopped_ns, struct probes_error *e)
{
	int r;

	/* A program that we hold stands still already. */
	if (s->held)
		return session_run_apply(w, e);
	if (c->atomically)
		return stop_run(&s->who, (int)(c->max_stop_ms ? c->max_stop_ms : SESSION_STOP_MS),
			session_run_apply, w, stopped_ns, e);
	if (s->needs_tracer)
		return tracer_run(&s->who, session_run_apply, w, e);
	r = session_run_apply(w, e);
	return w->apply.barred ? session_run_attached(s, w, e) : r;
}

/* The owner of a journal: this process. */
static int session_key(pid_t target, uint64_t start, uint64_t program, struct journal_key *key)
{
	struct procfs_stat self;
	int r = procfs_stat(AT_FDCWD, "/proc/self/stat", &self);

	if (r < 0)
		return r;
	*key = (struct journal_key){.target = target,
		.target_start = identity_start(start),
		.target_program = program,
		.owner = getpid(),
		.owner_start = identity_start(self.start_time)};
	journal_here(key);
	return 0;
}

int session_open_journal(struct journal *j, pid_t target, uint64_t start, uint64_t program)
{
	struct journal_key key;
	int r = session_key(target, start, program, &key);

	return r ? r : journal_open(j, &key);
}

int session_begin_journal(struct probes_session *s)
{
	int r = 0;

	if (s->journal.fd >= 0)
		return 0;
	/* Made once: a switch that is meant to stay begins a journal each time. */
	if (s->key.owner != getpid())
		r = session_key(s->who.pid, s->who.start_time, s->who.program, &s->key);
	return r ? r : journal_open(&s->journal, &s->key);
}

/*
 * Put the plan on record before its first write. Where no journal can be begun: say so once, and go
 * on. One that was begun must stay whole: only what takes back goes on without it.
 */
static int session_record(struct probes_session *s, const struct session_change *c,
	const struct plan *p, struct probes_error *e)
{
	int r = 0;

	if (s->unrecorded)
		return 0;
	if (s->journal.fd < 0) {
		r = session_begin_journal(s);
		s->unrecorded = r < 0;
	}
	if (r == 0)
		r = journal_record(&s->journal, JOURNAL_INTENT, &p->edits, NULL);
	if (r == 0)
		return 0;
	if (s->unrecorded || c->deltas) {
		log_say(&s->log, PROBES_LOG_NOTICE,
			"no journal can be kept (%s): were this run killed, nobody could undo it",
			strerror(-r));
		return 0;
	}
	error_set(e, PROBES_FAILED, r, "cannot put on record what would be written");
	return error_hint(e, "free some space where %s lies", s->journal.path);
}

/*
 * What is meant to stay needs no record once it is whole. What could not be undone is recorded as
 * done; what nobody knows (the helper was killed) stays open, and a repair asks the process.
 */
static void session_conclude(
	struct probes_session *s, const struct apply *a, int result, bool known)
{
	size_t left = 0;

	if (s->journal.fd < 0 || !known)
		return;
	if (result == 0 && s->lasting) {
		journal_remove(&s->journal);
		return;
	}
	journal_record(&s->journal, result == 0 ? JOURNAL_DONE : JOURNAL_UNDONE, NULL, NULL);
	for (size_t i = 0; result < 0 && i < a->verify.plan->edits.count; i++)
		left += a->unreverted[i];
	if (left)
		journal_record(&s->journal, JOURNAL_MADE, &a->verify.plan->edits, a->unreverted);
}

static int session_apply(struct probes_session *s, const struct session_change *c,
	const struct plan *p, uint64_t *stopped_ns, struct probes_error *e)
{
	struct session_work w = {.memory = &s->memory};
	int r;

	if (!p->edits.count)
		return 0;
	if (!s->first_switch_ticks)
		s->first_switch_ticks = procfs_now();
	r = apply_init(&w.apply, p, e);
	if (r == 0)
		r = session_record(s, c, p, e);
	if (r == 0) {
		r = session_run(s, c, &w, stopped_ns, e);
		session_conclude(s, &w.apply, r, r != -ECHILD);
		s->keep_journal = s->keep_journal || r == -ECHILD;
		if (r < 0 && session_owe(s, &w.apply) && e->status != PROBES_GONE)
			s->keep_journal = true;
	}
	apply_done(&w.apply);
	return r;
}

/*
 * Read what a change is about. NULL: all that there is, for which there is a layout already, or
 * will be from here on.
 */
static int session_read_change(struct probes_session *s, const struct session_change *c,
	struct reader *reader, struct probes_error *e)
{
	return reader ? session_read_by(s, reader, c->which, c->count, e)
		      : session_read(s, NULL, 0, e);
}

/* One try. *again is set where the process changed between reading and looking. */
static int session_once(struct probes_session *s, const struct session_change *c,
	struct reader *reader, struct probes_result **result, bool *again, struct probes_error *e)
{
	uint64_t stopped_ns = 0;
	struct plan p;
	int r = session_read_change(s, c, reader, e), applied = 0;

	*again = false;
	if (r == 0)
		r = plan_init(&p, &s->catalog, e);
	if (r < 0)
		return r;
	r = c->plan(s, c, &p, e);
	/* Before the first write: what is done must never be lost for want of memory. */
	*result = session_result(&p, e);
	if (*result && r == 0)
		r = session_room(s, c, &p, *result, e);
	if (*result && r == 0 && !c->dry_run)
		applied = r = session_apply(s, c, &p, &stopped_ns, e);
	*again = applied == -EBUSY;
	if (*result && r == 0)
		session_take_writes(*result, &p);
	plan_done(&p);
	if (!*result)
		return -ENOMEM;
	(*result)->stopped_ns = stopped_ns;
	(*result)->dry_run = c->dry_run;
	return r;
}

static bool session_gone_meanwhile(struct probes_session *s)
{
	struct probes_rescanned what;
	struct probes_error ignored;

	return session_rescan(s, &what, NULL, &ignored) == 0 && what.gone_objects;
}

static int session_retry(struct probes_session *s, const struct session_change *c,
	struct reader *reader, struct probes_result **result, struct probes_error *e)
{
	struct probes_error ignored;
	bool again = true, owing = s->keep_journal;
	int r = 0;

	for (int tries = 0; again && tries < SESSION_TRIES; tries++) {
		probes_result_free(*result);
		*result = NULL;
		r = session_once(s, c, reader, result, &again, e);
		/* A library that was unloaded looks like that: bytes that differ, none to read
		   (EFAULT), none to write (EIO). The rest is planned anew, without it. */
		if ((again || r == -EFAULT || r == -EIO) && session_gone_meanwhile(s)) {
			again = true;
			/* What could not be undone in it went with it. */
			if (!probes_owned_count(s))
				s->keep_journal = owing;
		}
	}
	/* With the program went all that was written there. */
	if (c->deltas && (r < 0 ? e->status != PROBES_GONE : (*result)->not_done))
		s->keep_journal = true;
	if (r < 0 || c->dry_run)
		return r;
	session_note(s, c, *result);
	if (!c->not_ours) {
		if (c->deltas)
			session_forget(s, c->deltas, *result);
		else
			session_remember(s, *result);
		if (c->deltas && !(*result)->not_done && !probes_owned_count(s))
			s->keep_journal = false;
	}
	session_switch_seq(s, *result);
	/* So that what is shown next is what is there now; a failure shows itself at the next look.
	 */
	if (session_read_change(s, c, reader, &ignored) < 0)
		log_say(&s->log, PROBES_LOG_DEBUG, "%s: %s", ignored.what, ignored.why);
	return 0;
}

/* A tool that holds a site counts in its semaphore, even if other probes share the semaphore. */
static bool session_lay_out(
	struct probes_session *s, const struct session_change *c, struct reader *reader)
{
	struct array which;
	bool fits;

	array_init(&which, sizeof(size_t));
	fits = catalog_sharing(&s->catalog, c->which, c->count, &which);
	if (fits && which.count) {
		fits = array_reserve(&which, c->count);
		for (size_t i = 0; fits && i < c->count; i++)
			*(size_t *)array_add(&which) = c->which[i];
		fits = fits && reader_init(reader, &s->catalog, which.data, which.count);
	} else if (fits) {
		fits = reader_init(reader, &s->catalog, c->which, c->count);
	}
	array_done(&which);
	return fits;
}

/* All readings of one change are laid out once: of some probes here, of all for good. */
int session_execute(struct probes_session *s, const struct session_change *c,
	struct probes_result **result, struct probes_error *e)
{
	struct probes_error gone;
	bool some = c->count < s->catalog.probe_count;
	struct reader reader;
	int r;

	*result = NULL;
	if (some && !session_lay_out(s, c, &reader))
		return error_memory(e, "a reading");
	r = session_retry(s, c, some ? &reader : NULL, result, e);
	if (some)
		reader_done(&reader);
	/* Whatever failed: once the process is another one, that is why. */
	if (r < 0 && e->status != PROBES_GONE && probes_alive(s, &gone) < 0) {
		*e = gone;
		r = e->code;
	}
	return r;
}

int session_may_switch(struct probes_session *s, bool dry_run, struct probes_error *e)
{
	if (!s->process) {
		error_set(e, PROBES_USAGE, -EINVAL, "cannot switch probes of a file");
		error_why(e, "only a process has probes that are on or off");
		return error_hint(e, "name a process, or start the program with trace");
	}
	if (s->read_only && !dry_run) {
		error_set(e, PROBES_REFUSED, -EROFS, "cannot switch probes");
		return error_why(e, "this session is read-only");
	}
	if (s->memory.fd < 0 && !dry_run) {
		error_set(e, PROBES_DENIED, s->memory.denied, "cannot write to process %d",
			s->who.pid);
		return access_explain(s->who.pid, e);
	}
	return probes_alive(s, e);
}
