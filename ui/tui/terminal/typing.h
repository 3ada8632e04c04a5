/*
 * Keys for a program that has the keyboard: bytes as they are typed, and the keys of terminfo with
 * their modifiers. Pasted text is marked as such.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Ask the terminal to mark what is pasted (K_PASTE, K_PASTED), until it gets TYPING_UNMARK. */
void typing_mark(void);
/* That mark, of a code of curses, or 0. */
uint32_t typing_paste(int code);

/* The next key without blocking: a byte, or a K_* of key.h, perhaps with modifiers. False: none. */
bool typing_key(uint32_t *key);

/* Ends what typing_mark began. */
#define TYPING_UNMARK "\033[?2004l"
