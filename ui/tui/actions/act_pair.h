/* Requests about pairs: of two tagged probes, of the one under the cursor, of the list of pairs. */
#ifndef UI_TUI_ACTIONS_ACT_PAIR_H
#define UI_TUI_ACTIONS_ACT_PAIR_H

#include "ui/tui/app/app.h"

/* p: both on, or both off when they are on; in the list of pairs also e, d. */
void act_pair(struct app *a, enum request r);
/* z in the list of pairs: what e and d would write, in their order. */
void act_pair_preview(struct app *a);
void act_pair_list(struct app *a, enum request r);
void act_pair_go_to(struct app *a, enum request r);

#endif
