/*
 * The last lines of a program's output. Takes raw bytes, keeps lines; hands
 * out only text that is safe on a terminal. Pure.
 */
#ifndef UI_TUI_WIDGETS_RING_H
#define UI_TUI_WIDGETS_RING_H

#include <stdbool.h>
#include <stddef.h>

#define RING_LINES 4000
#define RING_BYTES 2000 /* longer lines are cut, and marked */

struct ring {
	char *lines[RING_LINES]; /* raw, NUL-terminated */
	size_t first;            /* the oldest */
	size_t count;
	size_t dropped;            /* lines that were forgotten */
	char open[RING_BYTES + 1]; /* the line that has not ended yet */
	size_t open_length;
	bool open_cut, carriage;
};

void ring_done(struct ring *r);
void ring_feed(struct ring *r, const char *bytes, size_t length);
/* Lines to show, the unfinished one included. */
size_t ring_count(const struct ring *r);
/* Line i, 0 the oldest, escaped, tabs widened. Returns out. */
const char *ring_line(const struct ring *r, size_t i, char *out, size_t size);

#endif
