/* Landings: where the jumps of one site arrive, for each value that their bytes can take. Pure. */
#pragma once

#include "arch/arch.h"
#include "count/tactics_space.h"

#define TACTICS_LANDING_BYTES ARCH_JUMP_FAR_BYTES /* at most */

/*
 * A jump, or nothing at all, up to the next landing of the same site, which jumps. Its bytes lie in
 * one page.
 */
struct tactics_landing {
	uint64_t address;
	uint64_t target; /* in the arena */
	uint8_t size;    /* of its code */
	bool breakpoint; /* reached only while another tool holds an instruction behind the site */
};

/* The code of a landing: the first l->size bytes. */
void tactics_write_landing(const struct tactics_landing *l, uint8_t out[TACTICS_LANDING_BYTES]);

/* ---- for the planner ---- */

#define TACTICS_RELIED 5

/* The bytes behind a site, of which the displacements of its jumps are made: pc+1 to pc+5. */
struct tactics_code {
	uint8_t bytes[TACTICS_RELIED];
	bool start[TACTICS_RELIED]; /* an instruction may begin here: a breakpoint may hold it */
	bool site[TACTICS_RELIED];  /* the first byte of another site: counted, held, or neither */
	bool call[TACTICS_RELIED];  /* a uprobe here becomes a call: it and what follows, any bytes
				     */
};

/* At most each of the four bytes of one displacement is the first of a site. */
#define TACTICS_SET (3 * 3 * 3 * 3)

/* The landings of one site. */
struct tactics_set {
	struct tactics_landing list[TACTICS_SET];
	size_t count;
	size_t pages;  /* that must be mapped for them, and were not planned before */
	size_t lost;   /* landings of breakpoints that have no place */
	bool anywhere; /* a uprobe may lead it anywhere */
};

static inline void tactics_set_init(struct tactics_set *set)
{
	set->count = 0;
	set->anywhere = false;
}

/* Add where the jump whose displacement is code->bytes[first] and the next three arrives; it ends
 * at `end`. */
void tactics_set_jump(struct tactics_set *set, const struct tactics_code *code, size_t first,
	uint64_t end, uint64_t target);

/*
 * Sort the landings and choose their sizes. False: two of them cannot lie so near each other, or
 * one lies where something else is: in the space or in `arena`. expose: of breakpoints it may.
 */
bool tactics_set_fit(struct tactics_set *set, const struct tactics_space *space,
	const struct tactics_range *arena, bool expose);

/*
 * ---- the search for the free bytes of an evicted site: two jumps are made of them, which must
 * both arrive where nothing else is. Every new page of landings is a mapping, so pages that are
 * planned already are preferred. Bounded for each site ----
 */

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
