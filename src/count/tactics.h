/*
 * How a jump is put at a site: which bytes are changed, and where code must be mapped for them. One
 * object at a time, from the bytes of its code and the address space of its process. Pure: this is
 * where crashes come from.
 *
 * The code that a site jumps to lies in an arena: one range of addresses, near the object, with the
 * counters and the trampolines. Landings are islands anywhere within 2 GiB of a site: one jump
 * each, into the arena. All tactics keep these promises:
 *
 *  - Every plan is independent of which other sites are counted or held at the moment, by whom, and
 *    of a breakpoint at one other instruction whose bytes it relies on: each value that those bytes
 *    can take has a landing (but see `exposed`). So sites are counted and released one by one, in
 *    any order. Nobody relies on the bytes that an evicted site changes: no other is near it.
 *  - Every old start of an instruction stays one.
 *  - Nothing lies where a stack or the heap may grow (struct tactics_space).
 *
 * punned: only the nop is written; the four bytes behind it become the displacement.
 *
 *     before   90 | 48 8d 05 49 35 ..          nop; lea ...
 *     after    e9 | 48 8d 05 49 35 ..          jmp  pc+5 + 0x49058d48  -> landing -> trampoline
 *
 * evicted: the instruction behind the nop is displaced into the trampoline. All threads must stand
 * still.
 *
 *     before   90 | s0 s1 s2 s3 s4 | n0 ..     nop; successor of L bytes; next
 *     after    e9 | e9 r0 r1 r2 r3 | n0 ..     at pc:   jmp pc+5 + (e9 r0 r1 r2)  -> trampoline
 *                                              at pc+1: jmp pc+6 + (r0 r1 r2 r3)  -> successor
 *
 * With L < 5 the last of r0 to r3 are bytes of the next instructions, and stay as they are.
 */
#pragma once

#include "count/recorder.h"
#include "count/tactics_landings.h"

#define TACTICS_BYTES 32 /* of code from a site on, that a plan may look at */

/* Why a site has no tactic; the texts are in tactics_why. */
enum tactics_result {
	TACTICS_PLANNED,
	TACTICS_NEEDS_STOP,  /* only its successor could be evicted, and that is not allowed now */
	TACTICS_EXPOSED,     /* it would be exposed (see tactics_site), and that is not allowed */
	TACTICS_FOREIGN,     /* it does not begin with a nop: another tool holds it */
	TACTICS_NO_NOP,      /* nor does it in its file */
	TACTICS_BREAKPOINT,  /* another tool holds an instruction behind it: what is it really? */
	TACTICS_SHORT,       /* the code behind it cannot be read */
	TACTICS_NO_LANDING,  /* no free page where its jump would land */
	TACTICS_NO_ROOM,     /* more pages of landings than tactics_space.room */
	TACTICS_NEIGHBOUR,   /* another site is too near */
	TACTICS_PAGE_END,    /* the bytes to be changed cross a page */
	TACTICS_INSTRUCTION, /* its successor cannot be displaced: see `displaced` */
	TACTICS_FAULTS,      /* its successor may fault: see tactics.handled */
	TACTICS_NO_ARENA,    /* no room for counters and trampolines near the object */
};

struct tactics_site {
	/* In. */
	uint64_t address;
	bool wanted; /* a plan is asked for; else it is only a neighbour */
	bool whole;  /* all its ARCH_SITE_BYTES may change (OCaml): nobody relies on them */
	bool framed; /* rbp holds the address of the frame there */
	uint64_t semaphore, handler; /* of an OCaml site: its handler runs while the count is > 0 */
	uint8_t code[TACTICS_BYTES]; /* as in memory now, from the address on */
	uint8_t code_size;

	/* Out, for those wanted. */
	enum tactics_result result;
	enum arch_displace_result displaced;
	enum probes_tactic tactic;
	/* No page is free for a breakpoint at an instruction behind it, or a uprobe there becomes a
	 * call: whoever sets one while the site is counted crashes the process. */
	bool exposed;
	uint8_t length;                 /* bytes to write: 1 (punned), ARCH_SITE_BYTES (evicted) */
	uint8_t bytes[ARCH_SITE_BYTES]; /* the new ones, where they do not stay the old ones */
	uint64_t trampoline;            /* address of its code in the arena */
	uint64_t counter;               /* address of its counter there: a multiple of 64 */
	uint32_t landing, landings;     /* the first one, and their number */
};

/*
 * A counter: struct arch_counter.shared in a cache line of its own, with the role of the site
 * (struct recorder_role), then its slots.
 */
#define TACTICS_ROLE_AT 16
#define TACTICS_SLOTS 16 /* threads of a site that count without a lock */
#define TACTICS_SLOTS_AT 64
#define TACTICS_COUNTER_BYTES (TACTICS_SLOTS_AT + TACTICS_SLOTS * sizeof(struct arch_slot))

#define TACTICS_STATE_BYTES \
	((sizeof(struct recorder_state) + TACTICS_PAGE - 1) / TACTICS_PAGE * TACTICS_PAGE)

#define TACTICS_OWN_BYTES \
	((sizeof(struct recorder_own) + TACTICS_PAGE - 1) / TACTICS_PAGE * TACTICS_PAGE)

/*
 * The plan of one object.
 *
 *     arena -> TACTICS_OWN_BYTES, private     struct recorder_own
 *               data (data_size bytes, shared)  head_size bytes of the caller's, then the counters,
 *                                               then TACTICS_STATE_BYTES of the recorder's
 *               code (code_size bytes)          records_size bytes of the caller's, then the
 *                                               recorder, the trampolines
 */
struct tactics {
	/* In. */
	struct tactics_site *sites; /* all of the object, ascending, each address once */
	size_t count;
	uint64_t low, high;  /* the mapped range of the object: the arena lies near it */
	size_t head_size;    /* bytes at the beginning of the data, */
	size_t records_size; /* and of the code */
	bool may_evict;      /* all threads can be stopped, later */
	bool may_expose;     /* as a last resort: see struct tactics_site */
	bool shadow_stack;
	uint64_t gap; /* bytes above the arena that should stay free: the kernel fills them first */
	uint8_t wide_nop; /* nops of 5 bytes to so many may become calls (arch_wide_nop); 0: none */
	uint8_t handled;  /* ARCH_FAULTS_*: what the process handles: no instruction that may do it
			     is displaced, since its handler knows the program's alone */

	/* Out. */
	uint64_t arena;              /* 0: nothing was planned */
	size_t data_size, code_size; /* multiples of a page */
	uint8_t *code;               /* the trampolines: code_size bytes; freed by tactics_done */
	struct array landings;       /* struct tactics_landing */
	size_t planned;
};

/*
 * Plan all sites that are wanted, and take what they need out of `space`: afterwards it holds the
 * arena and the pages of landings. A site that has no plan has a `result`; that is no error. False:
 * no memory; then neither the plan nor the space is of any use.
 */
bool tactics_plan(struct tactics *t, struct tactics_space *space);
void tactics_done(struct tactics *t);

/* What the instruction behind a site may do (ARCH_FAULTS_*). Known only where it can move. */
uint8_t tactics_faults(const struct tactics_site *s);

/* One line: why a site has no tactic. */
const char *tactics_why(const struct tactics_site *s);
