/*
 * A text of many lines with a place in it. Knows nothing of what it shows.
 */
#include "ui/tui/widgets/pager.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void pager_clear(struct pager *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->all[i].text);
	l->count = 0;
}

void pager_done(struct pager *l)
{
	pager_clear(l);
	free(l->all);
	*l = (struct pager){0};
}

void pager_addf(struct pager *l, int style, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	l->all = mem_grow(l->all, &l->capacity, l->count + 1, sizeof *l->all);
	l->all[l->count++] = (struct pager_line){.style = style, .text = mem_text(text)};
}

void pager_wrap(struct pager *l, int style, const char *label, const char *text, int columns)
{
	int indent = text_width(label), room = columns - indent;
	const char *next = text;

	do {
		size_t n = text_wrap(text, room > 8 ? room : 8, &next);

		pager_addf(l, style, "%-*s%.*s", indent, label, (int)n, text);
		label = "";
		text = next;
	} while (*next);
}

void pager_scroll(struct pager *l, long by, int window)
{
	long last = (long)l->count - window, top = (long)l->top + by;

	if (top > last)
		top = last;
	l->top = top > 0 ? (size_t)top : 0;
}

void pager_draw(const struct pager *l, struct canvas *c, struct area area, int left)
{
	for (int y = 0; y < area.rows && l->top + (size_t)y < l->count; y++) {
		const struct pager_line *line = &l->all[l->top + (size_t)y];

		canvas_put(c, area.y + y, 0, -1, line->style, text_skip(line->text, left));
	}
}
