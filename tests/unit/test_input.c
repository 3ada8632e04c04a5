/*
 * One line of text that is typed.
 */
#include <check.h>

#include "ui/tui/terminal/key.h"
#include "ui/tui/widgets/input.h"

Suite *input_suite(void);

static void type(struct input *e, const char *text)
{
	while (*text)
		input_key(e, (unsigned char)*text++);
}

START_TEST(edits)
{
	struct input e;

	input_set(&e, "");
	type(&e, "foo bar");
	ck_assert_int_eq(input_key(&e, K_CTRL('W')), INPUT_CHANGED);
	ck_assert_str_eq(e.text, "foo ");
	input_key(&e, K_HOME);
	type(&e, "x");
	ck_assert_str_eq(e.text, "xfoo ");
	input_key(&e, K_DELETE);
	ck_assert_str_eq(e.text, "xoo ");
	input_key(&e, K_CTRL('K'));
	ck_assert_str_eq(e.text, "x");
	input_key(&e, 0xe9); /* two bytes, deleted as one */
	ck_assert_uint_eq(e.length, 3);
	input_key(&e, K_BACKSPACE);
	ck_assert_str_eq(e.text, "x");
	input_key(&e, K_CTRL('U'));
	ck_assert_str_eq(e.text, "");
	ck_assert_int_eq(input_key(&e, K_BACKSPACE), INPUT_CANCEL);
	ck_assert_int_eq(input_key(&e, K_ESC), INPUT_CANCEL);
	ck_assert_int_eq(input_key(&e, K_CTRL('C')), INPUT_CANCEL);
	ck_assert_int_eq(input_key(&e, K_ENTER), INPUT_DONE);
}
END_TEST

START_TEST(takes_no_controls_and_never_overflows)
{
	static const uint32_t keys[] = {0x01 + 6, 0x9b, 0xd800, K_F1, 0x1d};
	struct input e;

	input_set(&e, "");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		ck_assert_int_eq(input_key(&e, keys[i]), INPUT_SAME);
	for (int i = 0; i < 1000; i++)
		input_key(&e, 0x20ac);
	ck_assert_uint_lt(e.length, sizeof e.text);
	ck_assert_uint_eq(e.length % 3, 0);
	for (int i = 0; i < 1000; i++)
		input_key(&e, K_LEFT);
	ck_assert_uint_eq(e.cursor, 0);
}
END_TEST

Suite *input_suite(void)
{
	Suite *s = suite_create("input");
	TCase *c = tcase_create("input");

	tcase_add_test(c, edits);
	tcase_add_test(c, takes_no_controls_and_never_overflows);
	suite_add_tcase(s, c);
	return s;
}
