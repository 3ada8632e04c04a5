/* The ready questions: all that are shipped are calls, and what a user's file may hold. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui/options/questions.h"
#include "ui/words/shell.h"

Suite *questions_suite(void);

static char mistakes[4000];

static void note(void *data, const char *text)
{
	(void)data;
	strncat(mistakes, strrchr(text, '/') ? strrchr(text, '/') + 1 : text,
		sizeof mistakes - strlen(mistakes) - 2);
	strcat(mistakes, "\n");
}

/* Load with this text as the user's file, or without one. */
static struct questions loaded(const char *text)
{
	char folder[] = "/tmp/questions.XXXXXX", path[100];
	struct questions q = {0};
	FILE *file;

	mistakes[0] = '\0';
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(setenv("XDG_CONFIG_HOME", folder, 1), 0);
	snprintf(path, sizeof path, "%s/probes-tui", folder);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	strcat(path, "/questions");
	file = text ? fopen(path, "w") : NULL;
	if (file) {
		fputs(text, file);
		fclose(file);
	}
	ck_assert_int_eq(questions_load(&q, note, NULL), 0);
	(void)unlink(path);
	*strrchr(path, '/') = '\0';
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(rmdir(folder), 0);
	return q;
}

static const struct question *last(const struct questions *q)
{
	return &q->all[q->count - 1];
}

START_TEST(shipped)
{
	struct questions q = loaded(NULL);

	ck_assert_str_eq(mistakes, "");
	ck_assert_uint_gt(q.count, 20);
	for (size_t i = 0; i < q.count; i++) {
		const struct question *one = &q.all[i];

		ck_assert_msg(one->source && !strncmp(one->source, "https://", 8), "%s", one->name);
		/* Without its provider, a name may be another program's. */
		ck_assert_msg(strchr(one->call, ':'), "%s", one->name);
		for (size_t k = 0; k < i; k++)
			ck_assert_str_ne(one->call, q.all[k].call);
	}
	questions_done(&q);
}
END_TEST

START_TEST(of_the_user)
{
	struct questions q = loaded(NULL);
	size_t known = q.count;
	char buffer[100], *words[QUESTIONS_WORDS];

	questions_done(&q);
	q = loaded("# mine\n\n question = orders\n\tcall = latency 'my app:a',my_app:b -by arg2\n"
		   "note = x = y\n");
	ck_assert_str_eq(mistakes, "");
	ck_assert_uint_eq(q.count, known + 1);
	ck_assert_str_eq(last(&q)->name, "orders");
	ck_assert_str_eq(last(&q)->note, "x = y");
	ck_assert_ptr_null(last(&q)->source);
	ck_assert_int_eq(shell_split(last(&q)->call, buffer, words, QUESTIONS_WORDS), 4);
	ck_assert_str_eq(words[1], "my app:a,my_app:b");
	questions_done(&q);
}
END_TEST

#define QUESTIONS_TARGET "questions:2: call: names a process or a program: a question fits any\n"

START_TEST(wrong)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"call = count a\n", "questions:1: call: stands before the first question\n"},
		{"question = q\ncall = attach -enable-all\n",
			"questions:2: call: is not a verb that measures: "
			"see probes-tui -help\n"},
		{"question = q\ncall = count -nosuch a\n",
			"questions:2: call: -nosuch: no such option\n"},
		{"question = q\ncall = count 'a\n", "questions:2: call: ends within a quote\n"},
		{"question = q\ncall = count a -pid 1\n", QUESTIONS_TARGET},
		{"question = q\ncall = count a --tree=1\n", QUESTIONS_TARGET},
		{"question = q\ncall = events a -prog /bin/true\n", QUESTIONS_TARGET},
		{"question = q\ncall = count\n", "questions:2: call: names no probe\n"},
		{"question = q\ncall = latency a\n", "questions:2: call: START,END: needs two "
						     "probe names with a comma between\n"},
		{"question = q\ncall = count -help a\n",
			"questions:2: call: asks for help or the version, and measures nothing\n"},
		{"question =\n", "questions:1: question: is empty\n"},
		{"question = q\nnotes = a\n",
			"questions:2: notes: is not known: give question, call, note or source\n"},
		{"question = q\nnonsense\n",
			"questions:2: nonsense: is not of the form name = value\n"},
		{"question = without a call\n", ""},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct questions q = loaded(cases[i].text);

		ck_assert_str_eq(mistakes, cases[i].why);
		ck_assert_ptr_nonnull(strchr(last(&q)->call, ':')); /* the last one shipped */
		questions_done(&q);
	}
}
END_TEST

Suite *questions_suite(void)
{
	Suite *suite = suite_create("questions");
	TCase *tc = tcase_create("questions");

	tcase_add_test(tc, shipped);
	tcase_add_test(tc, of_the_user);
	tcase_add_test(tc, wrong);
	suite_add_tcase(suite, tc);
	return suite;
}
