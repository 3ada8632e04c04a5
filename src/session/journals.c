/*
 * The journals of a session: its own, begun before its first write, and those
 * that other sessions keep of the same process.
 */
#include "session/session.h"

#include "base/error.h"
#include "base/order.h"
#include "process/identity.h"
#include "process/procfs.h"
#include "process/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The key of a journal that this process owns. */
static int journals_key(pid_t target, uint64_t start, uint64_t program, struct journal_key *key)
{
	struct procfs_stat self;
	int r = procfs_stat(AT_FDCWD, &self, "/proc/self/stat");

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
	return code == -EFBIG   ? "it would exceed the limit on the size of files (ulimit -f)"
	       : code == -EPERM ? "it is not a folder that only you may enter"
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

bool journals_find(const struct probes_session *s, struct array *found)
{
	const struct journal_key target = {.target = s->who.pid,
		.target_start = identity_start(s->who.start_time),
		.target_program = s->who.program};
	struct records_user user;
	bool one = rights_user(&s->who, &user.id, &user.group);
	bool fits = journal_find(&target, one ? &user : NULL, true, found);
	size_t kept = 0;

	ARRAY_EACH(struct journal_found, f, found) {
		bool undone = false;

		ARRAY_EACH_WHILE(!undone, const struct journal, j, &s->undone)
			undone = !strcmp(j->file, f->file) && j->place.owner == f->place.owner;
		if (undone)
			journal_text_done(&f->text);
		else
			*ARRAY_AT(found, struct journal_found, kept++) = *f;
	}
	found->count = kept;
	return fits;
}

/* The pending edits of which the process tells whether they were made: of counts, and of code that
 * follows none. False: no memory. */
static bool journals_judge(
	struct probes_session *s, const struct journal_text *text, struct array *decided)
{
	ARRAY_EACH(const struct probes_edit, edit, &text->pending) {
		uint8_t now[PROBES_EDIT_BYTES];
		struct probes_edit one = *edit;

		if ((edit->role != PROBES_ROLE_SEMAPHORE && edit->role != PROBES_ROLE_CODE_ALONE) ||
			!memory_read(&s->memory, edit->address, now, edit->length))
			continue;
		if (!memcmp(now, edit->old, edit->length)) {
			memcpy(one.old, edit->new_, sizeof one.old);
			memcpy(one.new_, edit->old, sizeof one.new_);
		} else if (memcmp(now, edit->new_, edit->length) != 0) {
			continue;
		}
		if (!array_push(decided, &one))
			return false;
	}
	return true;
}

void journals_decide(struct probes_session *s)
{
	struct array decided = ARRAY_OF(struct probes_edit);
	struct array found = ARRAY_OF(struct journal_found);
	struct journal theirs;

	if (journals_find(s, &found))
		ARRAY_EACH(const struct journal_found, f, &found) {
			decided.count = 0;
			if (f->living || *f->unjudged || !f->text.pending.count ||
				!journals_judge(s, &f->text, &decided) || !decided.count)
				continue;
			if (journal_adopt(&theirs, f) == 0) {
				(void)journal_record(&theirs, JOURNAL_DECIDED, &decided, NULL);
				journal_leave(&theirs);
			}
		}
	array_done(&decided);
	journal_found_done(&found);
}

void journals_set_aside(struct probes_session *s)
{
	journal_leave(&s->journal);
	if (!array_push(&s->undone, &s->journal))
		journal_unlink(&s->journal);
}

const struct probes_session *journals_kept(
	struct probes_session *const *sessions, size_t count, size_t *kept)
{
	const struct probes_session *first = NULL;

	*kept = 0;
	for (size_t i = 0; i < count; i++) {
		const struct probes_session *s = sessions[i];

		if (!s->process || (!s->undone.count && s->journal.fd < 0) ||
			!identity_alive(&s->who))
			continue;
		first = first ? first : s;
		++*kept;
	}
	return first;
}

void journals_swept(struct probes_session *const *sessions, size_t count, bool whole)
{
	for (size_t i = 0; i < count; i++) {
		struct probes_session *s = sessions[i];

		ARRAY_EACH_WHILE(whole, const struct journal, j, &s->undone)
			journal_unlink(j);
		s->undone.count = 0;
		s->unswept = !whole;
	}
}

bool journals_lowered_by(const struct journal_found *f, struct array *lowered)
{
	struct plan_lowered by = {.owner = f->text.key.owner, .living = f->living};
	size_t first = lowered->count, kept = first, next;
	const struct probes_edit *edit;
	struct journal_key here;

	if (*f->unjudged)
		return true;
	journal_here(&here);
	if (f->text.key.pids != here.pids)
		by.owner = 0;
	for (size_t i = 0; (edit = journal_edit_at(&f->text, i)); i++) {
		by.address = edit->address;
		by.delta = edit_delta(edit);
		if (edit->role == PROBES_ROLE_SEMAPHORE && !array_push(lowered, &by))
			return false;
	}
	if (lowered->count > first &&
		!order_by_number(ARRAY_AT(lowered, struct plan_lowered, first),
			lowered->count - first, lowered->size,
			offsetof(struct plan_lowered, address)))
		return false;
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

	ARRAY_EACH(const struct journal_found, f, journals) {
		if (own && st.st_dev == f->device && st.st_ino == f->inode)
			continue;
		if (!journals_lowered_by(f, lowered))
			return false;
	}
	return order_array(lowered, offsetof(struct plan_lowered, address));
}
