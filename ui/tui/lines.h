/*
 * A text of many lines with a place in it: help, detail, explanations. Pure.
 */
#ifndef UI_TUI_LINES_H
#define UI_TUI_LINES_H

#include "ui/tui/canvas.h"

#include <stddef.h>

struct lines_line {
	int style;
	char *text;
};

struct lines {
	struct lines_line *all;
	size_t count, capacity;
	size_t top; /* first line shown */
};

void lines_done(struct lines *l);
/* Forget the text, keep the place. */
void lines_clear(struct lines *l);
void lines_addf(struct lines *l, int style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* A text after a label, broken at blanks so that it fits into so many columns; what follows the
 * first line is indented as wide as the label. */
void lines_wrap(struct lines *l, int style, const char *label, const char *text, int columns);
/* Scroll by so many lines, in a window of so many. */
void lines_scroll(struct lines *l, long by, int window);
void lines_draw(const struct lines *l, struct canvas *c, struct area area, int left);

#endif
