/*
 * What requests do: each changes the state, none draws.
 */
#ifndef UI_TUI_ACTIONS_ACT_H
#define UI_TUI_ACTIONS_ACT_H

#include "ui/tui/app/app.h"

/* Carry out a request, if it is possible here and now; else say why not. */
void act(struct app *a, enum request r);
/* A key while a question is open. */
void act_answer(struct app *a, uint32_t key);

#endif
