#include "ui/cli/candidates.h"

#include <stdlib.h>
#include <string.h>

#define CANDIDATES_MOST 2000

static void candidates_forget(struct candidate *one)
{
	free(one->word);
	free(one->about);
}

void candidates_add(struct candidates *c, int rank, const char *word, const char *about)
{
	if (c->count == c->capacity) {
		size_t capacity = c->capacity ? 2 * c->capacity : 64;
		struct candidate *all = reallocarray(c->all, capacity, sizeof *all);

		if (!all)
			return;
		c->all = all;
		c->capacity = capacity;
	}
	c->all[c->count] = (struct candidate){strdup(word), strdup(about), rank};
	if (c->all[c->count].word && c->all[c->count].about)
		c->count++;
	else
		candidates_forget(&c->all[c->count]);
}

static int candidates_compare(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;
	size_t m = strlen(a->word), n = strlen(b->word);

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	/* numbers by their values */
	if (m != n && !a->word[strspn(a->word, "0123456789")] &&
		!b->word[strspn(b->word, "0123456789")])
		return m < n ? -1 : 1;
	return strcmp(a->word, b->word);
}

void candidates_settle(struct candidates *c)
{
	size_t kept = 0;

	if (c->count)
		qsort(c->all, c->count, sizeof *c->all, candidates_compare);
	for (size_t i = 0; i < c->count; i++) {
		if (kept && !strcmp(c->all[i].word, c->all[kept - 1].word))
			candidates_forget(&c->all[i]);
		else
			c->all[kept++] = c->all[i];
	}
	c->count = kept;
	if (kept > CANDIDATES_MOST) {
		struct candidate last = c->all[kept - 1];

		c->all[kept - 1] = c->all[CANDIDATES_MOST - 1];
		c->all[CANDIDATES_MOST - 1] = last;
		while (c->count > CANDIDATES_MOST)
			candidates_forget(&c->all[--c->count]);
	}
}

void candidates_done(struct candidates *c)
{
	while (c->count)
		candidates_forget(&c->all[--c->count]);
	free(c->all);
}
