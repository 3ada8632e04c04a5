/* What / looks for in a list or a text, and how it was typed. Pure. */
#pragma once

#include "ui/tui/widgets/input.h"
#include "ui/tui/widgets/pattern.h"

/* Starts zeroed. */
struct search {
	struct pattern *pattern; /* NULL: nothing is searched for */
	char text[INPUT_SIZE];
};

/* Search for a word or a ~regex ("": for nothing). -1: `why` explains, and the old search stays. */
int search_set(struct search *s, const char *text, char *why, size_t size);
void search_done(struct search *s);

/*
 * The first line from `from` on that matches, downwards (direction 1) or upwards (-1), past
 * the end around to `from`; `count`: none. line(data, i) is the text of a line, or NULL where it
 * has none.
 */
size_t search_next(const struct search *s, size_t count, size_t from, int direction,
	const char *(*line)(const void *data, size_t i), const void *data);
