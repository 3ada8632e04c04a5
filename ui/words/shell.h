/* Quoting and splitting of shell command lines. Pure. */
#pragma once

#include <stdio.h>

/* Print a word, quoted if needed. */
void shell_quote(FILE *out, const char *word);

/* Likewise, as $'...' of bash, zsh and ksh: what a terminal could obey is an escape. */
void shell_quote_safe(FILE *out, const char *word);

/* As the first; where a terminal may not be sent the word as it is, as the second. */
void shell_quote_any(FILE *out, const char *word);

/*
 * Split a line into words as the shell does: blanks, '...', "...", \x; no
 * expansion. The words are stored in `buffer`, of at least strlen(line) + 1 bytes. Returns their
 * number, or -1: an unterminated quote, or more than max words.
 */
int shell_split(const char *line, char *buffer, char **words, int max);

/* The quote that a line ends within: ', ", or '\0' if none is open. */
char shell_open(const char *line);

/*
 * Split a line that is still being typed: the last word is the one at its end, "" after a blank.
 * The buffer has strlen(line) + 3 bytes. Otherwise as shell_split.
 */
int shell_unfinished(const char *line, char *buffer, char **words, int max);

/* Print the rest of a word that began within this quote, or without one ('\0'). */
void shell_continue(FILE *out, const char *text, char quote);
