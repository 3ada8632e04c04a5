/*
 * The terminal. The only file that knows curses.
 *
 * It leaves the terminal as it found it on every way out: screen_close, a
 * crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS), and while suspended.
 */
#ifndef UI_TUI_TERMINAL_SCREEN_H
#define UI_TUI_TERMINAL_SCREEN_H

#include "ui/tui/terminal/canvas.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct screen_options {
	bool no_color;
	bool mouse;
	const char *theme; /* "dark", "light", "mono", or NULL */
	bool ascii;        /* ASCII only, whatever the locale says */
};

/*
 * Take the terminal. 0; or -1 and why not, and it was not touched. A notice,
 * where the terminal is known to be poor, is left in why too.
 */
int screen_open(const struct screen_options *o, char *why, size_t size);
/* False: the line hangs, and nothing more should be said on it. */
bool screen_close(void);

/* What to say on the terminal, should we crash: `left` if *changed is true by then, else `clean`.
 */
void screen_last_words(const char *clean, const char *left, const bool *changed);

void screen_size(int *rows, int *columns);
/* Ask the terminal for its size again. */
void screen_resize(void);
/* Show a picture: only what differs from the one before is sent. */
void screen_show(const struct canvas *c);
/* Forget what the terminal shows: the next picture is sent as a whole. */
void screen_forget(void);

/* The next key, without waiting; false: none. */
bool screen_key(uint32_t *key);
/* Where K_CLICK was. */
void screen_click(int *y, int *x);

/*
 * Give the terminal back, say something on it and stop, as ^Z does; returns when
 * continued, perhaps in the background: then screen_resume must wait. False:
 * nobody there who could continue us.
 */
bool screen_suspend(const char *words);
bool screen_foreground(void);
/* After somebody else stopped and continued us: take the terminal again. */
void screen_resume(void);

#endif
