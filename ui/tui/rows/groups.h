/*
 * The groups of the tree: objects, and in them providers. A group's number is
 * its identity and stays; GROUPS_FLAG tells it from a row's. Pure.
 */
#ifndef UI_TUI_ROWS_GROUPS_H
#define UI_TUI_ROWS_GROUPS_H

#include "ui/tui/rows/row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GROUPS_FLAG 0x80000000u
#define GROUPS_NONE UINT32_MAX

struct group {
	const char *provider; /* NULL: an object's group */
	uint32_t parent;      /* of a provider's group, else GROUPS_NONE */
	bool folded;
	/* over the rows that were arranged last */
	struct row sum; /* its label and its family's provider are unused; tagged: all of them */
	size_t count, on;
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
/* Rows have come to the model: find their groups. */
void groups_update(struct groups *g, const struct row *rows, size_t count);

/*
 * The lines of the tree for these rows, in their order within each group:
 * groups without one of them are left out, as are the rows of folded ones.
 * out has room for count + g->count. Returns how many lines.
 */
size_t groups_arrange(
	struct groups *g, const struct row *rows, const uint32_t *ids, size_t count, uint32_t *out);
/* Sum the states of these rows anew. */
void groups_sum(struct groups *g, const struct row *rows, const uint32_t *ids, size_t count);

/* Is a row in a group (or in a group of it)? */
bool groups_holds(const struct groups *g, uint32_t group, uint32_t row);

#endif
