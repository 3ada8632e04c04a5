/*
 * arena_read over any bytes as the code and the data of a process, which change before the next
 * reading: whatever is accepted lies within the data.
 */
#include "count/arena.h"

#include "tests/fuzz/fuzz.h"

#define LARGEST (1u << 18)
#define CODE (UINT64_C(1) << 40) /* the address; in front of it, the same bytes again and again */

static const uint8_t *data;
static size_t data_size;
static uint8_t flip;

static int arena_fuzz_read(struct memory *m, struct spans *spans, unsigned char *buffer)
{
	(void)m;
	for (size_t i = 0; i < spans->list.count; i++) {
		struct span *s = ARRAY_AT(&spans->list, struct span, i);
		uint64_t at = s->address - CODE;
		size_t have = at < data_size ? data_size - at : 0;

		s->got = s->address < CODE || have > s->length ? s->length : have;
		for (size_t k = 0; k < s->got; k++)
			buffer[s->offset + k] = data[(s->address - CODE + k) % data_size] ^ flip;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct memory_ops ops = {.read = arena_fuzz_read};
	struct memory m = {.ops = &ops, .fd = -1};
	struct arena w;

	if (size > LARGEST || !size)
		return 0;
	data = bytes;
	data_size = size;
	flip = 0;
	if (arena_read(&w, &m, CODE, UINT64_MAX, NULL) != ARENA_FOUND)
		return 0;
	FUZZ_CHECK(w.data + w.data_size == CODE);
	FUZZ_CHECK(w.site_count <= ARENA_SITES && w.site_count * sizeof *w.sites <= size);
	flip = 0x5a;
	for (size_t i = 0; i < w.site_count; i++)
		(void)arena_watch(&w, i);
	(void)arena_refresh(&w, &m);
	for (size_t i = 0; i < w.site_count; i++) {
		FUZZ_CHECK(w.sites[i].length && w.sites[i].length <= ARCH_SITE_BYTES);
		FUZZ_CHECK(w.sites[i].counter + TACTICS_COUNTER_BYTES <= w.data_size);
		(void)arena_hits(&w, i);
	}
	arena_done(&w);
	return 0;
}
