/* The command line of the screen (:). */
#ifndef UI_TUI_ACTIONS_ACT_COMMAND_H
#define UI_TUI_ACTIONS_ACT_COMMAND_H

#include "ui/tui/app/app.h"

void act_command_ask(struct app *a, enum request r);
/* Do what was typed. */
void act_command_run(struct app *a, const char *line);
/* Complete the word before the prompt's cursor. */
void act_command_complete(struct app *a);

#endif
