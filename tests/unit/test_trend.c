/*
 * Rates, sparklines and figures of hits.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/tui/rows/trend.h"
#include "ui/tui/terminal/text.h"

Suite *trend_suite(void);

static const char *spark(const struct trend *t, int width)
{
	static char out[128];

	return trend_spark(t, width, out, sizeof out);
}

/* The first reading is no rate: nobody knows how long the hits took. */
START_TEST(begins_without_a_rate)
{
	struct trend t;

	trend_begin(&t);
	ck_assert_double_eq(trend_rate(&t), -1);
	ck_assert_str_eq(spark(&t, 6), "      ");
	trend_read(&t, 7000, 1000000);
	ck_assert_double_eq(trend_rate(&t), -1);
	ck_assert_uint_eq(t.total, 1000000);
	trend_read(&t, 8000, 1000000);
	ck_assert_double_eq(trend_rate(&t), 0);
	ck_assert_str_eq(spark(&t, 6), "     .");
}
END_TEST

/* Intervals of any length; one that is too short is left to the next. */
START_TEST(divides_by_the_interval)
{
	struct trend t = {0};

	trend_read(&t, 1, 0);
	trend_read(&t, 501, 100);
	ck_assert_double_eq(trend_rate(&t), 200);
	trend_read(&t, 502, 1100);
	ck_assert_double_eq(trend_rate(&t), 200);
	ck_assert_uint_eq(t.total, 1100);
	trend_read(&t, 10501, 2100);
	ck_assert_double_eq(trend_rate(&t), 200);
	trend_read(&t, 3610501, 2136);
	ck_assert_double_eq(trend_rate(&t), 0.01);
}
END_TEST

/* A counter that began again is neither a giant rate nor a negative one. */
START_TEST(survives_a_reset)
{
	struct trend t = {0};

	trend_read(&t, 1000, 5000000);
	trend_read(&t, 2000, 30);
	ck_assert_double_eq(trend_rate(&t), 30);
	trend_read(&t, 3000, 30);
	ck_assert_double_eq(trend_rate(&t), 0);
	trend_begin(&t);
	trend_read(&t, 4000, 77);
	ck_assert_double_eq(trend_rate(&t), -1);
}
END_TEST

/* One column is 5 s, or 10 s where there is less room; what was before the first reading is blank.
 */
START_TEST(draws_the_last_minute)
{
	struct trend t = {0};
	uint64_t total = 0;
	char out[128];

	text_set_utf8(false);
	trend_read(&t, 60000, 0);
	for (int64_t ms = 61000; ms <= 90000; ms += 1000) {
		total += ms <= 65000 ? 0 : ms <= 70000 ? 100 : ms <= 75000 ? 700 : 0;
		trend_read(&t, ms, total);
	}
	/* 60-65 none, 65-70 100 a second, 70-75 700, then none; 90 has just begun */
	ck_assert_str_eq(trend_spark(&t, 12, out, sizeof out), "     .:#... ");
	trend_read(&t, 94000, total);
	ck_assert_str_eq(spark(&t, 12), "     .:#....");
	ck_assert_str_eq(spark(&t, 6), "  :#..");
	trend_read(&t, 115000, total);
	ck_assert_str_eq(spark(&t, 12), ".:#........ ");
	trend_read(&t, 200000, total);
	trend_read(&t, 204000, total);
	ck_assert_str_eq(spark(&t, 12), "............");
	text_set_utf8(true);
	trend_read(&t, 205000, total + 5);
	trend_read(&t, 206000, total + 5);
	ck_assert_int_eq(text_width(spark(&t, 12)), 12);
	ck_assert_ptr_nonnull(strstr(spark(&t, 12), "\u00b7\u2588\u00b7"));
	text_set_utf8(false);
}
END_TEST

/* However the readings fall, no hit is lost or drawn twice. */
START_TEST(keeps_every_hit)
{
	struct trend t = {0};
	uint64_t total = 0;
	int64_t ms = 100000;
	double drawn = 0;

	srand(_i);
	trend_read(&t, ms, total);
	while (ms < 100000 + (TREND_CELLS - 1) * TREND_CELL_MS - 8000) {
		ms += 1 + rand() % 8000;
		total += (uint64_t)rand() % 100000;
		trend_read(&t, ms, total);
	}
	for (int i = 0; i < TREND_CELLS; i++)
		drawn += (double)t.cells[i];
	ck_assert_double_le(drawn, (double)t.sampled * 1.0001 + 1);
	ck_assert_double_ge(drawn, (double)t.sampled * 0.9999 - 1);
}
END_TEST

/* Rows that were counted from different times on add up. */
START_TEST(sums)
{
	struct trend a = {0}, b = {0}, none, sum = {0};

	trend_begin(&none);
	trend_read(&a, 10000, 0);
	trend_read(&a, 14000, 40);
	trend_read(&b, 14000, 900);
	trend_add(&sum, &none);
	ck_assert_double_eq(trend_rate(&sum), -1);
	trend_add(&sum, &b);
	trend_add(&sum, &a);
	ck_assert_uint_eq(sum.total, 940);
	ck_assert_double_eq(trend_rate(&sum), 10);
	ck_assert_str_eq(spark(&sum, 12), "           #");
	trend_read(&a, 15000, 50);
	trend_read(&b, 15000, 1000);
	sum = (struct trend){0};
	trend_add(&sum, &a);
	trend_add(&sum, &b);
	ck_assert_double_eq(trend_rate(&sum), 110);
}
END_TEST

START_TEST(says_figures)
{
	static const struct {
		double n;
		const char *text;
	} cases[] = {{0, "0"}, {0.01, "<0.1"}, {0.44, "0.4"}, {2, "2.0"}, {9.94, "9.9"},
		{9.96, "10"}, {12, "12"}, {999, "999"}, {999.6, "1.0k"}, {1234, "1.2k"},
		{12345, "12.3k"}, {123456, "123k"}, {999499, "999k"}, {999600, "1.0M"},
		{3.4e6, "3.4M"}, {2.7e9, "2.7G"}, {1.8e19, "18.0E"}};
	char out[32];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		ck_assert_str_eq(trend_human(cases[i].n, out, sizeof out), cases[i].text);
		ck_assert_uint_le(strlen(out), 5);
	}
	ck_assert_str_eq(trend_exact(12345678, 8, out, sizeof out), "12345678");
	ck_assert_str_eq(trend_exact(123456789, 8, out, sizeof out), "123M");
	ck_assert_str_eq(trend_exact(7, 8, out, sizeof out), "7");
}
END_TEST

Suite *trend_suite(void)
{
	Suite *s = suite_create("trend");
	TCase *t = tcase_create("trend");

	tcase_add_test(t, begins_without_a_rate);
	tcase_add_test(t, divides_by_the_interval);
	tcase_add_test(t, survives_a_reset);
	tcase_add_test(t, draws_the_last_minute);
	tcase_add_loop_test(t, keeps_every_hit, 1, 200);
	tcase_add_test(t, sums);
	tcase_add_test(t, says_figures);
	suite_add_tcase(s, t);
	return s;
}
