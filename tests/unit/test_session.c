/*
 * Covers session/switch.c, change.c and ownership.c on a made-up memory: select, read, plan, apply,
 * and what this session owns. Not covered: opening, journals and repair, stopping (e2e, on
 * live processes).
 */
#include "process/procfs.h"
#include "session/group.h"
#include "session_world.h"

#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

START_TEST(session_switches_and_restores)
{
	struct session_world x;

	session_begin(&x, "c40=3 c44=1");
	session_must(&x, PROBES_ENABLE, "one");
	session_must(&x, PROBES_ENABLE, "nop");
	session_must(&x, PROBES_ENABLE, "soft");
	session_must(&x, PROBES_ENABLE, "soft");
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x12)), 1);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x40)), 4);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x32)), 2);
	ck_assert_uint_eq(probes_owned_count(&x.s), 3);
	ck_assert_int_eq(world_live(&x.w, "one")->state, PROBES_ON);
	ck_assert(world_live(&x.w, "one")->mine);
	session_must_restore(&x);
	ck_assert(session_as_found(&x));
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	ck_assert(!world_live(&x.w, "one")->mine);
	session_must_restore(&x); /* nothing to undo is success */
	ck_assert(session_as_found(&x));
	session_end(&x);
}
END_TEST

START_TEST(session_restores_what_it_took)
{
	struct session_world x;

	session_begin(&x, "b11=e8 b21=e8 c12=1");
	session_must(&x, PROBES_DISABLE, "one");
	ck_assert(!session_as_found(&x));
	ck_assert_uint_eq(probes_owned_count(&x.s), 1);
	session_must_restore(&x);
	ck_assert(session_as_found(&x));
	session_end(&x);
}
END_TEST

/* Up and down again is nothing, whoever else counts. */
START_TEST(session_keeps_a_net_account)
{
	struct session_world x;

	session_begin(&x, "");
	session_must(&x, PROBES_ENABLE, "one");
	world_set_count(&x.w, WORLD_DATA(0x12), 3); /* two others */
	session_must(&x, PROBES_DISABLE, "one");
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	session_must_restore(&x);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x12)), 2);
	ck_assert_uint_eq(*world_byte(&x.w, WORLD_PC(0x11)), 0xe8);
	session_end(&x);
}
END_TEST

START_TEST(session_reverts_and_redoes)
{
	struct probes_result *done = NULL, *undone = NULL, *redone = NULL;
	struct session_world x;
	struct probes_error e;
	unsigned char *after;

	session_begin(&x, "");
	ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "unit", NULL, &done, &e), 0);
	ck_assert_uint_eq(done->sites, 2);
	ck_assert_uint_eq(done->edit_count, 4);
	after = fake_snapshot(&x.w.fake);
	ck_assert_int_eq(probes_revert(&x.s, done, &undone, &e), 0);
	ck_assert(session_as_found(&x));
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	ck_assert_int_eq(probes_revert(&x.s, undone, &redone, &e), 0);
	ck_assert(fake_same(&x.w.fake, after));
	ck_assert_uint_eq(probes_owned_count(&x.s), 1);
	session_must_restore(&x);
	ck_assert(session_as_found(&x));
	free(after);
	probes_result_free(done);
	probes_result_free(undone);
	probes_result_free(redone);
	session_end(&x);
}
END_TEST

/* A probe that shares its semaphore with one that was not read, or was read long ago. */
START_TEST(session_switches_what_is_shared)
{
	struct session_world x;
	struct probes_error e;

	session_begin(&x, "");
	session_must(&x, PROBES_ENABLE, "twin");
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x40)), 1);
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
	world_set_count(&x.w, WORLD_DATA(0x40), 7);
	session_must(&x, PROBES_ENABLE, "twin");
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x40)), 8);
	session_must_restore(&x);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x40)), 6);
	session_end(&x);
}
END_TEST

/* A uprobe at a site of another name holds a part of the count that both share. */
START_TEST(session_looks_at_all_who_share)
{
	const struct probes_switch_options force = {.force = true};
	struct probes_result *r = NULL;
	struct session_world x;
	struct probes_error e;

	session_begin(&x, "b80=cc c40=1 c44=1"); /* at twin's */
	ck_assert_int_eq(session_do(&x, PROBES_DISABLE, "nop", _i ? &force : NULL, &r, &e), -EBUSY);
	ck_assert_ptr_nonnull(strstr(e.why, "may own all"));
	probes_result_free(r);
	ck_assert(session_as_found(&x));
	session_must(&x, PROBES_ENABLE, "nop");
	session_must_restore(&x);
	ck_assert(session_as_found(&x));
	session_end(&x);
}
END_TEST

/* Ours was taken, and a uprobe's is there: not taken back, on record, and reconciled once it has
 * gone.
 */
START_TEST(session_never_takes_back_a_uprobes_part)
{
	struct probes_result *done = NULL, *r = NULL;
	struct session_world x;
	struct probes_error e;

	session_begin(&x, "");
	ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "duo", NULL, &done, &e), 0);
	*world_byte(&x.w, WORLD_PC(0xb0)) = 0xcc;
	for (int way = 0; way < 3; way++) {
		fake_reset(&x.w.fake);
		ck_assert_int_eq(
			way == 1 ? probes_revert(&x.s, done, &r, &e) : probes_restore(&x.s, &r, &e),
			0);
		ck_assert_uint_eq(r->not_done, 1);
		ck_assert_uint_eq(r->done, 0);
		ck_assert_ptr_nonnull(strstr(r->items[0].why, "uprobes"));
		probes_result_free(r);
		ck_assert_uint_eq(x.w.fake.writes, 0);
		ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x50)), 1);
		ck_assert(x.s.keep_journal);
		ck_assert_uint_eq(probes_owned_count(&x.s), 1);
	}
	/* the kernel takes its part along */
	*world_byte(&x.w, WORLD_PC(0xb0)) = 0x90;
	world_set_count(&x.w, WORLD_DATA(0x50), 0);
	session_must_restore(&x);
	ck_assert(session_as_found(&x));
	ck_assert(!x.s.keep_journal);
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	probes_result_free(done);
	session_end(&x);
}
END_TEST

/* Others took our part already: there is nothing left of it, now and later. */
START_TEST(session_forgets_what_others_took)
{
	struct session_world x;

	session_begin(&x, "");
	session_must(&x, PROBES_ENABLE, "soft");
	world_set_count(&x.w, WORLD_DATA(0x32), 0);
	session_must_restore(&x);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x32)), 0);
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	world_set_count(&x.w, WORLD_DATA(0x32), 1); /* somebody else's, in whole */
	session_must_restore(&x);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x32)), 1);
	session_end(&x);
}
END_TEST

/* Undo by restore (0) or by revert. */
static void session_undo(struct session_world *x, int way, const struct probes_result *done,
	struct probes_result **undone)
{
	struct probes_error e;
	int r = way ? probes_revert(&x->s, done, undone, &e) : probes_restore(&x->s, undone, &e);

	ck_assert_msg(r == 0, "%s: %s", e.what, e.why);
}

/* Before the second look at the process: after the plan, before anything is written. */
static void session_swap_library(struct fake *f, bool write, void *data)
{
	if (!write && f->reads == 2)
		*(unsigned char *)data ^= 0xff;
}

/* Another library takes the place of the one that was planned for, with the same bytes at its
 * sites.
 */
START_TEST(session_writes_into_no_other_library)
{
	struct probes_result *result = NULL;
	struct session_world x;
	struct probes_error e;
	struct object *file;

	session_begin(&x, "");
	file = catalog_object(&x.s.catalog, 0)->file;
	file->build_id_size = 20;
	file->build_id_vaddr = WORLD_PC(0x1800);
	memcpy(file->build_id, world_byte(&x.w, file->build_id_vaddr), file->build_id_size);
	x.w.fake.before = session_swap_library;
	x.w.fake.data = world_byte(&x.w, file->build_id_vaddr);
	ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "one", NULL, &result, &e), -EBUSY);
	ck_assert_str_eq(e.why, "another object has taken the place of /lib/libtest.so");
	ck_assert_uint_eq(x.w.fake.writes, 0);
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	x.w.fake.before = NULL;
	*world_byte(&x.w, file->build_id_vaddr) = file->build_id[0];
	session_must(&x, PROBES_ENABLE, "one");
	session_must_restore(&x);
	ck_assert(session_as_found(&x));
	probes_result_free(result);
	session_end(&x);
}
END_TEST

/*
 * A forced switch of the code alone: owned, but left where the code agrees with its count, which
 * was inconsistent before: somebody else may have switched the probe off and on meanwhile.
 */
START_TEST(session_owns_code_alone)
{
	static const char *const setups[] = {"c12=1", "b11=e8 b21=e8"};
	const struct probes_switch_options force = {.force = true};
	enum probes_verb verb = _i & 1 ? PROBES_DISABLE : PROBES_ENABLE;
	struct probes_result *done = NULL, *undone = NULL;
	struct session_world x;
	struct probes_error e;
	unsigned char *after;

	session_begin(&x, setups[_i & 1]);
	ck_assert_int_eq(session_do(&x, verb, "one", &force, &done, &e), 0);
	ck_assert_uint_eq(done->sites, 2);
	ck_assert_uint_eq(done->edit_count, 2);
	ck_assert_uint_eq(probes_owned_count(&x.s), 1);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x12)), !(_i & 1));
	after = fake_snapshot(&x.w.fake);
	session_undo(&x, _i >> 1, done, &undone);
	ck_assert_uint_eq(undone->skipped, 1);
	ck_assert_uint_eq(undone->edit_count, 0);
	ck_assert_ptr_nonnull(strstr(undone->items[0].why, "agree"));
	ck_assert(fake_same(&x.w.fake, after));
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	ck_assert(!x.s.keep_journal);
	probes_result_free(undone);
	/* A switch of the count is undone, and code that follows it. */
	session_must(&x, _i & 1 ? PROBES_ENABLE : PROBES_DISABLE, "one");
	session_must_restore(&x);
	ck_assert(fake_same(&x.w.fake, after));
	free(after);
	probes_result_free(done);
	session_end(&x);
}
END_TEST

/* It is undone where others have moved the count since, and the code disagrees with that. */
START_TEST(session_takes_back_code_alone)
{
	const struct probes_switch_options force = {.force = true};
	struct probes_result *done = NULL, *undone = NULL;
	struct session_world x;
	struct probes_error e;

	session_begin(&x, _i & 1 ? "b11=e8 b21=e8" : "c12=1");
	ck_assert_int_eq(
		session_do(&x, _i & 1 ? PROBES_DISABLE : PROBES_ENABLE, "one", &force, &done, &e),
		0);
	world_set_count(&x.w, WORLD_DATA(0x12), _i & 1);
	session_undo(&x, _i >> 1, done, &undone);
	ck_assert_uint_eq(undone->done, 1);
	ck_assert_uint_eq(undone->sites, 2);
	ck_assert_uint_eq(*world_byte(&x.w, WORLD_PC(0x11)), _i & 1 ? 0xe8 : 0x3d);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x12)), _i & 1);
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	probes_result_free(undone);
	probes_result_free(done);
	session_end(&x);
}
END_TEST

/* Only what this session raised is its own. */
START_TEST(session_knows_what_is_mine)
{
	struct session_world x;

	session_begin(&x, "c40=1 c44=1");
	session_must(&x, PROBES_ENABLE, "nop");
	ck_assert(world_live(&x.w, "nop")->mine);
	session_must_restore(&x);
	ck_assert(!world_live(&x.w, "nop")->mine);
	world_set_count(&x.w, WORLD_DATA(0x40), 2);
	world_set_count(&x.w, WORLD_DATA(0x44), 2);
	session_must(&x, PROBES_DISABLE, "nop");
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x40)), 1);
	ck_assert(!world_live(&x.w, "nop")->mine);
	session_end(&x);
}
END_TEST

START_TEST(session_dry_run_touches_nothing)
{
	const struct probes_switch_options dry = {.dry_run = true};
	struct probes_result *r = NULL, *reverted = NULL;
	struct session_world x;
	struct probes_error e;

	session_begin(&x, "c40=1 c44=1");
	x.s.read_only = true;
	ck_assert_int_eq(session_do(&x, PROBES_DISABLE, "nop", &dry, &r, &e), 0);
	ck_assert_uint_eq(r->edit_count, 2);
	ck_assert_uint_eq(r->done, 1);
	ck_assert_uint_eq(x.w.fake.writes, 0);
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	/* What was not done cannot be undone. */
	x.s.read_only = false;
	if (probes_revert(&x.s, r, &reverted, &e) < 0)
		ck_assert_int_ne(e.what[0], '\0');
	ck_assert(session_as_found(&x));
	probes_result_free(r);
	probes_result_free(reverted);
	x.s.read_only = true;
	ck_assert_int_eq(session_do(&x, PROBES_DISABLE, "nop", NULL, &r, &e), -EROFS);
	ck_assert_int_eq(e.status, PROBES_REFUSED);
	ck_assert_ptr_null(r);
	session_end(&x);
}
END_TEST

/* Code that is translated is left alone; what was switched before is taken back. */
START_TEST(session_refuses_translated_code)
{
	static const struct translator translator = {.name = "valgrind"};
	const struct probes_switch_options dry = {.dry_run = true};
	struct probes_result *r = NULL;
	struct session_world x;
	struct probes_error e;

	session_begin(&x, "");
	session_must(&x, PROBES_ENABLE, "one");
	x.s.translator = &translator;
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(session_do(&x, i & 1 ? PROBES_ENABLE : PROBES_COUNT, "nop",
					 i & 2 ? &dry : NULL, &r, &e),
			-EOPNOTSUPP);
		ck_assert_int_eq(e.status, PROBES_REFUSED);
		ck_assert_str_eq(e.hint, "run the program without valgrind");
		ck_assert_ptr_null(r);
	}
	ck_assert_str_eq(probes_translator(&x.s), "valgrind");
	session_must_restore(&x);
	ck_assert(session_as_found(&x));
	session_end(&x);
}
END_TEST

START_TEST(session_refuses_named_and_tells_all)
{
	const struct probes_action actions[] = {
		{.verb = PROBES_ENABLE, .by = PROBES_BY_NAME, .text = "one"},
		{.verb = PROBES_DISABLE, .by = PROBES_BY_NAME, .text = "soft"}};
	struct probes_result *r = NULL;
	struct session_world x;
	struct probes_error e;

	session_begin(&x, "");
	ck_assert_int_eq(probes_switch(&x.s, actions, 2, NULL, &r, &e), -EALREADY);
	ck_assert_ptr_nonnull(r);
	ck_assert_uint_eq(r->item_count, 2);
	ck_assert_uint_eq(r->skipped, 1);
	ck_assert_uint_eq(r->edit_count, 0); /* none was made */
	ck_assert(session_as_found(&x));
	ck_assert_uint_eq(x.w.fake.writes, 0);
	probes_result_free(r);
	session_end(&x);
}
END_TEST

START_TEST(session_all_leaves_out_what_cannot)
{
	const struct probes_action all = {.verb = PROBES_ENABLE, .by = PROBES_BY_ALL};
	struct probes_result *r = NULL;
	struct session_world x;
	struct probes_error e;

	session_begin(&x, "b31=cc");
	ck_assert_int_eq(probes_switch(&x.s, &all, 1, NULL, &r, &e), 0);
	ck_assert_uint_eq(r->done, 5);    /* one, soft, nop, twin, duo */
	ck_assert_uint_eq(r->skipped, 1); /* bare */
	ck_assert_uint_eq(r->skips[PROBES_SKIP_NO_SWITCH], 1);
	ck_assert(!r->cannot_enable);
	ck_assert_uint_eq(r->not_done, 2); /* unit, bad */
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x40)), 2);
	probes_result_free(r);
	session_must_restore(&x);
	ck_assert(session_as_found(&x));
	session_end(&x);
}
END_TEST

/* Enabling what has nothing to switch is no success; disabling it, or what is off, is one. */
START_TEST(session_says_what_cannot_be_enabled)
{
	static const struct {
		enum probes_verb verb;
		const char *text;
		bool cannot;
		size_t off, no_switch;
	} calls[] = {
		{PROBES_ENABLE, "bare", true, 0, 1},
		{PROBES_ENABLE, "bare|one", false, 0, 1},
		{PROBES_DISABLE, "bare", false, 0, 1},
		{PROBES_DISABLE, "bare|one|soft", false, 2, 1},
	};
	struct probes_result *r = NULL;
	struct session_world x;
	struct probes_error e;

	session_begin(&x, "");
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		const struct probes_action a = {
			.verb = calls[i].verb, .by = PROBES_BY_REGEXP, .text = calls[i].text};

		ck_assert_int_eq(probes_switch(&x.s, &a, 1, NULL, &r, &e), 0);
		ck_assert_msg(r->cannot_enable == calls[i].cannot, "call %zu", i);
		ck_assert_uint_eq(r->skips[PROBES_SKIP_OFF], calls[i].off);
		ck_assert_uint_eq(r->skips[PROBES_SKIP_NO_SWITCH], calls[i].no_switch);
		ck_assert_uint_eq(r->skipped, calls[i].off + calls[i].no_switch);
		probes_result_free(r);
		session_must_restore(&x);
	}
	session_end(&x);
}
END_TEST

/* Something else changes a count at the call of a number, or at each from then on. */
struct session_other {
	struct session_world *x;
	unsigned at_read;
	bool always;
};

static void session_meddle(struct fake *f, bool write, void *data)
{
	const struct session_other *o = data;
	unsigned char *count = fake_at(f, WORLD_BIAS + WORLD_DATA(0x32));

	if (write || (o->always ? f->reads < o->at_read : f->reads != o->at_read))
		return;
	++*count;
}

START_TEST(session_plans_anew_when_counts_move)
{
	struct session_world x;
	struct session_other other = {.x = &x, .at_read = 2};

	session_begin(&x, "");
	x.w.fake.before = session_meddle;
	x.w.fake.data = &other;
	session_must(&x, PROBES_ENABLE, "soft");
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x32)), 2); /* theirs and ours */
	x.w.fake.before = NULL;
	session_must_restore(&x);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x32)), 1);
	session_end(&x);
}
END_TEST

/* Ours is taken away, and somebody else's comes before the last look: it is the same, and not ours.
 */
START_TEST(session_tells_whose_a_count_is)
{
	const struct probes_action on = {.verb = PROBES_ENABLE, .by = PROBES_BY_ALL},
				   off = {.verb = PROBES_DISABLE, .by = PROBES_BY_ALL};
	struct session_world x;
	struct session_other other = {.x = &x, .at_read = (unsigned)_i};
	struct probes_result *r = NULL;
	struct probes_error e;

	session_begin(&x, "");
	ck_assert_int_eq(probes_switch(&x.s, &on, 1, NULL, &r, &e), 0);
	probes_result_free(r);
	ck_assert(world_live(&x.w, "soft")->mine);
	fake_reset(&x.w.fake);
	x.w.fake.before = session_meddle;
	x.w.fake.data = &other;
	ck_assert_int_eq(probes_switch(&x.s, &off, 1, NULL, &r, &e), 0);
	probes_result_free(r);
	x.w.fake.before = NULL;
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x32)), 1);
	ck_assert(!world_live(&x.w, "soft")->mine);
	session_end(&x);
}
END_TEST

START_TEST(session_gives_up_when_counts_never_rest)
{
	struct session_world x;
	struct session_other other = {.x = &x, .at_read = 2, .always = true};
	struct probes_result *r = NULL;
	struct probes_error e;

	session_begin(&x, "");
	x.w.fake.before = session_meddle;
	x.w.fake.data = &other;
	ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "soft", NULL, &r, &e), -EBUSY);
	ck_assert_int_eq(e.status, PROBES_REFUSED);
	ck_assert_uint_eq(x.w.fake.writes, 0);
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	probes_result_free(r);
	session_end(&x);
}
END_TEST

START_TEST(session_after_a_failed_write)
{
	struct session_world x;
	struct probes_result *r = NULL;
	struct probes_error e;

	session_begin(&x, "");
	x.w.fake.fail_write = 3;
	ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "one", NULL, &r, &e), -EIO);
	ck_assert(session_as_found(&x));
	ck_assert_uint_eq(r->edit_count, 0);
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	probes_result_free(r);
	session_end(&x);
}
END_TEST

/* What could not be undone at once is a debt that a later restore pays. */
START_TEST(session_owes_what_it_could_not_undo)
{
	struct session_world x;
	struct probes_result *r = NULL;
	struct probes_error e;

	session_begin(&x, "");
	x.w.fake.fail_write = 2; /* nop: its first count is written, its second is not */
	x.w.fake.stay_broken = true;
	ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "nop", NULL, &r, &e), -EIO);
	probes_result_free(r);
	ck_assert(!session_as_found(&x));
	ck_assert(x.s.keep_journal); /* its record outlives us */
	fake_reset(&x.w.fake);
	session_must_restore(&x);
	ck_assert(session_as_found(&x));
	ck_assert(!x.s.keep_journal);
	session_end(&x);
}
END_TEST

START_TEST(session_of_a_held_program)
{
	const struct probes_action actions[] = {
		{.verb = PROBES_ENABLE, .by = PROBES_BY_NAME, .text = "one"},
		{.verb = PROBES_ENABLE, .by = PROBES_BY_NAME, .text = "soft"},
		{.verb = PROBES_DISABLE, .by = PROBES_BY_NAME, .text = "unit"}};
	struct probes_result *r = NULL;
	struct session_world x;
	struct probes_error e = {0};

	session_begin(&x, "b11=e8 b21=e8 c12=1 b31=e8 b41=e8 c20=1 c24=1");
	x.s.held = true;
	ck_assert_msg(probes_switch(&x.s, actions, 3, NULL, &r, &e) == 0, "%s: %s", e.what, e.why);
	ck_assert_uint_eq(r->item_count, 2);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x12)), 1); /* on from the start: still 1 */
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x32)), 1);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x20)), 1);
	ck_assert_ptr_nonnull(strstr(x.said, "disabling is ignored"));
	probes_result_free(r);
	x.s.held = false;
	session_end(&x);
}
END_TEST

START_TEST(session_switch_of_nothing)
{
	const size_t none = 0;
	const struct probes_action a = {.by = PROBES_BY_INDEX, .indices = &none, .count = 0};
	struct probes_result *r = NULL;
	struct session_world x;
	struct probes_error e = {0};

	session_begin(&x, "");
	ck_assert_msg(probes_switch(&x.s, &a, 1, NULL, &r, &e) == 0, "%s: %s", e.what, e.why);
	ck_assert_uint_eq(r->item_count, 0);
	probes_result_free(r);
	session_end(&x);
}
END_TEST

/*
 * It runs another program from the k-th write on, or from the restore on: said, and no debt, so
 * that no record of it outlives us.
 */
START_TEST(session_owes_nothing_to_what_is_gone)
{
	struct probes_result *r = NULL;
	struct session_world x;
	struct probes_error e;

	session_begin(&x, "");
	x.w.fake.fail_write = (unsigned)_i + 1;
	x.w.fake.stay_broken = true;
	x.w.fake.code = -ESRCH;
	if (_i < 4) {
		ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "unit", NULL, &r, &e), -ESRCH);
		ck_assert_int_eq(e.status, PROBES_GONE);
	} else {
		ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "unit", NULL, &r, &e), 0);
		probes_result_free(r);
		ck_assert_int_eq(probes_restore(&x.s, &r, &e), -ESRCH);
		ck_assert_int_eq(e.status, PROBES_GONE);
	}
	ck_assert(!x.s.keep_journal);
	probes_result_free(r);
	session_end(&x);
}
END_TEST

/* ---- forked children ---- */

static void *session_bearing_thread(void *data)
{
	int *pipes = data;
	pid_t child = fork();

	if (child != 0)
		ck_assert_int_eq(write(pipes[1], &child, sizeof child), sizeof child);
	for (;;)
		pause();
	return NULL;
}

/* Until it is asked to end. */
static void *session_first_thread(void *data)
{
	int *pipes = data;
	pthread_t bearing;
	char go;

	pthread_create(&bearing, NULL, session_bearing_thread, pipes);
	ck_assert_int_eq(read(pipes[2], &go, 1), 1);
	return NULL;
}

/* A process whose leader has ended, and that writes the pid of its child. */
static pid_t session_leaderless(int pipes[4])
{
	pthread_t first;
	pid_t pid;

	ck_assert(pipe(&pipes[0]) == 0 && pipe(&pipes[2]) == 0);
	pid = fork();
	if (pid == 0) {
		pthread_create(&first, NULL, session_first_thread, pipes);
		syscall(SYS_exit, 0);
	}
	return pid;
}

/* kcmp(2) compares threads, and /proc shows what one has that lives; that of the parent has ended.
 */
START_TEST(session_knows_the_child_of_threads_that_come_and_go)
{
	struct probes_session parent = {.process = true, .first_switch_ticks = 1},
			      child = {.process = true};
	struct probes_error e;
	int pipes[4], fd;
	uint64_t headers;
	pid_t pid, born;
	size_t size;
	char *text;

	pid = session_leaderless(pipes);
	ck_assert_int_eq(read(pipes[0], &born, sizeof born), sizeof born);
	ck_assert_int_eq(identity_open(&parent.who, pid, &e), 0);
	while (parent.who.tid == pid) { /* its leader has not ended yet */
		identity_close(&parent.who);
		ck_assert_int_eq(identity_open(&parent.who, pid, &e), 0);
	}
	ck_assert_int_eq(identity_open(&child.who, born, &e), 0);
	ck_assert(fork_is_child(&child, &parent));
	ck_assert_int_eq(write(pipes[3], "", 1), 1);
	while (identity_thread_lives(&parent.who))
		sched_yield();
	ck_assert(fork_is_child(&child, &parent));
	ck_assert_int_eq(procfs_read(parent.who.task, &text, &size, "maps"), -ENOENT);
	ck_assert_int_eq(identity_maps(&parent.who, NULL, &text, &size), 0);
	ck_assert_uint_gt(size, 0);
	free(text);
	ck_assert_int_eq(identity_auxv(&parent.who, AT_PHDR, &headers), 0);
	ck_assert_uint_eq(headers, getauxval(AT_PHDR));
	ck_assert_int_eq(identity_auxv(&parent.who, 0x7fff, &headers), 0);
	ck_assert_uint_eq(headers, 0);
	fd = identity_openat(&parent.who, "exe", O_PATH);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(identity_openat(&parent.who, "no such file", O_PATH), -ENOENT);
	ck_assert_int_eq(procfs_read(parent.who.task, &text, &size, "maps"), -ENOENT);
	identity_close(&parent.who);
	identity_close(&child.who);
	kill(born, SIGKILL);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	for (int i = 0; i < 4; i++)
		close(pipes[i]);
}
END_TEST

Suite *session_suite(void)
{
	Suite *s = suite_create("session");
	TCase *t = tcase_create("session");

	tcase_set_timeout(t, 30);
	tcase_add_test(t, session_knows_the_child_of_threads_that_come_and_go);
	tcase_add_test(t, session_switches_and_restores);
	tcase_add_test(t, session_restores_what_it_took);
	tcase_add_test(t, session_keeps_a_net_account);
	tcase_add_test(t, session_reverts_and_redoes);
	tcase_add_test(t, session_switches_what_is_shared);
	tcase_add_loop_test(t, session_looks_at_all_who_share, 0, 2);
	tcase_add_test(t, session_never_takes_back_a_uprobes_part);
	tcase_add_test(t, session_forgets_what_others_took);
	tcase_add_loop_test(t, session_owns_code_alone, 0, 4);
	tcase_add_loop_test(t, session_takes_back_code_alone, 0, 4);
	tcase_add_test(t, session_knows_what_is_mine);
	tcase_add_test(t, session_dry_run_touches_nothing);
	tcase_add_test(t, session_refuses_translated_code);
	tcase_add_test(t, session_refuses_named_and_tells_all);
	tcase_add_test(t, session_all_leaves_out_what_cannot);
	tcase_add_test(t, session_says_what_cannot_be_enabled);
	tcase_add_test(t, session_plans_anew_when_counts_move);
	tcase_add_test(t, session_gives_up_when_counts_never_rest);
	tcase_add_loop_test(t, session_tells_whose_a_count_is, 2, 5);
	tcase_add_test(t, session_after_a_failed_write);
	tcase_add_test(t, session_writes_into_no_other_library);
	tcase_add_test(t, session_owes_what_it_could_not_undo);
	tcase_add_test(t, session_of_a_held_program);
	tcase_add_test(t, session_switch_of_nothing);
	tcase_add_loop_test(t, session_owes_nothing_to_what_is_gone, 0, 5);
	suite_add_tcase(s, t);
	return s;
}
