/*
 * Covers patch/plan_count, and how plan, apply and state treat jumps to counters: which bytes are
 * written, in which order, what keeps a site from being counted or released, and what an undo
 * does. Not covered: where jumps lead (test_tactics).
 */
#include "patch/apply.h"
#include "probe/state.h"

#include "script.h"
#include "suites.h"
#include "world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct world w;
static struct plan p;
static char writes[500], items[500];

/* "pc:tactic" for every jump that is known: p one byte, e evicted, o of an OCaml site, k a uprobe.
 */
static void know(const char *jumps)
{
	struct object_probes *h = catalog_object(&w.catalog, 0);
	unsigned at;
	char tactic;
	int used;

	h->jumps = calloc(h->site_count, sizeof *h->jumps);
	ck_assert_ptr_nonnull(h->jumps);
	for (; sscanf(jumps, " %x:%c%n", &at, &tactic, &used) == 2; jumps += used)
		for (size_t i = 0; i < h->site_count; i++) {
			struct object_jump *j = &h->jumps[i];

			if (h->sites[i].pc != WORLD_PC(at))
				continue;
			j->length = tactic == 'p' || tactic == 'k' ? 1 : ARCH_SITE_BYTES;
			j->tactic = tactic == 'p'   ? PROBES_TACTIC_PUNNED
				    : tactic == 'k' ? PROBES_TACTIC_KERNEL
				    : tactic == 'e' ? PROBES_TACTIC_EVICTED
						    : PROBES_TACTIC_OCAML;
			memcpy(j->old, h->original[i], ARCH_SITE_BYTES);
			memcpy(j->new_, h->original[i], ARCH_SITE_BYTES);
			if (tactic == 'o') {
				j->new_[1] = 0xe8;
				memset(j->new_ + 2, 0x11, 4);
				j->vary = 1u << 1;
			} else {
				j->new_[0] = tactic == 'k' ? 0xcc : 0xe9;
			}
			if (tactic == 'k')
				j->arena = PROBES_NONE;
			if (tactic == 'e')
				memset(j->new_ + 1, 0x22, 5);
		}
}

static void begin(const char *setup, const char *jumps)
{
	world_of(&w, script_notes, script_note_count);
	script_setup(&w, setup);
	know(jumps);
	world_read(&w);
}

static int plan_by(const char *choice, struct probes_switch_options mode)
{
	struct probes_error e;
	struct array chosen = ARRAY_OF(struct selected);
	int r;

	script_choose(&w, choice, &chosen);
	ck_assert_int_eq(plan_init(&p, &w.catalog, &e), 0);
	r = plan_switch(&p, chosen.data, chosen.count, &mode, &e);
	script_writes(&p, writes, sizeof writes);
	script_items(&w, &p, items, sizeof items);
	array_done(&chosen);
	return r;
}

static int plan(const char *choice, bool stop)
{
	return plan_by(choice, (struct probes_switch_options){.atomically = stop});
}

/* Carry the plan out, and read what it did. */
static void apply(void)
{
	struct probes_error e;
	struct apply a;

	ck_assert_int_eq(apply_init(&a, &p, &e), 0);
	ck_assert_msg(apply_run(&a, &w.fake.memory, &e) == 0, "%s: %s", e.what, e.why);
	apply_done(&a);
	plan_done(&p);
	world_read(&w);
}

/* All sites of a probe are counted by this session, but `others` of them, from the last on. */
static void mine(const char *name, uint32_t others)
{
	struct object_probes *h = catalog_object(&w.catalog, 0);
	size_t local = (size_t)(world_live(&w, name) - h->live);
	const struct probes_probe *probe = &h->probes[local];

	h->live[local].mine_counted = true;
	h->jumps[object_probes_site(h, probe)].raised = probe->semaphore_count > 0;
	for (uint32_t i = 0; i < probe->site_count; i++)
		h->jumps[object_probes_site(h, probe) + i].mine = i + others < probe->site_count;
}

static const struct {
	const char *setup, *jumps, *choice, *writes, *items;
	bool stop;
} count_cases[] = {
	/* one byte; a semaphore is raised after it, in a batch of its own */
	{"", "70:p", "*bare?", "b70:90>e9", "*bare", false},
	{"", "50:p 60:p", "*nop?", "b50:90>e9 b60:90>e9 |c40:0>1 c44:0>1", "*nop", false},
	{"c40=2", "50:p 60:p", "*nop?", "b50:90>e9 b60:90>e9 |c40:2>3 c44:0>1", "*nop", false},
	/* as many sites as can be; those that need a stop only with one */
	{"", "50:p", "*nop?", "b50:90>e9 |c40:0>1 c44:0>1", "*nop", false},
	{"", "50:p 60:e", "*nop?", "b50:90>e9 |c40:0>1 c44:0>1", "*nop", false},
	{"", "50:p 60:e", "*nop?", "b50:90>e9 b60:90>e9 |c40:0>1 c44:0>1", "*nop", true},
	{"", "60:e", "*nop?", "", "*nop:not", false},
	{"", "", "*nop?", "", "*nop:not", true},
	/* another tool holds a site */
	{"b70=cc", "70:p", "*bare?", "", "*bare:not", true},
	{"b50=cc c40=1", "50:p 60:p", "*nop?", "b60:90>e9 |c40:1>2 c44:0>1", "*nop", true},
	/* nothing to count, nothing to release */
	{"", "70:p", "*soft?", "", "*soft:not", true},
	{"", "70:p", "*bad?", "", "*bad:not", true},
	{"", "70:p", "/bare?", "", "/bare:skipped", true},
	/* another session's: this one counts there as well, but cannot release it */
	{"b70=e9", "70:p", "*bare?", "", "*bare", false},
	{"b50=e9 b60=e9 c40=1 c44=0", "50:p 60:p", "*nop?", "c40:1>2 c44:0>1", "*nop", false},
	{"b70=e9", "70:p", "/bare?", "", "/bare:not", true},
	{"c40=7ffe", "50:p", "*nop?", "", "*nop:not", true},
	/* An OCaml site follows its count by itself: its handler runs as before, or not. */
	{"", "10:o 20:o", "*one?", "b10:90>90 b20:90>90", "*one", false},
	{"b11=e8 b21=e8 c12=1", "10:o 20:o", "*one?", "b10:90>90 b20:90>90", "*one", false},
};

START_TEST(what_is_planned)
{
	begin(count_cases[_i].setup, count_cases[_i].jumps);
	plan(count_cases[_i].choice, count_cases[_i].stop);
	ck_assert_str_eq(writes, count_cases[_i].writes);
	ck_assert_str_eq(items, count_cases[_i].items);
	ck_assert_int_eq(p.needs_stop, count_cases[_i].stop && strstr(count_cases[_i].jumps, "e"));
	plan_done(&p);
	world_end(&w);
}
END_TEST

/* Counted and released: the state stays what the semaphore says, the bytes are those of the file.
 */
START_TEST(there_and_back)
{
	struct probes_live *live;
	unsigned char *before;

	begin("", "50:p 60:e 70:p");
	before = fake_snapshot(&w.fake);
	ck_assert_int_eq(plan("*nop *bare", true), 0);
	apply();
	live = world_live(&w, "nop");
	ck_assert_int_eq(live->state, PROBES_ON);
	ck_assert_uint_eq(live->sites_counted, 2);
	ck_assert_int_eq(world_live(&w, "bare")->state, PROBES_NO_SWITCH);
	ck_assert_uint_eq(*world_byte(&w, WORLD_PC(0x61)), 0x22);
	/* Switching goes on beside it: its semaphore is verified by the jump. */
	ck_assert_int_eq(plan("+nop", false), 0);
	apply();
	ck_assert_uint_eq(world_count(&w, WORLD_DATA(0x40)), 2);
	ck_assert_int_eq(plan("-nop", false), 0);
	apply();
	mine("nop", 0);
	mine("bare", 0);
	ck_assert_int_eq(plan("/nop /bare", false), 0);
	ck_assert(p.needs_stop);
	apply();
	ck_assert_uint_eq(world_live(&w, "nop")->sites_counted, 0);
	ck_assert(fake_same(&w.fake, before));
	free(before);
	world_end(&w);
}
END_TEST

/*
 * Counted and switched, in both orders and in one plan: each adds 1 and takes 1 away, also by
 * force, which sets what is not counted to 1 or 0.
 */
START_TEST(beside_a_switch)
{
	static const struct {
		const char *setup, *choice, *writes, *items;
		bool force;
	} cases[] = {
		{"b50=e9 b60=e9 c40=1 c44=1", "+nop", "c40:1>2 c44:1>2", "+nop", false},
		{"b50=e9 b60=e9 c40=2 c44=2", "-nop", "c40:2>1 c44:2>1", "-nop", false},
		{"b50=e9 b60=e9 c40=3 c44=1", "-nop", "c40:3>2", "-nop", false},
		{"b50=e9 b60=e9 c40=1 c44=1", "-nop?", "", "-nop:skipped", false},
		{"b50=e9 b60=e9 c40=2 c44=2", "/nop", "c40:2>1 c44:2>1 |b50:e9>90 b60:e9>90",
			"/nop", false},
		{"b50=e9 b60=e9 c40=1 c44=1", "+nop", "c40:1>2 c44:1>2", "+nop", true},
		{"b50=e9 b60=e9 c40=5 c44=1", "-nop", "c40:5>1", "-nop", true},
		{"b50=e9 b60=e9 c40=5 c44=0", "+nop", "c40:5>2 c44:0>2", "+nop", true},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin(cases[i].setup, "50:p 60:p");
		mine("nop", 0);
		plan_by(cases[i].choice, (struct probes_switch_options){.force = cases[i].force});
		ck_assert_str_eq(writes, cases[i].writes);
		ck_assert_str_eq(items, cases[i].items);
		plan_done(&p);
		world_end(&w);
	}
	for (int count_first = 0; count_first < 2; count_first++) {
		begin("", "50:p 60:p");
		ck_assert_int_eq(plan(count_first ? "*nop +nop" : "+nop *nop", false), 0);
		apply();
		ck_assert_uint_eq(world_count(&w, WORLD_DATA(0x40)), 2);
		mine("nop", 0);
		ck_assert_int_eq(plan(count_first ? "-nop /nop" : "/nop", false), 0);
		apply();
		ck_assert_uint_eq(world_count(&w, WORLD_DATA(0x40)), count_first ? 0 : 1);
		ck_assert_uint_eq(world_live(&w, "nop")->sites_counted, 0);
		world_end(&w);
	}
	/* An OCaml site is counted whether it is on or off. */
	begin("b11=e8 b21=e8 c12=1", "10:o 20:o");
	ck_assert_int_eq(plan("*one -one", false), 0);
	apply();
	ck_assert_uint_eq(world_count(&w, WORLD_DATA(0x12)), 0);
	world_end(&w);
}
END_TEST

/* Two sessions count sites of one probe: each releases its own. */
START_TEST(each_its_own)
{
	begin("b50=e9 b60=e9 c40=2 c44=2", "50:p 60:p");
	mine("nop", 1);
	ck_assert_int_eq(plan("/nop", false), 0);
	ck_assert_str_eq(writes, "c40:2>1 c44:2>1 |b50:e9>90");
	plan_done(&p);
	world_end(&w);
}
END_TEST

/* Two sessions count at the same sites: the last one removes the jumps. */
START_TEST(the_last_one)
{
	struct object_probes *h;

	begin("b50=e9 b60=e9 c40=2 c44=2", "50:p 60:p");
	h = catalog_object(&w.catalog, 0);
	mine("nop", 0);
	ck_assert_int_eq(plan("*nop?", false), 0);
	ck_assert_str_eq(items, "*nop:skipped");
	plan_done(&p);
	for (size_t i = 0; i < h->site_count; i++)
		h->jumps[i].shared = true;
	ck_assert_int_eq(plan("/nop", false), 0);
	ck_assert_str_eq(writes, "c40:2>1 c44:2>1");
	plan_done(&p);
	world_end(&w);
}
END_TEST

/* The rest of a probe, once a stop is allowed: its semaphores are raised already. */
START_TEST(the_rest)
{
	begin("b50=e9 c40=1 c44=1", "50:p 60:e");
	mine("nop", 1);
	ck_assert_int_eq(plan("*nop?", true), 0);
	ck_assert_str_eq(writes, "b60:90>e9");
	plan_done(&p);
	world_end(&w);
	/* Another session has counted the one: this one raises for itself. */
	begin("b50=e9 c40=1 c44=1", "50:p 60:e");
	ck_assert_int_eq(plan("*nop?", true), 0);
	ck_assert_str_eq(writes, "b60:90>e9 |c40:1>2 c44:1>2");
	plan_done(&p);
	world_end(&w);
}
END_TEST

/* What the kernel would do: "b50:90>cc". */
static const char *uprobes(void)
{
	struct plan kernel = {.edits = p.uprobes, .checks = {.data = calloc(100, 100)}};
	static char text[500];

	script_writes(&kernel, text, sizeof text);
	free(kernel.checks.data);
	return text;
}

/* The kernel writes and removes the breakpoints of a plan, as session/kernel.c asks it to. */
static void by_the_kernel(bool on)
{
	struct object_probes *h = catalog_object(&w.catalog, 0);

	for (size_t i = 0; i < p.uprobes.count; i++) {
		const struct probes_edit *edit = ARRAY_AT(&p.uprobes, struct probes_edit, i);

		ck_assert_int_eq(edit->role, PROBES_ROLE_UPROBE);
		if ((edit->new_[0] == ARCH_BREAKPOINT) != on)
			continue;
		*world_byte(&w, edit->address - WORLD_BIAS) = edit->new_[0];
		for (size_t k = 0; k < h->site_count; k++)
			if (h->sites[k].address == edit->address)
				h->jumps[k].placed = on;
	}
}

/*
 * The kernel's breakpoints are no edits. Placed by us, they count; the same byte is another tool's
 * otherwise. The semaphore is ours alone, though an int3 is there: it can be lowered again.
 */
START_TEST(uprobes_are_told_apart)
{
	struct object_probes *h;

	begin("", "50:k 60:p 70:k");
	h = catalog_object(&w.catalog, 0);
	ck_assert_int_eq(plan("*nop *bare", false), 0);
	ck_assert_str_eq(writes, "b60:90>e9 |c40:0>1 c44:0>1");
	ck_assert_str_eq(uprobes(), "b50:90>cc b70:90>cc");
	by_the_kernel(true);
	apply();
	ck_assert_uint_eq(world_live(&w, "nop")->sites_counted, 2);
	ck_assert_int_eq(world_live(&w, "nop")->state, PROBES_ON);
	ck_assert_uint_eq(world_live(&w, "bare")->sites_counted, 1);
	ck_assert_int_eq(world_live(&w, "bare")->state, PROBES_NO_SWITCH);
	/* Switching goes on beside it. */
	ck_assert_int_eq(plan("+nop", false), 0);
	apply();
	ck_assert_int_eq(plan("-nop", false), 0);
	apply();
	mine("nop", 0);
	mine("bare", 0);
	ck_assert_int_eq(plan("/nop /bare", false), 0);
	ck_assert_str_eq(writes, "c40:1>0 c44:1>0 |b60:e9>90");
	ck_assert_str_eq(uprobes(), "b50:cc>90 b70:cc>90");
	plan_done(&p);
	/* A jump is no breakpoint: nobody else may write where it was. */
	for (size_t i = 0; i < h->site_count; i++)
		h->jumps[i].placed = false;
	world_read(&w);
	ck_assert_uint_eq(world_live(&w, "bare")->sites_counted, 0);
	ck_assert_int_eq(world_live(&w, "bare")->state, PROBES_FOREIGN);
	ck_assert_int_eq(world_live(&w, "nop")->state, PROBES_FOREIGN);
	/* Where the kernel refuses the file, nothing is planned. */
	*world_byte(&w, WORLD_PC(0x70)) = 0x90;
	world_read(&w);
	h->no_uprobe = "it refuses";
	plan("*bare?", false);
	ck_assert_str_eq(uprobes(), "");
	ck_assert_str_eq(items, "*bare:not");
	plan_done(&p);
	world_end(&w);
}
END_TEST

/* An OCaml site that the kernel counts is switched as any other: its code is that of the file. */
START_TEST(uprobes_leave_the_switch)
{
	begin("", "10:k 20:k");
	ck_assert_int_eq(plan("*one", false), 0);
	ck_assert_str_eq(writes, "");
	ck_assert_str_eq(uprobes(), "b10:90>cc b20:90>cc");
	by_the_kernel(true);
	plan_done(&p);
	world_read(&w);
	ck_assert_uint_eq(world_live(&w, "one")->sites_counted, 2);
	ck_assert_int_eq(world_live(&w, "one")->state, PROBES_OFF);
	ck_assert_int_eq(plan("+one", false), 0);
	apply();
	ck_assert_uint_eq(*world_byte(&w, WORLD_PC(0x11)), 0xe8);
	ck_assert_int_eq(world_live(&w, "one")->state, PROBES_ON);
	ck_assert_uint_eq(world_live(&w, "one")->sites_counted, 2);
	ck_assert_int_eq(plan("-one", false), 0);
	apply();
	ck_assert_uint_eq(*world_byte(&w, WORLD_PC(0x11)), 0x3d);
	world_end(&w);
}
END_TEST

/* A site that a uprobe has left: its first byte is the file's, the others are ours. */
START_TEST(cut_off)
{
	struct plan_parts undo = {0};
	struct object_probes *h;
	struct probes_error e;
	size_t which;
	unsigned char *before;

	begin("", "60:e");
	before = fake_snapshot(&w.fake);
	ck_assert_int_eq(plan("*nop", true), 0);
	apply();
	*world_byte(&w, WORLD_PC(0x60)) = 0x90;
	world_read(&w);
	ck_assert_uint_eq(world_live(&w, "nop")->sites_counted, 0);
	ck_assert_int_eq(world_live(&w, "nop")->state, PROBES_ON);
	h = catalog_object(&w.catalog, 0);
	which = world_probe(&w, "nop");
	undo.of[PLAN_COUNTER] = calloc(h->site_count, sizeof(int32_t));
	undo.of[PLAN_SEMAPHORE] = calloc(h->semaphore_count, sizeof(int32_t));
	undo.of[PLAN_COUNTER][object_probes_site(h, &h->probes[which]) + 1] = 1;
	for (uint32_t k = 0; k < 2; k++)
		undo.of[PLAN_SEMAPHORE][object_probes_same(
			h, object_probes_semaphore(h, &h->probes[which]) + k)] = 1;
	/* While the uprobe is there, nobody can tell what is below it. */
	*world_byte(&w, WORLD_PC(0x60)) = 0xcc;
	world_read(&w);
	ck_assert_int_eq(plan_init(&p, &w.catalog, &e), 0);
	ck_assert_int_eq(plan_restore(&p, &which, 1, &undo, &e), 0);
	script_items(&w, &p, items, sizeof items);
	ck_assert_str_eq(items, "/nop:not");
	plan_done(&p);
	*world_byte(&w, WORLD_PC(0x60)) = 0x90;
	world_read(&w);
	ck_assert_int_eq(plan_init(&p, &w.catalog, &e), 0);
	ck_assert_int_eq(plan_restore(&p, &which, 1, &undo, &e), 0);
	apply();
	ck_assert(fake_same(&w.fake, before));
	free(undo.of[PLAN_COUNTER]);
	free(undo.of[PLAN_SEMAPHORE]);
	free(before);
	world_end(&w);
}
END_TEST

/* A session was killed while it released an OCaml site: off, but with the displacement of ours. */
START_TEST(cut_off_call)
{
	struct plan_parts undo = {0};
	struct object_probes *h;
	struct probes_error e;
	unsigned char *before;
	size_t which;

	begin("", "10:o 20:o");
	before = fake_snapshot(&w.fake);
	h = catalog_object(&w.catalog, 0);
	ck_assert_int_eq(plan("*one", false), 0);
	apply();
	*world_byte(&w, WORLD_PC(0x11)) = 0x3d;
	world_read(&w);
	ck_assert_int_eq(world_live(&w, "one")->state, PROBES_OFF);
	ck_assert_uint_eq(world_live(&w, "one")->sites_counted, 1);
	which = world_probe(&w, "one");
	undo.of[PLAN_COUNTER] = calloc(h->site_count, sizeof(int32_t));
	for (uint32_t i = 0; i < 2; i++)
		undo.of[PLAN_COUNTER][object_probes_site(h, &h->probes[which]) + i] = 1;
	ck_assert_int_eq(plan_init(&p, &w.catalog, &e), 0);
	ck_assert_int_eq(plan_restore(&p, &which, 1, &undo, &e), 0);
	script_items(&w, &p, items, sizeof items);
	ck_assert_str_eq(items, "/one");
	apply();
	ck_assert(fake_same(&w.fake, before));
	free(undo.of[PLAN_COUNTER]);
	free(before);
	world_end(&w);
}
END_TEST

/* The displacement of an OCaml site changes only while the site is off. */
START_TEST(calls)
{
	static const unsigned order[] = {0x11, 0x12, 0x13, 0x14, 0x15, 0x11};
	struct object_probes *h;
	size_t first;

	begin("b11=e8 b21=e8 c12=1", "10:o 20:o");
	h = catalog_object(&w.catalog, 0);
	/* The file's displacement is another one. */
	for (size_t i = 0; i < h->site_count; i++)
		if (h->jumps[i].length)
			memset(h->jumps[i].new_ + 2, ~h->original[i][2], 4);
	ck_assert_int_eq(plan("*one", false), 0);
	ck_assert(!p.needs_stop);
	fake_reset(&w.fake);
	apply();
	first = 0;
	for (size_t i = 0; i < w.fake.log.count && first < 6; i++, first++)
		ck_assert_uint_eq(ARRAY_AT(&w.fake.log, struct fake_write, i)->address -
					  WORLD_BIAS - ELF_TEXT,
			order[first]);
	ck_assert_uint_eq(first, 6);
	ck_assert_int_eq(world_live(&w, "one")->state, PROBES_ON);
	ck_assert_uint_eq(world_live(&w, "one")->sites_counted, 2);
	/* Switched off, it is counted still; its code stays. */
	ck_assert_int_eq(plan("-one", false), 0);
	ck_assert_uint_eq(p.edits.count, 1);
	apply();
	ck_assert_int_eq(world_live(&w, "one")->state, PROBES_OFF);
	ck_assert_uint_eq(world_live(&w, "one")->sites_counted, 2);
	mine("one", 0);
	ck_assert_int_eq(plan("/one", false), 0);
	apply();
	ck_assert_int_eq(world_live(&w, "one")->state, PROBES_OFF);
	ck_assert_uint_eq(*world_byte(&w, WORLD_PC(0x11)), 0x3d);
	ck_assert_int_eq(memcmp(world_byte(&w, WORLD_PC(0x12)), h->original[0] + 2, 4), 0);
	world_end(&w);
}
END_TEST

/* What counted sites there are, this session has counted. */
static void mine_all(void)
{
	struct object_probes *h = catalog_object(&w.catalog, 0);

	for (size_t i = 0; i < h->probe_count; i++) {
		h->live[i].mine_counted = h->live[i].sites_counted;
		if (h->probes[i].site_count)
			h->jumps[object_probes_site(h, &h->probes[i])].raised =
				h->live[i].sites_counted && h->probes[i].semaphore_count;
		for (uint32_t k = 0; k < h->probes[i].site_count; k++) {
			size_t site = object_probes_site(h, &h->probes[i]) + k;

			h->jumps[site].mine = h->site_live[site].counted;
		}
	}
}

static void carry_out(const char *choice)
{
	plan(choice, true);
	apply();
	mine_all();
}

/* A probe in one of four states: 1: it is on, 2: it is counted. */
static void begin_in(unsigned state, const char *name)
{
	char choice[20];

	begin("", "10:o 20:o 30:o 40:o 50:p 60:e 70:p 80:p a0:p b0:e");
	snprintf(choice, sizeof choice, "+%s?", name);
	if (state & 1)
		carry_out(choice);
	choice[0] = '*';
	if (state & 2)
		carry_out(choice);
}

/*
 * Two steps of one plan, about one probe or about two that share a count, do what the same two
 * do one after the other: whatever the verbs, and from every state.
 */
static const char *const step_names[][2] = {{"one", "one"}, {"unit", "unit"}, {"nop", "nop"},
	{"duo", "duo"}, {"bare", "bare"}, {"nop", "twin"}, {"twin", "nop"}};

START_TEST(two_steps_in_one_plan)
{
	const char *x = step_names[_i][0], *y = step_names[_i][1];
	char first[20], second[20], both[40], items_then[2 * sizeof items];
	unsigned char *then;

	for (unsigned k = 0; k < 4 * 4 * 4; k++) {
		const char verbs[] = "+-*/", a = verbs[k / 4 % 4], b = verbs[k % 4];

		snprintf(first, sizeof first, "%c%s?", a, x);
		snprintf(second, sizeof second, "%c%s?", b, y);
		snprintf(both, sizeof both, "%c%s? %c%s?", a, x, b, y);
		begin_in(k / 16, x);
		carry_out(first);
		snprintf(items_then, sizeof items_then, "%s ", items);
		carry_out(second);
		strcat(items_then, items);
		then = fake_snapshot(&w.fake);
		world_end(&w);
		begin_in(k / 16, x);
		carry_out(both);
		ck_assert_msg(!strcmp(items, items_then), "state %u; %s: %s, not %s", k / 16, both,
			items, items_then);
		ck_assert_msg(fake_same(&w.fake, then), "state %u; %s: %s", k / 16, both, writes);
		free(then);
		world_end(&w);
	}
}
END_TEST

/* ---- another library at the same address ---- */

/* The code behind the site of `bare` becomes that of another library, which has a nop there, too.
 */
static void swap_library(void)
{
	*world_byte(&w, WORLD_PC(0x72)) ^= 0xff;
}

/* Carry the plan out, which must be refused; what the caller is told. */
static const char *refused(bool *unreverted)
{
	static struct probes_error e;
	struct apply a;

	ck_assert_int_eq(apply_init(&a, &p, &e), 0);
	ck_assert_int_eq(apply_run(&a, &w.fake.memory, &e), -EBUSY);
	*unreverted = a.unreverted[0];
	apply_done(&a);
	plan_done(&p);
	return e.hint;
}

/*
 * A jump leads by the bytes behind it, as they were when it was planned. What was read of the sites
 * before, and is there again, may be another library's.
 */
START_TEST(jumps_by_what_it_was_planned_from)
{
	unsigned char *before;
	bool unreverted;

	begin("", "70:p");
	swap_library();
	world_read(&w);
	before = fake_snapshot(&w.fake);
	ck_assert_int_eq(plan("*bare", false), 0);
	ck_assert_str_eq(writes, "b70:90>e9");
	(void)refused(&unreverted);
	ck_assert(!unreverted);
	ck_assert(fake_same(&w.fake, before));
	free(before);
	world_end(&w);
}
END_TEST

/* Between the write of a change and its reading back. */
static void swap_at_reading_back(struct fake *f, bool write, void *data)
{
	(void)data;
	if (write || !f->log.count)
		return;
	swap_library();
	f->before = NULL;
}

/* The jump was removed: its byte is not written into the library that is there now. */
START_TEST(removal_is_not_undone_elsewhere)
{
	const char *hint;
	bool unreverted;

	begin("b70=e9", "70:p");
	mine("bare", 0);
	ck_assert_int_eq(plan("/bare", false), 0);
	ck_assert_str_eq(writes, "b70:e9>90");
	fake_reset(&w.fake);
	w.fake.before = swap_at_reading_back;
	hint = refused(&unreverted);
	ck_assert_uint_eq(*world_byte(&w, WORLD_PC(0x70)), 0x90);
	ck_assert(unreverted);
	ck_assert_str_eq(hint, "1 of the writes made before could not be undone: see list");
	world_end(&w);
}
END_TEST

/* A neighbour that is counted meanwhile is no other library: the removal is undone. */
START_TEST(removal_is_undone_beside_others)
{
	bool unreverted;

	begin("b70=e9", "70:p");
	mine("bare", 0);
	ck_assert_int_eq(plan("/bare", false), 0);
	ARRAY_AT(&p.checks, struct plan_check, 0)->guard_varies = 1u << 2;
	fake_reset(&w.fake);
	w.fake.before = swap_at_reading_back;
	w.fake.fail_read = 2;
	w.fake.code = -EBUSY;
	(void)refused(&unreverted);
	ck_assert_uint_eq(*world_byte(&w, WORLD_PC(0x70)), 0xe9);
	ck_assert(!unreverted);
	world_end(&w);
}
END_TEST

Suite *plan_count_suite(void)
{
	Suite *suite = suite_create("plan_count");
	TCase *tcase = tcase_create("all");

	tcase_add_loop_test(tcase, what_is_planned, 0, sizeof count_cases / sizeof *count_cases);
	tcase_add_test(tcase, there_and_back);
	tcase_add_test(tcase, beside_a_switch);
	tcase_add_test(tcase, each_its_own);
	tcase_add_test(tcase, the_last_one);
	tcase_add_test(tcase, the_rest);
	tcase_add_test(tcase, uprobes_are_told_apart);
	tcase_add_test(tcase, uprobes_leave_the_switch);
	tcase_add_test(tcase, cut_off);
	tcase_add_test(tcase, cut_off_call);
	tcase_add_test(tcase, calls);
	tcase_add_test(tcase, jumps_by_what_it_was_planned_from);
	tcase_add_test(tcase, removal_is_not_undone_elsewhere);
	tcase_add_test(tcase, removal_is_undone_beside_others);
	tcase_add_loop_test(
		tcase, two_steps_in_one_plan, 0, sizeof step_names / sizeof *step_names);
	suite_add_tcase(suite, tcase);
	return suite;
}
