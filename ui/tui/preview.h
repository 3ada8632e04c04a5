/* What on and off would write, as a text. Writes nothing. */
#ifndef UI_TUI_PREVIEW_H
#define UI_TUI_PREVIEW_H

#include "ui/tui/deed.h"
#include "ui/tui/lines.h"

/* The writes of a plan's dry run; columns of the terminal. */
void preview_build(struct lines *l, struct model *m, const struct deed_plan *plan, int columns);

#endif
