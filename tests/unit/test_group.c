/*
 * Covers session/group.c, session/fork.c and probes_switch_options.once: what a forked child has
 * inherited, on a copy of a made-up memory; members, and undoing in them. Not covered: the search
 * for children and the sweep of live processes (e2e/tui-fork, e2e/cli-births, stress/births).
 */
#include "process/procfs.h"
#include "session/group.h"
#include "session_world.h"

#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a forked child ---- */

/* A process that is really forked, with a copy of the world's memory. One at a time. */
struct group_child {
	struct probes_session s;
	struct session_world *parent;
	unsigned char *copy;
};

static struct group_child *group_current;

static void group_exchange(const struct group_child *c)
{
	const struct fake *f = &c->parent->w.fake;
	size_t at = 0;

	for (size_t i = 0; i < f->region_count; i++)
		for (size_t k = 0; k < f->regions[i].size; k++, at++) {
			unsigned char byte = c->copy[at];

			c->copy[at] = f->regions[i].bytes[k];
			f->regions[i].bytes[k] = byte;
		}
}

static int group_read(struct memory *m, struct spans *spans, unsigned char *buffer)
{
	int r;

	group_exchange(group_current);
	r = group_current->parent->w.fake.memory.ops->read(m, spans, buffer);
	group_exchange(group_current);
	return r;
}

static int group_write(struct memory *m, uint64_t address, const void *bytes, size_t length)
{
	int r;

	group_exchange(group_current);
	r = group_current->parent->w.fake.memory.ops->write(m, address, bytes, length);
	group_exchange(group_current);
	return r;
}

static void group_fork(struct group_child *c, struct session_world *parent)
{
	static const struct memory_ops ops = {.read = group_read, .write = group_write};
	struct probes_object info = {.path = "/lib/libtest.so", .bias = WORLD_BIAS};
	struct object_probes *h;
	struct probes_error e;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		for (;;)
			pause();
	*c = (struct group_child){.parent = parent, .copy = fake_snapshot(&parent->w.fake)};
	group_current = c;
	c->s = (struct probes_session){.process = true,
		.memory = {.ops = &ops, .pid = 1, .fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC)},
		.journal.fd = -1,
		.pagemap = -1};
	catalog_init(&c->s.catalog);
	ck_assert_int_eq(object_probes_new(&info, world_file(&parent->w), "", true, &h, &e), 0);
	ck_assert(catalog_add(&c->s.catalog, h));
	ck_assert_int_eq(identity_open(&c->s.who, pid, &e), 0);
}

static void group_end_child(struct group_child *c)
{
	pid_t pid = c->s.who.pid;

	journal_remove(&c->s.journal);
	if (c->s.all_ready)
		reader_done(&c->s.all);
	for (size_t i = 0; i < c->s.catalog.objects.count; i++)
		ownership_end(catalog_object(&c->s.catalog, i));
	catalog_done(&c->s.catalog);
	identity_close(&c->s.who);
	close(c->s.memory.fd);
	free(c->copy);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

/* Bytes of the child as script_setup puts them, "" for none. */
static void group_change(struct group_child *c, const char *setup)
{
	if (!*setup)
		return;
	group_exchange(c);
	script_setup(&c->parent->w, setup);
	group_exchange(c);
}

static unsigned group_count(struct group_child *c, uint64_t vaddr)
{
	unsigned count;

	group_exchange(c);
	count = world_count(&c->parent->w, vaddr);
	group_exchange(c);
	return count;
}

/* "+one": one switch of the parent; "": none. */
static void group_switch(struct session_world *x, const char *step)
{
	if (*step)
		session_must(x, *step == '+' ? PROBES_ENABLE : PROBES_DISABLE, step + 1);
}

/* ---- what a child inherited ---- */

static const struct {
	const char *before, *amid; /* switches before and after the fork */
	const char *child;         /* what else the child's memory holds */
	bool after;                /* the child was born after the parent's last change */
	size_t inherited, doubt;
	bool clean; /* after an undo in the child: as before the first switch */
} group_cases[] = {
	{"+one", "", "", true, 1, 0, true},
	{"+one", "", "", false, 1, 0, true},
	{"+nop", "", "", true, 1, 0, true}, /* two counts */
	/* the parent's last change came after the copy, or so it may be */
	{"+one", "-one", "", false, 1, 0, true},
	{"+one", "+nop", "", false, 1, 0, true},
	{"", "+one", "", false, 0, 0, true},
	/* born after the change: whoever holds the count, it is not this session */
	{"+one", "-one", "", true, 0, 0, false},
	/* others count there: the session's part is unknown */
	{"+one", "", "c12=5", true, 0, 1, false},
	{"+one", "", "c12=5", false, 0, 1, false},
	/* between the writes of one change: the sites must follow the count */
	{"+one", "", "b11=3d", false, 1, 0, true},
	{"+one", "", "b11=3d b21=3d", false, 1, 0, true},
};

START_TEST(group_child_inherits)
{
	struct probes_result *r = NULL;
	struct probes_error e = {0};
	struct session_world x;
	struct group_child c;
	struct array doubt = ARRAY_OF(struct probes_edit);
	size_t count;

	session_begin(&x, "");
	group_switch(&x, group_cases[_i].before);
	if (!*group_cases[_i].before)
		x.s.first_switch_ticks = 1; /* of another probe, say */
	group_fork(&c, &x);
	group_switch(&x, group_cases[_i].amid);
	group_change(&c, group_cases[_i].child);
	ck_assert_int_eq(fork_inherit(&c.s, &x.s, group_cases[_i].after, &doubt, &count, &e), 0);
	ck_assert_uint_eq(count, group_cases[_i].inherited);
	ck_assert_uint_eq(doubt.count, group_cases[_i].doubt);
	ck_assert_uint_eq(probes_owned_count(&c.s), count);
	ck_assert_int_eq(c.s.journal.fd >= 0, count > 0); /* recorded for a repair */
	ck_assert_msg(switch_restore_until(&c.s, c.s.inherited_seq, &r, &e) == 0, "%s: %s", e.what,
		e.why);
	ck_assert_uint_eq(probes_owned_count(&c.s), 0);
	group_exchange(&c);
	ck_assert_int_eq(session_as_found(&x), group_cases[_i].clean);
	group_exchange(&c);
	probes_result_free(r);
	array_done(&doubt);
	group_end_child(&c);
	session_end(&x);
}
END_TEST

/* What was switched in the child itself is no inheritance. */
START_TEST(group_keeps_later_switches)
{
	const struct probes_action on = {
		.verb = PROBES_ENABLE, .by = PROBES_BY_NAME, .text = "soft"};
	struct probes_result *r = NULL;
	struct probes_error e;
	struct session_world x;
	struct group_child c;
	struct array doubt = ARRAY_OF(struct probes_edit);
	size_t count;

	session_begin(&x, "");
	group_switch(&x, "+one");
	group_fork(&c, &x);
	ck_assert_int_eq(fork_inherit(&c.s, &x.s, true, &doubt, &count, &e), 0);
	ck_assert_int_eq(probes_switch(&c.s, &on, 1, NULL, &r, &e), 0);
	probes_result_free(r);
	ck_assert_uint_eq(ownership_owned_count(&c.s, c.s.inherited_seq), 1);
	ck_assert_uint_eq(probes_owned_count(&c.s), 2);
	ck_assert_int_eq(switch_restore_until(&c.s, c.s.inherited_seq, &r, &e), 0);
	ck_assert_uint_eq(group_count(&c, WORLD_DATA(0x12)), 0);
	ck_assert_uint_eq(group_count(&c, WORLD_DATA(0x32)), 1);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x12)), 1); /* the parent's own */
	probes_result_free(r);
	array_done(&doubt);
	group_end_child(&c);
	session_end(&x);
}
END_TEST

/* ---- a child, and the repair of its parent ---- */

/* All of one count. `dead`, `living`: what sessions that were killed, and one that lives, wrote
 * there, as digits: "01" from 0 to 1. */
static const struct {
	const char *dead[2], *living;
	unsigned parent, child, left; /* before; what the child has after it */
	size_t doubt;
} group_repairs[] = {
	{{"01", "12"}, "", 2, 2, 0, 0},
	{{"01", "12"}, "", 2, 1, 0, 0},
	{{"01", "12"}, "", 2, 0, 0, 0},
	{{"12", "01"}, "", 2, 2, 0, 0}, /* found in another order */
	{{"01", "12"}, "", 2, 3, 3, 1},
	/* the living one's stays, whoever was first */
	{{"01", ""}, "12", 2, 2, 1, 0},
	{{"01", ""}, "12", 2, 1, 0, 0},
	{{"12", ""}, "01", 2, 2, 1, 0},
	{{"12", ""}, "01", 2, 1, 1, 0},
	{{"01", "23"}, "12", 3, 3, 1, 0},
	{{"01", "23"}, "12", 3, 2, 1, 0},
	{{"01", "23"}, "12", 3, 1, 0, 0},
	/* somebody else raised the parent's, too, and keeps no record */
	{{"01", ""}, "", 2, 2, 1, 0},
	{{"01", ""}, "", 2, 1, 1, 1},
	{{"01", ""}, "", 2, 0, 0, 0},
};

START_TEST(group_child_of_a_repair)
{
	struct probes_result *r = NULL;
	struct session_world x;
	struct journal living = {.fd = -1};
	struct group_child c;
	struct probes_error e;
	struct array doubt = ARRAY_OF(struct probes_edit);
	size_t count;

	session_begin(&x, "");
	for (int i = 0; i < 2; i++)
		if (*group_repairs[_i].dead[i])
			session_leave_record(&x, 0x32, JOURNAL_MADE,
				(unsigned)(group_repairs[_i].dead[i][0] - '0'),
				(unsigned)(group_repairs[_i].dead[i][1] - '0'));
	if (*group_repairs[_i].living) {
		struct probes_edit edit = edit_semaphore(WORLD_BIAS + WORLD_DATA(0x32),
			(unsigned)(group_repairs[_i].living[0] - '0'),
			(unsigned)(group_repairs[_i].living[1] - '0'));
		const struct array edits = {.data = &edit, .count = 1, .size = sizeof edit};

		ck_assert_int_eq(
			journals_open(&living, x.s.who.pid, x.s.who.start_time, x.s.who.program),
			0);
		ck_assert_int_eq(journal_record(&living, JOURNAL_MADE, &edits, NULL), 0);
	}
	world_set_count(&x.w, WORLD_DATA(0x32), (uint16_t)group_repairs[_i].child);
	group_fork(&c, &x);
	world_set_count(&x.w, WORLD_DATA(0x32), (uint16_t)group_repairs[_i].parent);
	/* later than the birth */
	while (procfs_now() <= c.s.who.start_time)
		;
	ck_assert_int_eq(probes_repair(&x.s, &r, &e), 0);
	probes_result_free(r);
	ck_assert_int_eq(fork_inherit(&c.s, &x.s, false, &doubt, &count, &e), 0);
	ck_assert_uint_eq(doubt.count, group_repairs[_i].doubt);
	ck_assert_int_eq(probes_restore(&c.s, &r, &e), 0);
	probes_result_free(r);
	ck_assert_uint_eq(group_count(&c, WORLD_DATA(0x32)), group_repairs[_i].left);
	/* in doubt: all that was raised may be in it, or nothing */
	if (doubt.count) {
		const struct probes_edit *edit = doubt.data;
		unsigned most = group_repairs[_i].parent < group_repairs[_i].child
					? group_repairs[_i].parent
					: group_repairs[_i].child;

		ck_assert_uint_eq(edit_value(edit->old), 0);
		ck_assert_uint_eq(edit_value(edit->new_), most);
	}
	array_done(&doubt);
	journal_remove(&living);
	group_end_child(&c);
	session_end(&x);
}
END_TEST

/* It is forked between the two steps of a repair that undoes two records. */
START_TEST(group_child_amid_a_repair)
{
	struct probes_result *r = NULL;
	struct session_world x;
	struct group_child c;
	struct probes_error e;
	struct array doubt = ARRAY_OF(struct probes_edit);
	size_t count;

	session_begin(&x, "");
	session_must(&x, PROBES_ENABLE, "soft");
	session_must(&x, PROBES_ENABLE, "soft");
	group_fork(&c, &x);
	x.s.repairing = true;
	x.s.change_seq++;
	session_must(&x, PROBES_DISABLE, "soft");
	session_must(&x, PROBES_DISABLE, "soft");
	group_exchange(&c);
	world_set_count(&x.w, WORLD_DATA(0x32), (uint16_t)_i);
	group_exchange(&c);
	ck_assert_int_eq(fork_inherit(&c.s, &x.s, false, &doubt, &count, &e), 0);
	ck_assert_uint_eq(doubt.count, _i == 3);
	ck_assert_uint_eq(count, _i == 1 || _i == 2);
	ck_assert_int_eq(probes_restore(&c.s, &r, &e), 0);
	probes_result_free(r);
	ck_assert_uint_eq(group_count(&c, WORLD_DATA(0x32)), _i == 3 ? 3 : 0);
	array_done(&doubt);
	group_end_child(&c);
	session_end(&x);
}
END_TEST

START_TEST(group_knows_the_origin)
{
	struct session_world x;
	struct group_child c;
	struct probes_session *sessions[] = {&x.s};
	struct tree_link link = {.forked = true};
	uint64_t program;

	session_begin(&x, "");
	group_fork(&c, &x);
	link.pid = c.s.who.pid;
	link.parent = getpid();
	link.start_time = c.s.who.start_time;
	/* nothing was switched before the fork */
	ck_assert_ptr_null(fork_origin(sessions, 1, &link, &program));
	x.s.first_switch_ticks = link.start_time + 1;
	ck_assert_ptr_null(fork_origin(sessions, 1, &link, &program));
	ck_assert(!fork_is_child(&c.s, &x.s));
	x.s.first_switch_ticks = link.start_time;
	ck_assert_ptr_eq(fork_origin(sessions, 1, &link, &program), &x.s);
	ck_assert_uint_eq(program, x.s.who.program);
	ck_assert(fork_is_child(&c.s, &x.s));
	ck_assert(!fork_is_child(&x.s, &x.s)); /* the same memory, as after vfork */
	/* a parent that has ended, or executed another program */
	link.parent = 1;
	ck_assert_ptr_eq(fork_origin(sessions, 1, &link, &program), &x.s);
	x.s.who.program++;
	ck_assert_ptr_null(fork_origin(sessions, 1, &link, &program));
	ck_assert(!fork_is_child(&c.s, &x.s));
	x.s.who.program--;
	group_end_child(&c);
	session_end(&x);
}
END_TEST

/* ---- one party ---- */

START_TEST(group_raises_once)
{
	struct probes_switch_options once = {.once = true};
	struct probes_result *r = NULL;
	struct probes_error e;
	struct session_world x;

	session_begin(&x, "c40=3");
	ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "one", &once, &r, &e), 0);
	ck_assert_uint_eq(r->already, 0);
	ck_assert_uint_eq(r->done, 1);
	probes_result_free(r);
	ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "one", &once, &r, &e), 0);
	ck_assert_uint_eq(r->already, 1);
	ck_assert_uint_eq(r->item_count + r->edit_count, 0);
	probes_result_free(r);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x12)), 1);
	/* what others hold is raised, and what is held is lowered */
	ck_assert_int_eq(session_do(&x, PROBES_ENABLE, "nop", &once, &r, &e), 0);
	ck_assert_uint_eq(r->already, 0);
	probes_result_free(r);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x40)), 4);
	ck_assert_int_eq(session_do(&x, PROBES_DISABLE, "one", &once, &r, &e), 0);
	probes_result_free(r);
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x12)), 0);
	/* without it, every call counts */
	session_must(&x, PROBES_ENABLE, "one");
	session_must(&x, PROBES_ENABLE, "one");
	ck_assert_uint_eq(world_count(&x.w, WORLD_DATA(0x12)), 2);
	session_end(&x);
}
END_TEST

/* ---- members ---- */

START_TEST(group_keeps_what_cannot_be_opened)
{
	const pid_t absent[] = {2147483647, 2147483646};
	struct probes_group *g;
	struct probes_error e;

	ck_assert_int_eq(probes_group_new(NULL, &g, &e), 0);
	ck_assert_int_eq(probes_group_open(g, absent, 2, false, &e), 0);
	ck_assert_uint_eq(probes_group_count(g), 2);
	ck_assert_ptr_null(probes_group_at(g, 1)->session);
	ck_assert_int_eq(probes_group_at(g, 1)->error.status, PROBES_NO_TARGET);
	ck_assert(!probes_group_holds(g));
	probes_group_close(g);
	/* of those found by a search, the first one explains why there is none */
	ck_assert_int_eq(probes_group_new(NULL, &g, &e), 0);
	ck_assert_int_eq(probes_group_open(g, absent, 2, true, &e), 0);
	ck_assert_uint_eq(probes_group_count(g), 1);
	ck_assert_int_eq(probes_group_at(g, 0)->pid, absent[0]);
	probes_group_close(g);
	ck_assert_int_eq(probes_group_new(NULL, &g, &e), 0);
	ck_assert_int_lt(probes_group_open_tree(g, absent[0], &e), 0);
	ck_assert_int_eq(e.status, PROBES_NO_TARGET);
	ck_assert_int_eq(probes_group_open_file(g, "/nowhere", &e), 0);
	ck_assert_ptr_null(probes_group_at(g, 0)->session);
	probes_group_close(g);
	probes_group_close(NULL);
}
END_TEST

struct group_report {
	size_t calls, probes, kept;
	struct probes_result *taken;
};

static void group_undone(void *data, struct probes_undone *u)
{
	struct group_report *report = data;

	report->calls++;
	report->probes += u->probes;
	report->kept += u->kept;
	ck_assert_ptr_null(u->error);
	ck_assert(!u->newborn && !u->member->child);
	report->taken = u->result;
	u->result = NULL;
}

START_TEST(group_restores_its_members)
{
	struct group_report report = {0};
	struct probes_session *s = malloc(sizeof *s);
	struct probes_group *g;
	struct session_world x;
	struct probes_error e;

	session_begin(&x, "");
	ck_assert_int_eq(probes_group_new(NULL, &g, &e), 0);
	session_must(&x, PROBES_ENABLE, "one");
	session_must(&x, PROBES_ENABLE, "soft");
	*s = x.s; /* the group closes what it holds */
	ck_assert_int_eq(probes_group_add(g, s, &e), 0);
	ck_assert(probes_group_holds(g));
	probes_group_restore_inherited(g, group_undone, &report); /* there is nothing */
	ck_assert_uint_eq(report.calls, 0);
	ck_assert_int_eq(probes_group_restore(g, 10, group_undone, &report, &e), 0);
	ck_assert_uint_eq(report.calls, 1);
	ck_assert_uint_eq(report.probes, 2);
	ck_assert_uint_eq(report.kept, 0);
	ck_assert_uint_eq(report.taken->done, 2);
	ck_assert_uint_eq(s->lock_timeout_ms, 0);
	ck_assert(!probes_group_holds(g));
	ck_assert(session_as_found(&x));
	probes_result_free(report.taken);
	probes_group_close(g);
	/* what the world would close a second time */
	x.s = (struct probes_session){.who = {.pidfd = -1, .proc = -1, .task = -1, .maps = -1},
		.memory.fd = -1,
		.journal.fd = -1,
		.pagemap = -1};
	catalog_init(&x.w.catalog);
	session_end(&x);
}
END_TEST

static void group_ignore(void *data, const struct probes_member *member)
{
	(void)data;
	(void)member;
}

static size_t group_descriptors(void)
{
	size_t count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* Sessions of processes that have ended hold no descriptor, and still say how they ended. */
START_TEST(group_closes_what_has_ended)
{
	struct probes_group *g;
	struct probes_session *s;
	struct probes_error e;
	pid_t pid = fork();
	size_t before, probes;
	int number;

	if (pid == 0)
		for (;;)
			pause();
	before = group_descriptors();
	ck_assert_int_eq(probes_group_new(NULL, &g, &e), 0);
	ck_assert_int_eq(probes_group_open(g, &pid, 1, false, &e), 0);
	s = probes_group_at(g, 0)->session;
	ck_assert_ptr_nonnull(s);
	probes = probes_count(s);
	ck_assert_int_eq(probes_refresh(s, NULL, 0, &e), 0);
	ck_assert_int_eq(probes_group_look(g, false, 0, group_ignore, NULL, &e), 0);
	ck_assert_uint_gt(group_descriptors(), before);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(probes_group_look(g, false, 0, group_ignore, NULL, &e), 0);
	ck_assert_uint_eq(group_descriptors(), before);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_lt(probes_refresh(s, NULL, 0, &e), 0);
		ck_assert_int_eq(e.status, PROBES_GONE);
		ck_assert_ptr_nonnull(strstr(e.why, "it was killed: signal 9"));
		ck_assert_int_lt(probes_read_hits(s, &e), 0);
		ck_assert_int_eq(e.status, PROBES_GONE);
	}
	ck_assert_int_eq(probes_end(s, &number), PROBES_END_SIGNAL);
	ck_assert_int_eq(number, SIGKILL);
	ck_assert_uint_eq(probes_count(s), probes);
	ck_assert_uint_eq(group_descriptors(), before);
	probes_group_close(g);
	ck_assert_uint_eq(group_descriptors(), before);
}
END_TEST

Suite *group_suite(void)
{
	Suite *s = suite_create("group");
	TCase *t = tcase_create("group");

	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, group_child_inherits, 0, sizeof group_cases / sizeof *group_cases);
	tcase_add_test(t, group_keeps_later_switches);
	tcase_add_loop_test(
		t, group_child_of_a_repair, 0, sizeof group_repairs / sizeof *group_repairs);
	tcase_add_loop_test(t, group_child_amid_a_repair, 0, 4);
	tcase_add_test(t, group_knows_the_origin);
	tcase_add_test(t, group_raises_once);
	tcase_add_test(t, group_keeps_what_cannot_be_opened);
	tcase_add_test(t, group_restores_its_members);
	tcase_add_test(t, group_closes_what_has_ended);
	suite_add_tcase(s, t);
	return s;
}
