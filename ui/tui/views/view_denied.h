/* The permission-denied screen. */
#ifndef UI_TUI_VIEWS_VIEW_DENIED_H
#define UI_TUI_VIEWS_VIEW_DENIED_H

#include "ui/tui/app/app.h"
#include "ui/tui/terminal/canvas.h"

void view_denied_draw(const struct app *a, struct canvas *c);

#endif
