/* Words and lines for a POSIX shell. Pure. */
#ifndef UI_TUI_OPERATIONS_SHELL_H
#define UI_TUI_OPERATIONS_SHELL_H

#include "ui/tui/widgets/pager.h"

#include <stdio.h>

/* Print a word so that the shell takes it as it is. */
void shell_quote(FILE *out, const char *word);

/*
 * A quoted command line broken to fit into so many columns, so that what is
 * copied from the screen is still the same command.
 */
void shell_fold(struct pager *l, int style, const char *command, int columns);

/*
 * Split a line into words as the shell does: blanks, '...', "...", \x; no
 * expansion of any kind. At most max words; they lie in `room`, as large as
 * the line. Returns how many, or -1: a quote is open, or too many words.
 */
int shell_split(const char *line, char *room, char **words, int max);

#endif
