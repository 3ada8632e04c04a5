/* What a window says about the sessions that use it. */
#include "count/window.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool window_get_head(
	const struct window *w, struct memory *m, size_t at, void *to, size_t size)
{
	if (!w->file)
		return memory_read(m, w->address + at, to, size);
	memcpy(to, w->file + at, size);
	return true;
}

/* ---- what sessions left ---- */

void window_read_left(struct window *w, struct memory *m)
{
	size_t size = w->site_count * sizeof *w->sites;
	struct window_site *fresh = malloc(size + 1);

	if (fresh && window_get_head(w, m, sizeof(struct window_head), fresh, size))
		for (size_t i = 0; i < w->site_count; i++)
			w->sites[i].left = fresh[i].left;
	free(fresh);
}

void window_set_left(struct window *w, struct memory *m, size_t site, uint8_t left)
{
	struct window_site *s = &w->sites[site];

	/* What is left in a family of processes is left in each: none of its children clears it. */
	if (s->left == left || w->inherited)
		return;
	s->left = left;
	(void)window_write(w, m,
		sizeof(struct window_head) + site * sizeof *s + offsetof(struct window_site, left),
		&left, sizeof left);
}

/* ---- who uses it ---- */

static size_t window_records_at(const struct window *w)
{
	return sizeof(struct window_head) + w->site_count * sizeof *w->sites;
}

size_t window_bits_size(const struct window *w)
{
	return (w->site_count + 7) / 8;
}

static size_t window_bits_at(const struct window *w, size_t record)
{
	return window_records_at(w) + WINDOW_RECORDS * sizeof(struct window_record) +
	       record * window_bits_size(w);
}

bool window_read_records(const struct window *w, struct memory *m, struct window_record *all)
{
	return window_get_head(w, m, window_records_at(w), all, WINDOW_RECORDS * sizeof *all);
}

bool window_read_bits(const struct window *w, struct memory *m, size_t record, uint8_t *bits)
{
	return window_get_head(w, m, window_bits_at(w, record), bits, window_bits_size(w));
}

void window_clear_bit(struct window *w, struct memory *m, size_t record, size_t site)
{
	size_t at = window_bits_at(w, record) + site / 8;
	uint8_t bits;

	if (!window_get_head(w, m, at, &bits, sizeof bits) || !(bits >> site % 8 & 1))
		return;
	bits &= (uint8_t) ~(1u << site % 8);
	(void)window_write(w, m, at, &bits, sizeof bits);
}

bool window_set_record(struct window *w, struct memory *m, size_t at,
	const struct window_record *record, const uint8_t *bits)
{
	/* A record is believed with its bits. */
	return (!bits || window_write(w, m, window_bits_at(w, at), bits, window_bits_size(w))) &&
	       window_write(
		       w, m, window_records_at(w) + at * sizeof *record, record, sizeof *record);
}
