/*
 * The filter language, and the patterns under it.
 */
#include <check.h>
#include <string.h>

#include "ui/tui/rows/filter.h"
#include "ui/tui/widgets/pattern.h"

Suite *filter_suite(void);

static const char *function(void *data, size_t i)
{
	static const char *const names[] = {"Req.handle", "main"};

	(void)data;
	return i < 2 ? names[i] : NULL;
}

static const struct filter_subject subject = {
	.function = function,
	.text = "ocaml_2:Req_start",
	.provider = "ocaml_2",
	.object = "order_gw",
	.state = PROBES_ON,
	.mine = true,
};

static const struct {
	const char *text;
	bool matches;
} cases[] = {
	{"", true},
	{"   ", true},
	{"req", true}, /* smart-case */
	{"Req", true},
	{"REQ", false},
	{"req start", true},
	{"req stop", false},
	{"stop|start", true},
	{"stop|", false},
	{"-stop", true},
	{"-req", false},
	{"-stop|start", false}, /* neither of them */
	{"order", true},        /* the object's name too */
	{"~^ocaml_2:req_", true},
	{"~^req", false},
	{"~Q_", false},
	{"-~stop|end", true},
	{"~stop\\|start", true}, /* as Str writes it */
	{"on", true},
	{"off", false},
	{"-off", true},
	{"off|on", true},
	{"partial|inconsistent|foreign", false},
	{"tagged", false},
	{"-tagged mine", true},
	{"~on$", false}, /* the word on, not the state: order_gw ends in w */
	{"prov:ocaml", true},
	{"prov:order", false},
	{"obj:order", true},
	{"obj:ocaml|order", true},
	{"-obj:order", false},
	{"obj:~^order_gw$", true},
	{"fn:handle", true},
	{"fn:main|zzz", true},
	{"fn:~^handle", false},
	{"-fn:main", false},
	{"fn:start", false},
	{"fn:", true},
	{"foreign|inconsistent|partial|on", true},
	{"tagged|mine -off prov:caml obj:gw fn:~^Req", true},
	{"obj:on", false},            /* a word there, no state */
	{"\"on\"", false},            /* the word, which is nowhere */
	{"\"start\"", true},          /* quotes make a word text */
	{"stop|\"start\"|off", true}, /* everywhere in a term */
	{"-\"start\"", false},
	{"obj:\"order_gw\"", true},
	{"\"req start\"", false}, /* blanks and bars in quotes are text, too */
	{"\"stop|start\"", false},
	{"\"~start\"", false},
	{"\"req_st", true}, /* while one is still typing */
	{"\"start\" -\"stop\" on", true},
	{"\"", true},
	{"\"\"", true},
	{"stop|~start|end", true},
	{"prov:", true}, /* while one is still typing */
	{"-", true},
	{"|", true},
	{"~", true},
};

START_TEST(matches)
{
	char why[200];
	struct filter *f = filter_parse(cases[_i].text, why, sizeof why);

	ck_assert_msg(f != NULL, "%s: %s", cases[_i].text, why);
	ck_assert_msg(filter_match(f, &subject) == cases[_i].matches, "%s", cases[_i].text);
	filter_free(f);
}
END_TEST

START_TEST(selects_what_has_no_switch)
{
	struct filter_subject one = subject;
	char why[200];
	struct filter *f = filter_parse("none", why, sizeof why);

	ck_assert(!filter_match(f, &subject));
	one.state = PROBES_NO_SWITCH;
	ck_assert(filter_match(f, &one));
	filter_free(f);
	/* also by the two words that the list shows, anywhere in a term; in quotes they are text */
	f = filter_parse("req stop|no switch", why, sizeof why);
	ck_assert(filter_match(f, &one) && !filter_match(f, &subject));
	filter_free(f);
	f = filter_parse("-no switch req", why, sizeof why);
	ck_assert(!filter_match(f, &one) && filter_match(f, &subject));
	filter_free(f);
	f = filter_parse("\"no switch\"", why, sizeof why);
	ck_assert(!filter_match(f, &one));
	filter_free(f);
}
END_TEST

START_TEST(says_what_is_wrong)
{
	char why[200];

	ck_assert_ptr_null(filter_parse("req ~a(b", why, sizeof why));
	ck_assert_ptr_nonnull(strstr(why, "at character 4"));
	ck_assert_ptr_null(filter_parse("-prov:~[", why, sizeof why));
	ck_assert_ptr_nonnull(strstr(why, "regular expression"));
}
END_TEST

/* A figure that is not known passes neither > nor <. */
START_TEST(compares_hits)
{
	static const struct {
		const char *text;
		double hits, rate;
		bool counted, matches;
	} figures[] = {
		{"hits>100", 101, 0, true, true},
		{"hits>100", 100, 0, true, false},
		{"hits>=100", 100, 0, true, true},
		{"hits<100", 99, 0, true, true},
		{"hits<=100", 100, 0, true, true},
		{"hits=100", 100, 0, true, true},
		{"hits=100", 101, 0, true, false},
		{"hits>2.5k", 2501, 0, true, true},
		{"hits>2.5k", 2500, 0, true, false},
		{"hits>3M", 3000001, 0, true, true},
		{"hits<1G", 999999999, 0, true, true},
		{"hits<100", 0, 0, false, false},
		{"-hits>100", 0, 0, false, true},
		{"rate>0", 500, 0.5, true, true},
		{"rate>0", 500, 0, true, false},
		{"rate<1", 500, -1, true, false},
		{"counted", 0, -1, true, true},
		{"-counted", 0, -1, true, false},
		{"off|counted", 0, 0, true, true},
		{"hits>10 rate<5", 11, 4, true, true},
		{"\"hits>100\"", 500, 0, true, false},
	};
	char why[200];

	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		struct filter *f = filter_parse(figures[i].text, why, sizeof why);
		struct filter_subject s = subject;

		ck_assert_msg(f != NULL, "%s: %s", figures[i].text, why);
		s.counted = figures[i].counted;
		s.hits = figures[i].hits;
		s.rate = figures[i].rate;
		ck_assert_msg(filter_match(f, &s) == figures[i].matches, "%s", figures[i].text);
		ck_assert(filter_is_live(f) || figures[i].text[0] == '"');
		filter_free(f);
	}
}
END_TEST

START_TEST(refuses_wrong_figures)
{
	static const char *const texts[] = {"hits>", "rate>", "hits>x", "req hits>1x", "-hits<5kk",
		"hits=-1", "rate>>1", "on|rate>nan"};
	static const char *const fine[] = {
		"hits", "hits:x", "\"hits>100\"", "\"counted\"", "counted_", "obj:counted"};
	char why[200];

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		ck_assert_msg(!filter_parse(texts[i], why, sizeof why), "%s", texts[i]);
		ck_assert_ptr_nonnull(strstr(why, "add a number"));
	}
	for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
		struct filter *f = filter_parse(fine[i], why, sizeof why);

		ck_assert_msg(f != NULL, "%s: %s", fine[i], why);
		filter_free(f);
	}
}
END_TEST

/* Every word that the language knows is offered, and is not taken for text. */
START_TEST(lists_its_words)
{
	char why[200];
	size_t count = 0;

	for (const char *word; (word = filter_word(count, false)); count++) {
		struct filter *f = filter_parse(word, why, sizeof why);

		ck_assert_msg(filter_is_live(f) || strchr(word, ':'), "%s", word);
		filter_free(f);
	}
	ck_assert_uint_gt(count, 10);
	ck_assert_str_eq(filter_word(0, false), "off");
	ck_assert_ptr_null(filter_word(count + 1, false));
}
END_TEST

START_TEST(knows_what_is_live)
{
	char why[200];
	static const struct {
		const char *text;
		bool live;
	} texts[] = {{"req", false}, {"on", true}, {"a|tagged", true}, {"-mine", true},
		{"obj:on", false}};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct filter *f = filter_parse(texts[i].text, why, sizeof why);

		ck_assert_int_eq(filter_is_live(f), texts[i].live);
		filter_free(f);
	}
}
END_TEST

START_TEST(finds_the_place)
{
	char why[200];
	size_t start, end;
	struct pattern *p = pattern_parse("~a+", why, sizeof why);

	ck_assert(pattern_find(p, "xxaaay", &start, &end));
	ck_assert_uint_eq(start, 2);
	ck_assert_uint_eq(end, 5);
	ck_assert(!pattern_find(p, "xxy", &start, &end));
	pattern_free(p);
	p = pattern_parse("Y", why, sizeof why);
	ck_assert(!pattern_match(p, "xxy"));
	ck_assert(pattern_match(p, "xxY"));
	pattern_free(p);
	p = pattern_parse("~\\W", why, sizeof why); /* \W is no capital letter */
	ck_assert(pattern_match(p, "a b"));
	pattern_free(p);
	pattern_free(NULL);
}
END_TEST

Suite *filter_suite(void)
{
	Suite *s = suite_create("filter");
	TCase *c = tcase_create("filter");

	tcase_add_loop_test(c, matches, 0, (int)(sizeof cases / sizeof *cases));
	tcase_add_test(c, selects_what_has_no_switch);
	tcase_add_test(c, says_what_is_wrong);
	tcase_add_test(c, compares_hits);
	tcase_add_test(c, refuses_wrong_figures);
	tcase_add_test(c, lists_its_words);
	tcase_add_test(c, knows_what_is_live);
	tcase_add_test(c, finds_the_place);
	suite_add_tcase(s, c);
	return s;
}
