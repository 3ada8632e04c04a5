/* The lines over the list: the process, the counts, the filter. */
#ifndef UI_TUI_VIEWS_HEADER_H
#define UI_TUI_VIEWS_HEADER_H

#include "ui/tui/app/app.h"
#include "ui/tui/terminal/canvas.h"

void header_draw(const struct app *a, struct canvas *c, struct area area);

#endif
