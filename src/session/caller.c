/*
 * The callers of hits: the object that has an address, by the maps of the process as last read, and
 * its symbols; and all of them, by what a hit left of its registers and its stack.
 */
#include "session/session.h"

#include "base/now.h"
#include "elf/unwind.h"

#include <stdlib.h>
#include <xxhash.h>

#define CALLERS 4096       /* that are remembered; a power of 2 */
#define CALLERS_DEEP 512   /* of one hit */
#define CALLERS_AGE_MS 500 /* of maps that lack an address, before they are read again */

struct callers {
	char *text;            /* maps, which the mappings point into */
	struct array mappings; /* struct mapping */
	uint64_t read_ms;      /* when; 0: never */
	struct {
		uint64_t address; /* 0: none */
		struct probes_caller caller;
	} known[CALLERS];

	struct unwind *unwind;  /* of stacks; NULL: none yet, or no memory */
	uint64_t objects, code; /* hashes: where code of objects is mapped, and all code */
	uint64_t stack[CALLERS_DEEP];
};

void callers_free(struct callers *c)
{
	if (!c)
		return;
	unwind_free(c->unwind);
	array_done(&c->mappings);
	free(c->text);
	free(c);
}

void caller_look(struct probes_session *s)
{
	struct callers *c = s->callers ? s->callers : calloc(1, sizeof *c);
	struct array mappings;
	size_t malformed;
	char *text;

	if (c && !s->callers)
		c->mappings = ARRAY_OF(struct mapping);
	s->callers = c;
	if (!c || !s->process)
		return;
	c->read_ms = now_ms();
	if (identity_maps(&s->who, maps_drop_anonymous, &text, NULL) < 0)
		return;
	mappings = ARRAY_OF(struct mapping);
	/* A process that has ended has none: the last ones are as good as any. */
	if (!maps_parse(text, &mappings, &malformed) || !mappings.count) {
		array_done(&mappings);
		free(text);
		return;
	}
	array_done(&c->mappings);
	free(c->text);
	c->mappings = mappings;
	c->text = text;
}

/* The object whose code is mapped there, as last looked; NULL: none that is known. */
static struct object_probes *callers_object(struct probes_session *s, uint64_t address)
{
	const struct mapping *m = maps_find(&s->callers->mappings, address);
	struct object_probes *found = NULL;

	for (struct object_probes *h = catalog_first(&s->catalog); m && m->inode && h; h = h->next)
		if (!h->info.gone && maps_same_file(&h->location, m) &&
			h->location.base <= address &&
			(!found || found->location.base < h->location.base))
			found = h;
	return found;
}

void probes_caller(struct probes_session *s, uint64_t address, struct probes_caller *caller)
{
	size_t at = XXH3_64bits(&address, sizeof address) & (CALLERS - 1);
	struct object_probes *h;

	*caller = (struct probes_caller){0};
	if (!s->callers)
		caller_look(s);
	if (!address || !s->callers)
		return;
	if (s->callers->known[at].address == address) {
		*caller = s->callers->known[at].caller;
		return;
	}
	h = callers_object(s, address);
	if (!h && now_ms() - s->callers->read_ms > CALLERS_AGE_MS) {
		caller_look(s);
		h = callers_object(s, address);
	}
	if (h) {
		caller->object = h->path;
		caller->pc = address - h->info.bias;
		/* The call may be the last instruction of its function. */
		if (detail_symbols(s, h))
			symbols_find(h->symbols, caller->pc - 1, &caller->where);
		caller->where.offset += *caller->where.function != '\0';
	}
	s->callers->known[at].address = address;
	s->callers->known[at].caller = *caller;
}

static int stack_open(void *session, void *object)
{
	return detail_open(session, object);
}

/* Tell the unwinder what is mapped. */
static void stack_map(struct probes_session *s)
{
	const struct array *mappings = &s->callers->mappings;
	struct object_probes *h = NULL, *next;
	uint64_t start = 0, end = 0;

	ARRAY_EACH(const struct mapping, m, mappings) {
		if (!m->executable)
			continue;
		next = callers_object(s, m->start);
		if (!next || next != h) {
			if (end)
				unwind_map(s->callers->unwind, h, start, end);
			start = next ? next->location.base : m->start;
			h = next;
		}
		end = m->end;
	}
	if (end)
		unwind_map(s->callers->unwind, h, start, end);
	unwind_map_end(s->callers->unwind);
}

bool stack_look(struct probes_session *s)
{
	uint64_t objects = 0, code = 0;
	struct callers *c;
	bool other;

	caller_look(s);
	c = s->callers;
	if (!c)
		return false;
	ARRAY_EACH(const struct mapping, m, &c->mappings) {
		const uint64_t place[] = {m->start, m->end, m->offset, m->inode};

		if (!m->executable)
			continue;
		code = XXH3_64bits_withSeed(place, sizeof place, code);
		if (m->inode)
			objects = XXH3_64bits_withSeed(place, sizeof place, objects);
	}
	other = c->unwind && objects != c->objects;
	if (c->unwind && code == c->code)
		return false;
	/* Look every caller up again: other objects are mapped. */
	for (size_t i = 0; other && i < CALLERS; i++)
		c->known[i].address = 0;
	c->objects = objects;
	c->code = code;
	unwind_free(c->unwind);
	c->unwind = unwind_new(stack_open, s);
	if (c->unwind)
		stack_map(s);
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

	if (!s->callers || !s->callers->unwind) {
		event->stack_why = "out of memory";
		return;
	}
	event->depth = unwind_callers(
		s->callers->unwind, &stack, s->callers->stack, CALLERS_DEEP, &event->stack_why);
	event->stack = s->callers->stack;
}
