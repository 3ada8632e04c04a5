/*
 * Many small reads as few large ones: items, added in the order of their
 * addresses, are merged into spans wherever the gap between them is cheaper to
 * read than to skip. Pure: who reads the spans (a file, a process) is not known here.
 */
#ifndef BASE_SPANS_H
#define BASE_SPANS_H

#include "base/array.h"

#include <stdint.h>

struct span {
	uint64_t address;
	size_t length;
	size_t offset; /* of its bytes in the common buffer */
	size_t got;    /* bytes read, from its start; set by the reader */
	bool shared;   /* its pages are shared with another process: see process/pagemap.h */
};

struct spans {
	struct array list; /* struct span */
	size_t total;      /* bytes of the common buffer */
	size_t gap;        /* largest gap, in bytes, that is read over */
	size_t longest;    /* no span grows beyond this by merging */
};

void spans_init(struct spans *s, size_t gap, size_t longest);
void spans_done(struct spans *s);

/*
 * Add an item whose address is not below the last one's. Returns the offset of
 * its bytes in the common buffer, or SIZE_MAX: no memory, or an address out of order or wrapping.
 */
size_t spans_add(struct spans *s, uint64_t address, size_t length);

/*
 * After a reading: what lies behind a hole was not tried. Cut each span of which a part was not got
 * at the borders of pages behind the first byte that is missing; offsets stay what they are. True
 * if there is more to be tried now; no memory for it: false.
 */
bool spans_split(struct spans *s, size_t page);

/* Was everything read? */
bool spans_whole(const struct spans *s);

/* How many bytes of an item at this buffer offset and of this length were read. */
size_t spans_got(const struct spans *s, size_t offset, size_t length);

#endif
