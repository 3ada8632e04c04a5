/* The bytes of a journal: see journal.h. For those who write and read them alone. */
#ifndef PATCH_JOURNAL_FORMAT_H
#define PATCH_JOURNAL_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define JOURNAL_MAGIC "PTUIJ3\0"
#define JOURNAL_MAGIC_OLD "PTUIJ2\0" /* ends before `boot` */

#define JOURNAL_IS_LOCKED 1 /* by its owner, while the owner is alive */

struct journal_header {
	char magic[8];
	uint32_t target, owner;
	uint64_t target_start, target_program, owner_start, pids;
	uint64_t boot[2];
	uint32_t flags, unused;
};

#define JOURNAL_HEADER_OLD offsetof(struct journal_header, boot)

struct journal_block {
	uint32_t kind, count;
};

#endif
