/*
 * One line of text that is typed, and the lines before it.
 */
#include <check.h>
#include <stdio.h>

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

/* The past: older and newer lines, each once, and behind the newest what was being typed. */
START_TEST(recalls)
{
	struct input_past p = {0};
	struct input e;

	input_set(&e, "dra");
	ck_assert(!input_past_recall(&p, &e, -1)); /* nothing was typed yet */
	ck_assert(!input_past_recall(&p, &e, 1));
	ck_assert_str_eq(e.text, "dra");
	input_past_add(&p, "one");
	input_past_add(&p, "two");
	input_past_add(&p, "one"); /* now the newest, and kept once */
	ck_assert_uint_eq(p.count, 2);
	ck_assert(input_past_recall(&p, &e, -1));
	ck_assert_str_eq(e.text, "one");
	ck_assert_uint_eq(e.cursor, 3);
	ck_assert(input_past_recall(&p, &e, -1));
	ck_assert_str_eq(e.text, "two");
	ck_assert(!input_past_recall(&p, &e, -1));
	ck_assert_str_eq(e.text, "two");
	ck_assert(input_past_recall(&p, &e, 1));
	ck_assert_str_eq(e.text, "one");
	ck_assert(input_past_recall(&p, &e, 1));
	ck_assert_str_eq(e.text, "dra"); /* what was being typed */
	ck_assert(!input_past_recall(&p, &e, 1));
	input_past_recall(&p, &e, -1);
	input_past_begin(&p); /* the next field begins at the newest */
	input_set(&e, "one");
	ck_assert(input_past_recall(&p, &e, -1)); /* what it shows already is skipped */
	ck_assert_str_eq(e.text, "two");
	input_past_done(&p);
}
END_TEST

START_TEST(forgets_the_oldest)
{
	struct input_past p = {0};
	struct input e;
	char line[16];

	for (int i = 0; i < INPUT_PAST + 3; i++) {
		snprintf(line, sizeof line, "%d", i);
		input_past_add(&p, line);
	}
	input_set(&e, "");
	while (input_past_recall(&p, &e, -1))
		;
	ck_assert_str_eq(e.text, "3");
	input_past_done(&p);
}
END_TEST

Suite *input_suite(void)
{
	Suite *s = suite_create("input");
	TCase *c = tcase_create("input");

	tcase_add_test(c, edits);
	tcase_add_test(c, takes_no_controls_and_never_overflows);
	tcase_add_test(c, recalls);
	tcase_add_test(c, forgets_the_oldest);
	suite_add_tcase(s, c);
	return s;
}
