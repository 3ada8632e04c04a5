/*
 * The terminal. screen.c is the only file that knows curses.
 *
 * Restores the terminal on every exit: screen_close, a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL,
 * SIGABRT, SIGSYS), and while suspended.
 */
#pragma once

#include "ui/tui/terminal/canvas.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct screen_options {
	bool no_color;
	bool mouse;
	const char *theme; /* "dark", "light", "mono", or NULL */
	bool ascii;        /* ASCII only, whatever the locale */
};

/*
 * Take the terminal. -1: `why` explains, and the terminal is untouched. 0: `why` may hold a
 * notice about a terminal with few capabilities.
 */
int screen_open(const struct screen_options *o, char *why, size_t size);
/* Restore the terminal. False: it stalls; print nothing more on it. */
bool screen_close(void);

/* The terminal type for programs on an emulated terminal (widgets/emulator.h): the best that
 * terminfo knows. To be called before screen_open. */
const char *screen_emulated(void);

/* Prepare the message for a crash: `touched` if *changed is true by then, else `untouched`. */
void screen_crash_message(const char *untouched, const char *touched, const bool *changed);

void screen_size(int *rows, int *columns);
/* Query the size of the terminal again. */
void screen_resize(void);
/* Show a frame; sends only the difference to the last one. asks: it shows a new question; what was
 * typed until now is no answer to it, and is dropped. */
void screen_show(const struct canvas *c, bool asks);
/* Send the next frame as a whole. */
void screen_invalidate(void);

/* The next key, without blocking. False: none. */
bool screen_key(uint32_t *key);
/* The position of the last K_CLICK. */
void screen_click(int *y, int *x);

/*
 * Release the terminal, print a message on it, and stop the job, as ^Z does. Returns when
 * continued, perhaps in the background: call screen_resume once in the foreground. In the
 * background it only leaves the terminal to the shell. False: SIGTSTP is ignored, so that no shell
 * would continue us.
 */
bool screen_suspend(const char *message);
bool screen_foreground(void);
/* Take the terminal again after a stop. */
void screen_resume(void);
