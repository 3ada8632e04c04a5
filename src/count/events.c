#include "count/events.h"

#include <stddef.h>

_Static_assert(sizeof(struct events_site) == 256, "sites share no cache line");
_Static_assert(sizeof(struct events_entry) + 4 * 8 <= EVENTS_SHORT_SIZE, "4 arguments");
_Static_assert(sizeof(struct events_entry) + 8 * PROBES_EVENT_ARGUMENTS <= EVENTS_LONG_SIZE,
	"all arguments");
_Static_assert(
	EVENTS_LONG_SIZE + EVENTS_TEXTS * sizeof(struct events_text) <= EVENTS_TEXT_SIZE, "texts");
_Static_assert(
	EVENTS_TEXT_SIZE + sizeof(struct events_stack) == EVENTS_STACK_SIZE, "registers and stack");

const struct events_shape events_shapes[EVENTS_RINGS] = {
	[EVENTS_SHORT] = {offsetof(struct events_state, short_ring), EVENTS_SHORT_SIZE,
		EVENTS_SHORT_RECORDS},
	[EVENTS_LONG] = {offsetof(struct events_state, long_ring), EVENTS_LONG_SIZE,
		EVENTS_LONG_RECORDS},
	[EVENTS_WITH_TEXT] = {offsetof(struct events_state, text_ring), EVENTS_TEXT_SIZE,
		EVENTS_TEXT_RECORDS},
	[EVENTS_WITH_STACK] = {offsetof(struct events_state, stack_ring), EVENTS_STACK_SIZE,
		EVENTS_STACK_RECORDS},
};

size_t events_range(struct events_reader *r, uint64_t head)
{
	size_t records = events_shapes[r->ring].records;

	r->head = head;
	if (head - r->next > records) {
		/* A head that was set back by the program is as good as any. */
		if (head < r->next)
			r->next = head;
		r->lost += head - r->next - (head - r->next > records ? records : 0);
		r->next = head - (head - r->next > records ? records : 0);
	}
	return (size_t)(head - r->next);
}

size_t events_at(const struct events_reader *r, uint64_t number)
{
	const struct events_shape *shape = &events_shapes[r->ring];

	return shape->at + (size_t)(number & (shape->records - 1)) * shape->size;
}

enum events_found events_take(
	struct events_reader *r, const struct events_entry *copy, uint64_t mark, bool give_up)
{
	uint64_t whole = 2 * r->next + 2, behind = r->head - r->next;
	uint64_t since = (r->next / events_shapes[r->ring].records - EVENTS_CLAIM_ROUND(mark)) &
			 (EVENTS_ROUNDS - 1);
	/* A claim of the next round, or the one after it: this record was overwritten. */
	bool missing = mark & 1 ? since < EVENTS_ROUNDS - 2 : mark <= whole;
	size_t record = r->next & (events_shapes[r->ring].records - 1);
	/* A claim of an earlier round: this event was left to that one. */
	bool waits = missing && (mark & 1 ? !since : mark != EVENTS_FREED(record) || r->next < 2);

	if (copy->mark == whole && mark == whole) {
		r->next++;
		if (copy->generation != r->generation)
			return EVENTS_OTHER;
		r->got++;
		return EVENTS_WHOLE;
	}
	/* To wait for it would lose those behind it. */
	if (behind > events_shapes[r->ring].records / 2)
		waits = false;
	if (waits && !give_up)
		return EVENTS_WAITING;
	r->next++;
	r->lost++;
	r->unfinished += missing && mark != whole;
	return EVENTS_LOST;
}

const char *events_text(const struct events_reader *r, const struct events_entry *copy,
	unsigned text, size_t *length)
{
	const struct events_text *texts =
		(const struct events_text *)((const char *)copy + EVENTS_LONG_SIZE);

	if (r->ring < EVENTS_WITH_TEXT || !text || text > EVENTS_TEXTS || !texts[text - 1].length ||
		texts[text - 1].length > PROBES_EVENT_TEXT)
		return NULL;
	*length = (size_t)texts[text - 1].length;
	return texts[text - 1].bytes;
}

const struct events_stack *events_stack(
	const struct events_reader *r, const struct events_entry *copy)
{
	const struct events_stack *stack =
		(const struct events_stack *)((const char *)copy + EVENTS_TEXT_SIZE);

	return r->ring == EVENTS_WITH_STACK && stack->length <= sizeof stack->bytes ? stack : NULL;
}
