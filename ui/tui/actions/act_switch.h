/* Requests that switch probes. */
#ifndef UI_TUI_ACTIONS_ACT_SWITCH_H
#define UI_TUI_ACTIONS_ACT_SWITCH_H

#include "ui/tui/app/app.h"

void act_switch(struct app *a, enum request r);
void act_switch_undo(struct app *a, enum request r); /* redo too */
void act_switch_preview(struct app *a, enum request r);
/* Plan what app.pending means; ask about it if it is large or foreign; else do it. */
void act_switch_begin(struct app *a);
/* Add what app.pending would write to app.lines; then show that, and forget what was meant. */
void act_switch_preview_add(struct app *a);
void act_switch_preview_show(struct app *a, const char *heading);
/* Forget what was meant. */
void act_switch_forget(struct app *a);
/* One row is meant, by somebody who pointed at it. */
void act_switch_mean_one(struct app_pending *p, uint32_t id);
/* What was asked about is confirmed, or not. */
void act_switch_answer(struct app *a, bool yes);
/* Note a deed for the next engineer: syslog, -log. */
void act_switch_audit(struct app *a, const char *verb, const struct operation *d);

#endif
