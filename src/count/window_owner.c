/* What a window says about the sessions that use it. */
#include "count/window.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void window_read_holders(struct window *w, struct memory *m)
{
	size_t size = w->site_count * sizeof *w->sites;
	struct window_site *fresh = w->file ? NULL : malloc(size + 1);
	const struct window_site *from =
		w->file ? (const struct window_site *)(w->file + sizeof(struct window_head))
			: fresh;

	if (!w->file &&
		(!fresh || !memory_read(m, w->address + sizeof(struct window_head), fresh, size)))
		from = NULL;
	for (size_t i = 0; from && i < w->site_count; i++) {
		w->sites[i].holders = from[i].holders;
		w->sites[i].left = from[i].left;
	}
	free(fresh);
}

void window_set_holders(
	struct window *w, struct memory *m, size_t site, uint8_t holders, uint8_t left)
{
	const uint8_t both[2] = {holders, left};
	struct window_site *s = &w->sites[site];

	if (s->holders == holders && s->left == left)
		return;
	s->holders = holders;
	s->left = left;
	(void)window_write(w, m,
		sizeof(struct window_head) + site * sizeof *s +
			offsetof(struct window_site, holders),
		both, sizeof both);
}

uint64_t window_began(const struct window *w, struct memory *m, unsigned which)
{
	size_t at = offsetof(struct window_head, began) + which * sizeof(uint64_t);
	uint64_t start = 0;

	if (w->file)
		memcpy(&start, w->file + at, sizeof start);
	else
		(void)memory_read(m, w->address + at, &start, sizeof start);
	return start;
}

void window_set_began(struct window *w, struct memory *m, unsigned which, uint64_t start)
{
	size_t at = offsetof(struct window_head, began) + which * sizeof start;

	(void)window_write(w, m, at, &start, sizeof start);
}
