/*
 * The lease: how long it still runs. That it undoes is left to e2e/tui-lease.sh.
 */
#include "session_world.h"

#include <check.h>

#include "ui/tui/app/app.h"

#define LEASE_MS 60000

Suite *lease_suite(void);

static struct session_world x;
static struct app a;

static void begin(void)
{
	session_begin(&x, "");
	a = (struct app){.lease_ms = LEASE_MS, .last_key_ms = now_ms()};
	model_add(&a.model, &x.s);
}

static void end(void)
{
	model_done(&a.model);
	session_end(&x);
}

START_TEST(runs_only_while_there_is_something_to_undo)
{
	ck_assert_int_eq(app_lease_remaining(&a), -1);
	session_must(&x, PROBES_ENABLE, "one");
	ck_assert_int_gt(app_lease_remaining(&a), 0);
	ck_assert_int_le(app_lease_remaining(&a), LEASE_MS);
	session_must_restore(&x);
	ck_assert_int_eq(app_lease_remaining(&a), -1);
}
END_TEST

/* A key begins it again. */
START_TEST(counts_from_the_last_key)
{
	session_must(&x, PROBES_ENABLE, "one");
	a.last_key_ms -= LEASE_MS - 10000;
	ck_assert_int_le(app_lease_remaining(&a), 10000);
	a.last_key_ms -= 10000;
	ck_assert_int_eq(app_lease_remaining(&a), 0);
	a.last_key_ms -= LEASE_MS; /* the clock went on while the screen was stopped */
	ck_assert_int_eq(app_lease_remaining(&a), 0);
	a.last_key_ms = now_ms();
	ck_assert_int_gt(app_lease_remaining(&a), LEASE_MS - 10000);
	session_must_restore(&x);
}
END_TEST

START_TEST(none_was_asked_for)
{
	a.lease_ms = 0;
	session_must(&x, PROBES_ENABLE, "one");
	ck_assert_int_eq(app_lease_remaining(&a), -1);
	session_must_restore(&x);
}
END_TEST

/* There is nothing to undo in a process that has ended. */
START_TEST(the_target_has_ended)
{
	session_must(&x, PROBES_ENABLE, "one");
	a.model.processes[0].gone = true;
	ck_assert_int_eq(app_lease_remaining(&a), -1);
	session_must_restore(&x);
}
END_TEST

Suite *lease_suite(void)
{
	Suite *s = suite_create("lease");
	TCase *c = tcase_create("lease");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, runs_only_while_there_is_something_to_undo);
	tcase_add_test(c, counts_from_the_last_key);
	tcase_add_test(c, none_was_asked_for);
	tcase_add_test(c, the_target_has_ended);
	suite_add_tcase(s, c);
	return s;
}
