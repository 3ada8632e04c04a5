#include "count/tactics_landings.h"

void tactics_set_jump(struct tactics_set *set, const struct tactics_code *code, size_t first,
	uint64_t end, uint64_t target)
{
	static const uint8_t of_site[] = {ARCH_NOP, ARCH_JUMP, ARCH_BREAKPOINT};
	size_t choices[4], total = 1;

	for (size_t i = 0; i < 4; i++) {
		set->anywhere |= code->call[first + i];
		choices[i] = code->site[first + i] ? 3 : code->start[first + i] ? 2 : 1;
		total *= choices[i];
	}
	for (size_t n = 0; n < total; n++) {
		size_t rest = n, breakpoints = 0;
		uint8_t bytes[4];
		int32_t displacement;

		for (size_t i = 0; i < 4; rest /= choices[i++]) {
			size_t choice = rest % choices[i];

			bytes[i] = code->bytes[first + i];
			if (code->site[first + i])
				bytes[i] = of_site[choice];
			else if (choice)
				bytes[i] = ARCH_BREAKPOINT, breakpoints++;
		}
		if (breakpoints > 1)
			continue;
		memcpy(&displacement, bytes, sizeof displacement);
		set->list[set->count++] =
			(struct tactics_landing){.address = end + (uint64_t)(int64_t)displacement,
				.target = target,
				.breakpoint = breakpoints};
	}
}

/* Is its place free, or unused in a page of landings? */
static bool tactics_set_place(const struct tactics_landing *l, const struct tactics_space *space,
	const struct tactics_range *arena)
{
	if (l->address % TACTICS_PAGE + l->size > TACTICS_PAGE ||
		(l->address >= arena->start && l->address < arena->end))
		return false;
	switch (tactics_space_at(space, l->address)) {
	case TACTICS_SPACE_FREE:
		return true;
	case TACTICS_SPACE_OURS:
		return tactics_space_unused(space, l->address, l->size);
	default:
		return false;
	}
}

bool tactics_set_fit(struct tactics_set *set, const struct tactics_space *space,
	const struct tactics_range *arena, bool expose)
{
	struct tactics_landing *list = set->list, *next = NULL;
	size_t first, count = 0;
	uint64_t last = UINT64_MAX;

	set->pages = set->lost = 0;
	if (set->anywhere && !expose)
		return false;
	for (size_t i = 0; i < set->count; i++) {
		struct tactics_landing one = list[i];
		size_t to = count;

		/* Leave out where breakpoints lead to what is somebody else's. */
		if (expose && one.breakpoint &&
			tactics_space_at(space, one.address) == TACTICS_SPACE_TAKEN)
			continue;
		for (; to && list[to - 1].address > one.address; to--)
			list[to] = list[to - 1];
		list[to] = one;
		count++;
	}
	set->lost = set->count - count + set->anywhere;
	set->count = count;
	/* From the last one on: each may go on to the next. */
	first = set->count;
	for (size_t i = set->count; i-- > 0;) {
		struct tactics_landing l = list[i];
		uint64_t room = next ? next->address - l.address : UINT64_MAX;
		uint8_t jump[ARCH_JUMP_BYTES];

		l.size = arch_jump(l.address, l.target, jump) ? ARCH_JUMP_BYTES
							      : ARCH_JUMP_FAR_BYTES;
		if (room < l.size) {
			if (next->target != l.target)
				return false;
			l.size = (uint8_t)room;
		}
		if (!room) {
			next->breakpoint &= l.breakpoint;
			continue;
		}
		if (!tactics_set_place(&l, space, arena))
			return false;
		next = &list[--first];
		*next = l;
		if (l.address / TACTICS_PAGE != last &&
			tactics_space_at(space, l.address) == TACTICS_SPACE_FREE)
			set->pages++;
		last = l.address / TACTICS_PAGE;
	}
	set->count -= first;
	memmove(list, list + first, set->count * sizeof *list);
	return true;
}

void tactics_write_landing(const struct tactics_landing *l, uint8_t out[TACTICS_LANDING_BYTES])
{
	uint8_t jump[ARCH_JUMP_BYTES];
	bool near = arch_jump(l->address, l->target, jump);

	memset(out, ARCH_NOP, TACTICS_LANDING_BYTES);
	if (near && l->size >= ARCH_JUMP_BYTES)
		memcpy(out, jump, sizeof jump);
	else if (l->size >= ARCH_JUMP_FAR_BYTES)
		arch_jump_far(l->target, out);
}

/*
 * ---- the free bytes of an evicted site ----
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
	tactics_set_init(set);
	tactics_set_jump(set, &code, 0, e->pc + 5, e->trampoline);
	tactics_set_jump(set, &code, 1, e->pc + 6, e->displaced);
}

/* Is all taken that one of the jumps can reach with any bytes? */
static bool evict_is_hopeless(const struct tactics_search *search, const struct tactics_eviction *e)
{
	struct tactics_set first, last;
	uint8_t bytes[TACTICS_FREE];

	if (!e->expose && memchr(e->code.call, true, sizeof e->code.call))
		return true;
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
	uint64_t end = e->pc + 6, y, page;
	uint8_t displacement[4];
	int32_t distance;

	memcpy(&distance, bytes, sizeof distance);
	y = end + (uint64_t)(int64_t)distance;
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
