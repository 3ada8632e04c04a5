/*
 * The text about the objects of all processes: those that could not be read, and why; those with
 * probes; how many have none.
 */
#ifndef UI_TUI_VIEWS_LIBRARIES_H
#define UI_TUI_VIEWS_LIBRARIES_H

#include "ui/tui/app/app.h"

void libraries_build(struct pager *l, const struct model *m, int columns);

/* How many files could not be read, each counted once, in the processes that still run. */
size_t libraries_unread(const struct model *m);

/* The first unread file and the reason, as a result line ("" if there is none). Returns out. */
const char *libraries_say_unread(const struct model *m, char *out, size_t size);

#endif
