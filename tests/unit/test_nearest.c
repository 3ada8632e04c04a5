/* Covers select_nearest: the names suggested for a name that does not exist. */
#include "probe/select.h"

#include "suites.h"
#include "world.h"

#include <string.h>

static const struct elf_note nearest_notes[] = {
	{WORLD_PC(0x10), 0, 0, "srv", "request_start", ""},
	{WORLD_PC(0x20), 0, 0, "srv", "request_end", ""},
	{WORLD_PC(0x30), 0, 0, "srv", "gc_begin", ""},
	{WORLD_PC(0x40), 0, 0, "php", "gc_begin", ""},
	{WORLD_PC(0x50), 0, 0, "srv", "gc_end", ""},
	{WORLD_PC(0x60), 0, 0, "srv", "gc_mid", ""},
};

static const struct {
	const char *text, *expected;
} nearest_cases[] = {
	{"request_strat", "srv:request_start, srv:request_end"}, /* the nearest first */
	{"request_start2", "srv:request_start"},
	{"srv:request_strat", "srv:request_start, srv:request_end"},
	{"gc_begn", "php:gc_begin, srv:gc_begin, srv:gc_end"},
	{"request", "srv:request_end, srv:request_start"}, /* part of a name is similar */
	{"completely_different", ""},
	{"zzz", ""},
	{"", ""},
	{":", ""},
	{"srv:", ""},
};

START_TEST(nearest_spellings)
{
	char out[200];
	struct world w;

	world_of(&w, nearest_notes, 6);
	select_nearest(&w.catalog, nearest_cases[_i].text, out, sizeof out);
	ck_assert_str_eq(out, nearest_cases[_i].expected);
	world_end(&w);
}
END_TEST

START_TEST(nearest_three_at_most_in_any_space)
{
	char out[300];
	struct world w;

	world_of(&w, nearest_notes, 6);
	select_nearest(&w.catalog, "gc_", out, sizeof out);
	ck_assert_str_eq(out, "php:gc_begin, srv:gc_begin, srv:gc_end");
	for (size_t size = 1; size < 60; size++) {
		char cut[300];

		memset(cut, '#', sizeof cut);
		select_nearest(&w.catalog, "gc_", cut, size);
		ck_assert_int_eq(cut[size], '#');
		ck_assert_uint_lt(strlen(cut), size);
		ck_assert_mem_eq(cut, out, strlen(cut));
	}
	world_end(&w);
}
END_TEST

START_TEST(nearest_of_long_names)
{
	char text[5000], name[300], out[200];
	struct elf_note note = {WORLD_PC(0x10), 0, 0, "p", name, ""};
	struct world w;

	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	memset(name, 'a', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	world_of(&w, &note, 1);
	select_nearest(&w.catalog, text, out, sizeof out);
	ck_assert_uint_eq(strlen(out), sizeof out - 1); /* suggested, but truncated */
	world_end(&w);
	world_begin(&w);
	select_nearest(&w.catalog, text, out, sizeof out); /* no probes at all */
	ck_assert_str_eq(out, "");
	world_end(&w);
}
END_TEST

Suite *nearest_suite(void)
{
	Suite *s = suite_create("nearest");
	TCase *t = tcase_create("nearest");

	tcase_add_loop_test(t, nearest_spellings, 0, sizeof nearest_cases / sizeof *nearest_cases);
	tcase_add_test(t, nearest_three_at_most_in_any_space);
	tcase_add_test(t, nearest_of_long_names);
	suite_add_tcase(s, t);
	return s;
}
