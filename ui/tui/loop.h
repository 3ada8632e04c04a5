/* The event loop of the screen: wait, handle events, draw one frame. */
#pragma once

#include "ui/tui/app/app.h"

/* Block the signals that the loop handles. Returns a signalfd for them, or a negative errno. */
int loop_signals(void);
/* Run until app.quit. The screen is open. `signals` is from loop_signals. */
void loop_run(struct app *a, int signals);
