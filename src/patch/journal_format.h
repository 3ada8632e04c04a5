/* The bytes of a journal: see journal.h. For those who write and read them alone. */
#ifndef PATCH_JOURNAL_FORMAT_H
#define PATCH_JOURNAL_FORMAT_H

#include <stdint.h>

#define JOURNAL_MAGIC "PTUIJ2\0"

struct journal_header {
	char magic[8];
	uint32_t target, owner;
	uint64_t target_start, target_program, owner_start, pids;
};

struct journal_block {
	uint32_t kind, count;
};

#endif
