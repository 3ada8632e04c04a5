/*
 * The address space of a process as the planner of tactics sees it: ranges that are taken, and
 * pages of landings, which are shared by sites and by plans. Pure.
 */
#pragma once

#include "base/array.h"

#include <stdint.h>

#define TACTICS_PAGE 4096

/* Where landings and arenas may lie: above vm.mmap_min_addr, and below the end of user addresses
 * (x86-64 with four levels of page tables; the kernel gives higher ones only to who asks). */
#define TACTICS_SPACE_START UINT64_C(0x10000)
#define TACTICS_SPACE_END UINT64_C(0x7ffffffff000)

/* Addresses that are in use, or must stay free: [start, end), multiples of a page. */
struct tactics_range {
	uint64_t start, end;
};

/* A page of landings. */
struct tactics_page {
	uint64_t address;
	uint8_t used[TACTICS_PAGE / 8]; /* one bit a byte */
};

/*
 * The address space of a process. Plans of several objects extend the same one. Both arrays are
 * ascending after each plan, and `taken` is disjoint then and holds the pages, too; what is taken
 * and noted in between stands in any order.
 */
struct tactics_space {
	struct array taken; /* struct tactics_range */
	struct array pages; /* struct tactics_page */
	struct array index; /* of pages, by address: private */
	size_t room; /* pages that may still be planned: each may need a mapping of its own */
};

void tactics_space_init(struct tactics_space *space);
void tactics_space_done(struct tactics_space *space);

/* Take a range; it may overlap what is taken already. False: no memory. */
bool tactics_take(struct tactics_space *space, uint64_t start, uint64_t end);

/* ---- for the planner ---- */

enum tactics_space_state {
	TACTICS_SPACE_TAKEN,
	TACTICS_SPACE_FREE,
	TACTICS_SPACE_OURS, /* a page of landings */
};

/* Sort the ranges and the pages, and take the pages, too. Needed before any of the functions below.
 * False: no memory. */
bool tactics_space_settle(struct tactics_space *space);

/* What is at an address? It need not be the start of a page. */
enum tactics_space_state tactics_space_at(const struct tactics_space *space, uint64_t address);

/* Is each address of the range taken, as far as the space was settled? In a long range there may
 * still be pages of landings. */
bool tactics_space_covered(const struct tactics_space *space, uint64_t start, uint64_t end);

/* Do these bytes of one page hold no landing? */
bool tactics_space_unused(const struct tactics_space *space, uint64_t address, size_t size);

/* Take bytes for a landing. False: no memory. */
bool tactics_space_land(struct tactics_space *space, uint64_t address, size_t size);

/*
 * A free range of `size` bytes, a multiple of a page, as near to [low, high) as possible, so that
 * both lie within `reach` bytes. 0: there is none.
 */
uint64_t tactics_space_near(const struct tactics_space *space, uint64_t low, uint64_t high,
	uint64_t size, uint64_t reach);
