/*
 * Events: what each hit of a site was, kept in rings in the state of an arena (count/recorder.h).
 * The layout that both sides share, and the reading. Pure: nothing here reads the process.
 *
 * A thread takes the next number of a ring, claims the record of that number, fills it and
 * publishes it. It never waits: if another thread is still filling that record, the event is lost.
 * Numbers have no gaps, so the reader knows how many events were lost, whatever the reason.
 *
 * All records of a ring have one size, and never move: an interrupted thread that resumes after its
 * session has ended, and another one has begun, still writes to the record that it claimed. It
 * marks the record with the generation of its own session.
 *
 * What the rings hold is untrusted: the program can write there.
 */
#pragma once

#include "arch/arch.h"
#include "probes.h"

#define EVENTS_LOAD(from) __atomic_load_n(from, __ATOMIC_RELAXED)

#define EVENTS_SITES 1024 /* of one arena; a power of 2 */
#define EVENTS_TESTS 3
#define EVENTS_TEXTS 4
#define EVENTS_CHILDREN (1 << 16) /* numbers of forked children: see events_entry.process */

enum events_what {
	EVENTS_UNREADABLE,
	EVENTS_REGISTER,
	EVENTS_CONSTANT,
	EVENTS_MEMORY,
	EVENTS_VECTOR,
	EVENTS_STATIC, /* memory of the object whose code the site is (EVENTS_STATICS) */
};

#define EVENTS_NO_REGISTER 16

/*
 * Ranges of an object that are mapped while its code is: an operand in static memory is loaded only
 * from there, whatever address the data names.
 */
#define EVENTS_STATICS 8

#define EVENTS_STACK_BYTES 31608u /* of a stack: a record has 32 KiB in all */

/*
 * A thread whose tid is unknown is named by 32 bits of its thread pointer: those above the
 * alignment of the memory behind it (nptl/descr.h: 64).
 */
#define EVENTS_POINTER_SHIFT 6
#define EVENTS_BY_POINTER 1 /* flag of a record: `thread` is that */
#define EVENTS_CALLS 2      /* flag of a record: its thread might make system calls */

/* How the hit of a site finds one argument. */
struct events_operand {
	uint8_t what; /* enum events_what */
	int8_t size;  /* bytes; negative: signed */
	uint8_t text; /* from 1 on: its value points to a text, the first one, the second one ... */
	uint8_t unused;
	uint8_t base;  /* the register; of memory, EVENTS_NO_REGISTER: none */
	uint8_t index; /* of memory; EVENTS_NO_REGISTER: none */
	uint8_t scale;
	uint8_t unused2;
	uint64_t value; /* a constant; a displacement; an address */
};

/* A hit is an event only if ARGUMENT compares so with NUMBER, for all tests of its site. */
struct events_test {
	uint8_t argument; /* from 1 on; 0: none, and none follows */
	uint8_t compare;  /* enum probes_compare */
	uint8_t unused[6];
	uint64_t number; /* as signed as the argument */
};

struct events_site {
	uint16_t number;   /* the reader's */
	uint8_t arguments; /* at most PROBES_EVENT_ARGUMENTS */
	uint8_t texts;
	uint8_t ring; /* enum events_ring */
	uint8_t unused[11];
	struct events_test tests[EVENTS_TESTS];
	struct events_operand operands[PROBES_EVENT_ARGUMENTS];
};

/* Texts follow each other behind the values of a record. */
struct events_text {
	uint64_t length; /* bytes that could be read */
	char bytes[PROBES_EVENT_TEXT];
};

/*
 * Of a record with a stack, behind its texts: the registers at the site, and a copy of the stack
 * from the stack pointer on. Few hits leave one, by chance: the first ones of a burst would be no
 * sample.
 */
struct events_stack {
	uint64_t general[16]; /* struct arch_registers */
	uint64_t length;      /* bytes that could be read */
	uint8_t bytes[EVENTS_STACK_BYTES];
};

struct events_entry {
	uint64_t
		mark; /* 2 * number + 2; EVENTS_CLAIM while it is filled; 0: never used, or freed */
	uint64_t ticks;
	uint32_t thread; /* tid, as its process sees it; 0: unknown */
	uint32_t generation;
	uint16_t site;    /* events_site.number */
	uint16_t known;   /* bit per argument: it could be read */
	uint16_t process; /* 0: the process of the arena; else a forked child */
	uint8_t arguments;
	uint8_t flags; /* EVENTS_BY_POINTER, EVENTS_CALLS */
	uint64_t values[];
};

/*
 * The mark of a record that is being filled: by whom, where on the stack, and in which round of the
 * ring (modulo EVENTS_ROUNDS). A writer that was killed, or left by longjmp, leaves its claim.
 * Another hit of the same process takes it over once its own frame lies on that place of the stack,
 * so that the first one is gone for certain: whichever thread that was. The session frees those of
 * processes that have ended (session/events_left.c).
 */
#define EVENTS_ROUNDS 32
#define EVENTS_CLAIM(process, frame, round)                                                    \
	((uint64_t)(process) << 48 | ((uint64_t)(frame) >> 48 ? 0 : (frame) & ~UINT64_C(63)) | \
		((round) & (EVENTS_ROUNDS - 1)) << 1 | 1)
/* Of a freed record: that of a number which belongs elsewhere. */
#define EVENTS_FREED(record) ((record) ? 2 : 4)
#define EVENTS_CLAIM_PROCESS(mark) ((uint16_t)((mark) >> 48))
#define EVENTS_CLAIM_FRAME(mark) ((mark)&UINT64_C(0xffffffffffc0))
#define EVENTS_CLAIM_ROUND(mark) ((mark) >> 1 & (EVENTS_ROUNDS - 1))

/* Up to 4 arguments; up to PROBES_EVENT_ARGUMENTS; these, and texts; these, and the stack. */
enum events_ring { EVENTS_SHORT, EVENTS_LONG, EVENTS_WITH_TEXT, EVENTS_WITH_STACK, EVENTS_RINGS };

#define EVENTS_SHORT_SIZE 64u
#define EVENTS_LONG_SIZE 128u
#define EVENTS_TEXT_SIZE 1024u
#define EVENTS_STACK_SIZE 32768u
#define EVENTS_SHORT_RECORDS 16384u /* powers of 2 */
#define EVENTS_LONG_RECORDS 4096u
#define EVENTS_TEXT_RECORDS 1024u
#define EVENTS_STACK_RECORDS 128u

struct events_state {
	uint64_t session;    /* pid of the one that reads; 0: nobody */
	uint64_t generation; /* of the last session */
	uint64_t ready;      /* bits: rings that have memory */
	uint64_t chance;     /* of 2^32, that a hit leaves its stack */
	uint64_t unused[4];
	struct events_heads {
		uint64_t head; /* events so far: the next number */
		uint64_t hits; /* that could have left their stacks */
		uint64_t left; /* stacks that may be left, until the reader permits more */
		uint64_t unused[5];
	} rings[EVENTS_RINGS];
	struct events_site sites[EVENTS_SITES];
	uint8_t short_ring[EVENTS_SHORT_SIZE * EVENTS_SHORT_RECORDS];
	uint8_t long_ring[EVENTS_LONG_SIZE * EVENTS_LONG_RECORDS];
	uint8_t text_ring[EVENTS_TEXT_SIZE * EVENTS_TEXT_RECORDS];
	uint8_t stack_ring[EVENTS_STACK_SIZE * EVENTS_STACK_RECORDS];
};

/* What a role's constant holds. */
#define EVENTS_ROLE(generation, site) ((uint64_t)(generation) << 32 | (site))

/* ---- reading ---- */

/* Where the records of a ring are: an offset in the state, their size and number. */
struct events_shape {
	size_t at, size, records;
};
extern const struct events_shape events_shapes[EVENTS_RINGS];

struct events_reader {
	enum events_ring ring;
	uint32_t generation;
	uint64_t next; /* the number of the next event */
	uint64_t head; /* of the ring, as last seen */
	uint64_t got, lost;
	uint64_t unfinished; /* of the lost: not overwritten, but not written in time */
};

/*
 * How many records there are to be read from r->next on, by the ring's head. What was overwritten
 * before is lost.
 */
size_t events_range(struct events_reader *r, uint64_t head);

/* The offset in the state of the record of this number. */
size_t events_at(const struct events_reader *r, uint64_t number);

enum events_found {
	EVENTS_WHOLE,   /* here it is */
	EVENTS_OTHER,   /* it belongs to another session */
	EVENTS_WAITING, /* it is being filled: read it again, later, before the ring comes round */
	EVENTS_LOST,    /* it was overwritten, or never filled */
};

/*
 * Judge the next event, and go on behind it, unless it is waiting. copy: its record, as it was
 * read; mark: the mark of the same record, read after that. give_up: do not wait.
 */
enum events_found events_take(
	struct events_reader *r, const struct events_entry *copy, uint64_t mark, bool give_up);

/* A text (from 1 on) of a whole record; NULL: it could not be read. *length: its bytes. */
const char *events_text(const struct events_reader *r, const struct events_entry *copy,
	unsigned text, size_t *length);

/* The stack of a whole record; NULL: it has none. */
const struct events_stack *events_stack(
	const struct events_reader *r, const struct events_entry *copy);
