/*
 * Names of keys.
 */
#include "ui/tui/terminal/key.h"

#include <stdio.h>

static const char *key_word(uint32_t key)
{
	switch (key) {
	case ' ':
		return "Space";
	case K_TAB:
		return "Tab";
	case K_ENTER:
		return "Enter";
	case K_ESC:
		return "Esc";
	case K_BACKSPACE:
		return "Backspace";
	case K_UP:
		return "Up";
	case K_DOWN:
		return "Down";
	case K_LEFT:
		return "Left";
	case K_RIGHT:
		return "Right";
	case K_PAGE_UP:
		return "PgUp";
	case K_PAGE_DOWN:
		return "PgDn";
	case K_HOME:
		return "Home";
	case K_END:
		return "End";
	case K_DELETE:
		return "Del";
	default:
		return NULL;
	}
}

const char *key_spell(uint32_t key, char *out, size_t size)
{
	const char *word = key_word(key);

	if (word)
		snprintf(out, size, "%s", word);
	else if (key >= K_F1 && key <= K_F10)
		snprintf(out, size, "F%u", key - K_F1 + 1);
	else if (key < 0x20)
		snprintf(out, size, "^%c", (int)(key + '@'));
	else
		snprintf(out, size, "%c", (int)key);
	return out;
}
