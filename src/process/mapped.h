/*
 * The file behind a mapping: opened as exactly the mapped file, or refused; or a substitute with
 * the same build-id, for a library that an upgrade removed and that an unprivileged user cannot
 * open.
 */
#pragma once

#include "elf/object.h"
#include "process/identity.h"
#include "process/maps.h"
#include "process/memory.h"

#include <fcntl.h>

/* Flags for untrusted files: opening must not block on a FIFO or a device. */
#define MAPPED_OPEN (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/*
 * Open the file behind a mapping, never a path in our own root: through map_files, which needs a
 * privilege, else below the root of the process, without following a link out of it. Returns a
 * descriptor or a negative errno. *exact: it is certainly the mapped file.
 */
int mapped_open(const struct identity *who, const struct mapping *mapping, bool *exact);

/* Does opening the mapped file itself need a privilege that we lack? */
bool mapped_needs_privilege(const struct identity *who, const struct mapping *mapping);

/*
 * Reopen the file at a location; the executable through /proc/PID/exe. The caller checks that it is
 * still the same file (object_wake).
 */
int mapped_reopen(
	const struct identity *who, const struct maps_location *location, bool executable);

/*
 * Is it the file that is mapped with this bias? By the build-id in memory, else by the bytes of its
 * first segment; by its inode if memory may not be read.
 */
bool mapped_is(struct memory *memory, const struct object *file, uint64_t bias, uint64_t inode);

/* Does the build-id in memory prove that another file is mapped there now? */
bool mapped_replaced(struct memory *memory, const struct object *file, uint64_t bias);

#define MAPPED_SEGMENTS 16

/* The ELF headers of a mapped file, read from memory. */
struct mapped_headers {
	enum { MAPPED_ELF, MAPPED_NO_ELF, MAPPED_UNKNOWN } is; /* unknown: memory is unreadable */
	unsigned char build_id[64];
	size_t build_id_size; /* 0: none */
	struct object_segment segments[MAPPED_SEGMENTS];
	size_t segment_count;
};

/* Read the headers of the file whose mappings (`group`, ascending) include `m`. */
void mapped_read_headers(struct memory *memory, const struct mapping *const *group, size_t count,
	const struct mapping *m, struct mapped_headers *headers);

/*
 * Search below the root of the process for a file with the same build-id as the file behind `m`:
 * among its open files (a memfd), beside the file (an upgrade may leave the old version), and in
 * the build-id folders. Those may have only a debug file: then the object has no code (object.h).
 * The caller still compares build-ids in memory at the bias (mapped_is). `terms`: how much of the
 * file to keep. NULL: none found.
 */
struct object *mapped_find_substitute(const struct identity *who, const struct mapping *m,
	const struct object_terms *terms, const struct mapped_headers *headers);
