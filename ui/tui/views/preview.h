/* What on and off would write, as a text. Writes nothing. */
#ifndef UI_TUI_VIEWS_PREVIEW_H
#define UI_TUI_VIEWS_PREVIEW_H

#include "ui/tui/operations/operation.h"
#include "ui/tui/widgets/pager.h"

/* The writes of a plan's dry run; columns of the terminal. */
void preview_build(
	struct pager *l, struct model *m, const struct operation_plan *plan, int columns);

#endif
