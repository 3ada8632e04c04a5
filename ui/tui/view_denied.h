/* The permission-denied screen. */
#ifndef UI_TUI_VIEW_DENIED_H
#define UI_TUI_VIEW_DENIED_H

#include "ui/tui/app.h"
#include "ui/tui/canvas.h"

void view_denied_draw(const struct app *a, struct canvas *c);

#endif
