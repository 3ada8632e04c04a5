/*
 * The terminal device: its modes, and the output that is not sent yet.
 *
 * A terminal can stall (^S, a broken ssh connection). Nothing here blocks on it, so that keys,
 * signals and the lease are still handled. Curses writes to memory; tty_send sends as much as the
 * terminal accepts.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

/* Take the terminal of descriptors 0 and 1 and set raw mode. Returns the file to write output to,
 * or NULL and errno. */
FILE *tty_open(void);
/* Flush, restore the terminal, close. `released`: it was restored before; do not touch it. False:
 * the terminal stalls, and unsent output is lost. */
bool tty_close(bool released);

/* Restore the original modes; set raw mode again. */
void tty_release(void);
void tty_take(void);

/* Add a control sequence to the output, between frames. */
void tty_put(const char *sequence);
/* Send as much output as the terminal accepts now. */
void tty_send(void);
/* Is there unsent output? */
bool tty_busy(void);
/* Send all output, but wait for less than a second. False: the terminal stalls. */
bool tty_flush(void);

/* A non-blocking descriptor, for poll(2) and crash messages. */
int tty_fd(void);
/* The original modes. */
const struct termios *tty_before(void);
