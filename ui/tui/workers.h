/*
 * Processes that come and go: under -tree the new descendants join the rows,
 * and those that ended leave them.
 */
#ifndef UI_TUI_WORKERS_H
#define UI_TUI_WORKERS_H

#include "ui/tui/app.h"

/* What one looked at and passed over, since it holds no probes: not opened again each second. */
struct workers;

/* Look for births, once a second at most. */
void workers_poll(struct app *a);
void workers_done(struct app *a);

#endif
