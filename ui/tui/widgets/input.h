/* A one-line input field, and what was typed into such fields before. Pure. */
#pragma once

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

#define INPUT_PAST 100 /* lines that are kept */

/* What was typed, the newest last, each line once. Starts zeroed. */
struct input_past {
	char *lines[INPUT_PAST];
	size_t count;
	size_t at; /* the line shown; count: none, but the draft */
	char draft[INPUT_SIZE];
};

void input_past_done(struct input_past *p);
/* Start at the newest: a field was opened. */
void input_past_begin(struct input_past *p);
/* Keep a line; an older one that equals it goes. */
void input_past_add(struct input_past *p, const char *text);
/* Put the next older (-1) or newer (+1) line into the field. After the newest comes what was being
 * typed. False: there is none. */
bool input_past_recall(struct input_past *p, struct input *in, int direction);
