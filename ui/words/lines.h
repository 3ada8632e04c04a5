/*
 * Lines of text that wait until those of all processes are there: then they are written in the
 * order of time. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All zero is empty. */
struct lines {
	char *text;
	size_t length, capacity;
	struct lines_one {
		int64_t time_ns;
		size_t at, length;
	} * all;
	size_t count, line_capacity;
	bool failed; /* no memory: text or lines are missing */
};

/* Add to the line that is being made. */
void lines_put(struct lines *l, const char *text);
__attribute__((format(printf, 2, 3))) void lines_format(struct lines *l, const char *format, ...);

/* End the line that began when l->length was `from`. */
void lines_end(struct lines *l, size_t from, int64_t time_ns);

/* By time; of one time, as they came. */
void lines_sort(struct lines *l);

/* Forget all lines; the memory is used again. */
void lines_clear(struct lines *l);
void lines_done(struct lines *l);
