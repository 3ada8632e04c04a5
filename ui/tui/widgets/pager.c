#include "ui/tui/widgets/pager.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pager_clear(struct pager *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->all[i].text);
	p->count = 0;
}

void pager_done(struct pager *p)
{
	pager_clear(p);
	search_done(&p->search);
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

void pager_tint(struct pager *p, int column, int style)
{
	p->all[p->count - 1].tint_from = column;
	p->all[p->count - 1].tint = style;
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

/* How many bytes fit into a line. *quoted: is the start, and then the end, in single quotes? */
static size_t pager_fits(const char *s, int columns, bool *quoted)
{
	size_t n = 0;
	int used = 0;

	while (s[n] && s[n] != '\n') {
		int width;
		/* keep \\' together: this quote does not end or start quoting */
		size_t bytes = s[n] == '\\' && !*quoted && s[n + 1] ? 2 : text_next(s + n, &width);

		if (bytes == 2 && s[n] == '\\')
			width = 2;
		/* keep room for the continuation: '\\ */
		if (used + width > columns - 2 && strlen(s + n) > 2)
			break;
		if (s[n] == '\'')
			*quoted = !*quoted;
		n += bytes;
		used += width;
	}
	return n;
}

void pager_command(struct pager *p, int style, const char *command, int columns)
{
	bool quoted = false;

	columns = columns > 20 ? columns : 20;
	while (*command) {
		bool reopen = quoted;
		size_t n = pager_fits(command, reopen ? columns - 1 : columns, &quoted);
		bool ends = !command[n] || command[n] == '\n';

		pager_addf(p, style, "%s%.*s%s", reopen ? "'" : "", (int)n, command,
			ends     ? ""
			: quoted ? "'\\"
				 : "\\");
		command += n + (command[n] == '\n');
		if (ends)
			quoted = false;
	}
}

void pager_comment(struct pager *p, int style, const char *text, int columns)
{
	const char *next;

	do {
		size_t n = text_wrap(text, columns > 20 ? columns - 2 : 18, &next);

		pager_addf(p, style, "# %.*s", (int)n, text);
		text = next;
	} while (*text);
}

void pager_scroll(struct pager *p, long by, int window)
{
	long last = (long)p->count - window, top = (long)p->top + by;

	if (top > last)
		top = last;
	p->top = top > 0 ? (size_t)top : 0;
}

void pager_to(struct pager *p, size_t line, int window)
{
	p->top = line;
	pager_scroll(p, 0, window);
}

void pager_begin(struct pager *p)
{
	search_done(&p->search);
	p->top = p->found = 0;
}

static const char *pager_line(const void *data, size_t i)
{
	return ((const struct pager *)data)->all[i].text;
}

bool pager_seek(struct pager *p, size_t from, int direction, int window)
{
	size_t at = search_next(&p->search, p->count, from, direction, pager_line, p);

	if (at == p->count)
		return false;
	p->found = at;
	if (at < p->top || at >= p->top + (size_t)window)
		pager_to(p, at, window);
	return true;
}

size_t pager_matches(const struct pager *p, size_t *nth)
{
	size_t count = 0;

	*nth = 0;
	for (size_t i = 0; p->search.pattern && i < p->count; i++) {
		if (!pattern_match(p->search.pattern, p->all[i].text))
			continue;
		count++;
		if (i == p->found)
			*nth = count;
	}
	return count;
}

void pager_draw(const struct pager *p, struct canvas *c, struct area area, int hscroll)
{
	for (int y = 0; y < area.rows && p->top + (size_t)y < p->count; y++) {
		size_t i = p->top + (size_t)y;

		if (p->all[i].style == STYLE_HEAD)
			canvas_line(
				c, area.y + y, p->all[i].style, text_skip(p->all[i].text, hscroll));
		else
			canvas_put(c, area.y + y, 0, -1, p->all[i].style,
				text_skip(p->all[i].text, hscroll));
		if (p->all[i].tint_from > hscroll)
			canvas_put(c, area.y + y, p->all[i].tint_from - hscroll, -1, p->all[i].tint,
				text_skip(p->all[i].text, p->all[i].tint_from));
		/* That of the line that the search went to stands out. */
		pattern_mark(p->search.pattern, c, area.y + y, 0,
			STYLE_MATCH | (i == p->found ? STYLE_REVERSE : 0), p->all[i].text, hscroll);
	}
}
