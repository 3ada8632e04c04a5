/*
 * Covers session/described.c: a session of what a caller describes. Not covered: what the screen
 * makes of it (e2e/tui-replay.sh).
 */
#include "probes.h"

#include "suites.h"

#include <errno.h>
#include <string.h>

static const struct probes_object objects[] = {
	{.path = "/usr/bin/p", .build_id = "ab12", .bias = 0x1000, .executable = true},
	{.path = "/none"},
	{.path = "/lib/l"},
};
static const struct probes_described_site sites[] = {
	{.pc = 0x10,
		.arguments = "8@%rdi",
		.names = {"fd"},
		.function = "f",
		.file = "f.c",
		.offset = 3,
		.line = 7},
	{.pc = 0x20},
};
static const struct probes_described probes[] = {
	{.object = 0,
		.kind = PROBES_SDT,
		.provider = "p",
		.name = "two",
		.sites = sites,
		.site_count = 2},
	{.object = 0, .kind = PROBES_OCAML, .provider = "p", .name = "none"},
	{.object = 2,
		.kind = PROBES_SDT,
		.provider = "l",
		.name = "one",
		.sites = sites,
		.site_count = 1},
};

START_TEST(described_is_listed)
{
	struct probes_session *s;
	struct probes_source where;
	struct probes_error e;

	ck_assert_int_eq(probes_open_described("/usr/bin/p", objects, 3, probes, 3, &s, &e), 0);
	ck_assert_uint_eq(probes_count(s), 3);
	ck_assert_uint_eq(probes_object_count(s), 3);
	ck_assert_str_eq(probes_path(s), "/usr/bin/p");
	ck_assert_str_eq(probes_object_at(s, 0)->build_id, "ab12");
	ck_assert_uint_eq(probes_object_at(s, 0)->probe_count, 2);
	ck_assert_uint_eq(probes_object_at(s, 1)->probe_count, 0);
	ck_assert_str_eq(probes_at(s, 0)->name, "two");
	ck_assert_str_eq(probes_at(s, 0)->arguments, "8@%rdi");
	ck_assert_uint_eq(probes_at(s, 0)->sites[0].address, 0x1010);
	ck_assert_str_eq(probes_at(s, 0)->sites[1].arguments, "");
	ck_assert_uint_eq(probes_at(s, 1)->site_count, 0);
	ck_assert_int_eq(probes_at(s, 1)->kind, PROBES_OCAML);
	ck_assert_uint_eq(probes_at(s, 2)->object, 2);
	ck_assert_uint_eq(probes_at(s, 2)->sites[0].address, 0);
	probes_source(s, 0, 0, &where);
	ck_assert_str_eq(where.function, "f");
	ck_assert_str_eq(where.file, "f.c");
	ck_assert(where.offset == 3 && where.line == 7);
	probes_source(s, 0, 1, &where);
	ck_assert(!*where.function && !*where.file);
	ck_assert_str_eq(probes_argument_name(s, 0, 0, 1), "fd");
	ck_assert_ptr_null(probes_argument_name(s, 0, 0, 2));
	ck_assert_ptr_null(probes_argument_name(s, 0, 2, 1));
	ck_assert_ptr_null(probes_argument_name(s, 0, 0, PROBES_EVENT_ARGUMENTS + 1));
	probes_close(s);
}
END_TEST

/* Nothing in it is read or written. */
START_TEST(described_has_no_process)
{
	const struct probes_action all = {.verb = PROBES_ENABLE, .by = PROBES_BY_ALL};
	struct probes_instruction code[4];
	struct probes_result *r = NULL;
	struct probes_session *s;
	struct probes_error e;

	ck_assert_int_eq(probes_open_described("/usr/bin/p", objects, 3, probes, 3, &s, &e), 0);
	ck_assert_int_eq(probes_pid(s), 0);
	ck_assert(!probes_access(s)->can_switch && !probes_access(s)->can_read);
	ck_assert_int_lt(probes_switch(s, &all, 1, NULL, &r, &e), 0);
	probes_result_free(r);
	ck_assert_int_eq(probes_live_at(s, 0)->state, PROBES_UNKNOWN);
	ck_assert_uint_eq(probes_live_at(s, 0)->ref_max, PROBES_NONE);
	ck_assert_uint_eq(probes_hits(s, 0).counted, 0);
	ck_assert_uint_eq(probes_code(s, 0, 0, code, 4), 0);
	ck_assert_ptr_null(probes_site_original(s, 0, 0));
	probes_close(s);
}
END_TEST

START_TEST(described_in_another_order)
{
	struct probes_described wrong[3];
	struct probes_session *s;
	struct probes_error e;

	memcpy(wrong, probes, sizeof wrong);
	wrong[0].object = 2;
	ck_assert_int_eq(probes_open_described("/p", objects, 3, wrong, 3, &s, &e), -EINVAL);
	ck_assert_int_eq(e.status, PROBES_USAGE);
	ck_assert_ptr_null(s);
	ck_assert_int_eq(probes_open_described("/p", objects, 2, probes, 3, &s, &e), -EINVAL);
}
END_TEST

Suite *described_suite(void)
{
	Suite *s = suite_create("described");
	TCase *c = tcase_create("described");

	tcase_add_test(c, described_is_listed);
	tcase_add_test(c, described_has_no_process);
	tcase_add_test(c, described_in_another_order);
	suite_add_tcase(s, c);
	return s;
}
