/*
 * The writing of events: C code that is copied into a process, for count/recorder.c alone, whose
 * rules it keeps.
 *
 * Memory of the program is read without a system call only in the page below the stack pointer,
 * which is mapped: the trampoline has just written there. Elsewhere the thread asks the kernel to
 * read it (process_vm_readv(2) of its own process), which fails where a load would crash.
 */
#pragma once

#include "arch/inline.h"
#include "count/events.h"

#include <stddef.h>

#define EVENTS_PAGE 4096

ARCH_INLINE uint64_t events_bytes(uint64_t at, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = bytes; i-- > 0;)
		value = value << 8 | ((const volatile uint8_t *)at)[i];
	return value;
}

/*
 * Memory in the page below the stack pointer; false: it is elsewhere. The page of the stack pointer
 * itself is another one if that is the end of the stack.
 */
ARCH_INLINE bool events_load(uint64_t stack, uint64_t at, unsigned bytes, uint64_t *value)
{
	uint64_t page = (stack - 1) / EVENTS_PAGE;

	if (at / EVENTS_PAGE != page || (at + bytes - 1) / EVENTS_PAGE != page)
		return false;
	*value = events_bytes(at, bytes);
	return true;
}

/* The lowest bytes of a value; size < 0: the rest is its sign. */
ARCH_INLINE uint64_t events_extend(uint64_t value, int8_t size)
{
	unsigned shift = 64 - 8 * ((unsigned)(size < 0 ? -size : size) & 15);

	if (shift > 56)
		return value;
	value <<= shift;
	return size < 0 ? (uint64_t)((int64_t)value >> shift) : value >> shift;
}

/* What a hit knows before its arguments. */
struct events_hit {
	const struct arch_registers *registers;
	const struct arch_range *statics; /* EVENTS_STATICS */
	uint64_t stack;                   /* at the site: the page below it is mapped */
	uint32_t tid;                     /* if `calls` */
	bool calls;                       /* system calls may be made */
};

/* Bytes of the program's memory that can be read, at most `size`. */
ARCH_INLINE size_t events_fetch(const struct events_hit *hit, uint64_t at, void *to, size_t size)
{
	size_t first = EVENTS_PAGE - at % EVENTS_PAGE;
	/* What lies in the next page may be missing. */
	struct arch_range from[2] = {
		{at, first < size ? first : size}, {at + first, first < size ? size - first : 0}};
	struct arch_range into = {(uint64_t)to, size};
	int64_t got;

	if (!hit->calls || !at)
		return 0;
	got = arch_read_process(hit->tid, &into, from, from[1].size ? 2 : 1);
	return got > 0 ? (size_t)got : 0;
}

/* Does all of it lie in one range? An address is written where forked children can write, too. */
ARCH_INLINE bool events_is_static(const struct events_hit *hit, uint64_t at, unsigned bytes)
{
	for (size_t i = 0; i < EVENTS_STATICS; i++) {
		const struct arch_range *r = &hit->statics[i];

		if (at >= r->start && at - r->start < r->size && r->size - (at - r->start) >= bytes)
			return true;
	}
	return false;
}

ARCH_INLINE bool events_argument(
	const struct events_hit *hit, const struct events_operand *o, uint64_t *value)
{
	/* Each is read once: what was checked is what is used. */
	int8_t size = EVENTS_LOAD(&o->size);
	uint8_t base = EVENTS_LOAD(&o->base), index = EVENTS_LOAD(&o->index);
	unsigned bytes = (unsigned)(size < 0 ? -size : size) & 15;
	uint64_t at = EVENTS_LOAD(&o->value);

	*value = 0;
	switch (EVENTS_LOAD(&o->what)) {
	case EVENTS_REGISTER:
		*value = hit->registers->general[base & 15];
		break;
	case EVENTS_CONSTANT:
		*value = at;
		break;
	case EVENTS_VECTOR:
		*value = arch_vector(base);
		break;
	case EVENTS_MEMORY:
		if (base < EVENTS_NO_REGISTER)
			at += base == ARCH_STACK_POINTER ? hit->stack
							 : hit->registers->general[base];
		if (index < EVENTS_NO_REGISTER)
			at += hit->registers->general[index] * o->scale;
		if (!bytes || bytes > 8 ||
			(!events_load(hit->stack, at, bytes, value) &&
				events_fetch(hit, at, value, bytes) != bytes))
			return false;
		break;
	case EVENTS_STATIC:
		if (!bytes || bytes > 8 || !events_is_static(hit, at, bytes))
			return false;
		*value = events_bytes(at, bytes);
		break;
	default:
		return false;
	}
	*value = events_extend(*value, size);
	return true;
}

/* Do the arguments compare as the tests of the site want? */
ARCH_INLINE bool events_pass(
	const struct events_site *site, const uint64_t *values, uint16_t known, unsigned count)
{
	for (unsigned i = 0; i < EVENTS_TESTS; i++) {
		const struct events_test *t = &site->tests[i];
		uint8_t argument = EVENTS_LOAD(&t->argument);
		unsigned n = argument - 1u;
		bool less;

		if (!argument)
			break;
		if (n >= count || !(known >> n & 1))
			return false;
		less = site->operands[n].size < 0 ? (int64_t)values[n] < (int64_t)t->number
						  : values[n] < t->number;
		if (!(t->compare & (less                            ? PROBES_LESS
					   : values[n] == t->number ? PROBES_EQUAL
								    : PROBES_GREATER)))
			return false;
	}
	return true;
}

/* Who hits: see struct events_entry. */
struct events_by {
	const uint64_t *cookie; /* of its process, which is 0 in a copy by fork */
	uint32_t thread;
	uint16_t process;
	uint8_t by_pointer;
	bool calls; /* system calls may be made; then `thread` is a tid */
};

/*
 * Is the claim of a writer that is gone? Our frame, from `frame` up to the stack pointer at the
 * site, lies where its was, in the same memory. The last number is that of several processes.
 *
 * EVENTS_CLAIM rounds down, by less than the size of `values`, which lies below `registers`: the
 * frame of a writer that lives ends below ours, or begins above it, all the same.
 */
ARCH_INLINE bool events_abandoned(uint64_t claim, const struct arch_registers *registers,
	const struct events_by *by, uint64_t frame)
{
	uint64_t old = EVENTS_CLAIM_FRAME(claim);

	return EVENTS_CLAIM_PROCESS(claim) == by->process && by->process != EVENTS_CHILDREN - 1 &&
	       old >= frame && old < registers->general[ARCH_STACK_POINTER];
}

/* Not, if a handler that came between has forked: we are the copy, and our number is another's. */
ARCH_INLINE bool events_is_process(const struct events_by *by)
{
	uint64_t value = EVENTS_LOAD(by->cookie);

	return value && (uint16_t)(value >> 48) == by->process;
}

/*
 * The next record of a ring, claimed: *claim, until it is *mark. `frame`: the lowest address of the
 * caller's frame that is used. NULL: somebody else fills it, or has filled it already.
 */
ARCH_INLINE struct events_entry *events_claim(struct events_state *state, uint8_t ring,
	const struct arch_registers *registers, const struct events_by *by, uint64_t frame,
	uint64_t *claim, uint64_t *mark)
{
	uint8_t *records = state->short_ring;
	size_t size = EVENTS_SHORT_SIZE, count = EVENTS_SHORT_RECORDS, which = EVENTS_SHORT;
	struct events_entry *record;
	uint64_t number, before;

	if (ring == EVENTS_LONG) {
		records = state->long_ring;
		size = EVENTS_LONG_SIZE;
		count = EVENTS_LONG_RECORDS;
		which = EVENTS_LONG;
	} else if (ring == EVENTS_WITH_TEXT) {
		records = state->text_ring;
		size = EVENTS_TEXT_SIZE;
		count = EVENTS_TEXT_RECORDS;
		which = EVENTS_WITH_TEXT;
	} else if (ring == EVENTS_WITH_STACK) {
		records = state->stack_ring;
		size = EVENTS_STACK_SIZE;
		count = EVENTS_STACK_RECORDS;
		which = EVENTS_WITH_STACK;
	}
	number = __atomic_fetch_add(&state->rings[which].head, 1, __ATOMIC_RELAXED);
	record = (struct events_entry *)(records + (number & (count - 1)) * size);
	*mark = 2 * number + 2;
	*claim = EVENTS_CLAIM(by->process, (uint64_t)registers, number / count);
	before = EVENTS_LOAD(&record->mark);
	if ((before & 1 ? !events_abandoned(before, registers, by, frame) : before >= *mark) ||
		!__atomic_compare_exchange_n(
			&record->mark, &before, *claim, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return NULL;
	/* The claim of a copy stays: it is the process it names that takes it over. */
	return events_is_process(by) ? record : NULL;
}

/* Is a hit one of those that leave their stacks? */
ARCH_INLINE bool events_drawn(struct events_state *state, uint64_t now)
{
	struct events_heads *ring = &state->rings[EVENTS_WITH_STACK];
	uint64_t left = EVENTS_LOAD(&ring->left);
	uint64_t draw = (now ^ now >> 32) * UINT64_C(0x9e3779b97f4a7c15);

	arch_add_shared(&ring->hits, 1);
	draw = (draw ^ draw >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return draw >> 32 < EVENTS_LOAD(&state->chance) && left &&
	       __atomic_compare_exchange_n(
		       &ring->left, &left, left - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

ARCH_INLINE void events_copy_stack(const struct events_hit *hit, struct events_stack *to)
{
	size_t got = events_fetch(hit, hit->stack, to->bytes, sizeof to->bytes);

	for (unsigned i = 0; i < 16; i++)
		((volatile uint64_t *)to->general)[i] = hit->registers->general[i];
	to->general[ARCH_STACK_POINTER] = hit->stack;
	/* Without the kernel's help: as events_load. */
	for (size_t rest = -hit->stack % EVENTS_PAGE; got < rest; got++)
		((volatile uint8_t *)to->bytes)[got] = ((const volatile uint8_t *)hit->stack)[got];
	to->length = got;
}

/* constant: EVENTS_ROLE. `hit`: before its arguments; `calls` and `tid` are set here. */
ARCH_INLINE void events_write(struct events_hit hit, struct events_state *state, uint64_t constant,
	const struct events_by *by, uint64_t now)
{
	const struct arch_registers *registers = hit.registers;
	const struct events_site *site = &state->sites[constant & (EVENTS_SITES - 1)];
	uint64_t values[PROBES_EVENT_ARGUMENTS], claim, mark;
	unsigned count = EVENTS_LOAD(&site->arguments);
	uint8_t ring = EVENTS_LOAD(&site->ring);
	struct events_entry *record;
	uint16_t known = 0;

	hit.tid = by->thread;
	hit.calls = by->calls;
	/* Whatever the data says, a record holds no more. */
	if (ring == EVENTS_SHORT && count > 4)
		count = 4;
	if (count > PROBES_EVENT_ARGUMENTS)
		count = PROBES_EVENT_ARGUMENTS;
	for (unsigned i = 0; i < count; i++)
		if (events_argument(&hit, &site->operands[i], &values[i]))
			known |= (uint16_t)(1u << i);
	if (!events_pass(site, values, known, count) ||
		(ring == EVENTS_WITH_STACK && !events_drawn(state, now)))
		return;
	record = events_claim(state, ring, registers, by, (uint64_t)values, &claim, &mark);
	if (!record)
		return;
	record->ticks = now;
	record->thread = by->thread;
	record->flags = (uint8_t)(by->by_pointer * EVENTS_BY_POINTER | by->calls * EVENTS_CALLS);
	record->generation = (uint32_t)(constant >> 32);
	record->site = site->number;
	record->known = known;
	record->process = by->process;
	record->arguments = (uint8_t)count;
	for (unsigned i = 0; i < count; i++) {
		unsigned text = EVENTS_LOAD(&site->operands[i].text);
		struct events_text *to =
			(struct events_text *)((uint8_t *)record + EVENTS_LONG_SIZE) + text - 1;

		((volatile uint64_t *)record->values)[i] = values[i];
		if (ring >= EVENTS_WITH_TEXT && ring < EVENTS_RINGS && text && text <= EVENTS_TEXTS)
			to->length = known >> i & 1 ? events_fetch(&hit, values[i], to->bytes,
							      sizeof to->bytes)
						    : 0;
	}
	if (ring == EVENTS_WITH_STACK)
		events_copy_stack(
			&hit, (struct events_stack *)((uint8_t *)record + EVENTS_TEXT_SIZE));
	/* Not again, if a handler that came between has forked: both copies of the thread end here.
	 */
	(void)__atomic_compare_exchange_n(
		&record->mark, &claim, mark, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}
