/*
 * /proc/PID/maps, parsed. Pure: text in, mappings out. Source: proc_pid_maps(5), and
 * show_map_vma() in fs/proc/task_mmu.c: a newline in a path is written as \012.
 */
#pragma once

#include "base/array.h"

#include <stdint.h>

#define MAPS_ARENA "probes-tui" /* the name given to memfd_create */

struct mapping {
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* in the file, bytes */
	uint64_t inode;      /* 0: no file */
	unsigned major, minor;
	bool readable, writable, executable, shared;
	bool deleted;     /* the kernel marks the path with " (deleted)" */
	const char *path; /* "" if none; points into the parsed text */
};

/*
 * Parse the whole text, which is modified in place and must outlive the mappings (they point into
 * it). Malformed lines, and lines with an address below the previous end, are skipped and counted:
 * the array is ascending and without overlaps. False only when there is no memory.
 */
bool maps_parse(char *text, struct array *mappings, size_t *malformed);

/* Do both map the same file? */
bool maps_share_file(const struct mapping *x, const struct mapping *y);

/*
 * Is it memory that this program mapped there to count hits (memfd_create(2))? Any process may give
 * that name to its own memory.
 */
bool maps_is_arena(const struct mapping *m);

/* Where the code of counters is mapped first. Forked children have the same inode. */
struct maps_arena {
	uint64_t address, inode;
	uint64_t size; /* bytes of its memfd that are mapped, here or elsewhere */
};

/* Fill an empty array with them (struct maps_arena), by address, each memory once. False: no
 * memory. */
bool maps_arenas(const struct array *mappings, struct array *arenas);

/* Bytes that are mapped of such a memory. */
uint64_t maps_arena_size(const struct array *mappings, uint64_t inode);

/* Cut " (deleted)" off a path; false where it has none. */
bool maps_strip_deleted(char *path);

/*
 * Remove the lines without a file that are not executable (most lines of a large process), in
 * place, except those adjacent to a kept line: they may be the .bss of a file. The text must
 * consist of whole lines. Returns the bytes that are left.
 */
size_t maps_drop_anonymous(char *text, size_t size);

/* The mapping that holds an address, or NULL. */
const struct mapping *maps_find(const struct array *mappings, uint64_t address);

/* A range of writable addresses. */
struct maps_range {
	uint64_t start, end;
	bool shared; /* with other processes, or with the file */
};

/* Append the writable ranges (struct maps_range), ascending, adjacent ones merged. False: no
 * memory. */
bool maps_writable(const struct array *mappings, struct array *ranges);

/* The range that holds an address, or NULL. */
const struct maps_range *maps_range_at(const struct array *ranges, uint64_t address);

/*
 * Where a mapped file lies in a process: identifies the object again in a later reading of maps,
 * without reading the file.
 */
struct maps_location {
	unsigned major, minor;
	uint64_t inode;  /* 0: not from maps */
	uint64_t base;   /* page address of the first segment */
	uint64_t text;   /* page address of the first executable segment; 0: the file is not used,
			    and any of its mappings matches */
	uint64_t offset; /* page offset of that segment in the file */
};

/* Is it a mapping of the same file? */
bool maps_same_file(const struct maps_location *l, const struct mapping *m);

/*
 * Is the object still mapped at this location? Protections may have changed, and its text may have
 * moved to anonymous memory. *deleted: the kernel marks its file as deleted now.
 */
bool maps_still_there(const struct maps_location *l, const struct array *mappings, bool *deleted);

/* Can this executable mapping not begin another object: it belongs to this one, or has no start? */
bool maps_accounts_for(const struct maps_location *l, const struct mapping *m);
