/* Distributions: buckets of whole numbers and floats, values and how often each came, what does not
 * fit. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "ui/figures/distribution.h"

static void add_signed(struct distribution *d, int64_t number)
{
	distribution_add(d,
		&(struct probes_value){.kind = PROBES_VALUE_SIGNED, .size = 8, .number = number});
}

static void add_unsigned(struct distribution *d, uint64_t bits)
{
	distribution_add(
		d, &(struct probes_value){.kind = PROBES_VALUE_UNSIGNED, .size = 8, .bits = bits});
}

static void add_real(struct distribution *d, double real)
{
	distribution_add(
		d, &(struct probes_value){.kind = PROBES_VALUE_FLOAT, .size = 8, .real = real});
}

static void add_text(struct distribution *d, const char *text, bool cut)
{
	distribution_add(d, &(struct probes_value){.kind = PROBES_VALUE_UNSIGNED,
				    .size = 8,
				    .bits = 1,
				    .asked = true,
				    .text = text,
				    .cut = cut});
}

/* The rows as text: "[-4,-2)1 [-2,-1)0 ..." */
static const char *rows_text(const struct distribution *d)
{
	static char out[8192];
	struct distribution_row rows[DISTRIBUTION_BUCKETS];
	size_t count = distribution_rows(d, rows), at = 0;
	char from[40], to[40];

	*out = '\0';
	for (size_t i = 0; i < count; i++)
		at += (size_t)snprintf(out + at, sizeof out - at, "%s[%s,%s)%d", i ? " " : "",
			distribution_bound(rows[i].from, from, sizeof from),
			distribution_bound(rows[i].to, to, sizeof to), (int)rows[i].count);
	return out;
}

START_TEST(nothing)
{
	struct distribution d = {0}, other = {0};
	struct distribution_row rows[DISTRIBUTION_BUCKETS];

	ck_assert_uint_eq(distribution_rows(&d, rows), 0);
	distribution_merge(&d, &other);
	ck_assert_uint_eq(d.count, 0);
	distribution_add(&d, &(struct probes_value){0});
	/* A pointer whose text could not be read is no number. */
	distribution_add(&d,
		&(struct probes_value){.kind = PROBES_VALUE_UNSIGNED, .bits = 8, .asked = true});
	ck_assert_uint_eq(d.unreadable, 2);
	ck_assert_uint_eq(d.count, 0);
	ck_assert_uint_eq(distribution_rows(&d, rows), 0);
	distribution_done(&d);
}
END_TEST

START_TEST(whole_numbers)
{
	struct distribution d = {0};

	for (int i = -8; i <= 8; i++)
		add_signed(&d, i);
	ck_assert_str_eq(rows_text(&d),
		"[-8,-4)4 [-4,-2)2 [-2,-1)1 [-1,0)1 [0,1)1 [1,2)1 [2,4)2 [4,8)4 [8,16)1");
	ck_assert_int_eq(d.min.number, -8);
	ck_assert_int_eq(d.max.number, 8);
	ck_assert(d.sum == 0);
	ck_assert_uint_eq(d.value_count, 17);
	distribution_done(&d);
	add_unsigned(&d, 0);
	add_unsigned(&d, 4);
	add_unsigned(&d, 64);
	/* Many empty ones in a row are one. */
	ck_assert_str_eq(rows_text(&d), "[0,1)1 [1,2)0 [2,4)0 [4,8)1 [8,16)0 [16,32)0 [32,64)0 "
					"[64,128)1");
	add_unsigned(&d, 4096);
	ck_assert_str_eq(rows_text(&d), "[0,1)1 [1,2)0 [2,4)0 [4,8)1 [8,16)0 [16,32)0 [32,64)0 "
					"[64,128)1 [128,4K)0 [4K,8K)1");
	distribution_done(&d);
	add_signed(&d, INT64_MIN);
	ck_assert_str_eq(rows_text(&d), "[-8E,-4E)1");
	add_unsigned(&d, UINT64_MAX);
	ck_assert_str_eq(rows_text(&d), "[-8E,-4E)1 [-4E,8E)0 [8E,16E)1");
	ck_assert_int_eq(d.min.number, INT64_MIN);
	ck_assert(d.max.bits == UINT64_MAX);
	add_unsigned(&d, UINT64_MAX - 1);
	ck_assert(d.max.bits == UINT64_MAX);
	ck_assert_uint_eq(d.value_count, 3);
	distribution_done(&d);
}
END_TEST

/* Every whole number is in the row that says so. */
START_TEST(every_bound)
{
	for (int power = 0; power < 64; power++)
		for (int i = -1; i <= 1; i++) {
			struct distribution d = {0};
			struct distribution_row row[DISTRIBUTION_BUCKETS];
			uint64_t bits = (UINT64_C(1) << power) + (uint64_t)i;

			add_unsigned(&d, bits);
			ck_assert_uint_eq(distribution_rows(&d, row), 1);
			ck_assert((long double)row->from <= (long double)bits &&
				  (long double)bits < (long double)row->to);
			distribution_done(&d);
			if (power == 63)
				continue;
			add_signed(&d, -(int64_t)bits);
			ck_assert_uint_eq(distribution_rows(&d, row), 1);
			ck_assert((long double)row->from <= -(long double)bits &&
				  -(long double)bits < (long double)row->to);
			distribution_done(&d);
		}
}
END_TEST

START_TEST(floats)
{
	struct distribution d = {0};

	add_real(&d, 0.25);
	add_real(&d, 0.3);
	add_real(&d, 1.5);
	add_real(&d, -0.5);
	add_real(&d, -0.4);
	ck_assert_str_eq(rows_text(&d), "[-0.5,-0.25)2 [-0.25,0.25)0 [0.25,0.5)2 [0.5,1)0 [1,2)1");
	add_real(&d, 0);
	add_real(&d, -0.0);
	ck_assert_str_eq(rows_text(&d), "[-0.5,-0.25)2 [-0.25,0)0 [0,5.421e-20)2 "
					"[5.421e-20,0.25)0 [0.25,0.5)2 [0.5,1)0 [1,2)1");
	ck_assert_uint_eq(d.value_count, 6);
	distribution_done(&d);
	add_real(&d, INFINITY);
	add_real(&d, -INFINITY);
	add_real(&d, 1e-300);
	add_real(&d, -1e-300);
	add_real(&d, 1e300);
	add_real(&d, NAN);
	add_real(&d, -NAN);
	ck_assert_str_eq(rows_text(&d), "[-inf,-8.507e+37)1 [-8.507e+37,-5.421e-20)0 "
					"[-5.421e-20,0)1 [0,5.421e-20)1 [5.421e-20,1.701e+38)0 "
					"[1.701e+38,inf)2");
	ck_assert_uint_eq(d.nan, 2);
	ck_assert_uint_eq(d.count, 7);
	ck_assert_uint_eq(distribution_numbers(&d), 5);
	ck_assert_uint_eq(d.value_count, 6);
	ck_assert(isinf(d.max.real) && d.max.real > 0);
	distribution_done(&d);
}
END_TEST

START_TEST(values)
{
	static const char *const texts[] = {"b", "a", "c", "b", "a\033", "b"};
	const struct distribution_value **all;
	struct distribution d = {0};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		add_text(&d, texts[i], false);
	add_text(&d, "c", true);
	add_text(&d, "", false);
	all = distribution_sorted(&d);
	ck_assert_uint_eq(d.value_count, 6);
	ck_assert_uint_eq(d.texts, 8);
	ck_assert_uint_eq(distribution_numbers(&d), 0);
	ck_assert_str_eq(rows_text(&d), "");
	ck_assert_str_eq(all[0]->value.text, "b");
	ck_assert_uint_eq(all[0]->count, 3);
	ck_assert_str_eq(all[1]->value.text, "");
	ck_assert_str_eq(all[2]->value.text, "a");
	ck_assert_str_eq(all[3]->value.text, "a\033");
	free(all);
	distribution_done(&d);
	/* One value, whatever its sign. */
	add_signed(&d, 5);
	add_unsigned(&d, 5);
	add_signed(&d, -5);
	add_unsigned(&d, (uint64_t)-5);
	all = distribution_sorted(&d);
	ck_assert_uint_eq(d.value_count, 3);
	ck_assert_uint_eq(all[0]->count, 2);
	ck_assert_int_eq(all[1]->value.number, -5);
	free(all);
	distribution_done(&d);
}
END_TEST

/* What does not fit is counted; the sums stay exact. */
START_TEST(more_values_than_fit)
{
	struct distribution d = {0}, other = {0};
	uint64_t sum = 0;

	for (uint64_t i = 0; i < DISTRIBUTION_VALUES + 1000; i++) {
		add_unsigned(&d, i);
		add_unsigned(&d, i % 1000);
		sum += i + i % 1000;
	}
	ck_assert_uint_eq(d.value_count, DISTRIBUTION_VALUES);
	ck_assert_uint_eq(d.others, 1000);
	ck_assert_uint_eq(d.count, 2 * (DISTRIBUTION_VALUES + 1000));
	ck_assert(d.sum == (long double)sum);
	add_unsigned(&other, 7);
	add_unsigned(&other, UINT64_MAX);
	add_signed(&other, -3);
	distribution_merge(&d, &other);
	ck_assert_uint_eq(d.others, 1002);
	ck_assert_uint_eq(d.count, 2 * (DISTRIBUTION_VALUES + 1000) + 3);
	ck_assert_int_eq(d.min.number, -3);
	ck_assert(d.max.bits == UINT64_MAX);
	distribution_done(&other);
	distribution_done(&d);
}
END_TEST

/* Parts that are merged are what the whole is. */
START_TEST(merged)
{
	struct distribution whole = {0}, sum = {0};
	const struct distribution_value **a, **b;
	char text[32];

	for (int part = 0; part < 7; part++) {
		struct distribution d = {0};

		for (int i = 0; i < 5000; i++) {
			int number = (i * 7919 + part * 31) % 3001 - 1000;

			snprintf(text, sizeof text, "text %d", number / 3);
			for (int k = 0; k < 2; k++) {
				struct distribution *one = k ? &d : &whole;

				add_signed(one, number);
				add_real(one, number / 7.0);
				add_text(one, text, i % 2);
			}
		}
		distribution_merge(&sum, &d);
		/* The sum has copies of the texts. */
		distribution_done(&d);
	}
	ck_assert_uint_eq(whole.count, sum.count);
	ck_assert_uint_eq(whole.value_count, sum.value_count);
	ck_assert(!memcmp(whole.buckets, sum.buckets, sizeof sum.buckets));
	a = distribution_sorted(&whole);
	b = distribution_sorted(&sum);
	for (size_t i = 0; i < sum.value_count; i++)
		ck_assert_uint_eq(a[i]->count, b[i]->count);
	free(a);
	free(b);
	distribution_done(&whole);
	distribution_done(&sum);
}
END_TEST

Suite *distribution_suite(void)
{
	Suite *s = suite_create("distribution");
	TCase *c = tcase_create("distribution");

	tcase_add_test(c, nothing);
	tcase_add_test(c, whole_numbers);
	tcase_add_test(c, every_bound);
	tcase_add_test(c, floats);
	tcase_add_test(c, values);
	tcase_add_test(c, more_values_than_fit);
	tcase_add_test(c, merged);
	suite_add_tcase(s, c);
	return s;
}
