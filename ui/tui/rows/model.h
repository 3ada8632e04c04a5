/*
 * What the screen is about: the processes and their probes as rows.
 *
 * A row's number is its identity: rows are only ever added, so the number
 * stays valid and is never given to another probe. Rows are told apart by
 * object, provider and name. A row has one member for each process that has
 * the probe.
 */
#ifndef UI_TUI_ROWS_MODEL_H
#define UI_TUI_ROWS_MODEL_H

#include "probes.h"
#include "ui/states.h"
#include "ui/tui/rows/row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_NONE UINT32_MAX

struct model_member {
	uint32_t process; /* index into the model's processes */
	uint32_t probe;   /* index for probes_at in its session */
};

/* Members that follow each other, from `first` on, are of one process' probes in turn. */
struct model_stretch {
	uint32_t first;
	struct model_member of; /* the first */
};

struct model_process {
	struct probes_session *session; /* not owned */
	pid_t pid;
	bool gone;      /* ended, or became another program */
	bool unread;    /* its memory may not be read */
	size_t objects; /* so many are counted in left_out */
	bool summed;    /* every row has its states of `changes` (probes_changes) */
	uint64_t changes;
	struct probes_error error; /* why, for both */
};

struct model_counts {
	size_t sites, objects;
	size_t states[STATES_COUNT]; /* rows in each state */
	size_t on_mine;              /* of those that are on, by this session */
	size_t left_out;             /* notes of the objects, see struct probes_object */
};

struct model {
	struct model_process *processes;
	size_t process_count, process_capacity;
	struct row *rows;
	size_t row_count, row_capacity;
	uint32_t *members; /* the next member of the same row, or MODEL_NONE */
	size_t member_count, member_capacity;
	struct model_stretch *stretches;
	size_t stretch_count, stretch_capacity;
	uint32_t *table; /* hash table of rows by identity */
	size_t table_size;
	struct model_block *texts; /* where the rows' texts live */
	struct model_counts counts;
	uint32_t tagged, last_tag;
	bool switched; /* something was begun that changes a process: before its first write */
	bool argued;   /* some have arguments */
	int widest;    /* columns of the longest label */
	uint32_t most_sites; /* of a row */
};

void model_init(struct model *m);
void model_done(struct model *m); /* the sessions stay open */

/* Add a process: its probes become rows, or join the rows that there are. */
void model_add(struct model *m, struct probes_session *session);

/* Likewise the probes from `first` on that a process has got since. */
void model_extend(struct model *m, size_t process, size_t first);

/* Members whose object was unloaded leave their rows; the last of a row stays: PROBES_UNLOADED. */
void model_drop_unloaded(struct model *m);

/* Files may be removed or replaced: look again which. */
void model_mark_deleted(struct model *m);

/* The row of a probe, or MODEL_NONE; texts as the rows have them. */
uint32_t model_find(
	const struct model *m, const char *object, const char *provider, const char *name);

/*
 * Go through the members of a row, the newest process first: *at is the row's `member` at first.
 * False: there are no more.
 */
bool model_next(const struct model *m, uint32_t *at, struct model_member *member);

/* The first of them. */
struct model_member model_member(const struct model *m, uint32_t row);

/*
 * Read the live states: of these rows, or of all (ids NULL). Says whether
 * anything changed that is shown. Processes that are gone are marked so.
 */
bool model_refresh(struct model *m, const uint32_t *ids, size_t count);

/* How many processes are still there. */
size_t model_alive(const struct model *m);

/* How many probes our sessions' net changes hold on or off, in the processes still there. */
size_t model_changed(const struct model *m);

void model_tag(struct model *m, uint32_t id, bool yes);

#endif
