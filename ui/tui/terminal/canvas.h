/*
 * A picture of the screen that is to be: pieces of text with a style at a
 * place. Views draw on it; the terminal's owner shows it; tests read it. Pure.
 */
#ifndef UI_TUI_TERMINAL_CANVAS_H
#define UI_TUI_TERMINAL_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

/* What a piece of text means; the screen decides on colours and attributes. */
enum style {
	STYLE_PLAIN,
	STYLE_TITLE,
	STYLE_HEAD, /* headings of columns */
	STYLE_DIM,
	STYLE_ON,
	STYLE_SOME,
	STYLE_WARN,
	STYLE_BAD,
	STYLE_MATCH,
	STYLE_KEY,
	STYLE_COUNT,
	STYLE_REVERSE = 0x100, /* or'ed: the row under the cursor */
};

struct canvas_span {
	int y, x;
	int style;   /* enum style, perhaps with STYLE_REVERSE */
	size_t text; /* offset in the canvas' text */
};

struct canvas {
	int rows, columns; /* of the window that is drawn in */
	int left;          /* its first column on the screen */
	struct canvas_span *spans;
	size_t span_count, span_capacity;
	char *text;
	size_t length, capacity;
	int screen_columns;
	int cursor_y, cursor_x; /* where the terminal's cursor stands; -1: hidden */
};

/* A rectangle of whole lines. */
struct area {
	int y, rows;
};

void canvas_init(struct canvas *c);
void canvas_done(struct canvas *c);
void canvas_reset(struct canvas *c, int rows, int columns);

/* From now on draw only in these columns, counted from 0 again; canvas_whole: in all of them. */
void canvas_window(struct canvas *c, int left, int columns);
void canvas_whole(struct canvas *c);

/* Put text at a place, cut at `width` columns (-1: the edge). Returns the columns it took. */
int canvas_put(struct canvas *c, int y, int x, int width, int style, const char *text);
int canvas_putf(struct canvas *c, int y, int x, int style, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* A whole line: the text, and blanks up to the edge in the same style. */
void canvas_line(struct canvas *c, int y, int style, const char *text);

const char *canvas_text(const struct canvas *c, const struct canvas_span *span);

/* For tests: what a line shows, without styles and trailing blanks. */
void canvas_read(const struct canvas *c, int y, char *out, size_t size);

#endif
