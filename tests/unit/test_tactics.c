/*
 * Covers the planner of tactics: constructed sites, random code with random sites, and all sites of
 * the programs and libraries that are installed, in address spaces like those of processes. Every
 * plan is checked by tactics_check.h: each value of the bytes that it relies on arrives at its
 * trampoline. Does not cover: how the bytes and pages get into a process.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/order.h"
#include "elf/object.h"
#include "tests/unit/random.h"
#include "tests/unit/tactics_check.h"

Suite *tactics_suite(void);

#define BASE UINT64_C(0x7f1234560000)
#define CODE 0x10000

static uint64_t random_state = RANDOM_SEED;

/* An object at BASE with some code, and what is around it. */
static struct {
	uint8_t code[CODE];
	struct tactics_site sites[4096];
	struct tactics t;
	struct tactics_space space;
} it;

static void set_up(void)
{
	memset(&it, 0, sizeof it);
	memset(it.code, 0xc3, sizeof it.code);
	it.t = (struct tactics){.sites = it.sites,
		.low = BASE,
		.high = BASE + CODE,
		.head_size = 100,
		.may_evict = true};
	tactics_space_init(&it.space);
	ck_assert(tactics_take(&it.space, BASE, BASE + CODE));
}

static void tear_down(void)
{
	tactics_done(&it.t);
	tactics_space_done(&it.space);
}

static struct tactics_site *site(uint64_t at)
{
	struct tactics_site *s = &it.sites[it.t.count++];
	size_t size = CODE - at < TACTICS_BYTES ? CODE - at : TACTICS_BYTES;

	s->address = BASE + at;
	s->wanted = true;
	s->code_size = (uint8_t)size;
	memcpy(s->code, it.code + at, size);
	return s;
}

/* Bytes in hexadecimal, into the code. */
static void put(uint64_t at, const char *hex)
{
	unsigned byte;
	int read;

	for (; sscanf(hex, "%2x%n", &byte, &read) == 1; hex += read)
		it.code[at++] = (uint8_t)byte;
}

static void plan(void)
{
	struct tactics_before before;
	const char *broken;

	tactics_before_init(&before, &it.space);
	ck_assert(tactics_plan(&it.t, &it.space));
	broken = tactics_check(&it.t, &before, &it.space);
	ck_assert_msg(!broken, "%s", broken);
	tactics_before_done(&before);
}

/* ---------------------------------------------------------------- constructed */

START_TEST(tactics_punned)
{
	struct tactics_site *s;

	put(0x100, "90 48 8d 05 49 35 00 00");
	s = site(0x100);
	plan();
	ck_assert_int_eq(s->tactic, PROBES_TACTIC_PUNNED);
	ck_assert_uint_eq(s->length, 1);
	ck_assert_uint_eq(it.t.planned, 1);
	ck_assert_str_eq(tactics_why(s), "");
	/* As it is, and with a breakpoint at pc+1. */
#ifdef HAVE_ZYDIS
	ck_assert_uint_eq(s->landings, 2);
#endif
}
END_TEST

#ifdef HAVE_ZYDIS
/* Something else is where the jump of a punned site would land. */
static void forbid_punning(const struct tactics_site *s)
{
	int32_t rel;

	memcpy(&rel, s->code + 1, sizeof rel);
	ck_assert(tactics_space_land(&it.space, s->address + 5 + (uint64_t)(int64_t)rel, 1));
}

/* Successors of each length, and how many of the bytes behind them change. */
static const char *const lengths[] = {NULL, "90 55 41 57 41 56 41 55", "90 89 f8 48 89 d7 48 89",
	"90 48 89 f8 48 89 d7 48", "90 48 8b 47 08 48 89 d7 48", "90 b8 01 00 00 00 48 89 d7",
	"90 66 0f 6f 47 10 48 89 d7 48", "90 48 8d 05 49 35 00 00 48 89",
	"90 48 c7 04 25 10 00 00 20 05 00 00 00"};

START_TEST(tactics_evicted_each_length)
{
	struct tactics_site *s;

	put(0x100, lengths[_i]);
	s = site(0x100);
	forbid_punning(s);
	for (it.t.may_evict = false;; it.t.may_evict = true) {
		plan();
		if (it.t.may_evict)
			break;
		ck_assert_int_eq(s->result, TACTICS_NEEDS_STOP);
		ck_assert_uint_eq(it.space.pages.count, 1);
		ck_assert_str_ne(tactics_why(s), "");
		tactics_done(&it.t);
	}
	ck_assert_msg(s->result == TACTICS_PLANNED, "length %d: %s", _i, tactics_why(s));
	ck_assert_int_eq(s->tactic, PROBES_TACTIC_EVICTED);
	ck_assert_uint_eq(s->length, ARCH_SITE_BYTES);
}
END_TEST

START_TEST(tactics_evicted_refused)
{
	static const struct {
		uint64_t at;
		const char *code;
		enum tactics_result result;
	} cases[] = {
		{0xffc, "90 48 8d 05 49 35 00 00", TACTICS_PAGE_END},
		{0xffa, "90 48 8d 05 49 35 00 00", TACTICS_PLANNED},
		{0x100, "90 0f 05 48 89 d7", TACTICS_INSTRUCTION},
		{0x100, "90 06 05 48 89 d7", TACTICS_INSTRUCTION},
		{0x100, "90 48 89 f8 c3 c3", TACTICS_SHORT},
		{0x100, "91 48 89 f8 c3", TACTICS_FOREIGN},
		{0x100, "cc 48 89 f8 c3", TACTICS_FOREIGN},
		{0x100, "e9 48 89 f8 c3", TACTICS_FOREIGN},
		{0x100, "90 cc 89 f8 c3", TACTICS_BREAKPOINT},
		{0x100, "90 48 89 f8 cc 90 90", TACTICS_BREAKPOINT},
		{0x100, "90 b8 cc cc cc cc 90", TACTICS_PLANNED},
	};
	struct tactics_site *s;

	put(cases[_i].at, cases[_i].code);
	s = site(cases[_i].at);
	if (cases[_i].result == TACTICS_SHORT)
		s->code_size = 5;
	forbid_punning(s);
	plan();
	ck_assert_msg(s->result == cases[_i].result, "%s: %s", cases[_i].code, tactics_why(s));
}
END_TEST

START_TEST(tactics_a_call_and_a_shadow_stack)
{
	struct tactics_site *s;

	put(0x100, "90 e8 49 35 00 00 48 89 d7");
	s = site(0x100);
	forbid_punning(s);
	it.t.shadow_stack = true;
	plan();
	ck_assert_int_eq(s->result, TACTICS_INSTRUCTION);
	ck_assert_int_eq(s->displaced, ARCH_DISPLACE_SHADOW_STACK);
	tactics_done(&it.t);
	it.t.shadow_stack = false;
	plan();
	ck_assert_int_eq(s->tactic, PROBES_TACTIC_EVICTED);
}
END_TEST

/* What the process handles is not displaced; where a jump of one byte is possible, nothing is. */
START_TEST(tactics_faults_that_are_handled)
{
	static const struct {
		const char *code;
		uint8_t handled;
		bool framed, refused;
	} cases[] = {
		{"90 8b 80 22 f3 00 00 90 90", 0, false, false},
		{"90 8b 80 22 f3 00 00 90 90", ARCH_FAULTS_MEMORY, true, true},
		{"90 8b 80 22 f3 00 00 90 90", ARCH_FAULTS_DIVISION, false, false},
		{"90 8b 85 22 f3 00 00 90 90", ARCH_FAULTS_POINTER, false, true},
		{"90 8b 85 22 f3 00 00 90 90", ARCH_FAULTS_POINTER, true, false},
		{"90 48 f7 f9 48 89 f0 90 90", ARCH_FAULTS_DIVISION, false, true},
		{"90 48 89 f8 48 89 d7 90 90", 0xff, false, false},
	};
	struct tactics_site *s;

	put(0x100, cases[_i].code);
	s = site(0x100);
	s->framed = cases[_i].framed;
	it.t.handled = cases[_i].handled;
	for (int punned = 1; punned >= 0; punned--) {
		if (!punned)
			forbid_punning(s);
		plan();
		ck_assert_int_eq(
			s->result, !punned && cases[_i].refused ? TACTICS_FAULTS : TACTICS_PLANNED);
		ck_assert_int_eq(s->tactic, punned              ? PROBES_TACTIC_PUNNED
					    : cases[_i].refused ? PROBES_TACTIC_NONE
								: PROBES_TACTIC_EVICTED);
		ck_assert(!(tactics_faults(s) & it.t.handled) == !cases[_i].refused);
		tactics_done(&it.t);
		tactics_space_done(&it.space);
		tactics_space_init(&it.space);
	}
}
END_TEST

/*
 * Linux 6.18 writes a call over a nop of 5 bytes that has a uprobe: jumps that rely on these bytes
 * would lead anywhere.
 */
static const struct called {
	const char *code;
	bool punned, evicted; /* does such a jump rely on these bytes? */
} called[] = {
	{"90 0f 1f 44 00 00 48 89 f8", true, true},
	{"90 90 0f 1f 44 00 00 48 89", true, true},
	{"90 89 f8 c3 0f 1f 44 00 00", true, true}, /* its first byte */
	{"90 89 f8 31 d2 0f 1f 44 00 00", false, true},
	{"90 48 8d 05 49 35 00 00 0f 1f 44 00 00", false, false},
	{"90 66 0f 1f 40 00 48 89 f8", true, true},
	{"90 66 2e 0f 1f 84 00 00 00 00 00", false, false}, /* 10 bytes */
	{"90 0f 1f 40 00 48 89 f8", false, false},          /* 4 bytes */
	{"90 48 8d 44 20 00 48 89 f8", true, true},
	{"90 48 8d 44 24 08 48 89 f8", false, false},
};

START_TEST(tactics_uprobes_that_become_calls)
{
	const struct called *what = &called[_i / 2];
	bool is_called = _i % 2 ? what->evicted : what->punned;
	struct tactics_site *s;

	put(0x100, what->code);
	s = site(0x100);
	it.t.may_evict = _i % 2;
	for (int terms = 0; terms < 4; terms++) {
		tactics_space_done(&it.space);
		tactics_space_init(&it.space);
		if (_i % 2)
			forbid_punning(s);
		/* Room for a jump over 4 MiB, but not for the arena. */
		ck_assert(tactics_take(&it.space, BASE, BASE + 0x200000));
		ck_assert(tactics_take(&it.space, BASE + 0x600000, BASE + 0x700000));
		it.t.wide_nop = terms & 1 ? 5 : 0;
		it.t.may_expose = terms & 2;
		plan();
		ck_assert_msg(
			s->result == (terms == 1 && is_called ? TACTICS_EXPOSED : TACTICS_PLANNED),
			"%s: %s", what->code, tactics_why(s));
		ck_assert(s->result != TACTICS_PLANNED || s->exposed == (terms & 1 && is_called));
		tactics_done(&it.t);
	}
}
END_TEST

/* The code that can be read ends within such a nop: nobody knows what it is. */
START_TEST(tactics_a_nop_cut_off)
{
	struct tactics_site *s;

	put(0x100, _i ? "90 89 f8 31 d2 0f 1f 44 00 00" : "90 48 89 c8 0f 1f 44 00 00");
	s = site(0x100);
	it.t.may_evict = _i;
	if (_i)
		forbid_punning(s);
	ck_assert(tactics_take(&it.space, BASE, BASE + 0x200000));
	ck_assert(tactics_take(&it.space, BASE + 0x600000, BASE + 0x700000));
	for (uint8_t size = (uint8_t)(_i ? 6 : 5); size < 10; size++) {
		s->code_size = size;
		it.t.wide_nop = 5;
		plan();
		ck_assert_msg(s->result == TACTICS_EXPOSED, "%d bytes: %s", size, tactics_why(s));
		tactics_done(&it.t);
	}
	it.t.wide_nop = 0;
	plan();
	ck_assert_int_eq(s->result, TACTICS_PLANNED);
}
END_TEST

/* Two sites so many bytes apart; the first cannot be punned. */
START_TEST(tactics_neighbours)
{
	struct tactics_site *first, *second;

	memset(it.code + 0x100, 0x90, 64);
	put(0x100 + 8, "48 8d 05 01 02 03 00");
	first = site(0x100);
	second = site(0x100 + (uint64_t)_i);
	forbid_punning(first);
	plan();
	if (_i < 6) {
		ck_assert_msg(first->result == TACTICS_NEIGHBOUR, "%s", tactics_why(first));
	} else {
		/* nop; nop: a successor of one byte. Its landings are given. */
		ck_assert_int_ne(first->result, TACTICS_NEIGHBOUR);
	}
	ck_assert_int_eq(second->result, TACTICS_PLANNED);
}
END_TEST
#endif

/* Two sites in all distances: plans of each, whatever the other is. */
START_TEST(tactics_pairs)
{
	static const uint8_t states[] = {0x90, 0xe9, 0xcc};
	int distance = _i / 3 + 1;

	put(0x100, "90 48 89 d7 00 01 01 02 03 00 05 41 5c");
	it.code[0x100 + distance] = 0x90;
	for (int wanted = 1; wanted < 4; wanted++) {
		struct tactics_site *second;

		it.code[0x100 + distance] = states[_i % 3];
		it.t.count = 0;
		site(0x100)->wanted = wanted & 1;
		second = site(0x100 + (uint64_t)distance);
		second->wanted = wanted & 2;
		plan();
		ck_assert(!second->wanted ||
			  (second->result == TACTICS_FOREIGN) == (states[_i % 3] != 0x90));
		tactics_done(&it.t);
	}
}
END_TEST

/* php 8.2 has two sites 3 bytes apart; libjvm, nop; nop. */
START_TEST(tactics_php_and_jvm)
{
	struct tactics_site *s[4];

	put(0x100, "90 eb 04 90 48 8b 05 10 20 00");
	put(0x200, "90 90 48 8d 3d 10 20 30 00");
	s[0] = site(0x100);
	s[1] = site(0x103);
	s[2] = site(0x200);
	s[3] = site(0x201);
	plan();
	for (int i = 0; i < 4; i++)
		ck_assert_msg(s[i]->tactic == PROBES_TACTIC_PUNNED, "%d: %s", i, tactics_why(s[i]));
	ck_assert_uint_ge(s[0]->landings, 3);
}
END_TEST

/* An OCaml site and one of sdt: nobody plans a byte of the other. */
START_TEST(tactics_calls)
{
	struct tactics_site *call, *other;

	memset(it.code + 0x100, 0x90, 64);
	put(0x108, _i & 1 ? "90 3d 10 20 00 00" : "90 e8 10 20 00 00");
	if (_i < 16)
		other = site(0x100 + (uint64_t)_i);
	if (_i == 8)
		return;
	call = site(0x108);
	if (_i >= 16)
		other = call;
	if (_i > 8 && _i < 16) { /* ascending */
		struct tactics_site first = it.sites[0];

		it.sites[0] = it.sites[1];
		it.sites[1] = first;
		call = &it.sites[0];
		other = &it.sites[1];
	}
	call->whole = true;
	call->semaphore = BASE + 0x8000;
	call->handler = BASE + 0x2000;
	plan();
	if (_i > 2 && _i < 14) {
		ck_assert_int_ne(call->result == TACTICS_PLANNED, _i < 14);
	} else {
		ck_assert_msg(call->tactic == PROBES_TACTIC_OCAML, "%s", tactics_why(call));
		ck_assert_int_eq(other->result, TACTICS_PLANNED);
	}
}
END_TEST

START_TEST(tactics_a_whole_site_changes)
{
	struct tactics_site *s;

	memset(it.code + 0x100, 0x90, 64);
	s = site(0x100);
	site(0x100 + (uint64_t)_i)->whole = true;
	it.sites[1].wanted = false;
	plan();
	ck_assert_int_eq(s->result, _i < 5 ? TACTICS_NEIGHBOUR : TACTICS_PLANNED);
}
END_TEST

/* 0xc9 and 0xcc, 0xcb and 0xcc: what lands 3 bytes or 1 byte before goes on to the other. */
START_TEST(tactics_landings_that_touch)
{
	struct tactics_site *s;

	put(0x100, _i & 1 ? "90 c9 c3 00 01 00 00" : "90 cb c3 00 01 00 00");
	s = site(0x100);
	/* An arena that is out of the reach of its landings. */
	if (_i & 2) {
		put(0x103, "00 80 00 00");
		memcpy(s->code, it.code + 0x100, sizeof s->code);
		ck_assert(tactics_take(&it.space, BASE, BASE + UINT64_C(0x70000000)));
	}
	plan();
	ck_assert_msg(s->tactic == PROBES_TACTIC_PUNNED, "%s", tactics_why(s));
}
END_TEST

START_TEST(tactics_no_arena)
{
	struct tactics_site *s;

	put(0x100, "90 48 8d 05 49 35 00 00");
	s = site(0x100);
	switch (_i) {
	case 0:
		ck_assert(tactics_take(&it.space, 0, UINT64_MAX));
		break;
	case 1:
		ck_assert(tactics_take(
			&it.space, BASE - UINT64_C(0x80000000), BASE + UINT64_C(0x80000000)));
		break;
	case 2:
		it.t.high = it.t.low;
		break;
	case 3:
		it.t.high = UINT64_MAX;
		break;
	case 4:
		it.t.low = 0;
		break;
	case 5:
		it.t.head_size = SIZE_MAX;
		break;
	}
	plan();
	ck_assert_int_eq(s->result, TACTICS_NO_ARENA);
	ck_assert_uint_eq(it.t.arena, 0);
	ck_assert_str_ne(tactics_why(s), "");
}
END_TEST

START_TEST(tactics_no_room)
{
	struct tactics_site *s;

	put(0x100, "90 48 8d 05 49 35 00 00");
	s = site(0x100);
	it.space.room = 0;
	plan();
	ck_assert_int_eq(s->result, TACTICS_NO_ROOM);
}
END_TEST

/* A page of landings, in which some bytes at this offset from the jump's are taken already. */
static const struct tactics_site *plan_in_a_mapped_page(unsigned taken_at, uint64_t *landing)
{
	struct tactics_site *s;

	put(0x100, "90 48 8d 05 49 35 00 00");
	s = site(0x100);
	plan();
	*landing = ARRAY_AT(&it.t.landings, struct tactics_landing, s->landing)->address;
	tear_down();
	tactics_space_init(&it.space);
	ck_assert(tactics_take(&it.space, BASE, BASE + CODE));
	ck_assert(tactics_take(&it.space, *landing, *landing + TACTICS_PAGE));
	ck_assert(tactics_space_land(&it.space, *landing + taken_at, 5));
	it.space.room = 0;
	plan();
	return s;
}

/* What an earlier plan has mapped is used, but not its bytes. */
START_TEST(tactics_mapped_bytes)
{
	uint64_t landing;

	ck_assert_int_ne(plan_in_a_mapped_page(3, &landing)->result, TACTICS_PLANNED);
}
END_TEST

#ifdef HAVE_ZYDIS
START_TEST(tactics_mapped_page)
{
	uint64_t landing;

	ck_assert_int_eq(plan_in_a_mapped_page(64, &landing)->tactic, PROBES_TACTIC_PUNNED);
}
END_TEST
#endif

/* Addresses at the ends, no code, the same site twice, code that is not there. */
START_TEST(tactics_hostile)
{
	static const uint64_t addresses[] = {0, 1, 0xfff0, 0x10000, 0x7ffffffff000 - 32,
		0x7ffffffff000 - 1, 0x800000000000, UINT64_MAX - 31, UINT64_MAX - 4, UINT64_MAX,
		UINT64_MAX};
	size_t count = sizeof addresses / sizeof *addresses;

	for (size_t i = 0; i < count; i++) {
		struct tactics_site *s = site(0x100);

		s->address = addresses[i];
		s->code_size = _i & 1 ? 255 : 32;
		memset(s->code, _i & 2 ? 0x90 : 0xff, sizeof s->code);
		s->code[0] = 0x90;
	}
	it.t.low = _i & 4 ? 0 : 0x10000;
	it.t.high = _i & 8 ? 0x7ffffffff000 : 0x20000;
	for (int again = 0; again < 2; again++) {
		plan();
		tactics_done(&it.t);
		ck_assert(tactics_take(&it.space, UINT64_MAX - 1, UINT64_MAX));
		for (size_t i = 0; i < count; i++)
			it.sites[i].code_size = 0;
	}
}
END_TEST

/* ---------------------------------------------------------------- random code */

static void random_space(void)
{
	for (int i = 0; i < 1000; i++) {
		uint64_t size = (random_next(&random_state) % 0x1000 + 1)
				<< (12 + random_next(&random_state) % 4);
		uint64_t start =
			BASE - UINT64_C(0x90000000) + random_next(&random_state) % 0x120000000;

		ck_assert(tactics_take(&it.space, start, start + size));
	}
}

START_TEST(tactics_random_code)
{
	size_t tactics[4] = {0};

	for (int round = 0; round < 40; round++) {
		uint64_t at = random_next(&random_state) % 64;

		set_up();
		for (size_t i = 0; i < sizeof it.code; i++)
			it.code[i] = (uint8_t)random_next(&random_state);
		/* Many sites near each other, some counted, some held. */
		while (at < CODE && it.t.count < 600) {
			uint64_t kind = random_next(&random_state) % 16;

			it.code[at] = kind ? 0x90 : kind == 1 ? 0xe9 : 0xcc;
			site(at);
			at += random_next(&random_state) % 4 ? random_next(&random_state) % 9 + 1
							     : random_next(&random_state) % 500 + 1;
		}
		for (size_t i = 0; i < it.t.count; i++) {
			uint64_t address = it.sites[i].address - BASE;

			memcpy(it.sites[i].code, it.code + address, it.sites[i].code_size);
			it.sites[i].wanted = random_next(&random_state) % 8;
			it.sites[i].whole = random_next(&random_state) % 64 == 0;
		}
		it.t.may_evict = round % 4;
		it.t.may_expose = round % 5 == 0;
		if (round % 3)
			random_space();
		plan();
		for (size_t i = 0; i < it.t.count; i++)
			tactics[it.sites[i].tactic]++;
		tear_down();
	}
	ck_assert_uint_gt(tactics[PROBES_TACTIC_PUNNED], 1000);
#ifdef HAVE_ZYDIS
	ck_assert_uint_gt(tactics[PROBES_TACTIC_EVICTED], 25);
#endif
}
END_TEST

/* ---------------------------------------------------------------- programs and libraries */

static const struct installed {
	const char *path;
	bool crowded; /* 2 GiB below its libraries are in use */
} installed[] = {
	{"/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so", true},
	{"/usr/lib/jvm/temurin-25-jdk-amd64/lib/server/libjvm.so", true},
	{"/usr/lib/postgresql/15/bin/postgres", false},
	{"/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1", false},
	{"/usr/lib/x86_64-linux-gnu/libvirt.so.0", false},
	{"/usr/bin/php8.2", false},
	{"/usr/bin/python3.11", false},
	{"/usr/lib/x86_64-linux-gnu/libstdc++.so.6", false},
	{"/lib/x86_64-linux-gnu/libc.so.6", false},
	{"/lib/x86_64-linux-gnu/libm.so.6", false},
	{"/lib64/ld-linux-x86-64.so.2", false},
};
#define INSTALLED (sizeof installed / sizeof *installed)
#define STARTS 5 /* address spaces for each */

static bool code_at(const struct object *o, uint64_t vaddr, struct tactics_site *s)
{
	for (size_t i = 0; i < o->segment_count; i++) {
		const struct object_segment *segment = &o->segments[i];
		uint64_t left = segment->vaddr + segment->filesz - vaddr;

		if (!segment->executable || vaddr < segment->vaddr || left > segment->filesz)
			continue;
		s->code_size = (uint8_t)(left < TACTICS_BYTES ? left : TACTICS_BYTES);
		return pread(o->fd, s->code, s->code_size,
			       (off_t)(segment->offset + vaddr - segment->vaddr)) == s->code_size;
	}
	return false;
}

/*
 * As Linux lays out a process: a program and its heap; libraries below the stack; below them stacks
 * of threads, arenas, and what a JVM reserves. Free for the brk: 64 MiB; for the stack:
 * RLIMIT_STACK and 1 MiB. Returns the bias of the object.
 */
static uint64_t like_a_process(const struct object *o, uint64_t size, bool crowded)
{
	uint64_t exe = UINT64_C(0x550000000000) +
		       (random_next(&random_state) % 0x1000000000 & ~UINT64_C(0xfff));
	uint64_t heap = exe + (o->interpreter ? size : 0x10000) +
			(random_next(&random_state) % 0x2000 << 12);
	uint64_t stack = UINT64_C(0x7ffc00000000) +
			 (random_next(&random_state) % 0x200000000 & ~UINT64_C(0xfff));
	uint64_t top = stack - (random_next(&random_state) % 0x100 << 32) - UINT64_C(0x40000000),
		 bias = exe;

	ck_assert(tactics_take(
		&it.space, heap, heap + (random_next(&random_state) % 64 + 64) * 0x100000));
	ck_assert(tactics_take(&it.space, stack - 9 * 0x100000, stack + 0x30000));
	if (!o->interpreter)
		ck_assert(tactics_take(&it.space, exe, exe + 0x10000));
	for (int i = 0; i < 30; i++) { /* libraries */
		uint64_t part = (random_next(&random_state) % 400 + 4) << 12;

		if (i == 10 && !o->interpreter) {
			top -= (size + 0xfff) & ~UINT64_C(0xfff);
			bias = top;
		}
		ck_assert(tactics_take(&it.space, top - part, top));
		top -= part + (random_next(&random_state) % 4 ? 0 : 0x2000);
	}
	for (size_t i = 0; i < (crowded ? 6 : 2); i++) { /* MiB: what was seen below a JVM 17 */
		static const uint64_t parts[] = {65, 566, 224, 1296, 448, 64};
		uint64_t part = parts[i] << 20;

		ck_assert(tactics_take(&it.space, top - part, top));
		top -= part + (random_next(&random_state) % 64 << 20);
	}
	return o->fixed ? 0 : bias;
}

struct coverage {
	size_t sites, punned, evicted, exposed, pages;
	double longest; /* plan, in ms */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void read_sites(const struct object *o, uint64_t bias)
{
	uint64_t *pcs = malloc((o->note_count + 1) * sizeof *pcs);

	ck_assert_ptr_nonnull(pcs);
	for (size_t i = 0; i < o->note_count; i++)
		pcs[i] = o->notes[i].pc;
	ck_assert(order_by_number(pcs, o->note_count, sizeof *pcs, 0));
	for (size_t i = 0; i < o->note_count; i++) {
		struct tactics_site *s = &it.sites[it.t.count];

		if ((i && pcs[i] == pcs[i - 1]) || !code_at(o, pcs[i], s))
			continue;
		s->address = pcs[i] + bias;
		s->wanted = true;
		it.t.count++;
	}
	free(pcs);
}

/* How far a plan may go. */
static const struct terms {
	const char *name;
	bool evict, expose;
	double wanted; /* % of all sites */
} terms[] = {
	{"without a stop", false, false, 30},
	{"without a stop, exposed", false, true, 40},
	{"with a stop", true, false, 75},
	{"with a stop, exposed", true, true, 85},
};
#define TERMS (sizeof terms / sizeof *terms)

static void plan_object(const struct object *o, const struct installed *which,
	const struct terms *how, struct coverage *sum)
{
	uint64_t low = UINT64_MAX, high = 0, bias;
	struct tactics_before before;
	const char *broken;
	double start;

	set_up();
	tactics_space_done(&it.space);
	tactics_space_init(&it.space);
	for (size_t i = 0; i < o->segment_count; i++) {
		const struct object_segment *s = &o->segments[i];

		low = s->vaddr < low ? s->vaddr : low;
		high = s->vaddr + s->memsz > high ? s->vaddr + s->memsz : high;
	}
	bias = like_a_process(o, high - low, which->crowded);
	it.t.low = low + bias;
	it.t.high = high + bias;
	it.t.may_evict = how->evict;
	it.t.may_expose = how->expose;
	ck_assert(tactics_take(&it.space, it.t.low, it.t.high));
	read_sites(o, bias);

	tactics_before_init(&before, &it.space);
	start = now();
	ck_assert(tactics_plan(&it.t, &it.space));
	start = now() - start;
	broken = tactics_check(&it.t, &before, &it.space);
	ck_assert_msg(!broken, "%s", broken);
	tactics_before_done(&before);

	sum->longest = start > sum->longest ? start : sum->longest;
	for (size_t i = 0; i < it.t.count; i++) {
		const struct tactics_site *s = &it.sites[i];

		sum->punned += s->tactic == PROBES_TACTIC_PUNNED;
		sum->evicted += s->tactic == PROBES_TACTIC_EVICTED;
		sum->exposed += s->tactic && s->exposed;
	}
	sum->sites += it.t.count;
	sum->pages += it.space.pages.count;
	tear_down();
}

START_TEST(tactics_everything_installed)
{
	struct coverage all[TERMS] = {0};

	for (size_t i = 0; i < INSTALLED; i++) {
		int fd = open(installed[i].path, O_RDONLY | O_CLOEXEC);
		struct probes_error e = {0};
		struct object *o;

		if (fd < 0)
			continue;
		ck_assert_int_eq(object_read(fd, installed[i].path, &o, &e), 0);
		for (size_t k = 0; o->note_count && k < TERMS; k++) {
			struct coverage sum = {0};

			for (int n = 0; n < STARTS; n++)
				plan_object(o, &installed[i], &terms[k], &sum);
			printf("%s: %s: %zu sites, %zu punned, %zu evicted, %zu of them exposed, "
			       "%zu "
			       "refused; %zu pages, %.1f ms\n",
				installed[i].path, terms[k].name, sum.sites / STARTS,
				sum.punned / STARTS, sum.evicted / STARTS, sum.exposed / STARTS,
				(sum.sites - sum.punned - sum.evicted) / STARTS, sum.pages / STARTS,
				sum.longest);
			all[k].sites += sum.sites;
			all[k].punned += sum.punned;
			all[k].evicted += sum.evicted;
		}
		object_free(o);
	}
	for (size_t k = 0; k < TERMS && all[k].sites; k++) {
		double percent =
			100. * (double)(all[k].punned + all[k].evicted) / (double)all[k].sites;

		printf("all: %s: %.1f %%\n", terms[k].name, percent);
#ifdef HAVE_ZYDIS
		ck_assert(percent >= terms[k].wanted);
#endif
	}
}
END_TEST

Suite *tactics_suite(void)
{
	Suite *s = suite_create("tactics");
	TCase *c = tcase_create("constructed"), *random = tcase_create("random"),
	      *objects = tcase_create("objects");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, tactics_punned);
#ifdef HAVE_ZYDIS
	tcase_add_loop_test(c, tactics_evicted_each_length, 1, 9);
	tcase_add_loop_test(c, tactics_evicted_refused, 0, 11);
	tcase_add_test(c, tactics_a_call_and_a_shadow_stack);
	tcase_add_loop_test(c, tactics_faults_that_are_handled, 0, 7);
	tcase_add_loop_test(
		c, tactics_uprobes_that_become_calls, 0, 2 * sizeof called / sizeof *called);
	tcase_add_loop_test(c, tactics_a_nop_cut_off, 0, 2);
	tcase_add_loop_test(c, tactics_neighbours, 1, 7);
	tcase_add_test(c, tactics_mapped_page);
#endif
	tcase_add_loop_test(c, tactics_pairs, 0, 8 * 3);
	tcase_add_test(c, tactics_php_and_jvm);
	tcase_add_loop_test(c, tactics_calls, 0, 17);
	tcase_add_loop_test(c, tactics_a_whole_site_changes, 1, 8);
	tcase_add_loop_test(c, tactics_landings_that_touch, 0, 4);
	tcase_add_loop_test(c, tactics_no_arena, 0, 6);
	tcase_add_test(c, tactics_no_room);
	tcase_add_test(c, tactics_mapped_bytes);
	tcase_add_loop_test(c, tactics_hostile, 0, 16);
	suite_add_tcase(s, c);
	tcase_set_timeout(random, 60);
	tcase_add_test(random, tactics_random_code);
	suite_add_tcase(s, random);
	tcase_set_timeout(objects, 60);
	tcase_add_test(objects, tactics_everything_installed);
	suite_add_tcase(s, objects);
	return s;
}
