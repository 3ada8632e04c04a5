/*
 * Covers plan_switch: what is written, in which order, in which batches; what is refused, skipped
 * or left undone, for every kind of probe. Not covered: carrying it out (test_apply).
 */
#include "patch/plan.h"

#include "script.h"
#include "suites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool keep; /* under force: counts stay */

/* Plan a choice in a usual world; the result as texts. Returns what plan_switch returned. */
static int plan_try(const char *setup, const char *choice, bool force, char writes[500],
	char items[500], struct probes_error *e)
{
	const struct probes_switch_options mode = {.force = force, .keep_counts = keep};
	struct array chosen = ARRAY_OF(struct selected);
	unsigned char *before;
	struct plan p;
	struct world w;
	int r;

	world_of(&w, script_notes, script_note_count);
	script_setup(&w, setup);
	script_choose(&w, choice, &chosen);
	before = fake_snapshot(&w.fake);
	ck_assert_int_eq(plan_init(&p, &w.catalog, e), 0);
	r = plan_switch(&p, chosen.data, chosen.count, &mode, e);
	script_writes(&p, writes, 500);
	script_items(&w, &p, items, 500);
	ck_assert(fake_same(&w.fake, before)); /* a plan touches nothing */
	free(before);
	plan_done(&p);
	array_done(&chosen);
	world_end(&w);
	return r;
}

#define ON_ONE "b11=e8 b21=e8 c12=1"
#define ON_UNIT "b31=e8 b41=e8 c20=1 c24=1"

static const struct {
	const char *setup, *choice;
	bool force;
	const char *writes;
} plan_cases[] = {
	/* on: code, then semaphore; off: semaphore, then code */
	{"", "+one", false, "b11:3d>e8 b21:3d>e8 c12:0>1"},
	{ON_ONE, "-one", false, "c12:1>0 b11:e8>3d b21:e8>3d"},
	{"", "+unit", false, "b31:3d>e8 b41:3d>e8 c20:0>1 c24:0>1"},
	{ON_UNIT, "-unit", false, "c20:1>0 c24:1>0 b31:e8>3d b41:e8>3d"},
	/* another party holds it already, or still: the sites stay */
	{ON_ONE, "+one", false, "c12:1>2"},
	{ON_ONE " c12=2", "-one", false, "c12:2>1"},
	{ON_UNIT " c20=2", "-unit", false, "c20:2>1 c24:1>0 b41:e8>3d"},
	/* each semaphore by itself */
	{"b31=e8 c20=1", "+unit", false, "b41:3d>e8 c20:1>2 c24:0>1"},
	{"b31=e8 c20=1", "-unit", false, "c20:1>0 b31:e8>3d"},
	/* without sites, with sites that have no switch */
	{"", "+soft", false, "c32:0>1"},
	{"c32=1", "-soft", false, "c32:1>0"},
	{"", "+nop", false, "c40:0>1 c44:0>1"},
	{"c40=5 c44=1", "-nop", false, "c40:5>4 c44:1>0"},
	{"c40=1", "-nop", false, "c40:1>0"},
	{"c40=ff", "+nop", false, "c40:ff>100 c44:0>1"},
	/* limits */
	{ON_ONE " c12=fffe", "+one", false, "c12:fffe>ffff"},
	{ON_ONE " c12=ffff", "-one", false, "c12:ffff>fffe"},
	{"c40=7ffd c44=1", "+nop", false, "c40:7ffd>7ffe c44:1>2"},
	/* force: to 1 or 0, the sites follow */
	{"", "+one", true, "b11:3d>e8 b21:3d>e8 c12:0>1"},
	{ON_ONE, "+one", true, ""},
	{ON_ONE " c12=5", "+one", true, "c12:5>1"},
	{ON_ONE " c12=5", "-one", true, "c12:5>0 b11:e8>3d b21:e8>3d"},
	{"c12=1", "+one", true, "b11:3d>e8 b21:3d>e8"},
	{"c12=1", "-one", true, "c12:1>0"},
	{"b11=e8 b21=e8", "+one", true, "c12:0>1"},
	{"b11=e8", "-one", true, "b11:e8>3d"},
	{ON_ONE " c12=ffff", "+one", true, "c12:ffff>1"},
	{"c40=7ffe", "+nop", true, "c40:7ffe>1 c44:0>1"},
	{"", "-soft", true, ""},
	/* a uprobe at pc of an OCaml site is not in our way, nor an sdt site's holder */
	{"b10=cc", "+one", false, "b11:3d>e8 b21:3d>e8 c12:0>1"},
	{"b50=cc", "+nop", false, "c40:0>1 c44:0>1"},
	{"b50=cc c40=2 c44=1", "-nop", false, "c40:2>1 c44:1>0"},
	{"b50=cc c40=2", "+nop", true, "c40:2>1 c44:0>1"},
	{"b30=cc " ON_UNIT " c20=3", "-unit", false, "c20:3>2 c24:1>0 b41:e8>3d"},
	{"b10=cc " ON_ONE, "-one", false, "c12:1>0 b11:e8>3d b21:e8>3d"},
	{"b50=cc", "+nop", true, "c40:0>1 c44:0>1"},
	/* several in one call */
	{"", "+one +soft", false, "b11:3d>e8 b21:3d>e8 c12:0>1 c32:0>1"},
	{"", "+one? -one?", false, "b11:3d>e8 b21:3d>e8 c12:0>1 |c12:1>0 b11:e8>3d b21:e8>3d"},
	{"", "+one? -one? +soft", false,
		"b11:3d>e8 b21:3d>e8 c12:0>1 |c12:1>0 b11:e8>3d b21:e8>3d c32:0>1"},
	{"", "+soft? +soft? +soft?", false, "c32:0>1 |c32:1>2 |c32:2>3"},
	{"", "+nop +twin", false, "c40:0>1 c44:0>1 |c40:1>2"},
	{"", "+nop? +one? +twin? -one?", false,
		"c40:0>1 c44:0>1 b11:3d>e8 b21:3d>e8 c12:0>1 |c40:1>2 c12:1>0 b11:e8>3d b21:e8>3d"},
	/* a site that was written is looked at again: a new batch, also where no count changed */
	{"c12=1", "+one? -one?", true, "b11:3d>e8 b21:3d>e8 |c12:1>0 b11:e8>3d b21:e8>3d"},
	{"", "+one? +one? -one?", true, "b11:3d>e8 b21:3d>e8 c12:0>1 |c12:1>0 b11:e8>3d b21:e8>3d"},
};

START_TEST(plan_writes)
{
	char writes[500], items[500];
	struct probes_error e = {0};

	ck_assert_msg(plan_try(plan_cases[_i].setup, plan_cases[_i].choice, plan_cases[_i].force,
			      writes, items, &e) == 0,
		"%s: %s", e.what, e.why);
	ck_assert_ptr_null(strchr(items, ':'));
	script_expect(plan_cases[_i].writes, writes);
}
END_TEST

/* A repair that leaves what others added to a count. */
START_TEST(plan_keeps_counts)
{
	static const struct {
		const char *setup, *choice, *writes;
	} cases[] = {
		{"c12=5", "+one", "b11:3d>e8 b21:3d>e8"},
		{"c12=5 b11=e8", "+one", "b21:3d>e8"},
		{"b11=e8", "-one", "b11:e8>3d"},
		{ON_ONE " c12=5", "+one", ""},
		{"c20=2", "+unit", "b31:3d>e8"},
		{"c40=3", "+nop", ""},
	};
	char writes[500], items[500];
	struct probes_error e = {0};

	keep = true;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		ck_assert_int_eq(
			plan_try(cases[i].setup, cases[i].choice, true, writes, items, &e), 0);
		script_expect(cases[i].writes, writes);
	}
	keep = false;
}
END_TEST

/* Named: the call fails and says why. Not named: an item says it, and nothing is written. */
static const struct {
	const char *setup, *choice;
	bool force;
	int code;
	const char *outcome, *why;
} plan_refusals[] = {
	{"", "-one", false, -EALREADY, ":skipped", "its count is 0"},
	{"", "-nop", false, -EALREADY, ":skipped", "its count is 0"},
	{"", "-soft", false, -EALREADY, ":skipped", "its count is 0"},
	{"", "+bare", false, -EALREADY, ":skipped", "no semaphore"},
	{"", "+bare", true, -EALREADY, ":skipped", "no semaphore"},
	{"", "+bad", false, -EBUSY, ":not", "names no semaphore"},
	{"", "+bad", true, -EBUSY, ":not", "names no semaphore"},
	{ON_ONE " c12=ffff", "+one", false, -EBUSY, ":not", "limit"},
	{"c40=7ffe c44=1", "+nop", false, -EBUSY, ":not", "limit"},
	{"c40=ffff", "+nop", false, -EBUSY, ":not", "limit"},
	{ON_UNIT " c24=7ffe", "+unit", false, -EBUSY, ":not", "limit"},
	{"c12=1", "+one", false, -EBUSY, ":not", "inconsistent"},
	{"c12=1", "-one", false, -EBUSY, ":not", "inconsistent"},
	{"b11=e8 b21=e8", "-one", false, -EBUSY, ":not", "inconsistent"},
	{"b11=e8", "+one", false, -EBUSY, ":not",
		"1 of its 2 sites are on, the others off (partial)"},
	{"b11=e8 c12=1", "-one", false, -EBUSY, ":not", "(partial)"},
	{"b11=cc", "+one", false, -EBUSY, ":not", "int3"},
	{"b21=cc", "+one", true, -EBUSY, ":not", "int3"},
	{"b11=cc b21=e8 c12=1", "-one", true, -EBUSY, ":not", "int3"},
	{"b12=0", "+one", false, -EBUSY, ":not", "not its own"},
	{"b25=0", "+one", true, -EBUSY, ":not", "not its own"},
	{"b50=cc c40=1 c44=1", "-nop", true, -EBUSY, ":not", "int3"},
	/* the kernel's own part of a count that it shares is never taken */
	{"b50=cc c40=1 c44=1", "-nop", false, -EBUSY, ":not", "may own all"},
	{"b80=cc c40=1 c44=1", "-nop", false, -EBUSY, ":not", "may own all"},  /* through twin */
	{"b50=e8 c40=1 c44=1", "-nop", false, -EBUSY, ":not", "may own all"},  /* a call's (6.18) */
	{"b50=cc b60=cc c44=2", "-nop", false, -EBUSY, ":not", "may own all"}, /* bpftrace's way */
	{"b50=cc b60=cc c40=2", "+nop", true, -EBUSY, ":not", "may own all"},
	{"b30=cc " ON_UNIT, "-unit", false, -EBUSY, ":not", "may own all"},
	{"b30=cc b31=e8 b41=e8 c20=2 c24=1", "-unit", false, -EBUSY, ":not", "may own all"},
	{"b30=cc " ON_UNIT, "-unit", true, -EBUSY, ":not", "may own all"},
	{"b=absent", "+one", false, -EBUSY, ":not", "cannot be read"},
	{"c=absent", "+one", false, -EBUSY, ":not", "cannot be read"},
	{"c=absent", "+nop", true, -EBUSY, ":not", "cannot be read"},
	{"c=absent", "+soft", false, -EBUSY, ":not", "cannot be read"},
	/* where its code is gone, who knows whose its count is */
	{"b=absent", "+nop", false, -EBUSY, ":not", "cannot be read"},
};

START_TEST(plan_refuses)
{
	char writes[500], items[500], unnamed[40];
	struct probes_error e = {0};
	bool force = plan_refusals[_i].force;

	ck_assert_int_eq(plan_try(plan_refusals[_i].setup, plan_refusals[_i].choice, force, writes,
				 items, &e),
		plan_refusals[_i].code);
	ck_assert_int_eq(e.status, e.code == -EALREADY ? PROBES_FAILED : PROBES_REFUSED);
	ck_assert_msg(strstr(e.why, plan_refusals[_i].why) != NULL, "'%s'", e.why);
	ck_assert_int_ne(e.hint[0], '\0');
	ck_assert_str_eq(writes, "");
	snprintf(unnamed, sizeof unnamed, "%s?", plan_refusals[_i].choice);
	ck_assert_int_eq(plan_try(plan_refusals[_i].setup, unnamed, force, writes, items, &e), 0);
	ck_assert_str_eq(writes, "");
	ck_assert_ptr_nonnull(strstr(items, plan_refusals[_i].outcome));
}
END_TEST

START_TEST(plan_refuses_after_all_were_looked_at)
{
	char writes[500], items[500];
	struct probes_error e = {0};

	ck_assert_int_eq(
		plan_try("", "+one -nop? -soft +bare +unit", false, writes, items, &e), -EALREADY);
	ck_assert_ptr_nonnull(strstr(e.what, "cannot disable ocaml_2:soft")); /* the first named */
	ck_assert_str_eq(items, "+one -nop:skipped -soft:skipped +bare:skipped +unit");
}
END_TEST

START_TEST(plan_hints_at_force_where_it_helps)
{
	char writes[500], items[500];
	struct probes_error e = {0};

	plan_try("c12=1", "+one", false, writes, items, &e);
	ck_assert_ptr_nonnull(strstr(e.hint, "force"));
	plan_try(ON_ONE " c12=ffff", "+one", false, writes, items, &e);
	ck_assert_ptr_null(strstr(e.hint, "force sets"));
	plan_try("b11=cc c12=1", "+one", true, writes, items, &e); /* it was there: no help */
	ck_assert_ptr_null(strstr(e.hint, "force"));
}
END_TEST

START_TEST(plan_looks_at_the_bytes_around)
{
	const struct probes_switch_options mode = {0};
	const struct probes_edit *site, *count;
	const struct plan_check *check;
	struct probes_error e;
	struct array chosen = ARRAY_OF(struct selected);
	struct plan p;
	struct world w;

	world_of(&w, script_notes, script_note_count);
	script_setup(&w, "b50=cc");
	script_choose(&w, "+one +nop +soft", &chosen);
	ck_assert_int_eq(plan_init(&p, &w.catalog, &e), 0);
	ck_assert_int_eq(plan_switch(&p, chosen.data, chosen.count, &mode, &e), 0);
	ck_assert_uint_eq(p.edits.count, 6);
	site = ARRAY_AT(&p.edits, struct probes_edit, 0);
	ck_assert_uint_eq(site->address, WORLD_BIAS + WORLD_PC(0x10) + 1);
	ck_assert_uint_eq(site->length, 1);
	ck_assert_uint_eq(site->old[0], 0x3d);
	check = p.checks.data;
	ck_assert_mem_eq(check->bytes, "\x90\x3d\x11\x22\x33\x44", ARCH_SITE_BYTES);
	/* an sdt semaphore by the bytes behind its nop, which nobody's switching changes */
	count = ARRAY_AT(&p.edits, struct probes_edit, 3);
	ck_assert_uint_eq(count->length, 2);
	check += 3;
	ck_assert_uint_eq(check->guard, WORLD_BIAS + WORLD_PC(0x50));
	ck_assert_uint_eq(check->guard_at, 1);
	ck_assert_mem_eq(check->bytes, w.text + 0x50, ARCH_SITE_BYTES);
	ck_assert(!check->guard_counts);
	ck_assert_uint_eq(check->refcount_site_count, 2); /* twin's site counts there, too */
	check++;
	ck_assert(check->guard_counts && !check->refcount_site_count);
	ck_assert_uint_eq(check->guard, WORLD_BIAS + WORLD_PC(0x60));
	check++;
	ck_assert_uint_eq(check->guard, 0);
	plan_done(&p);
	array_done(&chosen);
	world_end(&w);
}
END_TEST

START_TEST(plan_of_nothing)
{
	char writes[500], items[500];
	struct probes_error e = {0};

	ck_assert_int_eq(plan_try("", "", false, writes, items, &e), 0);
	ck_assert_str_eq(writes, "");
	ck_assert_str_eq(items, "");
}
END_TEST

Suite *plan_suite(void)
{
	Suite *s = suite_create("plan");
	TCase *t = tcase_create("plan");

	tcase_add_loop_test(t, plan_writes, 0, sizeof plan_cases / sizeof *plan_cases);
	tcase_add_test(t, plan_keeps_counts);
	tcase_add_loop_test(t, plan_refuses, 0, sizeof plan_refusals / sizeof *plan_refusals);
	tcase_add_test(t, plan_refuses_after_all_were_looked_at);
	tcase_add_test(t, plan_hints_at_force_where_it_helps);
	tcase_add_test(t, plan_looks_at_the_bytes_around);
	tcase_add_test(t, plan_of_nothing);
	suite_add_tcase(s, t);
	return s;
}
