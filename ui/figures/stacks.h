/*
 * How many samples had each stack, as folded text, which flame graphs are drawn from: functions
 * from the outermost one on, separated by semicolons. Pure.
 */
#ifndef UI_FIGURES_STACKS_H
#define UI_FIGURES_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STACKS_MOST 16384        /* different ones */
#define STACKS_BYTES (32u << 20) /* of their texts */
#define STACKS_TEXT 65536        /* bytes of one; outer functions of a longer one are cut */

struct stacks_row {
	char *text;
	uint64_t samples;
};

struct stacks {
	uint64_t samples;
	uint64_t others; /* of these: of stacks that found no place */
	struct stacks_row *rows;
	size_t count, bytes;
	uint32_t *slots; /* a hash table of the rows: 1 + index */
	uint64_t secret;
};

/* False: no memory. */
bool stacks_begin(struct stacks *s);
/* Also of one that has not begun. */
void stacks_done(struct stacks *s);

/* Count a sample of a stack, whose text is copied. */
void stacks_add(struct stacks *s, const char *text);

/* Sort the rows, most samples first; none can be added then. */
void stacks_sort(struct stacks *s);

/*
 * Put a function, or what stands for one, before the folded text that begins at `at` of out. The
 * name is untrusted: it becomes safe for a terminal, and has no semicolon. Returns where the text
 * begins now; `at`: there is no room.
 */
size_t stacks_put(char out[STACKS_TEXT], size_t at, const char *name);

#endif
