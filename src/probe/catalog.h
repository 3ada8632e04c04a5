/*
 * Every probe of a session: a list of objects, one an object, and one index
 * over all their probes. Holdings are only ever added; an index stays valid.
 */
#ifndef PROBE_CATALOG_H
#define PROBE_CATALOG_H

#include "base/array.h"
#include "probe/object_probes.h"

struct catalog {
	struct array objects; /* struct object_probes * */
	size_t probe_count;
};

void catalog_init(struct catalog *c);
void catalog_done(struct catalog *c);

/* Add one (its owner from here on, also when there is no memory: false). */
bool catalog_add(struct catalog *c, struct object_probes *h);

/* How many notes of its objects were left out (struct probes_object). */
size_t catalog_left_out(const struct catalog *c);

struct object_probes *catalog_object(const struct catalog *c, size_t object);

/* The object_probes of the probe with this index (below probe_count), and its index there. */
struct object_probes *catalog_find(const struct catalog *c, size_t index, size_t *local);

const struct probes_probe *catalog_probe(const struct catalog *c, size_t index);

/*
 * Append to `found` (size_t) the indexed probes and all that share a count with them. Appends
 * nothing if no count is shared. False when there is no memory.
 */
bool catalog_sharing(
	const struct catalog *c, const size_t *which, size_t count, struct array *found);

#endif
