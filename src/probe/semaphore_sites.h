/*
 * Which sites count in each semaphore: a uprobe at one of them is one in the count that the kernel
 * shares. Those of all probes that share it, the other way round than a probe names them.
 */
#ifndef PROBE_SEMAPHORE_SITES_H
#define PROBE_SEMAPHORE_SITES_H

#include "probe/object_probes.h"

struct semaphore_sites {
	uint32_t *begin; /* per semaphore (object_probes_same): its first one in `sites`; and an end
			  */
	uint32_t *sites; /* indices in the object_probes */
};

/* False when there is no memory; semaphore_sites_done then, too. */
bool semaphore_sites_init(struct semaphore_sites *c, const struct object_probes *h);
void semaphore_sites_done(struct semaphore_sites *c);

/* Those of one semaphore (object_probes_same), ascending by address, one of those at one address.
 */
static inline const uint32_t *semaphore_sites_of(
	const struct semaphore_sites *c, uint32_t semaphore, uint32_t *count)
{
	*count = c->begin[semaphore + 1] - c->begin[semaphore];
	return &c->sites[c->begin[semaphore]];
}

#endif
