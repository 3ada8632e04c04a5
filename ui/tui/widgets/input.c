#include "ui/tui/widgets/input.h"

#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistr.h>

void input_set(struct input *in, const char *text)
{
	snprintf(in->text, sizeof in->text, "%s", text);
	in->length = in->cursor = strlen(in->text);
}

static bool input_continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t input_before(const struct input *in)
{
	size_t at = in->cursor;

	while (at > 0 && input_continues(in->text[--at]))
		;
	return at;
}

static size_t input_after(const struct input *in)
{
	size_t at = in->cursor + (in->cursor < in->length);

	while (at < in->length && input_continues(in->text[at]))
		at++;
	return at;
}

static enum input_outcome input_delete(struct input *in, size_t from, size_t to)
{
	memmove(in->text + from, in->text + to, in->length - to + 1);
	in->length -= to - from;
	in->cursor = from;
	return from == to ? INPUT_SAME : INPUT_CHANGED;
}

static enum input_outcome input_go(struct input *in, size_t to)
{
	in->cursor = to;
	return INPUT_MOVED;
}

static enum input_outcome input_insert(struct input *in, uint32_t c)
{
	char *at = in->text + in->cursor;
	uint8_t bytes[4];
	int length = u8_uctomb(
		bytes, c, sizeof bytes); /* negative: a surrogate, or a key without a character */
	size_t n = length > 0 ? (size_t)length : sizeof in->text;

	/* no control characters (C0, DEL, C1) */
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || in->length + n >= sizeof in->text)
		return INPUT_SAME;
	memmove(at + n, at, in->length - in->cursor + 1);
	memcpy(at, bytes, n);
	in->length += n;
	in->cursor += n;
	return INPUT_CHANGED;
}

enum input_outcome input_key(struct input *in, uint32_t key)
{
	size_t word = in->cursor;

	switch (key) {
	case K_ENTER:
		return INPUT_DONE;
	case K_ESC:
	case K_CTRL('C'):
		return INPUT_CANCEL;
	case K_BACKSPACE:
	case K_CTRL('H'):
		return in->length ? input_delete(in, input_before(in), in->cursor) : INPUT_CANCEL;
	case K_DELETE:
	case K_CTRL('D'):
		return input_delete(in, in->cursor, input_after(in));
	case K_CTRL('U'):
		return input_delete(in, 0, in->cursor);
	case K_CTRL('K'):
		return input_delete(in, in->cursor, in->length);
	case K_CTRL('W'):
		while (word > 0 && in->text[word - 1] == ' ')
			word--;
		while (word > 0 && in->text[word - 1] != ' ')
			word--;
		return input_delete(in, word, in->cursor);
	case K_LEFT:
	case K_CTRL('B'):
		return input_go(in, input_before(in));
	case K_RIGHT:
	case K_CTRL('F'):
		return input_go(in, input_after(in));
	case K_HOME:
	case K_CTRL('A'):
		return input_go(in, 0);
	case K_END:
	case K_CTRL('E'):
		return input_go(in, in->length);
	default:
		return input_insert(in, key);
	}
}

void input_past_done(struct input_past *p)
{
	while (p->count)
		free(p->lines[--p->count]);
	input_past_begin(p);
}

void input_past_begin(struct input_past *p)
{
	p->at = p->count;
}

static void input_past_drop(struct input_past *p, size_t i)
{
	free(p->lines[i]);
	p->count--;
	memmove(p->lines + i, p->lines + i + 1, (p->count - i) * sizeof *p->lines);
}

void input_past_add(struct input_past *p, const char *text)
{
	for (size_t i = p->count; i-- > 0;)
		if (!strcmp(p->lines[i], text))
			input_past_drop(p, i);
	if (p->count == INPUT_PAST)
		input_past_drop(p, 0);
	p->lines[p->count++] = mem_text(text);
	input_past_begin(p);
}

bool input_past_recall(struct input_past *p, struct input *in, int direction)
{
	size_t to = p->at;

	/* A line that the field shows already would look like a dead key. */
	do {
		if (direction < 0 ? to == 0 : to >= p->count)
			return false;
		to = direction < 0 ? to - 1 : to + 1;
	} while (to < p->count && !strcmp(p->lines[to], in->text));
	if (p->at == p->count)
		snprintf(p->draft, sizeof p->draft, "%s", in->text);
	p->at = to;
	input_set(in, to < p->count ? p->lines[to] : p->draft);
	return true;
}
