/*
 * Objects that come and go in a process: probes of what it opens (dlopen) join
 * the rows, and rows of what it closes say so.
 */
#ifndef UI_TUI_APP_OBJECTS_H
#define UI_TUI_APP_OBJECTS_H

#include "ui/tui/app/app.h"

/* Look, once a second at most, and less often where looking takes long. */
void objects_poll(struct app *a);

#endif
