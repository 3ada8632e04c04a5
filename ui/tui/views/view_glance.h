/* The pane of details beside or below the list. */
#ifndef UI_TUI_VIEWS_VIEW_GLANCE_H
#define UI_TUI_VIEWS_VIEW_GLANCE_H

#include "ui/tui/app/app.h"
#include "ui/tui/terminal/canvas.h"

void view_glance_draw(const struct app *a, struct canvas *c, const struct app_layout *l);

#endif
