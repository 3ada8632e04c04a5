/*
 * A scrollable text. Knows nothing about its content.
 */
#include "ui/tui/widgets/pager.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void pager_clear(struct pager *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->all[i].text);
	p->count = 0;
}

void pager_done(struct pager *p)
{
	pager_clear(p);
	free(p->all);
	*p = (struct pager){0};
}

void pager_addf(struct pager *p, int style, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	p->all = mem_grow(p->all, &p->capacity, p->count + 1, sizeof *p->all);
	p->all[p->count++] = (struct pager_line){.style = style, .text = mem_text(text)};
}

void pager_wrap(struct pager *p, int style, const char *label, const char *text, int columns)
{
	int indent = text_width(label), room = columns - indent;
	const char *next = text;

	do {
		size_t n = text_wrap(text, room > 8 ? room : 8, &next);

		pager_addf(p, style, "%-*s%.*s", indent, label, (int)n, text);
		label = "";
		text = next;
	} while (*next);
}

void pager_scroll(struct pager *p, long by, int window)
{
	long last = (long)p->count - window, top = (long)p->top + by;

	if (top > last)
		top = last;
	p->top = top > 0 ? (size_t)top : 0;
}

void pager_draw(const struct pager *p, struct canvas *c, struct area area, int hscroll)
{
	for (int y = 0; y < area.rows && p->top + (size_t)y < p->count; y++) {
		const struct pager_line *line = &p->all[p->top + (size_t)y];

		canvas_put(c, area.y + y, 0, -1, line->style, text_skip(line->text, hscroll));
	}
}
