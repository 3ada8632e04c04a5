/*
 * The lease of what this session changed: a hung line sends no SIGHUP for
 * hours, so after a time without a key it is undone.
 */
#ifndef UI_TUI_APP_LEASE_H
#define UI_TUI_APP_LEASE_H

#include "ui/tui/app/app.h"

/* Milliseconds until it runs out; -1: there is nothing to undo, or no lease. */
int64_t lease_left(const struct app *a);

#endif
