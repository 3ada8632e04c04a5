/*
 * The probes that the notes of an object make: grouped by name, each checked by itself. What
 * contradicts itself or points outside its object stays, marked broken.
 */
#ifndef PROBE_LAYOUT_H
#define PROBE_LAYOUT_H

#include "elf/object.h"
#include "probes.h"

/* A site or semaphore at an address, and whose it is. */
struct layout_place {
	uint64_t vaddr;
	uint32_t index; /* among the sites, or semaphores */
	uint32_t probe;
};

/* All arrays are the caller's (free), also on failure. */
struct layout {
	struct probes_probe *probes; /* by provider, then name */
	size_t probe_count;
	struct probes_site *sites; /* those of one probe follow each other, by pc */
	size_t site_count;
	struct probes_semaphore *semaphores; /* likewise, by address */
	size_t semaphore_count;
	struct layout_place *places; /* the sites in ascending order; room for one of each note */
};

/* The texts are the notes'. False when there is no memory. */
bool layout_make(struct layout *layout, const struct object *file);

/* A probe that must not be switched; the first reason stays. */
void layout_break(struct probes_probe *probe, const char *why);

#endif
