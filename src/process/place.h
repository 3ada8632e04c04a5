/*
 * Where a mapped file lies in a process, as maps says: by this it is told again later, without
 * reading the file. Pure.
 */
#ifndef PROCESS_PLACE_H
#define PROCESS_PLACE_H

#include "base/array.h"
#include "process/maps.h"

struct place {
	unsigned major, minor;
	uint64_t inode;  /* 0: not from maps */
	uint64_t base;   /* address where its first segment begins, a page's */
	uint64_t text;   /* likewise its first executable segment; 0: the file is not used, and
			    any mapping of it is this place */
	uint64_t offset; /* of that segment in the file, a page's */
};

/* Is it a mapping of the file of this place? */
bool place_of_file(const struct place *p, const struct mapping *m);

/*
 * Is the object still mapped where it was? Parts of it may be protected otherwise now, and its text
 * may have moved to memory without a file. *deleted: the kernel says so of its file now.
 */
bool place_there(const struct place *p, const struct array *mappings, bool *deleted);

/* Does this executable mapping belong to the object at this place, or can it not begin another? */
bool place_accounts(const struct place *p, const struct mapping *m);

#endif
