/*
 * A scrollable text of many lines: help, detail, explanations. Pure.
 */
#ifndef UI_TUI_WIDGETS_PAGER_H
#define UI_TUI_WIDGETS_PAGER_H

#include "ui/tui/terminal/canvas.h"

#include <stddef.h>

struct pager_line {
	int style;
	char *text;
};

struct pager {
	struct pager_line *all;
	size_t count, capacity;
	size_t top; /* first line shown */
};

void pager_done(struct pager *p);
/* Remove all lines, but keep `top`. */
void pager_clear(struct pager *p);
void pager_addf(struct pager *p, int style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Add a label and a text, wrapped at blanks to this many columns; continuation lines are indented
 * by the width of the label. */
void pager_wrap(struct pager *p, int style, const char *label, const char *text, int columns);
/* Scroll by this many lines; `window` is the height of the window in lines. */
void pager_scroll(struct pager *p, long by, int window);
/* Draw the lines from `top` on, without their first `hscroll` columns. */
void pager_draw(const struct pager *p, struct canvas *c, struct area area, int hscroll);

#endif
