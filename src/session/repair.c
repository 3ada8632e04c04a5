/*
 * The public calls that find and undo what an interrupted session left. The
 * journals say which writes were made for certain; of the last, unfinished
 * plan the process itself says how far it came.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/descriptors.h"
#include "process/identity.h"
#include "process/procfs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- what is known ---- */

/* An address that a journal names. */
struct repair_place {
	uint64_t address;
	bool pending; /* whether it was made is not on record */
	const struct probes_edit *edit;
};

static int repair_by_address(const void *a, const void *b)
{
	const struct repair_place *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->pending - y->pending;
}

static bool repair_take(struct array *places, const struct array *edits, bool pending)
{
	if (!array_reserve(places, edits->count))
		return false;
	for (size_t i = 0; i < edits->count; i++) {
		const struct probes_edit *edit = ARRAY_AT(edits, struct probes_edit, i);

		*(struct repair_place *)array_add(places) =
			(struct repair_place){edit->address, pending, edit};
	}
	return true;
}

static bool repair_places(const struct journal_text *text, struct array *places)
{
	bool fits = repair_take(places, &text->made, false) &&
		    repair_take(places, &text->pending, true);

	if (fits && places->count)
		qsort(places->data, places->count, sizeof(struct repair_place), repair_by_address);
	return fits;
}

/* The first place at an address, or NULL; those of one address follow each other. */
static const struct repair_place *repair_at(const struct array *places, uint64_t address)
{
	size_t low = 0, high = places->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ARRAY_AT(places, struct repair_place, middle)->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < places->count && ARRAY_AT(places, struct repair_place, low)->address == address)
		return ARRAY_AT(places, struct repair_place, low);
	return NULL;
}

/* ---- what is ours ---- */

/*
 * What we added to the count at an address. An unfinished write is ours if the count is what it was
 * to become, is not if it is what it was; else another tool counts there too, and it is left.
 */
static int32_t repair_delta(struct probes_session *s, const struct array *places, uint64_t address,
	uint32_t value, struct array *made, bool *touched)
{
	const struct repair_place *at = repair_at(places, address);
	const struct repair_place *end = ARRAY_AT(places, struct repair_place, 0) + places->count;
	int32_t delta = 0;

	for (; at && at < end && at->address == address; at++) {
		const struct probes_edit *edit = at->edit;

		*touched = true;
		if (edit->role != PROBES_ROLE_SEMAPHORE)
			continue;
		if (!at->pending) {
			delta += edit_delta(edit);
		} else if (value == edit_value(edit->new_)) {
			delta += edit_delta(edit);
			*(struct probes_edit *)array_add(made) = *edit;
		} else if (value != edit_value(edit->old))
			log_say(&s->log, PROBES_LOG_NOTICE,
				"the count at 0x%llx is %u, neither %u nor %u: another tool counts "
				"there, it is left as it is",
				(unsigned long long)address, value, edit_value(edit->old),
				edit_value(edit->new_));
	}
	return delta;
}

struct repair {
	int32_t **deltas;   /* per object_probes */
	size_t objects;     /* number of objects at the start: more may come meanwhile */
	struct array made;  /* struct probes_edit: what was done of intents that never ended */
	struct array which; /* size_t: the probes that were touched */
};

static bool repair_object_probes(struct probes_session *s, const struct array *places,
	struct object_probes *h, int32_t *deltas, struct repair *r)
{
	for (size_t i = 0; i < h->probe_count; i++) {
		const struct probes_probe *p = &h->probes[i];
		size_t first = object_probes_semaphore(h, p), *slot;
		bool touched = false;

		for (uint32_t k = 0; k < p->semaphore_count; k++)
			if (object_probes_same(h, first + k) == first + k)
				deltas[first + k] =
					repair_delta(s, places, p->semaphores[k].address,
						h->values[first + k], &r->made, &touched);
		for (uint32_t k = 0; kind_of(p)->edit && k < p->site_count && !touched; k++)
			touched = repair_at(
				places, kind_of(p)->edit(p->sites[k].address, true).address);
		if (!touched)
			continue;
		slot = array_add(&r->which);
		if (!slot)
			return false;
		*slot = h->info.first_probe + i;
	}
	return true;
}

/* The sites of unfinished intents: whether they were written is all the same, they follow. */
static bool repair_sites(const struct array *last, struct array *made)
{
	/* Room for the counts, too. */
	if (!array_reserve(made, last->count))
		return false;
	for (size_t i = 0; i < last->count; i++) {
		const struct probes_edit *w = ARRAY_AT(last, struct probes_edit, i);

		if (w->role == PROBES_ROLE_CODE)
			*(struct probes_edit *)array_add(made) = *w;
	}
	return true;
}

static bool repair_prepare(struct probes_session *s, const struct journal_text *text,
	const struct array *places, struct repair *r)
{
	bool fits;

	array_init(&r->which, sizeof(size_t));
	array_init(&r->made, sizeof(struct probes_edit));
	r->objects = s->catalog.objects.count;
	r->deltas = calloc(r->objects + 1, sizeof *r->deltas);
	fits = r->deltas && repair_sites(&text->pending, &r->made);
	for (size_t i = 0; fits && i < s->catalog.objects.count; i++) {
		struct object_probes *h = catalog_object(&s->catalog, i);

		r->deltas[i] = calloc(h->semaphore_count + 1, sizeof **r->deltas);
		fits = r->deltas[i] && repair_object_probes(s, places, h, r->deltas[i], r);
	}
	return fits;
}

static void repair_done(struct repair *r)
{
	for (size_t i = 0; r->deltas && i < r->objects; i++)
		free(r->deltas[i]);
	free(r->deltas);
	array_done(&r->which);
	array_done(&r->made);
}

/* ---- the calls ---- */

/* The one user that all ids of the process name; false: several users, or unreadable. */
static bool repair_user(const struct probes_session *s, uid_t *user)
{
	uint64_t ids[3] = {0};
	size_t size;
	char *text;
	bool one = procfs_read(s->who.proc, "status", &text, &size) == 0 &&
		   procfs_status_numbers(text, "Uid", 10, ids, 3) == 3 && ids[0] == ids[1] &&
		   ids[0] == ids[2];

	free(text);
	*user = (uid_t)ids[0];
	return one;
}

bool session_journals(const struct probes_session *s, bool all, struct array *found)
{
	const struct journal_key target = {.target = s->who.pid,
		.target_start = identity_start(s->who.start_time),
		.target_program = s->who.program};
	uid_t user;
	bool one = repair_user(s, &user);

	return journal_find(&target, one ? &user : NULL, all, found);
}

/* How many counts are not as they were before: what was taken back is none. */
static size_t repair_remaining(const struct journal_text *text)
{
	size_t remaining = 0;
	struct array places;
	int64_t delta = 0;

	array_init(&places, sizeof(struct repair_place));
	if (!repair_places(text, &places)) {
		array_done(&places);
		return text->made.count; /* all of them, for all we know */
	}
	for (size_t i = 0; i < places.count; i++) {
		const struct repair_place *at = ARRAY_AT(&places, struct repair_place, i);

		delta += at->pending ? 0 : edit_delta(at->edit);
		if (i + 1 < places.count && at[1].address == at->address)
			continue;
		remaining += delta != 0;
		delta = 0;
	}
	array_done(&places);
	return remaining;
}

int probes_leftovers(struct probes_session *s, struct probes_leftover **leftovers, size_t *count,
	struct probes_error *e)
{
	struct array found;
	bool fits;
	int r;

	*leftovers = NULL;
	*count = 0;
	/* Without descriptors the journals would seem to be missing. */
	r = s->process ? descriptors_spare(0) : 0;
	if (r < 0)
		return error_set(e, PROBES_FAILED, r, "cannot look for what was left in process %d",
			s->who.pid);
	array_init(&found, sizeof(struct journal_found));
	fits = !s->process || session_journals(s, false, &found);
	if (fits)
		*leftovers = calloc(found.count + 1, sizeof **leftovers);
	for (size_t i = 0; *leftovers && i < found.count; i++) {
		const struct journal_found *f = ARRAY_AT(&found, struct journal_found, i);
		struct probes_leftover *left = &(*leftovers)[(*count)++];
		char folder[250];

		left->owner = f->text.key.owner;
		left->changes = repair_remaining(&f->text);
		left->interrupted = f->text.pending.count > 0;
		if (!*f->unjudged)
			continue;
		records_path(&f->place, folder, sizeof folder);
		snprintf(left->unjudged, sizeof left->unjudged, "%s%s%s: %s", folder,
			*f->file ? "/" : "", f->file, f->unjudged);
	}
	journal_found_done(&found);
	return *leftovers ? 0 : error_memory(e, "the journals");
}

/* Undo what one journal tells. */
static int repair_change(struct probes_session *s, const struct journal_text *text,
	struct probes_result **result, struct probes_error *e)
{
	struct session_change c = {.plan = session_plan_restore, .follow = true, .not_ours = true};
	struct array places;
	struct repair r = {0};
	int code = session_read(s, NULL, 0, e);

	array_init(&places, sizeof(struct repair_place));
	if (code == 0 && !(repair_places(text, &places) && repair_prepare(s, text, &places, &r)))
		code = error_memory(e, "a repair");
	if (code == 0 && text->pending.count) {
		code = journal_record(&s->journal, JOURNAL_KNOWN, &r.made, NULL);
		if (code < 0)
			error_set(e, PROBES_FAILED, code, "cannot write the journal");
	}
	if (code == 0 && r.which.count) {
		c.which = r.which.data;
		c.count = r.which.count;
		c.deltas = r.deltas;
		code = session_execute(s, &c, result, e);
	}
	repair_done(&r);
	array_done(&places);
	return code;
}

/* The undoing goes on record in the very journal that it undoes; whole, that is removed. */
static int repair_one(struct probes_session *s, const struct journal_found *f,
	struct probes_result **result, struct probes_error *e)
{
	struct journal own = s->journal;
	bool lasting = s->lasting, unrecorded = s->unrecorded, owing = s->keep_journal;
	int r = journal_adopt(&s->journal, f);

	if (r < 0) {
		error_set(e, PROBES_FAILED, r, "cannot open the journal %s", s->journal.path);
		s->journal = own;
		return r;
	}
	s->lasting = s->unrecorded = false;
	r = repair_change(s, &f->text, result, e);
	/* What another tool holds keeps its record. */
	if (r == 0 && !(*result && (*result)->not_done))
		journal_remove(&s->journal);
	else
		journal_leave(&s->journal);
	s->journal = own;
	s->keep_journal = owing;
	s->lasting = lasting;
	s->unrecorded = unrecorded;
	return r;
}

/* Room behind a list for another; the list stays what it is where there is no memory. */
static void *repair_extend(
	void *list, size_t count, const void *more, size_t more_count, size_t size)
{
	char *longer = realloc(list, (count + more_count + 1) * size);

	if (longer && more_count)
		memcpy(longer + count * size, more, more_count * size);
	return longer;
}

/* Put the result of one journal behind those before it; *more is taken. */
static bool repair_join(struct probes_result **all, struct probes_result *more)
{
	struct probes_result *a = *all;
	void *items, *writes, *texts;

	if (!a || !more) {
		*all = a ? a : more;
		return true;
	}
	items = repair_extend(
		a->items, a->item_count, more->items, more->item_count, sizeof *a->items);
	a->items = items ? items : a->items;
	writes = repair_extend(
		a->edits, a->edit_count, more->edits, more->edit_count, sizeof *a->edits);
	a->edits = writes ? writes : a->edits;
	texts = repair_extend(
		a->texts, a->text_count, more->texts, more->text_count, sizeof *a->texts);
	a->texts = texts ? texts : a->texts;
	if (items && writes && texts) {
		a->item_count += more->item_count;
		a->edit_count += more->edit_count;
		a->text_count += more->text_count;
		more->text_count = 0; /* the items point into them */
		a->done += more->done;
		a->skipped += more->skipped;
		a->not_done += more->not_done;
		a->sites += more->sites;
		a->copied_pages += more->copied_pages;
		a->cost_bytes += more->cost_bytes;
	}
	probes_result_free(more);
	return items && writes && texts;
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
 * What raises counts comes first: what another of them added to such a count can be taken away only
 * then.
 */
static bool repair_order(struct array *found)
{
	size_t first = 0;
	bool fits = true;

	for (size_t i = 0; fits && i < found->count; i++) {
		struct journal_found *f = ARRAY_AT(found, struct journal_found, i), other;
		struct array lowered;

		array_init(&lowered, sizeof(struct plan_lowered));
		fits = session_lowered_by(f, &lowered);
		if (fits && lowered.count) {
			other = *ARRAY_AT(found, struct journal_found, first);
			*ARRAY_AT(found, struct journal_found, first++) = *f;
			*f = other;
		}
		array_done(&lowered);
	}
	return fits;
}

int probes_repair(struct probes_session *s, struct probes_result **result, struct probes_error *e)
{
	struct array found;
	int r = session_may_switch(s, false, e);

	*result = NULL;
	if (r == 0 && (r = descriptors_spare(1)) < 0)
		return error_set(e, PROBES_FAILED, r, "cannot repair process %d", s->who.pid);
	if (r == 0)
		r = lock_take(&s->lock, &s->who, s->memory.fd, SESSION_LOCK_MS, e);
	if (r < 0)
		return r;
	array_init(&found, sizeof(struct journal_found));
	/* Under the turn: two repairs at once must not undo the same thing twice. */
	if (!session_journals(s, false, &found) || !repair_order(&found))
		r = error_memory(e, "the journals");
	for (size_t i = 0; r == 0 && i < found.count; i++) {
		const struct journal_found *f = ARRAY_AT(&found, struct journal_found, i);
		struct probes_result *one = NULL;
		uint64_t since;

		if (*f->unjudged)
			continue;
		since = repair_since(f);
		r = repair_one(s, f, &one, e);
		s->first_switch_ticks = s->first_switch_ticks && s->first_switch_ticks < since
						? s->first_switch_ticks
						: since;
		s->repaired = true;
		if (!repair_join(result, one))
			r = error_memory(e, "a result");
	}
	journal_found_done(&found);
	lock_release(&s->lock, &s->who, s->memory.fd);
	return r;
}
