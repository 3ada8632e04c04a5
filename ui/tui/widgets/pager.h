/* A scrollable text of many lines: help, detail, explanations. Pure. */
#pragma once

#include "ui/tui/terminal/canvas.h"
#include "ui/tui/widgets/search.h"

#include <stddef.h>

struct pager_line {
	int style;
	char *text;
	int tint_from, tint; /* from this column on another style; 0: none */
};

struct pager {
	struct pager_line *all;
	size_t count, capacity;
	size_t top; /* first line shown */
	struct search search;
	size_t found; /* the line that the search went to */
};

void pager_done(struct pager *p);
/* Remove all lines, but keep `top`. */
void pager_clear(struct pager *p);
void pager_addf(struct pager *p, int style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Give the last line another style from a column (1 or more) on. */
void pager_tint(struct pager *p, int column, int style);
/* Add a label and a text, wrapped at blanks to this many columns; continuation lines are indented
 * by the width of the label. */
void pager_wrap(struct pager *p, int style, const char *label, const char *text, int columns);
/* Add a quoted command line, wrapped to this many columns with backslash-newline: pasted from the
 * screen it is still the same command; or a text, of which each line is a comment for the shell. */
void pager_command(struct pager *p, int style, const char *command, int columns);
void pager_comment(struct pager *p, int style, const char *text, int columns);
/* Show it from its first line on, and search for nothing. */
void pager_begin(struct pager *p);
/* Go to the next match, as list_seek; `window` as below. */
bool pager_seek(struct pager *p, size_t from, int direction, int window);
/* How many lines match; *nth: which of them, from 1, is the one that the search went to, or 0. */
size_t pager_matches(const struct pager *p, size_t *nth);
/* Bring a line to the top, as far as the text fills the window. */
void pager_to(struct pager *p, size_t line, int window);
/* Scroll by this many lines; `window` is the height of the window in lines. */
void pager_scroll(struct pager *p, long by, int window);
/* Draw the lines from `top` on, without their first `hscroll` columns; matches are marked. */
void pager_draw(const struct pager *p, struct canvas *c, struct area area, int hscroll);
