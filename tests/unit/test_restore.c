/*
 * Covers plan_restore: taking back what a session added to semaphores, each by our part of it,
 * never beyond 0 and the limit, never a uprobe's. Not covered: who keeps what is owned
 * (test_session).
 */
#include "patch/plan.h"

#include "script.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ON_ONE "b11=e8 b21=e8 c12=1"

/* "c12+1 c40-2": what was added, by the place of the count. */
static int32_t *restore_deltas(const struct world *w, const char *text)
{
	const struct object_probes *h = catalog_object(&w->catalog, 0);
	int32_t *deltas = calloc(h->semaphore_count + 1, sizeof *deltas);
	unsigned at;
	int delta, used;

	for (; sscanf(text, " c%x%d%n", &at, &delta, &used) == 2; text += used)
		for (size_t i = 0; i < h->semaphore_count; i++)
			if (h->semaphores[i].vaddr == WORLD_DATA(at) &&
				object_probes_same(h, i) == i)
				deltas[i] = delta;
	return deltas;
}

/* "s10+1 s20+1": which sites were switched while their count stayed as it was. */
static int32_t *restore_code(const struct world *w, const char *text)
{
	const struct object_probes *h = catalog_object(&w->catalog, 0);
	int32_t *parts = calloc(h->site_count + 1, sizeof *parts);
	unsigned at;
	int part, used;

	for (text = strchr(text, 's'); text && sscanf(text, "s%x%d %n", &at, &part, &used) == 2;
		text += used)
		for (size_t i = 0; i < h->site_count; i++)
			if (h->sites[i].address == WORLD_BIAS + WORLD_PC(at))
				parts[i] = part;
	return parts;
}

static void restore_try(const char *setup, const char *text, const char *names, bool torn,
	char writes[500], char items[500])
{
	struct array chosen = ARRAY_OF(struct selected);
	struct probes_error e;
	struct plan_parts undo = {0};
	size_t which[16];
	struct plan p;
	struct world w;

	world_of(&w, script_notes, script_note_count);
	script_setup(&w, setup);
	script_choose(&w, names, &chosen);
	for (size_t i = 0; i < chosen.count; i++)
		which[i] = ARRAY_AT(&chosen, struct selected, i)->probe;
	undo.of[PLAN_SEMAPHORE] = restore_deltas(&w, text);
	undo.of[PLAN_CODE] = restore_code(&w, text);
	undo.torn = calloc(w.catalog.probe_count, sizeof *undo.torn);
	memset(undo.torn, torn, w.catalog.probe_count);
	ck_assert_int_eq(plan_init(&p, &w.catalog, &e), 0);
	ck_assert_int_eq(plan_restore(&p, which, chosen.count, &undo, &e), 0);
	script_writes(&p, writes, 500);
	script_items(&w, &p, items, 500);
	plan_done(&p);
	free(undo.of[PLAN_SEMAPHORE]);
	free(undo.of[PLAN_CODE]);
	free(undo.torn);
	array_done(&chosen);
	world_end(&w);
}

static const struct {
	const char *setup, *deltas, *names, *writes, *items;
	bool torn;
} restore_cases[] = {
	/* what we enabled, and disabled */
	{ON_ONE, "c12+1", "-one", "c12:1>0 b11:e8>3d b21:e8>3d", "-one", false},
	{"", "c12-1", "-one", "b11:3d>e8 b21:3d>e8 c12:0>1", "+one", false},
	{"c32=1", "c32+1", "-soft", "c32:1>0", "-soft", false},
	/* what others added or took since is kept */
	{ON_ONE " c12=3", "c12+1", "-one", "c12:3>2", "-one", false},
	{ON_ONE " c12=3", "c12+3", "-one", "c12:3>0 b11:e8>3d b21:e8>3d", "-one", false},
	{ON_ONE, "c12-1", "-one", "c12:1>2", "+one", false},
	/* never below 0, never above the limit */
	{ON_ONE, "c12+2", "-one", "c12:1>0 b11:e8>3d b21:e8>3d", "-one", false},
	{ON_ONE " c12=ffff", "c12-1", "-one", "", "+one", false},
	{"c40=7ffe", "c40-5", "-nop", "", "+nop", false},
	/* nothing of ours in it: not even an item */
	{ON_ONE, "", "-one", "", "", false},
	{ON_ONE, "c32+1", "-one", "", "", false},
	/* each semaphore by its own part */
	{"b31=e8 b41=e8 c20=2 c24=1", "c20+1 c24+1", "-unit", "c20:2>1 c24:1>0 b41:e8>3d", "-unit",
		false},
	{"b31=e8 c20=1", "c20+1", "-unit", "c20:1>0 b31:e8>3d", "-unit", false},
	/* a shared semaphore is taken back once */
	{"c40=2 c44=1", "c40+2 c44+1", "-nop -twin", "c40:2>0 c44:1>0", "-nop", false},
	{"c40=2 c44=1", "c40+2 c44+1", "-twin -nop", "c40:2>0 c44:1>0", "-twin -nop", false},
	{"c40=2", "c40+1", "-twin -twin", "c40:2>1", "-twin", false},
	/* in the order that was asked for */
	{ON_ONE " c32=1", "c12+1 c32+1", "-soft -one", "c32:1>0 c12:1>0 b11:e8>3d b21:e8>3d",
		"-soft -one", false},
	/* a site that must change but is held by another tool, or unreadable */
	{"b11=cc b21=e8 c12=1", "c12+1", "-one", "", "-one:not", false},
	{"b11=cc b21=e8 c12=2", "c12+1", "-one", "c12:2>1", "-one", false},
	/* what uprobes at its sites may hold of a count is never taken: also where an int3 counts
	   nothing, through a name that shares it, by a call, of a unit of OCaml's */
	{"b50=cc c40=1", "c40+1", "-nop", "", "-nop:not", false},
	{"b50=cc c40=1", "c40+1", "-nop", "", "-nop:not", true},
	{"b50=cc c40=2", "c40+1", "-nop", "c40:2>1", "-nop", false},
	{"b50=cc c40=2", "c40+2", "-nop", "", "-nop:not", false},
	{"b80=cc c40=1", "c40+1", "-nop", "", "-nop:not", false},
	{"b50=e8 c40=1", "c40+1", "-nop", "", "-nop:not", false},
	{"b30=cc b31=e8 b41=e8 c20=1 c24=1", "c20+1 c24+1", "-unit", "", "-unit:not", false},
	{"b30=cc b31=e8 b41=e8 c20=1 c24=1", "c20+1 c24+1", "-unit", "", "-unit:not", true},
	/* of what is left to a uprobe alone an OCaml site would have to be off, else on */
	{"b30=cc b31=e8 b41=e8 c20=2 c24=1", "c20+1", "-unit", "", "-unit:not", false},
	{"b30=cc b31=e8 b41=e8 c20=3 c24=1", "c20+1", "-unit", "c20:3>2", "-unit", false},
	{"ba0=cc bb0=cc c50=3", "c50+1", "-duo", "c50:3>2", "-duo", false},
	{"ba0=cc bb0=cc c50=2", "c50+1", "-duo", "", "-duo:not", false},
	/* of OCaml's own counts they hold nothing */
	{"b10=cc " ON_ONE, "c12+1", "-one", "c12:1>0 b11:e8>3d b21:e8>3d", "-one", false},
	/* the whole probe stays; one that shares a count with it tries by itself */
	{"b60=cc c40=1 c44=1", "c40+1 c44+1", "-nop -twin", "c40:1>0", "-nop:not -twin", false},
	/* it has gone, and the kernel took what was left: reconciled */
	{"", "c40+1", "-nop", "", "-nop", false},
	{"b50=cc", "c40+1", "-nop", "", "-nop", false},
	/* back up takes nothing from anybody */
	{"b50=cc c40=1", "c40-1", "-nop", "c40:1>2", "+nop", false},
	/* bpftrace counts all sites of a name in one of its counts */
	{"b50=cc b60=cc c44=2", "c44+1", "-nop", "", "-nop:not", false},
	{"b50=cc b60=cc c44=3", "c44+1", "-nop", "c44:3>2", "-nop", false},
	{"b=absent c12=1", "c12+1", "-one", "", "-one:not", false},
	/* mending what an interrupted switch left halfway: sites follow their count */
	{"b11=e8 b21=e8", "", "-one", "b11:e8>3d b21:e8>3d", "-one", true},
	{"b11=e8", "", "-one", "b11:e8>3d", "-one", true},
	{"b11=e8 c12=1", "c12+1", "-one", "c12:1>0 b11:e8>3d", "-one", true},
	{"c12=1", "", "-one", "b11:3d>e8 b21:3d>e8", "-one", true},
	{"b11=e8", "", "-one", "", "", false},
	{ON_ONE, "", "-one", "", "", true},
	{"", "", "-one -nop -soft", "", "", true},
	{"b11=e8 b21=cc", "", "-one", "", "-one:not", true},
	{"", "", "-bad", "", "", true},
	/* code that force switched alone: left where it agrees with its count ... */
	{ON_ONE, "s10+1 s20+1", "-one", "", "-one:skipped", false},
	{"", "s10-1 s20-1", "-one", "", "+one:skipped", false},
	{ON_ONE " c12=5", "s10+1 s20+1", "-one", "", "-one:skipped", false},
	{ON_ONE, "c12-4 s10+1 s20+1", "-one", "c12:1>5", "+one", false},
	/* ... and undone where others have moved the count alone */
	{"b11=e8 b21=e8", "s10+1 s20+1", "-one", "b11:e8>3d b21:e8>3d", "-one", false},
	{"c12=1", "s10-1 s20-1", "-one", "b11:3d>e8 b21:3d>e8", "+one", false},
	/* what somebody else has written there is not ours */
	{"", "s10+1 s20+1", "-one", "", "-one", false},
	{"b11=e8", "s10-1 s20-1", "-one", "", "+one:skipped", false},
	{"b21=e8 c12=1", "s10+1 s20+1", "-one", "", "-one:skipped", false},
	{"b11=cc b21=e8 c12=1", "s10+1 s20+1", "-one", "", "-one:not", false},
	/* the same for code that followed our part of the count */
	{"b11=e8 b21=e8", "c12+1", "-one", "b11:e8>3d b21:e8>3d", "-one", false},
	{"c12=1", "c12-1", "-one", "b11:3d>e8 b21:3d>e8 c12:1>2", "+one", false},
};

START_TEST(restore_takes_back)
{
	char writes[500], items[500];

	restore_try(restore_cases[_i].setup, restore_cases[_i].deltas, restore_cases[_i].names,
		restore_cases[_i].torn, writes, items);
	script_expect(restore_cases[_i].writes, writes);
	ck_assert_str_eq(items, restore_cases[_i].items);
}
END_TEST

Suite *restore_suite(void)
{
	Suite *s = suite_create("restore");
	TCase *t = tcase_create("restore");

	tcase_add_loop_test(t, restore_takes_back, 0, sizeof restore_cases / sizeof *restore_cases);
	suite_add_tcase(s, t);
	return s;
}
