/*
 * The events of a session, shared by the files events*.c: events_thread.c knows threads and whether
 * they may make system calls, events.c begins and ends, events_read.c reads.
 */
#pragma once

#include "count/clock.h"
#include "count/events.h"
#include "elf/operand.h"
#include "session/session.h"

/* A site, under the number that its records have. */
struct events_where {
	size_t probe;
	uint32_t site;  /* of the probe */
	uint32_t entry; /* of the arena */
	/* Of those that share the entry, the first one has the role and the records; all are told
	   of them: */
	uint32_t first, next; /* 0: there is no next one */
	uint8_t arguments;
	uint8_t ring;
	enum probes_value_kind kinds[PROBES_EVENT_ARGUMENTS]; /* unless it cannot be read */
	uint8_t sizes[PROBES_EVENT_ARGUMENTS];
	uint8_t texts[PROBES_EVENT_ARGUMENTS]; /* which one of the record, from 1 on; 0: none */
	unsigned cost;                         /* ns */
	bool caller;                           /* the value behind the arguments is one */
	const char *no_caller;                 /* why it is none, though asked for; or NULL */
};

/* What is kept in one arena. */
struct events_arena {
	size_t arena;       /* of the session */
	struct array sites; /* struct events_where */
	struct events_reader readers[EVENTS_RINGS];
	uint64_t stuck[EVENTS_RINGS]; /* numbers below are waited for ... */
	int64_t since[EVENTS_RINGS];  /* ... since then: now_ns */
	unsigned rings;               /* bits: those that sites use */
	bool own;                     /* no other session reads it */
	uint64_t hits;                /* that could leave their stacks, at the last reading */
};

/* A thread of the process, or of a forked child. */
struct events_thread {
	uint64_t key; /* its arena and process (events_entry), and what names it there */
	pid_t pid, tid;
	char name[16];
	int64_t looked; /* when it was last looked for, or its name read: now_ns */
};

/* A forked child, under its number in an arena. */
struct events_child {
	uint32_t arena;      /* of events.arenas */
	uint16_t number;     /* events_entry.process */
	pid_t pid;           /* 0: not found */
	uint64_t start_time; /* clock ticks since boot */
	int64_t seen;        /* the last event: now_ns */
	int64_t searched, looked;
	struct threads threads; /* at the last look */
};

/* A descendant of the process, and its number in an arena. */
struct events_kin {
	uint32_t arena; /* of events.arenas */
	uint16_t number;
	pid_t pid;
};

/* A record that was read. */
struct events_pending {
	uint64_t ticks;
	size_t at;      /* in events.bytes */
	uint32_t arena; /* of events.arenas */
	uint8_t ring;
};

struct events_mark {
	uint64_t ticks;
	int64_t real_ns;
};

#define EVENTS_LATE 8 /* remembered at most */

struct events {
	bool on;
	const struct probes_condition *condition;
	struct array arenas; /* struct events_arena */
	double ns_per_tick;
	uint64_t began;              /* ticks: no event is older */
	struct events_mark marks[3]; /* of the last readings, the last one last */
	uint64_t rounds[2];          /* ticks: the last two of probes_events_round */
	struct array pending;        /* struct events_pending */
	struct array bytes;          /* of records */
	struct array threads;        /* struct events_thread, by key */
	struct array children;       /* struct events_child */
	struct array kin;            /* struct events_kin: who may be one of them ... */
	int64_t kin_looked;          /* ... then: now_ns */
	bool left;                   /* a record was claimed by a child, and not filled in time */
	int64_t freed;               /* those of children that have ended, next: now_ns */
	int64_t checked;             /* what threads may do: now_ns */
	uint64_t calls_until; /* they may make system calls until then, ticks; 0: they may not */
	uint64_t late[EVENTS_LATE][2]; /* when they might not, because we were late: ticks */
	size_t lates;
	unsigned stacks;             /* that are wanted a second; 0: none */
	int64_t permitted;           /* stacks: now_ns; 0: never */
	double rate;                 /* of hits that could leave theirs, a second */
	int64_t looked;              /* what is mapped: now_ns */
	bool mapped[2];              /* at the last two looks: had the objects changed? */
	bool confined;               /* a forked child has confined itself */
	const char *no_calls;        /* NULL: the process may make system calls */
	unsigned char *copy, *again; /* of the largest ring */
	char texts[PROBES_EVENT_ARGUMENTS][PROBES_EVENT_TEXT + 1];
	struct probes_events sum;
};

/* Is anybody still told of the records of a site, or of those who share its entry? */
bool events_told(const struct events_arena *w, const struct events_where *where);

/* The number of the next record of a ring. False: unreadable. */
bool events_head(struct probes_session *s, const struct events_arena *ew, enum events_ring ring,
	uint64_t *head);

/* Read from here on: records of this generation, and none that came before. False: unreadable. */
bool events_skip(struct probes_session *s, struct events_arena *ew, uint32_t generation);

/* ---- events_describe.c ---- */

/* How a hit finds an argument that lies there. */
struct events_operand events_operand(
	const struct operand_place *place, const struct probes_argument *a);

/* What the hits of where->site keep, for the process and for us. */
void events_describe(struct probes_session *s, struct object_probes *h,
	const struct probes_probe *p, const struct probes_event_options *o,
	struct events_where *where, struct events_site *site);

/* ---- events_left.c ---- */

/* A record that is to be read has this mark: may a child have left it? */
void events_left_note(struct events *ev, uint64_t mark);

/* Free, now and then, the records that were left by children that have ended. */
void events_left_free(struct probes_session *s, struct events *ev, int64_t now);

/* ---- events_thread.c ---- */

/* Forget all forked children. */
void events_thread_forget(struct events *ev);

/* The thread of a record, its name not older than half a second. Never NULL. */
const struct events_thread *events_thread_of(struct probes_session *s, struct events *ev,
	const struct events_pending *from, const struct events_entry *record, int64_t now);

/*
 * Look at the threads, and let those make system calls for a moment, in which that cannot harm
 * them.
 */
bool events_thread_permit(struct probes_session *s, struct events *ev, int64_t now);

/* Had the permission to make system calls run out at that time, because we looked too late? */
bool events_thread_late(const struct events *ev, uint64_t ticks);

/* No thread makes a system call from now on. */
void events_thread_forbid(struct probes_session *s, struct events *ev);
