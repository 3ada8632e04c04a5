/*
 * Instruction bytes: how each kind of site is encoded, breakpoints, disassembly. No other folder
 * knows an opcode. Pure. The encodings stand in the file that is named after the machine.
 *
 * Offsets count from the pc of a site.
 */
#pragma once

#include "probes.h"

#define ARCH_SITE_BYTES 6    /* read at every site; those behind a short site are other code */
#define ARCH_SWITCH_BYTES 1  /* changed to switch a site */
#define ARCH_FIXED_BYTES 4   /* from arch_site.fixed_at on */
#define ARCH_HELD_AT 0       /* offset of the byte that a tracer replaces to hold a site */
#define ARCH_BREAKPOINT 0xcc /* int3: a uprobe or a debugger */
#define ARCH_NOP 0x90        /* one byte: every site begins with it */

struct arch_site {
	uint8_t length;    /* of the site's own code, at most ARCH_SITE_BYTES */
	uint8_t switch_at; /* offset of the bytes that say whether a site is on */
	uint8_t off[ARCH_SWITCH_BYTES], on[ARCH_SWITCH_BYTES]; /* alike: it has no switch */
	uint8_t fixed_at; /* offset of bytes that neither switching nor a tracer changes: they prove
			     that the code of the file is still mapped at the site */
};

extern const struct arch_site arch_site_ocaml, arch_site_sdt;

#define ARCH_RETURN_BYTES 8 /* of a return address on the stack */

/* Do these bytes have the shape of such a site, off or on? */
bool arch_is_site(const struct arch_site *site, const uint8_t bytes[ARCH_SITE_BYTES]);

/*
 * Has somebody written a jump or a call behind the first byte of a site, where the file has
 * something else? bit k of `vary`: the byte at k is another site's.
 */
bool arch_is_replaced(
	const uint8_t original[ARCH_SITE_BYTES], const uint8_t live[ARCH_SITE_BYTES], uint8_t vary);

/*
 * Guess the original bytes of a site whose file cannot be read: the bytes in memory, but without a
 * breakpoint in front. Good enough to read a state, not to write.
 */
void arch_guess_original(const uint8_t live[ARCH_SITE_BYTES], uint8_t original[ARCH_SITE_BYTES]);

/*
 * Decode from bytes[0], at `address`, until max lines or the end of the bytes. A byte that cannot
 * be decoded is a line of its own. Returns the number of lines; 0 in a build without Zydis.
 */
size_t arch_disassemble(const uint8_t *bytes, size_t size, uint64_t address,
	struct probes_instruction *out, size_t max);

/* Why an instruction cannot be displaced. */
enum arch_displace_result {
	ARCH_DISPLACED,
	ARCH_DISPLACE_NO_DECODER,   /* a build without Zydis */
	ARCH_DISPLACE_UNDECODABLE,  /* no instruction, or one that Zydis does not know */
	ARCH_DISPLACE_REFUSED,      /* it shows the program where it lies, or changes the mode */
	ARCH_DISPLACE_TOO_FAR,      /* its operand or its target is out of the reach of 32 bits */
	ARCH_DISPLACE_SHADOW_STACK, /* a call, whose return address a shadow stack would check */
};

#define ARCH_INSTRUCTION_BYTES 15
#define ARCH_MOVED_BYTES 40

/* What an instruction may do that a program recovers from by the address of the instruction. */
#define ARCH_FAULTS_MEMORY 1u   /* access memory, other than of its stack, thread or object */
#define ARCH_FAULTS_POINTER 2u  /* the same, at a distance from what may be the frame pointer */
#define ARCH_FAULTS_DIVISION 4u /* divide integers */

struct arch_displaced {
	uint8_t length; /* of the instruction, in bytes; also of one that stays. 0: unknown */
	uint8_t size;   /* of the code below */
	bool continues; /* execution may leave the code at its end, and then goes on at from +
			   length */
	bool calls;     /* it pushes from + length, as a call does */
	uint8_t faults; /* ARCH_FAULTS_*: where it lies, the program may expect it to fault */
	uint8_t code[ARCH_MOVED_BYTES];
};

/*
 * Code that does at address `to` what the instruction in bytes[0] does at address `from`: same
 * registers, flags, memory, stack and next instruction. A fault reports an address in the code. The
 * caller puts a jump to from + length behind the code where it continues. size: of bytes, at least
 * the instruction; shadow_stack: the program checks its return addresses.
 */
enum arch_displace_result arch_displace(const uint8_t *bytes, size_t size, uint64_t from,
	uint64_t to, bool shadow_stack, struct arch_displaced *out);

/*
 * The length of a nop in whose place the kernel may write a call, once a uprobe there is hit (Linux
 * 6.18: where it has 5 bytes); else 0. The other bytes of the call may be any.
 */
uint8_t arch_wide_nop(const uint8_t *bytes, size_t size);

/* ---- trampolines: code that counts a hit and changes nothing else ---- */

#define ARCH_TRAMPOLINE_BYTES 208
#define ARCH_JUMP_BYTES 5 /* ARCH_JUMP, and the displacement from its end */
#define ARCH_JUMP 0xe9
#define ARCH_JUMP_FAR_BYTES 14

/* A counter of one thread, in a cache line of its own. */
struct arch_slot {
	uint64_t owner; /* thread pointer + the cookie's value; 0: free */
	uint64_t hits;
	uint64_t unused[6];
};

/*
 * Where a trampoline counts: addresses in the target, each within 2 GiB of the trampoline. Hits of
 * the site are the sum of `shared` and of all slots.
 */
struct arch_counter {
	uint64_t shared;     /* 8 bytes, incremented with a lock */
	uint64_t slots;      /* struct arch_slot[slot_count], or 0: count in `shared` alone */
	uint32_t slot_count; /* a power of 2 */
	uint64_t cookie;     /* 8 bytes: ARCH_COOKIE_DISTINCT in the process, 0 in every forked
				child (MADV_WIPEONFORK), whose thread has the same thread pointer
				as a thread of the parent */
	uint64_t role;       /* 1 byte: while it is > 0, the hit is recorded as well */
	uint64_t recorder;   /* code of arch_trampoline_record; 0: there is none, and no role */
	bool called;         /* the site calls the trampoline: ARCH_RETURN_BYTES are on the stack */
};

/*
 * The lowest bit of a cookie: each thread has a thread pointer of its own. Without it, and where
 * the thread pointer is 0, a hit is counted in `shared`.
 */
#define ARCH_COOKIE_DISTINCT UINT64_C(1)
#define ARCH_COOKIE_SHARED UINT64_C(2)
#define ARCH_COOKIE_OWN (ARCH_COOKIE_DISTINCT | ARCH_COOKIE_SHARED)

/*
 * Can a thread read its thread pointer without a system call or a fault? Trampolines have slots,
 * and a recorder, only then. Linux 5.9 and later, on processors with FSGSBASE (Linux,
 * Documentation/arch/x86/x86_64/fsgs.rst).
 */
bool arch_has_thread_pointer(void);

/*
 * Write a trampoline for address `at`: it counts and goes on at its end. All registers, flags and
 * the red zone are kept; it needs 160 bytes of stack. Returns its size, or 0: a counter is too far
 * away.
 */
size_t arch_trampoline_count(
	uint64_t at, const struct arch_counter *counter, uint8_t out[ARCH_TRAMPOLINE_BYTES]);

/* The registers of a hit, by the machine's numbers. */
struct arch_registers {
	uint64_t general[16];
};

#define ARCH_STACK_POINTER 4 /* in general[] */
#define ARCH_TRAMPOLINE_RECORD_BYTES 128
#define ARCH_TRAMPOLINE_STACK 32 /* bytes below the red zone, to count */

/* As struct iovec. */
struct arch_range {
	uint64_t start, size;
};

/* What a recording trampoline calls: addresses in the target. */
struct arch_record {
	uint64_t code;  /* C code without vector registers: (registers, role, *state, *cookie); role
			   + 1: arch_counter.called */
	uint64_t state; /* 8 bytes: the third argument */
	uint64_t cookie;
};

/*
 * Write what trampolines call at arch_counter.recorder: it stores the registers of the hit, and
 * calls `code`. It needs 200 bytes of stack more, and what that code needs. Returns its size, or 0:
 * an address is out of reach.
 */
size_t arch_trampoline_record(
	uint64_t at, const struct arch_record *record, uint8_t out[ARCH_TRAMPOLINE_RECORD_BYTES]);

#define ARCH_TRAMPOLINE_RUN_BYTES 16

/*
 * Write what follows the counting of a call at `at`: go on at `handler` while the 16-bit count at
 * `semaphore` is > 0, else return to the caller. Changes flags. Returns its size, or 0: an address
 * is out of reach.
 */
size_t arch_trampoline_run(
	uint64_t at, uint64_t semaphore, uint64_t handler, uint8_t out[ARCH_TRAMPOLINE_RUN_BYTES]);

/* Where a call of 5 bytes at `at` goes, and such a call. False: it is out of reach. */
uint64_t arch_call_target(uint64_t at, const uint8_t bytes[ARCH_JUMP_BYTES]);
bool arch_call(uint64_t at, uint64_t target, uint8_t out[ARCH_JUMP_BYTES]);

/* A jump from `at` to `target`. False: it is out of reach. */
bool arch_jump(uint64_t at, uint64_t target, uint8_t out[ARCH_JUMP_BYTES]);

/* A jump from anywhere to anywhere, which changes no register. */
void arch_jump_far(uint64_t target, uint8_t out[ARCH_JUMP_FAR_BYTES]);

/* Does the time stamp counter advance at one rate, on an idle processor as well? */
bool arch_clock_is_steady(void);

/* ---- instructions of a program that its tracer can use ---- */

/* What may be found, and how long the code is that begins there. */
enum arch_useful {
	ARCH_USEFUL_CALL,      /* a system call, and a return from the function */
	ARCH_USEFUL_SIGRETURN, /* the system call that returns from a signal handler */
	ARCH_USEFULS
};

#define ARCH_USEFUL_BYTES 9 /* of the longest */

/* The offset of such code, or SIZE_MAX. It may begin in the middle of an instruction. */
size_t arch_find(enum arch_useful what, const uint8_t *bytes, size_t size);
