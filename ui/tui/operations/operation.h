/*
 * A deed: probes switched in every process that has them, remembered so that
 * it can be undone. Knows rows and sessions, no screen.
 */
#ifndef UI_TUI_OPERATIONS_OPERATION_H
#define UI_TUI_OPERATIONS_OPERATION_H

#include "probes.h"
#include "ui/options.h"
#include "ui/tui/rows/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One step: these rows, in this order, are switched. */
struct operation_step {
	enum probes_verb verb;
	const uint32_t *ids;
	size_t count;
};

struct operation_plan {
	const struct operation_step *steps;
	size_t count;
	bool named;   /* somebody pointed at these very probes: skipping is an error */
	bool dry_run; /* plan only */
	bool force;   /* set counts to 1 or 0, whatever they are */
	bool pair;    /* the steps are the halves of a pair */
	/* instead of steps: the actions of a command line, and what it was */
	const struct options *command;
	const char *text;
};

/* What came of it over all processes. */
struct operation_sum {
	size_t processes;              /* that it was done in */
	size_t written;                /* of these, where something was written */
	size_t failed_processes;       /* that refused it as a whole */
	size_t done, skipped, refused; /* probes */
	size_t already;                /* on by this session, which counts once: left out */
	size_t sites, semaphores;      /* written */
	uint64_t stopped_ns;
	char why[128]; /* of the first one skipped or refused */
};

struct operation {
	struct probes_result **results; /* one for each of the model's processes, or NULL */
	size_t count;
	struct operation_sum sum;
	char what[160];   /* "on req_start,req_done", safe for the terminal */
	bool force, pair; /* as planned */
	char *line;       /* of a command line: its options, quoted, and a newline; or NULL */
};

/*
 * Do it. 0: done in every process; else the negative errno of the first
 * failure with its error, and what was done elsewhere stands in the deed.
 * *deed is the caller's, never NULL.
 */
PROBES_CHECK int operation_do(struct model *m, const struct operation_plan *plan,
	struct operation **deed, struct probes_error *e);

/* The opposite of a deed, as a deed. */
PROBES_CHECK int operation_revert(struct model *m, const struct operation *done,
	struct operation **deed, struct probes_error *e);

/* An operation without results, to be filled by operation_undone. */
struct operation *operation_new(const struct model *m);

/*
 * Take what probes_group_restore reports of a member, with its result. 0, or the negative errno of
 * the error, which is copied if it is the first. A process that has ended leaves nothing to undo:
 * 0.
 */
int operation_undone(struct operation *d, const struct model *m, struct probes_undone *u,
	struct probes_error *first);

/* A result that the engine gave for the first process, as a deed; takes the result. */
struct operation *operation_of(
	const struct model *m, struct probes_result *result, const char *what);

void operation_free(struct operation *d);
/* Did it write anything? */
bool operation_wrote(const struct operation *d);

/* "on a,b,c +2 more" of the steps, into what. */
void operation_name(
	const struct model *m, const struct operation_plan *plan, char *what, size_t size);
/* "8 sites, target not stopped" */
const char *operation_say(const struct operation_sum *s, char *out, size_t size);

#endif
