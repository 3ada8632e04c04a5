/*
 * Covers the readings of session/session.c on a made-up memory: odd only when a second look agrees,
 * stale values never, and the reasons for failing. Not covered: the death of a process (e2e).
 */
#include "session_world.h"

#include "suites.h"

#include <errno.h>

/* Bytes and counts are two reads: what was odd for a moment is not shown. */
START_TEST(refresh_looks_twice_at_what_is_odd)
{
	struct session_world x;
	struct probes_error e;

	session_begin(&x, "b11=e8");
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
	/* sites disagree: that needs no second look */
	ck_assert_int_eq(world_live(&x.w, "one")->state, PROBES_PARTIAL);
	ck_assert_uint_eq(x.w.fake.reads, 1);
	*world_byte(&x.w, WORLD_PC(0x21)) = 0x3d;
	*world_byte(&x.w, WORLD_PC(0x31)) = 0xe8;
	*world_byte(&x.w, WORLD_PC(0x41)) = 0xe8;
	*world_byte(&x.w, WORLD_PC(0x11)) = 0x3d;
	world_set_count(&x.w, WORLD_DATA(0x12), 1);
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
	ck_assert_uint_eq(x.w.fake.reads, 3);
	ck_assert_int_eq(world_live(&x.w, "one")->state, PROBES_INCONSISTENT);
	ck_assert_int_eq(world_live(&x.w, "unit")->state, PROBES_INCONSISTENT);
	world_set_count(&x.w, WORLD_DATA(0x12), 0);
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
	ck_assert_int_eq(world_live(&x.w, "one")->state, PROBES_OFF);
	session_end(&x);
}
END_TEST

/* The second look of a pair sees what has been set right meanwhile. */
static void refresh_mend(struct fake *f, bool write, void *data)
{
	struct session_world *x = data;

	if (!write && f->reads == 2)
		world_set_count(&x->w, WORLD_DATA(0x12), 1);
}

START_TEST(refresh_does_not_show_a_moment)
{
	struct session_world x;
	struct probes_error e;

	session_begin(&x, "b11=e8 b21=e8");
	x.w.fake.before = refresh_mend;
	x.w.fake.data = &x;
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
	ck_assert_uint_eq(x.w.fake.reads, 2);
	ck_assert_int_eq(world_live(&x.w, "one")->state, PROBES_ON);
	ck_assert_uint_eq(world_live(&x.w, "one")->ref_max, 1);
	/* And back to what the first look saw: the next must show that. */
	x.w.fake.before = NULL;
	world_set_count(&x.w, WORLD_DATA(0x12), 0);
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
	ck_assert_int_eq(world_live(&x.w, "one")->state, PROBES_INCONSISTENT);
	session_end(&x);
}
END_TEST

/* What stays odd, as everything that stays as it is, costs one look a refresh and no judging. */
START_TEST(refresh_of_what_stays)
{
	struct session_world x;
	struct probes_error e;
	uint64_t changes;

	session_begin(&x, "b11=e8 b21=e8");
	ck_assert_uint_eq(probes_changes(&x.s), 0);
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
	ck_assert_int_eq(world_live(&x.w, "one")->state, PROBES_INCONSISTENT);
	ck_assert_uint_eq(x.w.fake.reads, 2);
	changes = probes_changes(&x.s);
	ck_assert_uint_gt(changes, 0);
	for (unsigned i = 1; i <= 3; i++) {
		ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
		ck_assert_uint_eq(x.w.fake.reads, 2 + i);
		ck_assert_uint_eq(probes_changes(&x.s), changes);
		ck_assert_int_eq(world_live(&x.w, "one")->state, PROBES_INCONSISTENT);
	}
	world_set_count(&x.w, WORLD_DATA(0x12), 1);
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
	ck_assert_uint_eq(probes_changes(&x.s), changes + 1);
	ck_assert_int_eq(world_live(&x.w, "one")->state, PROBES_ON);
	session_end(&x);
}
END_TEST

/* Reading a few and reading all do not confuse each other. */
START_TEST(refresh_of_a_few_between_two_of_all)
{
	struct session_world x;
	struct probes_error e;
	size_t soft;

	session_begin(&x, "");
	soft = world_probe(&x.w, "soft");
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
	world_set_count(&x.w, WORLD_DATA(0x32), 1);
	ck_assert_int_eq(probes_refresh(&x.s, &soft, 1, &e), 0);
	ck_assert_int_eq(world_live(&x.w, "soft")->state, PROBES_ON);
	world_set_count(&x.w, WORLD_DATA(0x32), 0); /* as at the first reading of all */
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
	ck_assert_int_eq(world_live(&x.w, "soft")->state, PROBES_OFF);
	ck_assert_int_eq(probes_refresh(&x.s, &soft, 0, &e), 0); /* of none */
	session_end(&x);
}
END_TEST

START_TEST(refresh_says_why_it_cannot)
{
	struct session_world x;
	struct probes_error e = {0};

	session_begin(&x, "");
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
	x.w.fake.fail_read = x.w.fake.reads + 1;
	x.w.fake.code = -EPERM;
	world_set_count(&x.w, WORLD_DATA(0x32), 4);
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), -EPERM);
	ck_assert_int_eq(e.status, PROBES_DENIED);
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
	ck_assert_uint_eq(world_live(&x.w, "soft")->ref_max, 4);
	x.w.fake.fail_read = x.w.fake.reads + 1;
	x.w.fake.code = -ESRCH;
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), -ESRCH);
	ck_assert_int_eq(e.status, PROBES_GONE);
	session_end(&x);
}
END_TEST

Suite *refresh_suite(void)
{
	Suite *s = suite_create("refresh");
	TCase *t = tcase_create("refresh");

	tcase_add_test(t, refresh_looks_twice_at_what_is_odd);
	tcase_add_test(t, refresh_does_not_show_a_moment);
	tcase_add_test(t, refresh_of_what_stays);
	tcase_add_test(t, refresh_of_a_few_between_two_of_all);
	tcase_add_test(t, refresh_says_why_it_cannot);
	suite_add_tcase(s, t);
	return s;
}
