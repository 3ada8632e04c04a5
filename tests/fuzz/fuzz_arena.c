/*
 * arena_read over any bytes as the data of a process, which change before the next reading:
 * whatever is accepted lies within the data.
 */
#include "count/arena.h"

#include "tests/fuzz/fuzz.h"

#define LARGEST (1u << 18)

static const uint8_t *data;
static size_t data_size;
static uint8_t flip;

static int arena_fuzz_read(struct memory *m, struct spans *spans, unsigned char *buffer)
{
	(void)m;
	for (size_t i = 0; i < spans->list.count; i++) {
		struct span *s = ARRAY_AT(&spans->list, struct span, i);
		size_t have = s->address < data_size ? data_size - s->address : 0;

		s->got = have < s->length ? have : s->length;
		for (size_t k = 0; k < s->got; k++)
			buffer[s->offset + k] = data[s->address + k] ^ flip;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct memory_ops ops = {.read = arena_fuzz_read};
	struct memory m = {.ops = &ops, .fd = -1};
	struct arena w;

	if (size > LARGEST)
		return 0;
	data = bytes;
	data_size = size;
	flip = 0;
	if (arena_read(&w, &m, 0, UINT64_MAX, NULL) != ARENA_FOUND)
		return 0;
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
