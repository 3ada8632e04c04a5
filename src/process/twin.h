/*
 * Another file that says the same as one that is mapped and cannot be opened: a library that an
 * upgrade has removed, looked at by somebody without privilege. It is told by the build-id that
 * lies in memory, never by its name.
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

/* Read them, of the file whose mappings (`group`, ascending) hold `m`. */
void twin_read_headers(struct memory *memory, const struct mapping *const *group, size_t count,
	const struct mapping *m, struct twin_headers *headers);

/*
 * Look for the twin of the file behind `m`, in places below the process's own root: what it has
 * open itself (a memfd), beside the file (an upgrade may leave the old version), in the folders of
 * build-ids. The last may yield a debug file only: then the object has no code (object.h). The
 * caller still compares build-ids in memory at the bias (mapped_is). `terms`: how much is read of
 * it. NULL: none.
 */
struct object *twin_find(const struct identity *who, const struct mapping *m,
	const struct object_terms *terms, const struct twin_headers *headers);

#endif
