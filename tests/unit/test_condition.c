/* Covers conditions on events: what they mean, what is refused and where, what is not known. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/condition.h"
#include "random.h"
#include "suites.h"

/* tid 12 of process 10, "worker"; -5, 2^63, 2.5, unreadable, "select 1" at 0x1000. */
static const struct probes_event event = {.pid = 10,
	.tid = 12,
	.thread = "worker",
	.count = 5,
	.values = {{.kind = PROBES_VALUE_SIGNED, .number = -5},
		{.kind = PROBES_VALUE_UNSIGNED, .bits = UINT64_C(1) << 63},
		{.kind = PROBES_VALUE_FLOAT, .real = 2.5}, {.kind = PROBES_VALUE_UNREADABLE},
		{.kind = PROBES_VALUE_UNSIGNED, .bits = 0x1000, .text = "select 1"}}};
static const struct probes_probe probe = {.provider = "web", .name = "req__start"};

static const struct {
	const char *text;
	bool holds;
} conditions[] = {
	{"arg1 == -5", true},
	{"arg1 = -5", true},
	{"arg1 > -5", false},
	{"arg1>=-5", true},
	{"arg1 < -4", true},
	{"arg1 <= -6", false},
	{"arg1 != -5", false},
	{"arg2 == 9223372036854775808", true},
	{"arg2 > 9223372036854775807", true},
	{"arg2 > 0x7fffffffffffffff", true},
	{"arg2 < 0", false},
	{"arg3 > 2.4", true},
	{"arg3 == 2.5", true},
	{"arg3 < 2", false},
	{"arg5 == 0x1000", true},
	{"arg5 == \"select 1\"", true},
	{"arg5 != \"select 1\"", false},
	{"arg5 ~ select", true},
	{"arg5 ~ \"^ect\"", false},
	{"arg5 !~ insert", true},
	{"arg5 ~ (insert|select)", true},
	{"(arg5 ~ sel.*[0-9])", true},
	{"tid == 12 and pid == 10", true},
	{"tid == 13 or pid == 10", true},
	{"comm == worker", true},
	{"comm ~ work", true},
	{"comm !~ work", false},
	{"probe == req__start", true},
	{"probe == web:req__start", true},
	{"probe ~ ^web:", true},
	{"not tid == 12", false},
	{"not not tid == 12", true},
	{"not (tid == 12 and arg1 > 0)", true},
	{"tid == 1 or tid == 2 and tid == 12", false},
	{"tid == 12 or tid == 2 and tid == 3", true},
	{"(tid == 12 or tid == 2) and tid == 3", false},
	/* What is not known is neither true nor false. */
	{"arg4 == 0", false},
	{"not arg4 == 0", false},
	{"arg4 == 0 or tid == 12", true},
	{"tid == 12 or arg4 == 0", true},
	{"arg4 == 0 and tid == 12", false},
	{"not (arg4 == 0 and tid == 13)", true},
	{"not (arg4 == 0 or tid == 13)", false},
	{"arg6 == 0 or arg6 != 0", false},
	{"arg4 ~ x", false},
	{"arg1 ~ x", false},
	{"not arg1 ~ x", false},
};

START_TEST(condition_means)
{
	struct probes_condition *c = NULL;
	struct probes_error e;

	ck_assert_msg(probes_condition_parse(conditions[_i].text, &c, &e) == 0, "%s: %s",
		conditions[_i].text, e.why);
	ck_assert_msg(probes_condition_holds(c, &event, &probe) == conditions[_i].holds, "%s",
		conditions[_i].text);
	probes_condition_free(c);
}
END_TEST

static const struct {
	const char *text, *why;
} refused[] = {
	{"", "expected argN, tid, pid, comm or probe at character 1"},
	{"arg1", "expected one of == != < <= > >= ~ !~ at character 5"},
	{"arg1 >", "expected a number (put a text in quotes) at character 7"},
	{"arg1 > x", "expected a number (put a text in quotes) at character 8"},
	{"arg0 > 1", "no such argument at character 1"},
	{"arg13 > 1", "no such argument at character 1"},
	{"arg99999999999 > 1", "no such argument at character 1"},
	{"foo > 1", "expected argN, tid, pid, comm or probe at character 1"},
	{"arg1 > 1 arg2 > 2", "expected 'and' or 'or' at character 10"},
	{"arg1 > 1 and", "expected argN, tid, pid, comm or probe at character 13"},
	{"(arg1 > 1", "a bracket is not closed at character 10"},
	{"arg1 > 1)", "expected 'and' or 'or' at character 9"},
	{"arg1 > 12x", "bad number at character 8"},
	{"arg1 > 99999999999999999999", "bad number at character 8"},
	{"arg1 > 1.2.3", "bad number at character 8"},
	{"tid ~ 1", "~ compares texts, not numbers at character 7"},
	{"comm > a", "a text is not less or greater: use ==, !=, ~ or !~ at character 8"},
	{"comm == ", "expected a text at character 9"},
	{"comm == \"a", "the quote is not closed at character 9"},
	{"arg1 ~ \"(\"", "missing closing parenthesis at character 2"},
};

START_TEST(condition_refused)
{
	struct probes_condition *c = NULL;
	struct probes_error e = {0};

	ck_assert_int_eq(probes_condition_parse(refused[_i].text, &c, &e), -EINVAL);
	ck_assert_int_eq(e.status, PROBES_USAGE);
	ck_assert_str_eq(e.why, refused[_i].why);
	ck_assert_ptr_null(c);
}
END_TEST

/* Neither long nor deep ones end us. */
START_TEST(condition_without_end)
{
	struct probes_condition *c = NULL;
	struct probes_error e;
	char *text = calloc(1, 100000);

	memset(text, '(', 5000);
	ck_assert_int_eq(probes_condition_parse(text, &c, &e), -EINVAL);
	for (int i = 0; i < 5000; i++)
		memcpy(text + 4 * i, "not ", 4);
	ck_assert_int_eq(probes_condition_parse(text, &c, &e), -EINVAL);
	memset(text, 0, 100000);
	for (int i = 0; i < 5000; i++)
		strcat(text, i ? " or tid == 1" : "tid == 1");
	ck_assert_int_eq(probes_condition_parse(text, &c, &e), -EINVAL);
	free(text);
}
END_TEST

START_TEST(condition_of_anything)
{
	static const char *const words[] = {"arg1", "tid", "comm", "==", "~", ">", "!", "(", ")",
		"and", "or", "not", "\"", "x", "12", " ", "-", "0x", ".", "\\"};
	uint64_t seed = RANDOM_SEED;

	for (int round = 0; round < 50000; round++) {
		struct probes_condition *c = NULL;
		struct probes_error e;
		char text[200] = "";
		unsigned texts;

		for (size_t i = random_next(&seed) % 12; i > 0; i--) {
			strcat(text, words[random_next(&seed) % (sizeof words / sizeof *words)]);
			if (random_next(&seed) % 2)
				strcat(text, " ");
		}
		if (probes_condition_parse(text, &c, &e) < 0)
			continue;
		(void)probes_condition_holds(c, &event, &probe);
		ck_assert_uint_le(probes_condition_arguments(c, &texts), 0xfff);
		probes_condition_free(c);
	}
}
END_TEST

START_TEST(condition_arguments)
{
	struct probes_condition *c = NULL;
	struct probes_error e;
	unsigned texts;

	ck_assert_int_eq(
		probes_condition_parse("arg1 > 1 or (arg3 ~ x and not arg12 == \"y\")", &c, &e), 0);
	ck_assert_uint_eq(probes_condition_arguments(c, &texts), 1 | 4 | 1 << 11);
	ck_assert_uint_eq(texts, 4 | 1 << 11);
	probes_condition_free(c);
}
END_TEST

/* Only what must be true, and is a whole number, is decided in the process. */
START_TEST(condition_in_the_process)
{
	static const struct {
		const char *text;
		size_t count;
	} all[] = {{"arg1 > 1", 1}, {"arg1 > 1 and arg2 == -3 and tid == 4", 2},
		{"arg1 > 1 or arg2 == 3", 0}, {"not arg1 > 1", 0}, {"arg1 > 1.5", 0},
		{"arg1 ~ x and (arg2 < 7 and arg3 >= 0)", 2}, {"arg1 > 18446744073709551615", 0},
		{"arg1 > 1 and arg1 < 9 and arg2 == 1 and arg2 != 4", 3}};
	struct condition_test tests[3];

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct probes_condition *c = NULL;
		struct probes_error e;

		ck_assert_int_eq(probes_condition_parse(all[i].text, &c, &e), 0);
		ck_assert_msg(condition_tests(c, tests, 3) == all[i].count, "%s", all[i].text);
		if (i == 1) {
			ck_assert_uint_eq(tests[0].argument, 1);
			ck_assert_int_eq(tests[0].compare, PROBES_GREATER);
			ck_assert_uint_eq(tests[0].number, 1);
			ck_assert_uint_eq(tests[1].number, (uint64_t)-3);
			ck_assert(tests[1].negative && !tests[0].negative);
		}
		probes_condition_free(c);
	}
}
END_TEST

/* Neither true nor false for want of something that the event should have. */
START_TEST(condition_without_an_answer)
{
	static const struct {
		const char *text;
		bool undecided;
	} cases[] = {{"pid > 0", true}, {"tid == 3", true}, {"comm == \"worker\"", true},
		{"not pid == 3", true}, {"arg1 == \"x\"", true}, {"arg1 == 7 or pid == 1", false},
		{"arg1 == 8 and pid == 1", false}, {"arg1 == 7 and pid == 1", true},
		{"arg2 == 1", false}, {"arg2 == \"x\"", false}, {"probe == b", false}};
	/* Of a child that ended before it was seen; the text was not read. */
	static const struct probes_event left = {.thread = "",
		.count = 1,
		.values = {{.kind = PROBES_VALUE_UNSIGNED, .bits = 7, .asked = true}}};
	struct probes_condition *c = NULL;
	struct probes_error e;

	ck_assert_int_eq(probes_condition_parse(cases[_i].text, &c, &e), 0);
	ck_assert(probes_condition_undecided(c, &left, &probe) == cases[_i].undecided);
	ck_assert(!probes_condition_undecided(c, &event, &probe));
	probes_condition_free(c);
}
END_TEST

Suite *condition_suite(void)
{
	Suite *s = suite_create("condition");
	TCase *c = tcase_create("condition");

	tcase_add_loop_test(c, condition_means, 0, sizeof conditions / sizeof *conditions);
	tcase_add_loop_test(c, condition_refused, 0, sizeof refused / sizeof *refused);
	tcase_add_test(c, condition_without_end);
	tcase_add_test(c, condition_of_anything);
	tcase_add_test(c, condition_arguments);
	tcase_add_test(c, condition_in_the_process);
	tcase_add_loop_test(c, condition_without_an_answer, 0, 11);
	suite_add_tcase(s, c);
	return s;
}
