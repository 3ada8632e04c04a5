/* The turns of the screen: wait for something, take it in, draw once. */
#ifndef UI_TUI_LOOP_H
#define UI_TUI_LOOP_H

#include "ui/tui/app/app.h"

/* Block the signals that the loop wants to hear of; a descriptor for them, or a negative errno. */
int loop_signals(void);
/* Until app.quit. The screen is open. */
void loop_run(struct app *a, int signals);

#endif
