/*
 * A one-line input field. Pure.
 */
#ifndef UI_TUI_WIDGETS_INPUT_H
#define UI_TUI_WIDGETS_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INPUT_SIZE 256

struct input {
	char text[INPUT_SIZE]; /* valid UTF-8 */
	size_t length, cursor; /* bytes */
};

enum input_outcome { INPUT_SAME, INPUT_MOVED, INPUT_CHANGED, INPUT_DONE, INPUT_CANCEL };

void input_set(struct input *in, const char *text);
/* Apply a key (key.h). Enter: done. Esc, ^C, or Backspace in an empty field: cancel. */
enum input_outcome input_key(struct input *in, uint32_t key);

#endif
