/* Rates and costs of counted hits, and the line that says what is counted. */
#include <check.h>

#include "suites.h"
#include "ui/figures/counting.h"

#define SECOND INT64_C(1000000000)

START_TEST(rates)
{
	static const struct {
		uint64_t hits;
		int64_t ns;
		const char *text;
	} all[] = {
		{0, SECOND, "0.0"},
		{31, SECOND, "31.0"},
		{31, SECOND / 4, "124.0"},
		{1, 3 * SECOND, "0.3"},
		{99994, 100 * SECOND, "999.9"},
		{99996, 100 * SECOND, "1000"},
		{12032112, 10 * SECOND, "1203211"},
		{UINT64_MAX, 1, "18446744073709551616000000000"},
		/* No time has passed: no rate. */
		{5, 0, "0.0"},
		{5, -1, "0.0"},
	};
	char out[64];

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		ck_assert_str_eq(
			counting_rate_text(counting_rate(all[i].hits, all[i].ns), out, sizeof out),
			all[i].text);
}
END_TEST

/* Ten million hits a second at 5 ns each are 5 % of a core, whatever the span. */
START_TEST(budget)
{
	char out[200];

	ck_assert_double_eq_tol(counting_overhead(10000000, 5, SECOND), 5, 1e-9);
	ck_assert_double_eq_tol(counting_overhead(1000000, 5, SECOND / 10), 5, 1e-9);
	ck_assert(!counting_exceeds(10000000, 5, SECOND, 5));
	ck_assert(counting_exceeds(10000001, 5, SECOND, 5));
	ck_assert(counting_exceeds(1000001, 5, SECOND / 10, 5));
	ck_assert(!counting_exceeds(10000001, 5, 2 * SECOND, 5));
	/* Four cores on one site: more than one core. */
	ck_assert(counting_exceeds(800000001, 5, SECOND, 400));
	ck_assert(!counting_exceeds(800000000, 5, SECOND, 400));
	/* No limit; no time. */
	ck_assert(!counting_exceeds(UINT64_MAX, 5, SECOND, 0));
	ck_assert(!counting_exceeds(UINT64_MAX, 5, 0, 5));
	/* The kernel's cost more. */
	ck_assert(counting_exceeds(50001, 1000, SECOND, 5));
	ck_assert(!counting_exceeds(50000, 1000, SECOND, 5));
	ck_assert_str_eq(counting_over_text("hit", 6000, 10000, SECOND / 2, 5, out, sizeof out),
		"12000 hits/s at about 10000 ns each cost an estimated 12.0 % of a core, and "
		"-max-overhead is 5");
}
END_TEST

static const char *text(struct counting c)
{
	static char out[200];

	return counting_text(&c, out, sizeof out);
}

START_TEST(words)
{
	struct counting c = {.pid = 12, .probes = 12, .sites = 531, .counted = 27};
	struct probes_result r = {
		.done = 1, .counted_sites = 1, .mapped_pages = 3, .dry_run = true};
	char small[20];

	ck_assert_str_eq(text(c), "counting 27 of 531 sites of 12 probes in process 12");
	c.stop_sites = 257;
	ck_assert_str_eq(text(c),
		"counting 27 of 531 sites of 12 probes in process 12; -stop would count 257 more");
	c.stop_sites = 0;
	c.stopped_ns = 2345678;
	ck_assert_str_eq(text(c), "counting 27 of 531 sites of 12 probes in process 12; it was "
				  "stopped for 2.346 ms");
	c = counting_of(12, &r);
	ck_assert_str_eq(text(c), "would count 1 of 1 site of 1 probe in process 12, map 12 KiB");
	c.stops = true;
	ck_assert_str_eq(text(c), "would count 1 of 1 site of 1 probe in process 12, map 12 KiB, "
				  "stop all threads meanwhile");
	/* Probes of which no site can be counted belong to the sum. */
	r = (struct probes_result){
		.done = 3, .not_done = 2, .counted_sites = 4, .uncounted_sites = 6};
	ck_assert_str_eq(
		text(counting_of(7, &r)), "counting 4 of 10 sites of 5 probes in process 7");
	/* What another session counts is counted here, too. */
	r = (struct probes_result){
		.skips = {[PROBES_SKIP_COUNTED] = 2}, .skipped = 2, .counted_sites = 3};
	ck_assert_str_eq(text(counting_of(7, &r)),
		"counting 3 of 3 sites of 2 probes in process 7, 2 of them counted already");
	/* Cut, and terminated. */
	ck_assert_str_eq(counting_text(&c, small, sizeof small), "would count 1 of 1 ");
}
END_TEST

Suite *counting_suite(void)
{
	Suite *s = suite_create("counting");
	TCase *t = tcase_create("counting");

	tcase_add_test(t, rates);
	tcase_add_test(t, budget);
	tcase_add_test(t, words);
	suite_add_tcase(s, t);
	return s;
}
