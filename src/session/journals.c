/*
 * The journals of a session: its own, begun before its first write, and those
 * that other sessions keep of the same process.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/identity.h"
#include "process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- its own ---- */

/* The key of a journal that this process owns. */
static int journals_key(pid_t target, uint64_t start, uint64_t program, struct journal_key *key)
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

int journals_open(struct journal *j, pid_t target, uint64_t start, uint64_t program)
{
	struct journal_key key;
	int r = journals_key(target, start, program, &key);

	return r ? r : journal_open(j, &key);
}

int journals_begin(struct probes_session *s)
{
	int r = 0;

	if (s->journal.fd >= 0)
		return 0;
	/* Made once: a persistent switch begins a journal each time. */
	if (s->key.owner != getpid())
		r = journals_key(s->who.pid, s->who.start_time, s->who.program, &s->key);
	return r ? r : journal_open(&s->journal, &s->key);
}

/* Why a journal cannot be written. */
static const char *journals_cause(int code)
{
	return code == -EFBIG ? "it would exceed the limit on the size of files (ulimit -f)"
			      : strerror(-code);
}

int journals_plan(struct probes_session *s, const struct plan *p, bool undo, struct probes_error *e)
{
	char folder[250];
	int r = 0;

	if (s->unrecorded)
		return 0;
	if (s->journal.fd < 0) {
		r = journals_begin(s);
		s->unrecorded = r < 0;
	}
	if (r == 0)
		r = journal_record(&s->journal, JOURNAL_INTENT, &p->edits, NULL);
	if (r == 0)
		return 0;
	if (s->unrecorded || undo) {
		records_path(&s->journal.place, folder, sizeof folder);
		log_say(&s->log, PROBES_LOG_NOTICE,
			"no journal can be kept%s%s (%s): were this run killed, nobody could undo "
			"it",
			*s->journal.place.base ? " in " : "", *s->journal.place.base ? folder : "",
			journals_cause(r));
		return 0;
	}
	error_set(e, PROBES_FAILED, r, "cannot put on record what would be written");
	error_why(e, "%s", journals_cause(r));
	if (r == -EFBIG)
		return error_hint(e, "raise the limit: ulimit -f unlimited");
	return error_hint(e, "free some space where %s lies", s->journal.path);
}

void journals_conclude(struct probes_session *s, const struct apply *a, int result, bool known)
{
	size_t left = 0;

	if (s->journal.fd < 0 || !known)
		return;
	if (result == 0 && s->persistent) {
		journal_remove(&s->journal);
		return;
	}
	journal_record(&s->journal, result == 0 ? JOURNAL_DONE : JOURNAL_UNDONE, NULL, NULL);
	/* What could not be undone is recorded as done. */
	for (size_t i = 0; result < 0 && i < a->verify.plan->edits.count; i++)
		left += a->unreverted[i];
	if (left)
		journal_record(&s->journal, JOURNAL_MADE, &a->verify.plan->edits, a->unreverted);
}

/* ---- those of other sessions ---- */

bool journals_find(const struct probes_session *s, struct array *found)
{
	const struct journal_key target = {.target = s->who.pid,
		.target_start = identity_start(s->who.start_time),
		.target_program = s->who.program};
	uint64_t ids[3] = {0};
	uid_t user;
	size_t size;
	char *text;
	/* The one user that all ids of the process name; none if it has several. */
	bool one = procfs_read(s->who.proc, "status", &text, &size) == 0 &&
		   procfs_status_numbers(text, "Uid", 10, ids, 3) == 3 && ids[0] == ids[1] &&
		   ids[0] == ids[2];

	free(text);
	user = (uid_t)ids[0];
	return journal_find(&target, one ? &user : NULL, true, found);
}

static int journals_by_address(const void *a, const void *b)
{
	const struct plan_lowered *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static bool journals_take(struct array *all, const struct array *edits, struct plan_lowered by)
{
	if (!array_reserve(all, edits->count))
		return false;
	for (size_t i = 0; i < edits->count; i++) {
		const struct probes_edit *edit = ARRAY_AT(edits, struct probes_edit, i);

		if (edit->role != PROBES_ROLE_SEMAPHORE)
			continue;
		by.address = edit->address;
		by.delta = edit_delta(edit);
		*(struct plan_lowered *)array_add(all) = by;
	}
	return true;
}

bool journals_lowered_by(const struct journal_found *f, struct array *lowered)
{
	struct plan_lowered by = {.owner = f->text.key.owner, .living = f->living};
	size_t first = lowered->count, kept = first, next;
	struct journal_key here;

	if (*f->unjudged)
		return true;
	journal_here(&here);
	if (f->text.key.pids != here.pids)
		by.owner = 0;
	if (!journals_take(lowered, &f->text.made, by) ||
		!journals_take(lowered, &f->text.pending, by))
		return false;
	if (lowered->count > first)
		qsort(ARRAY_AT(lowered, struct plan_lowered, first), lowered->count - first,
			sizeof(struct plan_lowered), journals_by_address);
	/* One for each address, where the sum is below 0. */
	for (size_t i = first; i < lowered->count; i = next) {
		struct plan_lowered one = *ARRAY_AT(lowered, struct plan_lowered, i);

		for (next = i + 1; next < lowered->count; next++) {
			const struct plan_lowered *more =
				ARRAY_AT(lowered, struct plan_lowered, next);

			if (more->address != one.address)
				break;
			one.delta += more->delta;
		}
		if (one.delta < 0)
			*ARRAY_AT(lowered, struct plan_lowered, kept++) = one;
	}
	lowered->count = kept;
	return true;
}

bool journals_lowered(
	const struct probes_session *s, const struct array *journals, struct array *lowered)
{
	struct stat st;
	bool own = s->journal.fd >= 0 && fstat(s->journal.fd, &st) == 0;

	for (size_t i = 0; i < journals->count; i++) {
		const struct journal_found *f = ARRAY_AT(journals, struct journal_found, i);

		if (own && st.st_dev == f->device && st.st_ino == f->inode)
			continue;
		if (!journals_lowered_by(f, lowered))
			return false;
	}
	if (lowered->count)
		qsort(lowered->data, lowered->count, sizeof(struct plan_lowered),
			journals_by_address);
	return true;
}
