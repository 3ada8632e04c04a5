/*
 * One change of a process: read, plan, record, write, own; repeated where
 * the process changes meanwhile. Knows nothing of what is planned.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/descriptors.h"
#include "process/procfs.h"
#include "process/sharing.h"
#include "process/stop.h"
#include "process/tracer.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define CHANGE_STOP_MS 1000 /* longest stop under -stop, unless the caller asks for another */
#define CHANGE_NAP_NS 2000000
#define CHANGE_TRIES 3 /* a count that others change between reading and writing is replanned */

/* ---- what is owned ---- */

/*
 * A switch: what it wrote is this session's part. An undo: the parts that were to be taken back are
 * reconciled, also where nothing was written: somebody else had taken them away, or code is left as
 * it is.
 */
static void change_own(
	struct probes_session *s, const struct change *c, const struct probes_result *r)
{
	size_t local;

	/* All that one repair takes back is one change. */
	s->change_seq += !s->repairing;
	for (size_t i = 0; i < r->edit_count; i++) {
		struct object_probes *h = catalog_find(&s->catalog, r->edits[i].probe, &local);
		struct ownership_resource of = ownership_resource(h, local, &r->edits[i]);
		int32_t after;

		if (!c->undo)
			ownership_add(h, &of);
		if (of.kind != PLAN_SEMAPHORE)
			continue;
		after = ownership_part(h, of.kind, of.index);
		if (c->undo && !c->foreign)
			after -= c->undo[h->probes[local].object].of[of.kind][of.index];
		ownership_remember(h, of.index, &r->edits[i], s->change_seq, after);
	}
	s->last_switch_ticks = procfs_now();
	for (size_t i = 0; i < r->item_count; i++) {
		struct object_probes *h = catalog_find(&s->catalog, r->items[i].probe, &local);
		const struct probes_probe *p = &h->probes[local];
		struct plan_parts *undo = c->undo && !c->foreign ? &c->undo[p->object] : NULL;

		if (!h->ownership || r->items[i].outcome == PROBES_NOT_DONE ||
			(r->items[i].outcome == PROBES_SKIPPED && !c->undo))
			continue;
		if (undo)
			h->ownership->parts.torn[local] = false;
		for (int kind = PLAN_RESOURCES; undo && kind-- > 0;)
			for (uint32_t k = 0; undo->of[kind] && k < ownership_size(p, kind); k++) {
				struct ownership_resource of = {.kind = (enum plan_resource)kind,
					.index = ownership_index(h, p, kind, k)};

				of.part = -undo->of[kind][of.index];
				ownership_add(h, &of);
				/* What is owned is 0 now, where that was to be taken back. */
				undo->of[kind][of.index] = 0;
			}
		h->ownership->switch_seq[local] = ++s->switch_seq;
		ownership_judge(h, local);
	}
}

/* A failed change whose undo failed, too: what it left in the process is this session's part. */
static bool change_own_unreverted(struct probes_session *s, const struct apply *a)
{
	bool any = false;

	for (size_t i = 0; i < a->verify.plan->edits.count; i++) {
		const struct probes_edit *edit = verify_edit(&a->verify, i);
		size_t local;
		struct object_probes *h = catalog_find(&s->catalog, edit->probe, &local);
		struct ownership_resource of = ownership_resource(h, local, edit);

		if (!a->unreverted[i])
			continue;
		if (of.kind == PLAN_RESOURCES)
			h->ownership->parts.torn[local] = true;
		else
			ownership_add(h, &of);
		h->ownership->switch_seq[local] = ++s->switch_seq;
		ownership_judge(h, local);
		any = true;
	}
	return any;
}

/* ---- writing ---- */

/* What is done while the process may be stopped: verify and write. */
struct change_work {
	struct apply apply;
	struct memory *memory;
	const struct identity *still; /* nobody may run in its memory meanwhile; NULL: anybody */
};

static int change_write(void *data, struct probes_error *e)
{
	struct change_work *w = data;
	pid_t other = w->still ? sharing_find(w->still) : 0;
	char name[64];
	int r;

	if (other < 0)
		return error_set(e, PROBES_FAILED, other, "cannot stop process %d", w->still->pid);
	/* Its threads stand still, but somebody else does not. */
	if (other) {
		procfs_name(other, name, sizeof name);
		error_set(e, PROBES_REFUSED, -EAGAIN, "cannot stop process %d", w->still->pid);
		error_why(e,
			"process %d (%s) runs in the same memory and is none of its threads "
			"(vfork, CLONE_VM)",
			other, name);
		return error_hint(e, "try again when one of them has ended, or without a stop");
	}
	r = rescan_check(w->apply.verify.plan, w->memory, e);
	return r < 0 ? r : apply_run(&w->apply, w->memory, e);
}

static int change_run(struct probes_session *s, const struct change *c, const struct plan *p,
	struct change_work *w, uint64_t *stopped_ns, struct probes_error *e)
{
	int r, most = (int)c->options.max_stop_ms;

	/* Jumps of one byte need no stop; those of several always do. A held program is stopped
	   already, and since its exec no other process shares its memory. */
	w->still = p->needs_stop && !s->held ? &s->who : NULL;
	if ((c->options.atomically || p->needs_stop) && !s->held) {
		r = stop_run(&s->who, most ? most : CHANGE_STOP_MS, change_write, w, stopped_ns, e);
		/* To try without a stop would not help. */
		if (r < 0 && p->needs_stop && !c->counts &&
			(e->status == PROBES_DENIED || e->status == PROBES_REFUSED))
			error_hint(e, "jumps of several bytes are removed only while all threads "
				      "are stopped: try again when that is possible");
		return r;
	}
	if (s->needs_tracer && !s->held)
		return tracer_run(&s->who, change_write, w, e);
	/* A held program is stopped, and traced, already. */
	if (s->held && s->start)
		return start_call(s->start, change_write, w, e);
	r = change_write(w, e);
	if (!w->apply.barred)
		return r;
	/* The kernel refused a write to code; on most such kernels a tracer may write. */
	r = tracer_run(&s->who, change_write, w, e);
	s->needs_tracer = r == 0;
	if (r == -EIO || (r < 0 && e->status == PROBES_FAILED && (r == -EPERM || r == -EACCES)))
		error_why(e, "the kernel forbids it even to a tracer: shared code, or proc_mem."
			     "force_override=never; or its object was unloaded at that moment");
	return r;
}

static int change_apply(struct probes_session *s, const struct change *c, const struct plan *p,
	uint64_t *stopped_ns, struct probes_error *e)
{
	struct change_work w = {.memory = &s->memory};
	int r = 0;

	if (!p->edits.count && !p->uprobes.count)
		return 0;
	for (size_t i = 0; r == 0 && i < p->uprobes.count; i++) {
		size_t local, probe = ARRAY_AT(&p->uprobes, struct probes_edit, i)->probe;

		if (!ownership_begin(catalog_find(&s->catalog, probe, &local), PLAN_COUNTER))
			r = error_memory(e, "a record of what is owned");
	}
	/* A forked child inherits no uprobe. */
	if (!s->first_switch_ticks && p->edits.count)
		s->first_switch_ticks = procfs_now();
	ARRAY_EACH_WHILE(r == 0, const struct probes_edit, edit, &p->edits) {
		size_t local;
		struct object_probes *h = catalog_find(&s->catalog, edit->probe, &local);

		if (!ownership_begin(h, ownership_resource(h, local, edit).kind))
			r = error_memory(e, "a record of what is owned");
	}
	if (r == 0)
		r = kernel_attach(s, p, e);
	if (r < 0)
		return r;
	if (p->edits.count)
		r = apply_init(&w.apply, p, e);
	if (p->edits.count && r == 0) {
		r = journals_plan(s, p, c->undo, e);
		if (r == 0) {
			r = change_run(s, c, p, &w, stopped_ns, e);
			/* Nobody knows what a killed helper process wrote. */
			journals_conclude(s, &w.apply, r, r != -ECHILD);
			s->plan_open = s->plan_open || r == -ECHILD;
			s->keep_journal = s->keep_journal || r == -ECHILD;
			if (r < 0 && change_own_unreverted(s, &w.apply) && e->status != PROBES_GONE)
				s->keep_journal = true;
		}
		apply_done(&w.apply);
	}
	kernel_detach(s, p, r < 0);
	return r;
}

/* ---- the whole ---- */

/* `reader`: of the probes of the change; NULL: of all probes, which keeps its layout. */
static int change_read(struct probes_session *s, const struct change *c, struct reader *reader,
	struct probes_error *e)
{
	return reader ? read_by(s, reader, c->which, c->count, e) : read_probes(s, NULL, 0, e);
}

/* Of the probes to be counted: sites that are, or will be by this plan, and the others. */
static void change_count_sites(const struct probes_session *s, const struct change *c,
	const struct plan *p, const struct probes_result *figures, struct probes_result *result)
{
	size_t sites = 0;

	ARRAY_EACH(const struct selected, one, c->chosen) {
		if (one->verb != PROBES_COUNT)
			continue;
		sites += catalog_probe(&s->catalog, one->probe)->site_count;
		result->counted_sites += probes_live_at(s, one->probe)->sites_counted;
	}
	for (size_t i = 0; i < p->edits.count; i++)
		result->counted_sites +=
			ARRAY_AT(&p->edits, struct probes_edit, i)->role == PROBES_ROLE_COUNTER;
	for (size_t i = 0; i < p->uprobes.count; i++)
		result->uprobe_sites +=
			ARRAY_AT(&p->uprobes, struct probes_edit, i)->new_[0] == ARCH_BREAKPOINT;
	result->counted_sites += result->uprobe_sites;
	result->uncounted_sites = sites > result->counted_sites ? sites - result->counted_sites : 0;
	result->stop_sites = figures->stop_sites;
	result->kernel_sites = figures->kernel_sites;
	result->mapped_pages = figures->mapped_pages;
	result->held_ns = figures->held_ns;
}

/*
 * One attempt. *again: the process changed between reading and verifying; or, unless it is the last
 * attempt, a part of an undo is impossible, maybe for the same reason. Then nothing was written.
 */
static int change_once(struct probes_session *s, const struct change *c, struct reader *reader,
	bool last, struct probes_result **result, bool *again, struct probes_error *e)
{
	struct probes_result *made, figures = {0};
	bool asked = false, useful = false;
	struct plan p;
	int r = c->counts || s->arenas.count ? jumps_look(s, e) : 0, applied = 0;

	*again = false;
	if (r == 0)
		r = change_read(s, c, reader, e);
	if (r == 0 && s->arenas.count && !owner_begin(s, c->chosen, c->options.dry_run))
		r = error_memory(e, "a record of what is owned");
	if (r == 0 && c->counts)
		r = count_prepare(s, c, &figures, e);
	if (r == 0)
		r = plan_init(&p, &s->catalog, e);
	if (r < 0)
		return r;
	vanished_look(s, c);
	r = c->plan(s, c, &p, e);
	vanished_done(s, c);
	/* Made before the first write: what is done must not be lost for want of memory. */
	*result = made = calloc(1, sizeof *made);
	if (made) {
		made->item_count = p.items.count;
		made->items = array_take(&p.items);
		made->text_count = p.texts.count;
		made->texts = array_take(&p.texts);
	}
	for (size_t i = 0; made && i < made->item_count; i++) {
		bool skipped = made->items[i].outcome == PROBES_SKIPPED;

		/* Nothing to switch, or unloaded: then there is nothing to enable. */
		if (made->items[i].verb == PROBES_ENABLE)
			asked = true, useful = useful || !skipped;
		made->done += made->items[i].outcome == PROBES_DONE;
		made->skipped += skipped;
		made->not_done += made->items[i].outcome == PROBES_NOT_DONE;
		if (skipped)
			made->skips[made->items[i].skip]++;
	}
	if (made)
		made->cannot_enable = !c->undo && asked && !useful;
	if (made && c->counts)
		change_count_sites(s, c, &p, &figures, made);
	if (made && r == 0)
		r = headroom_check(s, c, &p, made, e);
	if (made && r == 0 && !array_reserve(&p.edits, p.uprobes.count))
		r = error_memory(e, "a result");
	*again = made && r == 0 && !last && c->undo && made->not_done;
	if (made && r == 0 && !c->options.dry_run && !*again)
		applied = r = change_apply(s, c, &p, &made->stopped_ns, e);
	*again = *again || applied == -EBUSY;
	if (made && r == 0) {
		for (size_t i = 0; i < p.uprobes.count; i++)
			*(struct probes_edit *)array_add(&p.edits) =
				*ARRAY_AT(&p.uprobes, struct probes_edit, i);
		made->edit_count = p.edits.count;
		made->edits = array_take(&p.edits);
		for (size_t i = 0; i < made->edit_count; i++)
			made->sites += made->edits[i].role != PROBES_ROLE_SEMAPHORE;
	}
	plan_done(&p);
	if (!made)
		return error_memory(e, "a result");
	made->dry_run = c->options.dry_run;
	return r;
}

/* Sites whose jump was written, and is not there any more by the last reading, say why. */
static void change_explain_lost(struct probes_session *s, const struct probes_result *r)
{
	for (const struct probes_edit *edit = r->edits; edit < r->edits + r->edit_count; edit++) {
		size_t local;
		struct object_probes *h = catalog_find(&s->catalog, edit->probe, &local);
		size_t site = object_probes_site(h, &h->probes[local]) + edit->index;

		if (edit->role != PROBES_ROLE_COUNTER || h->site_live[site].counted ||
			!ownership_is_jump(h, &h->probes[local], (uint32_t)site, edit))
			continue;
		h->jumps[site].why = h->info.gone || !h->site_live[site].count
					     ? "its object was unloaded meanwhile"
					     : "its code was changed meanwhile: its object may "
					       "have been loaded anew";
	}
}

static int change_retry(struct probes_session *s, const struct change *c, struct reader *reader,
	struct probes_result **result, struct probes_error *e)
{
	const struct timespec nap = {.tv_nsec = CHANGE_NAP_NS};
	struct probes_rescanned what;
	struct probes_error ignored;
	bool again = true, keep_journal = s->keep_journal;
	int r = 0;

	for (int tries = 1; again && tries <= CHANGE_TRIES; tries++) {
		probes_result_free(*result);
		*result = NULL;
		r = change_once(s, c, reader, tries == CHANGE_TRIES, result, &again, e);
		if (again && r == 0)
			nanosleep(&nap, NULL); /* a library may be halfway there */
		/* A library that was unloaded shows as bytes that differ, as none to read
		   (EFAULT), or as none to write (EIO). Plan the rest anew, without the library. */
		if ((again || r == -EFAULT || r == -EIO) &&
			rescan_objects(s, &what, NULL, &ignored) == 0 && what.gone_objects) {
			again = true;
			/* What could not be undone in the library went with it. */
			if (!probes_owned_count(s))
				s->keep_journal = keep_journal;
		}
	}
	/* What was written in a process that is gone went with it. */
	if (c->undo && (r < 0 ? e->status != PROBES_GONE : (*result)->not_done))
		s->keep_journal = true;
	for (size_t i = 0; c->options.dry_run && c->chosen && i < c->chosen->count; i++) {
		size_t local, probe = ARRAY_AT(c->chosen, struct selected, i)->probe;
		struct object_probes *h = catalog_find(&s->catalog, probe, &local);

		ownership_judge(h, local);
	}
	if (r < 0 || c->options.dry_run)
		return r;
	change_own(s, c, *result);
	if (!c->undo && !owner_end(s, *result))
		return error_memory(e, "a record of what is owned");
	if (s->arenas.count)
		owner_reconcile(s);
	if (c->counts)
		sharers_look_again(s);
	if (c->undo && !c->foreign && !(*result)->not_done && !probes_owned_count(s) &&
		!s->plan_open)
		s->keep_journal = false;
	/* So that the state shown next is that after the change; a failure shows itself at the next
	   reading. */
	if (change_read(s, c, reader, &ignored) < 0)
		log_say(&s->log, PROBES_LOG_DEBUG, "%s: %s", ignored.what, ignored.why);
	change_explain_lost(s, *result);
	return 0;
}

int change_locked(struct probes_session *s, const struct change *c, struct probes_result **result,
	struct probes_error *e)
{
	bool partial = c->count < s->catalog.probe_count, fits = true;
	struct probes_error gone;
	struct reader reader;
	struct array which = ARRAY_OF(size_t);
	int r;

	*result = NULL;
	/* Lay the readings out once. A tool that holds a site counts in its semaphore, even if that
	   is shared with a probe that the change does not name. */
	if (partial)
		fits = catalog_sharing(&s->catalog, c->which, c->count, &which);
	if (fits && which.count) {
		fits = array_reserve(&which, c->count);
		for (size_t i = 0; fits && i < c->count; i++)
			*(size_t *)array_add(&which) = c->which[i];
	}
	if (partial && fits)
		fits = which.count ? reader_init(&reader, &s->catalog, which.data, which.count)
				   : reader_init(&reader, &s->catalog, c->which, c->count);
	array_done(&which);
	if (!fits)
		return error_memory(e, "a reading");
	/* Before anything is read: the less time lies between that and the writes, the better. */
	if (!c->options.dry_run && !s->repairing)
		journals_decide(s);
	r = change_retry(s, c, partial ? &reader : NULL, result, e);
	if (partial)
		reader_done(&reader);
	/* Whatever failed: the cause is the end of the process, if that has ended. */
	if (r < 0 && e->status != PROBES_GONE && probes_alive(s, &gone) < 0) {
		*e = gone;
		r = e->code;
	}
	return r;
}

int change_execute(struct probes_session *s, const struct change *c, struct probes_result **result,
	struct probes_error *e)
{
	int r = session_may_switch(s, c->options.dry_run, c->undo, c->counts, e), spare = 0;
	/* An undo waits longer if its caller can: there may be no later attempt. */
	int patience = c->undo && s->lock_timeout_ms ? (int)s->lock_timeout_ms : SESSION_LOCK_MS;

	/*
	 * Check before anything is written: the undo needs as many descriptors, besides the
	 * journal. An undo itself tries with those that are left.
	 */
	if (r == 0 && !c->options.dry_run && !c->undo)
		spare = descriptors_spare(s->journal.fd < 0);
	if (spare < 0)
		return error_set(
			e, PROBES_FAILED, spare, "cannot switch in process %d", s->who.pid);
	if (r == 0 && !c->options.dry_run && !c->undo)
		identity_keep_maps(&s->who);
	/* A dry run writes nothing, and needs no lock. */
	if (r == 0 && c->options.dry_run)
		return change_locked(s, c, result, e);
	if (r == 0 && (r = lock_take(&s->lock, &s->who, s->memory.fd, patience, e)) < 0)
		session_guess(s, e);
	if (r < 0) {
		/* The undo failed: its record must outlive the session. */
		s->keep_journal = s->keep_journal || (c->undo && e->status != PROBES_GONE);
		if (c->undo && r == -EBUSY)
			error_hint(e,
				"it stays on record; when that session has finished, repair "
				"process %d",
				s->who.pid);
		return r;
	}
	r = change_locked(s, c, result, e);
	lock_release(&s->lock, &s->who, s->memory.fd);
	return r;
}
