/*
 * Which addresses of a process are free for landings and counters: neither mapped, nor where its
 * heap or a stack may grow.
 */
#pragma once

#include "count/tactics.h"
#include "process/identity.h"

#define SPACE_HEAP ((uint64_t)64 << 20)      /* kept free above the heap */
#define SPACE_STACK ((uint64_t)1 << 20)      /* kept free below a stack, beyond its limit */
#define SPACE_STACK_MOST ((uint64_t)1 << 30) /* taken for a stack without a limit */

/*
 * What the kernel says of a process, as text: maps, limits and stat of /proc/PID. Pure; `maps` is
 * modified. False: no memory. *mappings: their number.
 */
bool space_parse(struct tactics_space *space, char *maps, const char *limits, const char *stat,
	size_t *mappings);

/* The same, of a process. *mappings_left: how many it may add (vm.max_map_count). */
int space_read(const struct identity *who, struct tactics_space *space, size_t *mappings_left,
	struct probes_error *e);

enum space_limit { SPACE_ADDRESSES, SPACE_LOCKED };

/*
 * Do limits and status of /proc/PID permit so many bytes more? A limit that only just permits them
 * would make the next mapping of the process itself fail. Pure. *left: bytes; UINT64_MAX: no limit.
 */
bool space_spares(const char *limits, const char *status, enum space_limit which, uint64_t bytes,
	uint64_t *left);

/* The same, of a process: refused, or 0. */
int space_check(
	const struct identity *who, enum space_limit which, uint64_t bytes, struct probes_error *e);

/* Append where the process has counters (struct maps_arena). */
int space_arenas(const struct identity *who, struct array *arenas, struct probes_error *e);

/* Does the process of this /proc directory map the arena of that inode, at that address (0: at
 * any)? 1 or 0; or a negative errno: its maps cannot be read. */
int space_has_arena(int proc, uint64_t inode, uint64_t address);
