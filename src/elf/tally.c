/* A hash set of numbers with open addressing. */
#include "elf/tally.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

static uint64_t *tally_find(uint64_t *table, size_t size, uint64_t secret, uint64_t hash)
{
	size_t at = (hash * secret) >> 32 & (size - 1);

	while (table[at] && table[at] != hash)
		at = (at + 1) & (size - 1);
	return &table[at];
}

bool tally_add(struct tally *t, const char *provider, const char *name)
{
	const char *texts[] = {provider, name};
	uint64_t hash = 14695981039346656037u, *slot, *table;

	/* FNV-1a over both strings with their NULs; then mix all bits into the low ones, which
	 * choose the slot. */
	for (size_t i = 0; i < 2; i++) {
		for (const char *s = texts[i]; *s; s++)
			hash = (hash ^ (unsigned char)*s) * 1099511628211u;
		hash *= 1099511628211u;
	}
	hash ^= hash >> 29;
	hash += !hash; /* 0 marks a free slot */
	if (2 * (t->count + 1) > t->size && t->size < 2 * TALLY_MOST) {
		size_t size = t->size ? 2 * t->size : 1024;

		table = calloc(size, sizeof *table);
		if (!table)
			return false;
		/* Slots depend on a secret: an attacker may choose names whose hashes collide. */
		memcpy(&t->secret, (const void *)getauxval(AT_RANDOM), sizeof t->secret);
		t->secret |= 1;
		for (size_t i = 0; i < t->size; i++)
			if (t->table[i])
				*tally_find(table, size, t->secret, t->table[i]) = t->table[i];
		free(t->table);
		t->table = table;
		t->size = size;
	}
	slot = tally_find(t->table, t->size, t->secret, hash);
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
