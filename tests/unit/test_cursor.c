/* Covers base/cursor: reads never pass the end, nothing is consumed on failure. */
#include "base/cursor.h"

#include "suites.h"

#include <stdlib.h>
#include <string.h>

/* Bytes at the very end of a heap block, so that a sanitizer sees every read behind them. */
static struct cursor cursor_over(const void *bytes, size_t size, void **block)
{
	*block = malloc(size ? size : 1);
	if (size)
		memcpy(*block, bytes, size);
	return (struct cursor){.at = *block, .left = size};
}

START_TEST(cursor_reads_little_endian_numbers)
{
	static const unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 7, 0x88, 0xff};
	void *block;
	struct cursor c = cursor_over(bytes, sizeof bytes, &block);
	uint64_t value = 0;

	ck_assert(cursor_u64(&c, &value));
	ck_assert_uint_eq(value, 0x8807060504030201);
	ck_assert_uint_eq(c.left, 1);
	ck_assert(!cursor_u64(&c, &value));
	ck_assert_uint_eq(c.left, 1);
	ck_assert_uint_eq(*c.at, 0xff);
	free(block);
}
END_TEST

START_TEST(cursor_needs_all_eight_bytes)
{
	for (size_t size = 0; size < 8; size++) {
		void *block;
		struct cursor c = cursor_over("12345678", size, &block);
		uint64_t value = 99;

		ck_assert(!cursor_u64(&c, &value));
		ck_assert_uint_eq(c.left, size);
		ck_assert_uint_eq(value, 99);
		free(block);
	}
}
END_TEST

START_TEST(cursor_reads_strings)
{
	void *block;
	struct cursor c = cursor_over("ab\0\0cd", 6, &block);
	const char *text = NULL;

	ck_assert(cursor_string(&c, &text));
	ck_assert_str_eq(text, "ab");
	ck_assert(cursor_string(&c, &text));
	ck_assert_str_eq(text, "");
	ck_assert_uint_eq(c.left, 2);
	ck_assert(!cursor_string(&c, &text));
	ck_assert_uint_eq(c.left, 2);
	free(block);
}
END_TEST

START_TEST(cursor_at_its_end)
{
	struct cursor c = {.at = NULL, .left = 0};
	const char *text = "untouched";
	uint64_t value;

	ck_assert(!cursor_string(&c, &text));
	ck_assert(!cursor_u64(&c, &value));
	ck_assert_str_eq(text, "untouched");
}
END_TEST

Suite *cursor_suite(void)
{
	Suite *s = suite_create("cursor");
	TCase *t = tcase_create("cursor");

	tcase_add_test(t, cursor_reads_little_endian_numbers);
	tcase_add_test(t, cursor_needs_all_eight_bytes);
	tcase_add_test(t, cursor_reads_strings);
	tcase_add_test(t, cursor_at_its_end);
	suite_add_tcase(s, t);
	return s;
}
