/* Reading and judging the live states of a session's probes. Writes nothing. */
#include "session/session.h"

#include "base/error.h"
#include "probe/state.h"
#include "process/access.h"

#include <errno.h>

/* Fetch, and report what nobody lets us read. */
static int read_fetch(
	struct probes_session *s, struct reader *reader, bool *changed, struct probes_error *e)
{
	int r = headroom_fetch(s, reader, changed);

	if (r == -ESRCH)
		return identity_gone(&s->who, e);
	if (r == 0)
		return 0;
	error_set(e, r == -EPERM || r == -EACCES ? PROBES_DENIED : PROBES_FAILED, r,
		"cannot read the memory of process %d", s->who.pid);
	return e->status == PROBES_DENIED ? access_explain(s->who.pid, e) : r;
}

static enum probes_state read_judge(struct probes_session *s, size_t index)
{
	size_t local;
	struct object_probes *h = catalog_find(&s->catalog, index, &local);

	jumps_match(s, h, local);
	state_judge(h, local);
	ownership_judge(h, local);
	return h->live[local].state;
}

/*
 * Bytes and semaphores are two reads: a probe that looks inconsistent is read again, and is
 * inconsistent only if both readings agree.
 */
static int read_judge_all(
	struct probes_session *s, const size_t *which, size_t count, struct probes_error *e)
{
	struct array inconsistent = ARRAY_OF(size_t);
	struct reader again;
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++) {
		size_t index = which ? which[i] : i;

		if (read_judge(s, index) == PROBES_INCONSISTENT &&
			!array_push(&inconsistent, &index))
			r = error_memory(e, "a reading");
	}
	which = inconsistent.data;
	count = r == 0 ? inconsistent.count : 0;
	if (count && !reader_init(&again, &s->catalog, which, count)) {
		r = error_memory(e, "a reading");
	} else if (count) {
		bool changed;

		r = read_fetch(s, &again, &changed, e);
		reader_done(&again);
		for (size_t i = 0; r == 0 && i < count; i++)
			read_judge(s, which[i]);
		/* The full reader compares with its own last run, which read other values. */
		if (r == 0 && again.differs)
			s->all.baseline_valid = false;
	}
	array_done(&inconsistent);
	return r;
}

static int read_run(struct probes_session *s, struct reader *reader, const size_t *which,
	size_t count, struct probes_error *e)
{
	bool changed;
	int r = read_fetch(s, reader, &changed, e);

	if (r < 0)
		return r;
	/* After the reading: values of another program are never judged. */
	r = probes_alive(s, e);
	if (r || !changed)
		return r;
	s->changes++;
	if (reader->everything)
		r = read_judge_all(s, which, count, e);
	else
		r = read_judge_all(s, reader->touched.data, reader->touched.count, e);
	if (r < 0)
		reader->baseline_valid = false;
	return r;
}

int read_by(struct probes_session *s, struct reader *reader, const size_t *which, size_t count,
	struct probes_error *e)
{
	int r;

	reader->baseline_valid = false;
	r = read_run(s, reader, which, count, e);
	s->all.baseline_valid = false;
	return r;
}

int read_probes(struct probes_session *s, const size_t *which, size_t count, struct probes_error *e)
{
	struct reader reader;
	int r;

	/* What was read last stays: children inherited that. */
	if (s->who.ended)
		return probes_alive(s, e);
	if (!which && !s->all_ready) {
		if (!reader_init(&s->all, &s->catalog, NULL, 0))
			return error_memory(e, "a reading");
		s->all_ready = true;
	}
	if (!which)
		return read_run(s, &s->all, NULL, s->catalog.probe_count, e);
	if (!reader_init(&reader, &s->catalog, which, count))
		return error_memory(e, "a reading");
	r = read_by(s, &reader, which, count, e);
	reader_done(&reader);
	return r;
}

uint64_t probes_changes(const struct probes_session *s)
{
	return s->changes;
}
