/* Requests about the record: command lines, scripts, files, marks. */
#ifndef UI_TUI_ACTIONS_ACT_RECORD_H
#define UI_TUI_ACTIONS_ACT_RECORD_H

#include "ui/tui/app/app.h"

/* Show the last action and the selection as command lines. */
void act_record_command(struct app *a, enum request r);
/* Open the prompt of S, w or m. */
void act_record_ask(struct app *a, enum request r);

/* What was typed into these prompts. */
void act_record_mark(struct app *a, const char *text);
void act_record_script(struct app *a, const char *path);
void act_record_write(struct app *a, const char *path);

#endif
