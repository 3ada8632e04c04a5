/* Leaving: texts, the screen, the program that was started. */
#ifndef UI_TUI_ACTIONS_ACT_LEAVE_H
#define UI_TUI_ACTIONS_ACT_LEAVE_H

#include "ui/tui/app/app.h"

void act_leave_back(struct app *a);
void act_leave(struct app *a, enum request r); /* q, Q */
/* A key while it is asked what to do with the program. */
void act_leave_answer(struct app *a, uint32_t key);
/* The program that was asked to end: has it? (called now and then) */
void act_leave_wait(struct app *a);
/* Nobody has typed for as long as the lease runs: undo, and stay. */
void act_leave_lease(struct app *a);
/* A signal ends us: undo, and go. */
void act_leave_signal(struct app *a, int signal);

#endif
