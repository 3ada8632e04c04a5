/*
 * The inside of a session, for the files of this folder alone. Their calls run one way: each file
 * calls only files above it here (tests/check-arrows.sh).
 */
#pragma once

#include "base/log.h"
#include "count/arena.h"
#include "count/events.h"
#include "count/uprobe.h"
#include "patch/apply.h"
#include "patch/journal.h"
#include "patch/plan.h"
#include "probe/catalog.h"
#include "probe/reader.h"
#include "probes.h"
#include "process/claim.h"
#include "process/identity.h"
#include "process/image.h"
#include "process/lock.h"
#include "process/memory.h"
#include "process/start.h"
#include "process/threads.h"

/* A thread whose thread pointer could not be proven. */
struct session_unproven {
	pid_t tid;
	int64_t since, seen; /* now_ns */
};

struct probes_session {
	struct log log;
	bool read_only;
	bool process;          /* a live process; else a file */
	bool held;             /* probes_start started it, and it has not begun */
	struct start *start;   /* its tracer while it is held or followed, else NULL */
	struct array followed; /* char *: what it was before (probes_follow_at) */
	char *path;
	struct identity who;
	struct memory memory;
	/* Read the maps again, as image_read_again; NULL: they do not change. Tests replace it. */
	int (*read_maps)(struct probes_session *s, struct array *known, struct image *image,
		struct probes_error *e);
	uint64_t maps_mark;
	const struct translator *translator; /* of its code; NULL: none */
	struct budget budget;                /* for data kept from files */
	struct object_terms terms;           /* for reading files */
	struct catalog catalog;
	struct array arenas;     /* struct arena: where hits are counted (jumps.c) */
	struct array entries;    /* struct jumps_entry: their jumps, by address (jumps.c) */
	bool arenas_left_out;    /* the process has arenas that were not read (jumps.c) */
	struct threads threads;  /* at the last look (proofs.c) */
	struct array unproven;   /* struct session_unproven: those of them without a proof */
	bool distinct;           /* each thread can be told from the others */
	uint8_t may_fault;       /* ARCH_FAULTS_*: what displaced instructions may do */
	uint64_t watch_at;       /* CLOCK_MONOTONIC, ms: the next count_watch */
	struct uprobes uprobes;  /* the counters of the kernel (kernel.c) */
	struct latency *latency; /* NULL: nothing was measured (latency.c) */
	struct events *events;   /* NULL: none were kept (events.c) */
	struct callers *callers; /* NULL: none was looked up (caller.c) */
	struct reader all;       /* of every probe; laid out at the first full refresh */
	bool all_ready;
	uint64_t changes; /* readings that found something changed */
	struct probes_access access;
	uint32_t switch_seq;         /* of the last switch */
	uint32_t inherited_seq;      /* `switch_seq` when the session took over what its process had
					inherited by fork; 0: nothing was inherited */
	uint64_t first_switch_ticks; /* clock ticks since boot: of the first switch; 0: none yet */
	uint64_t last_switch_ticks;  /* likewise: end of the last change */
	uint32_t change_seq;         /* of the last change */
	struct journal journal;
	struct journal_key key; /* of its journals; owner 0: not made yet */
	struct lock lock;
	struct claim claim;       /* holder.c */
	uint32_t number;          /* likewise: of its records; 0: none yet */
	struct array family;      /* pid_t: forked children whose arenas are known to be these */
	unsigned lock_timeout_ms; /* wait of an undo; 0: SESSION_LOCK_MS */
	int pagemap;              /* its /proc/PID/pagemap; -1: not opened, or not to be opened */
	uint64_t headroom_pages;  /* that may be copied without another check of its room ... */
	uint64_t headroom_until;  /* ... until then: CLOCK_MONOTONIC, ns */
	bool needs_tracer;        /* the kernel was seen to let only a tracer write to its code */
	bool interrupts;          /* a switch was allowed to stop all threads */
	bool persistent;          /* probes_options.persistent */
	bool unrecorded;          /* no journal can be kept; the notice was given */
	bool repairing;           /* within probes_repair */
	bool unjudged;          /* the last probes_repair found a journal that it could not judge */
	bool repaired;          /* probes_repair undid what a session had switched since
				   first_switch_ticks */
	struct array history;   /* struct history_value (history.c): before the repair ... */
	uint64_t history_ticks; /* ... which began then: clock ticks since boot; 0: none */
	bool parts_unknown;     /* a forked child: some counts may hold a part of this session */
	struct array undone;    /* struct journal: what a repair has undone here, but perhaps not
				   in forked children; left for the case that it is killed */
	bool keep_journal;      /* a change could not be undone: the journal must stay */
	bool unswept;           /* likewise: nobody knows what forked children hold */
	bool plan_open; /* a helper process was killed: only a repair finds out what it wrote */
};

/*
 * Clock ticks that a fork may take from copying memory until the child appears in /proc with its
 * start time. A child that appears later than that after a write was copied after the write.
 */
#define SESSION_BIRTH 10

#define SESSION_LOCK_MS 5000 /* how long a switch waits for another session */

/* ---- ownership.c: what this session changed, and has not taken back ---- */

/* The last change of a count: a child forked meanwhile holds either value. */
struct ownership_change {
	uint32_t seq; /* of the change that wrote it; 0: none */
	uint16_t old, new_;
	int32_t before; /* this session's part of `old` */
	bool steps; /* written several times by that change: a child may hold a value in between */
	int32_t reconciled; /* of all changes: taken away by others, and still named by one */
};

/* Of one object, from the first change of it on (struct object_probes). */
struct ownership {
	/* The net change of each resource. Torn: a child that was forked in the middle of a
	   change; a change that failed and could not be undone. */
	struct plan_parts parts;
	struct ownership_change *changes; /* per semaphore, at the first of its address */
	uint32_t *switch_seq; /* per probe: when it was switched last, ascending; 0: never */
	bool below;           /* a reading showed a count below its part: see reconcile.c */
};

/* A resource of an object, and what an edit adds to this session's part of it. */
struct ownership_resource {
	enum plan_resource kind; /* PLAN_RESOURCES: none, the code follows its count */
	uint32_t index;          /* struct plan_parts */
	int32_t part;
};

/*
 * Begin the ownership of an object, with room for a kind of resource (PLAN_RESOURCES: for none),
 * unless there is some; false: no memory.
 */
bool ownership_begin(struct object_probes *h, enum plan_resource kind);

/* The session forgets what it changed in the object. */
void ownership_end(struct object_probes *h);

/* Resources of a kind in an object. */
size_t ownership_count(const struct object_probes *h, enum plan_resource kind);

/* Room for parts of a kind, unless there is some; false: no memory. ownership_close_parts frees. */
bool ownership_open_parts(
	struct plan_parts *parts, const struct object_probes *h, enum plan_resource kind);
void ownership_close_parts(struct plan_parts *parts);

/* Free the parts of so many objects, and their array (NULL is allowed). */
void ownership_free_parts(struct plan_parts *all, size_t objects);

/* Index of the i-th resource of a kind of a probe, and their number. */
uint32_t ownership_index(const struct object_probes *h, const struct probes_probe *p,
	enum plan_resource kind, uint32_t i);
uint32_t ownership_size(const struct probes_probe *p, enum plan_resource kind);

struct ownership_resource ownership_resource(
	const struct object_probes *h, size_t local, const struct probes_edit *edit);

/* Add to this session's part of a resource. */
void ownership_add(struct object_probes *h, const struct ownership_resource *r);

/* The part that such an edit makes of a site's code (PLAN_CODE). */
int32_t ownership_code_part(const struct probes_probe *p, const struct probes_edit *edit);

/*
 * Does an edit of a counter (PLAN_COUNTER) write the jump there, or the bytes of the file? Whether
 * the site is switched on or off does not matter.
 */
bool ownership_is_jump(const struct object_probes *h, const struct probes_probe *p, uint32_t site,
	const struct probes_edit *edit);

/* This session's part of a resource. */
int32_t ownership_part(const struct object_probes *h, enum plan_resource kind, uint32_t index);

/*
 * Remember the last change of a count: a child that is forked in the middle of it holds the count,
 * and this session's part of it, from before or after. `after`: that part.
 */
void ownership_remember(struct object_probes *h, uint32_t slot, const struct probes_edit *edit,
	uint32_t seq, int32_t after);

/* Leave out of the parts of an operation, which is undone, what others took away before. */
void ownership_forget_reconciled(struct object_probes *h, struct plan_parts *undo);

/* A part as an edit that makes it. */
struct probes_edit ownership_edit(
	const struct object_probes *h, enum plan_resource kind, uint32_t index, int32_t part);

/* Does this session hold a part of it? */
bool ownership_owns(const struct object_probes *h, const struct probes_probe *p);

/* probes_owned_count, of the probes that this session switched at `until` or before (switch_seq).
 */
size_t ownership_owned_count(const struct probes_session *s, uint32_t until);

/* Judge probes_live.mine, and ownership.below, from the values of the last reading. */
void ownership_judge(struct object_probes *h, size_t local);

/* ---- detail.c ---- */

/* Open the file of an object for the caller; -1: it cannot be read. */
int detail_open(struct probes_session *s, struct object_probes *h);

/* Symbols of an object; NULL: they cannot be read. */
struct symbols *detail_symbols(struct probes_session *s, struct object_probes *h);

/* Close the file of an object whose process has ended, unless its path no longer leads to it. */
void detail_rest(struct object_probes *h);

/* ---- caller.c ---- */

/* Read what is mapped now, for probes_caller. */
void caller_look(struct probes_session *s);

void callers_free(struct callers *c); /* NULL is allowed */

/*
 * Read what is mapped now, for stack_callers. True: other objects than at the last look, so that
 * the stacks left between the two may be of either.
 */
bool stack_look(struct probes_session *s);

/* Set event->stack by what a hit at an address left. It is valid until the next call. */
void stack_callers(struct probes_session *s, const struct events_stack *left, uint64_t address,
	struct probes_event *event);

/* ---- result.c ---- */

/* Append a result, which is freed, to *all. False: no memory, and *all is as it was. */
bool result_join(struct probes_result **all, struct probes_result *more);

/* Append an item that was not done. False: no memory. */
bool result_refuse(
	struct probes_result **all, size_t probe, enum probes_verb verb, const char *why);

/* ---- events.c ---- */

void events_free(struct events *ev); /* NULL is allowed */

/* What an event of the probe costs, in ns; 0: its hits are not, or no longer, events. */
unsigned events_cost(const struct probes_session *s, size_t probe);

/* ---- latency.c ---- */

/* Prove new threads, whose hits are not measured before. Call it often while times are measured. */
void latency_keep(struct probes_session *s);

/* ---- session.c ---- */

/* An empty session; NULL: no memory. */
struct probes_session *session_new(const struct probes_options *options, struct probes_error *e);

/* Open a process in a new session. On failure the caller closes it. */
int session_open(struct probes_session *s, pid_t pid, struct probes_error *e);

/* Return r; *session is s, or NULL, and s is closed, if r < 0. */
int session_finish(struct probes_session *s, int r, struct probes_session **session);

/* Add the objects of an image, and check of all objects what is writable. */
int session_add_image(struct probes_session *s, struct image *image, struct probes_error *e);

/* Add to the error, which says that the process has ended, why counting it may be the cause. */
int session_guess(const struct probes_session *s, struct probes_error *e);

/*
 * Has the process ended? Then close what was open of it: processes may come and go all day. What
 * the session knows stays: states, how it ended, and the counters that are mapped here, since
 * forked children may go on counting there.
 */
void session_rest(struct probes_session *s);

/* Close what can be opened again when it is needed: descriptors are short. */
void session_spare(struct probes_session *s);

/* May this session change its process, and is that still there? */
int session_may_switch(
	struct probes_session *s, bool dry_run, bool undo, bool counts, struct probes_error *e);

/* ---- headroom.c: the memory that reading and writing cost the process ---- */

struct change;

/* As reader_fetch, in a way that copies no page of the process. */
int headroom_fetch(struct probes_session *s, struct reader *reader, bool *changed);

/*
 * Store in the result what a plan would copy of the process; refuse a plan that needs more memory
 * than its cgroups have room for. A dry run only sets no_room.
 */
int headroom_check(struct probes_session *s, const struct change *change, const struct plan *p,
	struct probes_result *result, struct probes_error *e);

/* The same for an arena that is to be mapped for a plan of jumps; before anything of it is.
 * *mapped: its pages. */
int headroom_check_arena(
	struct probes_session *s, const struct tactics *t, size_t *mapped, struct probes_error *e);

/* The same for `pages` of the process that the session will write for the first time, and `own`
 * bytes of ours. */
int headroom_check_pages(
	struct probes_session *s, size_t pages, uint64_t own, struct probes_error *e);

/*
 * What we need ourselves: to open a process of few probes; besides the arenas, to measure pairs; to
 * read events; and with their stacks. Above what was measured: doc/performance.md, "Our memory".
 */
#define HEADROOM_OPEN (2 << 20)
#define HEADROOM_PAIR (2 << 20)
#define HEADROOM_EVENTS (20 << 20)
#define HEADROOM_STACKS (4 << 20)

/*
 * Refuse to do what `what` says ("open") if we need so many bytes for it, and a limit that we have
 * in common with the process does not leave them. Before they are allocated.
 */
int headroom_check_own(
	struct probes_session *s, uint64_t bytes, const char *what, struct probes_error *e);

/* The same for planning to count in an object of so many sites. */
int headroom_check_places(struct probes_session *s, size_t sites, struct probes_error *e);

/* The same for opening a process, once it is known how many notes its files have. */
int headroom_check_image(
	struct probes_session *s, const struct image *image, struct probes_error *e);

/* ---- read.c: live states ---- */

/*
 * Read and judge the probes named by index (which = NULL: all), whatever the last reading said.
 * Fails like probes_refresh.
 */
int read_probes(
	struct probes_session *s, const size_t *which, size_t count, struct probes_error *e);

/* The same, by a reader that was laid out for just these. */
int read_by(struct probes_session *s, struct reader *reader, const size_t *which, size_t count,
	struct probes_error *e);

/* ---- kernel.c: uprobes, for what no jump can count ---- */

/* Do the bytes at a place (struct jumps_place) permit a uprobe there? */
bool kernel_may(const struct object_probes *h, const struct array *places, size_t at);

/*
 * Let the next plan count there by a uprobe. False if kernel_may says no, or if the kernel refuses
 * (struct object_jump says why).
 */
bool kernel_choose(
	struct probes_session *s, struct object_probes *h, const struct array *places, size_t at);

/*
 * Place the uprobes of a plan, all or none. -EBUSY: plan again, because a site has changed, or its
 * file can have none (object_probes.no_uprobe). The session must hold the lock of the target.
 */
int kernel_attach(struct probes_session *s, const struct plan *p, struct probes_error *e);

/* Remove the uprobes that a plan places (`placed`: it failed), or those that it removes. */
void kernel_detach(struct probes_session *s, const struct plan *p, bool placed);

/* Remove those of an unloaded object: else the kernel would place them when it is mapped again. */
void kernel_drop(struct object_probes *h);

/* ---- hits.c: the counters of sites ---- */

/* Read those of an object that was unloaded, before it is marked so: nothing reads them later. */
void hits_last(struct probes_session *s, const struct object_probes *h);

/* ---- rescan.c: what was loaded and unloaded ---- */

/*
 * probes_rescan; appends to `lost` (size_t, may be NULL) the probes gone that this session had
 * changed.
 */
int rescan_objects(struct probes_session *s, struct probes_rescanned *what, struct array *lost,
	struct probes_error *e);

/* Are the libraries of a plan mapped still, and no others in their place? Allocates nothing. */
int rescan_check(const struct plan *p, struct memory *m, struct probes_error *e);

/* ---- vanished.c: code that is no longer mapped ---- */

/* Mark in c->undo, by the last reading, the sites where nothing is left to undo; and free that. */
void vanished_look(struct probes_session *s, const struct change *c);
void vanished_done(const struct probes_session *s, const struct change *c);

/* ---- journals.c: journals, its own and those of other sessions ---- */

/* Open a journal of a process, by its pid, start time and `program` (struct identity). */
int journals_open(struct journal *j, pid_t target, uint64_t start, uint64_t program);

/* Begin the session's journal, unless there is one. 0 or a negative errno. */
int journals_begin(struct probes_session *s);

/*
 * Record a plan before its first write. Where no journal can be begun: notice that once, and go on.
 * A journal that was begun must stay whole: only an `undo` goes on without it.
 */
int journals_plan(
	struct probes_session *s, const struct plan *p, bool undo, struct probes_error *e);

/*
 * Record how a plan ended. `known`: its helper process reported; else the plan stays open, and a
 * repair asks the process.
 */
void journals_conclude(struct probes_session *s, const struct apply *a, int result, bool known);

/*
 * The journals of its process, of living owners as well (journal_find), except `undone`: root also
 * finds those of the user who may trace the process. False: no memory.
 */
bool journals_find(const struct probes_session *s, struct array *found);

/*
 * Put on record which changes the sessions that were killed in the middle of one had made, as the
 * process tells it now: from our next write on, it would not. The lock is held. What cannot be
 * recorded is left to a repair.
 */
void journals_decide(struct probes_session *s);

/* Leave the open journal until the forked children are repaired, too. */
void journals_set_aside(struct probes_session *s);

/* The first of the sessions that have a journal of a living process, and their number. */
const struct probes_session *journals_kept(
	struct probes_session *const *sessions, size_t count, size_t *kept);

/*
 * After the search for their forked children: what was set aside goes if the children are `whole`.
 * Else all journals stay.
 */
void journals_swept(struct probes_session *const *sessions, size_t count, bool whole);

/*
 * Append the counts (struct plan_lowered) that a journal says are lowered by it on the whole, by
 * address. What it left open counts as made. False: no memory.
 */
bool journals_lowered_by(const struct journal_found *f, struct array *lowered);

/* The same, of all journals but the session's own. */
bool journals_lowered(
	const struct probes_session *s, const struct array *journals, struct array *lowered);

/* ---- jumps.c: jumps to counters ---- */

/* A site of the catalog, by its address. */
struct jumps_place {
	uint64_t address;
	struct object_probes *h;
	uint32_t site; /* in the object */
};

/* All sites of an object (NULL: of all objects), by address. False: no memory. */
bool jumps_places(struct probes_session *s, struct object_probes *only, struct array *places);

/* The index of the first place at an address or behind it. */
size_t jumps_place_at(const struct array *places, uint64_t address);

/* Allocate the jumps of an object, and find which bytes of its sites begin other sites. */
bool jumps_open(struct probes_session *s, struct object_probes *h, const struct array *places);

/* A jump of an arena. */
struct jumps_entry {
	uint64_t address;
	uint32_t arena, entry; /* of the session; of the arena */
};

/* Find the jumps of the arenas from this one on by their address. It fails for want of memory. */
int jumps_index(struct probes_session *s, size_t first, struct probes_error *e);

/*
 * Refuse where arenas of the process are unknown: each count would map new ones, and never use
 * them again.
 */
int jumps_check_known(const struct probes_session *s, struct probes_error *e);

/*
 * Of all jumps that are known for a site, choose one that may be written there, as far as the code
 * from its address on tells; rather one that needs no stop. `shared`: of those to counters that
 * hold hits of other processes (arena_is_shared), else of the others. False: there is none.
 */
bool jumps_choose(struct probes_session *s, struct object_probes *h, uint32_t site,
	const uint8_t *code, size_t size, bool shared);

/*
 * The arena that a site counts in. NULL: none, since no jump is known, or the kernel counts there,
 * which measures nothing.
 */
struct arena *jumps_arena(const struct probes_session *s, const struct object_jump *j);

/* Set the jump of a site to that of an arena's entry. */
void jumps_set(struct probes_session *s, struct object_jump *j, size_t arena, size_t entry);

/*
 * Learn of the arenas in the process (struct maps_arena) that are not known yet: they say which
 * bytes at a site are a jump to its counter.
 */
int jumps_learn(struct probes_session *s, const struct array *found, struct probes_error *e);

/* The same, by a look at the process: another session may have made arenas meanwhile. */
int jumps_look(struct probes_session *s, struct probes_error *e);

/* Close what an interrupted session left open in the process. The session must hold the lock. */
void jumps_tidy(struct probes_session *s);

/* By the last reading of a probe: which of the jumps that are known for a site is there. */
void jumps_match(struct probes_session *s, struct object_probes *h, size_t local);

/* A forked child counts in the arenas of its parent: there its hits are shown. */
void jumps_share(struct probes_session *child, struct probes_session *parent);

void jumps_done(struct probes_session *s);

/*
 * Where an arena that is not mapped here is to be read: in the process; or, where that has ended,
 * in a forked child, which goes on counting there and has it mapped at the same address.
 */
struct memory *jumps_memory(struct probes_session *s, struct arena *w);

/* ---- proofs.c: what the code in the process may rely on ---- */

/*
 * Look at the threads (threads_look, `calls` likewise), and tell the arenas whether each can be
 * told from the others. Call it before a hit is counted or measured; it may wait for a moment for a
 * thread that has just begun. Returns that, which probes_session.distinct holds as well.
 */
bool proofs_begin(struct probes_session *s, bool calls);

/*
 * Look again. If threads can no longer be told apart, tell the arenas; it stays so until
 * proofs_begin.
 */
void proofs_look(struct probes_session *s, bool calls);

/* Pages of the process that this writes first, at most. */
#define PROOFS_PAGES (sizeof(struct recorder_proven) / TACTICS_PAGE + 2)

/*
 * Write what was proven of threads to their process, for an arena whose state they use. `m`: its
 * memory; `cookie`: its cookie there. `calls`: until then (ticks) they may make system calls; 0:
 * not at all. False: cannot be written.
 */
bool proofs_write(struct memory *m, const struct arena *w, const struct threads *t, uint64_t cookie,
	uint64_t calls);

/* The same, of the threads at the last look of the session. From then on hits may be measured. */
bool proofs_publish(struct probes_session *s, const struct arena *w, uint64_t calls);

/*
 * May code of ours read the time, and know its thread, at a hit? Asks a thread of the process, by
 * system calls that it runs (struct install), and looks at all. Refused if not. The session must
 * hold the lock.
 */
int proofs_ask(
	struct probes_session *s, const struct arena *w, bool interrupts, struct probes_error *e);

/* ---- holder.c: who counts and who measures ---- */

enum owner_state { OWNER_PAIR, OWNER_EVENTS };

/* Does a session that is on record live? Of several, the greatest value counts. */
enum holder_life {
	HOLDER_NONE,     /* no */
	HOLDER_UNKNOWN,  /* in another pid namespace, and its claim was in the way of a lock */
	HOLDER_UNSEEN,   /* in another pid namespace, and its process, or its claim, is not seen */
	HOLDER_INHERITS, /* it lives, and counts where this process was forked from */
	HOLDER_CLAIMS,   /* in another pid namespace, where its claim, or the like, is held */
	HOLDER_LIVES,
};

#define HOLDER_LOCKED "another process has locked the process, as anybody may"

/* This session, as ARENA_OWNER. */
uint64_t holder_self(void);

/* Put on record what the session does in an arena, as the arena says it. False: it cannot be. */
bool holder_say(struct probes_session *s, struct arena *w);

/* Try again to claim what is on record. */
void holder_keep(struct probes_session *s);

/* Wait for the end of sessions on record that are about to end (identity_settled): for a repair. */
void holder_reconcile(struct probes_session *s);

/*
 * Look which other sessions count at its sites: struct arena, others. `links`: all processes
 * (struct tree_link), gathered at the first need.
 */
void holder_look(struct probes_session *s, struct arena *w, struct array *links);

/* Add a session that lives (struct probes_other), or those of an arena. False: no memory. */
bool holder_add(struct array *all, pid_t pid, bool elsewhere);
bool holder_add_arena(struct probes_session *s, const struct arena *w, struct array *all);

/* What orphaned[site] says of an arena has been taken over. */
void holder_forget_orphaned(struct probes_session *s, struct arena *w, size_t site);

/* Is it a forked child that this caller has open, too? */
bool holder_in_family(const struct probes_session *s, pid_t pid);

/*
 * Find a session of another caller that counts at a site of an arena (SIZE_MAX: at any where this
 * one counts) in another process, but those forked since this one counts. `session` of its record
 * becomes 0 if it is in another pid namespace, where nothing shows whether it lives.
 */
bool holder_find_rival(
	struct probes_session *s, struct arena *w, size_t site, struct arena_holder *rival);

/*
 * The session of another caller that counts in a forked child of the process; 0: none is seen, -1:
 * one of another pid namespace may (struct arena, sharer_session). `links`: as above.
 */
pid_t holder_of_child(struct probes_session *s, const struct arena *w, pid_t pid,
	uint64_t start_time, struct array *links);

/* Does another session have the state? *pid: it, in its own pid namespace. */
enum holder_life holder_of_state(
	struct probes_session *s, const struct arena *w, enum owner_state state, pid_t *pid);

/* ---- owner.c: what follows from that ---- */

/* Look which jumps other sessions use as well: struct object_jump, shared. */
void owner_look(struct probes_session *s);

/* At how many sites does another session count, of which only this is known? By owner_look. */
size_t owner_count_others(const struct probes_session *s, enum holder_life life);

/* Does anybody but this session count at the site? By owner_look. */
bool owner_has_none(const struct object_probes *h, uint32_t site);

/* Take over what sessions that ended left in the semaphores of a probe, with jumps that nobody
 * owns. False: no memory. */
bool owner_inherit(struct probes_session *s, struct object_probes *h, size_t local);

/* This session counts where nobody does, but a jump is. `dry_run`: until the next reading. */
bool owner_adopt(struct probes_session *s, struct object_probes *h, size_t local, bool dry_run);

/*
 * Before a switch of `chosen` (struct selected; NULL: none) is planned: look who else counts, and
 * adopt what is to be counted, or no longer, and has no owner. False: no memory.
 */
bool owner_begin(struct probes_session *s, const struct array *chosen, bool dry_run);

/* After it: this session counts what it was to count, whoever wrote the jumps. */
bool owner_end(struct probes_session *s, const struct probes_result *r);

/* Does another process count in this arena, too, because one of both was forked with it? */
bool owner_shares(const struct arena *w);

/* Why nothing is measured in an arena that is shared. Advises a stop only where none was allowed.
 * Returns e->code. */
int owner_refuse_shared(
	const struct probes_session *s, const struct arena *w, struct probes_error *e);

/* Put on record the sites where this session counts, and no others. */
void owner_reconcile(struct probes_session *s);

/* The session ends, and leaves its counters. */
void owner_leave(struct probes_session *s);

/* ---- owner_state.c: one owner at a time for each state of an arena ---- */

/* The living owner of the state of an arena, other than this session; 0: none, -1: out of sight. */
pid_t owner_of_state(struct probes_session *s, const struct arena *w, enum owner_state state);

/*
 * Take the state of an arena: *self becomes the `session` of its state. If another session has it,
 * fail with PROBES_REFUSED, and say who. owner_give gives it back.
 */
int owner_take(struct probes_session *s, struct arena *w, enum owner_state state, uint64_t *self,
	struct probes_error *e);
void owner_give(struct probes_session *s, struct arena *w, enum owner_state state);
/* Has a session of this caller the state, on whichever process? */
bool owner_is_ours(struct probes_session *s, const struct arena *w, enum owner_state state);
/* Fill the error: a state cannot be written. Returns its code. */
int owner_unwritable(const struct probes_session *s, struct probes_error *e);
/* At the end of the session. */
void owner_leave_states(struct probes_session *s, struct arena *w);

/* ---- sharers.c: two processes in the same counters ---- */

/*
 * Find the forked children that count in arenas where this session does not count yet (struct
 * arena, sharer), but for those of its caller's other sessions, of which jumps_share was told.
 */
void sharers_look(struct probes_session *s);

/* The same, by the records, once it is on record that this session counts: another one may have
 * begun in such a child meanwhile. */
void sharers_look_again(struct probes_session *s);

/*
 * May the process count at a site of an arena that it shares? Not where another session counts a
 * relative there. NULL: yes, and the intent is on record (`dry_run`: not); else why not.
 */
const char *sharers_keep_out(struct probes_session *s, size_t arena, size_t site, bool dry_run);

/* ---- count.c: what is to be counted ---- */

/*
 * Prepare the sites of the probes that are to be counted: decide how, and map counters, trampolines
 * and landings into the process. No code of it is changed. `dry_run`: decide only. What cannot be
 * counted says why (struct object_jump), and is no error.
 */
int count_prepare(struct probes_session *s, const struct change *c, struct probes_result *result,
	struct probes_error *e);

/* Has the process installed a handler of what counted instructions may do? Notice that once. */
void count_watch(struct probes_session *s);

/* ---- reconcile.c: what others took away; probes_refresh ---- */

/* ---- change.c: read, plan, write, own ---- */

/* What to plan, once the lock is taken and the values are read. */
struct change {
	const size_t *which;
	size_t count;
	int (*plan)(struct probes_session *s, const struct change *change, struct plan *p,
		struct probes_error *e);
	const struct array *chosen;           /* for a switch */
	struct probes_switch_options options; /* of a held program: forced, and atomically */
	struct plan_parts *undo;      /* for an undo: per object, what to take back; what is taken
					 back becomes 0 */
	const struct array *journals; /* for an undo: journals_find just now; NULL: not read */
	bool foreign; /* undoes another session: no part of this session's net change */
	bool counts;  /* some of `chosen` are to be counted */
};

/* Take the lock, and carry out a change. */
int change_execute(struct probes_session *s, const struct change *change,
	struct probes_result **result, struct probes_error *e);

/* The same; the caller holds the lock. */
int change_locked(struct probes_session *s, const struct change *change,
	struct probes_result **result, struct probes_error *e);

/* ---- switch.c: switch and undo ---- */

/* The `plan` of a change that takes back parts. */
int switch_plan_undo(struct probes_session *s, const struct change *change, struct plan *p,
	struct probes_error *e);

/*
 * Undo, like probes_restore, the net change of the probes that this session switched at `until` or
 * before (switch_seq).
 */
int switch_restore_until(struct probes_session *s, uint32_t until, struct probes_result **result,
	struct probes_error *e);

/* Take over the counters of a probe that nobody owns, and add them to what is to be undone. False:
 * no memory. */
bool switch_take_over(
	struct probes_session *s, struct object_probes *h, size_t local, struct plan_parts *undo);

/* ---- unowned.c: counters without a session ---- */

/* Sites that count for nobody, and that no journal (journals_find) names. *unknown: sites whose
 * owner cannot be determined; *unseen: likewise (HOLDER_UNSEEN); *unchecked: sites that could not
 * be checked, because another session holds the lock; `busy` names it. */
size_t unowned_count(struct probes_session *s, const struct array *journals, size_t *unknown,
	size_t *unseen, size_t *unchecked, struct probes_error *busy);

/*
 * Remove their jumps. Appends to `unknown` (size_t) the probes of which no session said what it
 * raised. NULL: undo instead what sessions left in the semaphores of probes that a journal names.
 * The caller holds the lock.
 */
int unowned_undo(struct probes_session *s, const struct array *journals, struct array *unknown,
	struct probes_result **result, struct probes_error *e);

/*
 * Nobody knows whether a session that is not on record raised what still guards these probes: it
 * is left, and said. Call it when all is undone. Returns how many are still raised.
 */
size_t unowned_still_raised(struct probes_session *s, const struct array *unknown);

/* ---- leftovers.c: what the journals of interrupted sessions say ---- */

/* An edit of a journal, by its address, then in the order of the journal. */
struct leftovers_place {
	uint64_t address;
	bool pending; /* of a plan whose end is not on record */
	const struct probes_edit *edit;
};

/* All edits of a journal; false: no memory. */
bool leftovers_places(const struct journal_text *text, struct array *places);

/* The places of an address, which follow each other: the first, and *end. */
const struct leftovers_place *leftovers_at(
	const struct array *places, uint64_t address, const struct leftovers_place **end);

/* ---- history.c: what counts were before a repair ---- */

/* Learn it from all journals of the process, and from the last reading. False: no memory. */
bool history_read(struct probes_session *s, const struct array *journals);

/*
 * What the interrupted sessions had added to a count when it was `value`. False: that is not known.
 */
bool history_part(const struct probes_session *s, uint64_t address, uint32_t value, int32_t *part);

/* The most that they had ever added to it. */
int32_t history_most(const struct probes_session *s, uint64_t address);

/* ---- repair.c ---- */

/* As probes_repair, but it says of no probe that it is still raised: these are `unknown`. */
int repair_process(struct probes_session *s, struct array *unknown, struct probes_result **result,
	struct probes_error *e);
