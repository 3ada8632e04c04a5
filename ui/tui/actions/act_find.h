/* Requests about searching, filtering and tagging, and the prompts for them. */
#ifndef UI_TUI_ACTIONS_ACT_FIND_H
#define UI_TUI_ACTIONS_ACT_FIND_H

#include "ui/tui/app/app.h"

/* Open the prompt of a request. */
void act_find_ask(struct app *a, enum request r);
/* A key while a prompt is open. */
void act_find_key(struct app *a, uint32_t key);
void act_find_next(struct app *a, enum request r);
void act_find_forget(struct app *a); /* the search */
void act_find_tag(struct app *a, enum request r);

#endif
