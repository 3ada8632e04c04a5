/*
 * The line to the terminal: its modes, and what is on the way to it.
 *
 * A line can hang (^S, an ssh that is stuck): nothing here waits for it, so
 * that keys, signals and the lease are still heard. What curses writes is
 * caught in memory and sent as the line takes it.
 */
#ifndef UI_TUI_TERMINAL_TTY_H
#define UI_TUI_TERMINAL_TTY_H

#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

/* Take the terminal of descriptors 0 and 1: its keys come raw. What is to be sent is written to
 * the file returned; NULL and errno. */
FILE *tty_open(void);
/* Give it back as it was. False: it hangs, and what was left to send is lost. */
bool tty_close(bool given); /* given: it is another's already, and not touched */

/* The modes as they were, and ours again. */
void tty_release(void);
void tty_take(void);

/* Send what was written to the file, as far as the line takes it now. */
void tty_send(void);
/* Is there more that it did not take yet? */
bool tty_busy(void);
/* Wait until all is sent, but not for ever: false then. */
bool tty_flush(void);

/* To poll, and for what must be said while crashing: never blocks. */
int tty_fd(void);
const struct termios *tty_before(void);

#endif
