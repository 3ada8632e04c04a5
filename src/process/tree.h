/* Who descends from whom. The public call is probes_tree in probes.h. Pure part: the choice. */
#ifndef PROCESS_TREE_H
#define PROCESS_TREE_H

#include "base/array.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tree_link {
	pid_t pid, parent;
	uint64_t start_time; /* clock ticks since boot */
	bool forked;         /* and called no exec since */
	char comm[16];       /* untrusted */
};

/*
 * Append every process (struct tree_link), without zombies and kernel threads. 0 or a negative
 * errno: /proc cannot be read, or a shortage of our own would have hidden some.
 */
int tree_gather(struct array *links);

/*
 * Order the links so that `root` comes first, then its descendants, generation by generation;
 * returns how many there are (0: root is not among them). Sorts the links.
 */
size_t tree_descendants(struct tree_link *links, size_t count, pid_t root, pid_t *out);

#endif
