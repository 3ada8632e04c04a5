/*
 * The terminal of a started program, by libvterm: bytes in, lines of coloured text out. Keeps the
 * lines that scroll off the top. Pure: no descriptor, no screen.
 *
 * Every text that comes out is safe on our terminal (vt_filter.h). Memory is bounded whatever is
 * fed.
 */
#pragma once

#include "ui/tui/terminal/canvas.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EMULATOR_LINES 4000       /* kept of those that have scrolled off */
#define EMULATOR_BYTES (8u << 20) /* that they take at most */
#define EMULATOR_ROWS_MAX 300     /* of the screen; a larger one is cut, the smallest is 2x2 */
#define EMULATOR_COLUMNS_MAX 500

#define EMULATOR_TEXT (EMULATOR_COLUMNS_MAX * 24 + 1) /* bytes of a line, with the NUL */

struct emulator;

/* A piece of a line in one colour. */
struct emulator_run {
	struct canvas_paint paint;
	uint32_t bytes;
};

/* A line, without plain blanks at its end. Valid until the next call for this emulator. */
struct emulator_line {
	const char *text; /* UTF-8 */
	const struct emulator_run *runs;
	size_t run_count;
};

struct emulator *emulator_new(int rows, int columns);
void emulator_free(struct emulator *e); /* NULL: nothing to do */
void emulator_resize(struct emulator *e, int rows, int columns);
void emulator_size(const struct emulator *e, int *rows, int *columns);

/* What the program wrote. A screenful of scrolling costs time: feed little at a time. */
void emulator_feed(struct emulator *e, const char *bytes, size_t length);
/* How many of these bytes need not be fed: plain lines that would not be kept anyway, since so many
 * follow. Call it before feeding a large amount. */
size_t emulator_skip(struct emulator *e, const char *bytes, size_t length);

/* All lines: those that are kept, then the rows of the screen. */
size_t emulator_count(const struct emulator *e);
/* How many of them have scrolled off and are kept. */
size_t emulator_kept(const struct emulator *e);
/* How many lines have scrolled off since the start, kept or not. */
size_t emulator_scrolled(const struct emulator *e);
/* All lines but the empty ones below the cursor. */
size_t emulator_used(struct emulator *e);
/* Line i; 0 is the oldest. */
struct emulator_line emulator_line(struct emulator *e, size_t i);
/* The first line of a window of so many rows that follows the program: all of its screen, or as
 * much as fits of it with the cursor, which is where a log goes on and less has its prompt; the top
 * of it where a full-screen program hides the cursor. */
size_t emulator_follow(struct emulator *e, size_t rows);
/* Where the cursor is. False: the program hides it. */
bool emulator_cursor(const struct emulator *e, size_t *line, int *column);

/* Type a key: a byte, or a K_* beyond Unicode, perhaps with modifiers (key.h). */
void emulator_key(struct emulator *e, uint32_t key);
/* Take what the program is to read: keys, and answers to its questions. Returns the bytes; call it
 * until there are none. */
size_t emulator_take(struct emulator *e, char *out, size_t size);
