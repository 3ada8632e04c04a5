/* The inside of a session; for the session*.c files alone. */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "base/log.h"
#include "patch/journal.h"
#include "patch/plan.h"
#include "probe/catalog.h"
#include "probe/reader.h"
#include "probes.h"
#include "process/identity.h"
#include "process/image.h"
#include "process/lock.h"
#include "process/memory.h"

struct probes_session {
	struct log log;
	bool read_only;
	bool process; /* a live process; else a file */
	bool held;    /* started by us, has not begun */
	char *path;
	struct identity who;
	struct memory memory;
	/* Look at the maps again, as image_read_again; NULL: they do not change. Tests have a
	   process of their own. */
	int (*verify_again)(struct probes_session *s, struct array *known, struct image *image,
		struct probes_error *e);
	uint64_t maps_mark;
	struct budget budget;      /* for data kept from files */
	struct object_terms terms; /* for reading files */
	struct catalog catalog;
	struct reader all; /* of every probe; laid out at the first full refresh */
	bool all_ready;
	uint64_t changes; /* readings that found something changed */
	struct probes_access access;
	uint32_t switch_seq;         /* of the last switch */
	uint32_t inherited_seq;      /* `switch_seq` when the session took over what its process had
					inherited by fork; 0: nothing was inherited */
	uint64_t first_switch_ticks; /* clock ticks since boot: of the first switch; 0: none yet */
	uint64_t changed_at;         /* likewise: end of the last change */
	uint32_t change;             /* number of the last change */
	struct journal journal;
	struct journal_key key; /* of its journals; owner 0: not made yet */
	struct lock lock;
	unsigned patience_ms; /* wait of an undo; 0: SESSION_LOCK_MS */
	int pagemap;          /* its /proc/PID/pagemap; -1: not opened, or not to be opened */
	uint64_t room_pages;  /* that may be copied without another check of its room ... */
	uint64_t room_until;  /* ... until then: CLOCK_MONOTONIC, ns */
	bool needs_tracer;    /* the kernel lets only a tracer write to its code: that was seen */
	bool lasting;         /* what it switches is meant to stay */
	bool unrecorded;      /* no journal could be kept, which was reported */
	bool repaired;        /* took back what an interrupted session had switched since `since` */
	bool doubtful;     /* a child by fork; it is unknown whether some of its counts are ours */
	bool keep_journal; /* a change of ours could not be undone: the journal must stay */
};

/*
 * Clock ticks that a fork may take from copying memory until the child appears in /proc with its
 * start time. A child that appears later than that after a write was copied after the write.
 */
#define SESSION_BIRTH 10

#define SESSION_LOCK_MS 5000 /* how long we wait for another of us */

/* What to plan, once the turn is ours and the values are read. */
struct session_change {
	const size_t *which;
	size_t count;
	int (*plan)(struct probes_session *s, const struct session_change *change, struct plan *p,
		struct probes_error *e);
	const struct array *chosen; /* for a switch */
	struct plan_mode mode;
	int32_t *const *deltas; /* for a restore; what is taken back becomes 0 */
	bool follow;
	bool not_ours; /* takes back what another session did: no part of our own net change */
	bool dry_run;
	bool atomically;
	unsigned max_stop_ms;
};

/*
 * Read and judge the probes named by index (which = NULL: all), whatever the last reading said.
 * Fails like probes_refresh.
 */
int session_read(
	struct probes_session *s, const size_t *which, size_t count, struct probes_error *e);

/* The same, by a reader that was laid out for just these. */
int session_read_by(struct probes_session *s, struct reader *reader, const size_t *which,
	size_t count, struct probes_error *e);

/* Open its identity, its memory and what is mapped; on failure the caller closes what is open. */
int session_take_hold(
	struct probes_session *s, pid_t pid, struct image *image, struct probes_error *e);

/* Make objects of the objects of an image, and check of all objects what is writable. */
int session_add_image(struct probes_session *s, struct image *image, struct probes_error *e);

/* The `verify_again` of a live process. */
int session_look_again(
	struct probes_session *s, struct array *known, struct image *image, struct probes_error *e);

/*
 * probes_rescan; appends to `lost` (size_t, may be NULL) the probes gone that this session had
 * changed.
 */
int session_rescan(struct probes_session *s, struct probes_rescanned *what, struct array *lost,
	struct probes_error *e);

/* Does the session's net change hold any semaphore of it? */
bool session_owns(const struct object_probes *h, const struct probes_probe *p);

/* The slot of an edited semaphore among the values of its object_probes. */
uint32_t session_slot(const struct object_probes *h, size_t local, const struct probes_edit *w);

/*
 * Undo, like probes_restore, the net change of the probes that this session switched at `until` or
 * before (switch_seq).
 */
int session_restore_until(struct probes_session *s, uint32_t until, struct probes_result **result,
	struct probes_error *e);

/* probes_owned_count, of the same probes. */
size_t session_owned_count(const struct probes_session *s, uint32_t until);

/* The `plan` of a change that takes back deltas. */
int session_plan_restore(struct probes_session *s, const struct session_change *change,
	struct plan *p, struct probes_error *e);

/*
 * The journals of its process, as journal_find; `all`: those of living owners as well. Those of the process'
 * own user among them, where we are root.
 */
bool session_journals(const struct probes_session *s, bool all, struct array *found);

/*
 * Append the counts (struct plan_lowered) that a journal says are lowered by it on the whole, by
 * address. What it left open counts as made. False: no memory.
 */
bool session_lowered_by(const struct journal_found *f, struct array *lowered);

/* Open a journal of a process, by its pid, start time and `program` (struct identity). */
int session_open_journal(struct journal *j, pid_t target, uint64_t start, uint64_t program);

/* Begin its journal, unless there is one. 0 or a negative errno. */
int session_begin_journal(struct probes_session *s);

/* May this session change its process, and is that still there? */
int session_may_switch(struct probes_session *s, bool dry_run, struct probes_error *e);

/*
 * Store in the result what a plan would copy of the process; refuse a plan that needs more memory
 * than its cgroups have room for. A dry run only sets no_room.
 */
int session_room(struct probes_session *s, const struct session_change *change,
	const struct plan *p, struct probes_result *result, struct probes_error *e);

/*
 * Fetch by a reader, in a way that copies no page of the process. As reader_fetch.
 */
int session_fetch(struct probes_session *s, struct reader *reader, bool *changed);

/* Read, plan, apply, remember; the turn (lock_take) is the caller's. */
int session_execute(struct probes_session *s, const struct session_change *change,
	struct probes_result **result, struct probes_error *e);

#endif
