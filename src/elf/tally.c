/* A growing hash set of numbers; see tally.h. */
#include "elf/tally.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* FNV-1a over both strings with their NULs; then mix all bits into the low ones, which choose the
 * slot. */
static uint64_t tally_hash(const char *provider, const char *name)
{
	const char *texts[] = {provider, name};
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < 2; i++) {
		for (const char *s = texts[i]; *s; s++)
			h = (h ^ (unsigned char)*s) * 1099511628211u;
		h *= 1099511628211u;
	}
	h ^= h >> 29;
	return h ? h : 1;
}

/* The slot of a hash depends on a secret: an attacker may choose names that all collide. */
static uint64_t tally_secret(void)
{
	uint64_t secret = 0;

	memcpy(&secret, (const void *)getauxval(AT_RANDOM), sizeof secret);
	return secret | 1;
}

static uint64_t *tally_find(uint64_t *table, size_t size, uint64_t secret, uint64_t hash)
{
	size_t at = (hash * secret) >> 32 & (size - 1);

	while (table[at] && table[at] != hash)
		at = (at + 1) & (size - 1);
	return &table[at];
}

static bool tally_grow(struct tally *t)
{
	size_t size = t->size ? 2 * t->size : 1024;
	uint64_t *table = calloc(size, sizeof *table);

	if (!table)
		return false;
	t->secret = tally_secret();
	for (size_t i = 0; i < t->size; i++)
		if (t->table[i])
			*tally_find(table, size, t->secret, t->table[i]) = t->table[i];
	free(t->table);
	t->table = table;
	t->size = size;
	return true;
}

bool tally_add(struct tally *t, const char *provider, const char *name)
{
	uint64_t hash = tally_hash(provider, name), *place;

	if (2 * (t->count + 1) > t->size && t->size < 2 * TALLY_MOST && !tally_grow(t))
		return false;
	place = tally_find(t->table, t->size, t->secret, hash);
	if (*place)
		return true;
	if (t->count == TALLY_MOST) {
		t->more = true;
		return true;
	}
	*place = hash;
	t->count++;
	return true;
}

void tally_done(struct tally *t)
{
	free(t->table);
	*t = (struct tally){0};
}
