/*
 * The ELF files that a process runs: its executable and every mapped library,
 * each opened as the very file that is mapped, with its load bias.
 */
#ifndef PROCESS_IMAGE_H
#define PROCESS_IMAGE_H

#include "base/array.h"
#include "elf/object.h"
#include "process/identity.h"
#include "process/maps.h"
#include "process/memory.h"

struct image_object {
	char *path;          /* as maps spells it; owned */
	bool deleted;        /* the path names another file now, or none */
	bool executable;     /* the program itself */
	uint64_t bias;       /* address = bias + vaddr */
	struct object *file; /* owned; NULL where `why` says why it cannot be used */
	char why[192];
};

struct image {
	struct array objects; /* struct image_object; the executable first */
};

/*
 * Read what is mapped. An object that cannot be opened, or is not the file that is mapped, is
 * listed with its `why`. Memory may be denied: then files are accepted by their inode.
 * Status PROBES_DENIED where not even maps may be read.
 */
int image_read(const struct identity *who, struct memory *memory, struct image *image,
	struct probes_error *e);
void image_done(struct image *image);

/*
 * Open the file behind a mapping, never a path of ours: through map_files, which only the
 * privileged may, else below the process's own root, without following a link out of it.
 * Returns a descriptor or a negative errno. *exact: it is the mapped file for certain.
 */
int image_open(const struct identity *who, const struct mapping *mapping, bool *exact);

#endif
