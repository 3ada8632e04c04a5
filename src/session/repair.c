/*
 * The public call that undoes what interrupted sessions left. The journals say which edits were
 * made for certain; of the last, unfinished plan the process itself says how far it came.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/descriptors.h"
#include "process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- what is to be undone ---- */

struct repair {
	struct plan_parts *undo; /* per object */
	size_t objects;          /* number of objects at the start: more may come meanwhile */
	struct array places;     /* struct leftovers_place */
	struct array made;       /* struct probes_edit: what was made of pending edits */
	struct array unclear;    /* struct probes_edit: pending ones of counts that have neither of
				    their values; `probe` and `index` are set */
	struct array which;      /* size_t: the probes that the journal names */
};

/*
 * The part of the interrupted session of a resource that is `value` now. A pending edit is a part
 * of it if the process holds its new value, and none if the process holds the old one; else others
 * count there too: the count is left, and stays on record.
 */
static int32_t repair_sum(struct repair *r, const struct probes_probe *p, uint64_t address,
	uint32_t value, bool *named)
{
	const struct leftovers_place *end, *at = leftovers_at(&r->places, address, &end);
	int32_t part = 0;

	for (; at < end; at++) {
		const struct probes_edit *edit = at->edit;
		bool count = edit->role == PROBES_ROLE_SEMAPHORE;
		unsigned old = count ? edit_value(edit->old) : edit->old[0];
		unsigned new_ = count ? edit_value(edit->new_) : edit->new_[0];

		*named = true;
		if (!at->pending || value == new_)
			part += edit->role == PROBES_ROLE_CODE_ALONE ? ownership_code_part(p, edit)
								     : edit_delta(edit);
		/* Code that follows its count is reconciled with that, made or not. */
		if (at->pending && (value == new_ || edit->role == PROBES_ROLE_CODE) &&
			array_reserve(&r->made, 1))
			*(struct probes_edit *)array_add(&r->made) = *edit;
		else if (at->pending && count && value != old && array_reserve(&r->unclear, 1))
			*(struct probes_edit *)array_add(&r->unclear) = *edit;
	}
	return part;
}

/*
 * Was the session interrupted, or did a failed undo stop, between the code and the count of a site?
 * By the journal, its code may have changed then, and its count has not.
 */
static bool repair_torn(const struct repair *r, const struct object_probes *h,
	const struct probes_probe *p, const struct plan_parts *undo)
{
	bool torn = false;

	for (uint32_t i = 0; kind_switches(p) && i < p->site_count && !torn; i++) {
		uint64_t code = kind_of(p)->edit(p->sites[i].address, true).address;
		const struct leftovers_place *end, *at = leftovers_at(&r->places, code, &end);
		uint32_t k = p->sites[i].semaphore;
		int32_t on = 0;

		if (k == PROBES_NONE ||
			undo->of[PLAN_SEMAPHORE][ownership_index(h, p, PLAN_SEMAPHORE, k)])
			continue;
		for (; at < end; at++) {
			torn = torn || at->pending;
			if (at->edit->role == PROBES_ROLE_CODE)
				on += ownership_code_part(p, at->edit);
		}
		torn = torn || on;
	}
	return torn;
}

/*
 * The displacement of an OCaml site is written while the site is off (apply.c). Was the session
 * killed before the first of these writes to it, or after the last? Then the bytes are those of the
 * file, although the count says that the site is on.
 */
static bool repair_is_torn(const struct object_probes *h, const struct probes_probe *p,
	uint32_t site, const struct leftovers_place *at, const struct leftovers_place *end)
{
	const struct object_jump *j = &h->jumps[site];
	const struct probes_site_live *live = &h->site_live[site];
	uint32_t k = h->sites[site].semaphore, value;

	if (!kind_of(p)->call || j->tactic != PROBES_TACTIC_OCAML || k == PROBES_NONE)
		return false;
	value = h->values[object_probes_semaphore(h, p) + k];
	if (!value || value == PROBES_NONE || live->count < j->length ||
		live->bytes[0] != j->old[0] || live->bytes[1] != kind_of(p)->site->off[0])
		return false;
	for (; at < end; at++)
		if (at->pending && at->edit->role == PROBES_ROLE_COUNTER)
			return true;
	return false;
}

/* Does a site jump to its counter because of the interrupted session? Its bytes tell. */
static int32_t repair_counter(struct repair *r, const struct object_probes *h,
	const struct probes_probe *p, uint32_t site, bool *named)
{
	const struct leftovers_place *end,
		*at = leftovers_at(&r->places, h->sites[site].address, &end);
	int32_t part = 0;
	bool counted;

	h->jumps[site].torn = repair_is_torn(h, p, site, at, end);
	counted = object_probes_counted(h, site) || object_probes_cut_off(h, site);
	for (; at < end; at++) {
		bool on;

		if (at->edit->role != PROBES_ROLE_COUNTER)
			continue;
		on = ownership_is_jump(h, p, site, at->edit);
		*named = true;
		if (!at->pending || on == counted)
			part = on;
		if (at->pending && on == counted && array_reserve(&r->made, 1))
			*(struct probes_edit *)array_add(&r->made) = *at->edit;
	}
	return part;
}

static bool repair_object(struct probes_session *s, struct object_probes *h, struct repair *r)
{
	struct plan_parts *undo = h->probe_count ? &r->undo[h->probes[0].object] : NULL;

	for (size_t i = 0; i < h->probe_count; i++) {
		const struct probes_probe *p = &h->probes[i];
		size_t first = object_probes_semaphore(h, p), unclear = r->unclear.count;
		bool named = false;

		for (uint32_t k = 0; k < p->semaphore_count; k++) {
			if (object_probes_same(h, first + k) != first + k)
				continue;
			undo->of[PLAN_SEMAPHORE][first + k] = repair_sum(
				r, p, p->semaphores[k].address, h->values[first + k], &named);
			for (; unclear < r->unclear.count; unclear++) {
				struct probes_edit *edit =
					ARRAY_AT(&r->unclear, struct probes_edit, unclear);

				edit->probe = h->info.first_probe + i;
				edit->index = k;
			}
		}
		for (uint32_t k = 0; k < p->site_count; k++) {
			const struct kind_ops *kind = kind_of(p);
			uint32_t site = ownership_index(h, p, PLAN_CODE, k);
			uint64_t code;

			if (!kind->edit)
				continue;
			code = kind->edit(p->sites[k].address, true).address;
			undo->of[PLAN_CODE][site] = repair_sum(r, p, code,
				h->site_live[site].bytes[code - p->sites[k].address], &named);
		}
		for (uint32_t k = 0; h->jumps && k < p->site_count; k++) {
			uint32_t site = ownership_index(h, p, PLAN_COUNTER, k);

			undo->of[PLAN_COUNTER][site] = repair_counter(r, h, p, site, &named);
		}
		if (!named)
			continue;
		/* Its forked children may hold what the session wrote, also where nothing is to be
		   written here: see fork_take. */
		if (!ownership_begin(h, PLAN_RESOURCES))
			return false;
		h->ownership->switch_seq[i] = ++s->switch_seq;
		undo->torn[i] = repair_torn(r, h, p, undo);
		if (!array_push(&r->which, &(size_t){h->info.first_probe + i}))
			return false;
	}
	return true;
}

/* What is unclear is not done. False: no memory. */
static bool repair_say_unclear(
	struct probes_session *s, const struct array *unclear, struct probes_result **result)
{
	bool fits = true;

	ARRAY_EACH_WHILE(fits, const struct probes_edit, edit, unclear) {
		unsigned old = edit_value(edit->old), new_ = edit_value(edit->new_);
		size_t local;
		const struct object_probes *h = catalog_find(&s->catalog, edit->probe, &local);
		uint32_t value =
			h->values[object_probes_semaphore(h, &h->probes[local]) + edit->index];
		char why[160] = "its count cannot be read";

		if (value != PROBES_NONE)
			snprintf(why, sizeof why,
				"its count is %u, neither %u nor %u: others count there, too, and "
				"our part may or may not be in it",
				value, old, new_);
		fits = result_refuse(
			result, edit->probe, new_ > old ? PROBES_DISABLE : PROBES_ENABLE, why);
	}
	return fits;
}

/* Undo what one journal says. */
static int repair_undo(struct probes_session *s, const struct journal_text *text,
	const struct array *journals, struct probes_result **result, struct probes_error *e)
{
	struct change c = {.plan = switch_plan_undo, .foreign = true, .journals = journals};
	struct repair r = {.objects = s->catalog.objects.count};
	int code = read_probes(s, NULL, 0, e);
	bool fits;

	r.places = ARRAY_OF(struct leftovers_place);
	r.which = ARRAY_OF(size_t);
	r.made = ARRAY_OF(struct probes_edit);
	r.unclear = ARRAY_OF(struct probes_edit);
	r.undo = calloc(r.objects + 1, sizeof *r.undo);
	fits = r.undo && leftovers_places(text, &r.places) &&
	       array_reserve(&r.made, text->pending.count) &&
	       array_reserve(&r.unclear, text->pending.count);
	for (size_t i = 0; code == 0 && fits && i < r.objects; i++) {
		struct object_probes *h = catalog_object(&s->catalog, i);

		r.undo[i].torn = calloc(h->probe_count + 1, sizeof(bool));
		fits = r.undo[i].torn && ownership_open_parts(&r.undo[i], h, PLAN_SEMAPHORE) &&
		       ownership_open_parts(&r.undo[i], h, PLAN_CODE) &&
		       ownership_open_parts(&r.undo[i], h, PLAN_COUNTER) && repair_object(s, h, &r);
	}
	if (code == 0 && !fits)
		code = error_memory(e, "a repair");
	if (code == 0 && text->pending.count) {
		code = journal_record(&s->journal, JOURNAL_KNOWN, &r.made, NULL);
		if (code == 0 && r.unclear.count)
			code = journal_record(&s->journal, JOURNAL_INTENT, &r.unclear, NULL);
		if (code < 0)
			error_set(e, PROBES_FAILED, code, "cannot write the journal");
	}
	if (code == 0 && r.which.count) {
		c.which = r.which.data;
		c.count = r.which.count;
		c.undo = r.undo;
		code = change_locked(s, &c, result, e);
	}
	if (code == 0 && !repair_say_unclear(s, &r.unclear, result))
		code = error_memory(e, "a result");
	for (size_t i = 0; r.undo && i < r.objects; i++)
		free(r.undo[i].torn);
	ownership_free_parts(r.undo, r.objects);
	array_done(&r.places);
	array_done(&r.which);
	array_done(&r.made);
	array_done(&r.unclear);
	return code;
}
/* ---- the call ---- */

/*
 * Undo one journal. The undo is recorded in the very journal that it undoes, which is removed when
 * nothing of it is left in forked children either.
 */
static int repair_one(struct probes_session *s, const struct journal_found *f,
	const struct array *journals, struct probes_result **result, struct probes_error *e)
{
	struct journal own = s->journal;
	bool persistent = s->persistent, unrecorded = s->unrecorded, keep = s->keep_journal;
	int r = journal_adopt(&s->journal, f);

	if (r < 0) {
		error_set(e, PROBES_FAILED, r, "cannot open the journal %s", s->journal.path);
		if (r == -EMLINK) {
			error_why(e, "it has another name (a hard link): whoever made "
				     "that link could change what is undone");
			error_hint(e, "remove the other name, then call repair again");
		} else if (r == -ESTALE) {
			error_why(e, "another file has taken its place");
			error_hint(e, "call repair again");
		}
		s->journal = own;
		return r;
	}
	s->persistent = s->unrecorded = false;
	r = repair_undo(s, &f->text, journals, result, e);
	/* What another tool holds keeps its record. */
	if (r == 0 && !(*result && (*result)->not_done))
		journals_set_aside(s);
	else
		journal_leave(&s->journal);
	s->journal = own;
	s->keep_journal = keep;
	s->persistent = persistent;
	s->unrecorded = unrecorded;
	return r;
}

/*
 * Since when children inherit the changes of a journal: its creation, just before the first write.
 * Clock ticks since boot; if the file system does not record the creation, the present.
 */
static uint64_t repair_since(const struct journal_found *f)
{
	char folder[sizeof f->place.base + sizeof f->place.name + 1];
	char path[sizeof folder + sizeof f->file + 1];
	uint64_t now = procfs_now(), ticks;
	struct timespec wall;
	struct statx st;
	int64_t ns;

	records_path(&f->place, folder, sizeof folder);
	snprintf(path, sizeof path, "%s/%s", folder, f->file);
	clock_gettime(CLOCK_REALTIME, &wall);
	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &st) < 0 ||
		!(st.stx_mask & STATX_BTIME))
		return now;
	ns = (wall.tv_sec - st.stx_btime.tv_sec) * 1000000000 +
	     (wall.tv_nsec - (int64_t)st.stx_btime.tv_nsec);
	/* Both times are truncated to ticks. */
	ticks = 2;
	ticks += ns > 0 ? (uint64_t)ns / (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK)) : 0;
	return ticks < now ? now - ticks : now;
}

/*
 * Journals of ended owners that say what to undo come first, `*count` of them. Among these, those
 * that lowered counts: what another journal added to such a count can be taken away only after they
 * have raised it.
 */
static bool repair_order(struct array *found, size_t *count)
{
	struct journal_found *all = found->data;
	bool fits = true;

	*count = 0;
	for (int lowering = 1; lowering >= 0; lowering--)
		for (size_t i = *count; fits && i < found->count; i++) {
			struct journal_found other = all[*count];
			struct array lowered = ARRAY_OF(struct plan_lowered);

			if (all[i].living || *all[i].unjudged)
				continue;
			fits = journals_lowered_by(&all[i], &lowered);
			if (fits && (!lowering || lowered.count)) {
				all[*count] = all[i];
				all[i] = other;
				++*count;
			}
			array_done(&lowered);
		}
	return fits;
}

static int repair_unowned(struct probes_session *s, const struct array *journals,
	struct array *unknown, struct probes_result **result, struct probes_error *e)
{
	struct probes_result *more = NULL;
	int r = unowned_undo(s, journals, unknown, &more, e);

	return result_join(result, more) || r < 0 ? r : error_memory(e, "a result");
}

int repair_process(struct probes_session *s, struct array *unknown, struct probes_result **result,
	struct probes_error *e)
{
	struct array found = ARRAY_OF(struct journal_found);
	bool current = true; /* `found` is what the journals say now */
	int r = session_may_switch(s, false, true, false, e);
	size_t count = 0;

	*result = NULL;
	if (r == 0 && (r = descriptors_spare(1)) < 0)
		return error_set(e, PROBES_FAILED, r, "cannot repair process %d", s->who.pid);
	if (r == 0)
		r = lock_take(&s->lock, &s->who, s->memory.fd, SESSION_LOCK_MS, e);
	if (r < 0)
		return r;
	s->repairing = true;
	s->change_seq++;
	/* Under the lock: two repairs at once must not undo the same thing twice. Of all journals,
	   before the undo of one changes what the process tells of another. */
	journals_decide(s);
	if (!journals_find(s, &found) || !repair_order(&found, &count))
		r = error_memory(e, "the journals");
	if (count)
		s->history_ticks = procfs_now();
	s->unjudged = false;
	ARRAY_EACH(const struct journal_found, f, &found)
		s->unjudged = s->unjudged || *f->unjudged;
	/* The jumps that the journals name will be gone: nothing shows then what was left there. */
	if (r == 0 && count)
		r = repair_unowned(s, &found, NULL, result, e);
	if (r == 0 && count)
		r = repair_unowned(s, &found, unknown, result, e);
	if (r == 0 && count)
		r = read_probes(s, NULL, 0, e);
	if (r == 0 && count && !history_read(s, &found))
		r = error_memory(e, "the journals");
	for (size_t i = 0; r == 0 && i < count; i++) {
		struct journal_found *f = ARRAY_AT(&found, struct journal_found, i);
		struct probes_result *one = NULL;
		uint64_t since = repair_since(f);

		r = repair_one(s, f, current ? &found : NULL, &one, e);
		/* Undone whole, it says nothing any more; in part, it must be read again. */
		current = current && !(one && one->not_done);
		journal_text_done(&f->text);
		if (!s->first_switch_ticks || since < s->first_switch_ticks)
			s->first_switch_ticks = since;
		s->repaired = true;
		if (!result_join(result, one))
			r = error_memory(e, "a result");
	}
	for (size_t i = 0; i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);

		for (size_t k = 0; h->jumps && k < h->site_count; k++)
			h->jumps[k].torn = false;
	}
	if (r == 0)
		r = repair_unowned(s, &found, unknown, result, e);
	s->repairing = false;
	if (r == 0)
		jumps_tidy(s);
	journal_found_done(&found);
	lock_release(&s->lock, &s->who, s->memory.fd);
	return r;
}

int probes_repair(struct probes_session *s, struct probes_result **result, struct probes_error *e)
{
	struct array unknown = ARRAY_OF(size_t);
	int r;

	r = repair_process(s, &unknown, result, e);
	if (r == 0 && *result)
		(*result)->still_raised = unowned_still_raised(s, &unknown);
	array_done(&unknown);
	return r;
}
