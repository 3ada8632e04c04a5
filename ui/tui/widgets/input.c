/*
 * One line of text that is being typed, with the keys of a shell's line.
 */
#include "ui/tui/widgets/input.h"

#include "ui/tui/terminal/key.h"

#include <stdio.h>
#include <string.h>

void input_set(struct input *e, const char *text)
{
	snprintf(e->text, sizeof e->text, "%s", text);
	e->length = e->cursor = strlen(e->text);
}

static bool input_inside(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t input_before(const struct input *e)
{
	size_t at = e->cursor;

	while (at > 0 && input_inside(e->text[--at]))
		;
	return at;
}

static size_t input_after(const struct input *e)
{
	size_t at = e->cursor + (e->cursor < e->length);

	while (at < e->length && input_inside(e->text[at]))
		at++;
	return at;
}

static size_t input_word_before(const struct input *e)
{
	size_t at = e->cursor;

	while (at > 0 && e->text[at - 1] == ' ')
		at--;
	while (at > 0 && e->text[at - 1] != ' ')
		at--;
	return at;
}

static enum input_outcome input_delete(struct input *e, size_t from, size_t to)
{
	memmove(e->text + from, e->text + to, e->length - to + 1);
	e->length -= to - from;
	e->cursor = from;
	return from == to ? INPUT_SAME : INPUT_CHANGED;
}

static enum input_outcome input_go(struct input *e, size_t to)
{
	e->cursor = to;
	return INPUT_MOVED;
}

static size_t input_encode(uint32_t c, char out[4])
{
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n; i-- > 1; c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(n == 1 ? c : lead[n] | c);
	return n;
}

static enum input_outcome input_insert(struct input *e, uint32_t key)
{
	char bytes[4];
	size_t n;

	/* no controls: C0, DEL, C1; no surrogates; no keys without a character */
	if (key < 0x20 || (key >= 0x7f && key < 0xa0) || (key >= 0xd800 && key < 0xe000) ||
		key >= K_SPECIAL)
		return INPUT_SAME;
	n = input_encode(key, bytes);
	if (e->length + n >= sizeof e->text)
		return INPUT_SAME;
	memmove(e->text + e->cursor + n, e->text + e->cursor, e->length - e->cursor + 1);
	memcpy(e->text + e->cursor, bytes, n);
	e->length += n;
	e->cursor += n;
	return INPUT_CHANGED;
}

enum input_outcome input_key(struct input *e, uint32_t key)
{
	switch (key) {
	case K_ENTER:
		return INPUT_DONE;
	case K_ESC:
	case K_CTRL('C'):
		return INPUT_CANCEL;
	case K_BACKSPACE:
	case K_CTRL('H'):
		return e->length ? input_delete(e, input_before(e), e->cursor) : INPUT_CANCEL;
	case K_DELETE:
	case K_CTRL('D'):
		return input_delete(e, e->cursor, input_after(e));
	case K_CTRL('U'):
		return input_delete(e, 0, e->cursor);
	case K_CTRL('K'):
		return input_delete(e, e->cursor, e->length);
	case K_CTRL('W'):
		return input_delete(e, input_word_before(e), e->cursor);
	case K_LEFT:
	case K_CTRL('B'):
		return input_go(e, input_before(e));
	case K_RIGHT:
	case K_CTRL('F'):
		return input_go(e, input_after(e));
	case K_HOME:
	case K_CTRL('A'):
		return input_go(e, 0);
	case K_END:
	case K_CTRL('E'):
		return input_go(e, e->length);
	default:
		return input_insert(e, key);
	}
}
