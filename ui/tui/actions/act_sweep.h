/*
 * The request to take back what children by fork inherited.
 */
#ifndef UI_TUI_ACTIONS_ACT_SWEEP_H
#define UI_TUI_ACTIONS_ACT_SWEEP_H

#include "ui/tui/app/app.h"

void act_sweep(struct app *a, enum request r);

#endif
