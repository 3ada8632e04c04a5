/* What an arena says about the sessions that use it, and about older ones. */
#include "count/arena.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool arena_get_head(
	const struct arena *w, struct memory *m, size_t at, void *to, size_t size)
{
	if (!w->file)
		return memory_read(m, w->address + at, to, size);
	memcpy(to, w->file + at, size);
	return true;
}

bool arena_knows(const struct arena *w, struct memory *m, const struct arena *older)
{
	struct recorder_place all[RECORDER_OLDER] = {0};
	bool known = false;

	if (arena_get_head(w, m, w->data_size + recorder_older_at(), all, sizeof all))
		for (size_t i = 0; i < RECORDER_OLDER; i++)
			known = known || all[i].state == arena_state(older);
	return known;
}

void arena_read_left(struct arena *w, struct memory *m)
{
	size_t size = w->site_count * sizeof *w->sites;
	struct arena_site *fresh = malloc(size + 1);

	if (fresh && arena_get_head(w, m, sizeof(struct arena_head), fresh, size))
		for (size_t i = 0; i < w->site_count; i++)
			w->sites[i].left = fresh[i].left;
	free(fresh);
}

void arena_set_left(struct arena *w, struct memory *m, size_t site, uint8_t left)
{
	struct arena_site *s = &w->sites[site];

	/* What is left in a family of processes is left in each: none of its children clears it. */
	if (s->left == left || arena_is_shared(w))
		return;
	s->left = left;
	(void)arena_write(w, m,
		sizeof(struct arena_head) + site * sizeof *s + offsetof(struct arena_site, left),
		&left, sizeof left);
}

static size_t arena_holders_at(const struct arena *w)
{
	return sizeof(struct arena_head) + w->site_count * sizeof *w->sites;
}

size_t arena_bits_size(const struct arena *w)
{
	return (w->site_count + 7) / 8;
}

static size_t arena_bits_at(const struct arena *w, size_t record)
{
	return arena_holders_at(w) + ARENA_HOLDERS * sizeof(struct arena_holder) +
	       record * arena_bits_size(w);
}

bool arena_read_holders(const struct arena *w, struct memory *m, struct arena_holder *all)
{
	return arena_get_head(w, m, arena_holders_at(w), all, ARENA_HOLDERS * sizeof *all);
}

bool arena_read_bits(const struct arena *w, struct memory *m, size_t record, uint8_t *bits)
{
	return arena_get_head(w, m, arena_bits_at(w, record), bits, arena_bits_size(w));
}

void arena_clear_bit(struct arena *w, struct memory *m, size_t record, size_t site)
{
	size_t at = arena_bits_at(w, record) + site / 8;
	uint8_t bits;

	if (!arena_get_head(w, m, at, &bits, sizeof bits) || !(bits >> site % 8 & 1))
		return;
	bits &= (uint8_t) ~(1u << site % 8);
	(void)arena_write(w, m, at, &bits, sizeof bits);
}

bool arena_set_holder(struct arena *w, struct memory *m, size_t at,
	const struct arena_holder *record, const uint8_t *bits)
{
	/* A record is believed with its bits. */
	return (!bits || arena_write(w, m, arena_bits_at(w, at), bits, arena_bits_size(w))) &&
	       arena_write(w, m, arena_holders_at(w) + at * sizeof *record, record, sizeof *record);
}
