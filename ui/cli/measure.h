/*
 * What count, latency and events have in common: one call, from the output and the processes or the
 * program to the undo and the exit status.
 */
#ifndef UI_CLI_MEASURE_H
#define UI_CLI_MEASURE_H

#include <stdbool.h>
#include <stdio.h>

#include "probes.h"
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
	void *data;          /* for the calls */
	int64_t interval_ms; /* between two tables; 0: only the totals */
	int64_t pause_ms;    /* between two readings; 0: 200 ms, as a process may end at any time */
	int64_t checked;     /* ns: the last check; first, when it began; 0: with the waiting */
	const char *how;     /* it ended; NULL: nothing was measured */
};

struct measure_ops {
	const char *verb; /* for the audit */
	const char *held; /* what the probes are meanwhile: "counted" */
	bool looks;       /* struct run_until */
	/* Begin in one process. Returns the exit status. */
	int (*begin)(void *data, const struct probes_member *member);
	/* Is anything measured? Else say why not. NULL: where one process could begin. */
	bool (*any)(void *data);
	/*
	 * From there to the undo (run_until_undo) and the result. *sig: the signal that ended it,
	 * or 0. Returns the exit status.
	 */
	int (*measure)(void *data, int *sig);

	/* For measure_wait. Read the figures of all processes. */
	void (*read)(void *data);
	/* Compare them with -max-overhead, once a second: ns since the last time. */
	void (*check)(void *data, int64_t ns);
	/* Print a table; NULL: interval_ms is 0. */
	void (*table)(void *data);
	/* Why nothing more is to be measured; NULL: go on. May be NULL. */
	const char *(*over)(void *data);
};

/*
 * Open the processes, or start the program; begin in each, measure, and close them and the file.
 * m->file is measure_output; data is for the calls. Returns the exit status.
 */
int measure_run(
	struct measure *m, const struct options *o, const struct measure_ops *ops, void *data);

/*
 * Refresh the states and count the sites of an action of PROBES_COUNT in one process. Returns the
 * exit status: if it is not 0, the reason was reported; else free *result.
 */
int measure_count(const struct measure *m, const struct probes_member *member,
	const struct probes_action *action, struct probes_result **result);

/*
 * Read until the term, a signal, or the end of all processes or of all measuring. Returns the
 * signal, or 0; m->how says what it was.
 */
int measure_wait(struct measure *m);

/* Let a program run on that was held at its start. Returns the exit status. */
int measure_resume(const struct measure *m);

/* Where the result goes: -output, else standard output, which belongs to a program started here.
 * NULL: it cannot be opened, which is reported. */
FILE *measure_output(const struct options *o);

/* Has the file failed, or has whoever reads it (a pipe) gone? */
bool measure_reader_gone(FILE *file);

/* Was all of it written? If not, report why. code: the errno of an earlier failure, or 0. Returns
 * the exit status. */
int measure_written(FILE *file, const struct options *o, int code);

/* Close the file of -output. Returns `status`; if that is 0, what came of it. */
int measure_close(FILE *file, const struct options *o, int status);

/*
 * The probes of the call, as one action that passes over what cannot be counted, or is counted
 * already. Free the indices.
 */
PROBES_CHECK int measure_choose(struct probes_session *session, const struct options *o,
	size_t **indices, struct probes_action *action, struct probes_error *e);

#endif
