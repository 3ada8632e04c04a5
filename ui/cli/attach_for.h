/* What is switched for a while: waiting, and switching back. */
#ifndef UI_CLI_ATTACH_FOR_H
#define UI_CLI_ATTACH_FOR_H

#include "ui/cli/act.h"

/*
 * From now on nothing that ends a program politely ends this one before attach_for_run has switched
 * back; say it before the first write.
 */
void attach_for_prepare(void);

/*
 * Wait as long as -for says, or until a signal comes or the last of the processes has gone; then
 * undo in each what its session changed, and in children that took it along by fork (their sessions
 * join the targets; they are opened with `engine`). Returns the exit status: `status`, unless
 * something could not be undone; 128 + the signal that ended it early.
 */
int attach_for_run(
	struct act *a, struct targets *targets, const struct probes_options *engine, int status);

#endif
