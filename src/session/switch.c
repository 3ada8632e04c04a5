/*
 * The public calls that change a process: switch, take back, leave as found.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/descriptors.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void probes_result_free(struct probes_result *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->text_count; i++)
		free(r->texts[i]);
	free(r->texts);
	free(r->items);
	free(r->edits);
	free(r->cost);
	free(r);
}

/* ---- one change, with its turn ---- */

static int session_plan_switch(struct probes_session *s, const struct session_change *c,
	struct plan *p, struct probes_error *e)
{
	(void)s;
	return plan_switch(p, c->chosen->data, c->chosen->count, &c->mode, e);
}

/* An undo waits longer if its caller can: there may be no later attempt. */
static int session_patience(const struct probes_session *s, const struct session_change *c)
{
	return c->deltas && s->patience_ms ? (int)s->patience_ms : SESSION_LOCK_MS;
}

void probes_set_patience(struct probes_session *s, unsigned milliseconds)
{
	s->patience_ms = milliseconds < INT_MAX ? milliseconds : INT_MAX;
}

static int session_change(struct probes_session *s, const struct session_change *c,
	struct probes_result **result, struct probes_error *e)
{
	int r = session_may_switch(s, c->dry_run, e), spare = 0;

	/*
	 * Check before anything is written: the undo needs as many descriptors, besides the
	 * journal. An undo itself tries with those that are left.
	 */
	if (r == 0 && !c->dry_run && !c->deltas)
		spare = descriptors_spare(s->journal.fd < 0);
	if (spare < 0)
		return error_set(
			e, PROBES_FAILED, spare, "cannot switch in process %d", s->who.pid);
	/* A dry run writes nothing, and needs no turn. */
	if (r == 0 && c->dry_run)
		return session_execute(s, c, result, e);
	if (r == 0)
		r = lock_take(&s->lock, &s->who, s->memory.fd, session_patience(s, c), e);
	if (r < 0) {
		/* The undo failed: its record must outlive the session. */
		s->keep_journal = s->keep_journal || (c->deltas && e->status != PROBES_GONE);
		if (c->deltas && r == -EBUSY)
			error_hint(e,
				"it stays on record; when that session has finished, undo it with: "
				"probes-tui repair -pid %d",
				s->who.pid);
		return r;
	}
	r = session_execute(s, c, result, e);
	lock_release(&s->lock, &s->who, s->memory.fd);
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

/* A session is one party: what it holds enabled is not raised again. Returns how many are left out.
 */
static size_t session_drop_held(struct probes_session *s, struct array *chosen)
{
	size_t kept = 0, dropped;

	for (size_t i = 0; i < chosen->count; i++) {
		const struct selected *one = ARRAY_AT(chosen, struct selected, i);

		if (one->verb == PROBES_DISABLE || !probes_live_at(s, one->probe)->mine)
			*ARRAY_AT(chosen, struct selected, kept++) = *one;
	}
	dropped = chosen->count - kept;
	chosen->count = kept;
	return dropped;
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
	size_t already = 0;
	int r;

	*result = NULL;
	array_init(&chosen, sizeof(struct selected));
	r = select_actions(&s->catalog, s, actions, count, o, &chosen, e);
	if (r == 0 && s->held)
		session_drop_disabling(s, &chosen);
	if (r == 0 && o && o->once && !o->force)
		already = session_drop_held(s, &chosen);
	if (r == 0 && already && !chosen.count) {
		*result = calloc(1, sizeof **result);
		if (*result)
			(*result)->dry_run = o->dry_run;
		else
			r = error_memory(e, "a result");
	} else if (r == 0) {
		r = session_switch_chosen(s, &chosen, o, result, e);
	}
	if (*result)
		(*result)->already = already;
	array_done(&chosen);
	return r;
}

/* ---- what is ours ---- */

bool session_owns(const struct object_probes *h, const struct probes_probe *p)
{
	if (h->torn && h->torn[p - h->probes])
		return true;
	for (uint32_t i = 0; h->net && i < p->semaphore_count; i++)
		if (h->net[object_probes_same(h, object_probes_semaphore(h, p) + i)])
			return true;
	return false;
}

size_t session_owned_count(const struct probes_session *s, uint32_t until)
{
	size_t mine = 0;

	for (size_t i = 0; s->switch_seq && i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);

		for (size_t k = 0; k < h->probe_count; k++)
			mine += h->switch_seq[k] && h->switch_seq[k] <= until &&
				session_owns(h, &h->probes[k]);
	}
	return mine;
}

size_t probes_owned_count(const struct probes_session *s)
{
	return session_owned_count(s, UINT32_MAX);
}

/* ---- taking back ---- */

/* Only the first so many objects: more may have come during the undo. */
static void session_free_deltas(int32_t **deltas, size_t objects)
{
	for (size_t i = 0; deltas && i < objects; i++)
		free(deltas[i]);
	free(deltas);
}

/* Is anything torn, so that sites must follow their counts? */
static bool session_torn(const struct probes_session *s)
{
	for (size_t i = 0; i < s->catalog.objects.count; i++)
		if (catalog_object(&s->catalog, i)->torn)
			return true;
	return false;
}

/* Nothing is torn any more, even if another tool mended it. */
static void session_mended(struct probes_session *s)
{
	for (size_t i = 0; i < s->catalog.objects.count; i++) {
		struct object_probes *h = catalog_object(&s->catalog, i);

		free(h->torn);
		h->torn = NULL;
	}
}

static int session_restore(struct probes_session *s, const size_t *which, size_t count,
	int32_t *const *deltas, struct probes_result **result, struct probes_error *e)
{
	const struct session_change c = {.plan = session_plan_restore,
		.which = which,
		.count = count,
		.deltas = deltas,
		.follow = session_torn(s)};

	return session_change(s, &c, result, e);
}

/* What a result added to each semaphore, per object_probes. */
static bool session_collect(
	const struct probes_session *s, const struct probes_result *done, int32_t **deltas)
{
	for (size_t i = 0; i < done->edit_count; i++) {
		const struct probes_edit *w = &done->edits[i];
		size_t local;
		const struct object_probes *h = catalog_find(&s->catalog, w->probe, &local);
		int32_t **slots = &deltas[h->probes[local].object];

		if (w->role != PROBES_ROLE_SEMAPHORE)
			continue;
		if (!*slots)
			*slots = calloc(h->semaphore_count + 1, sizeof **slots);
		if (!*slots)
			return false;
		(*slots)[session_slot(h, local, w)] += edit_delta(w);
	}
	return true;
}

/*
 * Before taking back: what was unloaded meanwhile must not keep the rest from it. Before anything
 * is laid out, since the objects may become more. Where maps cannot be read, so be it.
 */
static void session_look(struct probes_session *s, struct array *lost)
{
	struct probes_rescanned ignored;
	struct probes_error e;

	if (session_rescan(s, &ignored, lost, &e) < 0)
		log_say(&s->log, PROBES_LOG_DEBUG, "%s: %s", e.what, e.why);
}

int probes_revert(struct probes_session *s, const struct probes_result *done,
	struct probes_result **result, struct probes_error *e)
{
	size_t *which, objects;
	int32_t **deltas;
	int r;

	*result = NULL;
	if (done->dry_run) {
		error_set(e, PROBES_USAGE, -EINVAL, "cannot undo a dry run");
		return error_why(e, "it changed nothing");
	}
	session_look(s, NULL);
	objects = s->catalog.objects.count;
	deltas = calloc(objects + 1, sizeof *deltas);
	which = calloc(done->item_count + 1, sizeof *which);
	/* Backwards: a pair is undone in the order that loses no end. */
	for (size_t i = 0; which && i < done->item_count; i++)
		which[i] = done->items[done->item_count - 1 - i].probe;
	if (deltas && which && session_collect(s, done, deltas))
		r = session_restore(s, which, done->item_count, deltas, result, e);
	else
		r = error_memory(e, "an undo");
	session_free_deltas(deltas, objects);
	free(which);
	return r;
}

/* A probe and when we switched it. */
struct session_own {
	size_t probe;
	uint32_t switch_seq;
};

static int session_latest_first(const void *a, const void *b)
{
	const struct session_own *x = a, *y = b;

	return (x->switch_seq < y->switch_seq) - (x->switch_seq > y->switch_seq);
}

/* The probes whose semaphores hold a change of ours, latest first; the caller frees. */
static size_t *session_owned(
	const struct probes_session *s, uint32_t until, const struct array *lost, size_t *count)
{
	struct array own;
	size_t *which;

	array_init(&own, sizeof(struct session_own));
	*count = 0;
	for (size_t i = 0; i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);

		for (size_t k = 0; k < h->probe_count; k++) {
			if (!h->switch_seq[k] || h->switch_seq[k] > until ||
				!session_owns(h, &h->probes[k]))
				continue;
			if (!array_reserve(&own, 1)) {
				array_done(&own);
				return NULL;
			}
			*(struct session_own *)array_add(&own) =
				(struct session_own){h->info.first_probe + k, h->switch_seq[k]};
		}
	}
	if (own.count)
		qsort(own.data, own.count, sizeof(struct session_own), session_latest_first);
	which = calloc(own.count + lost->count + 1, sizeof *which);
	for (size_t i = 0; which && i < own.count; i++)
		which[i] = ARRAY_AT(&own, struct session_own, i)->probe;
	if (which && lost->count)
		memcpy(which + own.count, lost->data, lost->count * sizeof *which);
	*count = own.count + lost->count;
	array_done(&own);
	return which;
}

int session_restore_until(struct probes_session *s, uint32_t until, struct probes_result **result,
	struct probes_error *e)
{
	int32_t **deltas;
	size_t *which, count;
	struct array lost;
	int r = 0;

	*result = NULL;
	if (!s->switch_seq)
		return 0;
	array_init(&lost, sizeof(size_t));
	session_look(s, &lost);
	which = session_owned(s, until, &lost, &count);
	array_done(&lost);
	deltas = calloc(s->catalog.objects.count + 1, sizeof *deltas);
	for (size_t i = 0; deltas && i < s->catalog.objects.count; i++)
		deltas[i] = catalog_object(&s->catalog, i)->net;
	if (!which || !deltas)
		r = error_memory(e, "an undo");
	else if (count)
		r = session_restore(s, which, count, deltas, result, e);
	if (r == 0 && until == UINT32_MAX && *result && !(*result)->not_done)
		session_mended(s);
	/* What could not be undone must stay on record. */
	if (r < 0 && e->status != PROBES_GONE)
		s->keep_journal = true;
	free(which);
	free(deltas);
	return r;
}

int probes_restore(struct probes_session *s, struct probes_result **result, struct probes_error *e)
{
	return session_restore_until(s, UINT32_MAX, result, e);
}
