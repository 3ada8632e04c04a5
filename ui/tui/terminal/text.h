/*
 * Text on a terminal: what it takes in columns, cut and padded to fit.
 * Pure: no curses, no locale calls except wcwidth(3).
 *
 * The text given here is safe already (probes_escape); text_clean makes it so.
 */
#ifndef UI_TUI_TERMINAL_TEXT_H
#define UI_TUI_TERMINAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define TEXT_MAX 1024 /* a buffer for one line of any terminal that we draw on */

/* Set once, from the locale: may characters beyond ASCII be sent? (no at first) */
void text_set_utf8(bool yes);

/* Length in bytes of the first character (with what combines with it), and its columns. */
size_t text_next(const char *s, int *columns);
int text_width(const char *s);

/* How many bytes of s fit into so many columns; *used says how many columns they take. */
size_t text_cut(const char *s, int columns, int *used);

/* Where s goes on after so many columns have been scrolled off to the left. */
const char *text_skip(const char *s, int columns);

/* s in exactly so many columns: padded with blanks, or cut with a ~ in the last one. */
const char *text_fit(char *out, size_t size, const char *s, int columns);

/* Text from outside, made safe for this terminal: probes_escape, and \u{NNNN} for what is
 * beyond ASCII where only ASCII may be sent. Returns out. */
const char *text_clean(const char *raw, char *out, size_t size);

/* A line as it is drawn: across so many columns, from where the text ends; and one column of an
 * upright one. */
void text_rule(char *out, size_t size, int columns);
const char *text_upright(void);

/* The part of a path after its last slash. */
const char *text_base(const char *path);

/* Break a text at blanks into lines of so many columns: the length in bytes of the first line;
 * *next is where the following one begins. */
size_t text_wrap(const char *s, int columns, const char **next);

/* snprintf at the end of what a buffer holds already. */
void text_addf(char *out, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
