/*
 * The processes of the screen, and their probes as rows.
 *
 * Rows are only added: the index of a row is its identity. Object, provider and name distinguish
 * rows. A row has one member for each process that has the probe.
 */
#pragma once

#include "probes.h"
#include "ui/recording/replay.h"
#include "ui/tui/rows/row.h"
#include "ui/words/states.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_NONE UINT32_MAX

struct model_member {
	uint32_t process; /* index into the model's processes */
	uint32_t probe;   /* index for probes_at in its session */
};

/* A run of members: consecutive probes of one process. */
struct model_run {
	uint32_t first;         /* index of the first member */
	struct model_member of; /* and what it is */
};

struct model_process {
	struct probes_session *session;        /* not owned */
	const struct replay_process *recorded; /* it is one of a recording; NULL: it lives */
	pid_t pid;
	bool gone;     /* ended, or became another program */
	bool ending;   /* since the refresh that goes on */
	bool fleeting; /* what its counters hold vanishes with it: an earlier session made them */
	bool end_reported;
	bool unread;    /* its memory may not be read */
	size_t objects; /* the first so many are counted in left_out */
	bool summed;    /* every row holds the states of `changes` (probes_changes) */
	uint64_t changes;
	struct probes_error error; /* why it is gone or unread */
};

struct model_counts {
	size_t sites, objects;
	size_t states[STATES_COUNT]; /* rows in each state */
	size_t switchable;           /* rows with something to switch */
	size_t on_mine;              /* of those that are on, by this session */
	size_t counted;              /* whose hits are counted, or were as their process ended */
	size_t counted_now;          /* of these, the former */
	size_t left_out;             /* notes of the objects, see struct probes_object */
};

struct model {
	struct replay *replay; /* all processes are of this recording; NULL: of none */
	struct model_process *processes;
	size_t process_count, process_capacity;
	struct row *rows;
	size_t row_count, row_capacity;
	uint32_t *members; /* the next member of the same row, or MODEL_NONE */
	size_t member_count, member_capacity;
	struct model_run *runs;
	size_t run_count, run_capacity;
	uint32_t *table; /* hash table of rows by identity */
	size_t table_size;
	struct model_block *texts; /* memory of the rows' texts */
	struct model_counts counts;
	uint32_t *measured; /* rows with a trend */
	size_t measured_count, measured_capacity;
	struct trend hits; /* of all rows */
	int64_t kept_ms;   /* when model_keep_hits read last */
	uint32_t tagged, last_tag;
	bool switched;       /* an operation that changes a process has begun */
	bool argued;         /* some have arguments */
	int widest;          /* columns of the longest label */
	int widest_name;     /* and of the longest name without its provider */
	int widest_object;   /* of the longest file name, with the mark of a deleted file */
	uint32_t most_sites; /* of a row */
	struct {
		size_t rows; /* which lost jumps since somebody said so last */
		uint32_t first;
	} lost;
};

void model_init(struct model *m);
void model_done(struct model *m); /* the sessions stay open */

/* Add a process: its probes become rows, or join the rows that there are. */
void model_add(struct model *m, struct probes_session *session);

/* Likewise for the probes that a process got later, from index `first` on. */
void model_extend(struct model *m, size_t process, size_t first);

/* Remove members whose object was unloaded. The last of a row stays, as PROBES_UNLOADED. */
void model_drop_unloaded(struct model *m);

/* Check again which files were removed or replaced. */
void model_mark_deleted(struct model *m);

/* The row of a probe, or MODEL_NONE. The texts are safe ones, as in rows. */
uint32_t model_find(
	const struct model *m, const char *object, const char *provider, const char *name);

/*
 * Iterate over the members of a row, the newest process first: *at is at first the row's `member`.
 * False: no more.
 */
bool model_next(const struct model *m, uint32_t *at, struct model_member *member);

/* The first of them. */
struct model_member model_member(const struct model *m, uint32_t row);

/* The probes of one process that these rows have, in their order; the array is the caller's. */
size_t *model_probes_of(
	const struct model *m, size_t process, const uint32_t *ids, size_t count, size_t *found);

/*
 * Read the live states of these rows, or of all (ids NULL). Marks processes that are gone. True:
 * something that is shown changed.
 */
bool model_refresh(struct model *m, const uint32_t *ids, size_t count);

/*
 * Read the hits of all rows that are counted, at a time of a clock that never goes back. Costs
 * nothing where none is. True: some are counted.
 */
bool model_read_hits(struct model *m, int64_t ms);

/*
 * Mark the rows that are counted in the parent of a forked child, where the child has lost a jump:
 * its live states were read just now. Returns how many were not marked before, and the first.
 */
size_t model_look_child(struct model *m, const struct probes_session *child, uint32_t *first);

/*
 * Between two of these readings, read counters that vanish with their process, so that little is
 * missing when it ends. Costs nothing where there are none.
 */
void model_keep_hits(struct model *m, int64_t ms);

/* When that is due: in how many milliseconds; -1: it is not. */
int64_t model_keep_wait(const struct model *m, int64_t ms);

/* Is no site of a row counted, and did a try to count each of them fail? */
bool model_in_vain(const struct model *m, uint32_t id);

/* Why a process does not count at least so many of these probes any longer; NULL: it does. */
const char *model_uncounted(
	const struct model_process *p, const size_t *probes, size_t count, size_t least);

/* How many processes are not gone. */
size_t model_alive(const struct model *m);

/* Has a row something to switch, or is there none yet? A tool at their sites does not matter. */
bool model_switchable(const struct model *m);

/* How many probes are owned (probes_owned_count) in the processes that live. */
size_t model_changed(const struct model *m);

void model_tag(struct model *m, uint32_t id, bool yes);
