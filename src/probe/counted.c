/* Sites by their semaphores; see counted.h. */
#include "probe/counted.h"

#include <stdlib.h>

static int counted_by_address(const void *a, const void *b, void *holding)
{
	const struct holding *h = holding;
	uint64_t x = h->sites[*(const uint32_t *)a].pc, y = h->sites[*(const uint32_t *)b].pc;

	return (x > y) - (x < y);
}

/* The semaphore of a site of a probe, by which all that share it are found; or PROBES_NONE. */
static uint32_t counted_in(const struct holding *h, const struct probes_probe *p, uint32_t site)
{
	uint32_t semaphore = p->sites[site].semaphore;

	return semaphore == PROBES_NONE ? semaphore
					: holding_same(h, holding_semaphore(h, p) + semaphore);
}

/* How many there are of each, two places further on; summed up, where the next one begins. */
static void counted_measure(struct counted *c, const struct holding *h)
{
	for (size_t i = 0; i < h->probe_count; i++)
		for (uint32_t k = 0; k < h->probes[i].site_count; k++) {
			uint32_t in = counted_in(h, &h->probes[i], k);

			if (in != PROBES_NONE)
				c->begin[in + 2]++;
		}
	for (size_t i = 2; i < h->semaphore_count + 2; i++)
		c->begin[i] += c->begin[i - 1];
}

/* With each that is put down the beginning of the next moves to where it belongs. */
static void counted_fill(struct counted *c, const struct holding *h)
{
	for (size_t i = 0; i < h->probe_count; i++)
		for (uint32_t k = 0; k < h->probes[i].site_count; k++) {
			uint32_t in = counted_in(h, &h->probes[i], k);

			if (in != PROBES_NONE)
				c->sites[c->begin[in + 1]++] =
					(uint32_t)(holding_site(h, &h->probes[i]) + k);
		}
}

/* Those of one probe are in order. Of several probes' they are to be, and two may be at one place.
 */
static void counted_order(struct counted *c, const struct holding *h)
{
	uint32_t kept = 0, at = 0;

	for (size_t i = 0; i < h->semaphore_count; i++) {
		uint32_t end = c->begin[i + 1];

		qsort_r(&c->sites[at], end - at, sizeof *c->sites, counted_by_address, (void *)h);
		c->begin[i] = kept;
		for (; at < end; at++)
			if (kept == c->begin[i] ||
				h->sites[c->sites[kept - 1]].pc != h->sites[c->sites[at]].pc)
				c->sites[kept++] = c->sites[at];
	}
	c->begin[h->semaphore_count] = kept;
}

bool counted_init(struct counted *c, const struct holding *h)
{
	c->begin = calloc(h->semaphore_count + 2, sizeof *c->begin);
	c->sites = malloc((h->site_count + 1) * sizeof *c->sites);
	if (!c->begin || !c->sites)
		return false;
	counted_measure(c, h);
	counted_fill(c, h);
	if (h->same)
		counted_order(c, h);
	return true;
}

void counted_done(struct counted *c)
{
	free(c->begin);
	free(c->sites);
	*c = (struct counted){0};
}
