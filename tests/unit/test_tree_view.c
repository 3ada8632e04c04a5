/*
 * The tree's groups, the pairs of a model, words for a shell: pure parts of
 * the screen.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/tui/rows/groups.h"
#include "ui/tui/rows/pairs.h"
#include "ui/tui/views/view.h"
#include "ui/tui/widgets/pager.h"
#include "ui/words/shell.h"

Suite *tree_view_suite(void);

/* ------------------------------------------------------------------- groups */

static const struct row_family lib_one = {.path = "/a/lib", .object = "lib", .provider = "one"};
static const struct row_family prog_one = {.path = "/b/prog", .object = "prog", .provider = "one"};
static const struct row_family prog_two = {.path = "/b/prog", .object = "prog", .provider = "two"};

static struct row rows[] = {
	{.family = &prog_two, .state = PROBES_ON, .sites = 2, .sites_on = 2, .tag = 1},
	{.family = &prog_one, .state = PROBES_OFF, .sites = 3},
	{.family = &lib_one, .state = PROBES_OFF, .sites = 1, .sites_on = PROBES_NONE},
	{.family = &prog_two, .state = PROBES_ON, .sites = 1, .sites_on = 1, .tag = 2},
};

/* A line as "G lib", "g two" or the row's number. */
static void spell(const struct groups *g, const uint32_t *lines, size_t count, char *out)
{
	*out = '\0';
	for (size_t i = 0; i < count; i++) {
		const struct group *one =
			lines[i] & GROUPS_FLAG ? &g->all[lines[i] & ~GROUPS_FLAG] : NULL;

		if (!one)
			out += sprintf(out, "%u ", lines[i]);
		else
			out += sprintf(out, "%s ",
				one->provider ? one->provider : one->sum.family->object);
	}
}

START_TEST(arranges_and_folds)
{
	static const uint32_t ids[] = {3, 0, 1, 2}, few[] = {1};
	struct groups g = {0};
	uint32_t lines[16], folded;
	char text[100];
	size_t n;

	groups_update(&g, rows, 4);
	ck_assert_uint_eq(g.count, 5); /* two objects, three providers */
	n = groups_arrange(&g, rows, ids, 4, lines);
	spell(&g, lines, n, text);
	ck_assert_str_eq(text, "lib one 2 prog one 1 two 3 0 "); /* rows keep their order */
	folded = lines[6] & ~GROUPS_FLAG;
	g.all[folded].folded = true;
	n = groups_arrange(&g, rows, ids, 4, lines);
	spell(&g, lines, n, text);
	ck_assert_str_eq(text, "lib one 2 prog one 1 two ");
	g.all[g.all[folded].parent].folded = true;
	n = groups_arrange(&g, rows, ids, 4, lines);
	spell(&g, lines, n, text);
	ck_assert_str_eq(text, "lib one 2 prog ");
	g.all[g.all[folded].parent].folded = false;
	n = groups_arrange(&g, rows, few, 1, lines);
	spell(&g, lines, n, text);
	ck_assert_str_eq(text, "prog one 1 "); /* groups of which nothing is shown are not there */
	ck_assert_uint_eq(groups_arrange(&g, rows, NULL, 0, lines), 0);
	groups_done(&g);
}
END_TEST

START_TEST(sums)
{
	static const uint32_t ids[] = {0, 1, 2, 3};
	struct groups g = {0};
	uint32_t lines[16];
	const struct group *prog, *two, *lib;

	groups_update(&g, rows, 4);
	groups_arrange(&g, rows, ids, 4, lines);
	two = &g.all[g.of[0]];
	prog = &g.all[two->parent];
	lib = &g.all[g.all[g.of[2]].parent];
	ck_assert_uint_eq(two->count, 2);
	ck_assert_int_eq(two->sum.state, PROBES_ON);
	ck_assert(two->sum.tag);
	ck_assert_uint_eq(prog->count, 3);
	ck_assert_uint_eq(prog->on, 2);
	ck_assert_int_eq(prog->sum.state, PROBES_PARTIAL);
	ck_assert_uint_eq(prog->sum.sites, 6);
	ck_assert_uint_eq(prog->sum.sites_on, 3);
	ck_assert(!prog->sum.tag); /* not all of it */
	ck_assert_uint_eq(lib->sum.sites_on, PROBES_NONE);
	ck_assert(groups_holds(&g, g.of[0], 3));
	ck_assert(groups_holds(&g, two->parent, 1));
	ck_assert(!groups_holds(&g, two->parent, 2));
	groups_done(&g);
}
END_TEST

/* -------------------------------------------------------------------- shell */

START_TEST(quotes_and_splits)
{
	static const char *const words[] = {"plain,a:b=1", "", "two words", "it's", "$(x)`y`",
		"a\\b", "gc_.*", "\"", "~home", "*"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		char *text, room[64], *split[4];
		size_t size;
		FILE *out = open_memstream(&text, &size);

		shell_quote(out, words[i]);
		fclose(out);
		ck_assert_int_eq(shell_split(text, room, split, 4), 1);
		ck_assert_str_eq(split[0], words[i]);
		free(text);
	}
}
END_TEST

START_TEST(splits)
{
	char room[64], *words[3];

	ck_assert_int_eq(shell_split("  a  'b c'd \"e\\\"f\" ", room, words, 3), 3);
	ck_assert_str_eq(words[1], "b cd");
	ck_assert_str_eq(words[2], "e\"f");
	ck_assert_int_eq(shell_split("", room, words, 3), 0);
	ck_assert_int_eq(shell_split("a b c d", room, words, 3), -1);
	ck_assert_int_eq(shell_split("a 'b", room, words, 3), -1);
}
END_TEST

/* What a shell makes of the folded lines: \ at an end of line joins, quotes go. */
static void unfold(const struct pager *l, char *out)
{
	char joined[2048] = "", room[2048], *words[64];
	int n;

	for (size_t i = 0; i < l->count; i++) {
		size_t length = strlen(l->all[i].text);

		strcat(joined, l->all[i].text);
		if (length && l->all[i].text[length - 1] == '\\')
			joined[strlen(joined) - 1] = '\0';
	}
	n = shell_split(joined, room, words, 64);
	ck_assert_int_gt(n, 0);
	*out = '\0';
	for (int i = 0; i < n; i++)
		strcat(strcat(out, words[i]), "|");
}

START_TEST(folds)
{
	static const char command[] =
		"probes-tui attach -pid 12345 -enable "
		"one,two,three,four,five,six,seven,eight,nine "
		"-object '/opt/with blank/it'\\''s a very long path name/that/goes/on' -force";

	for (int columns = 20; columns < 200; columns++) {
		struct pager l = {0};
		char got[2048];

		pager_command(&l, 0, command, columns);
		for (size_t i = 0; i < l.count; i++)
			ck_assert_int_le((int)strlen(l.all[i].text), columns + 1);
		unfold(&l, got);
		ck_assert_str_eq(got,
			"probes-tui|attach|-pid|12345|-enable|"
			"one,two,three,four,five,six,seven,eight,nine|-object|"
			"/opt/with blank/it's a very long path name/that/goes/on|-force|");
		pager_done(&l);
	}
}
END_TEST

/* A line without its mark would be a command of the shell. */
START_TEST(folds_comments)
{
	static const char text[] =
		"gdb: wait for one hit; never kill -9 this gdb, since a breakpoint without gdb "
		"ends the process\nrm averyveryveryveryveryveryverylongword";

	for (int columns = 1; columns < 200; columns++) {
		struct pager l = {0};
		size_t length = 0;

		pager_comment(&l, 0, text, columns);
		for (size_t i = 0; i < l.count; i++) {
			ck_assert(!strncmp(l.all[i].text, "# ", 2));
			ck_assert_int_le((int)strlen(l.all[i].text), columns > 20 ? columns : 20);
			length += strlen(l.all[i].text) - 1;
		}
		ck_assert_uint_ge(length, strlen(text) - 1);
		pager_done(&l);
	}
}
END_TEST

/* ---------------------------------------------------------------- arguments */

START_TEST(argument_words)
{
	static const struct {
		const char *raw, *type, *place;
	} all[] = {
		{"8@%rbx", "unsigned, 8 bytes", "register %rbx"},
		{"-4@-20(%rsp)", "signed, 4 bytes", "memory at %rsp-20"},
		{"-1@(%rdi)", "signed, 1 byte", "memory at %rdi"},
		{"4@16(%rax,%rcx,4)", "unsigned, 4 bytes", "memory at 16(%rax,%rcx,4)"},
		{"8@24(%rax)", "unsigned, 8 bytes", "memory at %rax+24"},
		{"2@$5", "unsigned, 2 bytes", "constant 5"},
		{"8f@%xmm0", "floating point, 8 bytes", "register %xmm0"},
		{"8@sym+4(%rip)", "unsigned, 8 bytes", "memory at sym+4(%rip)"},
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct probes_argument a;
		char text[400];

		ck_assert_uint_eq(probes_arguments(all[i].raw, &a, 1), 1);
		ck_assert_str_eq(view_arguments_type(&a, text, sizeof text), all[i].type);
		ck_assert_str_eq(view_arguments_place(&a, text, sizeof text), all[i].place);
	}
}
END_TEST

/* -------------------------------------------------------------------- pairs */

START_TEST(pairs_are_kept)
{
	static const struct row_family p_of_all = {
		.path = "", .provider = "p", .provider_length = 1};
	static struct row two[] = {
		{.label = "p:a", .family = &p_of_all}, {.label = "p:b", .family = &p_of_all}};
	struct model m = {.rows = two, .row_count = 2};
	struct pairs p = {0};

	pairs_update(&p, &m);
	ck_assert_uint_eq(p.count, 0);
	ck_assert_ptr_null(pairs_of(&p, 0));
	pairs_choose(&p, 1, 0);
	pairs_choose(&p, 1, 0);
	ck_assert_uint_eq(p.count, 1);
	m.row_count = 1; /* as if rows had come */
	pairs_update(&p, &m);
	ck_assert_uint_eq(p.count, 1);
	ck_assert_uint_eq(pairs_of(&p, 0)->start, 1);
	two[0].state = PROBES_OFF;
	two[1].state = PROBES_ON;
	ck_assert(pairs_half_on(&m, &p.all[0]));
	two[0].state = PROBES_ON;
	ck_assert(!pairs_half_on(&m, &p.all[0]));
	pairs_done(&p);
}
END_TEST

Suite *tree_view_suite(void)
{
	Suite *s = suite_create("tree_view");
	TCase *c = tcase_create("tree_view");

	tcase_add_test(c, arranges_and_folds);
	tcase_add_test(c, sums);
	tcase_add_test(c, quotes_and_splits);
	tcase_add_test(c, splits);
	tcase_add_test(c, folds);
	tcase_add_test(c, folds_comments);
	tcase_add_test(c, argument_words);
	tcase_add_test(c, pairs_are_kept);
	suite_add_tcase(s, c);
	return s;
}
