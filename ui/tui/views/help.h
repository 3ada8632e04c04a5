/* The help view's text, made from the request table: only what works here and now. */
#ifndef UI_TUI_VIEWS_HELP_H
#define UI_TUI_VIEWS_HELP_H

#include "ui/tui/widgets/pager.h"

/* where, have: as for request_possible; columns of the terminal. */
void help_build(struct pager *l, unsigned where, unsigned have, int columns);

#endif
