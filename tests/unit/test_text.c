/*
 * Texts fitted to columns, wrapped, and clipped by the canvas.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "canvas_read.h"
#include "ui/tui/terminal/canvas.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/probe_name.h"

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

START_TEST(cuts_in_the_middle)
{
	char out[64];

	ck_assert_str_eq(text_middle(out, sizeof out, "p:abc", 7), "p:abc  ");
	ck_assert_str_eq(text_middle(out, sizeof out, "abcdefgh", 8), "abcdefgh");
	ck_assert_str_eq(text_middle(out, sizeof out, "abcdefgh", 6), "abc~gh");
	ck_assert_str_eq(text_middle(out, sizeof out, "abcdefgh", 5), "ab~gh");
	ck_assert_str_eq(text_middle(out, sizeof out, "abcdefgh", 2), "a~");
	ck_assert_str_eq(text_middle(out, sizeof out, "abcdefgh", 0), "");
	for (int columns = 1; columns < 30; columns++) {
		text_middle(out, sizeof out, "\xe4\xb8\xad\xe4\xb8\xad:\xe4\xb8\xad\xe4\xb8\xad",
			columns);
		ck_assert_int_eq(text_width(out), columns);
	}
	text_set_utf8(true);
	ck_assert_str_eq(text_middle(out, sizeof out, "abcdefgh", 5), "ab\u2026gh");
	text_set_utf8(false);
	ck_assert_int_eq(text_middle_at("abcdefgh", 8, 5), 5);
	ck_assert_int_eq(text_middle_at("abcdefgh", 5, 1), 1);
	ck_assert_int_eq(text_middle_at("abcdefgh", 5, 4), 2); /* at the cut */
	ck_assert_int_eq(text_middle_at("abcdefgh", 5, 6), 3);
	ck_assert_int_eq(text_middle_at("abcdefgh", 5, 7), 4);
}
END_TEST

START_TEST(wraps)
{
	const char *next;

	ck_assert_uint_eq(text_wrap("one two three", 8, &next), 7);
	ck_assert_str_eq(next, "three");
	ck_assert_uint_eq(text_wrap("abcdefghij", 4, &next), 4);
	ck_assert_str_eq(next, "efghij");
	ck_assert_uint_eq(text_wrap("one\ntwo three", 8, &next), 3);
	ck_assert_str_eq(next, "two three");
	ck_assert_uint_eq(text_wrap("one\n", 3, &next), 3);
	ck_assert_str_eq(next, "");
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
	ck_assert_str_eq(line, "     0123~");
	canvas_read(&c, 1, line, sizeof line);
	ck_assert_str_eq(line, "cu");
	canvas_done(&c);
}
END_TEST

/* A frame clears what is behind it, and leaves the columns inside as the window. */
START_TEST(frames)
{
	static const char *const ascii[] = {
		"01+- title -+9", "01|         |9", "01+---------+9", "0123456789"};
	static const char *const rounded[] = {
		"\u256d\u2500\u256e", "\u2502 \u2502", "\u2570\u2500\u256f"};
	struct canvas c;
	char line[64];

	canvas_init(&c);
	canvas_reset(&c, 4, 14);
	for (int y = 0; y < 4; y++)
		canvas_put(&c, y, 0, -1, 0, y < 3 ? "0123456789xxx9" : "0123456789");
	canvas_frame(&c, (struct area){.y = 0, .rows = 3}, 2, 11, "title");
	ck_assert_int_eq(c.columns, 9);
	ck_assert_int_eq(c.window_x, 3);
	for (int y = 0; y < 4; y++) {
		canvas_read(&c, y, line, sizeof line);
		ck_assert_str_eq(line, ascii[y]);
	}
	text_set_utf8(true);
	canvas_reset(&c, 4, 3);
	canvas_frame(&c, (struct area){.y = 0, .rows = 3}, 0, 3, "title");
	for (size_t i = 0, y = 0; i < c.span_count; i++) {
		const struct canvas_span *s = &c.spans[i];

		if (s->x == 0 && s->style == STYLE_FRAME) {
			memset(line, 0, sizeof line);
			snprintf(line, sizeof line, "%s", canvas_text(&c, s));
			ck_assert_int_eq(s->y, (int)y);
			ck_assert_int_eq(memcmp(line, rounded[y], 3), 0);
			if (y++ != 1)
				ck_assert_str_eq(line, rounded[y - 1]);
		}
	}
	text_set_utf8(false);
	canvas_done(&c);
}
END_TEST

/* A bar reaches the edge of the window. */
START_TEST(bars_reach_the_edge)
{
	struct canvas c;
	int end = 0;

	canvas_init(&c);
	canvas_reset(&c, 1, 200);
	canvas_line(&c, 0, STYLE_BAR, "title");
	for (size_t i = 0; i < c.span_count; i++) {
		ck_assert_int_eq(c.spans[i].x, end);
		ck_assert_int_eq(c.spans[i].style, STYLE_BAR);
		end += text_width(canvas_text(&c, &c.spans[i]));
	}
	ck_assert_int_eq(end, 200);
	canvas_done(&c);
}
END_TEST

Suite *text_suite(void)
{
	Suite *s = suite_create("text");
	TCase *c = tcase_create("text");

	tcase_add_test(c, fits);
	tcase_add_test(c, cuts_in_the_middle);
	tcase_add_test(c, wraps);
	tcase_add_test(c, clips);
	tcase_add_test(c, frames);
	tcase_add_test(c, bars_reach_the_edge);
	suite_add_tcase(s, c);
	return s;
}
