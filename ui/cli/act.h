/* What attach, trace, count and repair have in common: change one process, report and audit the
 * change. */
#pragma once

#include <signal.h>

#include "ui/cli/output.h"
#include "ui/options/targets.h"
#include "ui/output/audit.h"

struct act {
	const char *verb; /* for the audit */
	const struct options *options;
	struct audit audit;
	struct output output; /* used only where output was asked for */
	bool many;
	bool printing;
};

/* Open the audit and, where -format or -dry-run asks for it, the output. Returns the exit status.
 */
int act_begin(struct act *a, const char *verb, const struct options *o, FILE *file, bool many);
/*
 * Switch in one process; report what was not done, audit and print what was.
 * Returns the exit status. *done: the switching succeeded, at least in part.
 */
int act_one(struct act *a, const struct probes_member *t, bool *done);
/* Was it opened, and has it probes? Also reports what other sessions left. Returns the exit status.
 */
int act_open(const struct act *a, const struct probes_member *t);
/* Audit a change, and print it where output was asked for. Returns the exit status. */
int act_tell(struct act *a, const struct probes_member *t, const struct probes_result *result);
/* Only the audit. */
int act_note(struct act *a, const char *verb, const struct probes_member *t,
	const struct probes_result *result);
/*
 * Block the signals that would end or suspend probes-tui while it changes a process, so that no
 * change and no record is left half done. Pending signals act when the old mask is restored.
 */
void act_hold_signals(sigset_t *before);
void act_restore_signals(const sigset_t *before);
/* Finish the output before the rest; the exit status as from act_end. */
int act_printed(struct act *a, int status);
/* Close both; the exit status, which is "status" unless the output could not be written. */
int act_end(struct act *a, int status);
