/*
 * The frame under construction: spans of text with a style and a position. Views draw on it;
 * screen.c shows it; tests read it. Pure.
 */
#pragma once

#include "ui/words/style.h"

#include <stddef.h>
#include <stdint.h>

/* Colours and attributes that a started program chose, in the terms of xterm. */
struct canvas_paint {
	int32_t foreground, background; /* 0-255: of the palette; or one of CANVAS_* */
	unsigned attributes;            /* bits of enum canvas_attribute */
};

#define CANVAS_DEFAULT (-1)  /* the terminal's own */
#define CANVAS_RGB 0x1000000 /* flag: 0xrrggbb */

enum canvas_attribute {
	CANVAS_BOLD = 1,
	CANVAS_UNDERLINE = 2,
	CANVAS_ITALIC = 4,
	CANVAS_REVERSE = 8,
};

struct canvas_span {
	int y, x;
	int style; /* enum style, maybe with STYLE_REVERSE; STYLE_COUNT: paint */
	struct canvas_paint paint;
	size_t text; /* offset in canvas.text */
};

struct canvas {
	int rows, columns; /* of the current window */
	int window_x;      /* first column of the window */
	struct canvas_span *spans;
	size_t span_count, span_capacity;
	char *text;
	size_t length, capacity;
	int screen_columns;
	int cursor_y, cursor_x; /* the terminal's cursor; -1: hidden */
};

/* A rectangle of whole lines. */
struct area {
	int y, rows;
};

void canvas_init(struct canvas *c);
void canvas_done(struct canvas *c);
void canvas_reset(struct canvas *c, int rows, int columns);

/* Restrict drawing to a window of columns; x is relative to it. canvas_whole: the whole screen. */
void canvas_window(struct canvas *c, int x, int columns);
void canvas_whole(struct canvas *c);

/* Draw text, cut at `width` columns (-1: the edge, which ends in ~ then). Returns the columns used.
 */
int canvas_put(struct canvas *c, int y, int x, int width, int style, const char *text);
int canvas_putf(struct canvas *c, int y, int x, int style, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* The same in colours of its own: a piece of a program's output. */
int canvas_put_paint(struct canvas *c, int y, int x, int width, const struct canvas_paint *paint,
	const char *text);
/* Draw a whole line: the text, padded with blanks to the edge. */
void canvas_line(struct canvas *c, int y, int style, const char *text);

/* Draw a frame around these lines and columns, with a title in its upper edge, and blank what is
 * inside. From then on the window is the columns inside. */
void canvas_frame(struct canvas *c, struct area lines, int x, int columns, const char *title);

const char *canvas_text(const struct canvas *c, const struct canvas_span *span);
