/* The help view's text, made from the request table: only what works here and now. */
#ifndef UI_TUI_HELP_H
#define UI_TUI_HELP_H

#include "ui/tui/lines.h"

/* where, have: as for request_possible; columns of the terminal. */
void help_build(struct lines *l, unsigned where, unsigned have, int columns);

#endif
