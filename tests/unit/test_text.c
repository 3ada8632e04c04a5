/*
 * Texts fitted to columns, wrapped, and clipped by the canvas.
 */
#include <check.h>

#include "ui/probe_name.h"
#include "ui/tui/terminal/canvas.h"
#include "ui/tui/terminal/text.h"

Suite *text_suite(void);

START_TEST(fits)
{
	char out[64];

	ck_assert_str_eq(text_fit(out, sizeof out, "abc", 5), "abc  ");
	ck_assert_str_eq(text_fit(out, sizeof out, "abcdef", 4), "abc~");
	ck_assert_str_eq(text_fit(out, sizeof out, "abcd", 4), "abcd");
	ck_assert_str_eq(text_fit(out, sizeof out, "", 0), "");
	ck_assert_str_eq(text_skip("abc", 2), "c");
	ck_assert_str_eq(text_skip("abc", 9), "");
	ck_assert_int_eq(text_width("\xc3\xa9t\xc3\xa9"), 3);
	ck_assert_str_eq(probe_name_base("/a/b"), "b");
	ck_assert_str_eq(probe_name_base("/"), "/");
}
END_TEST

START_TEST(wraps)
{
	const char *next;

	ck_assert_uint_eq(text_wrap("one two three", 8, &next), 7);
	ck_assert_str_eq(next, "three");
	ck_assert_uint_eq(text_wrap("abcdefghij", 4, &next), 4);
	ck_assert_str_eq(next, "efghij");
	ck_assert_uint_eq(text_wrap("", 4, &next), 0);
	ck_assert_str_eq(next, "");
}
END_TEST

START_TEST(clips)
{
	struct canvas c;
	char line[64];

	canvas_init(&c);
	canvas_reset(&c, 2, 10);
	canvas_put(&c, 0, 5, -1, 0, "0123456789");
	canvas_put(&c, 2, 0, -1, 0, "below");
	canvas_put(&c, -1, 0, -1, 0, "above");
	canvas_put(&c, 1, 10, -1, 0, "beside");
	canvas_put(&c, 1, 0, 2, 0, "cut");
	canvas_read(&c, 0, line, sizeof line);
	ck_assert_str_eq(line, "     01234");
	canvas_read(&c, 1, line, sizeof line);
	ck_assert_str_eq(line, "cu");
	canvas_done(&c);
}
END_TEST

Suite *text_suite(void)
{
	Suite *s = suite_create("text");
	TCase *c = tcase_create("text");

	tcase_add_test(c, fits);
	tcase_add_test(c, wraps);
	tcase_add_test(c, clips);
	suite_add_tcase(s, c);
	return s;
}
