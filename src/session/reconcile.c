/*
 * Reconciling what others took away. A count below this session's part of it proves that so much of
 * the part is gone; what is counted there later is somebody else's. Also the public refresh, which
 * is where it is seen.
 */
#include "session/session.h"

#include "process/procfs.h"

#include <string.h>

/* Take what is gone off what is owned of an object; appends the edits that take it off the record.
 */
static void reconcile_object(struct probes_session *s, struct object_probes *h,
	const struct array *lowered, struct array *edits)
{
	h->ownership->below = false;
	for (uint32_t slot = 0; slot < h->semaphore_count; slot++) {
		uint32_t value = h->values[slot];
		int32_t part = ownership_part(h, PLAN_SEMAPHORE, slot),
			gone = part - (int32_t)value;
		struct ownership_resource less = {
			.kind = PLAN_SEMAPHORE, .index = slot, .part = -gone};
		struct ownership_change *last = &h->ownership->changes[slot];
		struct probes_edit *edit;
		size_t i = 0;

		if (value == PROBES_NONE || part <= (int64_t)value)
			continue;
		/* Has another session lowered the count, and will raise it again? */
		while (i < lowered->count && ARRAY_AT(lowered, struct plan_lowered, i)->address !=
						     h->semaphores[slot].address)
			i++;
		edit = i < lowered->count ? NULL : array_add(edits);
		if (!edit) {
			h->ownership->below = true;
			continue;
		}
		*edit = ownership_edit(h, PLAN_SEMAPHORE, slot, -gone);
		/* For a child that was forked before: it holds the part still. */
		*last = (struct ownership_change){.seq = ++s->change_seq,
			.old = last->new_,
			.new_ = (uint16_t)h->values[slot],
			.before = part,
			.reconciled = last->reconciled + gone};
		ownership_add(h, &less);
		s->last_switch_ticks = procfs_now();
	}
	for (size_t i = 0; i < h->probe_count; i++) {
		const struct probes_probe *p = &h->probes[i];
		struct object_jump *j =
			h->jumps && p->site_count ? &h->jumps[object_probes_site(h, p)] : NULL;

		/* It may be what was raised to count: then the end of the count takes nothing. */
		for (uint32_t k = 0; j && k < p->semaphore_count; k++) {
			int32_t part = ownership_part(
				h, PLAN_SEMAPHORE, ownership_index(h, p, PLAN_SEMAPHORE, k));

			if (part < j->raised)
				j->raised = part > 0 ? (uint8_t)part : 0;
		}
		ownership_judge(h, i);
	}
}

/*
 * Under the lock, so that no session of ours is in the middle of a change: the value and the
 * records of the others are of one moment. Whatever fails is tried again at the next reading.
 */
static void reconcile_parts(struct probes_session *s)
{
	struct array edits = ARRAY_OF(struct probes_edit);
	struct array lowered = ARRAY_OF(struct plan_lowered);
	struct array journals = ARRAY_OF(struct journal_found);
	struct probes_error e;
	int r;

	if (lock_take(&s->lock, &s->who, s->memory.fd, 0, &e) < 0)
		return;
	if (read_probes(s, NULL, 0, &e) == 0 && journals_find(s, &journals) &&
		journals_lowered(s, &journals, &lowered))
		for (struct object_probes *h = catalog_first(&s->catalog); h; h = h->next)
			if (h->ownership && h->ownership->below)
				reconcile_object(s, h, &lowered, &edits);
	r = edits.count && s->journal.fd >= 0
		    ? journal_record(&s->journal, JOURNAL_MADE, &edits, NULL)
		    : 0;
	if (r < 0)
		log_say(&s->log, PROBES_LOG_NOTICE,
			"the journal cannot be written (%s): it still names what others took away",
			strerror(-r));
	journal_found_done(&journals);
	array_done(&lowered);
	array_done(&edits);
	lock_release(&s->lock, &s->who, s->memory.fd);
}

int probes_refresh(
	struct probes_session *s, const size_t *which, size_t count, struct probes_error *e)
{
	int r = s->process ? read_probes(s, which, count, e) : 0;
	bool below = false;

	for (const struct object_probes *h = catalog_first(&s->catalog); h && !below; h = h->next)
		below = h->ownership && h->ownership->below;
	if (r == 0 && below)
		reconcile_parts(s);
	if (r == 0)
		count_watch(s);
	if (r < 0 && e->status == PROBES_GONE)
		session_rest(s);
	else
		holder_keep(s);
	return r;
}
