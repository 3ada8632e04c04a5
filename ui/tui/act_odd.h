/* Requests about an odd probe: explain it, repair it. */
#ifndef UI_TUI_ACT_ODD_H
#define UI_TUI_ACT_ODD_H

#include "ui/tui/app.h"

void act_odd(struct app *a, enum request r);
/* Set it by force, as the request says or (REQUEST_REPAIR) as its counts do. */
void act_odd_force(struct app *a, enum request r);

#endif
