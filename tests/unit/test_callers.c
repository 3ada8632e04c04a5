/* Callers of hits: one row for each, over processes and addresses; what does not fit is counted. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "suites.h"
#include "ui/figures/callers.h"

/* A hit from function+offset of an object; offset 0: nothing is known of the address. */
static void hit(struct callers *c, uint32_t process, uint64_t address, const char *function,
	unsigned offset)
{
	struct probes_caller caller = {0};

	if (callers_hit(c, process, address))
		return;
	if (offset) {
		caller.object = "/bin/program";
		caller.pc = 0x1000 + offset;
		caller.where.offset = offset;
		snprintf(caller.where.function, sizeof caller.where.function, "%s", function);
	}
	callers_add(c, process, address, &caller);
}

START_TEST(rows)
{
	struct callers c;
	const struct callers_row **all;

	ck_assert(callers_begin(&c, false));
	for (int i = 0; i < 4; i++)
		hit(&c, 0, 0x7001, "one", 1);
	for (int i = 0; i < 6; i++)
		hit(&c, 0, 0x7002, "two", 2);
	/* The same caller in another process, at another address; and its address, of another. */
	for (int i = 0; i < 5; i++)
		hit(&c, 1, 0x9001, "one", 1);
	hit(&c, 1, 0x7002, "three", 3);
	hit(&c, 0, 0, "", 0);
	hit(&c, 1, 0, "", 0);
	hit(&c, 1, 0x5000, "", 0);
	ck_assert_uint_eq(c.hits, 19);
	ck_assert_uint_eq(c.others, 0);
	ck_assert_uint_eq(c.count, 5);
	all = callers_sorted(&c);
	ck_assert_str_eq(all[0]->text, "one+0x1");
	ck_assert_uint_eq(all[0]->hits, 9);
	ck_assert_uint_eq(all[0]->address, 0x7001);
	ck_assert_uint_eq(all[0]->pc, 0x1001);
	ck_assert_str_eq(all[0]->object, "/bin/program");
	ck_assert_str_eq(all[1]->text, "two+0x2");
	ck_assert_str_eq(all[2]->text, "?");
	ck_assert_uint_eq(all[2]->hits, 2);
	ck_assert_ptr_null(all[2]->symbol);
	ck_assert_str_eq(all[3]->text, "0x5000");
	ck_assert_str_eq(all[4]->text, "three+0x3");
	ck_assert(callers_share(&c, 19) == 100);
	free(all);
	callers_done(&c);
	ck_assert(callers_share(&c, 0) == 0);
}
END_TEST

START_TEST(processes_apart)
{
	struct callers c;

	ck_assert(callers_begin(&c, true));
	for (uint32_t process = 0; process < 3; process++)
		for (uint32_t i = 0; i <= process; i++)
			hit(&c, process, 0x7001, "one", 1);
	ck_assert_uint_eq(c.count, 3);
	for (uint32_t process = 0; process < 3; process++) {
		ck_assert_uint_eq(c.rows[process].process, process);
		ck_assert_uint_eq(c.rows[process].hits, process + 1);
	}
	callers_done(&c);
}
END_TEST

START_TEST(more_callers_than_fit)
{
	struct callers c;
	uint64_t hits = 0;

	ck_assert(callers_begin(&c, false));
	for (unsigned i = 0; i < CALLERS_PLACES + 100; i++)
		hit(&c, i % 3, 0x1000 + i, "function", 1 + i);
	ck_assert_uint_eq(c.count, CALLERS_MOST);
	ck_assert_uint_eq(c.hits, CALLERS_PLACES + 100);
	for (size_t i = 0; i < c.count; i++)
		hits += c.rows[i].hits;
	ck_assert_uint_eq(hits, CALLERS_MOST);
	ck_assert_uint_eq(c.others, c.hits - hits);
	/* Those that are known are still counted. */
	hit(&c, 0, 0x1000, "function", 1);
	ck_assert_uint_eq(c.rows[0].hits, 2);
	ck_assert(!c.failed);
	callers_done(&c);
}
END_TEST

Suite *callers_suite(void)
{
	Suite *s = suite_create("callers");
	TCase *c = tcase_create("callers");

	tcase_add_test(c, rows);
	tcase_add_test(c, processes_apart);
	tcase_add_test(c, more_callers_than_fit);
	suite_add_tcase(s, c);
	return s;
}
