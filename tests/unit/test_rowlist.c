/*
 * The list widget: the cursor follows the identity of its row.
 */
#include <check.h>
#include <stdint.h>

#include "ui/tui/widgets/rowlist.h"

Suite *rowlist_suite(void);

static struct rowlist list;

static void setup(void)
{
	static const uint32_t ids[] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};

	rowlist_init(&list);
	rowlist_resize(&list, 4);
	rowlist_set(&list, ids, 10);
}

static void teardown(void)
{
	rowlist_done(&list);
}

/* Nothing is ever out of bounds, and the cursor is on the screen. */
static void sane(void)
{
	if (!list.count) {
		ck_assert_uint_eq(rowlist_current(&list), ROWLIST_NONE);
		return;
	}
	ck_assert_uint_lt(list.cursor, list.count);
	ck_assert_uint_le(list.top, list.cursor);
	ck_assert_uint_lt(list.cursor, list.top + (size_t)list.height);
}

START_TEST(moves)
{
	ck_assert_uint_eq(rowlist_current(&list), 10);
	rowlist_move(&list, -1);
	ck_assert_uint_eq(rowlist_current(&list), 10);
	rowlist_move(&list, 5);
	ck_assert_uint_eq(rowlist_current(&list), 15);
	ck_assert_uint_eq(list.top, 2);
	rowlist_move(&list, 1000000);
	ck_assert_uint_eq(rowlist_current(&list), 19);
	ck_assert_uint_eq(list.top, 6);
	rowlist_page(&list, -2);
	ck_assert_uint_eq(rowlist_current(&list), 15);
	rowlist_page(&list, 1);
	ck_assert_uint_eq(rowlist_current(&list), 17);
	sane();
}
END_TEST

START_TEST(follows_identity)
{
	static const uint32_t sorted[] = {19, 18, 17, 16, 15, 14, 13, 12, 11, 10};

	rowlist_to(&list, 2);
	rowlist_set(&list, sorted, 10);
	ck_assert_uint_eq(rowlist_current(&list), 12);
	ck_assert_uint_eq(list.cursor - list.top, 2); /* on the same line of the screen */
	sane();
}
END_TEST

START_TEST(borrowed_or_copied)
{
	static const uint32_t borrowed[] = {11, 13, 15};
	uint32_t copied[] = {13, 12, 11};

	rowlist_to(&list, 3);
	rowlist_borrow(&list, borrowed, 3);
	ck_assert_ptr_eq(list.ids, borrowed);
	ck_assert_uint_eq(rowlist_current(&list), 13);
	rowlist_set(&list, copied, 3);
	copied[0] = copied[1] = 0;
	ck_assert_uint_eq(list.cursor, 0);
	ck_assert_uint_eq(rowlist_current(&list), 13);
	rowlist_borrow(&list, borrowed, 3);
	ck_assert_uint_eq(rowlist_current(&list), 13);
	sane();
}
END_TEST

START_TEST(comes_back)
{
	static const uint32_t few[] = {10, 19}, all[] = {10, 11, 12, 13, 19};

	rowlist_to(&list, 3);
	rowlist_set(&list, few, 2);
	ck_assert_uint_eq(rowlist_current(&list), 19);
	rowlist_set(&list, all, 5);
	ck_assert_uint_eq(rowlist_current(&list), 13);
	rowlist_set(&list, few, 2);
	rowlist_move(&list, -1); /* moved by hand: it stays there */
	rowlist_set(&list, all, 5);
	ck_assert_uint_eq(rowlist_current(&list), 10);
}
END_TEST

START_TEST(empty)
{
	char place[16];

	rowlist_set(&list, NULL, 0);
	ck_assert_uint_eq(rowlist_current(&list), ROWLIST_NONE);
	rowlist_move(&list, 1);
	rowlist_move(&list, -1);
	rowlist_page(&list, 2);
	rowlist_page(&list, -2);
	rowlist_to(&list, 5);
	ck_assert(!rowlist_seek(&list, 10));
	ck_assert_str_eq(rowlist_place(&list, place, sizeof place), "all");
	sane();
}
END_TEST

START_TEST(resizes)
{
	rowlist_to(&list, 9);
	for (int height = 0; height < 20; height++) {
		rowlist_resize(&list, height);
		sane();
	}
	ck_assert_uint_eq(list.top, 0);
	for (int height = 20; height-- > 0;) {
		rowlist_resize(&list, height);
		sane();
	}
	ck_assert_uint_eq(rowlist_current(&list), 19);
}
END_TEST

START_TEST(says_where)
{
	char place[16];

	ck_assert_str_eq(rowlist_place(&list, place, sizeof place), "top");
	rowlist_to(&list, 9);
	ck_assert_str_eq(rowlist_place(&list, place, sizeof place), "bot");
	rowlist_to(&list, 3);
	ck_assert_str_eq(rowlist_place(&list, place, sizeof place), "50%");
}
END_TEST

Suite *rowlist_suite(void)
{
	Suite *s = suite_create("rowlist");
	TCase *c = tcase_create("rowlist");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, moves);
	tcase_add_test(c, follows_identity);
	tcase_add_test(c, borrowed_or_copied);
	tcase_add_test(c, comes_back);
	tcase_add_test(c, empty);
	tcase_add_test(c, resizes);
	tcase_add_test(c, says_where);
	suite_add_tcase(s, c);
	return s;
}
