/* Sites by their semaphores; see counted.h. */
#include "probe/semaphore_sites.h"

#include <stdlib.h>

static int semaphore_sites_by_address(const void *a, const void *b, void *object_probes)
{
	const struct object_probes *h = object_probes;
	uint64_t x = h->sites[*(const uint32_t *)a].pc, y = h->sites[*(const uint32_t *)b].pc;

	return (x > y) - (x < y);
}

/* The semaphore of a site of a probe, by which all that share it are found; or PROBES_NONE. */
static uint32_t counted_in(
	const struct object_probes *h, const struct probes_probe *p, uint32_t site)
{
	uint32_t semaphore = p->sites[site].semaphore;

	return semaphore == PROBES_NONE
		       ? semaphore
		       : object_probes_same(h, object_probes_semaphore(h, p) + semaphore);
}

/* How many there are of each, two places further on; summed up, where the next one begins. */
static void semaphore_sites_measure(struct semaphore_sites *c, const struct object_probes *h)
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
static void semaphore_sites_fill(struct semaphore_sites *c, const struct object_probes *h)
{
	for (size_t i = 0; i < h->probe_count; i++)
		for (uint32_t k = 0; k < h->probes[i].site_count; k++) {
			uint32_t in = counted_in(h, &h->probes[i], k);

			if (in != PROBES_NONE)
				c->sites[c->begin[in + 1]++] =
					(uint32_t)(object_probes_site(h, &h->probes[i]) + k);
		}
}

/* Those of one probe are in order. Of several probes' they are to be, and two may be at one place.
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

bool semaphore_sites_init(struct semaphore_sites *c, const struct object_probes *h)
{
	c->begin = calloc(h->semaphore_count + 2, sizeof *c->begin);
	c->sites = malloc((h->site_count + 1) * sizeof *c->sites);
	if (!c->begin || !c->sites)
		return false;
	semaphore_sites_measure(c, h);
	semaphore_sites_fill(c, h);
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
