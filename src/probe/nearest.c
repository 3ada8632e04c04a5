/* Edit distance over the names of a catalog; long names are compared by their beginning. */
#include "probe/nearest.h"

#include <stdio.h>
#include <string.h>

#define NEAREST_LENGTH 64 /* characters compared */
#define NEAREST_COUNT 3

struct nearest {
	const struct probes_probe *probe;
	unsigned distance;
};

static unsigned nearest_smallest(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;

	return least < c ? least : c;
}

/* Levenshtein's distance, in two rows. */
static unsigned nearest_distance(const char *a, const char *b)
{
	unsigned rows[2][NEAREST_LENGTH + 1];
	size_t n = strnlen(a, NEAREST_LENGTH), m = strnlen(b, NEAREST_LENGTH);

	for (unsigned k = 0; k <= m; k++)
		rows[0][k] = k;
	for (unsigned i = 1; i <= n; i++) {
		const unsigned *above = rows[(i - 1) & 1];
		unsigned *row = rows[i & 1];

		row[0] = i;
		for (unsigned k = 1; k <= m; k++)
			row[k] = nearest_smallest(above[k] + 1, row[k - 1] + 1,
				above[k - 1] + (a[i - 1] != b[k - 1]));
	}
	return rows[n & 1][m];
}

static void nearest_consider(
	struct nearest best[NEAREST_COUNT], const struct probes_probe *p, unsigned distance)
{
	for (int i = 0; i < NEAREST_COUNT; i++) {
		if (best[i].probe && !strcmp(best[i].probe->name, p->name) &&
			!strcmp(best[i].probe->provider, p->provider))
			return;
		if (best[i].probe && best[i].distance <= distance)
			continue;
		memmove(&best[i + 1], &best[i], (size_t)(NEAREST_COUNT - 1 - i) * sizeof *best);
		best[i] = (struct nearest){p, distance};
		return;
	}
}

void nearest_names(const struct catalog *c, const char *text, char *out, size_t size)
{
	struct nearest best[NEAREST_COUNT] = {0};
	const char *colon = strrchr(text, ':');
	const char *name = colon && colon[1] ? colon + 1 : text;
	size_t limit = 1 + strnlen(name, NEAREST_LENGTH) / 3, used = 0;

	for (size_t i = 0; i < c->probe_count; i++) {
		const struct probes_probe *p = catalog_probe(c, i);
		unsigned distance = nearest_distance(name, p->name);

		if (strlen(name) >= 3 && strstr(p->name, name))
			distance = 1;
		if (distance <= limit)
			nearest_consider(best, p, distance);
	}
	out[0] = '\0';
	for (int i = 0; i < NEAREST_COUNT && best[i].probe && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s:%s", i ? ", " : "",
			best[i].probe->provider, best[i].probe->name);
}
