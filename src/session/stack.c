/*
 * The callers of a hit, all of them, by what it left of its registers and its stack, and by the
 * objects that are mapped.
 */
#include "session/session.h"

#include "elf/unwind.h"

#include <stdlib.h>
#include <xxhash.h>

#define STACK_MOST 512 /* callers of one hit */

struct stacks {
	struct unwind *unwind;  /* NULL: no memory */
	uint64_t objects, code; /* hashes: where code of objects is mapped, and all code */
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

/* Tell the unwinder what is mapped. */
static void stack_map(struct probes_session *s, const struct array *mappings)
{
	struct object_probes *h = NULL, *next;
	uint64_t start = 0, end = 0;

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

bool stack_look(struct probes_session *s)
{
	const struct array *mappings;
	uint64_t objects = 0, code = 0;
	bool other;

	caller_look(s);
	mappings = callers_mappings(s);
	if (!s->stacks)
		s->stacks = calloc(1, sizeof *s->stacks);
	if (!s->stacks || !mappings)
		return false;
	for (size_t i = 0; i < mappings->count; i++) {
		const struct mapping *m = ARRAY_AT(mappings, const struct mapping, i);
		const uint64_t place[] = {m->start, m->end, m->offset, m->inode};

		if (!m->executable)
			continue;
		code = XXH3_64bits_withSeed(place, sizeof place, code);
		if (m->inode)
			objects = XXH3_64bits_withSeed(place, sizeof place, objects);
	}
	other = s->stacks->unwind && objects != s->stacks->objects;
	if (s->stacks->unwind && code == s->stacks->code)
		return false;
	if (other)
		callers_forget(s);
	s->stacks->objects = objects;
	s->stacks->code = code;
	unwind_free(s->stacks->unwind);
	s->stacks->unwind = unwind_new(stack_open, s);
	if (s->stacks->unwind)
		stack_map(s, mappings);
	return other;
}

void stack_callers(struct probes_session *s, const struct events_stack *left, uint64_t address,
	struct probes_event *event)
{
	const struct unwind_stack stack = {.general = left->general,
		.code = address,
		.start = left->general[ARCH_STACK_POINTER],
		.bytes = left->bytes,
		.size = (size_t)left->length,
		.why_short =
			event->late ? "only a page of the stack was read: the tracer was too late "
				      "to permit the system call that reads the rest"
			: event->unproven ? "only a page of the stack was read: the thread may not "
					    "(yet) make the system call that reads the rest"
					  : "the stack is larger than its copy"};

	if (!s->stacks || !s->stacks->unwind) {
		event->stack_why = "out of memory";
		return;
	}
	event->depth = unwind_callers(
		s->stacks->unwind, &stack, s->stacks->callers, STACK_MOST, &event->stack_why);
	event->stack = s->stacks->callers;
}
