/*
 * The request table: every key means one thing in a view; footer and keys are
 * made from it. Pairs, line editing, the output's ring, texts: the small pure
 * parts of the screen.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "ui/tui/actions/act.h"
#include "ui/tui/app/request.h"
#include "ui/tui/rows/pair.h"
#include "ui/tui/terminal/canvas.h"
#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/views/view.h"
#include "ui/tui/widgets/input.h"
#include "ui/tui/widgets/ring.h"

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
		{K_F1, REQUEST_HELP},
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
	ck_assert_int_eq(request_of_key('e', IN_TEXT), REQUEST_NONE);
	ck_assert_int_eq(request_of_key(K_ENTER, IN_DENIED), REQUEST_LIST);
}
END_TEST

START_TEST(footer)
{
	char text[256];

	request_footer(IN_LIST, NEED_SWITCH, 80, text, sizeof text);
	ck_assert_str_eq(text, "SPC tag  e on  d off  p pair  u undo  / find  \\ filter  i info  "
			       "q quit  ? help");
	request_footer(IN_LIST, 0, 80, text, sizeof text);
	ck_assert_ptr_null(strstr(text, "e on")); /* only what works */
	for (int width = 10; width < 200; width++) {
		request_footer(IN_LIST, ~0u, width, text, sizeof text);
		ck_assert_int_le((int)strlen(text), width);
		ck_assert_ptr_nonnull(strstr(text, "? help"));
	}
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

/* -------------------------------------------------------------------- pairs */

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
		"AllocObject__entry", "AllocObject__return", NULL};
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

/* ------------------------------------------------------------- line editing */

static void type(struct input *e, const char *text)
{
	while (*text)
		input_key(e, (unsigned char)*text++);
}

START_TEST(edits)
{
	struct input e;

	input_set(&e, "");
	type(&e, "foo bar");
	ck_assert_int_eq(input_key(&e, K_CTRL('W')), INPUT_CHANGED);
	ck_assert_str_eq(e.text, "foo ");
	input_key(&e, K_HOME);
	type(&e, "x");
	ck_assert_str_eq(e.text, "xfoo ");
	input_key(&e, K_DELETE);
	ck_assert_str_eq(e.text, "xoo ");
	input_key(&e, K_CTRL('K'));
	ck_assert_str_eq(e.text, "x");
	input_key(&e, 0xe9); /* two bytes, deleted as one */
	ck_assert_uint_eq(e.length, 3);
	input_key(&e, K_BACKSPACE);
	ck_assert_str_eq(e.text, "x");
	input_key(&e, K_CTRL('U'));
	ck_assert_str_eq(e.text, "");
	ck_assert_int_eq(input_key(&e, K_BACKSPACE), INPUT_CANCEL);
	ck_assert_int_eq(input_key(&e, K_ESC), INPUT_CANCEL);
	ck_assert_int_eq(input_key(&e, K_CTRL('C')), INPUT_CANCEL);
	ck_assert_int_eq(input_key(&e, K_ENTER), INPUT_DONE);
}
END_TEST

START_TEST(takes_no_controls_and_never_overflows)
{
	static const uint32_t keys[] = {0x01 + 6, 0x9b, 0xd800, K_F1, 0x1d};
	struct input e;

	input_set(&e, "");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		ck_assert_int_eq(input_key(&e, keys[i]), INPUT_SAME);
	for (int i = 0; i < 1000; i++)
		input_key(&e, 0x20ac);
	ck_assert_uint_lt(e.length, sizeof e.text);
	ck_assert_uint_eq(e.length % 3, 0);
	for (int i = 0; i < 1000; i++)
		input_key(&e, K_LEFT);
	ck_assert_uint_eq(e.cursor, 0);
}
END_TEST

/* --------------------------------------------------------------- the output */

static void feed(struct ring *r, const char *text)
{
	ring_feed(r, text, strlen(text));
}

START_TEST(ring_lines)
{
	static struct ring r;
	char text[RING_BYTES * 5];

	feed(&r, "one\r\ntwo\nth");
	ck_assert_uint_eq(ring_count(&r), 3);
	ck_assert_str_eq(ring_line(&r, 0, text, sizeof text), "one");
	ck_assert_str_eq(ring_line(&r, 2, text, sizeof text), "th");
	feed(&r, "ree\n 50%\r100%\n\ta\n");
	ck_assert_str_eq(ring_line(&r, 2, text, sizeof text), "three");
	ck_assert_str_eq(ring_line(&r, 3, text, sizeof text), "100%");
	ck_assert_str_eq(ring_line(&r, 4, text, sizeof text), "        a");
	ring_done(&r);
}
END_TEST

START_TEST(ring_is_never_raw)
{
	static struct ring r;
	char text[RING_BYTES * 5];

	feed(&r, "\033[2Jred\a\b\xff\n");
	ring_line(&r, 0, text, sizeof text);
	for (const char *s = text; *s; s++)
		ck_assert(*s >= 0x20 && *s < 0x7f);
	ck_assert_ptr_nonnull(strstr(text, "red"));
	ring_done(&r);
}
END_TEST

START_TEST(ring_forgets)
{
	static struct ring r;
	char text[RING_BYTES * 5], line[32];

	for (int i = 0; i < RING_LINES + 10; i++) {
		snprintf(line, sizeof line, "%d\n", i);
		feed(&r, line);
	}
	ck_assert_uint_eq(ring_count(&r), RING_LINES);
	ck_assert_uint_eq(r.dropped, 10);
	ck_assert_str_eq(ring_line(&r, 0, text, sizeof text), "10");
	for (int i = 0; i < 3 * RING_BYTES; i++)
		feed(&r, "x");
	ring_line(&r, ring_count(&r) - 1, text, sizeof text);
	ck_assert_uint_lt(strlen(text), RING_BYTES + 1);
	ck_assert_ptr_nonnull(strstr(text, "..."));
	ring_done(&r);
}
END_TEST

/* -------------------------------------------------------------------- texts */

START_TEST(fits)
{
	char out[64];

	ck_assert_str_eq(text_fit(out, sizeof out, "abc", 5), "abc  ");
	ck_assert_str_eq(text_fit(out, sizeof out, "abcdef", 4), "abc~");
	ck_assert_str_eq(text_fit(out, sizeof out, "abcd", 4), "abcd");
	ck_assert_str_eq(text_fit(out, sizeof out, "", 0), "");
	ck_assert_str_eq(text_skip("abc", 2), "c");
	ck_assert_str_eq(text_skip("abc", 9), "");
	ck_assert_int_eq(text_width("\xc3\xa9t\xc3\xa9"), 3);
	ck_assert_str_eq(text_base("/a/b"), "b");
	ck_assert_str_eq(text_base("/"), "/");
}
END_TEST

START_TEST(wraps)
{
	const char *next;

	ck_assert_uint_eq(text_wrap("one two three", 8, &next), 7);
	ck_assert_str_eq(next, "three");
	ck_assert_uint_eq(text_wrap("abcdefghij", 4, &next), 4);
	ck_assert_str_eq(next, "efghij");
	ck_assert_uint_eq(text_wrap("", 4, &next), 0);
	ck_assert_str_eq(next, "");
}
END_TEST

START_TEST(clips)
{
	struct canvas c;
	char line[64];

	canvas_init(&c);
	canvas_reset(&c, 2, 10);
	canvas_put(&c, 0, 5, -1, 0, "0123456789");
	canvas_put(&c, 2, 0, -1, 0, "below");
	canvas_put(&c, -1, 0, -1, 0, "above");
	canvas_put(&c, 1, 10, -1, 0, "beside");
	canvas_put(&c, 1, 0, 2, 0, "cut");
	canvas_read(&c, 0, line, sizeof line);
	ck_assert_str_eq(line, "     01234");
	canvas_read(&c, 1, line, sizeof line);
	ck_assert_str_eq(line, "cu");
	canvas_done(&c);
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
	ck_assert_int_eq(request_of_key_now(K_ENTER, app_view(&a)->where, app_have(&a)), REQUEST_LIST);
	act(&a, REQUEST_LIST);
	ck_assert_int_eq(a.view, VIEW_LIST);
	ck_assert(!request_possible(REQUEST_ON, app_view(&a)->where, app_have(&a)));
	act(&a, REQUEST_ON);
	ck_assert_ptr_nonnull(strstr(a.message.text, "not permitted"));
}
END_TEST

Suite *request_suite(void)
{
	Suite *s = suite_create("request");
	TCase *table = tcase_create("table"), *parts = tcase_create("parts");

	tcase_add_test(table, table_is_complete);
	tcase_add_test(table, keys_are_unambiguous);
	tcase_add_test(table, binding_keys);
	tcase_add_test(table, footer);
	tcase_add_test(table, key_names);
	tcase_add_test(table, enter_goes_on_to_the_list);
	suite_add_tcase(s, table);
	tcase_add_test(parts, pairs);
	tcase_add_test(parts, edits);
	tcase_add_test(parts, takes_no_controls_and_never_overflows);
	tcase_add_test(parts, ring_lines);
	tcase_add_test(parts, ring_is_never_raw);
	tcase_add_test(parts, ring_forgets);
	tcase_add_test(parts, fits);
	tcase_add_test(parts, wraps);
	tcase_add_test(parts, clips);
	suite_add_tcase(s, parts);
	return s;
}
