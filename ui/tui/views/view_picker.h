/* The list of processes that hold probes. */
#ifndef UI_TUI_VIEWS_VIEW_PICKER_H
#define UI_TUI_VIEWS_VIEW_PICKER_H

#include "ui/tui/app/app.h"
#include "ui/tui/terminal/canvas.h"

void view_picker_draw(const struct app *a, struct canvas *c);

#endif
