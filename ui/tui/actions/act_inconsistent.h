/* Requests about an odd probe: explain it, repair it. */
#ifndef UI_TUI_ACTIONS_ACT_INCONSISTENT_H
#define UI_TUI_ACTIONS_ACT_INCONSISTENT_H

#include "ui/tui/app/app.h"

void act_inconsistent(struct app *a, enum request r);
/* Set it by force, as the request says or (REQUEST_REPAIR) as its counts do. */
void act_inconsistent_force(struct app *a, enum request r);

#endif
