/* Words that could complete a line: collected, then sorted. Pure. */
#pragma once

#include <stddef.h>

struct candidate {
	char *word;
	char *about;
	int rank; /* the lowest first */
};

struct candidates {
	struct candidate *all; /* owned, as their texts */
	size_t count, capacity;
};

/* Append copies; without memory, nothing. */
void candidates_add(struct candidates *c, int rank, const char *word, const char *about);

/*
 * Sort, and drop duplicates. If there are too many, keep the last one, so that the shell still
 * finds what all have in common.
 */
void candidates_settle(struct candidates *c);
void candidates_done(struct candidates *c);
