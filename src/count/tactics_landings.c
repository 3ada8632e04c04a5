/* The landings of one site. Pure. */
#include "count/tactics_landings.h"

void tactics_set_jump(struct tactics_set *set, const struct tactics_code *code, size_t first,
	uint64_t end, uint64_t target)
{
	static const uint8_t of_site[] = {ARCH_NOP, ARCH_JUMP, ARCH_BREAKPOINT};
	size_t choices[4], total = 1;

	for (size_t i = 0; i < 4; i++) {
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

static void tactics_set_sort(struct tactics_set *set)
{
	for (size_t i = 1; i < set->count; i++) {
		struct tactics_landing moving = set->list[i];
		size_t to = i;

		for (; to && set->list[to - 1].address > moving.address; to--)
			set->list[to] = set->list[to - 1];
		set->list[to] = moving;
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

/* Leave out where breakpoints lead to what is somebody else's. */
static void tactics_set_expose(struct tactics_set *set, const struct tactics_space *space)
{
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++)
		if (!set->list[i].breakpoint ||
			tactics_space_at(space, set->list[i].address) != TACTICS_SPACE_TAKEN)
			set->list[count++] = set->list[i];
	set->lost = set->count - count;
	set->count = count;
}

bool tactics_set_fit(struct tactics_set *set, const struct tactics_space *space,
	const struct tactics_range *arena, bool expose)
{
	struct tactics_landing *list = set->list, *next = NULL;
	size_t first;
	uint64_t last = UINT64_MAX;

	set->pages = set->lost = 0;
	if (expose)
		tactics_set_expose(set, space);
	tactics_set_sort(set);
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
