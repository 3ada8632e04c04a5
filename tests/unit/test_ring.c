/*
 * The ring of a program's last lines of output.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "ui/tui/widgets/ring.h"

Suite *ring_suite(void);

static void feed(struct ring *r, const char *text)
{
	ring_feed(r, text, strlen(text));
}

START_TEST(ring_lines)
{
	static struct ring r;
	char text[RING_BYTES * 5];

	feed(&r, "one\r\ntwo\nth");
	ck_assert_uint_eq(ring_count(&r), 3);
	ck_assert_str_eq(ring_line(&r, 0, text, sizeof text), "one");
	ck_assert_str_eq(ring_line(&r, 2, text, sizeof text), "th");
	feed(&r, "ree\n 50%\r100%\n\ta\n");
	ck_assert_str_eq(ring_line(&r, 2, text, sizeof text), "three");
	ck_assert_str_eq(ring_line(&r, 3, text, sizeof text), "100%");
	ck_assert_str_eq(ring_line(&r, 4, text, sizeof text), "        a");
	ring_done(&r);
}
END_TEST

START_TEST(ring_is_never_raw)
{
	static struct ring r;
	char text[RING_BYTES * 5];

	feed(&r, "\033[2Jred\a\b\xff\n");
	ring_line(&r, 0, text, sizeof text);
	for (const char *s = text; *s; s++)
		ck_assert(*s >= 0x20 && *s < 0x7f);
	ck_assert_ptr_nonnull(strstr(text, "red"));
	ring_done(&r);
}
END_TEST

START_TEST(ring_forgets)
{
	static struct ring r;
	char text[RING_BYTES * 5], line[32];

	for (int i = 0; i < RING_LINES + 10; i++) {
		snprintf(line, sizeof line, "%d\n", i);
		feed(&r, line);
	}
	ck_assert_uint_eq(ring_count(&r), RING_LINES);
	ck_assert_uint_eq(r.dropped, 10);
	ck_assert_str_eq(ring_line(&r, 0, text, sizeof text), "10");
	for (int i = 0; i < 3 * RING_BYTES; i++)
		feed(&r, "x");
	ring_line(&r, ring_count(&r) - 1, text, sizeof text);
	ck_assert_uint_lt(strlen(text), RING_BYTES + 1);
	ck_assert_ptr_nonnull(strstr(text, "..."));
	ring_done(&r);
}
END_TEST

Suite *ring_suite(void)
{
	Suite *s = suite_create("ring");
	TCase *c = tcase_create("ring");

	tcase_add_test(c, ring_lines);
	tcase_add_test(c, ring_is_never_raw);
	tcase_add_test(c, ring_forgets);
	suite_add_tcase(s, c);
	return s;
}
