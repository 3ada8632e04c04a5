/*
 * The ELF files that a process runs: its executable and every mapped library,
 * each opened as the very file that is mapped, with its load bias.
 */
#ifndef PROCESS_IMAGE_H
#define PROCESS_IMAGE_H

#include "process/image_group.h"

/*
 * Read what is mapped. An object that cannot be opened, or is not the file that is mapped, is read
 * from another file with the same build-id, if there is one, else listed with its `why`. Memory may
 * be denied: then files are accepted by their inode. Status PROBES_DENIED where not even maps may
 * be read.
 */
int image_read(const struct identity *who, struct memory *memory, struct image *image,
	struct probes_error *e);
void image_done(struct image *image);

/*
 * Look again, cheaply: only what is not among `known` (struct image_known) is opened and read, and
 * stands in *image. `known` says what has become of it. *mark is of the maps read last (0: none):
 * where they are the same, nothing is looked at and `known` stays as it is. Fails as image_read.
 */
int image_read_again(const struct identity *who, struct memory *memory, struct array *known,
	uint64_t *mark, struct image *image, struct probes_error *e);

#endif
