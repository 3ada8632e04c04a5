/*
 * The groups of the tree: objects, and in them providers. The index of a
 * group is its identity; GROUPS_FLAG marks it where indices of rows may stand, too. Pure.
 */
#pragma once

#include "ui/tui/rows/row.h"

#define GROUPS_FLAG 0x80000000u
#define GROUPS_NONE UINT32_MAX

struct group {
	const char *provider; /* NULL: an object's group */
	uint32_t parent;      /* of a provider's group, else GROUPS_NONE */
	bool folded;
	/* over the rows of the last groups_arrange or groups_sum */
	struct row sum; /* its label and its family's provider are unused; tagged: all of them */
	size_t count, on, counted;
	struct trend trend; /* of all rows that are counted */
};

struct groups {
	struct group *all;
	size_t count, capacity;
	uint32_t *of; /* the provider's group of each row */
	size_t of_count, of_capacity;
	uint32_t *table; /* hash table of groups by path and provider */
	size_t table_size;
};

void groups_done(struct groups *g);
/* Find the groups of rows that the model got since. */
void groups_update(struct groups *g, const struct row *rows, size_t count);

/*
 * Write the lines of the tree for these rows, in their order within each group, without empty
 * groups and without what is folded. out has room for count + g->count. Returns how many lines.
 */
size_t groups_arrange(
	struct groups *g, const struct row *rows, const uint32_t *ids, size_t count, uint32_t *out);
/* Sum up the states of these rows again. */
void groups_sum(struct groups *g, const struct row *rows, const uint32_t *ids, size_t count);

/* Is a row in a group (or in a group of it)? */
bool groups_holds(const struct groups *g, uint32_t group, uint32_t row);
