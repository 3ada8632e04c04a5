/* Covers probe/select: from actions to probes, in the order in which they are switched. */
#include "probe/select.h"

#include "suites.h"
#include "world.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PC(n) WORLD_PC(n)

static const struct elf_note select_first[] = {
	{PC(0x10), 0, 0, "srv", "req_start", ""},
	{PC(0x20), 0, 0, "srv", "req_end", ""},
	{PC(0x30), 0, 0, "srv", "both", ""},
	{PC(0x40), 0, 0, "php", "both", ""},
	{PC(0x50), 0, 0, "php", "wei\x1brd", ""},
	{PC(0x60), 0, 0, "a", "b:c", ""},
	{PC(0x70), 0, 0, "a:b", "c2", ""},
};
static const struct elf_note select_second[] = {
	{PC(0x10), 0, 0, "srv", "req_start", ""},
	{PC(0x20), 0, 0, "srv", "only_here", ""},
};

/* A program and a library that share a name. */
static void select_world(struct world *w)
{
	world_begin(w);
	world_prepare(w, select_first, 7, 0x200);
	world_add(w, "/usr/bin/prog", WORLD_BIAS);
	world_prepare(w, select_second, 2, 0x200);
	world_add(w, "/usr/lib/wei\x1brd.so", 2 * WORLD_BIAS);
}

/* The selected names with verbs, as one text: "+req_end +req_start". */
static void select_print(const struct world *w, const struct array *chosen, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < chosen->count; i++) {
		const struct selected *s = ARRAY_AT(chosen, struct selected, i);
		const struct probes_probe *p = catalog_probe(&w->catalog, s->probe);

		used += (size_t)snprintf(out + used, size - used, "%s%c%s@%u%s", i ? " " : "",
			s->verb == PROBES_ENABLE ? '+' : '-', p->name, p->object,
			s->named ? "" : "?");
	}
}

static int select_try(const struct probes_action *actions, size_t count,
	const struct probes_switch_options *narrow, char *out, size_t size, struct probes_error *e)
{
	struct array chosen = ARRAY_OF(struct selected);
	struct world w;
	int r;

	select_world(&w);
	r = select_actions(&w.catalog, NULL, actions, count, narrow, &chosen, e);
	select_print(&w, &chosen, out, size);
	array_done(&chosen);
	world_end(&w);
	return r;
}

static const struct {
	enum probes_verb verb;
	enum probes_by by;
	const char *text, *second, *provider, *object, *expected;
} select_cases[] = {
	{PROBES_ENABLE, PROBES_BY_NAME, "req_end", NULL, NULL, NULL, "+req_end@0"},
	{PROBES_ENABLE, PROBES_BY_NAME, "srv:req_end", NULL, NULL, NULL, "+req_end@0"},
	{PROBES_DISABLE, PROBES_BY_NAME, "req_start", NULL, NULL, NULL,
		"-req_start@0 -req_start@1"},
	{PROBES_ENABLE, PROBES_BY_NAME, "req_start", NULL, NULL, "prog", "+req_start@0"},
	{PROBES_ENABLE, PROBES_BY_NAME, "req_start", NULL, NULL, "/usr/bin/prog", "+req_start@0"},
	{PROBES_ENABLE, PROBES_BY_NAME, "req_start", NULL, NULL, "wei\x1brd.so", "+req_start@1"},
	{PROBES_ENABLE, PROBES_BY_NAME, "req_start", NULL, NULL, "wei\\x1brd.so", "+req_start@1"},
	{PROBES_ENABLE, PROBES_BY_NAME, "php:both", NULL, NULL, NULL, "+both@0"},
	{PROBES_ENABLE, PROBES_BY_NAME, "both", NULL, "php", NULL, "+both@0"},
	{PROBES_ENABLE, PROBES_BY_NAME, "wei\x1brd", NULL, NULL, NULL, "+wei\x1brd@0"},
	{PROBES_ENABLE, PROBES_BY_NAME, "php:wei\\x1brd", NULL, NULL, NULL, "+wei\x1brd@0"},
	{PROBES_ENABLE, PROBES_BY_NAME, "a:b:c", NULL, NULL, NULL, "+b:c@0"},
	{PROBES_ENABLE, PROBES_BY_NAME, "b:c", NULL, NULL, NULL, "+b:c@0"},
	{PROBES_ENABLE, PROBES_BY_NAME, "a:b:c2", NULL, NULL, NULL, "+c2@0"},
	{PROBES_ENABLE, PROBES_BY_REGEXP, "req", NULL, NULL, NULL,
		"+req_end@0? +req_start@0? +req_start@1?"},
	{PROBES_ENABLE, PROBES_BY_REGEXP, "req_\\(end\\|x\\)", NULL, NULL, NULL, "+req_end@0?"},
	{PROBES_ENABLE, PROBES_BY_REGEXP, "srv:.*end", NULL, NULL, NULL, "+req_end@0?"},
	{PROBES_ENABLE, PROBES_BY_REGEXP, ".*o", NULL, "srv", "prog", "+both@0?"},
	{PROBES_ENABLE, PROBES_BY_PAIR, "srv:both", "req_end", NULL, NULL, "+req_end@0 +both@0"},
	{PROBES_DISABLE, PROBES_BY_PAIR, "srv:both", "req_end", NULL, NULL, "-both@0 -req_end@0"},
	{PROBES_ENABLE, PROBES_BY_ALL, NULL, NULL, "srv", NULL,
		"+both@0? +req_end@0? +req_start@0? +only_here@1? +req_start@1?"},
	{PROBES_ENABLE, PROBES_BY_ALL, NULL, NULL, NULL, "wei\x1brd.so",
		"+only_here@1? +req_start@1?"},
};

START_TEST(select_chooses)
{
	const struct probes_action a = {.verb = select_cases[_i].verb,
		.by = select_cases[_i].by,
		.text = select_cases[_i].text,
		.second = select_cases[_i].second};
	const struct probes_switch_options narrow = {
		.provider = select_cases[_i].provider, .object = select_cases[_i].object};
	struct probes_error e = {0};
	char out[300];

	ck_assert_msg(
		select_try(&a, 1, &narrow, out, sizeof out, &e) == 0, "%s: %s", e.what, e.why);
	ck_assert_str_eq(out, select_cases[_i].expected);
}
END_TEST

static const struct {
	enum probes_by by;
	const char *text, *second;
	int code;
	const char *says;
} select_errors[] = {
	{PROBES_BY_NAME, "req_strat", NULL, -ENOENT, "srv:req_start"},
	{PROBES_BY_NAME, "none:req_start", NULL, -ENOENT, "unknown probe"},
	{PROBES_BY_NAME, "", NULL, -EINVAL, "empty"},
	{PROBES_BY_NAME, NULL, NULL, -EINVAL, "empty"},
	{PROBES_BY_NAME, "both", NULL, -ENOTUNIQ, "php:both or srv:both"},
	{PROBES_BY_NAME, "req_.*", NULL, -ENOENT, "unknown"},
	{PROBES_BY_REGEXP, "start", NULL, -ENOENT, "begin it with .*"},
	{PROBES_BY_REGEXP, "re(q", NULL, -EINVAL, "character"},
	{PROBES_BY_REGEXP, "", NULL, -EINVAL, "empty"},
	{PROBES_BY_PAIR, "req_end", "req_end", -EINVAL, "same probe"},
	{PROBES_BY_PAIR, "req_end", "srv:req_end", -EINVAL, "twice"},
	{PROBES_BY_PAIR, "req_end", NULL, -EINVAL, "empty"},
	{PROBES_BY_PAIR, NULL, "req_end", -EINVAL, "empty"},
	{PROBES_BY_PAIR, "req_end", "nothing", -ENOENT, "unknown"},
};

START_TEST(select_refuses)
{
	const struct probes_action a = {.by = select_errors[_i].by,
		.text = select_errors[_i].text,
		.second = select_errors[_i].second};
	struct probes_error e = {0};
	char out[300];

	ck_assert_int_eq(select_try(&a, 1, NULL, out, sizeof out, &e), select_errors[_i].code);
	ck_assert_int_eq(e.status, PROBES_USAGE);
	ck_assert_msg(strstr(e.what, select_errors[_i].says) ||
			      strstr(e.why, select_errors[_i].says) ||
			      strstr(e.hint, select_errors[_i].says),
		"'%s' is not in '%s', '%s', '%s'", select_errors[_i].says, e.what, e.why, e.hint);
}
END_TEST

START_TEST(select_refuses_to_narrow_to_nothing)
{
	const struct probes_action a = {.by = PROBES_BY_ALL};
	const struct probes_switch_options provider = {.provider = "none"},
					   object = {.object = "x"};
	struct probes_error e = {0};
	char out[300];

	ck_assert_int_eq(select_try(&a, 1, &provider, out, sizeof out, &e), -ENOENT);
	ck_assert_int_eq(e.status, PROBES_USAGE);
	ck_assert_int_eq(select_try(&a, 1, &object, out, sizeof out, &e), -ENOENT);
	ck_assert_int_eq(e.status, PROBES_USAGE);
}
END_TEST

START_TEST(select_keeps_the_order_of_actions)
{
	const struct probes_action actions[] = {
		{.verb = PROBES_DISABLE, .by = PROBES_BY_REGEXP, .text = "req_end"},
		{.verb = PROBES_ENABLE, .by = PROBES_BY_NAME, .text = "req_end"},
		{.verb = PROBES_DISABLE, .by = PROBES_BY_REGEXP, .text = "req_end"},
	};
	struct probes_error e;
	char out[300];

	/* A probe that was not named by hand may repeat. */
	ck_assert_int_eq(select_try(actions, 3, NULL, out, sizeof out, &e), 0);
	ck_assert_str_eq(out, "-req_end@0? +req_end@0 -req_end@0?");
	ck_assert_int_eq(select_try(actions, 0, NULL, out, sizeof out, &e), 0);
	ck_assert_str_eq(out, "");
}
END_TEST

START_TEST(select_refuses_what_is_named_twice)
{
	const struct probes_action actions[] = {
		{.verb = PROBES_ENABLE, .by = PROBES_BY_NAME, .text = "req_end"},
		{.verb = PROBES_DISABLE, .by = PROBES_BY_NAME, .text = "srv:req_end"},
	};
	struct probes_error e;
	char out[300];

	ck_assert_int_eq(select_try(actions, 2, NULL, out, sizeof out, &e), -EINVAL);
	ck_assert_ptr_nonnull(strstr(e.what, "srv:req_end is named twice"));
}
END_TEST

START_TEST(select_by_index)
{
	const size_t good[] = {8, 0}, bad[] = {0, 9}, same[] = {3, 3};
	struct probes_action a = {.by = PROBES_BY_INDEX, .indices = good, .count = 2};
	struct probes_error e;
	char out[300];

	ck_assert_int_eq(select_try(&a, 1, NULL, out, sizeof out, &e), 0);
	ck_assert_str_eq(out, "+req_start@1? +b:c@0?");
	a.named = true;
	ck_assert_int_eq(select_try(&a, 1, NULL, out, sizeof out, &e), 0);
	ck_assert_str_eq(out, "+req_start@1 +b:c@0");
	a.indices = same;
	ck_assert_int_eq(select_try(&a, 1, NULL, out, sizeof out, &e), -EINVAL);
	a.indices = bad;
	ck_assert_int_eq(select_try(&a, 1, NULL, out, sizeof out, &e), -ERANGE);
	ck_assert_int_eq(e.status, PROBES_USAGE);
	a.count = 0;
	ck_assert_int_eq(select_try(&a, 1, NULL, out, sizeof out, &e), 0);
	ck_assert_str_eq(out, "");
}
END_TEST

static bool select_even(void *data, const struct probes_session *session, size_t probe)
{
	ck_assert_ptr_null(session);
	++*(int *)data;
	return probe % 2 == 0;
}

START_TEST(select_by_predicate)
{
	int asked = 0;
	const struct probes_action a = {
		.by = PROBES_BY_PREDICATE, .predicate = select_even, .data = &asked};
	struct probes_error e;
	char out[300];

	ck_assert_int_eq(select_try(&a, 1, NULL, out, sizeof out, &e), 0);
	ck_assert_int_eq(asked, 9);
	ck_assert_str_eq(out, "+b:c@0? +both@0? +both@0? +req_start@0? +req_start@1?");
}
END_TEST

/* What an action chooses of these notes. */
static void select_expect(const struct elf_note *notes, size_t count,
	const struct probes_action *action, const struct probes_switch_options *options,
	const char *expected)
{
	struct probes_error e;
	struct array chosen = ARRAY_OF(struct selected);
	struct world w;
	char out[100];

	world_of(&w, notes, count);
	ck_assert_int_eq(select_actions(&w.catalog, NULL, action, 1, options, &chosen, &e), 0);
	select_print(&w, &chosen, out, sizeof out);
	ck_assert_str_eq(out, expected);
	array_done(&chosen);
	world_end(&w);
}

/* A provider whose name looks like the escaped name of another one. */
START_TEST(select_reads_a_provider_as_listed)
{
	static const struct elf_note notes[] = {{PC(0x10), 0, 0, "pr\x1bov", "escaped", ""},
		{PC(0x20), 0, 0, "pr\\x1bov", "literal", ""}};
	static const struct {
		const char *provider, *expected;
		size_t notes;
	} cases[] = {
		{"pr\\x1bov", "+escaped@0?", 2}, /* as list prints it */
		{"pr\\\\x1bov", "+literal@0?", 2}, {"pr\x1bov", "+escaped@0?", 2},
		{"pr\\x1bov", "+literal@0?", 1}, /* nothing else can be meant */
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct probes_action all = {.by = PROBES_BY_ALL};
		const struct probes_switch_options o = {.provider = cases[i].provider};

		select_expect(
			notes + (cases[i].notes == 1), cases[i].notes, &all, &o, cases[i].expected);
	}
}
END_TEST

/* A probe whose name looks like the escaped name of another one: each answers to its own. */
START_TEST(select_reads_a_name_as_listed)
{
	static const struct elf_note notes[] = {{PC(0x10), 0, 0, "prov",
							"na\x1b"
							"me",
							"8@%rax"},
		{PC(0x20), 0, 0, "prov", "na\\x1bme", ""}};
	static const struct {
		const char *name, *expected;
		size_t notes;
	} cases[] = {
		{"prov:na\\x1bme",
			"+na\x1b"
			"me@0",
			2}, /* as list prints it */
		{"na\\x1bme",
			"+na\x1b"
			"me@0",
			2},
		{"prov:na\\\\x1bme", "+na\\x1bme@0", 2},
		{"na\x1b"
		 "me",
			"+na\x1b"
			"me@0",
			2},
		{"na\\x1bme", "+na\\x1bme@0", 1}, /* nothing else can be meant */
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct probes_action one = {.by = PROBES_BY_NAME, .text = cases[i].name};

		select_expect(notes + (cases[i].notes == 1), cases[i].notes, &one, NULL,
			cases[i].expected);
	}
}
END_TEST

Suite *select_suite(void)
{
	Suite *s = suite_create("select");
	TCase *t = tcase_create("select");

	tcase_add_loop_test(t, select_chooses, 0, sizeof select_cases / sizeof *select_cases);
	tcase_add_loop_test(t, select_refuses, 0, sizeof select_errors / sizeof *select_errors);
	tcase_add_test(t, select_refuses_to_narrow_to_nothing);
	tcase_add_test(t, select_keeps_the_order_of_actions);
	tcase_add_test(t, select_refuses_what_is_named_twice);
	tcase_add_test(t, select_by_index);
	tcase_add_test(t, select_by_predicate);
	tcase_add_test(t, select_reads_a_provider_as_listed);
	tcase_add_test(t, select_reads_a_name_as_listed);
	suite_add_tcase(s, t);
	return s;
}
