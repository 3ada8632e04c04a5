/* Clips everything to the window. */
#include "ui/tui/terminal/canvas.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void canvas_init(struct canvas *c)
{
	memset(c, 0, sizeof *c);
	c->cursor_y = -1;
}

void canvas_done(struct canvas *c)
{
	free(c->spans);
	free(c->text);
	canvas_init(c);
}

void canvas_reset(struct canvas *c, int rows, int columns)
{
	c->rows = rows;
	c->screen_columns = columns;
	canvas_whole(c);
	c->span_count = 0;
	c->length = 0;
	c->cursor_y = c->cursor_x = -1;
}

void canvas_window(struct canvas *c, int x, int columns)
{
	c->window_x = x;
	c->columns = columns;
}

void canvas_whole(struct canvas *c)
{
	canvas_window(c, 0, c->screen_columns);
}

int canvas_put(struct canvas *c, int y, int x, int width, int style, const char *text)
{
	struct canvas_span *span;
	int room = c->columns - x, used;
	bool edge = width < 0 || width > room;
	char marked[TEXT_MAX];
	size_t bytes;

	if (y < 0 || y >= c->rows || x < 0 || room <= 0)
		return 0;
	bytes = text_cut(text, edge ? room : width, &used);
	/* A number that is cut must not look whole. A program's output is as it is. */
	if (edge && style != STYLE_COUNT && text[bytes + strspn(text + bytes, " ")]) {
		text = text_fit(marked, sizeof marked, text, room);
		bytes = text_cut(text, room, &used);
	}
	if (!bytes)
		return 0;
	c->spans = mem_grow(c->spans, &c->span_capacity, c->span_count + 1, sizeof *c->spans);
	c->text = mem_grow(c->text, &c->capacity, c->length + bytes + 1, 1);
	span = &c->spans[c->span_count++];
	*span = (struct canvas_span){
		.y = y, .x = c->window_x + x, .style = style, .text = c->length};
	memcpy(c->text + c->length, text, bytes);
	c->text[c->length + bytes] = '\0';
	c->length += bytes + 1;
	return used;
}

int canvas_put_paint(struct canvas *c, int y, int x, int width, const struct canvas_paint *paint,
	const char *text)
{
	size_t before = c->span_count;
	int used = canvas_put(c, y, x, width, STYLE_COUNT, text);

	if (c->span_count > before)
		c->spans[before].paint = *paint;
	return used;
}

int canvas_putf(struct canvas *c, int y, int x, int style, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return canvas_put(c, y, x, -1, style, text);
}

void canvas_line(struct canvas *c, int y, int style, const char *text)
{
	int x = canvas_put(c, y, 0, -1, style, text);
	char blank[64];

	memset(blank, ' ', sizeof blank - 1);
	blank[sizeof blank - 1] = '\0';
	while (x < c->columns) {
		int used = canvas_put(c, y, x, -1, style, blank);

		if (!used)
			break;
		x += used;
	}
}

static void canvas_edge(struct canvas *c, int y, enum text_glyph left, enum text_glyph right)
{
	char edge[TEXT_MAX] = "";

	text_addf(edge, sizeof edge, "%s", text_glyph(left));
	text_rule(edge, sizeof edge, c->columns - 1);
	text_addf(edge, sizeof edge, "%s", text_glyph(right));
	canvas_put(c, y, 0, -1, STYLE_FRAME, edge);
}

void canvas_frame(struct canvas *c, struct area lines, int x, int columns, const char *title)
{
	char fitted[TEXT_MAX];
	int last = lines.y + lines.rows - 1, width = text_width(title);

	canvas_window(c, c->window_x + x, columns);
	canvas_edge(c, lines.y, TEXT_TOP_LEFT, TEXT_TOP_RIGHT);
	for (int y = lines.y + 1; y < last; y++) {
		canvas_line(c, y, STYLE_PLAIN, "");
		canvas_put(c, y, 0, -1, STYLE_FRAME, text_glyph(TEXT_UPRIGHT));
		canvas_put(c, y, columns - 1, -1, STYLE_FRAME, text_glyph(TEXT_UPRIGHT));
	}
	canvas_edge(c, last, TEXT_BOTTOM_LEFT, TEXT_BOTTOM_RIGHT);
	if (*title && columns > 8)
		canvas_putf(c, lines.y, 2, STYLE_TITLE, " %s ",
			text_fit(fitted, sizeof fitted, title,
				width < columns - 6 ? width : columns - 6));
	canvas_window(c, c->window_x + 1, columns - 2);
}

const char *canvas_text(const struct canvas *c, const struct canvas_span *span)
{
	return c->text + span->text;
}
