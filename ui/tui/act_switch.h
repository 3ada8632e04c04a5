/* Requests that switch probes. */
#ifndef UI_TUI_ACT_SWITCH_H
#define UI_TUI_ACT_SWITCH_H

#include "ui/tui/app.h"

void act_switch(struct app *a, enum request r);
void act_switch_pair(struct app *a, enum request r);
void act_switch_undo(struct app *a, enum request r); /* redo too */
void act_switch_preview(struct app *a, enum request r);
/* What was asked about is confirmed, or not. */
void act_switch_answer(struct app *a, bool yes);
/* Note a deed for the next engineer: syslog, -log. */
void act_switch_audit(struct app *a, const char *verb, const struct deed *d);

#endif
