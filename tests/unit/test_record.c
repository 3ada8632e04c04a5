/*
 * Covers the record that session/change.c keeps: at each write it is on disk already, at each end
 * of a change it says so; without a journal one goes on and says it once; where the disk is full
 * nothing more is switched, and what is ours can still be taken back; what another session's record
 * says of a count that was lowered under us; that what others took away is reconciled once it
 * is seen, in what is owned and on record. Not covered: the form of a
 * journal (test_journal), killed sessions (stress/kills.sh, e2e/cli-repair.sh).
 */
#include "session_world.h"

#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what is on disk ---- */

static void record_read(const struct session_world *x, struct journal_text *text)
{
	unsigned char bytes[4096];
	int fd = open(x->s.journal.path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);

	ck_assert_int_ge(size, 0);
	close(fd);
	ck_assert(journal_parse(bytes, (size_t)size, text));
}

static bool record_names(const struct array *writes, uint64_t address)
{
	for (size_t i = 0; i < writes->count; i++)
		if (ARRAY_AT(writes, struct probes_edit, i)->address == address)
			return true;
	return false;
}

/* ---- before the first write ---- */

struct record_watch {
	struct session_world *x;
	unsigned writes; /* before which everything was on record */
};

/* All writes of this change are on record before the first of them is made. */
static void record_look(struct fake *f, bool write, void *data)
{
	struct record_watch *watch = data;
	struct journal_text text;

	(void)f;
	if (!write)
		return;
	record_read(watch->x, &text);
	ck_assert(record_names(&text.pending, WORLD_BIAS + WORLD_PC(0x11)));
	ck_assert(record_names(&text.pending, WORLD_BIAS + WORLD_PC(0x21)));
	ck_assert(record_names(&text.pending, WORLD_BIAS + WORLD_DATA(0x12)));
	watch->writes++;
	journal_text_done(&text);
}

START_TEST(record_precedes_every_write)
{
	struct session_world x;
	struct record_watch watch = {.x = &x};
	struct journal_text text;

	session_begin(&x, "");
	x.w.fake.before = record_look;
	x.w.fake.data = &watch;
	session_must(&x, PROBES_ENABLE, "one");
	ck_assert_uint_eq(watch.writes, 3);
	record_read(&x, &text); /* and its end is told */
	ck_assert_uint_eq(text.pending.count, 0);
	ck_assert_uint_eq(text.made.count, 3);
	journal_text_done(&text);
	session_must_restore(&x);
	ck_assert_uint_eq(watch.writes, 6);
	session_end(&x);
}
END_TEST

/* What failed and was undone is on record as that. */
START_TEST(record_of_what_was_undone)
{
	struct session_world x;
	struct probes_result *r = NULL;
	struct journal_text text;
	struct probes_error e;

	session_begin(&x, "");
	x.w.fake.fail_write = 3;
	ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "one", NULL, &r, &e), -EIO);
	probes_result_free(r);
	record_read(&x, &text);
	ck_assert_uint_eq(text.pending.count, 0);
	ck_assert_uint_eq(text.made.count, 0);
	journal_text_done(&text);
	session_end(&x);
}
END_TEST

/* ---- where none can be kept ---- */

START_TEST(record_cannot_begin)
{
	struct session_world x;
	char *first;

	session_begin(&x, "");
	ck_assert_int_eq(setenv("PROBES_TUI_RECORDS", "/proc/self/fdinfo/records", 1), 0);
	session_must(&x, PROBES_ENABLE, "one");
	first = strstr(x.said, "no journal can be kept in /proc/self/fdinfo/records (");
	ck_assert_ptr_nonnull(first);
	session_must(&x, PROBES_ENABLE, "soft");
	ck_assert_ptr_null(strstr(first + 1, "no journal")); /* once */
	session_must_restore(&x);
	ck_assert(session_as_found(&x));
	session_end(&x);
}
END_TEST

/* From here on no file of ours may grow. */
static void record_fill_up(const struct session_world *x, struct rlimit *before)
{
	struct rlimit none;
	struct stat st;

	ck_assert_int_eq(fstat(x->s.journal.fd, &st), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, before), 0);
	none = (struct rlimit){(rlim_t)st.st_size, before->rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
}

START_TEST(record_is_full)
{
	struct session_world x;
	struct probes_result *r = NULL;
	struct journal_text text;
	struct rlimit before;
	struct probes_error e = {0};
	unsigned writes;
	int code;

	session_begin(&x, "");
	session_must(&x, PROBES_ENABLE, "one");
	writes = x.w.fake.writes;
	record_fill_up(&x, &before);
	code = session_do(&x, PROBES_ENABLE, "soft", NULL, &r, &e);
	setrlimit(RLIMIT_FSIZE, &before);
	probes_result_free(r);
	ck_assert_int_eq(code, -EFBIG);
	ck_assert_ptr_nonnull(strstr(e.what, "put on record"));
	ck_assert_uint_eq(x.w.fake.writes, writes); /* nothing at all */
	record_read(&x, &text);                     /* what was there is whole */
	ck_assert_uint_eq(text.made.count, 3);
	ck_assert_uint_eq(text.pending.count, 0);
	journal_text_done(&text);
	/* Taking back must work all the same. */
	record_fill_up(&x, &before);
	code = probes_restore(&x.s, &r, &e);
	setrlimit(RLIMIT_FSIZE, &before);
	probes_result_free(r);
	ck_assert_int_eq(code, 0);
	ck_assert(session_as_found(&x));
	ck_assert_ptr_nonnull(strstr(x.said, "no journal can be kept"));
	session_end(&x);
}
END_TEST

/* Two of them, neither of which can be undone: both say why, as long as the result lives. */
START_TEST(record_of_several_is_one_result)
{
	struct probes_result *r = NULL;
	struct session_world x;
	struct probes_error e;

	session_begin(&x, "b11=cc c12=1 b31=0 c20=1");
	session_leave_record(&x, 0x12, JOURNAL_MADE, 0, 1);
	session_leave_record(&x, 0x20, JOURNAL_MADE, 0, 1);
	ck_assert_int_eq(probes_repair(&x.s, &r, &e), 0);
	ck_assert_uint_eq(r->item_count, 2);
	ck_assert_uint_eq(r->text_count, 2);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_int_eq(r->items[i].outcome, PROBES_NOT_DONE);
		ck_assert_ptr_nonnull(strstr(r->items[i].why, "another tool holds its site"));
	}
	probes_result_free(r);
	session_end(&x);
}
END_TEST

/*
 * It was killed in the middle of a switch, and others count there, too: as long as the count has
 * neither of its values, the record stays, and says so each time.
 */
START_TEST(record_in_doubt)
{
	unsigned value = (unsigned)_i;
	bool clear = value == 0 || value == 2;
	struct probes_leftover *left = NULL;
	struct probes_result *r = NULL;
	struct session_world x;
	struct probes_error e;
	size_t count;

	session_begin(&x, "");
	world_set_count(&x.w, WORLD_DATA(0x32), (uint16_t)value);
	session_leave_record(&x, 0x32, JOURNAL_INTENT, 0, 2);
	for (int attempt = 0; attempt < 2; attempt++) {
		ck_assert_int_eq(probes_repair(&x.s, &r, &e), 0);
		ck_assert_uint_eq(r ? r->not_done : 0, !clear);
		if (!clear)
			ck_assert_ptr_nonnull(strstr(r->items[r->item_count - 1].why,
				"neither 0 nor 2: others count there, too"));
		probes_result_free(r);
		ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x32)), clear ? 0 : value);
		ck_assert_int_eq(probes_leftovers(&x.s, &left, &count, &e), 0);
		ck_assert_uint_eq(count, !clear);
		ck_assert(clear || left->interrupted);
		free(left);
	}
	if (!clear) {
		world_set_count(&x.w, WORLD_DATA(0x32), 2);
		ck_assert_int_eq(probes_repair(&x.s, &r, &e), 0);
		probes_result_free(r);
	}
	ck_assert(session_as_found(&x));
	session_end(&x);
}
END_TEST

/* The journal of another living session, which added so much to the count of "soft". */
static void record_of_another(
	const struct session_world *x, struct journal *j, uint16_t old, uint16_t new_)
{
	struct probes_edit edit = edit_semaphore(WORLD_BIAS + WORLD_DATA(0x32), old, new_);
	const struct array edits = {.data = &edit, .count = 1, .size = sizeof edit};

	ck_assert_int_eq(journals_open(j, x->s.who.pid, x->s.who.start_time, x->s.who.program), 0);
	ck_assert_int_eq(journal_record(j, JOURNAL_MADE, &edits, NULL), 0);
}

/* What others have removed is not left, unless who lowered it will raise it again. */
START_TEST(record_of_what_others_removed)
{
	struct probes_leftover *left = NULL;
	struct probes_result *r = NULL;
	struct session_world x;
	struct probes_error e;
	struct journal j;
	size_t count;

	session_begin(&x, "");
	session_leave_record(&x, 0x32, JOURNAL_MADE, 0, 1);
	for (unsigned value = 0; value < 2; value++) {
		world_set_count(&x.w, WORLD_DATA(0x32), (uint16_t)value);
		ck_assert_int_eq(probes_leftovers(&x.s, &left, &count, &e), 0);
		ck_assert_uint_eq(count, 1);
		ck_assert_uint_eq(left->changes, value);
		free(left);
	}
	world_set_count(&x.w, WORLD_DATA(0x32), 0);
	record_of_another(&x, &j, 1, 0);
	ck_assert_int_eq(probes_leftovers(&x.s, &left, &count, &e), 0);
	ck_assert_uint_eq(left->changes, 1);
	free(left);
	journal_remove(&j);
	ck_assert_int_eq(probes_repair(&x.s, &r, &e), 0);
	probes_result_free(r);
	session_end(&x);
}
END_TEST

/* ---- older versions ---- */

/* The edits of PTUIJ2 and PTUIJ3, as journal.h describes them. */
#define RECORD_SITE(pc)                                  \
	{                                                \
		WORLD_BIAS + WORLD_PC(pc), 0x3d, 0xe8, 1 \
	}
#define RECORD_COUNT(at)                             \
	{                                            \
		WORLD_BIAS + WORLD_DATA(at), 0, 1, 0 \
	}

struct record_old {
	uint64_t address;
	uint16_t old, new_;
	uint32_t is_site;
};

/* A journal of that version: "one" was switched on, "unit" was to be. Its owner is dead. */
static void record_leave_old(const struct session_world *x, int version)
{
	static const struct record_old one[] = {
		RECORD_SITE(0x11), RECORD_SITE(0x21), RECORD_COUNT(0x12)};
	static const struct record_old unit[] = {
		RECORD_SITE(0x31), RECORD_SITE(0x41), RECORD_COUNT(0x20), RECORD_COUNT(0x24)};
	static const uint32_t intent_one[] = {1, 3}, done[] = {2, 0}, intent_unit[] = {1, 4};
	uint64_t header[JOURNAL_HEADER / 8] = {0};
	struct journal_key here;
	pid_t dead = fork();
	char path[300];
	FILE *f;

	if (dead == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(dead, NULL, 0), dead);
	journal_here(&here);
	memcpy(header, version == 2 ? "PTUIJ2" : "PTUIJ3", 6);
	header[1] = (uint64_t)dead << 32 | (uint32_t)x->s.who.pid;
	header[2] = x->s.who.start_time;
	header[3] = x->s.who.program;
	header[5] = here.pids;
	header[6] = here.boot[0];
	header[7] = here.boot[1];
	header[8] = 1; /* locked */
	if (mkdir(x->records, 0700) < 0)
		ck_assert_int_eq(errno, EEXIST);
	snprintf(path, sizeof path, "%s/%d-%llu-%d-0", x->records, x->s.who.pid,
		(unsigned long long)x->s.who.start_time, dead);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fwrite(header, version == 2 ? JOURNAL_HEADER_2 : JOURNAL_HEADER, 1, f);
	fwrite(intent_one, sizeof intent_one, 1, f);
	fwrite(one, sizeof one, 1, f);
	fwrite(done, sizeof done, 1, f);
	fwrite(intent_unit, sizeof intent_unit, 1, f);
	fwrite(unit, sizeof unit, 1, f);
	ck_assert_int_eq(fclose(f), 0);
}

/*
 * A journal of an older version is repaired, also in two attempts: what the first one could not
 * undo stays on record, followed by blocks of the present version.
 */
START_TEST(record_of_an_older_version)
{
	struct probes_leftover *left = NULL;
	struct probes_result *r = NULL;
	struct session_world x;
	struct probes_error e;
	size_t count;

	session_begin(&x, "");
	script_setup(&x.w, "b11=cc b21=e8 c12=1 b31=e8 b41=e8 c20=1");
	record_leave_old(&x, _i);
	ck_assert_int_eq(probes_leftovers(&x.s, &left, &count, &e), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(left->unjudged, "");
	ck_assert_uint_eq(left->changes, 1);
	ck_assert(left->interrupted);
	free(left);
	ck_assert_int_eq(probes_repair(&x.s, &r, &e), 0);
	ck_assert_uint_eq(r->not_done, 1); /* "one", which another tool holds */
	ck_assert_uint_eq(r->done, 1);
	probes_result_free(r);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x12)), 1);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x20)), 0);
	ck_assert_uint_eq(*world_byte(&x.w, WORLD_PC(0x41)), 0x3d);
	ck_assert_int_eq(probes_leftovers(&x.s, &left, &count, &e), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(left->changes, 1);
	ck_assert(!left->interrupted);
	free(left);
	script_setup(&x.w, "b11=e8");
	ck_assert_int_eq(probes_repair(&x.s, &r, &e), 0);
	ck_assert_uint_eq(r->done, 1);
	probes_result_free(r);
	ck_assert(session_as_found(&x));
	ck_assert_int_eq(probes_leftovers(&x.s, &left, &count, &e), 0);
	ck_assert_uint_eq(count, 0);
	free(left);
	session_end(&x);
}
END_TEST

/* ---- another session at the same count ---- */

/* It lowered the count, and will raise it again: our part is not reconciled until it has. */
START_TEST(record_of_another_that_lowered)
{
	struct probes_result *r = NULL;
	struct session_world x;
	struct probes_error e;
	struct journal j;

	session_begin(&x, "");
	session_must(&x, PROBES_ENABLE, "soft");
	world_set_count(&x.w, WORLD_DATA(0x32), 0);
	record_of_another(&x, &j, 1, 0);
	for (int way = 0; way < 2; way++) {
		ck_assert_int_eq(probes_restore(&x.s, &r, &e), 0);
		ck_assert_uint_eq(r->not_done, 1);
		ck_assert_ptr_nonnull(strstr(r->items[0].why, "has lowered its count"));
		probes_result_free(r);
		ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x32)), 0);
		ck_assert_uint_eq(probes_owned_count(&x.s), 1);
		ck_assert(x.s.keep_journal);
	}
	/* it goes */
	world_set_count(&x.w, WORLD_DATA(0x32), 1);
	journal_remove(&j);
	session_must_restore(&x);
	ck_assert(session_as_found(&x));
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	ck_assert(!x.s.keep_journal);
	session_end(&x);
}
END_TEST

/* It has raised the count, or is square: somebody else took our part away, for good. */
START_TEST(record_of_another_that_did_not)
{
	struct session_world x;
	struct journal j;

	session_begin(&x, "");
	session_must(&x, PROBES_ENABLE, "soft");
	session_must(&x, PROBES_DISABLE, "soft");
	session_must(&x, PROBES_ENABLE, "soft");
	world_set_count(&x.w, WORLD_DATA(0x32), 0);
	record_of_another(&x, &j, _i, 1);
	session_must_restore(&x);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x32)), 0);
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	journal_remove(&j);
	session_end(&x);
}
END_TEST

/* This session's part of a count by its own record. */
static int32_t record_part(const struct session_world *x, uint64_t count)
{
	struct journal_text text;
	int32_t part = 0;

	record_read(x, &text);
	for (size_t i = 0; i < text.made.count; i++) {
		const struct probes_edit *edit = ARRAY_AT(&text.made, struct probes_edit, i);

		if (edit->address == WORLD_BIAS + WORLD_DATA(count))
			part += edit_delta(edit);
	}
	journal_text_done(&text);
	return part;
}

static void record_look_at(struct session_world *x, uint16_t count)
{
	struct probes_error e;

	world_set_count(&x->w, WORLD_DATA(0x32), count);
	ck_assert_int_eq(probes_refresh(&x->s, NULL, 0, &e), 0);
}

/* Somebody took our part away, and it was seen: what a third party counts later is not ours. */
START_TEST(record_settles_what_is_gone)
{
	struct probes_result *done = NULL, *again = NULL, *r = NULL;
	struct session_world x;
	struct probes_error e;

	session_begin(&x, "");
	ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "soft", NULL, &done, &e), 0);
	record_look_at(&x, 2);
	ck_assert_uint_eq(probes_owned_count(&x.s), 1);
	ck_assert_int_eq(record_part(&x, 0x32), 1);
	record_look_at(&x, 0);
	ck_assert_uint_eq(probes_owned_count(&x.s), 0);
	ck_assert_int_eq(record_part(&x, 0x32), 0);
	record_look_at(&x, 1);
	ck_assert(!world_live(&x.w, "soft")->mine);
	/* A later switch is ours, and undone first. */
	ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "soft", NULL, &again, &e), 0);
	ck_assert(world_live(&x.w, "soft")->mine);
	ck_assert_int_eq(probes_revert(&x.s, again, &r, &e), 0);
	probes_result_free(r);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x32)), 1);
	ck_assert_int_eq(probes_revert(&x.s, done, &r, &e), 0);
	ck_assert_uint_eq(r->edit_count, 0);
	probes_result_free(r);
	session_must_restore(&x);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x32)), 1);
	probes_result_free(done);
	probes_result_free(again);
	session_end(&x);
}
END_TEST

/* Of a count of several parts that of ours is gone which the count cannot hold any more. */
START_TEST(record_settles_a_part)
{
	struct session_world x;

	session_begin(&x, "");
	session_must(&x, PROBES_ENABLE, "soft");
	session_must(&x, PROBES_ENABLE, "soft");
	record_look_at(&x, 1);
	ck_assert_int_eq(record_part(&x, 0x32), 1);
	record_look_at(&x, 3);
	session_must_restore(&x);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x32)), 2);
	session_end(&x);
}
END_TEST

/* Another session has lowered the count: reconciled only once that does not raise it again. */
START_TEST(record_settles_nothing_that_comes_back)
{
	struct session_world x;
	struct journal j;

	session_begin(&x, "");
	session_must(&x, PROBES_ENABLE, "soft");
	record_of_another(&x, &j, 1, 0);
	record_look_at(&x, 0);
	ck_assert_uint_eq(probes_owned_count(&x.s), 1);
	ck_assert_int_eq(record_part(&x, 0x32), 1);
	if (_i) /* it left the count so */
		journal_remove(&j);
	record_look_at(&x, 0);
	ck_assert_uint_eq(probes_owned_count(&x.s), !_i);
	record_look_at(&x, 1);
	journal_remove(&j);
	session_must_restore(&x);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x32)), _i);
	session_end(&x);
}
END_TEST

Suite *record_suite(void)
{
	Suite *s = suite_create("record");
	TCase *t = tcase_create("record");

	tcase_add_test(t, record_precedes_every_write);
	tcase_add_test(t, record_of_what_was_undone);
	tcase_add_test(t, record_cannot_begin);
	tcase_add_test(t, record_is_full);
	tcase_add_test(t, record_of_several_is_one_result);
	tcase_add_loop_test(t, record_in_doubt, 0, 4);
	tcase_add_test(t, record_of_what_others_removed);
	tcase_add_loop_test(t, record_of_an_older_version, 2, 4);
	tcase_add_test(t, record_of_another_that_lowered);
	tcase_add_loop_test(t, record_of_another_that_did_not, 0, 2);
	tcase_add_test(t, record_settles_what_is_gone);
	tcase_add_test(t, record_settles_a_part);
	tcase_add_loop_test(t, record_settles_nothing_that_comes_back, 0, 2);
	suite_add_tcase(s, t);
	return s;
}
