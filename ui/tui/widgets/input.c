/*
 * A one-line input field with the keys of a shell's command line.
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

/* Is this a continuation byte of UTF-8? */
static bool input_continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t input_before(const struct input *e)
{
	size_t at = e->cursor;

	while (at > 0 && input_continues(e->text[--at]))
		;
	return at;
}

static size_t input_after(const struct input *e)
{
	size_t at = e->cursor + (e->cursor < e->length);

	while (at < e->length && input_continues(e->text[at]))
		at++;
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

static enum input_outcome input_insert(struct input *e, uint32_t c)
{
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	char *at = e->text + e->cursor;

	/* no control characters (C0, DEL, C1), no surrogates, no keys without a character */
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0xd800 && c < 0xe000) || c >= K_SPECIAL)
		return INPUT_SAME;
	if (e->length + n >= sizeof e->text)
		return INPUT_SAME;
	memmove(at + n, at, e->length - e->cursor + 1);
	for (size_t i = n; i-- > 1; c >>= 6)
		at[i] = (char)(0x80 | (c & 0x3f));
	at[0] = (char)(n == 1 ? c : lead[n] | c);
	e->length += n;
	e->cursor += n;
	return INPUT_CHANGED;
}

enum input_outcome input_key(struct input *e, uint32_t key)
{
	size_t word = e->cursor;

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
		while (word > 0 && e->text[word - 1] == ' ')
			word--;
		while (word > 0 && e->text[word - 1] != ' ')
			word--;
		return input_delete(e, word, e->cursor);
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
