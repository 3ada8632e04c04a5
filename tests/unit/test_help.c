/*
 * Help where it is needed: the legend, searching in texts, and what prompts say, remember and
 * complete. Their places on the screen are left to the golden screens.
 */
#include "canvas_read.h"
#include "session_world.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "ui/tui/actions/act.h"
#include "ui/tui/terminal/key.h"
#include "ui/tui/views/view.h"
#include "ui/words/states.h"

Suite *help_suite(void);

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
	for (int i = 0; i < PAST_COUNT; i++)
		input_past_done(&a.past[i]);
	pager_done(&a.text.pager);
	pager_done(&a.glance.pane);
	list_done(&a.list);
	pairs_done(&a.pairs.known);
	rowlist_done(&a.pairs.rows);
	questions_done(&a.questions);
	model_done(&a.model);
	session_end(&x);
}

static void type(const char *text)
{
	while (*text)
		act_prompt_key(&a, (unsigned char)*text++);
}

/* Open a prompt, type, Enter. */
static void ask(enum request r, const char *text)
{
	act(&a, r);
	ck_assert_ptr_nonnull(a.prompt.ops);
	type(text);
	act_prompt_key(&a, K_ENTER);
	ck_assert_msg(!a.prompt.ops, "%s: %s", text, a.prompt.why);
}

/* The line of the text that holds these words, from a line on; -1: none. */
static long line_of(const char *words, size_t from)
{
	for (size_t i = from; i < a.text.pager.count; i++) {
		if (strstr(a.text.pager.all[i].text, words))
			return (long)i;
	}
	return -1;
}

/* What the line over the footer says. */
static const char *said(void)
{
	static char room[1024];
	struct app_part parts[APP_PARTS];

	(void)app_message_parts(&a, parts, room, sizeof room);
	return parts[0].text;
}

/* ---------------------------------------------------------------- help */

/* Every mark with its word, and the columns, come before the first key. */
START_TEST(legend_comes_first)
{
	char label[64];
	long keys;

	act(&a, REQUEST_HELP);
	ck_assert_int_eq(line_of("What the list shows", 0), 0);
	keys = line_of("Switch", 0);
	ck_assert_int_gt(keys, STATES_COUNT);
	for (int s = 0; s < STATES_COUNT; s++) {
		long at;

		snprintf(label, sizeof label, "  %s %s", states[s].mark, states[s].word);
		at = line_of(label, 0);
		ck_assert_msg(at > 0 && at < keys, "%s", label);
		ck_assert_ptr_nonnull(strstr(a.text.pager.all[at].text, states[s].help));
	}
	ck_assert_int_lt(line_of("  SITES n/m", 0), keys);
	ck_assert_int_gt(line_of("  e ", 0), keys);
	ck_assert_int_gt(line_of("What a filter understands", 0), line_of("  e ", 0));
}
END_TEST

/* On a narrow screen, too, all texts begin in one column. */
START_TEST(narrow_help_is_aligned)
{
	a.columns = 40;
	act(&a, REQUEST_HELP);
	for (size_t i = 0; i < a.text.pager.count; i++) {
		const char *line = a.text.pager.all[i].text;

		ck_assert_int_le((int)strlen(line), 40);
		if (strlen(line) > 12 && line[0] == ' ') /* keys, or their text */
			ck_assert_msg(line[11] == ' ' || line[2] != ' ', "%s", line);
	}
	ck_assert_str_eq(a.text.pager.all[line_of("inconsistent", 0)].text, "  [!] inconsistent");
	ck_assert_str_eq(a.text.pager.all[line_of("inconsistent", 0) + 1].text,
		"            its code and its semaphore");
}
END_TEST

/* Only what the view shows and can do. */
START_TEST(help_is_about_the_view)
{
	app_open(&a, VIEW_OUTPUT);
	act(&a, REQUEST_HELP);
	ck_assert_int_lt(line_of("[*] on", 0), 0);
	ck_assert_int_lt(line_of("What a filter", 0), 0);
	act(&a, REQUEST_BACK);
	app_open(&a, VIEW_PICKER);
	act(&a, REQUEST_HELP);
	ck_assert_int_eq(line_of("What the list shows", 0), 0);
	ck_assert_int_gt(line_of("CAN", 0), 0);
	ck_assert_int_gt(line_of("What a filter", 0), 0);
	act(&a, REQUEST_BACK);
}
END_TEST

/* As in less: / goes to the first match from here, n and N go round. */
START_TEST(texts_are_searched)
{
	const struct pager *p = &a.text.pager;
	size_t first, nth, count;

	act(&a, REQUEST_HELP);
	ask(REQUEST_SEARCH, "undo");
	first = (size_t)line_of("ndo", 0);
	ck_assert_uint_eq(p->found, first);
	ck_assert_uint_ge(p->found, p->top);
	ck_assert_uint_lt(p->found, p->top + (size_t)app_view_rows(&a));
	count = pager_matches(p, &nth);
	ck_assert_uint_gt(count, 1);
	ck_assert_uint_eq(nth, 1);
	act(&a, REQUEST_NEXT);
	ck_assert_uint_eq(p->found, (size_t)line_of("ndo", first + 1));
	act(&a, REQUEST_PREVIOUS);
	ck_assert_uint_eq(p->found, first);
	act(&a, REQUEST_PREVIOUS); /* over the top to the last */
	pager_matches(p, &nth);
	ck_assert_uint_eq(nth, count);
	act(&a, REQUEST_FIRST); /* after scrolling away: from what is seen */
	act(&a, REQUEST_NEXT);
	ck_assert_uint_eq(p->found, first);

	act(&a, REQUEST_SEARCH);
	type("no such words");
	ck_assert_ptr_nonnull(strstr(said(), "no match in this text"));
	act_prompt_key(&a, K_ESC);
	ck_assert_str_eq(p->search.text, "undo"); /* the search before */
	act(&a, REQUEST_BACK);
	act(&a, REQUEST_HELP);
	ck_assert_ptr_null(p->search.pattern);
	act(&a, REQUEST_NEXT);
	ck_assert_ptr_nonnull(strstr(said(), "nothing was searched for yet"));
}
END_TEST

START_TEST(search_goes_round)
{
	ask(REQUEST_SEARCH, "~.");
	rowlist_to(&a.list.rows, 0);
	act(&a, REQUEST_PREVIOUS);
	ck_assert_uint_eq(a.list.rows.cursor, a.list.rows.count - 1);
	act(&a, REQUEST_NEXT);
	ck_assert_uint_eq(a.list.rows.cursor, 0);
	act(&a, REQUEST_NEXT);
	ck_assert_uint_eq(a.list.rows.cursor, 1);
}
END_TEST

/* ---------------------------------------------------------------- prompts */

START_TEST(prompts_show_their_syntax)
{
	act(&a, REQUEST_FILTER);
	ck_assert_ptr_nonnull(strstr(said(), "word  ~regex  a|b  -not  on  off"));
	type("o");
	ck_assert_ptr_nonnull(strstr(said(), " match   word  ~regex"));
	a.columns = 40; /* what fits, up to a blank */
	ck_assert_int_le((int)strlen(said()), 40);
	ck_assert_ptr_nonnull(strstr(said(), "word  ~regex"));
	type(" ~(");
	ck_assert_ptr_nonnull(strstr(said(), "regular expression"));
	a.columns = 80;
	act_prompt_key(&a, K_ESC);
	act(&a, REQUEST_TAG_REGEX);
	ck_assert_ptr_nonnull(strstr(said(), "anywhere"));
	act_prompt_key(&a, K_ESC);
	act(&a, REQUEST_COMMAND);
	type("enable-regexp ");
	ck_assert_ptr_nonnull(strstr(said(), "from the first character"));
	act_prompt_key(&a, K_CTRL('C'));
	ck_assert_ptr_null(a.prompt.ops);
	act(&a, REQUEST_FILTER);
	app_open(&a, VIEW_OUTPUT); /* which has no filter */
	ck_assert_ptr_null(a.prompt.ops);
}
END_TEST

/* Each kind of prompt has a past of its own; what is taken from it takes effect. */
START_TEST(prompts_remember)
{
	size_t all = a.model.row_count;

	ask(REQUEST_FILTER, "soft");
	ck_assert_uint_lt(a.list.shown_count, all);
	act(&a, REQUEST_FILTER);
	act_prompt_key(&a, K_CTRL('U'));
	act_prompt_key(&a, K_ENTER);
	ck_assert_uint_eq(a.list.shown_count, all);
	ask(REQUEST_SEARCH, "one");
	act(&a, REQUEST_FILTER);
	type("n");
	act_prompt_key(&a, K_UP);
	ck_assert_str_eq(a.prompt.input.text, "soft");
	ck_assert_str_eq(filter_text(a.list.filter), "soft");
	act_prompt_key(&a, K_UP); /* none is older */
	ck_assert_str_eq(a.prompt.input.text, "soft");
	act_prompt_key(&a, K_DOWN);
	ck_assert_str_eq(a.prompt.input.text, "n"); /* what was being typed */
	act_prompt_key(&a, K_ESC);
	ck_assert_str_eq(filter_text(a.list.filter), "");
	act(&a, REQUEST_SEARCH);
	act_prompt_key(&a, K_UP);
	ck_assert_str_eq(a.prompt.input.text, "one");
	act_prompt_key(&a, K_ESC);
	act(&a, REQUEST_NOTE); /* notes are free text, and keep none */
	act_prompt_key(&a, K_UP);
	ck_assert_str_eq(a.prompt.input.text, "");
	act_prompt_key(&a, K_ESC);
}
END_TEST

START_TEST(filters_complete)
{
	act(&a, REQUEST_FILTER);
	type("-inc\t");
	ck_assert_str_eq(a.prompt.input.text, "-inconsistent");
	ck_assert_str_eq(filter_text(a.list.filter), "-inconsistent"); /* it takes effect */
	type(" prov:oc\t");
	ck_assert_ptr_nonnull(strstr(a.prompt.input.text, "prov:ocaml"));
	type(" zzz\t");
	ck_assert_str_eq(said(), "nothing begins with that");
	act_prompt_key(&a, K_CTRL('U'));
	type("so\t");
	ck_assert_str_eq(a.prompt.input.text, "soft");
	act_prompt_key(&a, K_ESC);
	ask(REQUEST_COMMAND, "filter off -\t"); /* the same behind :filter */
}
END_TEST

/* An empty list says why, and how to leave it. */
START_TEST(empty_list_explains)
{
	struct canvas c;
	char line[200], all[1000] = "";

	ask(REQUEST_FILTER, "fn:zzz"); /* the world has no symbols */
	canvas_init(&c);
	canvas_reset(&c, a.rows, a.columns);
	app_view(&a)->draw(&a, &c);
	for (int y = 0; y < a.rows; y++) {
		canvas_read(&c, y, line, sizeof line);
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s\n", line);
	}
	ck_assert_ptr_nonnull(strstr(all, "  no probe matches the filter\n"));
	ck_assert_ptr_nonnull(strstr(all, "\\ ^U Enter clears it"));
	ck_assert_ptr_nonnull(strstr(all, "no function is known for"));
	ck_assert_uint_eq(list_nameless(&a.list), a.model.row_count);
	canvas_done(&c);
	list_filter(&a.list, "zzz", line, sizeof line);
	ck_assert_uint_eq(list_nameless(&a.list), 0);
}
END_TEST

START_TEST(commands_go_to_rows)
{
	ask(REQUEST_COMMAND, "3");
	ck_assert_uint_eq(a.list.rows.cursor, 2);
	ask(REQUEST_COMMAND, "$");
	ck_assert_uint_eq(a.list.rows.cursor, a.list.rows.count - 1);
	ask(REQUEST_COMMAND, "1");
	ck_assert_uint_eq(a.list.rows.cursor, 0);
	ask(REQUEST_COMMAND, "99999999999999999999");
	ck_assert_uint_eq(a.list.rows.cursor, a.list.rows.count - 1);
	ask(REQUEST_COMMAND, "0");
	ck_assert_uint_eq(a.list.rows.cursor, 0);
	ask(REQUEST_COMMAND, "3x");
	ck_assert_ptr_nonnull(strstr(said(), "3x: no such command; : and Tab "));
	ck_assert_uint_eq(a.list.rows.cursor, 0);
	act(&a, REQUEST_HELP);
	act(&a, REQUEST_COMMAND);
	type("5");
	act_prompt_key(&a, K_ENTER);
	ck_assert_uint_eq(a.text.pager.top, 4);
}
END_TEST

/* F6: the columns are listed, one is typed. */
START_TEST(sort_by)
{
	ck_assert_int_eq(request_of_key(K_F6, IN_LIST), REQUEST_SORT_BY);
	act(&a, REQUEST_SORT_BY);
	ck_assert_str_eq(a.prompt.input.text, "sort ");
	ck_assert_ptr_nonnull(strstr(said(), "sites"));
	type("si\t");
	act_prompt_key(&a, K_ENTER);
	ck_assert_int_eq(a.list.order, COLUMN_SITES);
}
END_TEST

Suite *help_suite(void)
{
	Suite *s = suite_create("help");
	TCase *c = tcase_create("help");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, legend_comes_first);
	tcase_add_test(c, narrow_help_is_aligned);
	tcase_add_test(c, help_is_about_the_view);
	tcase_add_test(c, texts_are_searched);
	tcase_add_test(c, search_goes_round);
	tcase_add_test(c, prompts_show_their_syntax);
	tcase_add_test(c, prompts_remember);
	tcase_add_test(c, filters_complete);
	tcase_add_test(c, empty_list_explains);
	tcase_add_test(c, commands_go_to_rows);
	tcase_add_test(c, sort_by);
	suite_add_tcase(s, c);
	return s;
}
