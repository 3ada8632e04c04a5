/* A sequence that terminfo does not know passes byte by byte, and is the same for the program. */
#include "ui/tui/terminal/typing.h"

#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/tty.h"

#include <stddef.h>
#include <string.h>

#include <curses.h>

/* Codes of our own, beyond those that curses gives to the keys of a terminal. */
enum { TYPING_PASTE = 0x4000, TYPING_PASTED };

void typing_mark(void)
{
	define_key("\033[200~", TYPING_PASTE);
	define_key("\033[201~", TYPING_PASTED);
	tty_put("\033[?2004h");
}

uint32_t typing_paste(int code)
{
	return code == TYPING_PASTE ? K_PASTE : code == TYPING_PASTED ? K_PASTED : 0;
}

/* "kUP5" and the like, as xterm's terminfo names a key with modifiers: Control and Up. */
static uint32_t typing_named(const char *name)
{
	static const struct {
		const char *name;
		uint32_t key;
	} names[] = {
		{"kUP", K_UP},
		{"kDN", K_DOWN},
		{"kLFT", K_LEFT},
		{"kRIT", K_RIGHT},
		{"kHOM", K_HOME},
		{"kEND", K_END},
		{"kNXT", K_PAGE_DOWN},
		{"kPRV", K_PAGE_UP},
		{"kIC", K_INSERT},
		{"kDC", K_DELETE},
	};

	for (size_t i = 0; name && i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i].name);
		unsigned bits = strncmp(name, names[i].name, n) ? 0 : (unsigned char)name[n] - '1';

		if (bits > 0 && bits < 8 && !name[n + 1])
			return names[i].key | (bits & 1 ? K_SHIFT : 0u) | (bits & 2 ? K_ALT : 0u) |
			       (bits & 4 ? K_CONTROL : 0u);
	}
	return 0;
}

/* kf13 and on are, as xterm's terminfo has them, F1 to F12 with modifiers. */
static uint32_t typing_function(int n)
{
	static const uint32_t modifiers[] = {
		0, K_SHIFT, K_CONTROL, K_SHIFT | K_CONTROL, K_ALT, K_ALT | K_SHIFT};

	return (K_F1 + (uint32_t)((n - 1) % 12)) | modifiers[(n - 1) / 12];
}

bool typing_key(uint32_t *key)
{
	static const struct {
		int curses;
		uint32_t key;
	} keys[] = {
		{KEY_UP, K_UP},
		{KEY_DOWN, K_DOWN},
		{KEY_LEFT, K_LEFT},
		{KEY_RIGHT, K_RIGHT},
		{KEY_PPAGE, K_PAGE_UP},
		{KEY_NPAGE, K_PAGE_DOWN},
		{KEY_HOME, K_HOME},
		{KEY_END, K_END},
		{KEY_IC, K_INSERT},
		{KEY_DC, K_DELETE},
		{KEY_BACKSPACE, 0x7f},
		{KEY_ENTER, K_KEYPAD_ENTER},
		{KEY_BTAB, K_BACK_TAB},
		{KEY_SR, K_UP | K_SHIFT},
		{KEY_SF, K_DOWN | K_SHIFT},
		{KEY_SLEFT, K_LEFT | K_SHIFT},
		{KEY_SRIGHT, K_RIGHT | K_SHIFT},
		{KEY_SHOME, K_HOME | K_SHIFT},
		{KEY_SEND, K_END | K_SHIFT},
		{KEY_SPREVIOUS, K_PAGE_UP | K_SHIFT},
		{KEY_SNEXT, K_PAGE_DOWN | K_SHIFT},
		{KEY_SIC, K_INSERT | K_SHIFT},
		{KEY_SDC, K_DELETE | K_SHIFT},
		{TYPING_PASTE, K_PASTE},
		{TYPING_PASTED, K_PASTED},
	};
	MEVENT ignored;
	int code;

	while ((code = getch()) != ERR) {
		*key = 0;
		if (code < 0x100)
			*key = (uint32_t)code;
		else if (code > KEY_F(0) && code <= KEY_F(63))
			*key = typing_function(code - KEY_F(0));
		else if (code == KEY_MOUSE)
			getmouse(&ignored); /* the program gets no mouse events */
		else if (code > KEY_MAX && code < TYPING_PASTE)
			*key = typing_named(keyname(code));
		for (size_t i = 0; code >= 0x100 && i < sizeof keys / sizeof *keys; i++)
			if (keys[i].curses == code)
				*key = keys[i].key;
		if (*key || !code)
			return true;
	}
	return false;
}
