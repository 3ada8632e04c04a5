/* Covers base/spans. Not covered: who reads them (see test_memory, test_object, test_reader). */
#include "base/spans.h"

#include "suites.h"

static const struct span *spans_at(const struct spans *s, size_t i)
{
	return ARRAY_AT(&s->list, struct span, i);
}

START_TEST(spans_merge_within_the_gap)
{
	struct spans s;

	spans_init(&s, 10, 1000);
	ck_assert_uint_eq(spans_add(&s, 100, 4), 0);
	ck_assert_uint_eq(spans_add(&s, 104, 4), 4);  /* touches */
	ck_assert_uint_eq(spans_add(&s, 118, 2), 18); /* gap of exactly 10 */
	ck_assert_uint_eq(s.list.count, 1);
	ck_assert_uint_eq(s.total, 20);
	ck_assert_uint_eq(spans_add(&s, 131, 1), 20); /* gap of 11: another one */
	ck_assert_uint_eq(s.list.count, 2);
	ck_assert_uint_eq(spans_at(&s, 1)->address, 131);
	ck_assert_uint_eq(spans_at(&s, 1)->offset, 20);
	ck_assert_uint_eq(s.total, 21);
	spans_done(&s);
}
END_TEST

START_TEST(spans_overlap_and_repeat)
{
	struct spans s;

	spans_init(&s, 0, 1000);
	ck_assert_uint_eq(spans_add(&s, 100, 6), 0);
	ck_assert_uint_eq(spans_add(&s, 100, 6), 0);
	ck_assert_uint_eq(spans_add(&s, 103, 6), 3);
	ck_assert_uint_eq(s.total, 9);
	ck_assert_uint_eq(spans_add(&s, 104, 1), 4); /* within */
	ck_assert_uint_eq(s.total, 9);
	ck_assert_uint_eq(s.list.count, 1);
	spans_done(&s);
}
END_TEST

START_TEST(spans_grow_no_longer_than_allowed)
{
	struct spans s;

	spans_init(&s, 100, 16);
	ck_assert_uint_eq(spans_add(&s, 0, 8), 0);
	ck_assert_uint_eq(spans_add(&s, 8, 8), 8); /* exactly 16 */
	ck_assert_uint_eq(s.list.count, 1);
	ck_assert_uint_eq(spans_add(&s, 14, 4), 16); /* would be 18: its own span */
	ck_assert_uint_eq(s.list.count, 2);
	ck_assert_uint_eq(spans_at(&s, 1)->address, 14);
	/* One item may be longer by itself, and swallow what lies within it. */
	ck_assert_uint_eq(spans_add(&s, 200, 50), 20);
	ck_assert_uint_eq(spans_add(&s, 210, 6), 30);
	ck_assert_uint_eq(s.list.count, 3);
	ck_assert_uint_eq(s.total, 70);
	spans_done(&s);
}
END_TEST

START_TEST(spans_refuse_disorder_and_wrapping)
{
	struct spans s;

	spans_init(&s, 8, 1000);
	ck_assert_uint_eq(spans_add(&s, 100, 4), 0);
	ck_assert_uint_eq(spans_add(&s, 99, 1), SIZE_MAX);
	ck_assert_uint_eq(spans_add(&s, UINT64_MAX, 1), SIZE_MAX);
	ck_assert_uint_eq(spans_add(&s, UINT64_MAX - 3, 4), SIZE_MAX);
	ck_assert_uint_eq(spans_add(&s, 200, SIZE_MAX), SIZE_MAX);
	ck_assert_uint_eq(s.list.count, 1);
	ck_assert_uint_eq(spans_add(&s, UINT64_MAX - 4, 4), 4);
	ck_assert_uint_eq(s.list.count, 2);
	spans_done(&s);
}
END_TEST

START_TEST(spans_got_at_every_position)
{
	struct spans s;

	spans_init(&s, 0, 1000);
	ck_assert_uint_eq(spans_got(&s, 0, 1), 0);
	spans_add(&s, 100, 10);
	spans_add(&s, 200, 10);
	spans_add(&s, 300, 10);
	spans_at(&s, 0); /* got 0 */
	ARRAY_AT(&s.list, struct span, 1)->got = 7;
	ARRAY_AT(&s.list, struct span, 2)->got = 10;
	for (size_t offset = 0; offset < 30; offset++)
		for (size_t length = 0; length <= 10 - offset % 10; length++) {
			size_t held = offset < 10 ? 0 : offset < 20 ? 7 : 10, at = offset % 10;
			size_t expected = at >= held ? 0 : held - at < length ? held - at : length;

			ck_assert_uint_eq(spans_got(&s, offset, length), expected);
		}
	spans_done(&s);
}
END_TEST

/* Every length, start and end of what was got, with pages of 8 bytes, between two other spans. */
START_TEST(spans_split_at_pages)
{
	const size_t page = 8;

	for (size_t start = 0; start < page; start++)
		for (size_t length = 1; length < 4 * page; length++)
			for (size_t got = 0; got <= length; got++) {
				size_t at, hole = (start + got) / page,
					   last = (start + length - 1) / page;
				struct spans s;

				spans_init(&s, 0, 1000);
				spans_add(&s, 1, 3);
				spans_add(&s, 800 + start, length);
				spans_add(&s, 1600, 5);
				ARRAY_AT(&s.list, struct span, 0)->got = 3;
				ARRAY_AT(&s.list, struct span, 1)->got = got;
				ARRAY_AT(&s.list, struct span, 2)->got = 5;
				ck_assert_int_eq(
					spans_split(&s, page), got < length && hole < last);
				if (got < length)
					ck_assert_uint_eq(s.list.count, 3 + last - hole);
				ck_assert_uint_eq(s.total, 8 + length);
				at = 3;
				for (size_t i = 1; i + 1 < s.list.count; i++) {
					const struct span *one = spans_at(&s, i);

					ck_assert_uint_eq(one->offset, at);
					ck_assert_uint_eq(one->address, 800 + start + at - 3);
					ck_assert_uint_eq(one->got, i == 1 ? got : 0);
					ck_assert_uint_gt(one->length, 0);
					if (i > 1)
						ck_assert_uint_eq(one->address % page, 0);
					at += one->length;
				}
				ck_assert_uint_eq(at, 3 + length);
				ck_assert_uint_eq(spans_at(&s, s.list.count - 1)->offset, at);
				ck_assert_uint_eq(spans_at(&s, s.list.count - 1)->got, 5);
				/* Nothing more to be tried where it went on as before. */
				ck_assert(!spans_split(&s, page) || s.list.count > 4);
				spans_done(&s);
			}
}
END_TEST

/* An item over the border of two pieces is whole if both were got. */
START_TEST(spans_got_over_a_cut)
{
	struct spans s;

	spans_init(&s, 0, 1000);
	spans_add(&s, 100, 20); /* pages of 8: 96, 104, 112 */
	ck_assert(spans_split(&s, 8));
	ck_assert_uint_eq(s.list.count, 3);
	ARRAY_AT(&s.list, struct span, 0)->got = 4;
	ARRAY_AT(&s.list, struct span, 1)->got = 8;
	ck_assert_uint_eq(spans_got(&s, 0, 20), 12);
	ck_assert_uint_eq(spans_got(&s, 2, 6), 6);
	ck_assert_uint_eq(spans_got(&s, 10, 6), 2);
	ARRAY_AT(&s.list, struct span, 2)->got = 8;
	ck_assert_uint_eq(spans_got(&s, 0, 20), 20);
	ARRAY_AT(&s.list, struct span, 1)->got = 3;
	ck_assert_uint_eq(spans_got(&s, 0, 20), 7);
	ck_assert_uint_eq(spans_got(&s, 8, 6), 0);
	ck_assert_uint_eq(spans_got(&s, 12, 6), 6);
	spans_done(&s);
	/* What lies one behind the other only in the buffer is not joined. */
	spans_init(&s, 0, 1000);
	spans_add(&s, 100, 4);
	spans_add(&s, 200, 4);
	ARRAY_AT(&s.list, struct span, 0)->got = 4;
	ARRAY_AT(&s.list, struct span, 1)->got = 4;
	ck_assert_uint_eq(spans_got(&s, 2, 4), 2);
	spans_done(&s);
}
END_TEST

Suite *spans_suite(void)
{
	Suite *s = suite_create("spans");
	TCase *t = tcase_create("spans");

	tcase_add_test(t, spans_merge_within_the_gap);
	tcase_add_test(t, spans_overlap_and_repeat);
	tcase_add_test(t, spans_grow_no_longer_than_allowed);
	tcase_add_test(t, spans_refuse_disorder_and_wrapping);
	tcase_add_test(t, spans_got_at_every_position);
	tcase_add_test(t, spans_split_at_pages);
	tcase_add_test(t, spans_got_over_a_cut);
	suite_add_tcase(s, t);
	return s;
}
