/* Covers base/error and base/log. Not covered: strerror's own texts. */
#include "base/error.h"
#include "base/log.h"

#include "suites.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

START_TEST(error_has_all_parts)
{
	struct probes_error e;

	memset(&e, 'x', sizeof e);
	ck_assert_int_eq(error_set(&e, PROBES_DENIED, -EACCES, "cannot open %s", "it"), -EACCES);
	ck_assert_int_eq(e.status, PROBES_DENIED);
	ck_assert_int_eq(e.code, -EACCES);
	ck_assert_str_eq(e.what, "cannot open it");
	ck_assert_str_eq(e.why, strerror(EACCES));
	ck_assert_str_eq(e.hint, "");
	ck_assert_int_eq(error_why(&e, "because of %d", 3), -EACCES);
	ck_assert_int_eq(error_hint(&e, "try %s", "sudo"), -EACCES);
	ck_assert_str_eq(e.why, "because of 3");
	ck_assert_str_eq(e.hint, "try sudo");
	ck_assert_str_eq(e.what, "cannot open it");
}
END_TEST

START_TEST(error_cuts_what_is_too_long)
{
	char long_text[2000];
	struct probes_error e;

	memset(long_text, 'a', sizeof long_text - 1);
	long_text[sizeof long_text - 1] = '\0';
	error_set(&e, PROBES_FAILED, -EIO, "%s", long_text);
	error_why(&e, "%s", long_text);
	error_hint(&e, "%s", long_text);
	ck_assert_uint_eq(strlen(e.what), sizeof e.what - 1);
	ck_assert_uint_eq(strlen(e.why), sizeof e.why - 1);
	ck_assert_uint_eq(strlen(e.hint), sizeof e.hint - 1);
}
END_TEST

/* Whatever the caller makes of it: our shortage is no statement about the process. */
START_TEST(error_shortage_stays_one)
{
	static const struct {
		int code;
		const char *why;
	} shortages[] = {{-EMFILE, "unit has no file descriptors left (limit "},
		{-ENFILE, "this machine has no file descriptors left"},
		{-ENOMEM, "unit has no memory left"}};
	struct probes_error e;

	error_set(&e, PROBES_DENIED, shortages[_i].code, "cannot open %s", "it");
	error_why(&e, "no such process");
	error_hint(&e, "look it up again");
	ck_assert_int_eq(e.status, PROBES_FAILED);
	ck_assert_int_eq(e.code, shortages[_i].code);
	ck_assert_str_eq(e.what, "cannot open it");
	ck_assert_ptr_nonnull(strstr(e.why, shortages[_i].why));
	ck_assert_ptr_null(strstr(e.hint, "look it up"));
	/* But what remains must be said. */
	error_remains(&e, "undo it with repair -pid %d", 7);
	ck_assert_ptr_nonnull(strstr(e.hint, "undo it with repair -pid 7"));
	ck_assert(probes_is_shortage(&e));
	error_set(&e, PROBES_DENIED, -EACCES, "x");
	ck_assert(!probes_is_shortage(&e));
	ck_assert_int_eq(error_fork(&e, shortages[_i].code, "x"), shortages[_i].code);
	ck_assert_ptr_nonnull(strstr(e.why, shortages[_i].why));
}
END_TEST

/* The kernel does not tell whether ulimit -u or a cgroup refused: no figure is right for both. */
START_TEST(error_fork_names_its_limits)
{
	struct probes_error e;

	ck_assert_int_eq(error_fork(&e, -EAGAIN, "cannot start %s", "it"), -EAGAIN);
	ck_assert_int_eq(e.status, PROBES_FAILED);
	ck_assert_str_eq(e.what, "cannot start it");
	ck_assert_str_eq(e.why, "no more processes can be started");
	ck_assert_ptr_nonnull(strstr(e.hint, "ulimit -u"));
	ck_assert_ptr_nonnull(strstr(e.hint, "pids.max"));
}
END_TEST

START_TEST(error_memory_is_a_failure)
{
	struct probes_error e;

	ck_assert_int_eq(error_memory(&e, "a plan"), -ENOMEM);
	ck_assert_int_eq(e.status, PROBES_FAILED);
	ck_assert_ptr_nonnull(strstr(e.what, "a plan"));
}
END_TEST

/* The first hint stays; what does not fit is cut. */
START_TEST(error_remains_is_appended)
{
	struct probes_error e;

	error_set(&e, PROBES_FAILED, -EBUSY, "x");
	error_remains(&e, "%s", "repair it");
	ck_assert_str_eq(e.hint, "repair it");
	error_hint(&e, "wait");
	error_remains(&e, "repair %s", "it");
	ck_assert_str_eq(e.hint, "wait; repair it");
	for (int i = 0; i < 100; i++)
		error_remains(&e, "repair it");
	ck_assert_uint_eq(strlen(e.hint), sizeof e.hint - 1);
}
END_TEST

static void error_sink(void *data, enum probes_log_level level, const char *text)
{
	ck_assert_int_eq(level, PROBES_LOG_NOTICE);
	snprintf(data, 600, "%s", text);
}

START_TEST(log_says_to_its_sink_only)
{
	char line[600] = "", long_text[1000];
	struct log log = {error_sink, line}, nowhere = {0};

	log_say(&log, PROBES_LOG_NOTICE, "%d probes", 4);
	ck_assert_str_eq(line, "4 probes");
	memset(long_text, 'b', sizeof long_text - 1);
	long_text[sizeof long_text - 1] = '\0';
	log_say(&log, PROBES_LOG_NOTICE, "%s", long_text);
	ck_assert_uint_eq(strlen(line), 511);
	log_say(&nowhere, PROBES_LOG_NOTICE, "%s", "unheard");
}
END_TEST

Suite *error_suite(void)
{
	Suite *s = suite_create("error");
	TCase *t = tcase_create("error");

	tcase_add_test(t, error_has_all_parts);
	tcase_add_test(t, error_cuts_what_is_too_long);
	tcase_add_loop_test(t, error_shortage_stays_one, 0, 3);
	tcase_add_test(t, error_fork_names_its_limits);
	tcase_add_test(t, error_remains_is_appended);
	tcase_add_test(t, error_memory_is_a_failure);
	tcase_add_test(t, log_says_to_its_sink_only);
	suite_add_tcase(s, t);
	return s;
}
