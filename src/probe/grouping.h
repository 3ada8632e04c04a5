/*
 * The probes that the notes of an object make: grouped by name and checked. A probe whose
 * notes contradict each other, point outside their object or overlap another probe's stays, marked
 * broken. Pure.
 */
#pragma once

#include "elf/object.h"
#include "probes.h"

/* The address of a site or semaphore, and what it belongs to. */
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
	struct grouping_place *places; /* of the sites, by address; there is room for as many
					  elements as there are notes */
};

/* Texts point into the notes. False: no memory. */
bool grouping_make(struct grouping *grouping, const struct object *file);

/* Mark a probe that must not be switched. The first flaw stays. */
void grouping_break(struct probes_probe *probe, enum probes_flaw flaw, const char *why);
