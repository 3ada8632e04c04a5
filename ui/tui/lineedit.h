/*
 * One line of text that is being typed. Pure.
 */
#ifndef UI_TUI_LINEEDIT_H
#define UI_TUI_LINEEDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINEEDIT_SIZE 256

struct lineedit {
	char text[LINEEDIT_SIZE]; /* valid UTF-8 */
	size_t length, cursor;    /* bytes */
};

enum lineedit_outcome {
	LINEEDIT_SAME,
	LINEEDIT_MOVED,
	LINEEDIT_CHANGED,
	LINEEDIT_DONE,
	LINEEDIT_CANCEL
};

void lineedit_set(struct lineedit *e, const char *text);
/* A key (key.h). Enter: done; Esc and ^C, or a backspace in an empty line: cancel. */
enum lineedit_outcome lineedit_key(struct lineedit *e, uint32_t key);

#endif
