/* Quoting, wrapping and splitting of POSIX shell command lines. Pure. */
#ifndef UI_TUI_OPERATIONS_SHELL_H
#define UI_TUI_OPERATIONS_SHELL_H

#include "ui/tui/widgets/pager.h"

#include <stdio.h>

/* Print a word, quoted if needed. */
void shell_quote(FILE *out, const char *word);

/*
 * Wrap a quoted command line to this many columns, with backslash-newline: pasted from the
 * screen it is still the same command.
 */
void shell_fold(struct pager *p, int style, const char *command, int columns);

/*
 * Split a line into words as the shell does: blanks, '...', "...", \x; no
 * expansion. The words are stored in `buffer`, of at least strlen(line) + 1 bytes. Returns their
 * number, or -1: an unterminated quote, or more than max words.
 */
int shell_split(const char *line, char *buffer, char **words, int max);

#endif
