/* Opening what the screen is about, and closing it. */
#ifndef UI_TUI_APP_TARGETS_LOAD_H
#define UI_TUI_APP_TARGETS_LOAD_H

#include "ui/tui/app/app.h"

/*
 * Open the processes, or start the program (held, with the actions of the
 * command line done). Fails where there is nothing to show; where only the
 * permission lacks, it succeeds and the view is VIEW_DENIED.
 */
PROBES_CHECK int targets_load_all(struct app *a, struct probes_error *e);

/* Open those that were picked from the list of processes. On failure nothing is open. */
PROBES_CHECK int targets_load_picked(
	struct app *a, const pid_t *pids, size_t count, struct probes_error *e);

/* Try again after a denial. */
void targets_load_again(struct app *a);

/* Close the sessions: the processes stay as they are, a program still held ends. */
void targets_load_close(struct app *a);

#endif
