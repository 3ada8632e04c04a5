#include "ui/tui/terminal/key.h"

#include <stdio.h>

const char *key_label(uint32_t key, char *out, size_t size)
{
	static const struct {
		uint32_t key;
		const char *name;
	} names[] = {
		{' ', "Space"},
		{K_TAB, "Tab"},
		{K_ENTER, "Enter"},
		{K_ESC, "Esc"},
		{K_BACKSPACE, "Backspace"},
		{K_UP, "Up"},
		{K_DOWN, "Down"},
		{K_LEFT, "Left"},
		{K_RIGHT, "Right"},
		{K_PAGE_UP, "PgUp"},
		{K_PAGE_DOWN, "PgDn"},
		{K_HOME, "Home"},
		{K_END, "End"},
		{K_DELETE, "Del"},
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (names[i].key == key) {
			snprintf(out, size, "%s", names[i].name);
			return out;
		}
	}
	if (key >= K_F1 && key <= K_F10)
		snprintf(out, size, "F%u", key - K_F1 + 1);
	else if (key < 0x20)
		snprintf(out, size, "^%c", (int)(key + '@'));
	else
		snprintf(out, size, "%c", (int)key);
	return out;
}
