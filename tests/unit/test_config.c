/*
 * The config file: what a line may be, that the command line wins, how mistakes are named. And the
 * screen's own options.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "ui/options/columns.h"
#include "ui/options/config.h"

Suite *config_suite(void);

static char mistakes[2000];

static void note(void *data, const char *text)
{
	(void)data;
	strncat(mistakes, text, sizeof mistakes - strlen(mistakes) - 2);
	strcat(mistakes, "\n");
}

/* Parse a call, then apply a config text to it. */
static struct options applied(int argc, char **argv, const char *config)
{
	static char text[1000];
	struct probes_error e;
	struct options o;

	mistakes[0] = '\0';
	snprintf(text, sizeof text, "%s", config);
	ck_assert_int_eq(options_parse(argc, argv, &o, &e), 0);
	config_apply(&o, text, "F", note, NULL);
	return o;
}

START_TEST(columns)
{
	static const struct {
		const char *text;
		unsigned hidden;
	} cases[] = {
		{"all", 0},
		{"none", COLUMNS_ALL},
		{COLUMNS_NAMES, 0},
		{"sites,detail", COLUMNS_ALL & ~(1u << COLUMN_SITES | 1u << COLUMN_DETAIL)},
		{"ref,who", /* former names */
			COLUMNS_ALL & ~(1u << COLUMN_SEMAPHORE | 1u << COLUMN_HOLDER)},
		{"detail,all", 0},
		{"sem", COLUMNS_ALL & ~(1u << COLUMN_SEMAPHORE)},
		{"count", COLUMNS_ALL & ~(1u << COLUMN_SEMAPHORE)},
		{"ref", COLUMNS_ALL & ~(1u << COLUMN_SEMAPHORE)},
	};
	static const char *const wrong[] = {"", ",", "ref,", ",ref", "refs", "re", "ref,,who",
		"none,ref", "ALL", "state", "probe", "name"};
	unsigned hidden = 77;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		ck_assert_int_eq(columns_parse(cases[i].text, &hidden), 0);
		ck_assert_uint_eq(hidden, cases[i].hidden);
	}
	hidden = 77;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		ck_assert_int_eq(columns_parse(wrong[i], &hidden), -1);
	ck_assert_uint_eq(hidden, 77);
	for (unsigned c = COLUMN_FIRST_CHOSEN; c <= COLUMN_DETAIL; c++)
		ck_assert_ptr_nonnull(strstr(COLUMNS_NAMES, columns_name((enum column_id)c)));
}
END_TEST

START_TEST(settings)
{
	char *argv[] = {(char *)"probes-tui", (char *)"-pid", (char *)"1", NULL};
	struct options o = applied(3, argv,
		"\n# words\n \t \nlease=2\n  refresh =  0.5 \r\nmouse = yes\nascii=no\ntheme = "
		"light");

	ck_assert_str_eq(mistakes, "");
	ck_assert_uint_eq(o.lease_ms, 120000);
	ck_assert(o.lease_given && o.mouse && !o.ascii);
	ck_assert_uint_eq(o.refresh_ms, 500);
	ck_assert_str_eq(o.theme, "light");
	options_done(&o);
}
END_TEST

START_TEST(the_command_line_wins)
{
	char *argv[] = {(char *)"probes-tui", (char *)"-pid", (char *)"1", (char *)"-lease",
		(char *)"90s", (char *)"-mouse=no", (char *)"-ascii", NULL};
	struct options o = applied(7, argv, "lease = 2\nmouse = yes\nascii = no\n");

	ck_assert_str_eq(mistakes, "");
	ck_assert_uint_eq(o.lease_ms, 90000);
	ck_assert(!o.mouse && o.ascii);
	options_done(&o);
}
END_TEST

/* A setting of the screen is no mistake where another verb is called, but nonsense is. */
START_TEST(other_verbs)
{
	char *argv[] = {(char *)"probes-tui", (char *)"list", (char *)"-pid", (char *)"1", NULL};
	struct options o = applied(4, argv, "mouse = yes\n");

	ck_assert_str_eq(mistakes, "");
	ck_assert(!o.mouse);
	options_done(&o);
	o = applied(4, argv, "refresh = 1\nlog = a\n\nrefresh = nan\n");
	ck_assert_str_eq(mistakes, "F:4: refresh: \"nan\" is not an interval\n");
	options_done(&o);
}
END_TEST

/* Whoever wrote about read-only did not want writes. */
START_TEST(read_only)
{
	static const struct {
		const char *verb, *text, *config;
		bool forbidden;
	} cases[] = {
		{"repair", "-quiet", "read-only = yes", true},
		{"repair", "-read-only=no", "read-only = yes", false},
		{"count", "-quiet", "read-only = ja", true},
		{"count", "-quiet", "read-only", true},
		{"count", "-read-only=no", "read-only", false},
		{"count", "-quiet", "read-only = no", false},
		{"count", "-quiet", "mouse = ja", false},
		{"list", "-quiet", "read-only = ja", false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *argv[] = {(char *)"probes-tui", (char *)cases[i].verb, (char *)"-pid",
			(char *)"1", (char *)cases[i].text, NULL};
		struct options o = applied(5, argv, cases[i].config);

		ck_assert_int_eq(o.read_only, cases[i].forbidden);
		options_done(&o);
	}
}
END_TEST

START_TEST(mistakes_are_named)
{
	char *argv[] = {(char *)"probes-tui", (char *)"-pid", (char *)"1", NULL};
	struct options o = applied(3, argv,
		"nonsense\nno-such = 1\npid = 3\nmouse = 3\nlease =\nenable-all = yes\nlease = "
		"1\n");

	ck_assert_str_eq(mistakes, "F:1: nonsense: is not of the form name = value\n"
				   "F:2: no-such: no such setting\n"
				   "F:3: pid: no such setting\n"
				   "F:4: mouse: is neither yes nor no\n"
				   "F:5: lease: \"\" is empty\n"
				   "F:6: enable-all: no such setting\n");
	ck_assert_uint_eq(o.lease_ms, 60000);
	options_done(&o);
}
END_TEST

START_TEST(leases)
{
	static const struct {
		const char *text;
		uint64_t ms;
	} good[] = {{"15", 900000}, {"0", 0}, {"0.5", 30000}, {"2s", 2000}, {"90s", 90000},
		{"1h", 3600000}, {"3m", 180000}};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		char *argv[] = {(char *)"probes-tui", (char *)"-lease", (char *)good[i].text, NULL};
		struct options o = applied(3, argv, "");

		ck_assert_uint_eq(o.lease_ms, good[i].ms);
		options_done(&o);
	}
}
END_TEST

Suite *config_suite(void)
{
	Suite *s = suite_create("config");
	TCase *c = tcase_create("config");

	tcase_add_test(c, columns);
	tcase_add_test(c, settings);
	tcase_add_test(c, the_command_line_wins);
	tcase_add_test(c, other_verbs);
	tcase_add_test(c, read_only);
	tcase_add_test(c, mistakes_are_named);
	tcase_add_test(c, leases);
	suite_add_tcase(s, c);
	return s;
}
