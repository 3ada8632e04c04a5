/*
 * A text of many lines with a place in it: help, detail, explanations. Pure.
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

void pager_done(struct pager *l);
/* Forget the text, keep the place. */
void pager_clear(struct pager *l);
void pager_addf(struct pager *l, int style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* A text after a label, broken at blanks so that it fits into so many columns; what follows the
 * first line is indented as wide as the label. */
void pager_wrap(struct pager *l, int style, const char *label, const char *text, int columns);
/* Scroll by so many lines, in a window of so many. */
void pager_scroll(struct pager *l, long by, int window);
void pager_draw(const struct pager *l, struct canvas *c, struct area area, int left);

#endif
