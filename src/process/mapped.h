/*
 * The file behind a mapping: opened as the very one that is mapped, or refused.
 */
#ifndef PROCESS_MAPPED_H
#define PROCESS_MAPPED_H

#include "elf/object.h"
#include "process/identity.h"
#include "process/maps.h"
#include "process/memory.h"

#include <fcntl.h>

/* Flags for files of other users: an open never blocks on a FIFO or a device. */
#define MAPPED_OPEN (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/*
 * Open a path below the process's own root, without following a link out of it; `flags` are added
 * to MAPPED_OPEN. Returns a descriptor of any file type, or a negative errno.
 */
int mapped_open_below_root(const struct identity *who, const char *path, int flags);

/*
 * Open the file behind a mapping, never a path of ours: through map_files, which only the
 * privileged may, else below the process's own root, without following a link out of it.
 * Returns a descriptor or a negative errno. *exact: it is the mapped file for certain.
 */
int mapped_open(const struct identity *who, const struct mapping *mapping, bool *exact);

/* Does opening the mapped file itself need a privilege that we lack? */
bool mapped_needs_privilege(const struct identity *who, const struct mapping *mapping);

/*
 * Reopen the file at a location; the executable through /proc/PID/exe. The caller checks that it is
 * still the same file (object_wake).
 */
int mapped_open_again(
	const struct identity *who, const struct maps_location *location, bool executable);

/*
 * Is it the file that is mapped with this bias? By the build-id in memory, else by the bytes of its
 * first segment; by its inode where memory may not be read.
 */
bool mapped_is(struct memory *memory, const struct object *file, uint64_t bias, uint64_t inode);

/* Does the build-id in memory say that another file is mapped there now? */
bool mapped_replaced(struct memory *memory, const struct object *file, uint64_t bias);

#endif
