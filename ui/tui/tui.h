/* The screen. */
#ifndef UI_TUI_TUI_H
#define UI_TUI_TUI_H

#include "ui/options.h"

/*
 * Open what the options name and show it until the user leaves. Returns the
 * exit status. What goes wrong before the screen is there is said on standard
 * error, and the terminal is untouched.
 */
int tui_run(const struct options *o);

#endif
