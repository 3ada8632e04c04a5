/*
 * What was done in this session, for undo and redo. Owns the operations.
 */
#ifndef UI_TUI_OPERATIONS_HISTORY_H
#define UI_TUI_OPERATIONS_HISTORY_H

#include "ui/tui/operations/operation.h"

struct history_stack {
	struct operation **all;
	size_t count, capacity;
};

struct history {
	struct history_stack done, undone;
};

void history_done(struct history *h);

/* Something new was done: what was undone before cannot be redone any more. */
void history_add(struct history *h, struct operation *d);

/* What undo (or redo) would revert, or NULL. */
const struct operation *history_last(const struct history *h, bool redo);
/* It was reverted by this deed, which changes sides. */
void history_reverted(struct history *h, bool redo, struct operation *by);

#endif
