/* The notes of an object in the order of their names: those of one probe follow each other. */
#ifndef PROBE_NOTE_SORT_H
#define PROBE_NOTE_SORT_H

#include "elf/object.h"

/* A note with the first eight bytes of its names as numbers, which settles most comparisons. */
struct note_sort_entry {
	uint64_t provider, name;
	const struct note *note;
};

/* By provider, name, pc, semaphore; the array is the caller's (free). NULL: no memory. */
struct note_sort_entry *note_sort(const struct object *file);

/* Do two notes belong to one probe: have they one provider and one name? */
bool note_sort_same_probe(const struct note_sort_entry *x, const struct note_sort_entry *y);

#endif
