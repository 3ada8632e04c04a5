/* Sites by their semaphores. */
#include "probe/semaphore_sites.h"

#include <stdlib.h>

static int semaphore_sites_by_address(const void *a, const void *b, void *object_probes)
{
	const struct object_probes *h = object_probes;
	uint64_t x = h->sites[*(const uint32_t *)a].pc, y = h->sites[*(const uint32_t *)b].pc;

	return (x > y) - (x < y);
}

/*
 * Probes share semaphores: put the sites of all in the order of addresses, and keep one of those at
 * the same address.
 */
static void semaphore_sites_order(struct semaphore_sites *c, const struct object_probes *h)
{
	uint32_t kept = 0, at = 0;

	for (size_t i = 0; i < h->semaphore_count; i++) {
		uint32_t end = c->begin[i + 1];

		qsort_r(&c->sites[at], end - at, sizeof *c->sites, semaphore_sites_by_address,
			(void *)h);
		c->begin[i] = kept;
		for (; at < end; at++)
			if (kept == c->begin[i] ||
				h->sites[c->sites[kept - 1]].pc != h->sites[c->sites[at]].pc)
				c->sites[kept++] = c->sites[at];
	}
	c->begin[h->semaphore_count] = kept;
}

/* A counting sort: begin[i] is needed one place further on while the sites of i are stored. */
bool semaphore_sites_init(struct semaphore_sites *c, const struct object_probes *h)
{
	uint32_t *semaphore = malloc((h->site_count + 1) * sizeof *semaphore); /* per site */

	c->begin = calloc(h->semaphore_count + 2, sizeof *c->begin);
	c->sites = malloc((h->site_count + 1) * sizeof *c->sites);
	if (!semaphore || !c->begin || !c->sites) {
		free(semaphore);
		return false;
	}
	for (size_t i = 0, at = 0; i < h->probe_count; i++)
		for (uint32_t k = 0; k < h->probes[i].site_count; k++) {
			uint32_t own = h->probes[i].sites[k].semaphore;

			if (own != PROBES_NONE)
				own = object_probes_same(
					h, object_probes_semaphore(h, &h->probes[i]) + own);
			semaphore[at++] = own;
		}
	for (size_t i = 0; i < h->site_count; i++)
		if (semaphore[i] != PROBES_NONE)
			c->begin[semaphore[i] + 2]++;
	for (size_t i = 2; i < h->semaphore_count + 2; i++)
		c->begin[i] += c->begin[i - 1];
	for (uint32_t i = 0; i < h->site_count; i++)
		if (semaphore[i] != PROBES_NONE)
			c->sites[c->begin[semaphore[i] + 1]++] = i;
	free(semaphore);
	if (h->same)
		semaphore_sites_order(c, h);
	return true;
}

void semaphore_sites_done(struct semaphore_sites *c)
{
	free(c->begin);
	free(c->sites);
	*c = (struct semaphore_sites){0};
}
