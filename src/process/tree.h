/* Descendants of a process. The public call is probes_tree in probes.h. */
#pragma once

#include "base/array.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tree_link {
	pid_t pid, parent;
	uint64_t start_time; /* clock ticks since boot */
	bool forked;         /* no exec since its fork */
	char comm[16];       /* untrusted */
};

/*
 * Append every process (struct tree_link), without zombies and kernel threads. 0 or a negative
 * errno: /proc cannot be read, or a shortage would hide some.
 */
int tree_gather(struct array *links);

/*
 * Store `root` and its descendants, generation by generation, in `out` (space for `count`). Returns
 * their number; 0: root is not among the links. Sorts the links. Pure.
 */
size_t tree_descendants(struct tree_link *links, size_t count, pid_t root, pid_t *out);
