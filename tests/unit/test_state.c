/*
 * Covers probe/state: every combination of live bytes and counts, of one and of two sites. Not
 * covered: the second reading of an inconsistent probe (session, e2e).
 */
#include "probe/state.h"

#include "suites.h"
#include "world.h"

#include <string.h>

#define PC(n) WORLD_PC(n)
#define SEM(n) WORLD_DATA(n)
#define ABSENT 0x100

/* The byte that switches a site; ABSENT: its page cannot be read. */
static void state_put(struct world *w, uint64_t vaddr, unsigned byte)
{
	if (byte == ABSENT)
		w->fake.regions[0].absent = true;
	else
		*world_byte(w, vaddr) = (unsigned char)byte;
}

static void state_put_count(struct world *w, uint64_t vaddr, unsigned count)
{
	if (count == PROBES_NONE)
		w->fake.regions[1].absent = true;
	else
		world_set_count(w, vaddr, count);
}

/* One OCaml site with its semaphore. */
static void state_check_one(const char *provider, unsigned byte, unsigned count)
{
	const struct elf_note notes[] = {{PC(0x10), 0, SEM(4), provider, "p", ""}};
	enum probes_state expected;
	struct probes_live *live;
	struct world w;

	world_of(&w, notes, 1);
	state_put(&w, PC(0x11), byte);
	state_put_count(&w, world_at(&w, "p")->semaphores[0].vaddr, count);
	world_read(&w);
	live = world_live(&w, "p");
	if (byte == ABSENT || count == PROBES_NONE)
		expected = PROBES_UNREADABLE;
	else if (byte != 0x3d && byte != 0xe8)
		expected = PROBES_FOREIGN;
	else if ((byte == 0xe8) != (count > 0))
		expected = PROBES_INCONSISTENT;
	else
		expected = count ? PROBES_ON : PROBES_OFF;
	ck_assert_msg(live->state == expected, "%x with %u: %s", byte, count,
		probes_state_name(live->state));
	ck_assert_uint_eq(live->sites_on, byte == ABSENT ? PROBES_NONE : byte == 0xe8);
	ck_assert_uint_eq(live->ref_min, count);
	ck_assert_uint_eq(live->ref_max, count);
	ck_assert(!live->mine);
	if (byte == 0xcc)
		ck_assert_str_eq(probes_holder_name(live->holder), "int3");
	else if (byte == 0)
		ck_assert_str_eq(probes_holder_name(live->holder), "other");
	else
		ck_assert_int_eq(live->holder, PROBES_HOLDER_NONE);
	world_end(&w);
}

/* Every byte with every count, in each generation. */
START_TEST(state_of_one_ocaml_site)
{
	static const char *const providers[] = {"ocaml", "ocaml.1", "ocaml_1", "ocaml_2"};
	static const unsigned bytes[] = {0x3d, 0xe8, 0xcc, 0x00, ABSENT};
	static const unsigned counts[] = {0, 1, 0x7ffe, 0xffff, PROBES_NONE};

	for (size_t i = 0; i < 5; i++)
		for (size_t k = 0; k < 5; k++)
			state_check_one(providers[_i], bytes[i], counts[k]);
}
END_TEST

/* The byte at pc belongs to others: bpftrace's int3 there changes nothing. */
START_TEST(state_of_an_ocaml_site_with_a_uprobe)
{
	static const struct elf_note notes[] = {{PC(0x10), 0, SEM(4), "ocaml_1", "p", ""}};
	struct world w;

	world_of(&w, notes, 1);
	*world_byte(&w, PC(0x10)) = 0xcc;
	world_read(&w);
	ck_assert_int_eq(world_live(&w, "p")->state, PROBES_OFF);
	*world_byte(&w, PC(0x11)) = 0xe8;
	world_set_count(&w, SEM(6), 1);
	world_read(&w);
	ck_assert_int_eq(world_live(&w, "p")->state, PROBES_ON);
	*world_byte(&w, PC(0x13)) ^= 1; /* another displacement: a call of something else */
	world_read(&w);
	ck_assert_int_eq(world_live(&w, "p")->state, PROBES_FOREIGN);
	world_end(&w);
}
END_TEST

/* Two sites, one semaphore (ocaml_1). */
START_TEST(state_of_two_sites)
{
	static const struct elf_note notes[] = {{PC(0x10), 0, SEM(4), "ocaml_1", "p", ""},
		{PC(0x20), 0, SEM(4), "ocaml_1", "p", ""}};
	static const struct {
		unsigned first, second, count, on;
		enum probes_state state;
	} table[] = {
		{0x3d, 0x3d, 0, 0, PROBES_OFF},
		{0x3d, 0x3d, 1, 0, PROBES_INCONSISTENT},
		{0xe8, 0xe8, 1, 2, PROBES_ON},
		{0xe8, 0xe8, 0, 2, PROBES_INCONSISTENT},
		{0xe8, 0x3d, 1, 1, PROBES_PARTIAL},
		{0x3d, 0xe8, 0, 1, PROBES_PARTIAL},
		{0xe8, 0xcc, 1, 1, PROBES_FOREIGN},
		{0xcc, 0x3d, 0, 0, PROBES_FOREIGN},
		{0xcc, 0xcc, 3, 0, PROBES_FOREIGN},
	};
	struct world w;

	world_of(&w, notes, 2);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		state_put(&w, PC(0x11), table[i].first);
		state_put(&w, PC(0x21), table[i].second);
		world_set_count(&w, SEM(6), table[i].count);
		world_read(&w);
		ck_assert_msg(world_live(&w, "p")->state == table[i].state, "row %zu: %s", i,
			probes_state_name(world_live(&w, "p")->state));
		ck_assert_uint_eq(world_live(&w, "p")->sites_on, table[i].on);
	}
	world_end(&w);
}
END_TEST

/* Two units, a site and a semaphore each (ocaml). */
START_TEST(state_of_two_units)
{
	static const struct elf_note notes[] = {
		{PC(0x10), 0, SEM(4), "ocaml", "p", ""}, {PC(0x20), 0, SEM(8), "ocaml", "p", ""}};
	static const struct {
		unsigned first, one, second, two;
		enum probes_state state;
	} table[] = {
		{0x3d, 0, 0x3d, 0, PROBES_OFF},
		{0xe8, 1, 0xe8, 7, PROBES_ON},
		{0xe8, 1, 0x3d, 0, PROBES_PARTIAL},
		{0x3d, 0, 0xe8, 1, PROBES_PARTIAL},
		{0x3d, 1, 0x3d, 0, PROBES_INCONSISTENT},
		{0xe8, 1, 0xe8, 0, PROBES_INCONSISTENT},
	};
	struct world w;

	world_of(&w, notes, 2);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		state_put(&w, PC(0x11), table[i].first);
		state_put(&w, PC(0x21), table[i].second);
		world_set_count(&w, SEM(4), table[i].one);
		world_set_count(&w, SEM(8), table[i].two);
		world_read(&w);
		ck_assert_msg(world_live(&w, "p")->state == table[i].state, "row %zu: %s", i,
			probes_state_name(world_live(&w, "p")->state));
		ck_assert_uint_eq(world_live(&w, "p")->ref_min,
			table[i].one < table[i].two ? table[i].one : table[i].two);
	}
	world_end(&w);
}
END_TEST

/* A probe by semaphore alone. */
START_TEST(state_without_a_site)
{
	static const struct elf_note notes[] = {{0, 0, SEM(4), "ocaml_2", "p", ""}};
	struct world w;

	world_of(&w, notes, 1);
	world_read(&w);
	ck_assert_int_eq(world_live(&w, "p")->state, PROBES_OFF);
	ck_assert_uint_eq(world_live(&w, "p")->sites_on, PROBES_NONE);
	world_set_count(&w, SEM(4), 9); /* the part of SystemTap */
	world_read(&w);
	ck_assert_int_eq(world_live(&w, "p")->state, PROBES_OFF);
	world_set_count(&w, SEM(6), 2);
	world_read(&w);
	ck_assert_int_eq(world_live(&w, "p")->state, PROBES_ON);
	ck_assert_uint_eq(world_live(&w, "p")->ref_max, 2);
	world_end(&w);
}
END_TEST

START_TEST(state_of_sdt)
{
	static const struct elf_note notes[] = {
		{PC(0x10), 0, SEM(4), "sdt", "two", ""},
		{PC(0x20), 0, SEM(8), "sdt", "two", ""},
		{PC(0x30), 0, 0, "sdt", "none", ""},
	};
	static const struct {
		unsigned byte, one, two;
		enum probes_state state;
	} table[] = {
		{0x90, 0, 0, PROBES_OFF},
		{0x90, 1, 2, PROBES_ON},
		{0x90, 1, 0, PROBES_PARTIAL},
		{0x90, 0, 5, PROBES_PARTIAL},
		{0xcc, 1, 1, PROBES_FOREIGN},
		{0xcc, 0, 0, PROBES_FOREIGN},
		{0xe9, 0, 1, PROBES_FOREIGN},
	};
	struct world w;

	world_of(&w, notes, 3);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		state_put(&w, PC(0x10), table[i].byte);
		world_set_count(&w, SEM(4), table[i].one);
		world_set_count(&w, SEM(8), table[i].two);
		world_read(&w);
		ck_assert_msg(world_live(&w, "two")->state == table[i].state, "row %zu: %s", i,
			probes_state_name(world_live(&w, "two")->state));
		ck_assert_uint_eq(world_live(&w, "two")->sites_on, PROBES_NONE);
		ck_assert_int_eq(world_live(&w, "none")->state, PROBES_NO_SWITCH);
	}
	ck_assert_uint_eq(world_live(&w, "none")->ref_min, PROBES_NONE);
	ck_assert_str_eq(probes_state_name(world_live(&w, "none")->state), "none");
	state_put(&w, PC(0x30), 0xcc);
	world_read(&w);
	ck_assert_int_eq(world_live(&w, "none")->state, PROBES_FOREIGN);
	ck_assert_int_eq(world_live(&w, "none")->holder, PROBES_HOLDER_INT3);
	w.fake.regions[0].absent = true;
	world_read(&w);
	ck_assert_int_eq(world_live(&w, "none")->state, PROBES_UNREADABLE);
	ck_assert_int_eq(world_live(&w, "two")->state, PROBES_UNREADABLE);
	world_end(&w);
}
END_TEST

START_TEST(state_of_broken_notes_says_nothing)
{
	static const struct elf_note notes[] = {{PC(0x10), 0, 0, "ocaml_1", "p", ""}};
	struct world w;

	world_of(&w, notes, 1);
	*world_byte(&w, PC(0x11)) = 0xe8;
	world_read(&w);
	ck_assert_int_eq(world_live(&w, "p")->state, PROBES_UNREADABLE);
	world_end(&w);
}
END_TEST

Suite *state_suite(void)
{
	Suite *s = suite_create("state");
	TCase *t = tcase_create("state");

	tcase_add_loop_test(t, state_of_one_ocaml_site, 0, 4);
	tcase_add_test(t, state_of_an_ocaml_site_with_a_uprobe);
	tcase_add_test(t, state_of_two_sites);
	tcase_add_test(t, state_of_two_units);
	tcase_add_test(t, state_without_a_site);
	tcase_add_test(t, state_of_sdt);
	tcase_add_test(t, state_of_broken_notes_says_nothing);
	suite_add_tcase(s, t);
	return s;
}
