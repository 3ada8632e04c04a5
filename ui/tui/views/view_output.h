/* The output of the program that was started: docked under the list, or a view of its own. */
#ifndef UI_TUI_VIEWS_VIEW_OUTPUT_H
#define UI_TUI_VIEWS_VIEW_OUTPUT_H

#include "ui/tui/app/app.h"
#include "ui/tui/terminal/canvas.h"

void view_output_draw(const struct app *a, struct canvas *c);
void view_output_docked(const struct app *a, struct canvas *c, struct area area);

#endif
