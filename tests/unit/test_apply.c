/*
 * Covers patch/apply on a memory that fails at every step, tears, forgets and is changed by
 * others: all or nothing, only the planned bytes, undone backwards. Not covered: live memory
 * (test_memory, e2e).
 */
#include "patch/apply.h"

#include "script.h"
#include "suites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A usual world with a plan for it. */
struct apply_world {
	struct world w;
	struct plan p;
	struct array chosen;
	unsigned char *before;
};

static void apply_begin(struct apply_world *a, const char *setup, const char *choice, bool force)
{
	const struct probes_switch_options mode = {.force = force};
	struct probes_error e;

	world_of(&a->w, script_notes, script_note_count);
	script_setup(&a->w, setup);
	a->chosen = ARRAY_OF(struct selected);
	script_choose(&a->w, choice, &a->chosen);
	ck_assert_int_eq(plan_init(&a->p, &a->w.catalog, &e), 0);
	ck_assert_int_eq(plan_switch(&a->p, a->chosen.data, a->chosen.count, &mode, &e), 0);
	a->before = fake_snapshot(&a->w.fake);
	fake_reset(&a->w.fake);
}

static void apply_end(struct apply_world *a)
{
	free(a->before);
	plan_done(&a->p);
	array_done(&a->chosen);
	world_end(&a->w);
}

static int apply_go(struct apply_world *a, struct probes_error *e)
{
	struct apply apply;
	int r = apply_init(&apply, &a->p, e);

	ck_assert_int_eq(r, 0);
	r = apply_run(&apply, &a->w.fake.memory, e);
	ck_assert_uint_eq(apply.written, r < 0 ? 0 : a->p.edits.count);
	apply_done(&apply);
	return r;
}

/* Was every byte that was written a byte of the plan? */
static bool apply_kept_to_the_plan(const struct apply_world *a)
{
	for (size_t i = 0; i < a->w.fake.log.count; i++) {
		const struct fake_write *made = ARRAY_AT(&a->w.fake.log, struct fake_write, i);
		bool planned = false;

		for (size_t k = 0; k < a->p.edits.count; k++) {
			const struct probes_edit *w = ARRAY_AT(&a->p.edits, struct probes_edit, k);

			planned = planned || (made->address >= w->address &&
						     made->address < w->address + w->length);
		}
		if (!planned)
			return false;
	}
	return true;
}

#define EVERYTHING "+one +unit +soft +nop"

START_TEST(apply_carries_out)
{
	struct apply_world a;
	struct probes_error e;
	char order[500] = "";
	size_t used = 0;

	apply_begin(&a, "c40=ff", EVERYTHING, false);
	ck_assert_int_eq(apply_go(&a, &e), 0);
	ck_assert_uint_eq(*world_byte(&a.w, WORLD_PC(0x11)), 0xe8);
	ck_assert_uint_eq(*world_byte(&a.w, WORLD_PC(0x21)), 0xe8);
	ck_assert_uint_eq(*world_byte(&a.w, WORLD_PC(0x31)), 0xe8);
	ck_assert_uint_eq(*world_byte(&a.w, WORLD_PC(0x41)), 0xe8);
	ck_assert_uint_eq(*world_byte(&a.w, WORLD_PC(0x50)), 0x90);
	ck_assert_uint_eq(world_count(&a.w, WORLD_DATA(0x12)), 1);
	ck_assert_uint_eq(world_count(&a.w, WORLD_DATA(0x10)), 0); /* not ours */
	ck_assert_uint_eq(world_count(&a.w, WORLD_DATA(0x20)), 1);
	ck_assert_uint_eq(world_count(&a.w, WORLD_DATA(0x24)), 1);
	ck_assert_uint_eq(world_count(&a.w, WORLD_DATA(0x32)), 1);
	ck_assert_uint_eq(world_count(&a.w, WORLD_DATA(0x40)), 0x100);
	ck_assert_uint_eq(world_count(&a.w, WORLD_DATA(0x44)), 1);
	ck_assert(apply_kept_to_the_plan(&a));
	/* In the order of the plan; of a count only the bytes that change. */
	for (size_t i = 0; i < a.w.fake.log.count; i++)
		used += (size_t)snprintf(order + used, sizeof order - used, " %llx",
			(unsigned long long)(ARRAY_AT(&a.w.fake.log, struct fake_write, i)
						     ->address -
					     WORLD_BIAS) &
				0xfff);
	ck_assert_str_eq(order, " 11 21 12 31 41 20 24 32 40 41 44");
	/* One look before, one after. */
	ck_assert_uint_eq(a.w.fake.reads, 2);
	apply_end(&a);
}
END_TEST

/* Of a count the bytes that stay are not written: SystemTap-like tools may count there, too. */
START_TEST(apply_writes_only_what_differs)
{
	struct apply_world a;
	struct probes_error e;

	apply_begin(&a, "c40=100 c44=1", "-nop", true);
	ck_assert_int_eq(apply_go(&a, &e), 0);
	ck_assert_uint_eq(a.w.fake.log.count, 2);
	ck_assert_uint_eq(ARRAY_AT(&a.w.fake.log, struct fake_write, 0)->address,
		WORLD_BIAS + WORLD_DATA(0x41));
	ck_assert_uint_eq(ARRAY_AT(&a.w.fake.log, struct fake_write, 1)->address,
		WORLD_BIAS + WORLD_DATA(0x44));
	apply_end(&a);
}
END_TEST

START_TEST(apply_of_nothing)
{
	struct apply_world a;
	struct probes_error e;

	apply_begin(&a, "", "", false);
	ck_assert_int_eq(apply_go(&a, &e), 0);
	ck_assert_uint_eq(a.w.fake.reads + a.w.fake.writes, 0);
	apply_end(&a);
}
END_TEST

/* Scenarios with one batch, with several, up and down. */
static const struct {
	const char *setup, *choice;
	bool force;
} apply_scenarios[] = {
	{"", EVERYTHING, false},
	{"c40=ff", "+nop +one", false},
	{"b11=e8 b21=e8 c12=1 b31=e8 b41=e8 c20=100 c24=1 c32=1 c40=100 c44=1",
		"-one -unit -soft -nop", false},
	{"", "+one? +unit? -one? +soft? -unit? +nop? +twin?", false},
	{"c12=1 b31=e8 c40=7", EVERYTHING, true},
	{"c12=1", "+one? -one?", true},
	{"", "+one? +one? -one? +soft", true},
};
enum { APPLY_SCENARIOS = sizeof apply_scenarios / sizeof *apply_scenarios };

static void apply_begin_scenario(struct apply_world *a, int i)
{
	apply_begin(
		a, apply_scenarios[i].setup, apply_scenarios[i].choice, apply_scenarios[i].force);
}

START_TEST(apply_every_scenario_works)
{
	struct apply_world a;
	struct probes_error e = {0};

	apply_begin_scenario(&a, _i);
	ck_assert_msg(apply_go(&a, &e) == 0, "%s: %s", e.what, e.why);
	ck_assert(apply_kept_to_the_plan(&a));
	apply_end(&a);
}
END_TEST

/* Fail the write number k, for every k there is: all is as it was. */
START_TEST(apply_undoes_after_every_failed_write)
{
	unsigned last = 1;

	for (unsigned k = 1; k <= last; k++) {
		struct apply_world a;
		struct probes_error e = {0};

		apply_begin_scenario(&a, _i);
		last = k == 1 ? (unsigned)a.p.edits.count : last;
		a.w.fake.fail_write = k;
		a.w.fake.code = -EIO;
		ck_assert_int_eq(apply_go(&a, &e), -EIO);
		ck_assert_int_eq(e.status, PROBES_FAILED);
		ck_assert_msg(fake_same(&a.w.fake, a.before), "something is left of write %u", k);
		ck_assert(apply_kept_to_the_plan(&a));
		ck_assert_ptr_null(strstr(e.hint, "could not be undone"));
		apply_end(&a);
	}
	ck_assert_uint_gt(last, 1);
}
END_TEST

/* The same for every look, before a batch or after it. */
START_TEST(apply_undoes_after_every_failed_look)
{
	unsigned reads = 1;

	for (unsigned k = 0; k <= reads; k++) {
		struct apply_world a;
		struct probes_error e = {0};

		apply_begin_scenario(&a, _i);
		a.w.fake.fail_read = k; /* 0: count them first */
		a.w.fake.code = -EPERM;
		if (k == 0) {
			ck_assert_int_eq(apply_go(&a, &e), 0);
			reads = a.w.fake.reads;
		} else {
			ck_assert_int_lt(apply_go(&a, &e), 0);
			ck_assert_int_eq(e.status, PROBES_FAILED);
			ck_assert_msg(
				fake_same(&a.w.fake, a.before), "something is left of look %u", k);
			ck_assert(k > 1 || !a.w.fake.log.count);
		}
		apply_end(&a);
	}
}
END_TEST

/* An edit of several bytes is verified, written, read back and undone as a whole. */
START_TEST(apply_of_several_bytes)
{
	for (unsigned fail = 0; fail < 4; fail++) {
		struct probes_error e = {0};
		struct probes_edit *edit;
		struct apply_world a;

		apply_begin(&a, "", "+one", false);
		edit = a.p.edits.data;
		edit->address--;
		edit->length = 3;
		memcpy(edit->old, "\x90\x3d\x11", 3);
		memcpy(edit->new_, "\xeb\x3d\x11", 3);
		a.w.fake.fail_write = fail;
		a.w.fake.code = -EIO;
		if (fail == 1) /* another tool changed one of them */
			*world_byte(&a.w, WORLD_PC(0x10)) = 0xcc;
		ck_assert_int_eq(apply_go(&a, &e), !fail ? 0 : fail == 1 ? -EBUSY : -EIO);
		ck_assert_uint_eq(*world_byte(&a.w, WORLD_PC(0x10)), !fail       ? 0xeb
								     : fail == 1 ? 0xcc
										 : 0x90);
		ck_assert(fail < 2 || fake_same(&a.w.fake, a.before));
		apply_end(&a);
	}
}
END_TEST

/* A write that says it was made and was not: seen when it is read back (of a site). */
START_TEST(apply_reads_back)
{
	struct apply_world a;

	apply_begin(&a, "", EVERYTHING, false);
	for (unsigned k = 1; k <= a.p.edits.count; k++) {
		bool site = ARRAY_AT(&a.p.edits, struct probes_edit, k - 1)->role !=
			    PROBES_ROLE_SEMAPHORE;
		struct probes_error e = {0};

		fake_reset(&a.w.fake);
		a.w.fake.fail_write = k;
		a.w.fake.code = 0;
		if (!site)
			continue;
		ck_assert_int_eq(apply_go(&a, &e), -EBUSY);
		ck_assert_int_eq(e.status, PROBES_REFUSED);
		ck_assert(fake_same(&a.w.fake, a.before));
	}
	apply_end(&a);
}
END_TEST

/* The process goes in the middle: nothing can be undone, and that is what is said. */
START_TEST(apply_of_a_process_that_goes)
{
	struct apply_world a;
	struct probes_error e = {0};

	apply_begin(&a, "", EVERYTHING, false);
	a.w.fake.fail_write = 4;
	a.w.fake.stay_broken = true;
	a.w.fake.code = -ESRCH;
	ck_assert_int_eq(apply_go(&a, &e), -ESRCH);
	ck_assert_int_eq(e.status, PROBES_GONE);
	apply_end(&a);
}
END_TEST

START_TEST(apply_says_what_it_could_not_undo)
{
	struct apply_world a;
	struct probes_error e = {0};

	apply_begin(&a, "", EVERYTHING, false);
	a.w.fake.fail_write = 4;
	a.w.fake.stay_broken = true;
	a.w.fake.code = -EIO;
	ck_assert_int_eq(apply_go(&a, &e), -EIO);
	ck_assert_ptr_nonnull(strstr(e.hint, "3 of the writes"));
	apply_end(&a);
}
END_TEST

/* Any byte that a plan expects, changed before: nothing at all is written. */
START_TEST(apply_refuses_what_it_does_not_expect)
{
	struct apply_world a;

	apply_begin(&a, "", EVERYTHING, false);
	for (size_t i = 0; i < a.p.edits.count; i++) {
		const struct probes_edit *w = ARRAY_AT(&a.p.edits, struct probes_edit, i);
		const struct plan_check *c = ARRAY_AT(&a.p.checks, struct plan_check, i);
		size_t own = w->length;
		size_t looks = own + (c->guard ? ARCH_FIXED_BYTES : 0u);

		for (size_t k = 0; k < looks; k++) {
			uint64_t behind = c->guard + c->guard_at - own;
			uint64_t at = k + (k < own ? w->address : behind);
			struct probes_error e = {0};

			fake_reset(&a.w.fake);
			*fake_at(&a.w.fake, at) ^= 0x55;
			ck_assert_int_eq(apply_go(&a, &e), -EBUSY);
			ck_assert_int_eq(e.status, PROBES_REFUSED);
			ck_assert_ptr_nonnull(strstr(e.why, "was expected"));
			ck_assert_uint_eq(a.w.fake.writes, 0);
			*fake_at(&a.w.fake, at) ^= 0x55;
		}
	}
	ck_assert(fake_same(&a.w.fake, a.before));
	apply_end(&a);
}
END_TEST

START_TEST(apply_refuses_what_it_cannot_see)
{
	for (size_t region = 0; region < 2; region++) {
		struct apply_world a;
		struct probes_error e = {0};

		apply_begin(&a, "", EVERYTHING, false);
		a.w.fake.regions[region].absent = true;
		ck_assert_int_eq(apply_go(&a, &e), -EFAULT);
		ck_assert_uint_eq(a.w.fake.writes, 0);
		apply_end(&a);
	}
}
END_TEST

/* Changes that others make at a step of ours. */
struct apply_other {
	unsigned at_write;
	uint64_t address;
	unsigned char byte;
	int add; /* to the count there instead */
};

static void apply_meddle(struct fake *f, bool write, void *data)
{
	const struct apply_other *o = data;
	unsigned char *at = fake_at(f, o->address);
	unsigned count;

	if (!write || f->writes != o->at_write)
		return;
	if (!o->add) {
		*at = o->byte;
		return;
	}
	count = (at[0] | (unsigned)at[1] << 8) + (unsigned)o->add;
	at[0] = (unsigned char)count;
	at[1] = (unsigned char)(count >> 8);
}

/* Another party counts on while we fail: its part stays, ours goes. */
START_TEST(apply_undo_keeps_the_counts_of_others)
{
	struct apply_other other = {
		.at_write = 8, .address = WORLD_BIAS + WORLD_DATA(0x12), .add = 1};
	struct apply_world a;
	struct probes_error e = {0};

	apply_begin(&a, "", EVERYTHING, false);
	a.w.fake.fail_write = 9;
	a.w.fake.code = -EIO;
	a.w.fake.before = apply_meddle;
	a.w.fake.data = &other;
	ck_assert_int_eq(apply_go(&a, &e), -EIO);
	ck_assert_uint_eq(world_count(&a.w, WORLD_DATA(0x12)), 1);
	world_set_count(&a.w, WORLD_DATA(0x12), 0);
	ck_assert(fake_same(&a.w.fake, a.before));
	apply_end(&a);
}
END_TEST

/* A uprobe that comes or goes before one of our calls: the kernel counts, and its byte changes. */
struct apply_uprobe {
	uint64_t site, count;
	unsigned calls, at_call;
	int add;
	uint8_t byte;
};

static void apply_uprobe(struct fake *f, bool write, void *data)
{
	struct apply_uprobe *u = data;
	unsigned char *count = fake_at(f, u->count);

	(void)write;
	if (++u->calls != u->at_call)
		return;
	*fake_at(f, u->site) = u->byte;
	*count = (unsigned char)(*count + u->add);
}

static const struct apply_race {
	const char *setup, *choice;
	uint64_t site, count;
	int add;
	uint8_t byte;
	unsigned before, after; /* the count; after our switch, with the uprobe's part */
} apply_races[] = {
	/* it comes; by an int3 or, over a long nop, by a call */
	{"", "+unit", WORLD_PC(0x30), WORLD_DATA(0x20), 1, ARCH_BREAKPOINT, 0, 2},
	{"", "+nop", WORLD_PC(0x50), WORLD_DATA(0x40), 1, ARCH_BREAKPOINT, 0, 2},
	{"", "+nop", WORLD_PC(0x60), WORLD_DATA(0x44), 1, 0xe8, 0, 2},
	{"c40=1 c44=1", "-nop", WORLD_PC(0x50), WORLD_DATA(0x40), 1, ARCH_BREAKPOINT, 1, 1},
	/* it goes */
	{"b30=cc b31=e8 c20=3 b41=e8 c24=1", "-unit", WORLD_PC(0x30), WORLD_DATA(0x20), -1, 0x90, 3,
		1},
	{"b50=cc c40=2 c44=1", "-nop", WORLD_PC(0x50), WORLD_DATA(0x40), -1, 0x90, 2, 0},
	/* a site of another probe that shares the count; a second site of one count */
	{"", "+nop", WORLD_PC(0x80), WORLD_DATA(0x40), 1, ARCH_BREAKPOINT, 0, 2},
	{"", "+duo", WORLD_PC(0xb0), WORLD_DATA(0x50), 1, ARCH_BREAKPOINT, 0, 2},
};

/* A uprobe takes no turns with us: at whichever call it comes or goes, its part is not lost. */
START_TEST(apply_loses_no_count_of_a_uprobe)
{
	const struct apply_race *race = &apply_races[_i];
	struct apply_uprobe u = {.site = WORLD_BIAS + race->site,
		.count = WORLD_BIAS + race->count,
		.add = race->add,
		.byte = race->byte};
	unsigned struck = 0;

	do {
		unsigned theirs = (unsigned)((int)race->before + race->add);
		struct apply_world a;
		struct probes_error e = {0};
		int r;

		apply_begin(&a, race->setup, race->choice, false);
		a.w.fake.before = apply_uprobe;
		a.w.fake.data = &u;
		u.calls = 0;
		u.at_call = ++struck;
		r = apply_go(&a, &e);
		ck_assert(r == 0 || r == -EBUSY);
		if (u.calls >= u.at_call)
			ck_assert_msg(world_count(&a.w, race->count) == (r ? theirs : race->after),
				"%s, at call %u: the count is %u", race->choice, struck,
				world_count(&a.w, race->count));
		apply_end(&a);
	} while (u.calls >= u.at_call);
	ck_assert_uint_gt(struck, 3);
}
END_TEST

/* Several uprobes of one count, at calls of ours: 1 is the look, 2 the write, 3 the look back. */
struct apply_event {
	unsigned at_call;
	uint64_t site;
	uint8_t byte;
	int add; /* 0: it counts nothing */
};

struct apply_happening {
	struct apply_event events[2];
	uint64_t count;
	unsigned calls, unseen_at; /* at this call 0xb0 cannot be read */
};

static void apply_happen(struct fake *f, bool write, void *data)
{
	struct apply_happening *v = data;
	unsigned char *count = fake_at(f, WORLD_BIAS + v->count);

	(void)write;
	v->calls++;
	f->hole = v->calls == v->unseen_at ? WORLD_BIAS + WORLD_PC(0xb0) : 0;
	f->hole_end = f->hole ? f->hole + 1 : 0;
	for (size_t i = 0; i < 2; i++) {
		const struct apply_event *one = &v->events[i];

		if (one->at_call != v->calls)
			continue;
		*fake_at(f, WORLD_BIAS + one->site) = one->byte;
		*count = (unsigned char)(*count + one->add);
	}
}

#define FIRST WORLD_PC(0xa0)
#define SECOND WORLD_PC(0xb0)
#define COME ARCH_BREAKPOINT, 1
#define GO 0x90, -1

static const struct apply_play {
	const char *setup, *choice;
	struct apply_happening happen;
	unsigned fail_write, after;
} apply_plays[] = {
	{"", "+duo", {.events = {{2, FIRST, COME}, {2, SECOND, COME}}}, 0, 3},
	{"", "+duo", {.events = {{2, SECOND, COME}, {3, FIRST, COME}}}, 0, 3},
	{"", "+duo", {.events = {{2, SECOND, COME}, {4, FIRST, COME}}}, 0, 3},
	{"ba0=cc c50=1", "+duo", {.events = {{2, SECOND, COME}, {3, FIRST, GO}}}, 0, 2},
	{"ba0=cc c50=1", "+duo", {.events = {{2, FIRST, GO}, {3, SECOND, COME}}}, 0, 2},
	{"ba0=cc bb0=cc c50=3", "-duo", {.events = {{2, FIRST, GO}, {3, SECOND, GO}}}, 0, 0},
	/* an int3 that counts nothing goes; a site cannot be seen when it is read back, or before
	 */
	{"ba0=cc", "+duo", {.events = {{3, FIRST, 0x90, 0}}}, 0, 1},
	{"ba0=cc bb0=cc c50=3", "-duo", {.unseen_at = 3}, 0, 2},
	{"bb0=cc c50=1", "+duo", {.events = {{2, FIRST, COME}, {2, SECOND, GO}}, .unseen_at = 3}, 0,
		2},
	/* somebody else counts as well */
	{"", "+duo", {.events = {{3, FIRST, ARCH_BREAKPOINT, 2}}}, 0, 3},
	/* it comes before a write that fails: of what is undone its part stays */
	{"", "+nop", {.events = {{2, WORLD_PC(0x50), COME}}, .count = WORLD_DATA(0x40)}, 2, 1},
	/* it comes, or goes, before the look at what is undone, before the write, after it */
	{"", "+nop", {.events = {{5, WORLD_PC(0x50), COME}}, .count = WORLD_DATA(0x40)}, 2, 1},
	{"", "+nop", {.events = {{6, WORLD_PC(0x50), COME}}, .count = WORLD_DATA(0x40)}, 2, 1},
	{"", "+nop", {.events = {{7, WORLD_PC(0x50), COME}}, .count = WORLD_DATA(0x40)}, 2, 1},
	{"b50=cc c40=1", "+nop", {.events = {{5, WORLD_PC(0x50), GO}}, .count = WORLD_DATA(0x40)},
		2, 0},
	{"b50=cc c40=1", "+nop", {.events = {{6, WORLD_PC(0x50), GO}}, .count = WORLD_DATA(0x40)},
		2, 0},
	{"b50=cc c40=1", "+nop", {.events = {{7, WORLD_PC(0x50), GO}}, .count = WORLD_DATA(0x40)},
		2, 0},
};

START_TEST(apply_tells_uprobes_apart)
{
	const struct apply_play *play = &apply_plays[_i];
	struct apply_happening happen = play->happen;
	struct apply_world a;
	struct probes_error e = {0};

	happen.count = happen.count ? happen.count : WORLD_DATA(0x50);
	apply_begin(&a, play->setup, play->choice, false);
	a.w.fake.before = apply_happen;
	a.w.fake.data = &happen;
	a.w.fake.fail_write = play->fail_write;
	a.w.fake.code = -EIO;
	ck_assert_int_eq(apply_go(&a, &e), play->fail_write ? -EIO : 0);
	a.w.fake.before = NULL;
	ck_assert_uint_ge(happen.calls, 3);
	ck_assert_uint_eq(world_count(&a.w, happen.count), play->after);
	apply_end(&a);
}
END_TEST

/*
 * While the second of two writes fails others change the first count, by so much: undoing it stays
 * within its bounds, leaves uprobes their part, and says that it could not be exact.
 */
static const struct {
	const char *setup, *choice;
	unsigned at_write;
	uint64_t count;
	int add;
	uint64_t held; /* a site that a uprobe holds from then on; 0: none */
	unsigned after;
	const char *hint;
} apply_bounds[] = {
	{"", "+nop", 2, WORLD_DATA(0x40), 0, 0, 0, NULL},
	{"", "+nop", 2, WORLD_DATA(0x40), -1, 0, 0, "1 of the counts could not be undone exactly"},
	{"c40=7ffe c44=1", "-nop", 2, WORLD_DATA(0x40), 1, 0, 0x7ffe, "exactly"},
	{"c40=7ffe c44=1", "-nop", 2, WORLD_DATA(0x40), 9, 0, 0x8006, "exactly"},
	{"b11=e8 b21=e8 c12=ffff", "-one +soft", 2, WORLD_DATA(0x12), 1, 0, 0xffff, "exactly"},
	/* a uprobe comes; ours is taken, and what is left is a uprobe's */
	{"", "+nop", 2, WORLD_DATA(0x40), 1, WORLD_PC(0x50), 1, NULL},
	{"b50=cc c40=1", "+nop", 2, WORLD_DATA(0x40), -1, 0, 1, "1 of the writes made before"},
};

static void apply_hold(struct fake *f, bool write, void *data)
{
	const int i = *(const int *)data;
	unsigned char *count = fake_at(f, WORLD_BIAS + apply_bounds[i].count);
	unsigned now = (count[0] | (unsigned)count[1] << 8) + (unsigned)apply_bounds[i].add;

	if (!write || f->writes != apply_bounds[i].at_write)
		return;
	count[0] = (unsigned char)now;
	count[1] = (unsigned char)(now >> 8);
	if (apply_bounds[i].held)
		*fake_at(f, WORLD_BIAS + apply_bounds[i].held) = ARCH_BREAKPOINT;
}

/* Before the fifth write: other code, in which one byte is as ours was. */
static void apply_replace(struct fake *f, bool write, void *data)
{
	(void)data;
	if (!write || f->writes != 5)
		return;
	for (size_t i = 0; i < f->regions[0].size; i++)
		f->regions[0].bytes[i] = (unsigned char)(i % 16 == 1 ? 0xe8 : 0xa5);
}

START_TEST(apply_undoes_within_bounds)
{
	struct apply_world a;
	struct probes_error e = {0};
	int i = _i;

	apply_begin(&a, apply_bounds[i].setup, apply_bounds[i].choice, false);
	a.w.fake.fail_write = apply_bounds[i].at_write;
	a.w.fake.code = -EIO;
	a.w.fake.before = apply_hold;
	a.w.fake.data = &i;
	ck_assert_int_eq(apply_go(&a, &e), -EIO);
	ck_assert_uint_eq(world_count(&a.w, apply_bounds[i].count), apply_bounds[i].after);
	if (apply_bounds[i].hint)
		ck_assert_msg(strstr(e.hint, apply_bounds[i].hint) != NULL, "'%s'", e.hint);
	else
		ck_assert_ptr_null(strstr(e.hint, "undone"));
	apply_end(&a);
}
END_TEST

/* Something else lies there by now: undoing writes nothing in it. */
START_TEST(apply_undoes_nothing_of_others)
{
	struct apply_world a;
	struct probes_error e = {0};

	apply_begin(&a, "", "+one +nop", false);
	a.w.fake.fail_write = 5;
	a.w.fake.code = -EIO;
	a.w.fake.before = apply_replace;
	ck_assert_int_eq(apply_go(&a, &e), -EIO);
	ck_assert_ptr_nonnull(strstr(e.hint, "4 of the writes"));
	ck_assert_uint_eq(a.w.fake.writes, 5);
	apply_end(&a);
}
END_TEST

/* A uprobe comes, and a count goes, between plan and look: what would be left is not ours to take.
 */
START_TEST(apply_refuses_to_take_a_uprobes_part)
{
	struct apply_happening happen = {
		.events = {{1, WORLD_PC(0x50), ARCH_BREAKPOINT, 0}}, .count = WORLD_DATA(0x40)};
	struct apply_world a;
	struct probes_error e = {0};

	apply_begin(&a, "c40=1 c44=1", "-nop", false);
	a.w.fake.before = apply_happen;
	a.w.fake.data = &happen;
	ck_assert_int_eq(apply_go(&a, &e), -EBUSY);
	ck_assert_int_eq(e.status, PROBES_REFUSED);
	ck_assert_ptr_nonnull(strstr(e.why, "1 of its sites are held"));
	ck_assert_uint_eq(a.w.fake.writes, 0);
	apply_end(&a);
}
END_TEST

/* A world of notes whose sites are 8 bytes apart at most. */
static void apply_many(struct world *w, const struct elf_note *notes, size_t count)
{
	world_begin(w);
	world_prepare(w, notes, count, count * 8);
	world_add(w, "/lib/many.so", WORLD_BIAS);
	world_read(w);
}

/* Very many names that share one count: each watches its sites, none twice, up to a limit. */
START_TEST(apply_watches_so_many)
{
	enum { MANY = 300 };
	struct elf_note *notes = calloc(MANY, sizeof *notes);
	const struct probes_switch_options mode = {0};
	struct apply_world a;
	struct probes_error e;
	char names[MANY][8];

	for (size_t i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof names[i], "n%03u", (unsigned)i % 1000);
		notes[i] = (struct elf_note){
			WORLD_PC(i / 2 * 8), 0, WORLD_DATA(0x10), "sdt", names[i], ""};
	}
	apply_many(&a.w, notes, MANY);
	a.chosen = ARRAY_OF(struct selected);
	for (size_t i = 0; i < MANY; i++)
		*(struct selected *)array_add(&a.chosen) = (struct selected){.probe = i};
	ck_assert_int_eq(plan_init(&a.p, &a.w.catalog, &e), 0);
	ck_assert_int_eq(plan_switch(&a.p, a.chosen.data, a.chosen.count, &mode, &e), 0);
	ck_assert_uint_eq(a.p.edits.count, MANY);
	ck_assert_uint_eq(a.p.refcount_sites.count, MANY * PLAN_REFCOUNT_SITES);
	for (size_t i = 1; i < PLAN_REFCOUNT_SITES; i++)
		ck_assert_uint_gt(
			ARRAY_AT(&a.p.refcount_sites, struct plan_refcount_site, i)->address,
			ARRAY_AT(&a.p.refcount_sites, struct plan_refcount_site, i - 1)->address);
	a.before = fake_snapshot(&a.w.fake);
	ck_assert_int_eq(apply_go(&a, &e), 0);
	ck_assert_uint_eq(world_count(&a.w, WORLD_DATA(0x10)), MANY);
	apply_end(&a);
	free(notes);
}
END_TEST

/* Another tool takes a site that we have just written: we leave it, and say so. */
START_TEST(apply_undo_leaves_a_foreign_byte)
{
	struct apply_other other = {
		.at_write = 5, .address = WORLD_BIAS + WORLD_PC(0x11), .byte = 0xcc};
	struct apply_world a;
	struct probes_error e = {0};

	apply_begin(&a, "", EVERYTHING, false);
	a.w.fake.before = apply_meddle;
	a.w.fake.data = &other;
	ck_assert_int_eq(apply_go(&a, &e), -EBUSY); /* seen when it is read back */
	ck_assert_uint_eq(*world_byte(&a.w, WORLD_PC(0x11)), 0xcc);
	*world_byte(&a.w, WORLD_PC(0x11)) = 0x3d;
	ck_assert(fake_same(&a.w.fake, a.before)); /* everything else is back */
	ck_assert_ptr_nonnull(strstr(e.hint, "1 of the writes"));
	apply_end(&a);
}
END_TEST

START_TEST(apply_undoes_backwards)
{
	struct apply_world a;
	struct probes_error e = {0};
	size_t made, total;

	apply_begin(&a, "", EVERYTHING, false);
	a.w.fake.fail_write = 6;
	ck_assert_int_eq(apply_go(&a, &e), -EIO);
	made = 5;
	total = a.w.fake.log.count;
	ck_assert_uint_eq(total, 2 * made);
	for (size_t i = 0; i < made; i++)
		ck_assert_uint_eq(ARRAY_AT(&a.w.fake.log, struct fake_write, i)->address,
			ARRAY_AT(&a.w.fake.log, struct fake_write, total - 1 - i)->address);
	apply_end(&a);
}
END_TEST

/* More writes than a batch holds; the second batch finds a foreign byte, or fails. */
START_TEST(apply_over_many_batches)
{
	enum { MANY = 1500 };
	struct elf_note *notes = calloc(MANY, sizeof *notes);
	const struct probes_switch_options mode = {0};
	struct apply_world a;

	for (size_t i = 0; i < MANY; i++)
		notes[i] = (struct elf_note){
			WORLD_PC(i * 8), 0, WORLD_DATA(0x10), "ocaml_1", "many", ""};
	apply_many(&a.w, notes, MANY);
	for (int way = 0; way < 3; way++) {
		struct probes_error e = {0};

		a.chosen = ARRAY_OF(struct selected);
		script_choose(&a.w, "+many", &a.chosen);
		ck_assert_int_eq(plan_init(&a.p, &a.w.catalog, &e), 0);
		ck_assert_int_eq(plan_switch(&a.p, a.chosen.data, 1, &mode, &e), 0);
		ck_assert_uint_eq(a.p.edits.count, MANY + 1);
		a.before = fake_snapshot(&a.w.fake);
		fake_reset(&a.w.fake);
		a.w.fake.fail_write = way == 0 ? 1400 : 0;
		if (way == 1)
			*world_byte(&a.w, WORLD_PC(1300 * 8 + 1)) = 0xcc;
		ck_assert_int_eq(apply_go(&a, &e), way == 0 ? -EIO : way == 1 ? -EBUSY : 0);
		ck_assert(apply_kept_to_the_plan(&a));
		if (way == 1)
			*world_byte(&a.w, WORLD_PC(1300 * 8 + 1)) = 0x3d;
		ck_assert_int_eq(fake_same(&a.w.fake, a.before), way < 2);
		free(a.before);
		plan_done(&a.p);
		array_done(&a.chosen);
	}
	world_end(&a.w);
	free(notes);
}
END_TEST

Suite *apply_suite(void)
{
	Suite *s = suite_create("apply");
	TCase *t = tcase_create("apply");

	tcase_set_timeout(t, 30);
	tcase_add_test(t, apply_carries_out);
	tcase_add_test(t, apply_writes_only_what_differs);
	tcase_add_test(t, apply_of_nothing);
	tcase_add_loop_test(t, apply_every_scenario_works, 0, APPLY_SCENARIOS);
	tcase_add_loop_test(t, apply_undoes_after_every_failed_write, 0, APPLY_SCENARIOS);
	tcase_add_loop_test(t, apply_undoes_after_every_failed_look, 0, APPLY_SCENARIOS);
	tcase_add_test(t, apply_of_several_bytes);
	tcase_add_test(t, apply_reads_back);
	tcase_add_test(t, apply_of_a_process_that_goes);
	tcase_add_test(t, apply_says_what_it_could_not_undo);
	tcase_add_test(t, apply_refuses_what_it_does_not_expect);
	tcase_add_test(t, apply_refuses_what_it_cannot_see);
	tcase_add_test(t, apply_undo_keeps_the_counts_of_others);
	tcase_add_loop_test(
		t, apply_loses_no_count_of_a_uprobe, 0, sizeof apply_races / sizeof *apply_races);
	tcase_add_loop_test(
		t, apply_tells_uprobes_apart, 0, sizeof apply_plays / sizeof *apply_plays);
	tcase_add_loop_test(
		t, apply_undoes_within_bounds, 0, sizeof apply_bounds / sizeof *apply_bounds);
	tcase_add_test(t, apply_undoes_nothing_of_others);
	tcase_add_test(t, apply_refuses_to_take_a_uprobes_part);
	tcase_add_test(t, apply_watches_so_many);
	tcase_add_test(t, apply_undo_leaves_a_foreign_byte);
	tcase_add_test(t, apply_undoes_backwards);
	tcase_add_test(t, apply_over_many_batches);
	suite_add_tcase(s, t);
	return s;
}
