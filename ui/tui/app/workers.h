/*
 * Processes that come and go: under -tree and -follow the new descendants join
 * the rows, and those that ended leave them. Otherwise children by fork that
 * took along what this session switched are heirs (heirs.h).
 */
#ifndef UI_TUI_APP_WORKERS_H
#define UI_TUI_APP_WORKERS_H

#include "ui/tui/app/app.h"
#include "ui/tui/app/forked_children.h"

/* What one looked at and passed over, since it holds no probes: not opened again each second. */
struct workers;

/* Look for births, once a second at most; and now: before anything is switched, so that it is
 * known what the newborn took along. */
void workers_poll(struct app *a);
void workers_look(struct app *a);

/*
 * After an undo: undo in the children, too, that were born meanwhile, and in their children. Adds
 * to the sum.
 */
void workers_sweep(struct app *a, const char *verb, struct forked_children_sum *sum);
void workers_done(struct app *a);

#endif
