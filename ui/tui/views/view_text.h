/* Texts: help, detail, preview. */
#ifndef UI_TUI_VIEWS_VIEW_TEXT_H
#define UI_TUI_VIEWS_VIEW_TEXT_H

#include "ui/tui/app/app.h"
#include "ui/tui/terminal/canvas.h"

void view_text_draw(const struct app *a, struct canvas *c);

#endif
