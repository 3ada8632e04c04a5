/*
 * Key codes: Unicode for keys that type a character, K_* for the others.
 * Independent of curses, so that the key table can be tested without it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define K_CTRL(letter) ((uint32_t)(letter)&0x1f)

enum {
	K_TAB = 0x09,
	K_ENTER = 0x0d,
	K_ESC = 0x1b,
	K_BACKSPACE = 0x7f,
	K_SPECIAL = 0x110000, /* beyond Unicode */
	K_UP,
	K_DOWN,
	K_LEFT,
	K_RIGHT,
	K_PAGE_UP,
	K_PAGE_DOWN,
	K_HOME,
	K_END,
	K_DELETE,
	K_F1,
	K_F2,
	K_F3,
	K_F4,
	K_F5,
	K_F6,
	K_F7,
	K_F8,
	K_F9,
	K_F10,
	K_F11,
	K_F12,
	K_CLICK, /* mouse */
	K_WHEEL_UP,
	K_WHEEL_DOWN,
	/* for a program that has the keyboard (screen_typed) */
	K_INSERT,
	K_BACK_TAB,
	K_KEYPAD_ENTER,
	K_PASTE, /* what follows is pasted, up to K_PASTED */
	K_PASTED,
	K_SHIFT = 0x1000000, /* flags */
	K_ALT = 0x2000000,
	K_CONTROL = 0x4000000,
	K_MODIFIERS = K_SHIFT | K_ALT | K_CONTROL,
};

/* The name of a key in help texts: "j", "^F", "PgDn", "Space". Returns out. */
const char *key_label(uint32_t key, char *out, size_t size);
