/* Requests about the program that was started: searching its output, typing into it. */
#ifndef UI_TUI_ACTIONS_ACT_OUTPUT_H
#define UI_TUI_ACTIONS_ACT_OUTPUT_H

#include "ui/tui/app/app.h"

/* What is typed in the search prompt: as struct act_find_ops wants it. */
bool act_output_search_changed(struct app *a, const char *text);
void act_output_search_cancelled(struct app *a);
void act_output_next(struct app *a, enum request r);

/* The keyboard is the program's, until ^]. */
void act_output_type(struct app *a, enum request r);
/* Bytes from the keyboard while it is. */
void act_output_keys(struct app *a);
/* Take what the program has written; lines that are being looked at stay where they are. */
void act_output_read(struct app *a);

#endif
