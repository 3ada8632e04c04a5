/* Requests that move the cursor or scroll. */
#ifndef UI_TUI_ACTIONS_ACT_MOVE_H
#define UI_TUI_ACTIONS_ACT_MOVE_H

#include "ui/tui/app/app.h"

void act_move(struct app *a, enum request r);
/* Put the cursor on what is shown at this line of the screen, if it is a row. */
void act_move_to(struct app *a, int y);

#endif
