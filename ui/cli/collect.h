/*
 * What events and histogram have in common: the hits of probes are kept as events and read as they
 * come, until a term, a signal, the end of all or of what is wanted; then all is undone.
 */
#pragma once

#include "ui/cli/measure.h"
#include "ui/figures/counting.h"
#include "ui/recording/replay.h"

/* One probe in one process. */
struct collect_probe {
	size_t probe;
	uint64_t before;  /* hits until the time began; they are in no figure */
	uint64_t hits;    /* since then, at the last comparison with -max-overhead */
	uint64_t dropped; /* the same, when its events ended, because they cost too much */
	bool over;        /* they did; its hits are only counted */
	bool uncounted;   /* that cost too much, too */
};

/* One process. */
struct collect_process {
	const struct probes_member *member;
	const struct replay_process *recorded; /* NULL: it lives */
	struct collect_probe *probes;
	size_t count;
	struct counting counting; /* how it began */
	void *own;                /* of the verb */
	bool told;                /* that memory is not read */
};

struct collect_ops {
	const char *verb; /* for the audit */
	/* Check the probes of a process, before any is counted; or NULL. > 0: it is passed over,
	   and the error says why. */
	int (*check)(void *data, struct probes_session *session, const struct probes_action *action,
		struct probes_error *e);
	/* The events of a process are kept. False: no memory. */
	bool (*begin)(void *data, struct collect_process *process);
	/* Take one event. False: no more are wanted. */
	bool (*take)(void *data, const struct collect_process *process,
		const struct probes_event *event);
	/*
	 * The hits of a probe (an index of process->probes) in so many ns from a time on
	 * (CLOCK_REALTIME), once a second and at the end, then with 0 hits in 0 ns; or NULL.
	 */
	void (*rate)(void *data, const struct collect_process *process, size_t probe, uint64_t hits,
		int64_t from, int64_t ns);
	/* All processes were read; before the first event, too. Or NULL. */
	void (*print)(void *data);
	/* Print a table of an interval; or NULL. */
	void (*table)(void *data);
	/* It has ended, and is undone. */
	void (*end)(void *data);
};

struct collect {
	struct measure measure;
	const struct options *options;
	const struct collect_ops *ops;
	void *data;                         /* for the calls */
	struct probes_event_options events; /* what is kept */
	unsigned shown;                     /* arguments whose values are shown, as bits */
	uint64_t unread;          /* of these values, for a reason that is not told yet, */
	uint64_t unread_children; /* and those of forked children */
	uint64_t unread_late;     /* and those for which this process was late */
	uint64_t unread_new;      /* and those of threads that may make no system call yet */
	struct probes_condition *filter;
	struct collect_process *processes;
	size_t count;
	const struct collect_process *now; /* whose events are delivered */
	size_t came;                       /* events of the last reading */
	int64_t began, ended;              /* ns: one time for all; ended: at the end alone */
	bool full;                         /* no more are wanted */

	struct replay *replay;   /* the recording from which they come; NULL: from processes */
	struct replay_pass pass; /* of it */
	const struct probes_caller *caller; /* that was recorded with the event; NULL: none */
	uint64_t lost;                      /* so far */
	uint64_t undecided;                 /* of the recorded events, by our condition */
};

/* Parse the condition, and open the recording and the output. Returns the exit status; if it is not
 * 0, all is closed. */
int collect_open(struct collect *k, const struct options *o);
/* From there to the end, which closes the output. Returns the exit status. */
int collect_run(struct collect *k, const struct collect_ops *ops, void *data);
/* Free the processes and the rest; the verb has freed its `own` of each. */
void collect_done(struct collect *k);

/* For collect_replay.c. The verb begins with a process, and: of processes. Both return the exit
 * status. */
int collect_begin(
	struct collect *k, const struct collect_process *process, const struct probes_action *a);
int collect_live(struct collect *k);
/* The same, of what latency recorded. */
int replay_tables(struct collect *k);

/* How many sites of a probe have hits that are events. */
uint32_t collect_sites(const struct collect_process *process, size_t probe);

/* Who called, if that was asked for or recorded; else NULL. room: for it. */
const struct probes_caller *collect_caller(const struct collect *k,
	const struct collect_process *process, const struct probes_event *event,
	struct probes_caller *room);

/* Events that were lost in all processes. */
uint64_t collect_lost(const struct collect *k);

/* Say "7 events of 9 in 1.5 s, none lost", where somebody wants to know; what is missing, always.
 */
void collect_tell_totals(
	const struct collect *k, uint64_t count, const char *what, const char *more);

/* Has the reader of the result gone (`| head`), and is nothing recorded? Then the end is not told.
 */
bool collect_hung_up(const struct collect *k);

/* How it ended, and what is missing in all processes. events: of a recording, all that it holds;
 * how: NULL: it has no end. */
struct recording_end collect_end(const struct collect *k);

/* Say why values are missing. */
void collect_tell_unread(const struct collect *k);

/* Say how many events -where could not decide, if there are any. */
void collect_tell_undecided(uint64_t undecided);

/* Say what is known of the lost ones. */
void collect_tell_lost(const struct collect *k);

/* Did a probe of the process cost too much? *hits: those that were only counted then, at the last
 * check.
 */
bool collect_over(const struct collect_process *process, uint64_t *hits);
