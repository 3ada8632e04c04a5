/*
 * Keys for a program that has the keyboard: bytes as they are typed, and the keys of terminfo with
 * their modifiers. Pasted text is marked as such.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Ask the terminal to mark what is pasted (K_PASTE, K_PASTED), or not to. Nothing, where that is so
 * already. */
void typing_mark(bool yes);

/* The next key without blocking: a byte, or a K_* of key.h, perhaps with modifiers. False: none. */
bool typing_key(uint32_t *key);

/* What a curses key is to a program, without a modifier that terminfo has no name for; 0: unknown.
 */
uint32_t typing_curses(int code);

/* For a crash: ends what typing_mark began. */
#define TYPING_UNMARK "\033[?2004l"
