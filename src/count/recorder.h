/*
 * What runs in the process at a hit besides counting: it measures the time from one probe of a pair
 * to the other, or keeps the hit as an event (count/events.h). The code is C and is copied into the
 * process: recorder_hit refers to nothing but its arguments. Pure.
 *
 * What a hit may rely on in its thread is what the session has proven for that thread, and has put
 * down under its thread pointer (struct recorder_thread), in memory that only its process has.
 * Whatever the rest of the data says, it makes the recorder neither fault nor wait nor make a
 * system call: forked children share it, and may have other rights (doc/hazards.md).
 *
 * A site that is measured has a role; hits of others are only counted. Each arena has room for one
 * pair. If the sites of a pair are in several arenas, those of the newer arenas use the state of
 * the oldest one. A process that has mapped an arena has mapped the older ones as well, because
 * none is ever unmapped. A forked child may lack the newer ones.
 *
 * By thread: a slot holds the open start of its thread. Of nested starts the outermost one counts.
 * By key: a table holds the open starts of all threads, each under the value of an argument.
 * Durations go to the slot of the thread that ends them, which nobody else writes. A thread without
 * a slot uses the last one, which all of them share, and keeps its start in the table.
 *
 *     arena    recorder_own | counters, with a role each | state
 *               recorder_head, code of the recorder | trampolines
 */
#pragma once

#include "count/events.h"

#include <stddef.h>

/*
 * Buckets of durations in ns: 8 for each power of 2, so that a bucket is at most an eighth as wide
 * as its value. The last one has no end (73 minutes).
 */
#define RECORDER_FINE 3
#define RECORDER_BUCKETS 320

#define RECORDER_SLOTS 256 /* threads; a power of 2 */
#define RECORDER_OPENS 1024
#define RECORDER_THREADS 1024 /* of which something is proven; a power of 2 */
#define RECORDER_TRIES 32     /* places in a table for one thread or key */

#define RECORDER_STACK_BYTES 600 /* of a thread, below the red zone, that a hit needs at most */

/* An open start. */
struct recorder_begun {
	uint64_t ticks; /* 0: none is open */
	uint64_t stack; /* stack pointer at that start */
	uint64_t depth; /* nested starts that are open */
	uint64_t tid;   /* another thread may get the thread pointer of a dead one; 0: unknown */
};

struct recorder_slot {
	uint64_t owner; /* as in struct arch_slot; of the shared one always 0 */
	struct recorder_begun begun;
	uint64_t nested;    /* starts inside an open one */
	uint64_t restarted; /* starts without end: another start came first */
	uint64_t unstarted; /* ends without start */
	uint64_t backwards; /* ends before their start: processors whose counters differ */
	uint64_t epoch;     /* of `least` and `most` */
	uint64_t sum;       /* ticks */
	uint64_t least, most;
	uint64_t unused[3];
	uint64_t buckets[RECORDER_BUCKETS];
};

/* A start that is open under a key. */
struct recorder_open {
	uint64_t key;     /* value + 1; or the owner of a slot; 0: free; UINT64_MAX: being filled */
	uint64_t process; /* its cookie's value: forked children have keys of their own */
	struct recorder_begun begun;
	uint64_t unused[2];
};

/* What was proven of a thread, whenever the session looks at the threads (session/proofs.c). */
struct recorder_thread {
	uint64_t owner; /* its thread pointer, plus the cookie of its process; 0: free */
	uint64_t calls; /* it may make system calls until then (ticks); 0: it may not */
	uint32_t tid;   /* as its process sees it */
	uint32_t unused;
};

struct recorder_state {
	uint64_t epoch;      /* from 1 on; `least` and `most` of another epoch are void */
	uint64_t multiplier; /* ns a tick, times 2^32 */
	uint64_t session;    /* pid of the one that measures; 0: none */
	uint64_t unused[5];
	uint64_t lost;     /* hits without a place: the table is full, or the key is unreadable */
	uint64_t children; /* by fork, which measure as well */
	uint64_t unused2[6];
	struct recorder_slot slots[RECORDER_SLOTS + 1];
	struct recorder_open opens[RECORDER_OPENS];
	struct events_state events;
};

#define RECORDER_PAIR_BYTES offsetof(struct recorder_state, events)

#define RECORDER_COOKIE_BYTES 4096 /* a page, empty in every forked child (MADV_WIPEONFORK) */

/*
 * What no other process can write: private memory of each that has the arena. A forked child has a
 * copy of `proven`, whose owners are not its own threads.
 */
struct recorder_own {
	uint64_t cookie;
	uint64_t unused[RECORDER_COOKIE_BYTES / 8 - 1];
	struct recorder_proven {
		uint64_t may;  /* 0: nothing was measured yet: it may be that no time can be read */
		uint64_t tids; /* not 0: at the last look, the tids of all threads were proven. One
				  that is unknown all the same may have the thread pointer of a dead
				  one */
		uint64_t unused[2];
		struct recorder_thread threads[RECORDER_THREADS];
	} proven;
};

enum recorder_what { RECORDER_NONE, RECORDER_START, RECORDER_END, RECORDER_EVENT };

/* Of an arena: the addresses of its state and of its struct recorder_own. */
struct recorder_place {
	uint64_t state, cookie;
};

#define RECORDER_OLDER 64

/* What a hit of a site is, in the data of the arena. */
struct recorder_role {
	uint8_t what; /* enum recorder_what; written last, and cleared first */
	uint8_t unused[7];
	/* Of a start and an end: where the key comes from; without `what`: by thread. Memory is
	   read only in the page below the stack pointer, which is mapped. Of an event the value:
	   EVENTS_ROLE. */
	struct events_operand key;
	struct recorder_place older; /* where its hits go instead of to its own arena; 0: not */
	uint64_t unused2;
};

/* The hit of a site. `role`: its address, + 1 if the site calls its trampoline. */
void recorder_hit(const struct arch_registers *r, uint64_t role, struct recorder_state *state,
	struct recorder_own *own);

/* The bounds of what is copied, and where it begins: for tests. Returns the size. */
size_t recorder_code(const uint8_t **code, size_t *entry);

/*
 * What the code of an arena begins with: its size, and the address in it that trampolines call.
 * `code`, `state`, `cookie`: addresses in the process. False: they are too far apart.
 */
size_t recorder_head_size(void);
uint64_t recorder_entry(uint64_t code);
bool recorder_write_head(uint8_t *out, uint64_t code, uint64_t state, uint64_t cookie);

/*
 * What that has, since it cannot be written like the data: the older arenas to which hits may go
 * (hits of a role that names another place are dropped; 0: there are no more), and what is mapped
 * of the object.
 */
struct recorder_sealed {
	struct recorder_place older[RECORDER_OLDER];
	struct arch_range statics[EVENTS_STATICS];
};
size_t recorder_sealed_at(void);

/* The first value of a bucket, ns. */
uint64_t recorder_from(size_t bucket);

/*
 * The index in struct recorder_proven.threads where a thread belongs, the i-th of RECORDER_TRIES
 * places.
 */
size_t recorder_thread_at(uint64_t owner, size_t i);

/* What all slots hold. */
struct recorder_sum {
	uint64_t matched, open, nested, restarted, unstarted, backwards, lost;
	uint64_t sum, least, most; /* ticks; least: UINT64_MAX without any */
	uint64_t buckets[RECORDER_BUCKETS];
};

/* Threads write meanwhile: each word is read once, whole. */
void recorder_read(const struct recorder_state *state, bool keyed, struct recorder_sum *sum);
