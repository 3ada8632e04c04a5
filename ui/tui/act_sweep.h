/*
 * The request to take back what children by fork inherited.
 */
#ifndef UI_TUI_ACT_SWEEP_H
#define UI_TUI_ACT_SWEEP_H

#include "ui/tui/app.h"

void act_sweep(struct app *a, enum request r);

#endif
