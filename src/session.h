/* The inside of a session; for the session*.c files alone. */
#ifndef SESSION_H
#define SESSION_H

#include "base/log.h"
#include "patch/journal.h"
#include "patch/plan.h"
#include "probe/catalog.h"
#include "probe/reader.h"
#include "probes.h"
#include "process/identity.h"
#include "process/image.h"
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
	int (*look_again)(struct probes_session *s, struct array *known, struct image *image,
		struct probes_error *e);
	uint64_t maps_mark;
	struct budget budget;      /* what it keeps of files */
	struct object_terms terms; /* on which they are read */
	struct catalog catalog;
	struct reader all; /* of every probe; laid out at the first full refresh */
	bool all_ready;
	uint64_t changes; /* readings that found something changed */
	struct probes_access access;
	uint32_t stamp; /* of the last switch */
	uint64_t since; /* clock ticks since boot: of the first switch; 0: none yet */
	struct journal journal;
	bool attaches;   /* the kernel lets only a tracer write to its code: that was seen */
	bool lasting;    /* what it switches is meant to stay */
	bool unrecorded; /* no journal could be kept, and that was said */
	bool owing;      /* something of ours could not be taken back: the journal must stay */
};

#define SESSION_TURN_MS 5000 /* how long we wait for another of us */

/* What to plan, once the turn is ours and the values are read. */
struct session_change {
	const size_t *which;
	size_t count;
	int (*plan)(const struct session_change *change, struct plan *p, struct probes_error *e);
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

/* Open its identity, its memory and what is mapped; on failure what is open is the caller's. */
int session_take_hold(
	struct probes_session *s, pid_t pid, struct image *image, struct probes_error *e);

/* Make holdings of what an image found. */
int session_add_image(struct probes_session *s, struct image *image, struct probes_error *e);

/* The `look_again` of a live process. */
int session_look_again(
	struct probes_session *s, struct array *known, struct image *image, struct probes_error *e);

/*
 * probes_rescan; appends to `lost` (size_t, may be NULL) the probes gone that this session had
 * changed.
 */
int session_rescan(struct probes_session *s, struct probes_rescanned *what, struct array *lost,
	struct probes_error *e);

/* Does the session's net change hold any semaphore of it? */
bool session_owns(const struct holding *h, const struct probes_probe *p);

/* What a write of a semaphore adds to its count, and its slot among the values of its holding. */
int32_t session_delta(const struct probes_write *w);
uint32_t session_slot(const struct holding *h, size_t local, const struct probes_write *w);

/* The `plan` of a change that takes back deltas. */
int session_plan_restore(
	const struct session_change *change, struct plan *p, struct probes_error *e);

/* Begin its journal, unless there is one. 0 or a negative errno. */
int session_begin_journal(struct probes_session *s);

/* May this session change its process, and is that still there? */
int session_may_switch(struct probes_session *s, bool dry_run, struct probes_error *e);

/* Read, plan, apply, remember; the turn (identity_lock) is the caller's. */
int session_carry_out(struct probes_session *s, const struct session_change *change,
	struct probes_result **result, struct probes_error *e);

#endif
