/* Covers base/order: every order that numbers can be in, and that equal ones keep theirs. */
#include "base/order.h"

#include "suites.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct order_element {
	uint32_t place; /* before */
	uint64_t key;
};

static uint64_t order_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 20;
}

static void order_check(const struct order_element *e, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		ck_assert_uint_le(e[i - 1].key, e[i].key);
		if (e[i - 1].key == e[i].key)
			ck_assert_uint_lt(e[i - 1].place, e[i].place);
	}
}

/* The masks leave few or many different bytes, at both ends of the number. */
static const uint64_t order_masks[] = {
	0, 1, 0xff, 0xff00, 0xfff, 0xffffffffffffffff, 0xff000000000000ff, 0x7fff0000};
enum { ORDER_MASKS = sizeof order_masks / sizeof *order_masks, ORDER_MOST = 3000 };

START_TEST(order_sorts)
{
	struct order_element *e = calloc(ORDER_MOST, sizeof *e);
	uint64_t state = (uint64_t)_i + 1;

	for (size_t count = 0; count < ORDER_MOST; count = 2 * count + 1) {
		uint64_t sum = 0;

		for (size_t i = 0; i < count; i++) {
			uint64_t key = order_random(&state) << 32 ^ order_random(&state);

			e[i] = (struct order_element){(uint32_t)i, key & order_masks[_i]};
			sum += e[i].key;
		}
		ck_assert(
			order_by_number(e, count, sizeof *e, offsetof(struct order_element, key)));
		order_check(e, count);
		for (size_t i = 0; i < count; i++)
			sum -= e[i].key;
		ck_assert_uint_eq(sum, 0);
		/* Again, as it is now, and backwards. */
		ck_assert(
			order_by_number(e, count, sizeof *e, offsetof(struct order_element, key)));
		order_check(e, count);
		for (size_t i = 0; i < count; i++)
			e[i] = (struct order_element){(uint32_t)i, count - i};
		ck_assert(
			order_by_number(e, count, sizeof *e, offsetof(struct order_element, key)));
		order_check(e, count);
	}
	free(e);
}
END_TEST

Suite *order_suite(void)
{
	Suite *s = suite_create("order");
	TCase *t = tcase_create("order");

	tcase_add_loop_test(t, order_sorts, 0, ORDER_MASKS);
	suite_add_tcase(s, t);
	return s;
}
