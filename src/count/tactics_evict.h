/*
 * The search for the free bytes of an evicted site. Two jumps are made of them, which must both
 * arrive where nothing else is; every new page of landings is a mapping, so pages that are planned
 * already are preferred. Pure, and bounded for each site.
 */
#ifndef COUNT_TACTICS_EVICT_H
#define COUNT_TACTICS_EVICT_H

#include "count/tactics_landings.h"

#define TACTICS_FREE 4 /* r0 to r3: code.bytes[1] to [4] */

/* What all searches of a plan have in common. */
struct tactics_search {
	const struct tactics_space *space;
	struct tactics_range arena;
	size_t tries; /* left for all */
	/* A page of landings, by the number of the page modulo 16 MiB; 0: none. */
	uint64_t pages[(1 << 24) / TACTICS_PAGE];
};

struct tactics_eviction {
	/* In. */
	uint64_t pc, trampoline, displaced;
	struct tactics_code code; /* bytes[0] is the jump */
	size_t free;              /* so many of the free bytes may be chosen */
	bool expose;              /* landings of breakpoints may have no place */

	/* Out. */
	uint8_t bytes[TACTICS_FREE];
	struct tactics_set set;
};

void tactics_search_note(struct tactics_search *search, uint64_t address);

/* False: nothing was found. */
bool tactics_evict(struct tactics_search *search, struct tactics_eviction *e);

#endif
