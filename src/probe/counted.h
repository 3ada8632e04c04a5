/*
 * Which sites count in each semaphore: a uprobe at one of them is one in the count that the kernel
 * shares. Those of all probes that share it, the other way round than a probe names them.
 */
#ifndef PROBE_COUNTED_H
#define PROBE_COUNTED_H

#include "probe/holding.h"

struct counted {
	uint32_t *begin; /* per semaphore (holding_same): its first one in `sites`; and an end */
	uint32_t *sites; /* indices in the holding */
};

/* False when there is no memory; counted_done then, too. */
bool counted_init(struct counted *c, const struct holding *h);
void counted_done(struct counted *c);

/* Those of one semaphore (holding_same), ascending by address, one of those at one address. */
static inline const uint32_t *counted_sites(
	const struct counted *c, uint32_t semaphore, uint32_t *count)
{
	*count = c->begin[semaphore + 1] - c->begin[semaphore];
	return &c->sites[c->begin[semaphore]];
}

#endif
