/*
 * The last lines of a program's output. A carriage return begins its line
 * anew (progress bars); NUL bytes are shown as ^@; nothing else is interpreted.
 */
#include "ui/tui/widgets/ring.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ring_done(struct ring *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->lines[(r->first + i) % RING_LINES]);
	memset(r, 0, sizeof *r);
}

static void ring_end_line(struct ring *r)
{
	size_t at = (r->first + r->count) % RING_LINES;

	r->open[r->open_length] = '\0';
	if (r->count == RING_LINES) {
		free(r->lines[at]);
		r->first = (r->first + 1) % RING_LINES;
		r->dropped++;
	} else {
		r->count++;
	}
	r->lines[at] = mem_text(r->open);
	r->open_length = 0;
	r->open_cut = r->carriage = false;
}

static void ring_put(struct ring *r, char c)
{
	if (r->open_length < RING_BYTES - 4) {
		r->open[r->open_length++] = c;
	} else if (!r->open_cut) {
		memcpy(r->open + r->open_length, "...", 3);
		r->open_length += 3;
		r->open_cut = true;
	}
}

static void ring_byte(struct ring *r, char c)
{
	if (c == '\n') {
		ring_end_line(r);
		return;
	}
	if (c == '\r') {
		r->carriage = true;
		return;
	}
	if (r->carriage) {
		r->open_length = 0;
		r->open_cut = r->carriage = false;
	}
	if (c == '\t') {
		do
			ring_put(r, ' ');
		while (r->open_length % 8 && !r->open_cut);
	} else if (c == '\0') {
		ring_put(r, '^');
		ring_put(r, '@');
	} else {
		ring_put(r, c);
	}
}

void ring_feed(struct ring *r, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		ring_byte(r, bytes[i]);
}

size_t ring_count(const struct ring *r)
{
	return r->count + (r->open_length > 0);
}

const char *ring_line(const struct ring *r, size_t i, char *out, size_t size)
{
	char open[RING_BYTES + 1];

	if (i < r->count)
		return text_clean(r->lines[(r->first + i) % RING_LINES], out, size);
	memcpy(open, r->open, r->open_length);
	open[r->open_length] = '\0';
	return text_clean(open, out, size);
}
