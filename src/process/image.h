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
#include "process/place.h"

struct image_object {
	char *path;          /* as maps spells it; owned */
	bool deleted;        /* the path names another file now, or none */
	bool executable;     /* the program itself */
	uint64_t bias;       /* address = bias + vaddr */
	struct place place;  /* by which it is told again */
	struct object *file; /* owned; NULL where `why` says why it cannot be used, or where it was
				only counted */
	size_t probes;       /* counted (struct object_terms) */
	bool more;           /* than `probes` */
	char why[192];

	/* Where there is no `file`: */
	bool unread;                /* it may have probes */
	const char *remedy;         /* what would help (static, a part of `why`), or NULL */
	unsigned char build_id[64]; /* as memory has it */
	size_t build_id_size;
};

struct image {
	const struct object_terms *terms; /* set by the caller: how much of the files to keep */
	struct array objects;             /* struct image_object; the executable first */
	struct array writable;            /* struct maps_range; empty: maps are unchanged */
	size_t searches; /* for another file, where the mapped one cannot be opened */
};

/*
 * Read what is mapped. An object that cannot be opened, or is not the file that is mapped, is read
 * from another file with the same build-id, if there is one, else listed with its `why`. Memory may
 * be denied: then files are accepted by their inode. Status PROBES_DENIED where not even maps may
 * be read.
 */
int image_read(const struct identity *who, struct memory *memory, struct image *image,
	struct probes_error *e);
void image_done(struct image *image);

/* An object that was read before. */
struct image_known {
	struct place place;
	bool there;   /* it still is */
	bool deleted; /* and its file was removed or replaced */
};

/*
 * Look again, cheaply: only what is not among `known` (struct image_known) is opened and read, and
 * stands in *image. `known` says what has become of it. *mark is of the maps read last (0: none):
 * where they are the same, nothing is looked at and `known` stays as it is. Fails as image_read.
 */
int image_read_again(const struct identity *who, struct memory *memory, struct array *known,
	uint64_t *mark, struct image *image, struct probes_error *e);

#endif
