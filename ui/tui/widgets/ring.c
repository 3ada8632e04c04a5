/*
 * The last lines of a program's output. After a carriage return the line starts over (progress
 * bars); NUL bytes are shown as ^@; nothing else is interpreted.
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

void ring_feed(struct ring *r, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		size_t at = (r->first + r->count) % RING_LINES;

		if (bytes[i] == '\r') {
			r->carriage = true;
			continue;
		}
		if (bytes[i] == '\n') {
			r->open[r->open_length] = '\0';
			if (r->count == RING_LINES) {
				free(r->lines[at]);
				r->first = (r->first + 1) % RING_LINES;
				r->dropped++;
			} else {
				r->count++;
			}
			r->lines[at] = mem_text(r->open);
			r->carriage = true; /* start over */
		}
		if (r->carriage) {
			r->open_length = 0;
			r->open_cut = r->carriage = false;
		}
		if (bytes[i] == '\t') {
			do
				ring_put(r, ' ');
			while (r->open_length % 8 && !r->open_cut);
		} else if (bytes[i] == '\0') {
			ring_put(r, '^');
			ring_put(r, '@');
		} else if (bytes[i] != '\n') {
			ring_put(r, bytes[i]);
		}
	}
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
