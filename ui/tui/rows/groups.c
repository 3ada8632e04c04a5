/*
 * The groups of the tree. Owns which rows belong together and what is folded; the caller chooses
 * the rows and their order.
 */
#include "ui/tui/rows/groups.h"

#include "ui/tui/terminal/mem.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void groups_done(struct groups *g)
{
	free(g->all);
	free(g->of);
	free(g->table);
	memset(g, 0, sizeof *g);
}

/* Where the table holds the group of a path and provider, or is free for it. */
static size_t groups_slot(const struct groups *g, const char *path, const char *provider)
{
	uint64_t h = XXH3_64bits(path, strlen(path));

	if (provider)
		h = XXH3_64bits_withSeed(provider, strlen(provider), h);
	for (size_t at = h % g->table_size;; at = (at + 1) % g->table_size) {
		const struct group *one;

		if (g->table[at] == GROUPS_NONE)
			return at;
		one = &g->all[g->table[at]];
		if (!provider == !one->provider && !strcmp(one->sum.family->path, path) &&
			(!provider || !strcmp(one->provider, provider)))
			return at;
	}
}

static uint32_t groups_get(
	struct groups *g, const struct row *r, const char *provider, uint32_t parent)
{
	size_t slot;

	if ((g->count + 1) * 2 >= g->table_size) {
		g->table_size = g->count * 4 + 64;
		free(g->table);
		g->table = mem_array(g->table_size, sizeof *g->table);
		memset(g->table, 0xff, g->table_size * sizeof *g->table);
		for (uint32_t i = 0; i < g->count; i++)
			g->table[groups_slot(g, g->all[i].sum.family->path, g->all[i].provider)] =
				i;
	}
	slot = groups_slot(g, r->family->path, provider);
	if (g->table[slot] != GROUPS_NONE)
		return g->table[slot];
	g->all = mem_grow(g->all, &g->capacity, g->count + 1, sizeof *g->all);
	g->all[g->count] = (struct group){
		.provider = provider, .parent = parent, .sum = {.family = r->family}};
	g->table[slot] = (uint32_t)g->count;
	return (uint32_t)g->count++;
}

void groups_update(struct groups *g, const struct row *rows, size_t count)
{
	g->of = mem_grow(g->of, &g->of_capacity, count, sizeof *g->of);
	for (; g->of_count < count; g->of_count++) {
		const struct row *r = &rows[g->of_count];
		const struct row *before = g->of_count ? r - 1 : r;

		if (g->of_count && before->family == r->family)
			g->of[g->of_count] = g->of[g->of_count - 1];
		else
			g->of[g->of_count] = groups_get(
				g, r, r->family->provider, groups_get(g, r, NULL, GROUPS_NONE));
	}
}

static void groups_include(struct group *g, const struct row *r)
{
	row_include(&g->sum, r, !g->count);
	g->count++;
	g->on += r->state == PROBES_ON;
	g->counted += r->counted;
	if (r->counted && r->trend)
		trend_add(&g->trend, r->trend);
}

void groups_sum(struct groups *g, const struct row *rows, const uint32_t *ids, size_t count)
{
	for (size_t i = 0; i < g->count; i++) {
		g->all[i].count = g->all[i].on = g->all[i].counted = 0;
		g->all[i].trend = (struct trend){0};
		row_clear(&g->all[i].sum);
	}
	for (size_t i = 0; i < count; i++) {
		struct group *provider = &g->all[g->of[ids[i]]];

		groups_include(provider, &rows[ids[i]]);
		groups_include(&g->all[provider->parent], &rows[ids[i]]);
	}
}

/* The order of the tree: an object before its providers. */
static int groups_compare(const void *a, const void *b, void *data)
{
	const struct group *all = ((struct groups *)data)->all;
	const struct group *x = &all[*(const uint32_t *)a], *y = &all[*(const uint32_t *)b];
	int order = strcmp(x->sum.family->object, y->sum.family->object);

	if (!order)
		order = strcmp(x->sum.family->path, y->sum.family->path);
	if (!order && x->provider && y->provider)
		order = strcmp(x->provider, y->provider);
	return order ? order : (x->provider ? 1 : 0) - (y->provider ? 1 : 0);
}

size_t groups_arrange(
	struct groups *g, const struct row *rows, const uint32_t *ids, size_t count, uint32_t *out)
{
	uint32_t *order = mem_array(g->count, sizeof *order);
	size_t *place = mem_array(g->count, sizeof *place), lines = 0;

	for (uint32_t i = 0; i < g->count; i++)
		order[i] = i;
	qsort_r(order, g->count, sizeof *order, groups_compare, g);
	groups_sum(g, rows, ids, count);
	for (size_t i = 0; i < g->count; i++) {
		const struct group *one = &g->all[order[i]];

		place[order[i]] = SIZE_MAX;
		if (!one->count || (one->provider && g->all[one->parent].folded))
			continue;
		out[lines++] = GROUPS_FLAG | order[i];
		if (!one->provider || one->folded)
			continue;
		place[order[i]] = lines;
		lines += one->count;
	}
	for (size_t i = 0; i < count; i++) {
		size_t *at = &place[g->of[ids[i]]];

		if (*at != SIZE_MAX)
			out[(*at)++] = ids[i];
	}
	free(order);
	free(place);
	return lines;
}

bool groups_holds(const struct groups *g, uint32_t group, uint32_t row)
{
	return g->of[row] == group || g->all[g->of[row]].parent == group;
}
