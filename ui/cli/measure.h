/*
 * A measurement of the command line: one object, one ops table, and one order from the output and
 * the processes or the program to the undo, the result and the exit status.
 */
#pragma once

#include <stdio.h>

#include "probes.h"
#include "ui/cli/later.h"
#include "ui/cli/run_until.h"
#include "ui/options/options.h"

/* One call. */
struct measure {
	const struct options *options;
	FILE *file; /* for the result */
	int code;   /* errno of the first failure to write to it; 0: none, or unknown */
	struct act act;
	struct probes_group *group;
	struct run_until hold;
	const struct measure_ops *ops;
	struct later later;
	void *data;          /* for the calls */
	int64_t interval_ms; /* between two tables; 0: only the totals */
	int64_t pause_ms;    /* between two readings; 0: 200 ms, as a process may end at any time */
	int64_t checked;     /* ns: the last check; first, when the waiting began */
	const char *how;     /* it ended; NULL: nothing was measured */
	int sig;             /* that ended it, or 0 */
};

struct measure_ops {
	const char *verb; /* for the audit */
	const char *held; /* what the probes are meanwhile: "counted" */
	bool looks;       /* struct run_until */
	/* Which probes of a process are to be counted, in *action, whose indices are freed. NULL:
	   those of the call. */
	int (*choose)(void *data, struct probes_session *session, struct probes_action *action,
		struct probes_error *e);
	/* They are, as far as they can be: measure, and say so. Returns the exit status. */
	int (*begin)(void *data, const struct probes_member *member,
		const struct probes_action *action, const struct probes_result *result);
	/* So are those of libraries that were opened meanwhile. Returns the exit status. NULL: they
	   are not measured, which is said. */
	int (*more)(void *data, const struct probes_member *member,
		const struct probes_action *action, const struct probes_result *result);
	/* Is anything measured? Else say why not. NULL: where one process could begin. */
	bool (*any)(void *data);
	/* The last process has begun: so does the time of all. */
	void (*start)(void *data);
	/* Read the figures of all processes. */
	void (*read)(void *data);
	/* Compare them with -max-overhead, once a second: ns since the last time. */
	void (*check)(void *data, int64_t ns);
	/* Print a table; NULL: interval_ms is 0. */
	void (*table)(void *data);
	/* Why nothing more is to be measured; NULL: go on. May be NULL. */
	const char *(*over)(void *data);
	/* Measure no longer, and read the last figures. */
	void (*stop)(void *data);
	/* All is undone: print the result. */
	void (*end)(void *data);
};

/*
 * Open the processes, or start the program; begin in each, measure, and close them and the file.
 * m->file is result_open; data is for the calls. Returns the exit status.
 */
int measure_run(
	struct measure *m, const struct options *o, const struct measure_ops *ops, void *data);

/* What a probe cost, in the time between two checks. */
struct measure_over {
	uint64_t hits;
	int64_t ns;
	double hit_ns;
};

/* Uncount probes of one process, each of which cost more than -max-overhead, and say so. */
void measure_uncount(struct measure *m, const struct probes_member *member, const size_t *probes,
	const struct measure_over *over, size_t count);

/*
 * The probes of the call, as one action that passes over what cannot be counted, or is counted
 * already. Free its indices, after an error, too. found: by action of the call: those of which
 * there are probes become true, and the others are no error; NULL: they are.
 */
PROBES_CHECK int measure_choose(struct probes_session *session, const struct options *o,
	bool *found, struct probes_action *action, struct probes_error *e);

/* The one probe of a name. */
PROBES_CHECK int measure_find_one(struct probes_session *session, const struct options *o,
	const char *name, size_t *probe, struct probes_error *e);
