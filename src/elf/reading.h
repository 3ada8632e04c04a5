/*
 * A limit on the memory of libdwfl, which has none of its own: half a megabyte of .gnu_debugdata
 * can expand to 3 GB. While it reads, our soft RLIMIT_AS limits what all open files take together;
 * it handles a failed allocation.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

struct reading {
	struct rlimit before;
	rlim_t size; /* of our address space; 0: no limit was set */
};

/*
 * Let libdwfl read between these two calls, in one thread at a time; any other begins when that
 * ends. *bytes grows by what our address space grew meanwhile, also by other threads; NULL: nothing
 * was opened. Who opened it gives them to reading_release in the end.
 */
void reading_begin(struct reading *r);
void reading_end(const struct reading *r, size_t *bytes);
void reading_release(size_t bytes);

/* Does all that is open take a quarter of the limit, so that what is not used should be closed? */
bool reading_crowded(void);
