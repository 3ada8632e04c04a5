/*
 * Objects that come and go: telling a mapped object again by its place (pure), and what a session
 * makes of it in a world whose maps a test writes. Not covered: reading maps and files of a live
 * process (e2e/objects.sh).
 */
#include "session_world.h"

#include "process/maps.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

#define LIB "7f0000000000-7f0000001000 r--p 00000000 fe:01 77 /lib/plug.so\n"
#define LIB_TEXT "7f0000001000-7f0000003000 r-xp 00001000 fe:01 77 /lib/plug.so\n"
#define LIB_DATA "7f0000003000-7f0000004000 rw-p 00003000 fe:01 77 /lib/plug.so\n"

static const struct maps_location rescan_place = {.major = 0xfe,
	.minor = 1,
	.inode = 77,
	.base = 0x7f0000000000,
	.text = 0x7f0000001000,
	.offset = 0x1000};

static const struct {
	const char *maps;
	bool there, deleted;
} rescan_places[] = {
	{LIB LIB_TEXT LIB_DATA, true, false},
	{"", false, false},
	/* deleted meanwhile */
	{LIB "7f0000001000-7f0000003000 r-xp 00001000 fe:01 77 /lib/plug.so (deleted)\n", true,
		true},
	/* split by mprotect: in the middle, at its start, whole and no code any more */
	{LIB "7f0000001000-7f0000002000 r-xp 00001000 fe:01 77 /lib/plug.so\n"
	     "7f0000002000-7f0000003000 rwxp 00002000 fe:01 77 /lib/plug.so\n",
		true, false},
	{LIB "7f0000001000-7f0000002000 r--p 00001000 fe:01 77 /lib/plug.so\n"
	     "7f0000002000-7f0000003000 r-xp 00002000 fe:01 77 /lib/plug.so\n",
		true, false},
	/* joined with what lies before it */
	{"7f0000000000-7f0000003000 r-xp 00000000 fe:01 77 /lib/plug.so\n", true, false},
	/* its text moved to memory without a file */
	{LIB "7f0000001000-7f0000003000 r-xp 00000000 00:00 0 \n" LIB_DATA, true, false},
	/* a stranger's memory there, and nothing of it left */
	{"7f0000001000-7f0000003000 r-xp 00000000 00:00 0 \n", false, false},
	/* another file, another device, the same file at another address, another part of it */
	{LIB "7f0000001000-7f0000003000 r-xp 00001000 fe:01 78 /lib/plug.so\n", false, false},
	{LIB "7f0000001000-7f0000003000 r-xp 00001000 fe:02 77 /lib/plug.so\n", false, false},
	{"7f1000000000-7f1000001000 r--p 00000000 fe:01 77 /lib/plug.so\n"
	 "7f1000001000-7f1000003000 r-xp 00001000 fe:01 77 /lib/plug.so\n",
		false, false},
	{LIB "7f0000001000-7f0000003000 r-xp 00002000 fe:01 77 /lib/plug.so\n", false, false},
};

static char *rescan_maps(const char *text, struct array *mappings)
{
	char *copy = strdup(text);
	size_t malformed;

	ck_assert_ptr_nonnull(copy);
	*mappings = ARRAY_OF(struct mapping);
	ck_assert(maps_parse(copy, mappings, &malformed));
	ck_assert_uint_eq(malformed, 0);
	return copy;
}

START_TEST(rescan_is_it_there)
{
	bool deleted = false;
	struct array m;
	char *text = rescan_maps(rescan_places[_i].maps, &m);

	ck_assert_int_eq(maps_still_there(&rescan_place, &m, &deleted), rescan_places[_i].there);
	ck_assert_int_eq(deleted, rescan_places[_i].deleted);
	array_done(&m);
	free(text);
}
END_TEST

/* A mapping that is accounted for needs no reading of its file. */
START_TEST(rescan_accounts_for)
{
	struct array m;
	char *text = rescan_maps("7f0000001000-7f0000002000 r-xp 00001000 fe:01 77 /lib/plug.so\n"
				 "7f0000002000-7f0000003000 rwxp 00002000 fe:01 77 /lib/plug.so\n"
				 "7f1000001000-7f1000003000 r-xp 00001000 fe:01 77 /lib/plug.so\n"
				 "7f2000001000-7f2000003000 r-xp 00001000 fe:01 78 /lib/other.so\n",
		&m);
	const struct maps_location refused = {.major = 0xfe, .minor = 1, .inode = 78}, none = {0};
	const struct mapping *at = m.data;

	ck_assert(maps_accounts_for(&rescan_place, &at[0]));
	ck_assert(maps_accounts_for(&rescan_place, &at[1]));
	ck_assert_msg(!maps_accounts_for(&rescan_place, &at[2]), "mapped a second time");
	ck_assert(!maps_accounts_for(&rescan_place, &at[3]));
	ck_assert(maps_accounts_for(&refused, &at[3]));
	ck_assert(!maps_accounts_for(&none, &at[3]));
	array_done(&m);
	free(text);
}
END_TEST

/* ---- sessions ---- */

#define RESCAN_BIAS (WORLD_BIAS + 0x100000)

/* What the next look says: the first object has gone; another one has come. */
static struct rescan_maps {
	const struct world *w;
	bool gone, deleted;
	const char *comes;
	unsigned looks;
} maps;

static int rescan_look(
	struct probes_session *s, struct array *known, struct image *image, struct probes_error *e)
{
	(void)s;
	(void)e;
	maps.looks++;
	image->objects = ARRAY_OF(struct image_object);
	ARRAY_AT(known, struct image_known, 0)->there = !maps.gone;
	ARRAY_AT(known, struct image_known, 0)->deleted = maps.deleted;
	if (maps.comes) {
		struct image_object *o = array_add(&image->objects);

		o->path = strdup(maps.comes);
		o->bias = RESCAN_BIAS;
		o->file = world_file(maps.w);
	}
	maps.comes = NULL;
	return 0;
}

static void rescan_begin(struct session_world *x)
{
	session_begin(x, "");
	maps = (struct rescan_maps){.w = &x->w};
	x->s.read_maps = rescan_look;
}

static void rescan_end(struct session_world *x)
{
	x->w.catalog = x->s.catalog; /* it has become more */
	session_end(x);
}

static struct probes_rescanned rescan_must(struct session_world *x)
{
	struct probes_rescanned what;
	struct probes_error e = {0};

	ck_assert_msg(probes_rescan(&x->s, &what, &e) == 0, "%s: %s", e.what, e.why);
	return what;
}

/* Unmap it, and put bytes of somebody else there. */
static void rescan_unload(struct session_world *x)
{
	for (size_t i = 0; i < 2; i++)
		memset(x->w.fake.regions[i].bytes, 0xa5, x->w.fake.regions[i].size);
	free(x->before);
	x->before = fake_snapshot(&x->w.fake);
	maps.gone = true;
}

START_TEST(rescan_nothing_new)
{
	struct session_world x;
	struct probes_rescanned what;
	uint64_t changes;

	rescan_begin(&x);
	changes = probes_changes(&x.s);
	what = rescan_must(&x);
	ck_assert_uint_eq(what.new_objects + what.gone_objects + what.lost, 0);
	ck_assert_uint_eq(probes_changes(&x.s), changes);
	ck_assert_uint_eq(maps.looks, 1);
	maps.deleted = true;
	rescan_must(&x);
	ck_assert(probes_object_at(&x.s, 0)->deleted);
	ck_assert_uint_ne(probes_changes(&x.s), changes);
	rescan_end(&x);
}
END_TEST

START_TEST(rescan_one_comes)
{
	struct session_world x;
	struct probes_rescanned what;
	const struct probes_probe *first;
	struct probes_error e;
	size_t count;

	rescan_begin(&x);
	count = probes_count(&x.s);
	first = probes_at(&x.s, 0);
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
	maps.comes = "/lib/plug.so";
	world_map(&x.w, RESCAN_BIAS);
	what = rescan_must(&x);
	ck_assert_uint_eq(what.new_objects, 1);
	ck_assert_uint_eq(what.new_probes, count);
	ck_assert_uint_eq(probes_count(&x.s), 2 * count);
	ck_assert_ptr_eq(probes_at(&x.s, 0), first);
	ck_assert_str_eq(
		probes_object_at(&x.s, probes_at(&x.s, count)->object)->path, "/lib/plug.so");
	ck_assert_uint_eq(probes_at(&x.s, count)->sites[0].address,
		probes_at(&x.s, 0)->sites[0].address + RESCAN_BIAS - WORLD_BIAS);
	/* the reading of everything reads these, too */
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
	for (size_t i = 0; i < 2 * count; i++)
		ck_assert_int_ne(probes_live_at(&x.s, i)->state, PROBES_UNKNOWN);
	rescan_end(&x);
}
END_TEST

START_TEST(rescan_one_goes)
{
	struct session_world x;
	struct probes_rescanned what;
	struct probes_result *r = NULL;
	struct probes_error e = {0};

	rescan_begin(&x);
	session_must(&x, PROBES_ENABLE, "one");
	session_must(&x, PROBES_ENABLE, "soft");
	rescan_unload(&x);
	what = rescan_must(&x);
	ck_assert_uint_eq(what.gone_objects, 1);
	ck_assert_uint_eq(what.gone_probes, probes_count(&x.s));
	ck_assert_uint_eq(what.lost, 2);
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	ck_assert(probes_object_at(&x.s, 0)->gone);
	ck_assert_int_eq(probes_live_at(&x.s, 0)->state, PROBES_UNLOADED);
	/* said once */
	what = rescan_must(&x);
	ck_assert_uint_eq(what.gone_objects + what.lost, 0);
	/* read, switched and restored no more */
	fake_reset(&x.w.fake);
	ck_assert_int_eq(probes_refresh(&x.s, NULL, 0, &e), 0);
	ck_assert_int_eq(probes_live_at(&x.s, 0)->state, PROBES_UNLOADED);
	session_must_restore(&x);
	ck_assert_int_lt(session_do(&x, PROBES_DISABLE, "one", NULL, &r, &e), 0);
	ck_assert_int_eq(e.status, PROBES_USAGE);
	probes_result_free(r);
	ck_assert_uint_eq(x.w.fake.writes, 0);
	ck_assert(session_as_found(&x));
	rescan_end(&x);
}
END_TEST

/* By its index it is skipped; named so, an error; either way nothing is written. */
START_TEST(rescan_gone_by_index)
{
	struct session_world x;
	struct probes_result *r = NULL;
	struct probes_error e = {0};
	size_t index;
	struct probes_action a = {.verb = PROBES_ENABLE, .by = PROBES_BY_INDEX, .indices = &index};

	rescan_begin(&x);
	index = world_probe(&x.w, "one");
	a.count = 1;
	rescan_unload(&x);
	rescan_must(&x);
	ck_assert_int_eq(probes_switch(&x.s, &a, 1, NULL, &r, &e), 0);
	ck_assert_uint_eq(r->skipped, 1);
	ck_assert_str_eq(r->items[0].why, "its object has been unloaded");
	probes_result_free(r);
	a.named = true;
	ck_assert_int_lt(probes_switch(&x.s, &a, 1, NULL, &r, &e), 0);
	ck_assert_str_eq(e.why, "its object has been unloaded");
	probes_result_free(r);
	ck_assert(session_as_found(&x));
	rescan_end(&x);
}
END_TEST

/* Nobody looked since it went: what takes back looks itself, and says what it left out. */
START_TEST(rescan_restore_looks)
{
	struct session_world x;
	struct probes_result *r = NULL;
	struct probes_error e = {0};

	rescan_begin(&x);
	session_must(&x, PROBES_ENABLE, "one");
	session_must(&x, PROBES_ENABLE, "unit");
	rescan_unload(&x);
	ck_assert_msg(probes_restore(&x.s, &r, &e) == 0, "%s: %s", e.what, e.why);
	ck_assert_uint_eq(r->skipped, 2);
	ck_assert_uint_eq(r->not_done + r->done + r->edit_count, 0);
	ck_assert_str_eq(
		r->items[0].why, "its object has been unloaded: nothing is left to undo there");
	probes_result_free(r);
	ck_assert(!x.s.keep_journal);
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	ck_assert(session_as_found(&x));
	rescan_end(&x);
}
END_TEST

#define RESCAN_READING 1000 /* instead of a write */

/*
 * It goes between our look and our write, at each write in turn, or before an undo reads it: the
 * rest is switched all the same.
 */
static void rescan_goes(struct fake *f, bool write, void *data)
{
	unsigned *at_write = data;

	if (*at_write == RESCAN_READING ? write : !write || !*at_write || f->writes != *at_write)
		return;
	f->regions[0].absent = f->regions[1].absent = true;
	maps.gone = true;
	*at_write = 0;
}

/* Two objects, the second one is to stay; everything is on or off in both. */
static int rescan_both(struct session_world *x, struct probes_result **r, struct probes_error *e)
{
	const struct probes_action all = {
		.verb = PROBES_ENABLE, .by = PROBES_BY_REGEXP, .text = "one|nop|soft"};

	return probes_switch(&x->s, &all, 1, NULL, r, e);
}

START_TEST(rescan_one_goes_before_a_write)
{
	struct session_world x;
	struct probes_result *r = NULL;
	struct probes_error e = {0};
	bool back = _i >= 6;
	unsigned at_write = (unsigned)(back ? _i - 5 : _i + 1);

	rescan_begin(&x);
	maps.comes = "/lib/plug.so";
	world_map(&x.w, RESCAN_BIAS);
	rescan_must(&x);
	if (back) {
		ck_assert_int_eq(rescan_both(&x, &r, &e), 0);
		probes_result_free(r);
		/* What was switched last is taken back first. */
		at_write = _i == 12 ? RESCAN_READING : at_write + 6;
	}
	fake_reset(&x.w.fake);
	x.w.fake.before = rescan_goes;
	x.w.fake.data = &at_write;
	ck_assert_msg((back ? probes_restore(&x.s, &r, &e) : rescan_both(&x, &r, &e)) == 0,
		"%s: %s (%s)", e.what, e.why, e.hint);
	ck_assert_uint_eq(at_write, 0);
	ck_assert_uint_eq(r->done, 3);
	ck_assert_uint_eq(r->skipped, 3);
	ck_assert_uint_eq(r->not_done, 0);
	for (size_t i = 0; i < r->item_count; i++)
		if (r->items[i].outcome == PROBES_SKIPPED)
			ck_assert_ptr_nonnull(strstr(r->items[i].why, "unloaded"));
	probes_result_free(r);
	x.w.fake.before = NULL;
	ck_assert_uint_eq(probes_owned_count(&x.s), back ? 0 : 3);
	ck_assert_uint_eq(*fake_at(&x.w.fake, RESCAN_BIAS + WORLD_PC(0x11)), back ? 0x3d : 0xe8);
	ck_assert_uint_eq(*fake_at(&x.w.fake, RESCAN_BIAS + WORLD_DATA(0x40)), back ? 0 : 1);
	ck_assert(!x.s.keep_journal);
	session_must_restore(&x);
	ck_assert_uint_eq(*fake_at(&x.w.fake, RESCAN_BIAS + WORLD_DATA(0x40)), 0);
	ck_assert(!x.s.keep_journal);
	rescan_end(&x);
}
END_TEST

/* An undo of one step likewise; a switch before any look sees bytes that are not the probe's. */
START_TEST(rescan_revert_looks)
{
	struct session_world x;
	struct probes_result *done = NULL, *r = NULL;
	struct probes_error e = {0};

	rescan_begin(&x);
	ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "one", NULL, &done, &e), 0);
	rescan_unload(&x);
	ck_assert_int_lt(session_do(&x, PROBES_ENABLE, "one", NULL, &r, &e), 0);
	probes_result_free(r);
	ck_assert(session_as_found(&x));
	ck_assert_int_eq(probes_revert(&x.s, done, &r, &e), 0);
	ck_assert_uint_eq(r->skipped, 1);
	probes_result_free(r);
	probes_result_free(done);
	ck_assert(session_as_found(&x));
	rescan_end(&x);
}
END_TEST

/* The journal no longer names what went: a repair must not look for it in what comes there next. */
START_TEST(rescan_journal_is_struck)
{
	struct session_world x;
	struct journal_text text;
	char bytes[4096];
	int32_t sum = 0;
	ssize_t size;
	FILE *f;

	rescan_begin(&x);
	session_must(&x, PROBES_ENABLE, "one");
	rescan_unload(&x);
	rescan_must(&x);
	f = fopen(x.s.journal.path, "r");
	ck_assert_ptr_nonnull(f);
	size = (ssize_t)fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	ck_assert(journal_parse(bytes, (size_t)size, &text));
	ck_assert_uint_eq(text.pending.count, 0);
	for (size_t i = 0; i < text.made.count; i++) {
		sum += edit_delta(ARRAY_AT(&text.made, struct probes_edit, i));
	}
	ck_assert_int_eq(sum, 0);
	ck_assert_uint_gt(text.made.count, 3);
	journal_text_done(&text);
	rescan_end(&x);
}
END_TEST

/* The same file at another address is new rows and new sites; the old ones stay gone. */
START_TEST(rescan_comes_back)
{
	struct session_world x;
	struct probes_rescanned what;
	size_t count;

	rescan_begin(&x);
	count = probes_count(&x.s);
	session_must(&x, PROBES_ENABLE, "one");
	rescan_unload(&x);
	maps.comes = "/lib/libtest.so";
	world_map(&x.w, RESCAN_BIAS);
	free(x.before);
	x.before = fake_snapshot(&x.w.fake);
	what = rescan_must(&x);
	ck_assert_uint_eq(what.gone_probes, count);
	ck_assert_uint_eq(what.new_probes, count);
	session_must(&x, PROBES_ENABLE, "one");
	ck_assert(probes_live_at(&x.s, count + world_probe(&x.w, "one"))->mine);
	ck_assert_int_eq(probes_live_at(&x.s, world_probe(&x.w, "one"))->state, PROBES_UNLOADED);
	session_must_restore(&x);
	ck_assert(session_as_found(&x));
	rescan_end(&x);
}
END_TEST

Suite *rescan_suite(void)
{
	Suite *s = suite_create("rescan");
	TCase *c = tcase_create("rescan");

	tcase_add_loop_test(c, rescan_is_it_there, 0, sizeof rescan_places / sizeof *rescan_places);
	tcase_add_test(c, rescan_accounts_for);
	tcase_add_test(c, rescan_nothing_new);
	tcase_add_test(c, rescan_one_comes);
	tcase_add_test(c, rescan_one_goes);
	tcase_add_test(c, rescan_gone_by_index);
	tcase_add_test(c, rescan_restore_looks);
	tcase_add_loop_test(c, rescan_one_goes_before_a_write, 0, 13);
	tcase_add_test(c, rescan_revert_looks);
	tcase_add_test(c, rescan_journal_is_struck);
	tcase_add_test(c, rescan_comes_back);
	suite_add_tcase(s, c);
	return s;
}
