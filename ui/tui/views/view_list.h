/* The main view: header, rows, what lies under the cursor, the program's last lines. */
#ifndef UI_TUI_VIEWS_VIEW_LIST_H
#define UI_TUI_VIEWS_VIEW_LIST_H

#include "ui/tui/app/app.h"
#include "ui/tui/terminal/canvas.h"

void view_list_draw(const struct app *a, struct canvas *c);

#endif
