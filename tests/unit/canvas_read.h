/* What a canvas shows. */
#ifndef TESTS_UNIT_CANVAS_READ_H
#define TESTS_UNIT_CANVAS_READ_H

#include <string.h>

#include "ui/tui/terminal/canvas.h"

/* One line as text, without trailing blanks; only for texts of one byte a column. */
static void canvas_read(const struct canvas *c, int y, char *out, size_t size)
{
	size_t length = 0;

	memset(out, 0, size);
	for (size_t i = 0; i < c->span_count; i++) {
		const char *text = canvas_text(c, &c->spans[i]);
		size_t x = (size_t)c->spans[i].x, n = strlen(text);

		if (c->spans[i].y != y || x + n >= size)
			continue;
		while (length < x)
			out[length++] = ' ';
		memcpy(out + x, text, n);
		if (x + n > length)
			length = x + n;
	}
	while (length > 0 && out[length - 1] == ' ')
		out[--length] = '\0';
}

#endif
