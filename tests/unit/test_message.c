/*
 * The result line: what may hide what. That it is drawn so is left to e2e/tui-workers.sh.
 */
#include <check.h>
#include <string.h>

#include "ui/tui/app/app.h"
#include "ui/tui/terminal/text.h"

Suite *message_suite(void);

static struct app a;

static void begin(void)
{
	a = (struct app){.rows = 24, .columns = 80};
}

/* As a key whose answer is this; NULL: it has none. */
static void key(const char *answer)
{
	a.message.answer = false;
	a.message.answering = true;
	if (answer)
		app_say(&a, "%s", answer);
	a.message.answering = false;
}

/* Every part without its time, with its lines: "TEXT|ROWS TEXT|ROWS". */
static const char *parts(void)
{
	static char out[2048];
	struct app_part list[APP_PARTS];
	char room[TEXT_MAX];
	size_t count = app_message_parts(&a, list, room, sizeof room);

	out[0] = '\0';
	for (size_t i = 0; i < count; i++)
		text_addf(out, sizeof out, "%s%s|%d", i ? " " : "",
			list[i].text + (*list[i].text ? strlen("00:00:00 ") : 0), list[i].rows);
	return out;
}

START_TEST(a_remark_leaves_the_answer)
{
	key("answer");
	app_remark(&a, REMARK_NEWS, false, "born");
	ck_assert_str_eq(parts(), "answer|1 born|1");
	app_remark(&a, REMARK_NEWS, false, "more born");
	ck_assert_str_eq(parts(), "answer|1 more born|1");
	/* a key without answer: the old one may go */
	key(NULL);
	app_remark(&a, REMARK_NEWS, false, "last born");
	ck_assert_str_eq(parts(), "|0 last born|1");
}
END_TEST

START_TEST(an_end_is_hidden_by_nothing_less)
{
	key("answer");
	app_remark(&a, REMARK_WARNING, true, "inherited");
	app_remark(&a, REMARK_END, true, "crashed");
	ck_assert_str_eq(parts(), "crashed|1 answer|1");
	app_remark(&a, REMARK_NEWS, false, "born");
	app_remark(&a, REMARK_WARNING, true, "inherited");
	app_say(&a, "by itself");
	ck_assert_str_eq(parts(), "crashed|1 by itself|1");
}
END_TEST

START_TEST(an_end_waits_for_a_frame_and_an_answer)
{
	a.message.answering = true;
	app_remark(&a, REMARK_END, true, "crashed");
	a.message.answering = false;
	key("answer");
	ck_assert_str_eq(parts(), "crashed|1 answer|1");
	a.question.kind = ASK_DO;
	app_drawn(&a);
	a.question.kind = ASK_NONE;
	key("another");
	ck_assert_str_eq(parts(), "crashed|1 another|1");
	app_drawn(&a);
	key(NULL);
	ck_assert_str_eq(parts(), "crashed|1 another|1");
	key("the last");
	ck_assert_str_eq(parts(), "the last|1");
}
END_TEST

START_TEST(ends_add_up_and_leave_room)
{
	char text[1000];

	app_remark(&a, REMARK_END, true, "one");
	app_remark(&a, REMARK_END, true, "two");
	ck_assert_str_eq(strchr(strchr(a.message.remark.text, '\n'), ' '), " one");
	ck_assert(!strncmp(a.message.remark.text + strlen("00:00:00 "), "two\n", 4));
	app_drawn(&a);
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	key(text);
	app_remark(&a, REMARK_END, true, "three");
	ck_assert(!strncmp(parts(), "three|1 ", 8));
	for (int i = 0; i < 20; i++)
		app_remark(&a, REMARK_END, true, "%.100s", text);
	ck_assert_ptr_nonnull(strstr(parts(), "|3 "));
	ck_assert_int_eq(app_message_area(&a).rows, 4);
	a.rows = 10;
	ck_assert_int_eq(app_message_area(&a).rows, 2);
}
END_TEST

Suite *message_suite(void)
{
	Suite *s = suite_create("message");
	TCase *t = tcase_create("message");

	tcase_add_checked_fixture(t, begin, NULL);
	tcase_add_test(t, a_remark_leaves_the_answer);
	tcase_add_test(t, an_end_is_hidden_by_nothing_less);
	tcase_add_test(t, an_end_waits_for_a_frame_and_an_answer);
	tcase_add_test(t, ends_add_up_and_leave_room);
	suite_add_tcase(s, t);
	return s;
}
