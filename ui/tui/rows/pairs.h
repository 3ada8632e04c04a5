/*
 * The pairs of a model: found by their names, or chosen by hand. The index of a pair is its
 * identity.
 */
#pragma once

#include "ui/tui/rows/model.h"
#include "ui/words/pair.h"

struct pairs_one {
	uint32_t start, end; /* rows */
	bool chosen;         /* by hand */
};

struct pairs {
	struct pairs_one *all;
	size_t count, capacity;
	size_t rows_seen; /* of the model */
};

void pairs_done(struct pairs *p);
/* Find the pairs of rows that the model got since. */
void pairs_update(struct pairs *p, const struct model *m);
/* Add a pair by hand; a known pair keeps its index. */
void pairs_choose(struct pairs *p, uint32_t start, uint32_t end);
/* The pair of a row, preferably one chosen by hand; NULL: none. */
const struct pairs_one *pairs_of(const struct pairs *p, uint32_t row);

/* Is one half on without the other? */
bool pairs_half_on(const struct model *m, const struct pairs_one *one);
