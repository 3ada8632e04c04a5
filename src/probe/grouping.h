/*
 * The probes that the notes of an object make: grouped by name, each checked by itself. What
 * contradicts itself or points outside its object stays, marked broken.
 */
#ifndef PROBE_GROUPING_H
#define PROBE_GROUPING_H

#include "elf/object.h"
#include "probes.h"

/* A site or semaphore at an address, and whose it is. */
struct grouping_place {
	uint64_t vaddr;
	uint32_t index; /* among the sites, or semaphores */
	uint32_t probe;
};

/* All arrays are the caller's (free), also on failure. */
struct grouping {
	struct probes_probe *probes; /* by provider, then name */
	size_t probe_count;
	struct probes_site *sites; /* those of one probe follow each other, by pc */
	size_t site_count;
	struct probes_semaphore *semaphores; /* likewise, by address */
	size_t semaphore_count;
	struct grouping_place *places; /* the sites in ascending order; room for one of each note */
};

/* The texts are the notes'. False when there is no memory. */
bool grouping_make(struct grouping *layout, const struct object *file);

/* A probe that must not be switched; the first reason stays. */
void grouping_break(struct probes_probe *probe, const char *why);

#endif
