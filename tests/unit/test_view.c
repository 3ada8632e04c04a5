/*
 * The table of views, opening and leaving them, and what keys in them are about. Drawing is left to
 * the golden screens.
 */
#include "canvas_read.h"
#include "session_world.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "ui/tui/actions/act.h"
#include "ui/tui/frame.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/views/view.h"

Suite *view_suite(void);

static struct session_world x;
static struct app a;

static void begin(void)
{
	static const struct options options;

	session_begin(&x, "");
	a = (struct app){.options = &options,
		.views = view_table,
		.access = {.can_list = true, .can_read = true, .can_switch = true},
		.rows = 24,
		.columns = 80};
	model_add(&a.model, &x.s);
	list_init(&a.list, &a.model);
	list_update(&a.list);
	app_open(&a, VIEW_LIST);
}

static void end(void)
{
	pager_done(&a.text.pager);
	pager_done(&a.glance.pane);
	list_done(&a.list);
	pairs_done(&a.pairs.known);
	rowlist_done(&a.pairs.rows);
	questions_done(&a.questions);
	model_done(&a.model);
	session_end(&x);
}

/* Put the cursor on a probe and return its row. */
static uint32_t go_to(const char *name)
{
	for (uint32_t i = 0; i < a.model.row_count; i++) {
		if (!strcmp(row_name(&a.model.rows[i]), name)) {
			ck_assert(rowlist_seek(&a.list.rows, i));
			return i;
		}
	}
	ck_abort_msg("no row %s", name);
	return ROWLIST_NONE;
}

START_TEST(table_is_complete)
{
	for (int i = 0; i < VIEW_COUNT; i++) {
		const struct view_ops *v = view_table[i];

		ck_assert_msg(v->layout && v->draw && v->move, "view %d", i);
		ck_assert_msg(v->where && !(v->where & (v->where - 1)), "view %d", i);
		ck_assert_msg(!v->wait == !v->poll, "view %d", i);
		ck_assert_msg(!v->search == !v->seek && !v->filter == !v->filtered, "view %d", i);
		ck_assert_msg(
			v->search || !request_possible(REQUEST_NEXT, v->where, ~0u), "view %d", i);
		ck_assert_msg(v->filter || !request_possible(REQUEST_FILTER, v->where, ~0u),
			"view %d", i);
		/* w, and e with d, are keys only where there is something to write and to switch */
		ck_assert_msg(
			v->write || !request_possible(REQUEST_WRITE, v->where, ~0u), "view %d", i);
		ck_assert_msg(
			v->selection || !request_possible(REQUEST_ON, v->where, ~0u), "view %d", i);
		ck_assert_msg(
			v->row || !request_possible(REQUEST_CODE, v->where, ~0u), "view %d", i);
	}
}
END_TEST

/* q in a text returns to the view that it was opened from, whatever was opened above it. */
START_TEST(overlays_return)
{
	uint32_t row = go_to("one");

	act(&a, REQUEST_DETAIL);
	ck_assert_int_eq(a.view, VIEW_DETAIL);
	ck_assert_uint_eq(app_row(&a), row);
	ck_assert_str_eq(a.text.heading, "Detail of ocaml_1:one");
	act(&a, REQUEST_ARGUMENTS);
	ck_assert_int_eq(a.view, VIEW_ARGUMENTS);
	ck_assert_str_eq(a.text.heading, "Arguments of ocaml_1:one");
	act_look_open(&a, REQUEST_HELP);
	ck_assert_int_eq(a.view, VIEW_HELP);
	act(&a, REQUEST_BACK);
	ck_assert_int_eq(a.view, VIEW_DETAIL);
	ck_assert_str_eq(a.text.heading, "Detail of ocaml_1:one");
	act(&a, REQUEST_BACK);
	ck_assert_int_eq(a.view, VIEW_LIST);
}
END_TEST

START_TEST(scrolls_and_begins_at_the_top)
{
	go_to("one");
	act(&a, REQUEST_DETAIL);
	a.rows = 10;
	app_layout(&a);
	ck_assert_int_eq(app_view_rows(&a), 7); /* heading, message, footer */
	act(&a, REQUEST_LAST);
	ck_assert_uint_eq(a.text.pager.top, a.text.pager.count - 7);
	act(&a, REQUEST_RIGHT);
	ck_assert_int_eq(a.hscroll, 8);
	act(&a, REQUEST_BACK);
	act(&a, REQUEST_DETAIL);
	ck_assert_uint_eq(a.text.pager.top, 0);
	ck_assert_int_eq(a.hscroll, 0);
}
END_TEST

/* e and d act on the tagged rows; otherwise on the row under the cursor; the detail view on its
 * own row, whatever is tagged. */
START_TEST(selects)
{
	uint32_t one = go_to("one"), nop;
	struct app_selection s = app_selection(&a);

	ck_assert_uint_eq(s.count, 1);
	ck_assert_uint_eq(s.rows[0], one);
	ck_assert(s.named && !s.tagged && !s.pair);
	free(s.rows);

	nop = go_to("nop");
	model_tag(&a.model, one, true);
	model_tag(&a.model, nop, true);
	go_to("soft");
	s = app_selection(&a);
	ck_assert_uint_eq(s.count, 2);
	ck_assert(s.tagged && !s.named);
	free(s.rows);

	act(&a, REQUEST_DETAIL);
	s = app_selection(&a);
	ck_assert_uint_eq(s.count, 1);
	ck_assert_uint_eq(s.rows[0], a.text.row);
	ck_assert(s.named);
	free(s.rows);

	act(&a, REQUEST_BACK);
	act(&a, REQUEST_HELP);
	ck_assert_uint_eq(app_selection(&a).count, 0);
	ck_assert_uint_eq(app_row(&a), ROWLIST_NONE);
}
END_TEST

/* A pair is selected in the order of switching on: the end first. */
START_TEST(selects_a_pair)
{
	uint32_t one = go_to("one"), duo = go_to("duo");
	struct app_selection s;

	pairs_choose(&a.pairs.known, one, duo);
	act(&a, REQUEST_PAIRS);
	ck_assert_int_eq(a.view, VIEW_PAIRS);
	s = app_selection(&a);
	ck_assert_uint_eq(s.count, 2);
	ck_assert_uint_eq(s.rows[0], duo);
	ck_assert_uint_eq(s.rows[1], one);
	ck_assert_ptr_nonnull(s.pair);
	free(s.rows);
	act(&a, REQUEST_GO_TO);
	ck_assert_int_eq(a.view, VIEW_LIST);
	ck_assert_uint_eq(app_row(&a), one);
}
END_TEST

/* A click moves the cursor; on a heading it sorts, and again inverts; where no row is, and in a
 * text, it does nothing. */
START_TEST(clicks)
{
	int first = view_list_areas(&a).list.y;

	ck_assert(view_list_ops.click(&a, first + 2, 30));
	ck_assert_uint_eq(a.list.rows.cursor, 2);
	ck_assert(!view_list_ops.click(&a, first + (int)a.list.rows.count, 30));
	ck_assert(!view_list_ops.click(&a, 0, 0));
	ck_assert_uint_eq(a.list.rows.cursor, 2);
	ck_assert_int_eq(a.list.order, COLUMN_PROBE);
	ck_assert(!view_list_ops.click(&a, first - 1, 1));
	ck_assert_int_eq(a.list.order, COLUMN_STATE);
	ck_assert(!a.list.invert);
	view_list_ops.click(&a, first - 1, 1);
	ck_assert_int_eq(a.list.order, COLUMN_STATE);
	ck_assert(a.list.invert);
	view_list_ops.click(&a, first - 1, 20);
	ck_assert_int_eq(a.list.order, COLUMN_PROBE);
	ck_assert(!a.list.invert);
	ck_assert_ptr_null(view_help_ops.click);
}
END_TEST

/* At every width every exception is on the screen, by word or mark; zeros are not. */
START_TEST(header_keeps_exceptions)
{
	static const struct {
		const char *word, *mark;
	} wanted[] = {{"2 partial", "[~]2"}, {"3 foreign", "[X]3"}, {"1 inconsistent", "[!]1"},
		{"4 unreadable", "[?]4"}};
	char line[TEXT_MAX];
	struct canvas c;

	canvas_init(&c);
	a.model.counts.states[PROBES_PARTIAL] = 2;
	a.model.counts.states[PROBES_FOREIGN] = 3;
	a.model.counts.states[PROBES_INCONSISTENT] = 1;
	a.model.counts.states[PROBES_UNREADABLE] = 4;
	for (a.columns = 40; a.columns < 200; a.columns++) {
		bool low = _i;

		canvas_reset(&c, a.rows, a.columns);
		view_header_draw(&a, &c, (struct area){.rows = low ? 2 : 3});
		canvas_read(&c, 1, line, sizeof line);
		for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
			ck_assert_msg(strstr(line, wanted[i].word) || strstr(line, wanted[i].mark),
				"%d columns: %s", a.columns, line);
		ck_assert_msg(!strstr(line, " 0 "), "%s", line);
	}
	ck_assert_ptr_nonnull(strstr(line, "2 partial   1 inconsistent   3 foreign"));
	canvas_done(&c);
}
END_TEST

/* A process none of whose probes has a switch does not offer one. */
START_TEST(header_offers_no_switch_in_vain)
{
	char line[TEXT_MAX];
	struct canvas c;

	canvas_init(&c);
	memset(a.model.counts.states, 0, sizeof a.model.counts.states);
	for (int none = 0; none < 2; none++) {
		/* a tool that traces one of them changes its state, and not that it has no switch
		 */
		a.model.counts.states[PROBES_FOREIGN] = (size_t)none;
		a.model.counts.states[PROBES_NO_SWITCH] = none ? a.model.row_count - 1 : 1;
		a.model.counts.switchable = !none;
		a.model.counts.states[PROBES_OFF] = none ? 0 : a.model.row_count - 1;
		canvas_reset(&c, a.rows, a.columns);
		view_header_draw(&a, &c, (struct area){.rows = 3});
		canvas_read(&c, 0, line, sizeof line);
		ck_assert_msg(
			strstr(line, none ? " list read count" : " list read switch"), "%s", line);
		ck_assert(!none == !!strstr(line, "switch"));
		canvas_read(&c, 1, line, sizeof line);
		ck_assert(none == !!strstr(line, "none can be switched: H counts their hits"));
		ck_assert_msg(!strstr(line, "all off"), "%s", line);
		ck_assert_msg(!!none == !strstr(line, "off   1 no switch"), "%s", line);
		a.message.text[0] = '\0';
		if (none)
			act(&a, REQUEST_ON);
		ck_assert(none == !!strstr(a.message.text, "H counts their hits"));
		ck_assert_int_eq(request_of_key_now('y', IN_LIST, app_have(&a)),
			none ? REQUEST_OTHERS : REQUEST_AS_COMMAND);
	}
	a.model.counts.states[PROBES_OFF] = a.model.row_count;
	a.model.counts.states[PROBES_NO_SWITCH] = a.model.counts.states[PROBES_FOREIGN] = 0;
	a.model.counts.switchable = true;
	canvas_reset(&c, a.rows, a.columns);
	view_header_draw(&a, &c, (struct area){.rows = 3});
	canvas_read(&c, 1, line, sizeof line);
	ck_assert_ptr_nonnull(strstr(line, "   all off"));
	canvas_done(&c);
}
END_TEST

/* However many there are. */
START_TEST(columns_have_keys)
{
	act(&a, REQUEST_COLUMNS);
	for (int c = COLUMN_FIRST_CHOSEN; c <= COLUMN_DETAIL; c++) {
		unsigned before = a.hidden;
		const char *at;
		char word[32];

		snprintf(word, sizeof word, "] %s", columns_name((enum column_id)c));
		at = strstr(a.question.text, word);
		ck_assert_msg(at != NULL, "%s", word);
		a.question.drawn = true;
		act_answer(&a, (unsigned char)at[-4]); /* "1 [x] sites" */
		ck_assert_msg(a.hidden == (before ^ 1u << c), "%s", word);
	}
	a.question.kind = ASK_NONE;
}
END_TEST

/* A column that is chosen and not on the screen is not ticked without a word. */
START_TEST(columns_without_room)
{
	a.columns = 60;
	act(&a, REQUEST_COLUMNS);
	ck_assert_msg(strstr(a.question.text, "[x] sites\n") != NULL, "%s", a.question.text);
	ck_assert_msg(
		strstr(a.question.text, "[x] proc (one process)\n") != NULL, "%s", a.question.text);
	ck_assert_msg(
		strstr(a.question.text, "[x] detail (no room)\n") != NULL, "%s", a.question.text);
	ck_assert_ptr_nonnull(strstr(a.question.text, "Enter: done"));
	a.columns = 40; /* no dialog: a mark */
	a.rows = 10;
	act(&a, REQUEST_COLUMNS);
	ck_assert_msg(strstr(a.question.text, "[-] object") != NULL, "%s", a.question.text);
	a.question.kind = ASK_NONE;
}
END_TEST

/* A result that is longer than its lines ends in a mark, not within a word. */
START_TEST(message_is_cut_visibly)
{
	char line[TEXT_MAX], last = '\0';
	struct canvas c;

	canvas_init(&c);
	a.columns = 40;
	a.rows = 10;
	app_layout(&a);
	for (int words = 1; words < 40; words++) {
		bool all;

		app_say(&a, "%.*s.", 5 * words,
			"word word word word word word word word word word word word word word "
			"word word word word word word word word word word word word word word ");
		frame_draw(&a, &c);
		canvas_read(&c, a.rows - 2, line, sizeof line);
		all = strchr(line, '.') != NULL;
		last = all ? last : line[39];
		ck_assert_msg(all || line[39] == '~', "%s", line);
	}
	ck_assert_int_eq(last, '~'); /* some did not fit */
	canvas_done(&c);
}
END_TEST

/* The cursor begins on the first row that can be switched, with the rows before it in view. */
START_TEST(starts_where_something_can_be_done)
{
	a.model.rows[a.list.shown[0]].switchable = false;
	a.model.rows[a.list.shown[1]].switchable = true;
	list_start(&a.list);
	ck_assert_uint_eq(a.list.rows.cursor, 1);
	ck_assert_uint_eq(a.list.rows.top, 0);
	for (size_t i = 0; i < a.model.row_count; i++)
		a.model.rows[i].switchable = false;
	list_start(&a.list);
	ck_assert_uint_eq(a.list.rows.cursor, 0);
}
END_TEST

/* s goes through the columns on the screen, from left to right, and the cursor stays on its row. */
START_TEST(sorts_as_shown)
{
	uint32_t row = go_to("duo");
	struct column_layout shown;
	int before = COLUMN_PROBE;

	view_list_columns(&a, &shown);
	for (int turn = 0; turn < COLUMN_COUNT; turn++) {
		int next = before;

		do
			next = (next + 1) % COLUMN_COUNT;
		while (!shown.at[next].width);
		act(&a, REQUEST_SORT);
		ck_assert_int_eq(a.list.order, next);
		ck_assert_uint_eq(app_row(&a), row);
		before = next;
	}
}
END_TEST

Suite *view_suite(void)
{
	Suite *s = suite_create("view");
	TCase *c = tcase_create("view");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, table_is_complete);
	tcase_add_test(c, overlays_return);
	tcase_add_test(c, scrolls_and_begins_at_the_top);
	tcase_add_test(c, selects);
	tcase_add_test(c, selects_a_pair);
	tcase_add_test(c, clicks);
	tcase_add_loop_test(c, header_keeps_exceptions, 0, 2);
	tcase_add_test(c, header_offers_no_switch_in_vain);
	tcase_add_test(c, columns_have_keys);
	tcase_add_test(c, columns_without_room);
	tcase_add_test(c, message_is_cut_visibly);
	tcase_add_test(c, starts_where_something_can_be_done);
	tcase_add_test(c, sorts_as_shown);
	suite_add_tcase(s, c);
	return s;
}
