/*
 * The request table: every key means one thing in a view; footer and key names are made from it.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "ui/tui/actions/act.h"
#include "ui/tui/app/request.h"
#include "ui/tui/terminal/key.h"
#include "ui/tui/views/view.h"

Suite *request_suite(void);

/* ---------------------------------------------------------------- the table */

START_TEST(table_is_complete)
{
	for (int r = REQUEST_NONE + 1; r < REQUEST_COUNT; r++) {
		const struct request_info *info = request_info((enum request)r);

		ck_assert_msg(info->keys[0] && info->where && info->help, "request %d", r);
		ck_assert_msg(!info->footer == !info->rank, "request %d", r);
	}
}
END_TEST

START_TEST(keys_are_unambiguous)
{
	for (int a = REQUEST_NONE + 1; a < REQUEST_COUNT; a++) {
		for (int b = a + 1; b < REQUEST_COUNT; b++) {
			const struct request_info *x = request_info((enum request)a);
			const struct request_info *y = request_info((enum request)b);

			if (!(x->where & y->where))
				continue;
			if (x->need && y->need && !(x->need & y->need))
				continue; /* never possible at one time: held, gone */
			for (int i = 0; i < REQUEST_KEYS && x->keys[i]; i++)
				for (int j = 0; j < REQUEST_KEYS && y->keys[j]; j++)
					ck_assert_msg(x->keys[i] != y->keys[j],
						"requests %d and %d share a key", a, b);
		}
	}
}
END_TEST

/* The words and keys that habits and scripts rely on. */
START_TEST(binding_keys)
{
	static const struct {
		uint32_t key;
		enum request request;
	} keys[] = {
		{'j', REQUEST_DOWN},
		{K_DOWN, REQUEST_DOWN},
		{'k', REQUEST_UP},
		{K_PAGE_DOWN, REQUEST_PAGE_DOWN},
		{K_CTRL('F'), REQUEST_PAGE_DOWN},
		{K_CTRL('B'), REQUEST_PAGE_UP},
		{K_CTRL('U'), REQUEST_HALF_UP},
		{K_CTRL('D'), REQUEST_HALF_DOWN},
		{'g', REQUEST_FIRST},
		{K_HOME, REQUEST_FIRST},
		{'G', REQUEST_LAST},
		{K_END, REQUEST_LAST},
		{'h', REQUEST_LEFT},
		{'l', REQUEST_RIGHT},
		{'/', REQUEST_SEARCH},
		{'n', REQUEST_NEXT},
		{'N', REQUEST_PREVIOUS},
		{'\\', REQUEST_FILTER},
		{K_F4, REQUEST_FILTER},
		{' ', REQUEST_TAG},
		{'*', REQUEST_TAG_SHOWN},
		{'T', REQUEST_TAG_REGEX},
		{'t', REQUEST_TREE},
		{'P', REQUEST_PAIRS},
		{'!', REQUEST_EXPLAIN},
		{'a', REQUEST_ARGUMENTS},
		{'c', REQUEST_COLUMNS},
		{'y', REQUEST_AS_COMMAND},
		{'S', REQUEST_SCRIPT},
		{'w', REQUEST_WRITE},
		{'m', REQUEST_NOTE},
		{':', REQUEST_COMMAND},
		{'U', REQUEST_UNTAG},
		{'e', REQUEST_ON},
		{'d', REQUEST_OFF},
		{'p', REQUEST_PAIR},
		{'u', REQUEST_UNDO},
		{K_CTRL('R'), REQUEST_REDO},
		{'z', REQUEST_PREVIEW},
		{'i', REQUEST_DETAIL},
		{K_ENTER, REQUEST_DETAIL},
		{'o', REQUEST_OUTPUT},
		{K_TAB, REQUEST_NEXT_PANE},
		{'s', REQUEST_SORT},
		{'I', REQUEST_INVERT},
		{'Z', REQUEST_FREEZE},
		{K_F1, REQUEST_HELP}, /* F1 to F10 as in htop */
		{K_F2, REQUEST_COLUMNS},
		{K_F3, REQUEST_SEARCH},
		{K_F5, REQUEST_TREE},
		{K_F6, REQUEST_SORT_BY},
		{K_F7, REQUEST_NONE},
		{K_F9, REQUEST_NONE},
		{'?', REQUEST_HELP},
		{K_CTRL('L'), REQUEST_REDRAW},
		{'R', REQUEST_READ_ONLY},
		{'q', REQUEST_QUIT},
		{K_F10, REQUEST_QUIT},
		{'Q', REQUEST_QUIT_LEAVE},
		{K_CTRL('Z'), REQUEST_SUSPEND},
		{K_CTRL('C'), REQUEST_QUIT},
		{0, REQUEST_NONE},
		{'%', REQUEST_NONE},
	};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		ck_assert_int_eq(request_of_key(keys[i].key, IN_LIST), keys[i].request);
	ck_assert_int_eq(request_of_key('q', IN_TEXT), REQUEST_BACK);
	ck_assert_int_eq(request_of_key(K_F3, IN_TEXT), REQUEST_SEARCH);
	ck_assert_int_eq(request_of_key(K_F3, IN_OUTPUT), REQUEST_FIND_OUTPUT);
	ck_assert_int_eq(request_of_key('e', IN_TEXT), REQUEST_NONE);
	ck_assert_int_eq(request_of_key(K_ENTER, IN_DENIED), REQUEST_LIST);
}
END_TEST

/* A key without a meaning: what lists the keys, or why htop's does nothing. */
START_TEST(unknown_keys)
{
	char text[128];

	ck_assert_str_eq(request_unknown('%', IN_LIST, text, sizeof text),
		"% does nothing here; ? lists the keys");
	ck_assert_str_eq(request_unknown(K_CTRL('V'), IN_PICKER, text, sizeof text),
		"^V does nothing here; ? lists the keys");
	ck_assert_str_eq(request_unknown('?', IN_TEXT, text, sizeof text),
		"? does nothing here; q goes back, / searches");
	request_unknown(
		0x20ac, IN_LIST, text, sizeof text); /* nothing typed goes to the screen raw */
	ck_assert_str_eq(text, "that key does nothing here; ? lists the keys");
	request_unknown(K_F9, IN_LIST, text, sizeof text);
	ck_assert_ptr_nonnull(strstr(text, "F9 kills nothing"));
	ck_assert_ptr_nonnull(strstr(request_unknown(K_F8, IN_LIST, text, sizeof text), "renice"));
}
END_TEST

/* The footer as a text, in `width` columns. */
static const char *footer_text(unsigned have, int width)
{
	static char text[512];
	struct request_label labels[REQUEST_COUNT];
	int count = request_footer(IN_LIST, have, width, labels), x = 0;

	text[0] = '\0';
	for (int i = 0; i < count; i++) {
		ck_assert_int_eq(labels[i].x, x);
		x += labels[i].width;
		sprintf(text + strlen(text), "%s %s ", labels[i].key, labels[i].text);
		ck_assert_int_eq((int)strlen(text), x);
	}
	ck_assert_int_le(x, width);
	return text;
}

START_TEST(footer)
{
	unsigned may = NEED_SWITCH | NEED_SWITCHABLE;

	ck_assert_str_eq(footer_text(may, 80), "Space Tag e Enable d Disable H Hits p Pair "
					       "/ Find \\ Filter i Info ? Help q Quit ");
	ck_assert_ptr_null(strstr(footer_text(0, 80), "e Enable")); /* only what works */
	ck_assert_ptr_nonnull(strstr(footer_text(may, 40), "e Enable d Disable H Hits ? Help q"));
	/* where nothing has a switch: counting, and what other tools can do */
	for (int width = 40; width <= 80; width += 40) {
		const char *text = footer_text(NEED_SWITCH | NEED_UNSWITCHABLE, width);

		ck_assert_msg(!strstr(text, "Enable") && !strstr(text, "Disable") &&
				      !strstr(text, "Pair "),
			"%s", text);
		ck_assert_ptr_nonnull(strstr(text, "H Hits"));
		ck_assert_ptr_nonnull(strstr(text, "y Commands"));
	}
	for (int width = 10; width < 200; width++)
		ck_assert_ptr_nonnull(strstr(footer_text(~0u, width), "? Help"));
}
END_TEST

START_TEST(key_names)
{
	char text[64];

	ck_assert_str_eq(request_keys(REQUEST_QUIT, text, sizeof text), "q F10 ^C");
	ck_assert_str_eq(request_keys(REQUEST_DETAIL, text, sizeof text), "i Enter");
	ck_assert_str_eq(request_keys(REQUEST_TAG, text, sizeof text), "Space");
}
END_TEST

/* Rights to list but not to read (Yama gives just these): from the permission screen to the list.
 */
START_TEST(enter_goes_on_to_the_list)
{
	struct model_process process = {.pid = 1};
	struct app a = {.views = view_table, .view = VIEW_DENIED};

	act(&a, REQUEST_LIST);
	ck_assert_int_eq(a.view, VIEW_DENIED); /* there is nothing that could be listed */
	ck_assert_ptr_nonnull(strstr(a.message.text, "nothing can be listed"));
	a.access.can_list = true;
	a.model.processes = &process;
	a.model.process_count = 1;
	ck_assert_int_eq(
		request_of_key_now(K_ENTER, app_view(&a)->where, app_have(&a)), REQUEST_LIST);
	act(&a, REQUEST_LIST);
	ck_assert_int_eq(a.view, VIEW_LIST);
	ck_assert(!request_possible(REQUEST_ON, app_view(&a)->where, app_have(&a)));
	act(&a, REQUEST_ON);
	ck_assert_ptr_nonnull(strstr(a.message.text, "not permitted"));
}
END_TEST

START_TEST(refused_in_the_view)
{
	ck_assert_int_eq(request_of_key('r', IN_EVENTS), REQUEST_EVENTS_ANEW);
	ck_assert_int_eq(request_of_key('r', IN_HISTOGRAM), REQUEST_EVENTS_ANEW);
	ck_assert_int_eq(request_of_key_now('r', IN_EVENTS, NEED_HELD), REQUEST_RUN);
	ck_assert_int_eq(request_of_key('r', IN_OUTPUT), REQUEST_RUN);
}
END_TEST

Suite *request_suite(void)
{
	Suite *s = suite_create("request");
	TCase *table = tcase_create("table");

	tcase_add_test(table, table_is_complete);
	tcase_add_test(table, keys_are_unambiguous);
	tcase_add_test(table, binding_keys);
	tcase_add_test(table, unknown_keys);
	tcase_add_test(table, footer);
	tcase_add_test(table, key_names);
	tcase_add_test(table, enter_goes_on_to_the_list);
	tcase_add_test(table, refused_in_the_view);
	suite_add_tcase(s, table);
	return s;
}
