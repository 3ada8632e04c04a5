/*
 * The ELF files that a process runs: its executable and every mapped library, each opened as
 * exactly the mapped file, with its load bias.
 */
#pragma once

#include "base/array.h"
#include "elf/object.h"
#include "process/identity.h"
#include "process/maps.h"
#include "process/memory.h"
#include "process/translator.h"

struct image_object {
	char *path;                    /* as in maps; owned */
	bool deleted;                  /* the path names another file now, or none */
	bool executable;               /* the program itself */
	uint64_t bias;                 /* address = bias + vaddr */
	struct maps_location location; /* identifies it in later maps */
	struct object *file;           /* owned; NULL if it cannot be used (see `why`) or was only
					  counted */
	size_t probes;                 /* counted (struct object_terms) */
	bool more;                     /* than `probes` */
	bool semaphores;               /* likewise: some have one */
	char why[192];

	/* Without a `file`: */
	bool unread;                /* it may have probes */
	const char *remedy;         /* what to try (static, part of `why`), or NULL */
	unsigned char build_id[64]; /* from memory */
	size_t build_id_size;
};

struct image {
	const struct object_terms *terms;    /* set by the caller: how much of the files to keep */
	struct array objects;                /* struct image_object; the executable first */
	struct array writable;               /* struct maps_range; empty: maps did not change */
	struct array arenas;                 /* struct maps_arena */
	const struct translator *translator; /* unless maps did not change; NULL: none */
	size_t searches;                     /* for substitutes so far */
};

/* An object of an earlier reading. */
struct image_known {
	struct maps_location location;
	bool there;   /* still mapped */
	bool deleted; /* its file was removed or replaced */
};

/*
 * Read what is mapped. An object that cannot be opened, or is not the mapped file, is read from
 * another file with the same build-id, if there is one, else listed with its `why`. Memory may be
 * denied: then files are accepted by their inode. Status PROBES_DENIED: even maps are denied.
 */
int image_read(const struct identity *who, struct memory *memory, struct image *image,
	struct probes_error *e);
void image_done(struct image *image);

/*
 * Read only objects that are not among `known` (struct image_known) into *image, and update
 * `known`. *mark is a hash of the maps read last (0: none): if it is unchanged, nothing is read,
 * and `known` is not updated. Fails as image_read, which is this call without `known` and `mark`
 * (NULL).
 */
int image_read_again(const struct identity *who, struct memory *memory, struct array *known,
	uint64_t *mark, struct image *image, struct probes_error *e);
