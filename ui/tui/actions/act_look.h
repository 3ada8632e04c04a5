/* Requests that open views or change how things are shown. */
#ifndef UI_TUI_ACTIONS_ACT_LOOK_H
#define UI_TUI_ACTIONS_ACT_LOOK_H

#include "ui/tui/app/app.h"

void act_look_detail(struct app *a, enum request r);
void act_look_code(struct app *a, enum request r);
void act_look_arguments(struct app *a, enum request r);
void act_look_libraries(struct app *a, enum request r);
void act_look_tree(struct app *a, enum request r);
void act_look_columns(struct app *a, enum request r);
/* A key while columns are chosen. */
void act_look_columns_key(struct app *a, uint32_t key);
void act_look_next_pane(struct app *a, enum request r);
void act_look_output(struct app *a, enum request r);
void act_look_run(struct app *a, enum request r);
void act_look_retry(struct app *a, enum request r);
void act_look_reopen(struct app *a, enum request r); /* the process that is gone */
void act_look_list(struct app *a, enum request r);
void act_look_sort(struct app *a, enum request r);
void act_look_interval(struct app *a, enum request r);
void act_look_freeze(struct app *a, enum request r);
void act_look_read_only(struct app *a, enum request r);
void act_look_redraw(struct app *a, enum request r); /* suspend too: after the turn */
void act_look_help(struct app *a, enum request r);

#endif
