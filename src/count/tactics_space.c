#include "count/tactics_space.h"

#include "base/order.h"

#include <xxhash.h>

#define TACTICS_SPACE_ROOM 16384 /* a quarter of the usual vm.max_map_count */
#define TACTICS_SPACE_FEW 17     /* pages of a range in which ours are looked for */

void tactics_space_init(struct tactics_space *space)
{
	space->taken = ARRAY_OF(struct tactics_range);
	space->pages = ARRAY_OF(struct tactics_page);
	space->index = ARRAY_OF(uint32_t);
	space->room = TACTICS_SPACE_ROOM;
}

void tactics_space_done(struct tactics_space *space)
{
	array_done(&space->taken);
	array_done(&space->pages);
	array_done(&space->index);
}

static uint64_t tactics_space_page(uint64_t address)
{
	return address & ~(uint64_t)(TACTICS_PAGE - 1);
}

bool tactics_take(struct tactics_space *space, uint64_t start, uint64_t end)
{
	const struct tactics_range range = {tactics_space_page(start),
		end > UINT64_MAX - TACTICS_PAGE ? UINT64_MAX
						: tactics_space_page(end + TACTICS_PAGE - 1)};

	return start >= end || array_push(&space->taken, &range);
}

/* ---- pages by address: a table of their indices + 1, at most half full, probed linearly ---- */

/* Where the index of the page stands, or a free place for it; the table is not empty. */
static uint32_t *tactics_space_place(const struct tactics_space *space, uint64_t page)
{
	size_t mask = space->index.count - 1;
	size_t at = XXH3_64bits(&page, sizeof page) & mask;

	for (;; at = (at + 1) & mask) {
		uint32_t *place = ARRAY_AT(&space->index, uint32_t, at);

		if (!*place ||
			ARRAY_AT(&space->pages, struct tactics_page, *place - 1)->address == page)
			return place;
	}
}

static struct tactics_page *tactics_space_find(const struct tactics_space *space, uint64_t address)
{
	uint32_t *place;

	if (!space->index.count)
		return NULL;
	place = tactics_space_place(space, tactics_space_page(address));
	return *place ? ARRAY_AT(&space->pages, struct tactics_page, *place - 1) : NULL;
}

/* Write the table anew, with `more` places for pages to come. */
static bool tactics_space_index(struct tactics_space *space, size_t more)
{
	size_t size = 64;

	while (size < 2 * (space->pages.count + more))
		size *= 2;
	if (size > UINT32_MAX)
		return false;
	if (size > space->index.count) {
		if (!array_reserve(&space->index, size - space->index.count))
			return false;
		space->index.count = size;
	}
	memset(space->index.data, 0, space->index.count * sizeof(uint32_t));
	for (size_t i = 0; i < space->pages.count; i++)
		*tactics_space_place(space,
			ARRAY_AT(&space->pages, struct tactics_page, i)->address) = (uint32_t)i + 1;
	return true;
}

bool tactics_space_settle(struct tactics_space *space)
{
	struct tactics_range *ranges;
	size_t count = 0;

	if (!order_array(&space->pages, offsetof(struct tactics_page, address)) ||
		!tactics_space_index(space, 0))
		return false;
	for (size_t i = 0; i < space->pages.count; i++) {
		uint64_t page = ARRAY_AT(&space->pages, struct tactics_page, i)->address;

		if (!tactics_take(space, page, page + 1))
			return false;
	}
	ranges = space->taken.data;
	if (!order_array(&space->taken, offsetof(struct tactics_range, start)))
		return false;
	for (size_t i = 0; i < space->taken.count; i++) {
		if (count && ranges[i].start <= ranges[count - 1].end) {
			if (ranges[i].end > ranges[count - 1].end)
				ranges[count - 1].end = ranges[i].end;
		} else {
			ranges[count++] = ranges[i];
		}
	}
	space->taken.count = count;
	return true;
}

/* The first range that ends behind the address, or NULL. */
static const struct tactics_range *tactics_space_range(
	const struct tactics_space *space, uint64_t address)
{
	size_t at = order_find(&space->taken, offsetof(struct tactics_range, end), address + 1);

	return at < space->taken.count ? ARRAY_AT(&space->taken, struct tactics_range, at) : NULL;
}

enum tactics_space_state tactics_space_at(const struct tactics_space *space, uint64_t address)
{
	const struct tactics_range *range;

	if (address < TACTICS_SPACE_START || address >= TACTICS_SPACE_END)
		return TACTICS_SPACE_TAKEN;
	if (tactics_space_find(space, address))
		return TACTICS_SPACE_OURS;
	range = tactics_space_range(space, address);
	return range && range->start <= address ? TACTICS_SPACE_TAKEN : TACTICS_SPACE_FREE;
}

bool tactics_space_covered(const struct tactics_space *space, uint64_t start, uint64_t end)
{
	const struct tactics_range *range = tactics_space_range(space, start);

	if (end <= TACTICS_SPACE_START || start >= TACTICS_SPACE_END)
		return true;
	if (!range || range->start > start || range->end < end)
		return false;
	if (end - start <= TACTICS_SPACE_FEW * TACTICS_PAGE)
		for (uint64_t at = tactics_space_page(start); at < end; at += TACTICS_PAGE)
			if (tactics_space_find(space, at))
				return false;
	return true;
}

bool tactics_space_unused(const struct tactics_space *space, uint64_t address, size_t size)
{
	const struct tactics_page *page = tactics_space_find(space, address);

	for (uint64_t at = address; page && at < address + size; at++)
		if (page->used[at % TACTICS_PAGE / 8] & 1 << at % 8)
			return false;
	return true;
}

bool tactics_space_land(struct tactics_space *space, uint64_t address, size_t size)
{
	struct tactics_page *page = tactics_space_find(space, address);

	if (!page) {
		if (2 * (space->pages.count + 1) > space->index.count &&
			!tactics_space_index(space, space->pages.count + 1))
			return false;
		page = array_add(&space->pages);
		if (!page)
			return false;
		page->address = tactics_space_page(address);
		*tactics_space_place(space, page->address) = (uint32_t)space->pages.count;
	}
	for (uint64_t at = address; at < address + size; at++)
		page->used[at % TACTICS_PAGE / 8] |= (uint8_t)(1 << at % 8);
	return true;
}

uint64_t tactics_space_near(const struct tactics_space *space, uint64_t low, uint64_t high,
	uint64_t size, uint64_t reach)
{
	uint64_t start = TACTICS_SPACE_START, best = 0, nearest = reach;

	low = tactics_space_page(low);
	high = tactics_space_page(high + TACTICS_PAGE - 1);
	if (high - low > reach || size > reach - (high - low))
		return 0;
	nearest = reach - (high - low) - size;
	for (size_t i = 0; i <= space->taken.count && start < TACTICS_SPACE_END; i++) {
		static const struct tactics_range last = {TACTICS_SPACE_END, TACTICS_SPACE_END};
		const struct tactics_range *next =
			i < space->taken.count ? ARRAY_AT(&space->taken, struct tactics_range, i)
					       : &last;
		uint64_t end = next->start < TACTICS_SPACE_END ? next->start : TACTICS_SPACE_END;
		uint64_t below = end < low ? end : low, above = start > high ? start : high;

		/* The part of this gap below the object, and the one above it. */
		if (below > start && below - start >= size && low - below <= nearest) {
			best = below - size;
			nearest = low - below;
		}
		if (end > above && end - above >= size && above - high <= nearest) {
			best = above;
			nearest = above - high;
		}
		start = next->end > start ? next->end : start;
	}
	return best;
}
