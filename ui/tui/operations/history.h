/* The operations of this session, for undo and redo. Owns them. */
#pragma once

#include "ui/tui/operations/operation.h"

struct history_stack {
	struct operation **all;
	size_t count, capacity;
};

struct history {
	struct history_stack done, undone;
};

void history_done(struct history *h);

/* Add a new operation. Clears the redo stack. */
void history_add(struct history *h, struct operation *o);

/* The operation that undo (or redo) reverts next, or NULL. */
const struct operation *history_last(const struct history *h, bool redo);
/* Replace that operation, now reverted, by the operation `by` that reverted it, on the other stack.
 */
void history_reverted(struct history *h, bool redo, struct operation *by);
