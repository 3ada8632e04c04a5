/*
 * Text on a terminal: width, cutting, padding. libunistring decodes UTF-8, whatever the locale is;
 * the width of a character comes from the C library, which ncurses asks as well: with another width
 * than that of ncurses the rest of a line would be misplaced.
 */
#include "ui/tui/terminal/text.h"

#include "probes.h"
#include "ui/tui/terminal/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistr.h>
#include <wchar.h>

static bool text_utf8;

void text_set_utf8(bool yes)
{
	text_utf8 = yes;
}

bool text_is_utf8(void)
{
	return text_utf8;
}

/* Decode one character; an invalid byte is a character of its own. Returns its length. */
static size_t text_decode(const char *s, ucs4_t *code)
{
	int length = u8_strmbtouc(code, (const uint8_t *)s);

	if (length > 0)
		return (size_t)length;
	*code = TEXT_REPLACEMENT;
	return 1;
}

int text_code_columns(uint32_t code)
{
	int columns;

	if (code < 0x80)
		return 1;
	columns = wcwidth((wchar_t)code);
	return columns < 0 ? 1 : columns;
}

size_t text_encode(uint32_t code, char *out)
{
	int length = u8_uctomb((uint8_t *)out, code, 4);

	return length > 0 ? (size_t)length : text_encode(TEXT_REPLACEMENT, out);
}

bool text_code_safe(uint32_t code)
{
	char raw[8] = "", safe[16];

	return code == '\\' || (u8_uctomb((uint8_t *)raw, code, 4) > 0 &&
				       probes_escape(raw, safe, sizeof safe) && !strcmp(raw, safe));
}

char text_ascii(uint32_t code)
{
	uint32_t box = code - 0x2500; /* box drawing */

	if (code < 0x80)
		return (char)code;
	if (box >= 0x80)
		return '?';
	if (box < 0x0c || (box >= 0x4c && box < 0x50)) /* straight lines, dashed ones */
		return box & 2 ? '|' : '-';
	return box == 0x50 ? '-' : box == 0x51 ? '|' : '+';
}

size_t text_next(const char *s, int *columns)
{
	uint32_t code;
	size_t length;

	*columns = 0;
	if (!*s)
		return 0;
	length = text_decode(s, &code);
	*columns = text_code_columns(code);
	while ((unsigned char)s[length] >= 0xcc) {
		size_t more = text_decode(s + length, &code);

		if (text_code_columns(code))
			break;
		length += more;
	}
	return length;
}

int text_width(const char *s)
{
	int width = 0, columns;
	size_t n;

	while ((n = text_next(s, &columns))) {
		width += columns;
		s += n;
	}
	return width;
}

size_t text_cut(const char *s, int columns, int *used)
{
	size_t length = 0, n;
	int one;

	*used = 0;
	while ((n = text_next(s + length, &one)) && *used + one <= columns) {
		*used += one;
		length += n;
	}
	return length;
}

const char *text_skip(const char *s, int columns)
{
	int used;

	return s + text_cut(s, columns, &used);
}

const char *text_fit(char *out, size_t size, const char *s, int columns)
{
	int used;
	size_t n = text_cut(s, columns, &used);

	if (s[n] && columns > 0)
		n = text_cut(s, columns - 1, &used);
	if (n + (size_t)(columns - used) + 1 > size) {
		out[0] = '\0';
		return out;
	}
	memcpy(out, s, n);
	if (s[n] && columns > 0) {
		out[n++] = '~';
		used++;
	}
	while (used++ < columns)
		out[n++] = ' ';
	out[n] = '\0';
	return out;
}

/* Columns before and after the cut. */
static int text_middle_tail(int columns)
{
	return columns > 2 ? (columns - 1) / 2 : 0;
}

const char *text_middle(char *out, size_t size, const char *s, int columns)
{
	int tail = text_middle_tail(columns), head = columns - 1 - tail, width = text_width(s);
	int used, rest;
	size_t n;

	if (width <= columns || columns < 1)
		return text_fit(out, size, s, columns);
	n = text_cut(s, head, &used);
	snprintf(out, size, "%.*s%*s%s", (int)n, s, head - used, "", text_glyph(TEXT_CUT));
	for (s += n; (rest = text_width(s)) > tail;)
		s += text_next(s, &used);
	text_addf(out, size, "%s%*s", s, tail - rest, "");
	return out;
}

int text_middle_at(const char *s, int columns, int at)
{
	int width = text_width(s), tail = text_middle_tail(columns), head = columns - 1 - tail;

	if (width <= columns || at < head)
		return at;
	return at < width - tail ? head : at - width + columns;
}

const char *text_shown(const char *safe, char *out, size_t size)
{
	size_t used = 0;

	if (!size)
		return out;
	out[0] = '\0';
	for (const char *s = safe; *s;) {
		const char *from = s;
		uint32_t code;
		char one[16];

		s += text_decode(s, &code);
		if (text_utf8)
			snprintf(one, sizeof one, "%.*s", (int)(s - from), from);
		else
			snprintf(one, sizeof one, code < 0x80 ? "%c" : "\\u{%x}", (int)code);
		if (used + strlen(one) >= size)
			break;
		used += (size_t)sprintf(out + used, "%s", one);
	}
	return out;
}

const char *text_clean(const char *raw, char *out, size_t size)
{
	size_t length = probes_escape(raw, out, size);
	char *safe;

	if (text_utf8 || !size)
		return out;
	safe = mem_alloc(length + 1);
	probes_escape(raw, safe, length + 1);
	text_shown(safe, out, size);
	free(safe);
	return out;
}

const char *text_glyph(enum text_glyph glyph)
{
	static const char *const glyphs[TEXT_GLYPHS][2] = {
		[TEXT_ACROSS] = {"-", "\u2500"},
		[TEXT_UPRIGHT] = {"|", "\u2502"},
		[TEXT_TOP_LEFT] = {"+", "\u256d"},
		[TEXT_TOP_RIGHT] = {"+", "\u256e"},
		[TEXT_BOTTOM_LEFT] = {"+", "\u2570"},
		[TEXT_BOTTOM_RIGHT] = {"+", "\u256f"},
		[TEXT_CURSOR] = {">", "\u258c"},
		[TEXT_DOWN] = {"v", "\u25bc"},
		[TEXT_UP] = {"^", "\u25b2"},
		[TEXT_CUT] = {"~", "\u2026"},
	};

	return glyphs[glyph][text_utf8];
}

void text_rule(char *out, size_t size, int columns)
{
	const char *one = text_glyph(TEXT_ACROSS);
	size_t length = strlen(out), step = strlen(one);

	for (int width = text_width(out); width < columns && length + step < size; width++) {
		memcpy(out + length, one, step + 1);
		length += step;
	}
}

size_t text_wrap(const char *s, int columns, const char **next)
{
	int used;
	size_t fit = text_cut(s, columns, &used), cut = fit, line = strcspn(s, "\n");

	if (line <= fit) {
		*next = s + line + (s[line] != '\0');
		return line;
	}
	if (s[fit] && s[fit] != ' ') {
		while (cut > 0 && s[cut - 1] != ' ')
			cut--;
		if (cut * 2 < fit) /* a long word: break it instead of leaving half a line empty */
			cut = fit;
	}
	*next = s + cut;
	while (**next == ' ')
		(*next)++;
	while (cut > 0 && s[cut - 1] == ' ')
		cut--;
	return cut;
}

void text_addf(char *out, size_t size, const char *format, ...)
{
	size_t length = strnlen(out, size);
	va_list args;

	if (length >= size)
		return;
	va_start(args, format);
	vsnprintf(out + length, size - length, format, args);
	va_end(args);
}
