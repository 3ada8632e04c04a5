/*
 * /proc/PID/maps, parsed. Pure: text in, mappings out. Source: proc_pid_maps(5), and
 * show_map_vma() in fs/proc/task_mmu.c: a newline in a path is written as \012.
 */
#ifndef PROCESS_MAPS_H
#define PROCESS_MAPS_H

#include "base/array.h"

#include <stdint.h>

struct mapping {
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* in the file, bytes */
	uint64_t inode;      /* 0: no file */
	unsigned major, minor;
	bool readable, writable, executable, shared;
	bool deleted;     /* the kernel says so behind the path */
	const char *path; /* "" if none; points into the parsed text */
};

/*
 * Parse the whole text, which is changed in place and must outlive the mappings (they point into
 * it). Lines that make no sense, or go back to lower addresses, are left out and counted: the array
 * ascends, and nothing in it overlaps. False only when there is no memory.
 */
bool maps_parse(char *text, struct array *mappings, size_t *malformed);

/* Texts with the same mark are taken as identical. */
uint64_t maps_mark(const char *text);

/*
 * Remove the lines without a file that are not executable (most lines of a large process), in
 * place, except those adjacent to a line that stays: they may be the .bss of a file. The text must
 * hold whole lines. Returns the bytes that are left.
 */
size_t maps_drop_anonymous(char *text, size_t size);

/* The mapping that holds an address, or NULL. */
const struct mapping *maps_find(const struct array *mappings, uint64_t address);

/* A range of writable addresses. */
struct maps_range {
	uint64_t start, end;
	bool shared; /* with other processes, or with the file */
};

/* Append them (struct maps_range), ascending, adjacent ones as one. False: no memory. */
bool maps_writable(const struct array *mappings, struct array *ranges);

/* The range that holds an address, or NULL. */
const struct maps_range *maps_range_at(const struct array *ranges, uint64_t address);

#endif
