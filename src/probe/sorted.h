/* The notes of an object in the order of their names: those of one probe follow each other. */
#ifndef PROBE_SORTED_H
#define PROBE_SORTED_H

#include "elf/object.h"

/* A note with the first eight bytes of its names as numbers, which settles most comparisons. */
struct sorted_note {
	uint64_t provider, name;
	const struct note *note;
};

/* By provider, name, pc, semaphore; the array is the caller's (free). NULL: no memory. */
struct sorted_note *sorted_notes(const struct object *file);

/* Do two notes belong to one probe: have they one provider and one name? */
bool sorted_alike(const struct sorted_note *x, const struct sorted_note *y);

#endif
