/*
 * Covers count/window and count/space: what is made of a plan, and what is read back of a process
 * that may have written anything there; where nothing may be mapped.
 */
#include "count/space.h"
#include "count/window.h"

#include "suites.h"
#include "world.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_AT 0x7f0000000000u
#define DATA_SIZE (2 * TACTICS_PAGE + TACTICS_STATE_BYTES)

static struct tactics plan;
static struct tactics_site sites[3];
static struct tactics_landing landings[3];
static uint8_t code[TACTICS_PAGE];
static struct world world;

/* Two of three sites are planned; three landings lie in two pages, not in order. */
static void set_up(void)
{
	memset(sites, 0, sizeof sites);
	for (size_t i = 0; i < 3; i++) {
		sites[i].address = 0x400100 + 0x100 * i;
		sites[i].wanted = i != 1;
		sites[i].tactic = PROBES_TACTIC_PUNNED;
		sites[i].length = 1;
		memset(sites[i].code, 0x90, sizeof sites[i].code);
		memset(sites[i].bytes, 0x90, sizeof sites[i].bytes);
		sites[i].bytes[0] = 0xe9;
		sites[i].counter = WINDOW_AT + TACTICS_PAGE + 1024 + i / 2 * TACTICS_COUNTER_BYTES;
	}
	memset(code, 0xaa, sizeof code);
	landings[0] = (struct tactics_landing){
		.address = 0x500ff0, .target = WINDOW_AT + 3 * TACTICS_PAGE, .size = 5};
	landings[1] = (struct tactics_landing){
		.address = 0x503010, .target = 0x7e0000000000u, .size = 14};
	landings[2] = (struct tactics_landing){
		.address = 0x500010, .target = WINDOW_AT + 3 * TACTICS_PAGE, .size = 5};
	plan = (struct tactics){.sites = sites,
		.count = 3,
		.planned = 2,
		.window = WINDOW_AT,
		.data_size = DATA_SIZE,
		.code_size = sizeof code,
		.code = code,
		.landings = {landings, 3, 3, sizeof landings[0]}};
}

/* A window as another session finds it: a process with the bytes of the file. */
static void make(struct window *w, struct array *pages)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(window_make(w, fd, &plan, false, 7, pages), 0);
	ck_assert_int_ne(ftruncate(fd, 0), 0);
	close(fd);
}

START_TEST(made_of_a_plan)
{
	struct array pages;
	struct window w;
	uint8_t jump[TACTICS_LANDING_BYTES];

	make(&w, &pages);
	ck_assert_uint_eq(w.address, WINDOW_AT + TACTICS_PAGE);
	ck_assert_uint_eq(w.site_count, 2);
	ck_assert_uint_eq(w.sites[0].address, 0x400100);
	ck_assert_uint_eq(w.sites[1].address, 0x400300);
	ck_assert_uint_eq(w.sites[1].counter, 1024 + TACTICS_COUNTER_BYTES);
	ck_assert_uint_eq(w.sites[1].new_[0], 0xe9);
	ck_assert_uint_eq(w.sites[1].old[0], 0x90);
	ck_assert_uint_eq(pages.count, 2);
	ck_assert_uint_eq(*ARRAY_AT(&pages, uint64_t, 0), 0x500000);
	ck_assert_uint_eq(*ARRAY_AT(&pages, uint64_t, 1), 0x503000);
	ck_assert_uint_eq(w.file_size, DATA_SIZE + TACTICS_PAGE + 2 * TACTICS_PAGE);
	ck_assert_int_eq(memcmp(w.file + DATA_SIZE, code, sizeof code), 0);
	for (size_t i = 0; i < 3; i++) {
		size_t at = DATA_SIZE + TACTICS_PAGE +
			    (landings[i].address - 0x500000 > 0x1000) * TACTICS_PAGE;

		tactics_write_landing(&landings[i], jump);
		ck_assert_int_eq(memcmp(w.file + at + landings[i].address % TACTICS_PAGE, jump,
					 landings[i].size),
			0);
	}
	array_done(&pages);
	window_done(&w);
}
END_TEST

static void put(const struct window *w, size_t at, uint64_t value)
{
	memcpy(w->file + at, &value, sizeof value);
}

/* Hits of all threads are summed; from a restart on they count from 0. */
START_TEST(hits)
{
	struct array pages;
	struct window w;

	make(&w, &pages);
	ck_assert_uint_eq(window_hits(&w, 0), 0);
	put(&w, w.sites[0].counter, 5);
	for (size_t i = 0; i < TACTICS_SLOTS; i++)
		put(&w, w.sites[0].counter + TACTICS_SLOTS_AT + i * sizeof(struct arch_slot) + 8,
			i);
	ck_assert_uint_eq(window_hits(&w, 0), 5 + TACTICS_SLOTS * (TACTICS_SLOTS - 1) / 2);
	ck_assert_uint_eq(window_hits(&w, 1), 0);
	window_restart(&w, NULL, 0);
	ck_assert_uint_eq(window_hits(&w, 0), 0);
	put(&w, w.sites[0].counter, 8);
	ck_assert_uint_eq(window_hits(&w, 0), 3);
	array_done(&pages);
	window_done(&w);
}
END_TEST

/* What another session reads of it, and of the same bytes where the process has changed one. */
START_TEST(read_by_others)
{
	struct memory *m = &world.fake.memory;
	struct window w, other;
	struct array pages;
	size_t refused = 0;

	make(&w, &pages);
	put(&w, w.sites[1].counter, 7);
	world_begin(&world);
	world.fake.regions[0] =
		(struct fake_region){.address = w.address, .size = w.data_size, .bytes = w.file};
	world.fake.region_count = 1;
	ck_assert(window_read(&other, m, w.address, w.file_size));
	ck_assert_uint_eq(other.site_count, 2);
	ck_assert_uint_eq(other.serial, 7);
	ck_assert_int_eq(memcmp(other.sites, w.sites, 2 * sizeof *w.sites), 0);
	ck_assert_uint_eq(window_hits(&other, 1), 7);
	put(&w, w.sites[1].counter, 9);
	put(&w, w.sites[0].counter, 5);
	ck_assert_uint_eq(window_hits(&other, 1), 7);
	/* Only what is watched is read. */
	ck_assert(window_refresh(&other, m));
	ck_assert_uint_eq(window_hits(&other, 1), 7);
	window_watch(&other, 1);
	window_watch(&other, 1);
	ck_assert(window_refresh(&other, m));
	ck_assert_uint_eq(window_hits(&other, 1), 9);
	ck_assert_uint_eq(window_hits(&other, 0), 0);
	window_watch(&other, 0);
	ck_assert(window_refresh(&other, m));
	ck_assert_uint_eq(window_hits(&other, 0), 5);
	ck_assert_uint_eq(window_hits(&other, 1), 9);
	/* It begins at the hits of now, not at those that were read last. */
	put(&w, w.sites[1].counter, 12);
	window_restart(&other, m, 1);
	ck_assert(window_refresh(&other, m));
	ck_assert_uint_eq(window_hits(&other, 1), 0);
	window_done(&other);
	ck_assert(!window_read(&other, m, w.address + 64, w.file_size));
	ck_assert(!window_read(&other, m, 0x1000, w.file_size));
	/* A part of it is not mapped: a jump would lead nowhere. */
	ck_assert(!window_read(&other, m, w.address, w.file_size - TACTICS_PAGE));
	for (size_t at = 0; at < window_head_size(2); at++) {
		w.file[at] ^= 0xff;
		if (window_read(&other, m, w.address, w.file_size)) {
			for (size_t i = 0; i < other.site_count; i++)
				(void)window_hits(&other, i);
			window_done(&other);
		} else {
			refused++;
		}
		w.file[at] ^= 0xff;
	}
	ck_assert_uint_ge(refused, 8 + 8 + 6);
	world.fake.region_count = 0; /* not the world's to free */
	world_end(&world);
	array_done(&pages);
	window_done(&w);
}
END_TEST

/* The maker and another session measure there in turn; counters and state are apart. */
START_TEST(measured_in_turn)
{
	const struct recorder_role role = {.what = RECORDER_END, .size = 4};
	const struct recorder_state values = {.epoch = 1, .session = 42, .tid = 720};
	struct memory *m = &world.fake.memory;
	struct recorder_state *state;
	struct recorder_sum sum;
	struct window w, other;
	struct array pages;

	make(&w, &pages);
	world_begin(&world);
	world.fake.regions[0] =
		(struct fake_region){.address = w.address, .size = w.data_size, .bytes = w.file};
	world.fake.region_count = 1;
	ck_assert(window_read(&other, m, w.address, w.file_size));
	state = (struct recorder_state *)(w.file + w.data_size - TACTICS_STATE_BYTES);
	for (int round = 0; round < 2; round++) {
		struct window *one = round ? &other : &w;

		memset(state, 0xaa, TACTICS_STATE_BYTES);
		put(&w, w.sites[0].counter, 5);
		ck_assert(window_measure(one, m, &values));
		ck_assert_uint_eq(window_measured_by(one, m), 42);
		ck_assert_uint_eq(state->tid, 720);
		ck_assert_uint_eq(window_cookie(one), WINDOW_AT);
		ck_assert_uint_eq(window_state(one), w.address + ((uint8_t *)state - w.file));
		ck_assert(window_measured(one, m, false, false, &sum));
		ck_assert_uint_eq(sum.matched + sum.open + sum.lost + sum.nested, 0);
		state->slots[RECORDER_SLOTS - 1] = (struct recorder_slot){.owner = 1,
			.nested = 2,
			.least = 3,
			.most = 4,
			.epoch = 1,
			.buckets = {[RECORDER_BUCKETS - 1] = 9}};
		ck_assert(window_measured(one, m, false, true, &sum));
		ck_assert_uint_eq(sum.matched, 9);
		ck_assert_uint_eq(sum.nested, 2);
		ck_assert_uint_eq(sum.least, 3);
		ck_assert(window_measured(one, m, false, true, &sum));
		ck_assert_uint_eq(sum.least, UINT64_MAX);
		window_unmeasure(one, m);
		ck_assert_uint_eq(window_measured_by(one, m), 0);
		ck_assert(window_set_role(one, m, 1, &role));
		ck_assert_mem_eq(w.file + w.sites[1].counter + TACTICS_ROLE_AT, &role, sizeof role);
		/* Who counts anew does not measure. */
		window_restart(one, m, 1);
		ck_assert_uint_eq(w.file[w.sites[1].counter + TACTICS_ROLE_AT], 0);
		ck_assert_uint_eq(*(uint64_t *)(w.file + w.sites[0].counter), 5);
	}
	window_done(&other);
	world.fake.region_count = 0; /* not the world's to free */
	world_end(&world);
	array_done(&pages);
	window_done(&w);
}
END_TEST

/* The state has memory only once a pair is measured, or if the process locks what it maps. */
START_TEST(state_has_no_memory)
{
	for (int locked = 0; locked < 2; locked++) {
		int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		struct array pages;
		struct window w;
		struct stat st;

		ck_assert_int_eq(window_make(&w, fd, &plan, locked, 1, &pages), 0);
		ck_assert_int_eq(fstat(fd, &st), 0);
		ck_assert_uint_eq((uint64_t)st.st_blocks * 512,
			w.file_size - (locked ? 0 : TACTICS_STATE_BYTES));
		close(fd);
		array_done(&pages);
		window_done(&w);
	}
}
END_TEST

#ifdef HAVE_ZYDIS
/* A stub that has moved an instruction is not used before another one. */
START_TEST(the_same_instruction)
{
	/* nop; mov $imm64, %rax */
	static const uint8_t text[] = {0x90, 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8, 0x90, 0x90};
	uint8_t other[sizeof text];
	struct array pages;
	struct window w;

	sites[0].tactic = PROBES_TACTIC_EVICTED;
	sites[0].length = ARCH_SITE_BYTES;
	sites[0].code_size = sizeof text;
	memcpy(sites[0].code, text, sizeof text);
	make(&w, &pages);
	ck_assert(window_fits(&w, 0, text, sizeof text));
	for (size_t i = 1; i < sizeof text; i++) {
		memcpy(other, text, sizeof text);
		other[i] ^= 1;
		ck_assert_int_eq(window_fits(&w, 0, other, sizeof other), i > 10);
	}
	ck_assert(!window_fits(&w, 0, text, 10));
	ck_assert(!window_fits(&w, 0, text, 0));
	ck_assert(window_fits(&w, 1, text, 0)); /* one byte: it moved nothing */
	array_done(&pages);
	window_done(&w);
}
END_TEST
#endif

/* ---- space ---- */

static const char space_maps[] = "00400000-00402000 r-xp 00000000 fe:01 18 /a\n"
				 "01000000-01021000 rw-p 00000000 00:00 0 [heap]\n"
				 "7f0000000000-7f0000001000 r-xp 00000000 fe:01 19 /b\n"
				 "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]\n";
static const char space_limits[] =
	"Limit                     Soft Limit           Hard Limit           Units\n"
	"Max stack size            8388608              unlimited            bytes\n";

static bool space_holds(const struct tactics_space *space, uint64_t address)
{
	for (size_t i = 0; i < space->taken.count; i++) {
		const struct tactics_range *r = ARRAY_AT(&space->taken, struct tactics_range, i);

		if (address >= r->start && address < r->end)
			return true;
	}
	return false;
}

START_TEST(where_nothing_may_be_mapped)
{
	/* The 47th field is where the heap begins. */
	char stat[600] = "1 (a ) (b) R", maps[sizeof space_maps];
	struct tactics_space space;
	size_t mappings;

	for (int field = 4; field < 47; field++)
		strcat(stat, " 1");
	strcat(stat, " 33554432 1 1\n"); /* 0x2000000 */
	memcpy(maps, space_maps, sizeof maps);
	tactics_space_init(&space);
	ck_assert(space_parse(&space, maps, space_limits, stat, &mappings));
	ck_assert_uint_eq(mappings, 4);
	ck_assert(space_holds(&space, 0x401fff));
	ck_assert(!space_holds(&space, 0x402000));
	ck_assert(space_holds(&space, 0x1021000 + SPACE_HEAP - 1));
	ck_assert(space_holds(&space, 0x2000000 + SPACE_HEAP - 1));
	ck_assert(!space_holds(&space, 0x2000000 + SPACE_HEAP));
	ck_assert(space_holds(&space, 0x7ffc00021000 - 0x800000 - SPACE_STACK));
	ck_assert(!space_holds(&space, 0x7ffc00021000 - 0x800000 - SPACE_STACK - 1));
	tactics_space_done(&space);
	/* Without a limit, and with texts that the kernel never writes. */
	memcpy(maps, space_maps, sizeof maps);
	tactics_space_init(&space);
	ck_assert(space_parse(&space, maps, "Max stack size unlimited", "", &mappings));
	ck_assert(space_holds(&space, 0x7ffc00021000 - SPACE_STACK_MOST));
	tactics_space_done(&space);
}
END_TEST

Suite *window_suite(void)
{
	Suite *suite = suite_create("window");
	TCase *tcase = tcase_create("all");

	tcase_add_checked_fixture(tcase, set_up, NULL);
	tcase_add_test(tcase, made_of_a_plan);
	tcase_add_test(tcase, hits);
	tcase_add_test(tcase, read_by_others);
#ifdef HAVE_ZYDIS
	tcase_add_test(tcase, the_same_instruction);
#endif
	tcase_add_test(tcase, measured_in_turn);
	tcase_add_test(tcase, state_has_no_memory);
	tcase_add_test(tcase, where_nothing_may_be_mapped);
	suite_add_tcase(suite, tcase);
	return suite;
}
