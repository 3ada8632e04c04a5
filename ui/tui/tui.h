/* The screen. */
#pragma once

#include "ui/options/options.h"

/*
 * Open the targets that the options name, and show them until the user leaves. Returns the exit
 * status. An error before the screen is open is reported on standard error, and the terminal is
 * untouched.
 */
int tui_run(const struct options *o);
