/* The permission-denied screen's text, made from what the engine found. Pure. */
#ifndef UI_TUI_VIEWS_DENIED_H
#define UI_TUI_VIEWS_DENIED_H

#include "probes.h"
#include "ui/tui/widgets/pager.h"

/* columns: of the terminal; the text fits into a box of that width. */
void denied_build(struct pager *l, const struct probes_access *can, const char *title, int columns);

#endif
