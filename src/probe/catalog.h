/*
 * All probes of a session: its objects, and one index over their probes. Objects are only added;
 * an index stays valid.
 */
#pragma once

#include "base/array.h"
#include "probe/object_probes.h"

struct catalog {
	struct array objects; /* struct object_probes * */
	size_t probe_count;
};

void catalog_init(struct catalog *c);
void catalog_done(struct catalog *c);

/* Add an object, which the catalog owns from here on, also on failure. False: no memory. */
bool catalog_add(struct catalog *c, struct object_probes *h);

/* The first object, before its `next`; NULL: there is none. */
struct object_probes *catalog_first(const struct catalog *c);

struct object_probes *catalog_object(const struct catalog *c, size_t object);

/* The object of the probe with this index (below probe_count), and the index in the object. */
struct object_probes *catalog_find(const struct catalog *c, size_t index, size_t *local);

const struct probes_probe *catalog_probe(const struct catalog *c, size_t index);

/*
 * Append to `found` (size_t) all probes that count in a semaphore of one of `which`, in objects
 * whose probes share semaphores. False: no memory.
 */
bool catalog_sharing(
	const struct catalog *c, const size_t *which, size_t count, struct array *found);
