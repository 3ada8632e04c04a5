/*
 * Start and end of an activity, found by their names.
 */
#include <check.h>
#include <string.h>

#include "ui/words/pair.h"

Suite *pair_suite(void);

static bool in_list(void *data, const char *name)
{
	for (const char *const *all = data; *all; all++) {
		if (!strcmp(*all, name))
			return true;
	}
	return false;
}

START_TEST(pairs)
{
	static const char *const names[] = {"req_start", "req_done", "gc__begin", "gc__end",
		"method__entry", "method__return", "a-enter", "a-leave", "tx__start", "tx__commit",
		"lone_start", "_start", "_end", "request__startup", "request__shutdown", "q_start",
		"q_end", "q_done", "monitor__contended__enter", "monitor__contended__entered",
		"lwlock__acquire", "lwlock__release", "mem__pool__gc__begin", "mem__pool__gc__end",
		"wal__buffer__write__dirty__start", "wal__buffer__write__dirty__done",
		"AllocObject__entry", "AllocObject__return", "start", "end", NULL};
	static const struct {
		const char *name, *partner;
		enum pair_role role;
	} pairs_of[] = {
		{"req_start", "req_done", PAIR_START},
		{"req_done", "req_start", PAIR_END},
		{"gc__end", "gc__begin", PAIR_END},
		{"method__entry", "method__return", PAIR_START},
		{"a-leave", "a-enter", PAIR_END},
		{"request__startup", "request__shutdown", PAIR_START},
		{"q_start", "q_end", PAIR_START}, /* the likelier one */
		{"q_done", "q_start", PAIR_END},
		{"monitor__contended__entered", "monitor__contended__enter", PAIR_END},
		{"lwlock__acquire", "lwlock__release", PAIR_START},
		{"mem__pool__gc__end", "mem__pool__gc__begin", PAIR_END},
		{"wal__buffer__write__dirty__done", "wal__buffer__write__dirty__start", PAIR_END},
		{"AllocObject__entry", "AllocObject__return", PAIR_START},
		{"tx__start", NULL, PAIR_NEITHER},
		{"tx__commit", NULL, PAIR_NEITHER},
		{"lone_start", NULL, PAIR_NEITHER},
		{"_start", NULL, PAIR_NEITHER},
		{"start", "end", PAIR_START},
		{"end", "start", PAIR_END},
		{"", NULL, PAIR_NEITHER},
	};

	for (size_t i = 0; i < sizeof pairs_of / sizeof *pairs_of; i++) {
		char partner[64];
		enum pair_role role = pair_partner(
			pairs_of[i].name, in_list, (void *)names, partner, sizeof partner);

		ck_assert_msg(role == pairs_of[i].role, "%s", pairs_of[i].name);
		if (role != PAIR_NEITHER)
			ck_assert_str_eq(partner, pairs_of[i].partner);
	}
}
END_TEST

Suite *pair_suite(void)
{
	Suite *s = suite_create("pair");
	TCase *c = tcase_create("pair");

	tcase_add_test(c, pairs);
	suite_add_tcase(s, c);
	return s;
}
