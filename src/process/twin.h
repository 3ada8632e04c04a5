/*
 * A file with the same contents as a mapped file that cannot be opened: a library that an upgrade
 * removed, read by an unprivileged user. The build-id in memory identifies it, never its name.
 */
#ifndef PROCESS_TWIN_H
#define PROCESS_TWIN_H

#include "elf/object.h"
#include "process/identity.h"
#include "process/maps.h"
#include "process/memory.h"

#define TWIN_SEGMENTS 16

/* What the ELF headers of a mapped file say, read from memory. */
struct twin_headers {
	enum { TWIN_ELF, TWIN_NO_ELF, TWIN_UNKNOWN } is; /* unknown: memory may not be read */
	unsigned char build_id[64];
	size_t build_id_size; /* 0: none */
	struct object_segment segments[TWIN_SEGMENTS];
	size_t segment_count;
};

/* Read the headers of the file whose mappings (`group`, ascending) include `m`. */
void twin_read_headers(struct memory *memory, const struct mapping *const *group, size_t count,
	const struct mapping *m, struct twin_headers *headers);

/*
 * Search for the twin of the file behind `m` below the process's own root: among the files that the
 * process has open (a memfd), beside the file (an upgrade may leave the old version), and in the
 * build-id folders. These may yield only a debug file: then the object has no code (object.h). The
 * caller still compares build-ids in memory at the bias (mapped_is). `terms`: how much of the file
 * to keep. NULL: none found.
 */
struct object *twin_find(const struct identity *who, const struct mapping *m,
	const struct object_terms *terms, const struct twin_headers *headers);

#endif
