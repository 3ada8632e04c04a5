/* Covers base/array. Not covered: running out of memory otherwise than by a size that is absurd. */
#include "base/array.h"

#include "suites.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

START_TEST(array_grows_and_keeps)
{
	struct array a = ARRAY_OF(int);

	for (int i = 0; i < 1000; i++) {
		int *slot = array_add(&a);

		ck_assert_ptr_nonnull(slot);
		ck_assert_int_eq(*slot, 0);
		*slot = i;
	}
	ck_assert_uint_eq(a.count, 1000);
	ck_assert_uint_ge(a.capacity, a.count);
	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(*ARRAY_AT(&a, int, i), i);
	array_done(&a);
	ck_assert_uint_eq(a.count, 0);
	ck_assert_ptr_null(a.data);
	ck_assert_uint_eq(a.size, sizeof(int));
}
END_TEST

START_TEST(array_add_zeroes_reused_memory)
{
	struct array a;

	a = (struct array){.size = 16};
	memset(array_add(&a), 0xff, 16);
	a.count = 0;
	ck_assert_mem_eq(array_add(&a), "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	array_done(&a);
}
END_TEST

START_TEST(array_reserve_refuses_absurd_sizes)
{
	struct array a;
	void *before;

	a = (struct array){.size = 24};
	ck_assert(array_reserve(&a, 3));
	ck_assert_ptr_nonnull(array_add(&a));
	before = a.data;
	ck_assert(!array_reserve(&a, SIZE_MAX));
	ck_assert(!array_reserve(&a, SIZE_MAX - 1));
	ck_assert(!array_reserve(&a, SIZE_MAX / 24));
	ck_assert(!array_reserve(&a, SIZE_MAX / 48 + 1));
	ck_assert_ptr_eq(a.data, before);
	ck_assert_uint_eq(a.count, 1);
	array_done(&a);
}
END_TEST

START_TEST(array_reserve_then_add_does_not_move)
{
	struct array a;
	void *before;

	a = (struct array){.size = 8};
	ck_assert(array_reserve(&a, 100));
	before = a.data;
	for (int i = 0; i < 100; i++)
		ck_assert_ptr_nonnull(array_add(&a));
	ck_assert_ptr_eq(a.data, before);
	ck_assert(array_reserve(&a, 0));
	array_done(&a);
}
END_TEST

START_TEST(array_take_leaves_an_empty_one)
{
	struct array a = ARRAY_OF(int);
	int *taken;

	ck_assert_ptr_null(array_take(&a));
	*(int *)array_add(&a) = 7;
	taken = array_take(&a);
	ck_assert_int_eq(taken[0], 7);
	ck_assert_uint_eq(a.count, 0);
	ck_assert_ptr_null(a.data);
	ck_assert_uint_eq(a.size, sizeof(int));
	free(taken);
}
END_TEST

Suite *array_suite(void)
{
	Suite *s = suite_create("array");
	TCase *t = tcase_create("array");

	tcase_add_test(t, array_grows_and_keeps);
	tcase_add_test(t, array_add_zeroes_reused_memory);
	tcase_add_test(t, array_reserve_refuses_absurd_sizes);
	tcase_add_test(t, array_reserve_then_add_does_not_move);
	tcase_add_test(t, array_take_leaves_an_empty_one);
	suite_add_tcase(s, t);
	return s;
}
