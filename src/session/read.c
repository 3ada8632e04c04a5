/*
 * Reading and judging the live states of a session's probes. Writes nothing.
 */
#include "session/session.h"

#include "base/error.h"
#include "probe/state.h"
#include "process/access.h"

#include <errno.h>

static int session_unreadable(const struct probes_session *s, int code, struct probes_error *e)
{
	if (code == -ESRCH)
		return identity_gone(&s->who, e);
	error_set(e, code == -EPERM || code == -EACCES ? PROBES_DENIED : PROBES_FAILED, code,
		"cannot read the memory of process %d", s->who.pid);
	return e->status == PROBES_DENIED ? access_explain(s->who.pid, e) : code;
}

static struct probes_live *session_judge(struct probes_session *s, size_t index)
{
	size_t local;
	struct object_probes *h = catalog_find(&s->catalog, index, &local);

	state_judge(h, local);
	return &h->live[local];
}

/* Bytes and semaphores are two reads: what looks odd is read again, and is odd only if it stays so.
 */
static int session_confirm_inconsistent(
	struct probes_session *s, const size_t *odd, size_t count, struct probes_error *e)
{
	struct reader again;
	bool changed;
	int r;

	if (!count)
		return 0;
	if (!reader_init(&again, &s->catalog, odd, count))
		return error_memory(e, "a reading");
	r = session_fetch(s, &again, &changed);
	reader_done(&again);
	if (r < 0)
		return session_unreadable(s, r, e);
	for (size_t i = 0; i < count; i++)
		session_judge(s, odd[i]);
	/* The full reader compares with its own last run, which these values are not from. */
	s->all.fresh = s->all.fresh || again.differs;
	return 0;
}

static int session_judge_all(
	struct probes_session *s, const size_t *which, size_t count, struct probes_error *e)
{
	struct array odd;
	int r = 0;

	array_init(&odd, sizeof(size_t));
	for (size_t i = 0; r == 0 && i < count; i++) {
		size_t index = which ? which[i] : i, *slot;

		if (session_judge(s, index)->state != PROBES_INCONSISTENT)
			continue;
		slot = array_add(&odd);
		if (slot)
			*slot = index;
		else
			r = error_memory(e, "a reading");
	}
	if (r == 0)
		r = session_confirm_inconsistent(s, odd.data, odd.count, e);
	array_done(&odd);
	return r;
}

static int session_run(struct probes_session *s, struct reader *reader, const size_t *which,
	size_t count, struct probes_error *e)
{
	bool changed;
	int r = session_fetch(s, reader, &changed);

	if (r < 0)
		return session_unreadable(s, r, e);
	/* After the reading: values of another program are never judged. */
	r = probes_alive(s, e);
	if (r || !changed)
		return r;
	s->changes++;
	if (reader->everything)
		r = session_judge_all(s, which, count, e);
	else
		r = session_judge_all(s, reader->touched.data, reader->touched.count, e);
	reader->fresh = reader->fresh || r < 0;
	return r;
}

int session_read_by(struct probes_session *s, struct reader *reader, const size_t *which,
	size_t count, struct probes_error *e)
{
	int r;

	reader->fresh = true;
	r = session_run(s, reader, which, count, e);
	s->all.fresh = true;
	return r;
}

int session_read(
	struct probes_session *s, const size_t *which, size_t count, struct probes_error *e)
{
	struct reader reader;
	int r;

	if (!which && !s->all_ready) {
		if (!reader_init(&s->all, &s->catalog, NULL, 0))
			return error_memory(e, "a reading");
		s->all_ready = true;
	}
	if (!which)
		return session_run(s, &s->all, NULL, s->catalog.probe_count, e);
	if (!reader_init(&reader, &s->catalog, which, count))
		return error_memory(e, "a reading");
	r = session_read_by(s, &reader, which, count, e);
	reader_done(&reader);
	return r;
}

int probes_refresh(
	struct probes_session *s, const size_t *which, size_t count, struct probes_error *e)
{
	return s->process ? session_read(s, which, count, e) : 0;
}

uint64_t probes_changes(const struct probes_session *s)
{
	return s->changes;
}
