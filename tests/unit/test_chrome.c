/*
 * Covers ui/output/chrome.h, events as slices: those of different threads and of other processes
 * are apart, an end without a start is an instant. What a file as a whole is like:
 * e2e/cli-events-chrome.sh.
 */
#include "ui/output/chrome.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"

static struct chrome chrome;

/* "PHASE NAME" of a half of the pair p:one. Its thread is named first, where it is new. */
static const char *chrome_half(enum pair_role role, pid_t pid, pid_t tid, unsigned named)
{
	const struct probes_probe probe = {
		.provider = "p", .name = role == PAIR_START ? "one__start" : "one__end"};
	const struct probes_event event = {.pid = pid, .tid = tid, .thread = "worker"};
	static char out[64];
	unsigned names = 0;
	bool again;
	char *text;

	for (;; names++) {
		text = chrome_event(&chrome, &probe, role, &event, &again);
		ck_assert_ptr_nonnull(text);
		if (!again)
			break;
		ck_assert_ptr_nonnull(strstr(text, "worker"));
		free(text);
	}
	ck_assert_uint_eq(names, named);
	ck_assert_int_eq(sscanf(text, "{\"ph\":\"%1s\",\"name\":\"%40[^\"]", out, out + 2), 2);
	out[1] = ' ';
	free(text);
	return out;
}

START_TEST(chrome_ends_what_began)
{
	ck_assert_str_eq(chrome_half(PAIR_END, 1, 10, 1), "i p:one__end");
	ck_assert_str_eq(chrome_half(PAIR_START, 1, 10, 0), "B p:one");
	ck_assert_str_eq(chrome_half(PAIR_START, 1, 10, 0), "B p:one");
	ck_assert_str_eq(chrome_half(PAIR_END, 1, 11, 1), "i p:one__end");
	ck_assert_str_eq(chrome_half(PAIR_END, 2, 10, 1), "i p:one__end");
	ck_assert_str_eq(chrome_half(PAIR_START, 1, 9, 1), "B p:one");
	ck_assert_str_eq(chrome_half(PAIR_END, 1, 10, 0), "E p:one");
	ck_assert_str_eq(chrome_half(PAIR_END, 1, 10, 0), "E p:one");
	ck_assert_str_eq(chrome_half(PAIR_END, 1, 10, 0), "i p:one__end");
	ck_assert_str_eq(chrome_half(PAIR_END, 1, 9, 0), "E p:one");
	chrome_done(&chrome);
}
END_TEST

Suite *chrome_suite(void)
{
	Suite *s = suite_create("chrome");
	TCase *t = tcase_create("chrome");

	tcase_add_test(t, chrome_ends_what_began);
	suite_add_tcase(s, t);
	return s;
}
