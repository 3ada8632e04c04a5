/* Covers probe/regexp: both dialects, the place of an error, the limit on steps. */
#include "probe/regexp.h"

#include "suites.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *text, *subject;
	int matches;
} regexp_cases[] = {
	{"abc", "abc", 1},
	{"abc", "abcd", 1}, /* from the first character, not to the last */
	{"abc$", "abcd", 0},
	{"bc", "abc", 0},
	{".*bc", "abc", 1},
	{"^abc", "abc", 1},
	{"a|b", "b", 1},
	{"a\\|b", "b", 1},
	{"x|bc", "abc", 0}, /* anchored on both sides of the bar */
	{"x\\|bc", "abc", 0},
	{"req\\(_start\\|_end\\)$", "req_end", 1},
	{"req(_start|_end)$", "req_end", 1},
	{"req\\(_start\\|_end\\)$", "req_ends", 0},
	{"a[(|)]b", "a|b", 1},
	{"a[(|)]b", "a(b", 1},
	{"a\\.b", "a.b", 1},
	{"a\\.b", "axb", 0},
	{"a\\\\|b", "a\\", 1}, /* a backslash, or b */
	{"a\\\\|b", "b", 1},
	{"a\\\\\\|b", "b", 1}, /* a backslash, Str's bar, b */
	{"a\\\\\\|b", "a\\|b", 1},
	{"[0-9]+\\+", "42+", 1},
	{"", "anything", 1},
	{"x*", "anything", 1},
	{"ABC", "abc", 0},
	{"(?i)ABC", "abc", 1},
	{"\\(a\\)\\1", "aa", 1},
	{"\xc3\xa9", "\xc3\xa9t\xc3\xa9", 1},
	{".", "\xff", 1},
};

START_TEST(regexp_matches)
{
	struct regexp *r = NULL;
	struct probes_error e;

	ck_assert_int_eq(regexp_compile(regexp_cases[_i].text, true, &r, &e), 0);
	ck_assert_int_eq(regexp_match(r, regexp_cases[_i].subject), regexp_cases[_i].matches);
	/* Compiled once, matched often. */
	ck_assert_int_eq(regexp_match(r, regexp_cases[_i].subject), regexp_cases[_i].matches);
	regexp_free(r);
}
END_TEST

/* The place refers to the text before Str's backslashes were removed. */
static const struct {
	const char *text, *place;
} regexp_errors[] = {
	{"ab[c", "character 5"},
	{"ab(c", "character 5"},
	{"\\(ab\\|c", "character 8"},
	{"\\(a\\)\\(b\\)[z-a]", "character 14"},
	{"*a", "character 1"},
	{"a\\|*b", "character 4"},
	{"a)", "character 2"},
	{"a\\", "character 3"},
	{"\\C", "character 3"},
};

START_TEST(regexp_says_where_it_is_wrong)
{
	struct regexp *r = (struct regexp *)1;
	struct probes_error e = {0};

	ck_assert_int_eq(regexp_compile(regexp_errors[_i].text, true, &r, &e), -EINVAL);
	ck_assert_int_eq(e.status, PROBES_USAGE);
	ck_assert_ptr_nonnull(strstr(e.what, regexp_errors[_i].text));
	ck_assert_msg(strstr(e.why, regexp_errors[_i].place) != NULL, "'%s' is not at %s", e.why,
		regexp_errors[_i].place);
	ck_assert_int_ne(e.hint[0], '\0');
}
END_TEST

START_TEST(regexp_gives_up_in_time)
{
	char subject[64];
	struct regexp *r;
	struct probes_error e;

	memset(subject, 'a', sizeof subject - 2);
	subject[sizeof subject - 2] = '!';
	subject[sizeof subject - 1] = '\0';
	ck_assert_int_eq(regexp_compile("(a+)+$", true, &r, &e), 0);
	ck_assert_int_eq(regexp_match(r, subject), -E2BIG);
	ck_assert_int_eq(regexp_match(r, "aaa"), 1); /* and still works for the next subject */
	regexp_free(r);
	regexp_free(NULL);
}
END_TEST

Suite *regexp_suite(void)
{
	Suite *s = suite_create("regexp");
	TCase *t = tcase_create("regexp");

	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, regexp_matches, 0, sizeof regexp_cases / sizeof *regexp_cases);
	tcase_add_loop_test(
		t, regexp_says_where_it_is_wrong, 0, sizeof regexp_errors / sizeof *regexp_errors);
	tcase_add_test(t, regexp_gives_up_in_time);
	suite_add_tcase(s, t);
	return s;
}
