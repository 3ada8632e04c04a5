/*
 * The callers of a hit, all of them, by what it left of its registers and its stack, and by the
 * objects that are mapped.
 */
#include "session/session.h"

#include "base/now.h"
#include "elf/unwind.h"

#include <stdlib.h>

#define STACK_MOST 512   /* callers of one hit */
#define STACK_AGE_MS 500 /* of what was mapped, before it is read again */

struct stacks {
	struct unwind *unwind; /* NULL: no memory */
	uint64_t looked_ms;
	uint64_t callers[STACK_MOST];
};

void stacks_free(struct stacks *stacks)
{
	if (stacks)
		unwind_free(stacks->unwind);
	free(stacks);
}

static int stack_open(void *session, void *object)
{
	return detail_open(session, object);
}

void stack_look(struct probes_session *s)
{
	struct object_probes *h = NULL, *next;
	const struct array *mappings;
	uint64_t start = 0, end = 0;

	caller_look(s);
	mappings = callers_mappings(s);
	if (!s->stacks)
		s->stacks = calloc(1, sizeof *s->stacks);
	if (!s->stacks || !mappings)
		return;
	unwind_free(s->stacks->unwind);
	s->stacks->unwind = unwind_new(stack_open, s);
	s->stacks->looked_ms = now_ms();
	if (!s->stacks->unwind)
		return;
	for (size_t i = 0; i < mappings->count; i++) {
		const struct mapping *m = ARRAY_AT(mappings, const struct mapping, i);

		if (!m->executable)
			continue;
		next = callers_object(s, m->start);
		if (!next || next != h) {
			if (end)
				unwind_map(s->stacks->unwind, h, start, end);
			start = next ? next->location.base : m->start;
			h = next;
		}
		end = m->end;
	}
	if (end)
		unwind_map(s->stacks->unwind, h, start, end);
	unwind_map_end(s->stacks->unwind);
}

void stack_callers(struct probes_session *s, const struct events_stack *left, uint64_t address,
	struct probes_event *event)
{
	const struct unwind_stack stack = {.general = left->general,
		.code = address,
		.start = left->general[ARCH_STACK_POINTER],
		.bytes = left->bytes,
		.size = (size_t)left->length};

	if (!s->stacks || !s->stacks->unwind) {
		event->stack_why = "out of memory";
		return;
	}
	for (;;) {
		event->depth = unwind_callers(s->stacks->unwind, &stack, s->stacks->callers,
			STACK_MOST, &event->stack_why);
		/* An object may have been loaded since. */
		if (!event->stack_why || now_ms() - s->stacks->looked_ms < STACK_AGE_MS)
			break;
		stack_look(s);
		if (!s->stacks->unwind)
			break;
	}
	event->stack = s->stacks->callers;
}
