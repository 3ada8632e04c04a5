/*
 * The search for the free bytes of an evicted site. Pure.
 *
 * r0, r1 and r2 say where the jump at pc arrives (x), and they are the low 24 bits of the
 * displacement at pc+1, of which r3 chooses one of 256 places (y), 16 MiB apart:
 *
 *     x = pc+5 + e9 + (r0 << 8) + (r1 << 16) + (r2 << 24)
 *     y = pc+6 +  r0 + (r1 << 8) + (r2 << 16) + (r3 << 24)
 *
 * So one page can take x of many sites, and y of all sites of one page of code lies in one page,
 * then; or y of sites whose x are 1 MiB apart for each page of code between them.
 */
#include "count/tactics_evict.h"

#define EVICT_PAGES 512  /* that are tried for x, the newest ones */
#define EVICT_SOME 32    /* of them where y is in a new page */
#define EVICT_ONE 256    /* tries with that */
#define EVICT_TRIES 1024 /* of other bytes */
#define EVICT_ENOUGH 16  /* the best of so many */
#define EVICT_LEAST 64   /* tries of a site when those for all are spent */

static size_t evict_residue(uint64_t address)
{
	return address / TACTICS_PAGE % ((1 << 24) / TACTICS_PAGE);
}

void tactics_search_note(struct tactics_search *search, uint64_t address)
{
	search->pages[evict_residue(address)] = address - address % TACTICS_PAGE;
}

/* Where a displacement of these bytes arrives. */
static uint64_t evict_arrival(uint64_t end, const uint8_t bytes[4])
{
	int32_t displacement;

	memcpy(&displacement, bytes, sizeof displacement);
	return end + (uint64_t)(int64_t)displacement;
}

/* The displacement, and whether it fits; bytes: little-endian. */
static bool evict_displacement(uint64_t end, uint64_t arrival, uint8_t bytes[4])
{
	int64_t distance = (int64_t)(arrival - end);
	int32_t displacement = (int32_t)distance;

	memcpy(bytes, &displacement, sizeof displacement);
	return displacement == distance;
}

/* Where both jumps arrive with these bytes. */
static void evict_set(const struct tactics_eviction *e, const uint8_t bytes[TACTICS_FREE],
	struct tactics_set *set)
{
	struct tactics_code code = e->code;

	memcpy(code.bytes + 1, bytes, TACTICS_FREE);
	set->count = 0;
	tactics_set_jump(set, &code, 0, e->pc + 5, e->trampoline);
	tactics_set_jump(set, &code, 1, e->pc + 6, e->displaced);
}

/* Is all taken that one of the jumps can reach with any bytes? */
static bool evict_is_hopeless(const struct tactics_search *search, const struct tactics_eviction *e)
{
	struct tactics_set first, last;
	uint8_t bytes[TACTICS_FREE];

	memcpy(bytes, e->code.bytes + 1, TACTICS_FREE);
	memset(bytes, 0, e->free);
	evict_set(e, bytes, &first);
	memset(bytes, 0xff, e->free);
	evict_set(e, bytes, &last);
	for (size_t i = 0; i < first.count; i++) {
		const struct tactics_landing *l = &first.list[i];

		/* Bytes of a number with a sign that is not given: anywhere. */
		if (last.list[i].address < l->address || (e->expose && l->breakpoint))
			continue;
		if (tactics_space_covered(search->space, l->address, last.list[i].address + 1))
			return true;
	}
	return false;
}

/* Keep these bytes in `best` if all their landings fit, and better than before. */
static bool evict_try(const struct tactics_search *search, const struct tactics_eviction *e,
	const uint8_t bytes[TACTICS_FREE], struct tactics_eviction *best)
{
	struct tactics_set set;

	evict_set(e, bytes, &set);
	if (!tactics_set_fit(&set, search->space, &search->arena, e->expose))
		return false;
	if (!best->set.count || set.lost < best->set.lost ||
		(set.lost == best->set.lost && set.pages < best->set.pages)) {
		memcpy(best->bytes, bytes, TACTICS_FREE);
		best->set = set;
	}
	return true;
}

/*
 * The bytes with which x lies in a page, as the k-th of its places. False: out of reach, or they
 * are not free to be so.
 */
static bool evict_place(
	const struct tactics_eviction *e, uint64_t page, unsigned k, uint8_t bytes[TACTICS_FREE])
{
	uint64_t end = e->pc + 5, low = (end + ARCH_JUMP) & 0xff;
	uint8_t displacement[4];

	if (!evict_displacement(end, page + low + 256 * k, displacement))
		return false;
	memcpy(bytes, displacement + 1, 3);
	bytes[3] = e->code.bytes[4];
	return !memcmp(bytes + e->free, e->code.bytes + 1 + e->free, TACTICS_FREE - e->free);
}

/* Choose r3 so that y lies in a page of landings, too. */
static bool evict_share(const struct tactics_search *search, const struct tactics_eviction *e,
	uint8_t bytes[TACTICS_FREE])
{
	uint64_t end = e->pc + 6, y = evict_arrival(end, bytes), page;
	uint8_t displacement[4];

	if (e->free < TACTICS_FREE)
		return tactics_space_at(search->space, y) == TACTICS_SPACE_OURS;
	page = search->pages[evict_residue(y)];
	if (!page || !evict_displacement(end, page + y % TACTICS_PAGE, displacement))
		return false;
	bytes[3] = displacement[3];
	return true;
}

/* The i-th newest page of landings. */
static uint64_t evict_page(const struct tactics_search *search, size_t i)
{
	const struct array *pages = &search->space->pages;

	return ARRAY_AT(pages, struct tactics_page, pages->count - 1 - i)->address;
}

/* Both in pages of landings. */
static void evict_both(const struct tactics_search *search, const struct tactics_eviction *e,
	struct tactics_eviction *best)
{
	uint8_t bytes[TACTICS_FREE];

	for (size_t i = 0; i < search->space->pages.count && i < EVICT_PAGES; i++)
		for (unsigned k = 0; k < TACTICS_PAGE / 256; k++) {
			if (!evict_place(e, evict_page(search, i), k, bytes) ||
				!evict_share(search, e, bytes))
				break;
			if (evict_try(search, e, bytes, best) && !best->set.pages)
				return;
		}
}

/* x in a page of landings, y anywhere. */
static void evict_one(const struct tactics_search *search, const struct tactics_eviction *e,
	struct tactics_eviction *best)
{
	unsigned choices = e->free == TACTICS_FREE ? 256 : 1;
	uint8_t bytes[TACTICS_FREE];
	size_t tries = 0;

	for (size_t i = 0; i < search->space->pages.count && i < EVICT_SOME; i++)
		for (unsigned k = 0; k < TACTICS_PAGE / 256; k++) {
			if (!evict_place(e, evict_page(search, i), k, bytes))
				break;
			for (unsigned n = 0; n < choices && tries < EVICT_ONE; n++, tries++) {
				if (choices > 1)
					bytes[3] = (uint8_t)(n * 0x9d);
				if (evict_try(search, e, bytes, best))
					return;
			}
		}
}

/* All values of the free bytes, or some that are spread evenly over them. */
static void evict_any(struct tactics_search *search, const struct tactics_eviction *e,
	struct tactics_eviction *best)
{
	unsigned bits = 8 * (unsigned)e->free;
	uint64_t values = UINT64_C(1) << bits, step = UINT64_C(0x9e3779b9) >> (32 - bits) | 1;
	size_t tries = search->tries > EVICT_TRIES ? EVICT_TRIES : EVICT_LEAST, found = 0;

	tries = values <= 256 ? values : tries;
	for (size_t n = 0; n < tries && (found < EVICT_ENOUGH || values <= 256); n++) {
		uint32_t value = (uint32_t)(n * step % values);
		uint8_t bytes[TACTICS_FREE];

		memcpy(bytes, e->code.bytes + 1, TACTICS_FREE);
		memcpy(bytes, &value, e->free);
		found += evict_try(search, e, bytes, best);
		search->tries -= search->tries > 0;
	}
}

bool tactics_evict(struct tactics_search *search, struct tactics_eviction *e)
{
	struct tactics_eviction best;

	best.set.count = 0;
	if (evict_is_hopeless(search, e))
		return false;
	if (e->free > 1) {
		evict_both(search, e, &best);
		if (!best.set.count)
			evict_one(search, e, &best);
	}
	if (!best.set.count)
		evict_any(search, e, &best);
	if (!best.set.count)
		return false;
	memcpy(e->bytes, best.bytes, TACTICS_FREE);
	e->set = best.set;
	return true;
}
