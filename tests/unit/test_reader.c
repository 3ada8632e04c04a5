/*
 * Covers probe/reader on a fake memory: every value is stored at its place, whatever is merged,
 * missing or shared; no change is missed. Not covered: the cost in system calls.
 */
#include "probe/reader.h"

#include "suites.h"
#include "world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PC(n) WORLD_PC(n)
#define SEM(n) WORLD_DATA(n)

static bool reader_go(struct world *w, struct reader *r)
{
	bool changed = false;

	ck_assert_int_eq(reader_fetch(r, &w->catalog, &w->fake.memory, &changed), 0);
	return changed;
}

static const struct elf_note reader_notes[] = {
	{PC(0x10), 0, SEM(4), "sdt", "a", ""},
	{PC(0x13), 0, SEM(0x100), "sdt", "b", ""},
	{PC(0x800), 0, SEM(0x400), "ocaml_1", "c", ""},
};

START_TEST(reader_puts_values_where_they_belong)
{
	struct world w;
	struct object_probes *h = world_of(&w, reader_notes, 3);
	const struct probes_probe *c = world_at(&w, "c"), *b = world_at(&w, "b");
	struct reader r;

	world_set_count(&w, SEM(4), 0x1234);
	world_set_count(&w, SEM(0x100), 7);
	world_set_count(&w, SEM(0x402), 0xffff);
	ck_assert(reader_init(&r, &w.catalog, NULL, 0));
	ck_assert(reader_go(&w, &r));
	ck_assert_uint_eq(h->values[object_probes_semaphore(h, world_at(&w, "a"))], 0x1234);
	ck_assert_uint_eq(h->values[object_probes_semaphore(h, b)], 7);
	ck_assert_uint_eq(h->values[object_probes_semaphore(h, c)], 0xffff);
	ck_assert_uint_eq(h->site_live[object_probes_site(h, b)].count, 6);
	ck_assert_mem_eq(h->site_live[object_probes_site(h, b)].bytes, w.text + 0x13, 6);
	ck_assert_mem_eq(h->site_live[object_probes_site(h, c)].bytes, w.text + 0x800, 6);
	reader_done(&r);
	world_end(&w);
}
END_TEST

START_TEST(reader_says_whether_anything_changed)
{
	struct world w;
	struct object_probes *h = world_of(&w, reader_notes, 3);
	struct reader r;

	ck_assert(reader_init(&r, &w.catalog, NULL, 0));
	ck_assert(reader_go(&w, &r)); /* the first run always is a change */
	ck_assert(!reader_go(&w, &r));
	world_set_count(&w, SEM(0x402), 1);
	ck_assert(reader_go(&w, &r));
	ck_assert_uint_eq(h->values[0], 1); /* ocaml_1 sorts before sdt */
	ck_assert(!reader_go(&w, &r));
	*world_byte(&w, PC(0x801)) = 0xe8;
	ck_assert(reader_go(&w, &r));
	w.fake.regions[1].absent = true;
	ck_assert(reader_go(&w, &r));
	ck_assert_uint_eq(h->values[0], PROBES_NONE);
	w.fake.regions[1].absent = false;
	ck_assert(reader_go(&w, &r));
	ck_assert_uint_eq(h->values[0], 1);
	reader_done(&r);
	world_end(&w);
}
END_TEST

/* A run reports the probes of changed values, and no others. */
START_TEST(reader_says_what_has_changed)
{
	struct world w;
	struct reader r;
	size_t c;

	world_of(&w, reader_notes, 3);
	c = world_probe(&w, "c");
	ck_assert(reader_init(&r, &w.catalog, NULL, 0));
	ck_assert(reader_go(&w, &r));
	ck_assert(r.everything);
	ck_assert(!reader_go(&w, &r));
	ck_assert(!r.everything);
	ck_assert_uint_eq(r.touched.count, 0);
	world_set_count(&w, SEM(0x402), 1);
	ck_assert(reader_go(&w, &r));
	ck_assert(!r.everything);
	ck_assert_uint_eq(r.touched.count, 1);
	ck_assert_uint_eq(*ARRAY_AT(&r.touched, size_t, 0), c);
	*world_byte(&w, PC(0x15)) ^= 1; /* in the sites of a and of b */
	ck_assert(reader_go(&w, &r));
	ck_assert_uint_eq(r.touched.count, 2);
	ck_assert_uint_eq(*ARRAY_AT(&r.touched, size_t, 0), world_probe(&w, "a"));
	ck_assert_uint_eq(*ARRAY_AT(&r.touched, size_t, 1), world_probe(&w, "b"));
	/* The bytes between a and c belong to no probe. */
	*world_byte(&w, PC(0x40)) ^= 1;
	reader_go(&w, &r);
	ck_assert_uint_eq(r.touched.count, 0);
	w.fake.regions[1].absent = true;
	ck_assert(reader_go(&w, &r));
	ck_assert(r.everything);
	reader_done(&r);
	world_end(&w);
}
END_TEST

/* A change of each site and count alone, so also at every border of a compared block. */
START_TEST(reader_finds_every_single_change)
{
	enum { COUNT = 1500 };
	struct elf_note *notes = calloc(COUNT, sizeof *notes);
	char(*names)[8] = calloc(COUNT, sizeof *names);
	struct world w;
	struct reader r;

	for (unsigned i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof names[i], "n%05u", i);
		notes[i] = (struct elf_note){
			PC(7 * i), 0, i % 3 ? 0 : SEM(2 * i), "sdt", names[i], ""};
	}
	world_begin(&w);
	world_prepare(&w, notes, COUNT, 7 * COUNT + 64);
	world_add(&w, "/lib/many.so", WORLD_BIAS);
	ck_assert(reader_init(&r, &w.catalog, NULL, 0));
	ck_assert(reader_go(&w, &r));
	for (size_t i = 0; i < COUNT; i++) {
		unsigned char *at = world_byte(&w, i % 3 ? PC(7 * i + i % 6) : SEM(2 * i));

		*at ^= 1;
		ck_assert(reader_go(&w, &r));
		ck_assert(!r.everything);
		ck_assert_uint_ge(r.touched.count, 1);
		for (size_t k = 0; k < r.touched.count; k++)
			ck_assert_uint_eq(*ARRAY_AT(&r.touched, size_t, k), i);
	}
	reader_done(&r);
	world_end(&w);
	free(names);
	free(notes);
}
END_TEST

/* A run that fails half-way leaves its buffer half new: the next run must not rely on it. */
START_TEST(reader_misses_nothing_after_a_failure)
{
	struct world w;
	struct object_probes *h = world_of(&w, reader_notes, 3);
	struct reader r;
	bool changed;

	ck_assert(reader_init(&r, &w.catalog, NULL, 0));
	ck_assert(reader_go(&w, &r));
	world_set_count(&w, SEM(0x402), 5);
	w.fake.fail_read = w.fake.reads + 1;
	w.fake.code = -EPERM;
	ck_assert_int_eq(reader_fetch(&r, &w.catalog, &w.fake.memory, &changed), -EPERM);
	ck_assert(reader_go(&w, &r));
	ck_assert_uint_eq(h->values[0], 5);
	reader_done(&r);
	world_end(&w);
}
END_TEST

START_TEST(reader_of_a_few_leaves_the_others)
{
	struct world w;
	struct object_probes *h = world_of(&w, reader_notes, 3);
	size_t which[] = {world_probe(&w, "c")};
	struct reader r;

	world_set_count(&w, SEM(4), 1);
	world_set_count(&w, SEM(0x402), 2);
	ck_assert(reader_init(&r, &w.catalog, which, 1));
	ck_assert(reader_go(&w, &r));
	ck_assert_uint_eq(h->values[object_probes_semaphore(h, world_at(&w, "a"))], PROBES_NONE);
	ck_assert_uint_eq(h->values[object_probes_semaphore(h, world_at(&w, "c"))], 2);
	reader_done(&r);
	world_end(&w);
}
END_TEST

START_TEST(reader_of_nothing)
{
	struct world w;
	struct reader r;
	size_t none[1] = {0};

	world_begin(&w);
	ck_assert(reader_init(&r, &w.catalog, NULL, 0));
	ck_assert(reader_go(&w, &r));
	reader_done(&r);
	world_end(&w);
	world_of(&w, reader_notes, 3);
	ck_assert(reader_init(&r, &w.catalog, none, 0));
	reader_go(&w, &r);
	reader_done(&r);
	world_end(&w);
}
END_TEST

/* The end of a mapping cuts a site short: only the bytes that were read are counted. */
START_TEST(reader_at_the_end_of_a_mapping)
{
	static const struct elf_note notes[] = {{PC(0x1ffe), 0, 0, "sdt", "last", ""}};
	struct world w;
	struct object_probes *h;
	struct reader r;

	h = world_of(&w, notes, 1);
	*world_byte(&w, PC(0x1ffe)) = 0x90;
	ck_assert(reader_init(&r, &w.catalog, NULL, 0));
	ck_assert(reader_go(&w, &r));
	ck_assert_uint_eq(h->site_live[0].count, 2);
	ck_assert_uint_eq(h->site_live[0].bytes[0], 0x90);
	reader_done(&r);
	world_end(&w);
}
END_TEST

/* Sites so dense that they fill more than one largest span, and one that straddles its border. */
START_TEST(reader_across_the_longest_span)
{
	enum { STEP = 200, COUNT = 5400, LONGEST = 1 << 20 };
	struct elf_note *notes = calloc(COUNT + 8, sizeof *notes);
	size_t n = 0;
	struct world w;
	struct object_probes *h;

	for (size_t at = 0; n < COUNT; at += STEP)
		notes[n++] = (struct elf_note){PC(at), 0, 0, "sdt", "dense", ""};
	for (size_t i = 1; i <= 8; i++) /* LONGEST - 8 ... - 1, overlapping each other */
		notes[n++] = (struct elf_note){PC(LONGEST - 9 + i), 0, 0, "sdt", "border", ""};
	world_begin(&w);
	world_prepare(&w, notes, n, LONGEST + 0x10000);
	h = world_add(&w, "/lib/dense.so", WORLD_BIAS);
	world_read(&w);
	for (size_t i = 0; i < h->site_count; i++) {
		const unsigned char *expected = w.text + (h->sites[i].pc - ELF_TEXT);

		ck_assert_msg(h->site_live[i].count == 6, "site at text + 0x%llx: %u bytes read",
			(unsigned long long)(h->sites[i].pc - ELF_TEXT), h->site_live[i].count);
		ck_assert_mem_eq(h->site_live[i].bytes, expected, 6);
		ck_assert_mem_eq(h->original[i], expected, 6);
	}
	world_end(&w);
	free(notes);
}
END_TEST

/* A count that two probes share is known for both after reading one of them. */
START_TEST(reader_of_a_shared_semaphore)
{
	static const struct elf_note notes[] = {
		{PC(0x10), 0, SEM(4), "sdt", "a", ""}, {PC(0x20), 0, SEM(4), "sdt", "b", ""}};
	struct world w;
	struct object_probes *h = world_of(&w, notes, 2);
	size_t which[] = {world_probe(&w, "b")};
	struct reader r;

	world_set_count(&w, SEM(4), 3);
	ck_assert(reader_init(&r, &w.catalog, which, 1));
	ck_assert(reader_go(&w, &r));
	ck_assert_uint_eq(h->values[object_probes_semaphore(h, world_at(&w, "b"))], 3);
	/* The slot where plans look it up. */
	ck_assert_uint_eq(
		h->values[object_probes_same(h, object_probes_semaphore(h, world_at(&w, "b")))], 3);
	reader_done(&r);
	world_end(&w);
}
END_TEST

/* Two of six pages go and come again: those before and behind them are read all the time. */
START_TEST(reader_goes_on_behind_a_hole)
{
	enum { STEP = 100, PAGE = 4096, SIZE = 6 * PAGE, COUNT = SIZE / STEP - 1 };
	struct elf_note *notes = calloc(COUNT, sizeof *notes);
	struct world w;
	struct object_probes *h;
	struct reader r;

	for (size_t i = 0; i < COUNT; i++)
		notes[i] = (struct elf_note){PC(i * STEP), 0, 0, "sdt", "dense", ""};
	world_begin(&w);
	world_prepare(&w, notes, COUNT, SIZE);
	h = world_add(&w, "/lib/dense.so", WORLD_BIAS);
	ck_assert_uint_eq((WORLD_BIAS + PC(0)) % PAGE, 0);
	ck_assert(reader_init(&r, &w.catalog, NULL, 0));
	fake_reset(&w.fake);
	ck_assert(reader_go(&w, &r));
	ck_assert(!reader_go(&w, &r));
	ck_assert_uint_eq(w.fake.reads, 2);
	w.fake.hole = WORLD_BIAS + PC(2 * PAGE);
	w.fake.hole_end = WORLD_BIAS + PC(4 * PAGE);
	for (int run = 0; run < 3; run++) {
		ck_assert(reader_go(&w, &r) || run);
		/* One more read when the hole appears; from then on it is known. */
		ck_assert_uint_eq(w.fake.reads, 4u + (unsigned)run);
		for (size_t i = 0; i < COUNT; i++) {
			size_t from = i * STEP, end = from + 6;
			size_t want = from >= 4 * PAGE || end <= 2 * PAGE ? 6
				      : from < 2 * PAGE                   ? 2 * PAGE - from
									  : 0;

			ck_assert_msg(h->site_live[i].count == want, "%zu: %u of %zu", from,
				h->site_live[i].count, want);
			ck_assert_mem_eq(h->site_live[i].bytes, w.text + from, want);
		}
	}
	w.fake.hole = w.fake.hole_end = 0;
	ck_assert(reader_go(&w, &r));
	for (size_t i = 0; i < COUNT; i++)
		ck_assert_uint_eq(h->site_live[i].count, 6);
	*world_byte(&w, PC(3 * PAGE + 4)) ^= 1; /* the page is known to be back */
	reader_go(&w, &r);
	ck_assert_uint_eq(w.fake.reads, 8);
	reader_done(&r);
	world_end(&w);
	free(notes);
}
END_TEST

Suite *reader_suite(void)
{
	Suite *s = suite_create("reader");
	TCase *t = tcase_create("reader");

	tcase_set_timeout(t, 30);
	tcase_add_test(t, reader_puts_values_where_they_belong);
	tcase_add_test(t, reader_says_whether_anything_changed);
	tcase_add_test(t, reader_says_what_has_changed);
	tcase_add_test(t, reader_finds_every_single_change);
	tcase_add_test(t, reader_misses_nothing_after_a_failure);
	tcase_add_test(t, reader_of_a_few_leaves_the_others);
	tcase_add_test(t, reader_of_nothing);
	tcase_add_test(t, reader_at_the_end_of_a_mapping);
	tcase_add_test(t, reader_goes_on_behind_a_hole);
	tcase_add_test(t, reader_across_the_longest_span);
	tcase_add_test(t, reader_of_a_shared_semaphore);
	suite_add_tcase(s, t);
	return s;
}
