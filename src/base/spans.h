/*
 * Merges many small reads into few large ones: items, added in ascending order of their addresses,
 * join a span if the gap between them is cheaper to read than to skip. Pure: reading the spans from
 * a file or a process is the caller's job.
 */
#pragma once

#include "base/array.h"

#include <stdint.h>

struct span {
	uint64_t address;
	size_t length;
	size_t offset; /* of its bytes in the common buffer */
	size_t got;    /* bytes read, from its start; set by the reader */
	bool shared;   /* has pages shared with another process: see process/pagemap.h */
};

struct spans {
	struct array list; /* struct span */
	size_t total;      /* bytes of the common buffer */
	size_t gap;        /* largest gap, in bytes, that is read and discarded */
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
 * After a read: bytes behind the first unreadable one were not tried. Split each incomplete span at
 * the page boundaries behind its first missing byte; offsets do not change. True if there are
 * untried pieces now; false also when there is no memory.
 */
bool spans_split(struct spans *s, size_t page);

/* Were all bytes read? */
bool spans_whole(const struct spans *s);

/* How many bytes were read of the item with this buffer offset and length. */
size_t spans_got(const struct spans *s, size_t offset, size_t length);
