/* Command lines on the screen. Pure. */
#pragma once

#include "ui/tui/widgets/pager.h"

/*
 * Wrap a quoted command line to this many columns, with backslash-newline: pasted from the
 * screen it is still the same command.
 */
void fold_command(struct pager *p, int style, const char *command, int columns);

/* Wrap a text to this many columns; each of its lines is a comment for the shell. */
void fold_comment(struct pager *p, int style, const char *text, int columns);
