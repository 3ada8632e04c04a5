/* The list of objects and the index over their probes. */
#include "probe/catalog.h"

#include <stdlib.h>

void catalog_init(struct catalog *c)
{
	*c = (struct catalog){0};
	array_init(&c->objects, sizeof(struct object_probes *));
}

void catalog_done(struct catalog *c)
{
	for (size_t i = 0; i < c->objects.count; i++)
		object_probes_free(catalog_object(c, i));
	array_done(&c->objects);
}

bool catalog_add(struct catalog *c, struct object_probes *h)
{
	struct object_probes **slot = array_add(&c->objects);

	if (!slot) {
		object_probes_free(h);
		return false;
	}
	*slot = h;
	h->info.first_probe = c->probe_count;
	for (size_t i = 0; i < h->probe_count; i++)
		h->probes[i].object = (uint32_t)(c->objects.count - 1);
	c->probe_count += h->probe_count;
	return true;
}

size_t catalog_left_out(const struct catalog *c)
{
	size_t sum = 0;

	for (size_t i = 0; i < c->objects.count; i++)
		sum += catalog_object(c, i)->info.left_out;
	return sum;
}

struct object_probes *catalog_object(const struct catalog *c, size_t object)
{
	return *ARRAY_AT(&c->objects, struct object_probes *, object);
}

struct object_probes *catalog_find(const struct catalog *c, size_t index, size_t *local)
{
	size_t low = 0, high = c->objects.count;
	struct object_probes *h;

	/* The last object_probes that begins at or before the index and is not empty holds it. */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (catalog_object(c, middle)->info.first_probe <= index)
			low = middle;
		else
			high = middle;
	}
	h = catalog_object(c, low);
	*local = index - h->info.first_probe;
	return h;
}

const struct probes_probe *catalog_probe(const struct catalog *c, size_t index)
{
	size_t local;
	const struct object_probes *h = catalog_find(c, index, &local);

	return &h->probes[local];
}

/* The shared counts of a probe: mark them, or is one marked? */
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

static bool catalog_add_sharing(
	const struct object_probes *h, const bool *marks, struct array *found)
{
	for (size_t i = 0; i < h->probe_count; i++) {
		if (!catalog_mark(h, &h->probes[i], (bool *)marks, false))
			continue;
		if (!array_reserve(found, 1))
			return false;
		*(size_t *)array_add(found) = h->info.first_probe + i;
	}
	return true;
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
		if (fits && marks[i])
			fits = catalog_add_sharing(catalog_object(c, i), marks[i], found);
		free(marks[i]);
	}
	free(marks);
	return fits;
}
