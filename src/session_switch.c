/*
 * The public calls that change a process: select, take the turn, read, plan,
 * apply, remember what was ours.
 */
#include "session.h"

#include "base/error.h"
#include "patch/apply.h"
#include "process/access.h"
#include "process/procfs.h"
#include "process/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SESSION_STOP_MS 1000 /* how long a process may be held still */
#define SESSION_TRIES 3      /* a count that others change between look and plan is planned anew */

/* ---- results ---- */

static struct probes_result *session_result(
	struct probes_session *s, struct plan *p, struct probes_error *e)
{
	struct probes_result *r = calloc(1, sizeof *r);

	if (r)
		r->writes = calloc(p->writes.count + 1, sizeof *r->writes);
	if (!r || !r->writes) {
		free(r);
		error_memory(e, "a result");
		return NULL;
	}
	r->write_count = p->writes.count;
	r->item_count = p->items.count;
	r->items = array_take(&p->items);
	for (size_t i = 0; i < r->item_count; i++) {
		r->done += r->items[i].outcome == PROBES_DONE;
		r->skipped += r->items[i].outcome == PROBES_SKIPPED;
		r->not_done += r->items[i].outcome == PROBES_NOT_DONE;
	}
	for (size_t i = 0; i < r->write_count; i++) {
		const struct plan_write *w = ARRAY_AT(&p->writes, struct plan_write, i);
		size_t local;
		const struct holding *h = catalog_find(&s->catalog, w->probe, &local);
		const struct probes_probe *probe = &h->probes[local];
		size_t first = w->is_site ? holding_site(h, probe) : holding_semaphore(h, probe);

		r->writes[i] = (struct probes_write){.address = w->address,
			.length = w->length,
			.old = {w->old[0], w->old[1]},
			.new_ = {w->new_[0], w->new_[1]},
			.probe = w->probe,
			.index = (uint32_t)(w->index - first),
			.is_site = w->is_site};
		r->sites += w->is_site;
	}
	return r;
}

void probes_result_free(struct probes_result *r)
{
	if (!r)
		return;
	free(r->items);
	free(r->writes);
	free(r);
}

/* ---- what is ours ---- */

static int32_t session_delta(const struct probes_write *w)
{
	return (int32_t)(w->new_[0] | w->new_[1] << 8) - (int32_t)(w->old[0] | w->old[1] << 8);
}

/* The slot of a semaphore write among the deltas of its holding. */
static uint32_t session_slot(const struct holding *h, size_t local, const struct probes_write *w)
{
	return h->same[holding_semaphore(h, &h->probes[local]) + w->index];
}

static void session_remember(struct probes_session *s, const struct probes_result *r)
{
	size_t local;

	for (size_t i = 0; i < r->write_count; i++) {
		struct holding *h = catalog_find(&s->catalog, r->writes[i].probe, &local);

		if (!r->writes[i].is_site)
			h->net[session_slot(h, local, &r->writes[i])] +=
				session_delta(&r->writes[i]);
	}
	for (size_t i = 0; i < r->item_count; i++) {
		struct holding *h = catalog_find(&s->catalog, r->items[i].probe, &local);

		if (r->items[i].outcome == PROBES_DONE)
			h->stamp[local] = ++s->stamp;
	}
}

static bool session_owns(const struct holding *h, const struct probes_probe *p)
{
	for (uint32_t i = 0; h->net && i < p->semaphore_count; i++)
		if (h->net[h->same[holding_semaphore(h, p) + i]])
			return true;
	return false;
}

size_t probes_mine(const struct probes_session *s)
{
	size_t mine = 0;

	for (size_t i = 0; s->stamp && i < s->catalog.holdings.count; i++) {
		const struct holding *h = catalog_holding(&s->catalog, i);

		for (size_t k = 0; k < h->probe_count; k++)
			mine += h->stamp[k] && session_owns(h, &h->probes[k]);
	}
	return mine;
}

/* ---- one change, whatever its plan ---- */

static int session_plan_switch(
	const struct session_change *c, struct plan *p, struct probes_error *e)
{
	return plan_switch(p, c->chosen->data, c->chosen->count, &c->mode, e);
}

int session_plan_restore(const struct session_change *c, struct plan *p, struct probes_error *e)
{
	return plan_restore(p, c->which, c->count, c->deltas, c->follow, e);
}

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

static int session_run(struct probes_session *s, const struct session_change *c,
	struct session_work *w, uint64_t *stopped_ns, struct probes_error *e)
{
	/* A program that we hold stands still already. */
	if (!c->atomically || s->held)
		return session_run_apply(w, e);
	return stop_run(&s->who, (int)(c->max_stop_ms ? c->max_stop_ms : SESSION_STOP_MS),
		session_run_apply, w, stopped_ns, e);
}

/* Put the plan on record before its first write. Without a place for it: say so once, and go on. */
static void session_record(struct probes_session *s, const struct plan *p)
{
	struct journal_key key = {.target = s->who.pid, .target_start = s->who.start_time};
	struct procfs_stat self;
	int r = 0;

	if (s->unrecorded)
		return;
	if (s->journal.fd < 0) {
		key.owner = getpid();
		r = procfs_stat(AT_FDCWD, "/proc/self/stat", &self);
		key.owner_start = self.start_time;
		if (r == 0)
			r = journal_open(&s->journal, &key);
	}
	if (r == 0)
		r = journal_intend(&s->journal, p);
	if (r == 0)
		return;
	s->unrecorded = true;
	journal_remove(&s->journal);
	log_say(&s->log, PROBES_LOG_NOTICE,
		"no journal can be kept (%s): if this run is killed, nobody can undo what it did",
		strerror(-r));
}

/* What is meant to stay needs no record once it is whole. */
static void session_conclude(struct probes_session *s, int result)
{
	if (s->journal.fd < 0)
		return;
	if (s->lasting && result == 0)
		journal_remove(&s->journal);
	else
		journal_conclude(&s->journal, result == 0 ? JOURNAL_DONE : JOURNAL_UNDONE);
}

static int session_apply(struct probes_session *s, const struct session_change *c,
	const struct plan *p, uint64_t *stopped_ns, struct probes_error *e)
{
	struct session_work w = {.memory = &s->memory};
	int r;

	if (!p->writes.count)
		return 0;
	r = apply_init(&w.apply, p, e);
	if (r < 0)
		return r;
	session_record(s, p);
	r = session_run(s, c, &w, stopped_ns, e);
	session_conclude(s, r);
	apply_done(&w.apply);
	return r;
}

/* One try. *again is set where the process changed between reading and looking. */
static int session_try(struct probes_session *s, const struct session_change *c,
	struct probes_result **result, bool *again, struct probes_error *e)
{
	uint64_t stopped_ns = 0;
	struct plan p;
	int r = session_read(s, c->which, c->count, e), applied = 0;

	*again = false;
	if (r == 0)
		r = plan_init(&p, &s->catalog, e);
	if (r < 0)
		return r;
	r = c->plan(c, &p, e);
	if (r == 0 && !c->dry_run)
		applied = r = session_apply(s, c, &p, &stopped_ns, e);
	*again = applied == -EBUSY;
	if (r < 0)
		p.writes.count = 0;
	*result = session_result(s, &p, e);
	plan_done(&p);
	if (*result)
		(*result)->stopped_ns = stopped_ns;
	return *result ? r : -ENOMEM;
}

int session_carry_out(struct probes_session *s, const struct session_change *c,
	struct probes_result **result, struct probes_error *e)
{
	struct probes_error ignored;
	bool again = true;
	int r = 0;

	for (int tries = 0; again && tries < SESSION_TRIES; tries++) {
		probes_result_free(*result);
		*result = NULL;
		r = session_try(s, c, result, &again, e);
	}
	if (r < 0 || c->dry_run)
		return r;
	if (!c->not_ours)
		session_remember(s, *result);
	/* So that what is shown next is what is there now; a failure shows itself at the next look.
	 */
	if (session_read(s, c->which, c->count, &ignored) < 0)
		log_say(&s->log, PROBES_LOG_DEBUG, "%s: %s", ignored.what, ignored.why);
	return 0;
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

static int session_change(struct probes_session *s, const struct session_change *c,
	struct probes_result **result, struct probes_error *e)
{
	int r = session_may_switch(s, c->dry_run, e);

	if (r == 0)
		r = identity_lock(&s->who, SESSION_TURN_MS, e);
	if (r < 0)
		return r;
	r = session_carry_out(s, c, result, e);
	identity_unlock(&s->who);
	return r;
}

/* ---- switching ---- */

/* Disabling makes no sense before a program has begun: said once, and left out. */
static void session_drop_disabling(struct probes_session *s, struct array *chosen)
{
	size_t kept = 0;

	for (size_t i = 0; i < chosen->count; i++) {
		const struct selected *one = ARRAY_AT(chosen, struct selected, i);

		if (one->verb == PROBES_ENABLE)
			*ARRAY_AT(chosen, struct selected, kept++) = *one;
	}
	if (kept < chosen->count)
		log_say(&s->log, PROBES_LOG_NOTICE,
			"disabling is ignored when a program is started: %zu probes stay as they "
			"are",
			chosen->count - kept);
	chosen->count = kept;
}

static int session_switch_chosen(struct probes_session *s, struct array *chosen,
	const struct probes_switch_options *o, struct probes_result **result,
	struct probes_error *e)
{
	struct session_change c = {.plan = session_plan_switch,
		.chosen = chosen,
		.mode = {.force = (o && o->force) || s->held},
		.dry_run = o && o->dry_run,
		.atomically = o && o->atomically,
		.max_stop_ms = o ? o->max_stop_ms : 0};
	size_t *which = calloc(chosen->count + 1, sizeof *which);
	int r;

	if (!which)
		return error_memory(e, "a selection");
	for (size_t i = 0; i < chosen->count; i++)
		which[i] = ARRAY_AT(chosen, struct selected, i)->probe;
	c.which = which;
	c.count = chosen->count;
	r = session_change(s, &c, result, e);
	free(which);
	return r;
}

int probes_switch(struct probes_session *s, const struct probes_action *actions, size_t count,
	const struct probes_switch_options *o, struct probes_result **result,
	struct probes_error *e)
{
	struct array chosen;
	int r;

	*result = NULL;
	array_init(&chosen, sizeof(struct selected));
	r = select_actions(&s->catalog, s, actions, count, o, &chosen, e);
	if (r == 0 && s->held)
		session_drop_disabling(s, &chosen);
	if (r == 0)
		r = session_switch_chosen(s, &chosen, o, result, e);
	array_done(&chosen);
	return r;
}

/* ---- taking back ---- */

static void session_free_deltas(const struct probes_session *s, int32_t **deltas)
{
	for (size_t i = 0; deltas && i < s->catalog.holdings.count; i++)
		free(deltas[i]);
	free(deltas);
}

static int session_restore(struct probes_session *s, const size_t *which, size_t count,
	const int32_t *const *deltas, struct probes_result **result, struct probes_error *e)
{
	const struct session_change c = {
		.plan = session_plan_restore, .which = which, .count = count, .deltas = deltas};

	return session_change(s, &c, result, e);
}

/* What a result added to each semaphore, per holding. */
static bool session_collect(
	const struct probes_session *s, const struct probes_result *done, int32_t **deltas)
{
	for (size_t i = 0; i < done->write_count; i++) {
		const struct probes_write *w = &done->writes[i];
		size_t local;
		const struct holding *h = catalog_find(&s->catalog, w->probe, &local);
		int32_t **slots = &deltas[h->probes[local].object];

		if (w->is_site)
			continue;
		if (!*slots)
			*slots = calloc(h->semaphore_count + 1, sizeof **slots);
		if (!*slots)
			return false;
		(*slots)[session_slot(h, local, w)] += session_delta(w);
	}
	return true;
}

int probes_revert(struct probes_session *s, const struct probes_result *done,
	struct probes_result **result, struct probes_error *e)
{
	int32_t **deltas = calloc(s->catalog.holdings.count + 1, sizeof *deltas);
	size_t *which = calloc(done->item_count + 1, sizeof *which);
	int r;

	*result = NULL;
	/* Backwards: a pair is undone in the order that loses no end. */
	for (size_t i = 0; which && i < done->item_count; i++)
		which[i] = done->items[done->item_count - 1 - i].probe;
	if (deltas && which && session_collect(s, done, deltas))
		r = session_restore(
			s, which, done->item_count, (const int32_t *const *)deltas, result, e);
	else
		r = error_memory(e, "an undo");
	session_free_deltas(s, deltas);
	free(which);
	return r;
}

/* A probe and when we switched it. */
struct session_own {
	size_t probe;
	uint32_t stamp;
};

static int session_latest_first(const void *a, const void *b)
{
	const struct session_own *x = a, *y = b;

	return (x->stamp < y->stamp) - (x->stamp > y->stamp);
}

/* The probes whose semaphores hold a change of ours, latest first; the caller frees. */
static size_t *session_owned(const struct probes_session *s, size_t *count)
{
	struct array own;
	size_t *which;

	array_init(&own, sizeof(struct session_own));
	*count = 0;
	for (size_t i = 0; i < s->catalog.holdings.count; i++) {
		const struct holding *h = catalog_holding(&s->catalog, i);

		for (size_t k = 0; k < h->probe_count; k++) {
			if (!h->stamp[k] || !session_owns(h, &h->probes[k]))
				continue;
			if (!array_reserve(&own, 1)) {
				array_done(&own);
				return NULL;
			}
			*(struct session_own *)array_add(&own) =
				(struct session_own){h->info.first_probe + k, h->stamp[k]};
		}
	}
	if (own.count)
		qsort(own.data, own.count, sizeof(struct session_own), session_latest_first);
	which = calloc(own.count + 1, sizeof *which);
	for (size_t i = 0; which && i < own.count; i++)
		which[i] = ARRAY_AT(&own, struct session_own, i)->probe;
	*count = own.count;
	array_done(&own);
	return which;
}

int probes_restore(struct probes_session *s, struct probes_result **result, struct probes_error *e)
{
	const int32_t **deltas;
	size_t *which, count;
	int r = 0;

	*result = NULL;
	if (!s->stamp)
		return 0;
	which = session_owned(s, &count);
	deltas = calloc(s->catalog.holdings.count + 1, sizeof *deltas);
	for (size_t i = 0; deltas && i < s->catalog.holdings.count; i++)
		deltas[i] = catalog_holding(&s->catalog, i)->net;
	if (!which || !deltas)
		r = error_memory(e, "an undo");
	else if (count)
		r = session_restore(s, which, count, deltas, result, e);
	free(which);
	free(deltas);
	return r;
}
