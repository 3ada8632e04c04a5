/*
 * Untrusted text on its way to the output.
 *
 * Owns the buffers in which names of any length are escaped, and how wide a
 * text is. Names are never cut here, since what is printed must be accepted as
 * input.
 */
#include "ui/out.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "ui/probe_name.h"

struct buffer {
	char *text;
	size_t size;
};

/* Make room for length bytes and a NUL. */
static bool grow(struct buffer *b, size_t length)
{
	char *text;

	if (length < b->size)
		return true;
	text = realloc(b->text, length + 1);
	if (!text)
		return false;
	b->text = text;
	b->size = length + 1;
	return true;
}

const char *out_safe(const char *text)
{
	static struct buffer b;

	size_t length;

	if (!grow(&b, 255))
		return "(no memory)";
	length = probes_escape(text, b.text, b.size);
	if (length < b.size)
		return b.text;
	if (!grow(&b, length))
		return "(no memory)";
	probes_escape(text, b.text, b.size);
	return b.text;
}

const char *out_spelled(const struct probes_probe *probe)
{
	static struct buffer b;

	size_t length;

	if (!grow(&b, 255))
		return "(no memory)";
	length = probe_name_full(probe, b.text, b.size);
	if (length < b.size)
		return b.text;
	if (!grow(&b, length))
		return "(no memory)";
	probe_name_full(probe, b.text, b.size);
	return b.text;
}

/* Most are escaped where they are wanted. */
void out_raw(struct outbuf *page, const char *raw)
{
	size_t room = sizeof page->bytes - page->used;
	size_t length = probes_escape(raw, page->bytes + page->used, room);

	if (length < room)
		page->used += length;
	else
		outbuf_text(page, out_safe(raw));
}

size_t out_width(const char *safe)
{
	size_t width = 0;
	mbstate_t state = {0};

	/* Nearly all are ASCII, where a byte is a column. */
	while (safe[width] >= 0x20 && safe[width] < 0x7f)
		width++;
	for (const char *at = safe + width; *at;) {
		wchar_t c;
		size_t n = mbrtowc(&c, at, MB_CUR_MAX, &state);
		int columns;

		/* Not of this locale: count bytes. */
		if (n == 0 || n > MB_CUR_MAX)
			return strlen(safe);
		columns = wcwidth(c);
		width += columns > 0 ? (size_t)columns : 0;
		at += n;
	}
	return width;
}

void out_padded(struct outbuf *page, const char *safe, size_t width)
{
	size_t used = out_width(safe);

	outbuf_text(page, safe);
	if (used < width)
		outbuf_blanks(page, width - used);
}

char *out_digits(char *end, uint32_t number)
{
	if (number == PROBES_NONE) {
		*--end = '-';
		return end;
	}
	do
		*--end = (char)('0' + number % 10);
	while (number /= 10);
	return end;
}
