/* Text under construction in a buffer of a fixed size: what does not fit is dropped. Pure. */
#pragma once

#include <stddef.h>

struct line {
	char *text; /* NUL-terminated once something was added */
	size_t size, length;
};

__attribute__((format(printf, 2, 3))) void line_add(struct line *l, const char *format, ...);

/* The plural's s, for this many. */
const char *line_s(size_t count);
