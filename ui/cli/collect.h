/*
 * What events and histogram have in common: the hits of probes are kept as events and read as they
 * come, until a term, a signal, the end of all or of what is wanted; then all is undone.
 */
#ifndef UI_CLI_COLLECT_H
#define UI_CLI_COLLECT_H

#include "ui/cli/measure.h"

/* One probe in one process. */
struct collect_probe {
	size_t probe;
	uint64_t hits;    /* at the last comparison with -max-overhead */
	uint64_t dropped; /* hits when its events ended, because they cost too much */
	bool over;
};

/* One process. */
struct collect_process {
	const struct probes_member *member;
	struct collect_probe *probes;
	size_t count;
	void *own; /* of the verb */
	bool told; /* that memory is not read */
};

struct collect_ops {
	const char *verb; /* for the audit */
	/* Check the probes of a process, before any is counted; or NULL. */
	int (*check)(void *data, struct probes_session *session, const struct probes_action *action,
		struct probes_error *e);
	/* The events of a process are kept. False: no memory. */
	bool (*begin)(void *data, struct collect_process *process);
	/* Take one event. False: no more are wanted. */
	bool (*take)(void *data, const struct collect_process *process,
		const struct probes_event *event);
	/*
	 * The hits of a probe in the last ns, once a second and at the end, then with 0 hits in 0
	 * ns; or NULL.
	 */
	void (*rate)(void *data, const struct collect_process *process, size_t probe, uint64_t hits,
		int64_t ns);
	/* All processes were read; before the first event, too. Or NULL. */
	void (*print)(void *data);
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
	int64_t began, ended;              /* ns; ended: at the end alone */
	bool full;                         /* no more are wanted */
};

/* Parse the condition and open the output. Returns the exit status; if it is not 0, all is closed.
 */
int collect_open(struct collect *k, const struct options *o);
/* From there to the end, which closes the output. Returns the exit status. */
int collect_run(struct collect *k, const struct collect_ops *ops, void *data);
/* Free the processes and the condition; the verb has freed its `own` of each. */
void collect_done(struct collect *k);

/* Events that were lost in all processes. */
uint64_t collect_lost(const struct collect *k);

/* Has the reader of the result gone (`| head`), and is nothing recorded? Then the end is not told.
 */
bool collect_hung_up(const struct collect *k);

/* Say what is known of the lost ones. */
void collect_tell_lost(const struct collect *k);

/* At the end: did a probe of the process cost too much? *hits: those that were only counted then.
 */
bool collect_over(const struct collect_process *process, uint64_t *hits);

#endif
