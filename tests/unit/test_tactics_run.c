/*
 * Covers plans of tactics by execution, in this process: functions with sites before instructions
 * of each length run as before, each hit is counted once, with other sites counted or not, and with
 * a debugger's breakpoint at each instruction behind a site. Does not cover: doing this to another
 * process, and stopping its threads.
 */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

Suite *tactics_run_suite(void);

#ifdef HAVE_ZYDIS

#include "tests/unit/random.h"
#include "tests/unit/tactics_check.h"

#define BASE UINT64_C(0x123400000000)
#define CODE 0x10000
#define DATA (CODE - 64) /* a number, 5 */
#define HITS 50

/* Functions that return their argument and 5; their sites. */
static const struct function {
	const char *code;
	int sites[2]; /* offsets; -1: none */
} functions[] = {
	{"90 55 48 89 e5 48 8d 47 05 5d c3", {0, -1}},
	{"90 90 48 8d 47 05 c3", {0, 1}},
	{"90 89 f8 83 c0 05 c3", {0, -1}},
	{"90 eb 02 0f 0b 48 8d 47 05 c3", {0, -1}},
	{"48 85 ff 90 74 05 48 8d 47 05 c3 b8 05 00 00 00 c3", {3, -1}},
	{"48 85 ff 90 75 06 b8 05 00 00 00 c3 48 8d 47 05 c3", {3, -1}},
	{"90 48 89 f8 48 83 c0 05 c3", {0, -1}},
	{"90 89 f8 90 83 c0 05 c3", {0, 3}},
	{"90 48 8d 47 04 48 83 c0 01 c3", {0, -1}},
	{"90 48 8d 47 04 90 48 83 c0 01 c3", {0, 5}},
	{"90 b8 05 00 00 00 90 48 01 f8 c3", {0, 6}},
	{"90 e8 01 00 00 00 c3 48 8d 47 05 c3", {0, -1}},
	{"90 e9 01 00 00 00 c3 48 8d 47 05 c3", {0, -1}},
	{"90 81 c7 05 00 00 00 89 f8 c3", {0, -1}},
	{"90 48 8b 05 dd dd dd dd 48 01 f8 c3", {0, -1}}, /* the number, relative to rip */
	{"90 48 8d 84 27 05 00 00 00 c3", {0, -1}},
	{"48 8d 47 05 90 c3 90 90", {4, -1}},
	{"b8 05 00 00 00 57 48 03 04 24 90 5f c3 90 90 90", {10, -1}},
};
#define FUNCTIONS (sizeof functions / sizeof *functions)
#define COPIES 20

static uint64_t random_state = RANDOM_SEED;

static struct {
	uint8_t *code;
	uint64_t entries[FUNCTIONS * COPIES];
	struct tactics_site sites[FUNCTIONS * COPIES * 2];
	size_t of[FUNCTIONS * COPIES * 2]; /* the function of a site */
	struct tactics t;
	struct tactics_space space;
	uint8_t held; /* the byte that a breakpoint replaced */
	size_t traps;
} it;

static void map_at(uint64_t address, size_t size)
{
	ck_assert_ptr_eq(mmap((void *)address, size, PROT_READ | PROT_WRITE | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
		(void *)address);
}

/* A debugger: it puts the byte back, and the instruction is executed. */
static void on_trap(int signal, siginfo_t *info, void *data)
{
	ucontext_t *context = data;

	(void)signal;
	(void)info;
	it.traps++;
	context->uc_mcontext.gregs[REG_RIP]--;
	*(uint8_t *)context->uc_mcontext.gregs[REG_RIP] = it.held;
}

/* The functions at random places, ascending; all else is ret. */
static void place_functions(void)
{
	int32_t rel;

	map_at(BASE, CODE);
	it.code = (uint8_t *)BASE;
	memset(it.code, 0xc3, CODE);
	it.code[DATA] = 5;
	memset(it.code + DATA + 1, 0, 7);
	for (size_t i = 0; i < FUNCTIONS * COPIES; i++) {
		const struct function *f = &functions[i % FUNCTIONS];
		size_t at = i * (DATA / (FUNCTIONS * COPIES)) + random_next(&random_state) % 64;
		const char *hex = f->code;
		unsigned byte;
		int read;

		it.entries[i] = BASE + at;
		for (int n = 0; n < 2 && f->sites[n] >= 0; n++) {
			it.of[it.t.count] = i;
			it.sites[it.t.count++].address = BASE + at + (uint64_t)f->sites[n];
		}
		for (; sscanf(hex, "%2x%n", &byte, &read) == 1; hex += read)
			it.code[at++] = (uint8_t)byte;
		if (strstr(f->code, "dd dd")) {
			at = it.entries[i] - BASE + 4;
			rel = (int32_t)(DATA - (at + 4));
			memcpy(it.code + at, &rel, sizeof rel);
		}
	}
	for (size_t i = 0; i < it.t.count; i++) {
		it.sites[i].wanted = true;
		it.sites[i].code_size = TACTICS_BYTES;
		memcpy(it.sites[i].code, (void *)it.sites[i].address, TACTICS_BYTES);
	}
}

static void take_maps(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[1024];

	ck_assert_ptr_nonnull(maps);
	tactics_space_init(&it.space);
	while (fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2)
			ck_assert(tactics_take(&it.space, start, end));
	fclose(maps);
}

/* Somebody is where the site would be punned: only its successor can be evicted. */
static void forbid_punning(const struct tactics_site *s)
{
	int32_t rel;
	uint64_t to;

	memcpy(&rel, s->code + 1, sizeof rel);
	to = s->address + 5 + (uint64_t)(int64_t)rel;
	ck_assert(tactics_take(&it.space, to, to + 1));
}

static void put_plan_in_place(void)
{
	const struct tactics *t = &it.t;

	map_at(t->arena, TACTICS_OWN_BYTES + t->data_size + t->code_size);
	*(uint64_t *)t->arena = 1;
	memcpy((uint8_t *)t->arena + TACTICS_OWN_BYTES + t->data_size, t->code, t->code_size);
	for (size_t i = 0; i < it.space.pages.count; i++)
		map_at(ARRAY_AT(&it.space.pages, struct tactics_page, i)->address, TACTICS_PAGE);
	for (size_t i = 0; i < t->landings.count; i++) {
		const struct tactics_landing *l = ARRAY_AT(&t->landings, struct tactics_landing, i);
		uint8_t code[TACTICS_LANDING_BYTES];

		tactics_write_landing(l, code);
		memcpy((void *)l->address, code, l->size);
	}
}

static void set_up(void)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	struct tactics_before before;
	const char *broken;

	memset(&it, 0, sizeof it);
	ck_assert_int_eq(sigaction(SIGTRAP, &action, NULL), 0);
	it.t = (struct tactics){
		.sites = it.sites, .low = BASE, .high = BASE + CODE, .may_evict = true};
	place_functions();
	take_maps();
	for (size_t i = 0; i < it.t.count; i++)
		if (it.of[i] / FUNCTIONS % 2)
			forbid_punning(&it.sites[i]);
	tactics_before_init(&before, &it.space);
	ck_assert(tactics_plan(&it.t, &it.space));
	broken = tactics_check(&it.t, &before, &it.space);
	ck_assert_msg(!broken, "%s", broken);
	tactics_before_done(&before);
	put_plan_in_place();
}

/* Each test may have the process of the one before. */
static void tear_down(void)
{
	munmap((void *)BASE, CODE);
	munmap((void *)it.t.arena, TACTICS_OWN_BYTES + it.t.data_size + it.t.code_size);
	for (size_t i = 0; i < it.space.pages.count; i++)
		munmap((void *)ARRAY_AT(&it.space.pages, struct tactics_page, i)->address,
			TACTICS_PAGE);
	signal(SIGTRAP, SIG_DFL);
	tactics_done(&it.t);
	tactics_space_done(&it.space);
}

static bool is_planned(const struct tactics_site *s)
{
	return s->result == TACTICS_PLANNED;
}

static uint64_t hits(const struct tactics_site *s)
{
	const struct arch_slot *slots = (void *)(s->counter + TACTICS_SLOTS_AT);
	uint64_t sum = *(uint64_t *)s->counter;

	for (int i = 0; i < TACTICS_SLOTS; i++)
		sum += slots[i].hits;
	return sum;
}

static void count(const struct tactics_site *s, bool on)
{
	memcpy((void *)s->address, on ? s->bytes : s->code, s->length);
}

static void call(size_t function, size_t times)
{
	for (size_t i = 0; i < times; i++) {
		uint64_t argument = random_next(&random_state) % 1000 + 1;

		ck_assert_uint_eq(
			((uint64_t(*)(uint64_t))it.entries[function])(argument), argument + 5);
	}
}

START_TEST(tactics_run_each_hit_once)
{
	size_t tactics[4] = {0};

	for (size_t i = 0; i < FUNCTIONS * COPIES; i++)
		call(i, 1);
	for (size_t i = 0; i < it.t.count; i++)
		if (is_planned(&it.sites[i]))
			count(&it.sites[i], true);
	for (size_t i = 0; i < FUNCTIONS * COPIES; i++)
		call(i, HITS);
	for (size_t i = 0; i < it.t.count; i++) {
		const struct tactics_site *s = &it.sites[i];

		tactics[s->tactic]++;
		if (is_planned(s))
			ck_assert_msg(hits(s) == HITS, "%s + %lu: %lu hits",
				functions[it.of[i] % FUNCTIONS].code,
				s->address - it.entries[it.of[i]], hits(s));
	}
	ck_assert_uint_ge(tactics[PROBES_TACTIC_PUNNED], FUNCTIONS * COPIES / 4);
	ck_assert_uint_ge(tactics[PROBES_TACTIC_EVICTED], FUNCTIONS * COPIES / 4);

	/* Off again, in another order. */
	for (size_t i = it.t.count; i-- > 0;)
		if (is_planned(&it.sites[i]))
			count(&it.sites[i], false);
	for (size_t i = 0; i < FUNCTIONS * COPIES; i++)
		call(i, 1);
	for (size_t i = 0; i < it.t.count; i++) {
		ck_assert(!is_planned(&it.sites[i]) || hits(&it.sites[i]) == HITS);
		ck_assert(!memcmp((void *)it.sites[i].address, it.sites[i].code, TACTICS_BYTES));
	}
}
END_TEST

/* Random sites are counted, others are held or not: none disturbs another. */
START_TEST(tactics_run_any_of_them)
{
	bool on[FUNCTIONS * COPIES * 2] = {false};

	for (int round = 0; round < 200; round++) {
		uint64_t before[FUNCTIONS * COPIES * 2];

		for (size_t i = 0; i < it.t.count; i++) {
			const struct tactics_site *s = &it.sites[i];

			if (!is_planned(s))
				continue;
			if (random_next(&random_state) % 3 == 0)
				count(s, on[i] = !on[i]);
			before[i] = hits(s);
		}
		for (size_t i = 0; i < FUNCTIONS * COPIES; i++)
			call(i, 2);
		for (size_t i = 0; i < it.t.count; i++)
			ck_assert(!is_planned(&it.sites[i]) ||
				  hits(&it.sites[i]) - before[i] == (on[i] ? 2 : 0));
	}
}
END_TEST

/* What branches to the instruction behind a site does not hit it. */
START_TEST(tactics_run_behind_the_site)
{
	for (size_t i = 0; i < it.t.count; i++) {
		const struct tactics_site *s = &it.sites[i];
		uint64_t (*function)(uint64_t) = (uint64_t(*)(uint64_t))(s->address + 1);

		if (!is_planned(s) || functions[it.of[i] % FUNCTIONS].sites[0] != 0 ||
			s->address != it.entries[it.of[i]])
			continue;
		count(s, true);
		ck_assert_uint_eq(function(37), 42);
		ck_assert_uint_eq(hits(s), 0);
		count(s, false);
	}
}
END_TEST

/* A breakpoint comes to each instruction behind a site, and goes when it is hit. */
START_TEST(tactics_run_breakpoints)
{
	size_t wanted = 0;

	for (size_t i = 0; i < it.t.count; i++) {
		const struct tactics_site *s = &it.sites[i];
		uint64_t before = 0;
		size_t length;

		if (!is_planned(s))
			continue;
		count(s, true);
		for (size_t at = 1; at <= TACTICS_RELIED; at += length) {
			uint8_t *byte = (uint8_t *)s->address + at;
			size_t was = it.traps;

			length = tactics_length_of(s->code + at, TACTICS_BYTES - at);
			it.held = *byte;
			*byte = 0xcc;
			call(it.of[i], 1);
			wanted++;
			/* The trampoline of an evicted site does not execute the first one. */
			ck_assert_uint_le(it.traps - was, 1);
			*byte = it.held;
			ck_assert_uint_eq(hits(s), ++before);
		}
		count(s, false);
	}
	ck_assert_uint_gt(wanted, FUNCTIONS * COPIES);
	ck_assert_uint_gt(it.traps, FUNCTIONS * COPIES / 2);
}
END_TEST

Suite *tactics_run_suite(void)
{
	Suite *s = suite_create("tactics_run");
	TCase *c = tcase_create("tactics_run");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, tactics_run_each_hit_once);
	tcase_add_test(c, tactics_run_any_of_them);
	tcase_add_test(c, tactics_run_behind_the_site);
	tcase_add_test(c, tactics_run_breakpoints);
	suite_add_tcase(s, c);
	return s;
}

#else

Suite *tactics_run_suite(void)
{
	return suite_create("tactics_run");
}

#endif
