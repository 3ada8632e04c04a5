/*
 * The last lines of a program's output. Accepts raw bytes; returns only text that is
 * safe on a terminal. Pure.
 */
#ifndef UI_TUI_WIDGETS_RING_H
#define UI_TUI_WIDGETS_RING_H

#include <stdbool.h>
#include <stddef.h>

#define RING_LINES 4000
#define RING_BYTES 2000 /* longer lines are cut and end in "..." */

struct ring {
	char *lines[RING_LINES]; /* raw, NUL-terminated */
	size_t first;            /* the oldest */
	size_t count;
	size_t dropped;            /* lines discarded */
	char open[RING_BYTES + 1]; /* the unfinished line */
	size_t open_length;
	bool open_cut, carriage; /* was cut; ends in a carriage return so far */
};

void ring_done(struct ring *r);
void ring_feed(struct ring *r, const char *bytes, size_t length);
/* Number of lines, including the unfinished one. */
size_t ring_count(const struct ring *r);
/* Line i (0 is the oldest), escaped, tabs expanded. Returns out. */
const char *ring_line(const struct ring *r, size_t i, char *out, size_t size);

#endif
