#include "probe/catalog.h"

#include "base/order.h"

#include <stdlib.h>

void catalog_init(struct catalog *c)
{
	*c = (struct catalog){0};
	c->objects = ARRAY_OF(struct object_probes *);
}

void catalog_done(struct catalog *c)
{
	for (size_t i = 0; i < c->objects.count; i++)
		object_probes_free(catalog_object(c, i));
	array_done(&c->objects);
}

bool catalog_add(struct catalog *c, struct object_probes *h)
{
	if (!array_push(&c->objects, &h)) {
		object_probes_free(h);
		return false;
	}
	if (c->objects.count > 1)
		catalog_object(c, c->objects.count - 2)->next = h;
	h->info.first_probe = c->probe_count;
	for (size_t i = 0; i < h->probe_count; i++)
		h->probes[i].object = (uint32_t)(c->objects.count - 1);
	c->probe_count += h->probe_count;
	return true;
}

struct object_probes *catalog_first(const struct catalog *c)
{
	return c->objects.count ? catalog_object(c, 0) : NULL;
}

struct object_probes *catalog_object(const struct catalog *c, size_t object)
{
	return *ARRAY_AT(&c->objects, struct object_probes *, object);
}

struct object_probes *catalog_find(const struct catalog *c, size_t index, size_t *local)
{
	size_t behind;
	struct object_probes *h;

	/* The last object whose first probe is at or before the index: an empty object has the same
	 * first probe as the next one. */
	ORDER_FIND(behind, c->objects.count, catalog_object(c, behind)->info.first_probe <= index);
	h = catalog_object(c, behind - 1);
	*local = index - h->info.first_probe;
	return h;
}

const struct probes_probe *catalog_probe(const struct catalog *c, size_t index)
{
	size_t local;
	const struct object_probes *h = catalog_find(c, index, &local);

	return &h->probes[local];
}

/*
 * Does a probe count in a marked semaphore? `set`: mark all of its semaphores. `marks`: per
 * semaphore of the object.
 */
static bool catalog_mark(
	const struct object_probes *h, const struct probes_probe *p, bool *marks, bool set)
{
	bool marked = false;

	for (uint32_t i = 0; i < p->semaphore_count; i++) {
		uint32_t slot = object_probes_same(h, object_probes_semaphore(h, p) + i);

		marked = marked || marks[slot];
		marks[slot] = marks[slot] || set;
	}
	return marked;
}

bool catalog_sharing(
	const struct catalog *c, const size_t *which, size_t count, struct array *found)
{
	bool **marks = calloc(c->objects.count + 1, sizeof *marks), fits = marks;

	for (size_t i = 0; fits && i < count; i++) {
		size_t local;
		const struct object_probes *h = catalog_find(c, which[i], &local);
		bool **own = &marks[h->probes[local].object];

		if (!h->same)
			continue;
		if (!*own)
			*own = calloc(h->semaphore_count + 1, sizeof **own);
		fits = *own;
		if (fits)
			catalog_mark(h, &h->probes[local], *own, true);
	}
	for (size_t i = 0; marks && i < c->objects.count; i++) {
		const struct object_probes *h = catalog_object(c, i);

		for (size_t k = 0; fits && marks[i] && k < h->probe_count; k++) {
			if (!catalog_mark(h, &h->probes[k], marks[i], false))
				continue;
			fits = array_push(found, &(size_t){h->info.first_probe + k});
		}
		free(marks[i]);
	}
	free(marks);
	return fits;
}
