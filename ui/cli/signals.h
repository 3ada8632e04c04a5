/* The signals that end a call which has changes to undo: it holds them, and looks for them. */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* These signals, but for those ignored (nohup): blocked, they would come. child: and SIGCHLD, which
 * is ignored only while it is not blocked. */
sigset_t signals_ending(bool child);

/*
 * From here on nothing that ends a program politely ends this one before it has undone its changes;
 * it cannot be suspended either, unless together with its `child`. Signals that are ignored stay
 * so.
 */
void signals_prepare(bool child);

/* The signal that waits for run_until_wait, or 0. */
int signals_pending(void);
