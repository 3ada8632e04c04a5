#include "elf/tally.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <xxhash.h>

static uint64_t *tally_find(uint64_t *table, size_t size, uint64_t hash)
{
	size_t at = hash & (size - 1);

	while (table[at] && table[at] != hash)
		at = (at + 1) & (size - 1);
	return &table[at];
}

bool tally_add(struct tally *t, const char *provider, const char *name)
{
	uint64_t hash, *slot, *table;

	/* The hash depends on a secret: an attacker may choose names whose hashes collide. */
	if (!t->size)
		memcpy(&t->secret, (const void *)getauxval(AT_RANDOM), sizeof t->secret);
	hash = XXH3_64bits_withSeed(provider, strlen(provider), t->secret);
	hash = XXH3_64bits_withSeed(name, strlen(name), hash);
	hash += !hash; /* 0 marks a free slot */
	if (2 * (t->count + 1) > t->size && t->size < 2 * TALLY_MOST) {
		size_t size = t->size ? 2 * t->size : 1024;

		table = calloc(size, sizeof *table);
		if (!table)
			return false;
		for (size_t i = 0; i < t->size; i++)
			if (t->table[i])
				*tally_find(table, size, t->table[i]) = t->table[i];
		free(t->table);
		t->table = table;
		t->size = size;
	}
	slot = tally_find(t->table, t->size, hash);
	if (*slot)
		return true;
	if (t->count == TALLY_MOST) {
		t->more = true;
		return true;
	}
	*slot = hash;
	t->count++;
	return true;
}

void tally_done(struct tally *t)
{
	free(t->table);
	*t = (struct tally){0};
}
