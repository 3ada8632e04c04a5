/* Requests in the list of processes. */
#ifndef UI_TUI_ACTIONS_ACT_PICKER_H
#define UI_TUI_ACTIONS_ACT_PICKER_H

#include "ui/tui/app/app.h"

/* What is typed in its prompts: as struct act_find_ops wants it. */
bool act_picker_search_changed(struct app *a, const char *text);
void act_picker_search_cancelled(struct app *a);
bool act_picker_filter_changed(struct app *a, const char *text);
void act_picker_filter_cancelled(struct app *a);

void act_picker_next(struct app *a, enum request r);
void act_picker_tag(struct app *a, enum request r);
void act_picker_open(struct app *a, enum request r);
/* From a process back to the list of them. */
void act_picker_return(struct app *a);
/* Look at the next process, if it is in front. */
void act_picker_scan(struct app *a);

#endif
