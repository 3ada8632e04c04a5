/*
 * The planner of tactics: any code, any sites in it, any address space, and whatever an earlier
 * plan has left there. Every plan keeps its promises: see tests/unit/tactics_check.h. A second plan
 * of the same sites lives with the first.
 *
 * The bytes: terms, base, ranges (8 bytes each), landings (6), sites (2), and the code.
 */
#include "tests/unit/tactics_check.h"

#include "tests/fuzz/fuzz.h"

#define SITES 12
#define CODE 256

struct input {
	const uint8_t *bytes;
	size_t left;
};

/* The next bytes as a number; 0 behind the end. */
static uint64_t next(struct input *in, size_t size)
{
	uint64_t value = 0;

	size = size < in->left ? size : in->left;
	memcpy(&value, in->bytes, size);
	in->bytes += size;
	in->left -= size;
	return value;
}

static uint64_t base_of(uint8_t which)
{
	static const uint64_t bases[] = {0x7f1234560000, 0x400000, 0x10000, 0, 0x80000000,
		0x555555554000, 0x7fffffffe000, 0x7ffffffff000, 0xfffffffffffff000,
		0xffffffffffffff00};

	return bases[which % (sizeof bases / sizeof *bases)] + (which & 0x80 ? 0xff0 : 0x100);
}

static void fill_space(struct tactics_space *space, uint64_t base, struct input *in)
{
	for (uint64_t count = next(in, 1) % 16; count; count--) {
		uint64_t start = base + (uint64_t)(int64_t)(int32_t)next(in, 4);

		FUZZ_CHECK(tactics_take(space, start, start + (next(in, 4) << 4)));
	}
	for (uint64_t count = next(in, 1) % 8; count; count--) {
		uint64_t start = base + (uint64_t)(int64_t)(int32_t)next(in, 4);

		FUZZ_CHECK(tactics_space_land(space, start, (uint8_t)next(in, 2)));
	}
}

static void plan(struct tactics *t, struct tactics_space *space)
{
	struct tactics_before before;
	const char *broken;

	tactics_before_init(&before, space);
	FUZZ_CHECK(tactics_plan(t, space));
	broken = tactics_check(t, &before, space);
	if (broken)
		fprintf(stderr, "%s\n", broken);
	FUZZ_CHECK(!broken);
	tactics_before_done(&before);
	tactics_done(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = {bytes, size};
	uint64_t terms = next(&in, 1), base = base_of((uint8_t)next(&in, 1)), at = 0;
	struct tactics_site sites[SITES] = {0};
	struct tactics t = {.sites = sites,
		.low = base & ~UINT64_C(0xfff),
		.high = base + (terms & 1 ? 0x1000 : 0x10000000),
		.may_evict = terms & 2,
		.may_expose = terms & 4,
		.shadow_stack = terms & 8,
		.wide_nop = terms & 128 ? 5 : 0,
		.head_size = terms & 16 ? 5000 : 0};
	struct tactics_space space;
	uint8_t code[CODE] = {0};

	tactics_space_init(&space);
	fill_space(&space, base, &in);
	if (terms & 32)
		space.room = terms >> 6;
	for (uint64_t count = next(&in, 1) % SITES; t.count < count; t.count++) {
		uint64_t flags = next(&in, 1);

		sites[t.count] = (struct tactics_site){.address = at,
			.wanted = flags & 1,
			.whole = (flags & 14) == 14,
			.semaphore = base + flags * 16,
			.handler = flags & 16 ? base : flags,
			.code_size = (uint8_t)(flags & 16 ? flags >> 5 : 32)};
		at += next(&in, 1) % 32;
	}
	memcpy(code, in.bytes, in.left < CODE ? in.left : CODE);
	for (size_t i = 0; i < t.count; i++) {
		struct tactics_site *s = &sites[i];

		memcpy(s->code, code + s->address % (CODE - TACTICS_BYTES), TACTICS_BYTES);
		s->address += base;
	}
	for (size_t i = 0; i < t.count; i++)
		t.count = sites[i].address < base ? i : t.count;

	plan(&t, &space);
	for (size_t i = 0; i < t.count; i++)
		sites[i].wanted = true;
	plan(&t, &space);
	tactics_space_done(&space);
	return 0;
}
