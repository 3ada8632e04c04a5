/*
 * What a count was before a repair: its values, and what the interrupted sessions had added to
 * each, as far as the journals tell. A child that was forked before the repair holds one of them.
 */
#include "session/session.h"

#include "base/order.h"

#include <stddef.h>

/* An edit of a count, by a journal. */
struct history_edit {
	uint64_t address;
	size_t journal;
	uint32_t old, new_;
	bool living; /* the session that made it lives: it is no part of a repair */
	bool taken;
};

struct history_value {
	uint64_t address;
	uint32_t value;
	int32_t part;
	bool ambiguous; /* the count had this value twice, with different parts */
};

/* The only edit that can have been the last one; NULL: several can, or none. */
static struct history_edit *history_last(struct history_edit *all, size_t count, uint32_t value)
{
	struct history_edit *last = NULL;

	for (size_t i = 0; i < count; i++) {
		bool newest = !all[i].taken;

		for (size_t k = i + 1; newest && k < count; k++)
			newest = all[k].taken || all[k].journal != all[i].journal;
		if (!newest || all[i].new_ != value)
			continue;
		if (last)
			return NULL;
		last = &all[i];
	}
	return last;
}

static bool history_add(struct probes_session *s, size_t first, struct history_value value)
{
	for (size_t i = first; i < s->history.count; i++) {
		struct history_value *slot = ARRAY_AT(&s->history, struct history_value, i);

		if (slot->value == value.value) {
			slot->ambiguous = slot->ambiguous || slot->part != value.part;
			return true;
		}
	}
	return array_push(&s->history, &value);
}

/* Go back from what a count is, edit by edit. False: no memory. */
static bool history_walk(
	struct probes_session *s, struct history_edit *all, size_t count, uint32_t value)
{
	struct history_value now = {.address = all->address, .value = value};
	size_t first = s->history.count;
	struct history_edit *last;

	for (size_t i = 0; i < count; i++)
		now.part += all[i].living ? 0 : (int32_t)all[i].new_ - (int32_t)all[i].old;
	while (history_add(s, first, now)) {
		last = history_last(all, count, now.value);
		if (!last)
			return true;
		last->taken = true;
		now.value = last->old;
		now.part -= last->living ? 0 : (int32_t)last->new_ - (int32_t)last->old;
	}
	return false;
}

bool history_read(struct probes_session *s, const struct array *journals)
{
	const struct probes_edit *edit;
	struct array edits = ARRAY_OF(struct history_edit);
	bool fits = true;

	array_done(&s->history);
	s->history = ARRAY_OF(struct history_value);
	for (size_t i = 0; i < journals->count; i++) {
		const struct journal_found *f = ARRAY_AT(journals, struct journal_found, i);

		for (size_t n = 0; fits && (edit = journal_edit_at(&f->text, n)); n++) {
			const struct history_edit one = {.address = edit->address,
				.journal = i,
				.old = edit_value(edit->old),
				.new_ = edit_value(edit->new_),
				.living = f->living};

			fits = edit->role != PROBES_ROLE_SEMAPHORE || array_push(&edits, &one);
		}
	}
	fits = fits && order_array(&edits, offsetof(struct history_edit, address));
	for (const struct object_probes *h = catalog_first(&s->catalog); h; h = h->next)
		for (size_t k = 0; fits && !h->info.gone && k < h->semaphore_count; k++) {
			uint64_t address = h->semaphores[k].address;
			size_t from = order_find(
				       &edits, offsetof(struct history_edit, address), address),
			       to = from;
			struct history_edit *all = edits.data;

			while (to < edits.count && all[to].address == address)
				to++;
			if (to > from && !all[from].taken && h->values[k] != PROBES_NONE &&
				object_probes_same(h, k) == k)
				fits = history_walk(s, all + from, to - from, h->values[k]);
		}
	array_done(&edits);
	return fits;
}

int32_t history_most(const struct probes_session *s, uint64_t address)
{
	int32_t most = 0;

	ARRAY_EACH(const struct history_value, v, &s->history) {
		if (v->address == address && v->part > most)
			most = v->part;
	}
	return most;
}

bool history_part(const struct probes_session *s, uint64_t address, uint32_t value, int32_t *part)
{
	ARRAY_EACH(const struct history_value, v, &s->history) {
		if (v->address == address && v->value == value) {
			*part = v->part;
			return !v->ambiguous;
		}
	}
	return false;
}
