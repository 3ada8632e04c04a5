/* Durations as text, histograms, percentiles, sums of processes. */
#include <check.h>
#include <string.h>

#include "suites.h"
#include "ui/figures/latency.h"

START_TEST(times)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} all[] = {{0, "0 ns"}, {999, "999 ns"}, {1000, "1.00 us"}, {9994, "9.99 us"},
		{9996, "10.0 us"}, {99940, "99.9 us"}, {99960, "100 us"}, {999400, "999 us"},
		{999600, "1.00 ms"}, {33500000, "33.5 ms"}, {12000000000, "12.0 s"},
		{UINT64_MAX, "18446744074 s"}};
	char text[48];

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		ck_assert_str_eq(latency_time(all[i].ns, text, sizeof text), all[i].text);
	ck_assert_str_eq(latency_key(0, text, sizeof text), "thread");
	ck_assert_str_eq(latency_key(2, text, sizeof text), "arg2");
}
END_TEST

/* The bucket of a value. */
static size_t bucket_of(uint64_t ns)
{
	size_t i = 0;

	while (probes_latency_from(i + 1) <= ns)
		i++;
	return i;
}

static void put(struct probes_latency *l, uint64_t ns, uint64_t count)
{
	struct probes_latency one = {
		.matched = count, .sum_ns = ns * count, .min_ns = ns, .max_ns = ns};

	one.buckets[bucket_of(ns)] = count;
	probes_latency_add(l, &one);
}

START_TEST(rows)
{
	struct probes_latency l = {0};
	struct latency_row out[LATENCY_ROWS];

	ck_assert_uint_eq(latency_rows(&l, out), 0);
	put(&l, 0, 1);
	put(&l, 1, 2);
	put(&l, 5, 3);
	ck_assert_uint_eq(latency_rows(&l, out), 3);
	ck_assert_uint_eq(out[0].from, 0);
	ck_assert_uint_eq(out[0].to, 2);
	ck_assert_uint_eq(out[0].count, 3);
	ck_assert_uint_eq(out[1].count, 0);
	ck_assert_uint_eq(out[2].from, 4);
	ck_assert_uint_eq(out[2].count, 3);
	memset(&l, 0, sizeof l);
	put(&l, 1100, 7);
	put(&l, 2000, 1);
	put(&l, UINT64_C(1) << 60, 1);
	ck_assert_uint_eq(latency_rows(&l, out), 32);
	ck_assert_uint_eq(out[0].from, 1024);
	ck_assert_uint_eq(out[0].to, 2048);
	ck_assert_uint_eq(out[0].count, 8);
	ck_assert_uint_eq(out[31].to, UINT64_MAX);
}
END_TEST

START_TEST(quantiles)
{
	struct probes_latency l = {0};

	ck_assert_uint_eq(probes_latency_quantile(&l, 0.5), 0);
	for (uint64_t ns = 1; ns <= 10000; ns++)
		put(&l, ns, 1);
	for (double share = 0.1; share < 1; share += 0.1) {
		uint64_t ns = probes_latency_quantile(&l, share);

		ck_assert_uint_ge(ns, (uint64_t)(share * 10000 * 0.98));
		ck_assert_uint_le(ns, (uint64_t)(share * 10000 * 1.02));
	}
	ck_assert_uint_eq(l.min_ns, 1);
	ck_assert_uint_eq(probes_latency_quantile(&l, 1), 10000);
	memset(&l, 0, sizeof l);
	put(&l, 1000, 5);
	/* Never beyond what was measured. */
	ck_assert_uint_eq(probes_latency_quantile(&l, 0.01), 1000);
	ck_assert_uint_eq(probes_latency_quantile(&l, 0.99), 1000);
	ck_assert_uint_eq(probes_latency_from(PROBES_LATENCY_BUCKETS), UINT64_MAX);
}
END_TEST

START_TEST(unmatched)
{
	struct probes_latency l = {.open = 1, .end_without_start = 2, .start_without_end = 1};
	char text[200];

	ck_assert_str_eq(latency_unmatched(&l, text, sizeof text),
		"1 still open, 2 ends without start, 1 start without end");
	l = (struct probes_latency){.nested = 3, .lost = 4};
	ck_assert_str_eq(latency_unmatched(&l, text, sizeof text), "3 nested, 4 lost");
	l = (struct probes_latency){.matched = 1};
	ck_assert_str_eq(latency_unmatched(&l, text, sizeof text), "");
}
END_TEST

Suite *latency_suite(void)
{
	Suite *s = suite_create("latency");
	TCase *c = tcase_create("latency");

	tcase_add_test(c, times);
	tcase_add_test(c, rows);
	tcase_add_test(c, quantiles);
	tcase_add_test(c, unmatched);
	suite_add_tcase(s, c);
	return s;
}
