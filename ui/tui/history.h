/*
 * What was done in this session, for undo and redo. Owns the deeds.
 */
#ifndef UI_TUI_HISTORY_H
#define UI_TUI_HISTORY_H

#include "ui/tui/deed.h"

struct history_stack {
	struct deed **all;
	size_t count, capacity;
};

struct history {
	struct history_stack done, undone;
};

void history_done(struct history *h);

/* Something new was done: what was undone before cannot be redone any more. */
void history_add(struct history *h, struct deed *d);

/* What undo (or redo) would revert, or NULL. */
const struct deed *history_last(const struct history *h, bool redo);
/* It was reverted by this deed, which changes sides. */
void history_reverted(struct history *h, bool redo, struct deed *by);

#endif
