/*
 * The objects of one mapped file: the file behind its mappings, or a twin of it, opened and
 * verified, and an object for each mapping that begins one.
 */
#ifndef PROCESS_IMAGE_GROUP_H
#define PROCESS_IMAGE_GROUP_H

#include "base/array.h"
#include "elf/object.h"
#include "process/identity.h"
#include "process/maps.h"
#include "process/memory.h"

struct image_object {
	char *path;                    /* as maps spells it; owned */
	bool deleted;                  /* the path names another file now, or none */
	bool executable;               /* the program itself */
	uint64_t bias;                 /* address = bias + vaddr */
	struct maps_location location; /* by which it is told again */
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

/* An object that was read before. */
struct image_known {
	struct maps_location location;
	bool there;   /* it still is */
	bool deleted; /* and its file was removed or replaced */
};

/* The mappings of one file, ascending, and their process. */
struct image_group {
	struct image *image;
	const struct identity *who;
	struct memory *memory;
	const struct mapping *const *mappings;
	size_t count;
};

/*
 * The bias that a mapping gives, if the start of the first executable segment lies in it. mprotect
 * may have split a segment into several mappings: only the one with its start counts.
 */
bool image_group_bias(const struct object *file, const struct mapping *m, uint64_t *bias);

/* One more object; m: a mapping of it, or NULL. NULL: no memory. */
struct image_object *image_group_add(
	struct image *image, const char *path, const struct mapping *m);

/* Where its segments begin, once its bias is known. */
void image_group_place(struct image_object *o);

/* Count the probes of an object, or close its file, where no more of it is needed. */
void image_group_use_up(const struct image *image, struct image_object *o);

/*
 * Add the objects of a group, but for those that are `known` (struct image_known; NULL: none). What
 * cannot be read is listed with its `why`. Fails only for a shortage of our own.
 */
int image_group_read(
	const struct image_group *g, const struct array *known, struct probes_error *e);

#endif
