/*
 * Text on a terminal: its width in columns, cut and padded to fit.
 * Pure: no curses, no locale calls except wcwidth(3).
 *
 * Every text here is escaped (probes_escape); text_clean escapes raw text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_MAX 1024 /* buffer size for one screen line */

/* Set once, from the locale: can the terminal show characters beyond ASCII? Default: no. */
void text_set_utf8(bool yes);
bool text_is_utf8(void);

/* Length in bytes of the first character with its combining characters, and its columns. */
size_t text_next(const char *s, int *columns);
int text_width(const char *s);

#define TEXT_REPLACEMENT 0xfffd /* the character for what is none */

/* One character, by its code: its columns (0: combining); may it be shown at all (probes_escape
 * leaves it as it is); its UTF-8 (up to 4 bytes, no NUL; returns the bytes; TEXT_REPLACEMENT
 * for what is none); what stands for it in ASCII. */
int text_code_columns(uint32_t code);
bool text_code_safe(uint32_t code);
size_t text_encode(uint32_t code, char *out);
char text_ascii(uint32_t code);

/* How many bytes of s fit into this many columns; *used is the number of columns they take. */
size_t text_cut(const char *s, int columns, int *used);

/* s without its first columns. */
const char *text_skip(const char *s, int columns);

/* s in exactly this many columns: padded with blanks, or cut with ~ in the last column. Returns
 * out. */
const char *text_fit(char *out, size_t size, const char *s, int columns);

/* Likewise, but cut in the middle ("begin…end"), and where a column of s is shown then. */
const char *text_middle(char *out, size_t size, const char *s, int columns);
int text_middle_at(const char *s, int columns, int at);

/* Escape raw text for this terminal: probes_escape, and \u{NNNN} for characters that an ASCII
 * terminal cannot show. Returns out. */
const char *text_clean(const char *raw, char *out, size_t size);

/* The same for a text that is escaped already. Returns out. */
const char *text_shown(const char *safe, char *out, size_t size);

/* Lines and marks, each in one column: beyond ASCII only where the terminal shows that. */
enum text_glyph {
	TEXT_ACROSS,
	TEXT_UPRIGHT,
	TEXT_TOP_LEFT,
	TEXT_TOP_RIGHT,
	TEXT_BOTTOM_LEFT,
	TEXT_BOTTOM_RIGHT,
	TEXT_CURSOR, /* before the row under the cursor */
	TEXT_DOWN,   /* after the heading of the column that the list is sorted by: the largest */
	TEXT_UP,     /* first; the smallest first */
	TEXT_CUT,    /* instead of what is cut out */
	TEXT_GLYPHS
};
const char *text_glyph(enum text_glyph glyph);

/* Extend the text in out to this many columns with a horizontal rule. */
void text_rule(char *out, size_t size, int columns);

/* Wrap a text at blanks, and where a new line begins: returns the length in bytes of the first line
 * of this many columns; *next is the start of the second line. */
size_t text_wrap(const char *s, int columns, const char **next);

/* Append to the text in out, as snprintf. */
void text_addf(char *out, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
