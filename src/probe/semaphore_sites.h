/*
 * The sites that count in each semaphore, of all probes that share it. Where the kernel counts in a
 * semaphore, too, each uprobe at one of these sites is 1 of its value.
 */
#ifndef PROBE_SEMAPHORE_SITES_H
#define PROBE_SEMAPHORE_SITES_H

#include "probe/object_probes.h"

struct semaphore_sites {
	uint32_t *begin; /* per semaphore (object_probes_same): index of its first site in `sites`;
			    and the end */
	uint32_t *sites; /* indices in the object */
};

/* False: no memory; semaphore_sites_done is needed then, too. */
bool semaphore_sites_init(struct semaphore_sites *c, const struct object_probes *h);
void semaphore_sites_done(struct semaphore_sites *c);

/* The sites of one semaphore (object_probes_same), by address, each address once. */
static inline const uint32_t *semaphore_sites_of(
	const struct semaphore_sites *c, uint32_t semaphore, uint32_t *count)
{
	*count = c->begin[semaphore + 1] - c->begin[semaphore];
	return &c->sites[c->begin[semaphore]];
}

#endif
