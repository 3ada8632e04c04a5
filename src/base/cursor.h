/* Reading forward through bytes that may lie about their own lengths. */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const unsigned char *at;
	size_t left;
};

/* A little-endian number; false, and nothing consumed, when too few bytes are left. */
bool cursor_u64(struct cursor *c, uint64_t *value);

/* A NUL-terminated string inside the bytes; false when its NUL is missing. */
bool cursor_string(struct cursor *c, const char **text);

#endif
