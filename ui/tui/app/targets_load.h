/* Opening and closing the targets of the screen. */
#pragma once

#include "ui/tui/app/app.h"

/*
 * Open the processes, or start the program and hold it until the actions of the command line are
 * done. Fails if there is nothing to show; if only a permission is missing, VIEW_DENIED is in
 * front.
 */
PROBES_CHECK int targets_load_all(struct app *a, struct probes_error *e);

/* Open the processes that were chosen in the picker. On failure nothing is open. */
PROBES_CHECK int targets_load_picked(
	struct app *a, const pid_t *pids, size_t count, struct probes_error *e);

/* Open the same targets again: after a denial, or when the process is gone. */
void targets_load_again(struct app *a);

/* Close the sessions: the processes stay as they are; a program that is still held ends. */
void targets_load_close(struct app *a);
