/* Covers count/install on a living child: what is left of an arena in it. */
#include "count/install.h"

#include "base/spans.h"
#include "count/space.h"
#include "inject_world.h"
#include "process/maps.h"
#include "suites.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A child, and an arena that is planned in it, for one site. */
static struct install_world {
	pid_t child;
	struct inject_target t;
	struct install in;
	struct tactics_site site;
	struct tactics plan;
	struct tactics_space space;
} w;

static void install_set_up(void)
{
	struct probes_error e = {0};

	inject_set_up();
	w = (struct install_world){.child = inject_child(inject_loop),
		.site = {.address = (uint64_t)&install_set_up & -PAGE,
			.wanted = true,
			.code = {0x90, 0x48, 0x8d, 0x05, 0x49, 0x35},
			.code_size = TACTICS_BYTES}};
	inject_open(&w.t, w.child);
	w.in = (struct install){.who = &w.t.who, .memory = &w.t.m, .serial = 1};
	w.plan = (struct tactics){.sites = &w.site,
		.count = 1,
		.low = w.site.address,
		.high = w.site.address + PAGE,
		.head_size = arena_head_size(1),
		.records_size = arena_records_size(1),
		.may_evict = true};
	inject_await_turn();
	tactics_space_init(&w.space);
	ck_assert_int_eq(space_read(&w.t.who, &w.space, &w.in.mappings_left, &e), 0);
	ck_assert(tactics_plan(&w.plan, &w.space));
	ck_assert_msg(w.plan.planned == 1, "%s", tactics_why(&w.site));
}

static void install_tear_down(void)
{
	tactics_done(&w.plan);
	tactics_space_done(&w.space);
	inject_close(&w.t);
	inject_must_end_well(w.child);
	inject_tear_down();
}

/* Again and again while the machine is too busy to stop the thread in time. */
static int install_in_time(struct arena *arena, struct probes_error *e)
{
	bool left_open;
	int r;

	do
		r = install_arena(&w.in, &w.plan, arena, &left_open, e);
	while (r == -ETIMEDOUT);
	ck_assert(!left_open);
	return r;
}

static unsigned long install_pages(void)
{
	unsigned long pages = 0;
	char path[64];
	FILE *statm;

	snprintf(path, sizeof path, "/proc/%d/statm", w.child);
	statm = fopen(path, "r");
	ck_assert(statm && fscanf(statm, "%lu", &pages) == 1);
	fclose(statm);
	return pages;
}

START_TEST(install_leaves_no_part_of_an_arena)
{
	unsigned long pages = install_pages();
	struct probes_error e = {0};
	struct rlimit limit;
	struct arena arena;

	for (int enough = 0; enough < 2; enough++) {
		ck_assert_int_eq(prlimit(w.child, RLIMIT_AS, NULL, &limit), 0);
		limit.rlim_cur = enough ? limit.rlim_max : pages * PAGE + w.plan.data_size;
		ck_assert_int_eq(prlimit(w.child, RLIMIT_AS, &limit, NULL), 0);
		ck_assert_int_eq(install_in_time(&arena, &e), enough ? 0 : -ENOSPC);
		ck_assert(enough || e.status == PROBES_REFUSED);
		ck_assert(enough || strstr(e.why, "mmap in the process failed"));
		ck_assert_int_eq(inject_is_mapped(w.child, "/memfd:" MAPS_ARENA), enough);
	}
	arena_done(&arena);
}
END_TEST

/* Forked children have the code as well, perhaps with other rights. */
START_TEST(install_code_cannot_be_written)
{
	struct probes_error e = {0};
	struct arena arena;

	ck_assert_int_eq(install_in_time(&arena, &e), 0);
	for (int data = 0; data < 2; data++) {
		struct inject_call call = {SYS_mprotect,
			{data ? arena.data : arena.address, PAGE, PROT_READ | PROT_WRITE}, 0};
		uint64_t ns;
		size_t done;

		(void)inject_in_time(&w.t, &call, 1, NULL, 0, &done, &ns, &e);
		ck_assert_int_eq(
			call.result, data || !(arena.seals & F_SEAL_FUTURE_WRITE) ? 0 : -EACCES);
	}
	arena_done(&arena);
}
END_TEST

/* Seals do not keep a mapping from growing: what is writable must be the end of the file. */
START_TEST(install_code_is_not_behind_the_data)
{
	struct probes_error e = {0};
	struct arena arena;
	struct inject_call call;
	uint8_t byte;
	uint64_t ns;
	size_t done;

	ck_assert_int_eq(install_in_time(&arena, &e), 0);
	call = (struct inject_call){SYS_mremap,
		{arena.data, arena.data_size, arena.data_size + PAGE, MREMAP_MAYMOVE}, 0};
	ck_assert_int_eq(inject_in_time(&w.t, &call, 1, NULL, 0, &done, &ns, &e), 0);
	ck_assert_int_gt(call.result, 0);
	ck_assert(memory_read(&w.t.m, (uint64_t)call.result + arena.data_size - 1, &byte, 1));
	ck_assert(!memory_read(&w.t.m, (uint64_t)call.result + arena.data_size, &byte, 1));
	arena_done(&arena);
}
END_TEST

/* Another thread of the process maps memory where the arena was planned: no limit is named. */
START_TEST(install_says_where_memory_is_taken)
{
	struct inject_call call = {SYS_mmap,
		{w.plan.arena + PAGE, PAGE, PROT_READ,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1ul, 0},
		0};
	struct probes_error e = {0};
	struct arena arena;
	uint64_t ns, end;
	size_t done;

	ck_assert_int_eq(inject_in_time(&w.t, &call, 1, NULL, 0, &done, &ns, &e), 0);
	ck_assert_int_eq(install_in_time(&arena, &e), -EEXIST);
	ck_assert_int_eq(e.status, PROBES_REFUSED);
	ck_assert_msg(strstr(e.why, "map memory themselves"), "%s", e.why);
	ck_assert_str_eq(e.hint, "try again");
	/* The next plan leaves room above, which the kernel fills first. */
	w.plan.gap = 4096 * PAGE;
	tactics_done(&w.plan);
	tactics_space_done(&w.space);
	tactics_space_init(&w.space);
	ck_assert_int_eq(space_read(&w.t.who, &w.space, &w.in.mappings_left, &e), 0);
	ck_assert(tactics_plan(&w.plan, &w.space));
	end = w.plan.arena + TACTICS_OWN_BYTES + w.plan.data_size + w.plan.code_size;
	for (size_t i = 0; i < w.space.taken.count; i++) {
		const struct tactics_range *r = ARRAY_AT(&w.space.taken, struct tactics_range, i);

		ck_assert(r->end <= end || r->start >= end + w.plan.gap);
	}
	ck_assert_int_eq(install_in_time(&arena, &e), 0);
	arena_done(&arena);
}
END_TEST

static const struct memory_ops *install_real;
static int install_late; /* memfds that were made for a session that is dead */

/* That we read its cookie is the mark that all is mapped. */
static int install_read(struct memory *m, struct spans *spans, unsigned char *bytes)
{
	struct inject_call call = {SYS_memfd_create, {0, MFD_CLOEXEC | MFD_ALLOW_SEALING}, 0};
	const struct inject_text name = {.text = MAPS_ARENA};
	struct probes_error e;
	uint64_t ns;
	size_t done;

	m->ops = install_real;
	if (ARRAY_AT(&spans->list, struct span, 0)->address == w.plan.arena) {
		ck_assert_int_eq(inject_in_time(&w.t, &call, 1, &name, 1, &done, &ns, &e), 0);
		install_late++;
	}
	return m->ops->read(m, spans, bytes);
}

static size_t install_open_files(void)
{
	char path[64], target[64];
	struct dirent *entry;
	size_t count = 0;
	DIR *list;

	snprintf(path, sizeof path, "/proc/%d/fd", w.child);
	list = opendir(path);
	ck_assert_ptr_nonnull(list);
	while ((entry = readdir(list))) {
		ssize_t n = readlinkat(dirfd(list), entry->d_name, target, sizeof target - 1);

		target[n < 0 ? 0 : n] = '\0';
		count += !strncmp(target, "/memfd:" MAPS_ARENA, strlen("/memfd:" MAPS_ARENA));
	}
	closedir(list);
	return count;
}

/* The thread that was to make memory for a session that was killed gets CPU time only now. */
START_TEST(install_closes_what_is_opened_late)
{
	struct memory_ops ops = *w.t.m.ops;
	struct probes_error e = {0};
	struct arena arena;

	install_real = w.t.m.ops;
	ops.read = install_read;
	w.t.m.ops = &ops;
	install_late = 0;
	ck_assert_int_eq(install_in_time(&arena, &e), 0);
	ck_assert_int_eq(install_late, 1);
	ck_assert_uint_eq(install_open_files(), 0);
	ck_assert(inject_is_mapped(w.child, "/memfd:" MAPS_ARENA));
	arena_done(&arena);
}
END_TEST

Suite *install_suite(void)
{
	Suite *s = suite_create("install");
	TCase *t = tcase_create("install");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, install_set_up, install_tear_down);
	tcase_add_test(t, install_leaves_no_part_of_an_arena);
	tcase_add_test(t, install_code_cannot_be_written);
	tcase_add_test(t, install_code_is_not_behind_the_data);
	tcase_add_test(t, install_says_where_memory_is_taken);
	tcase_add_test(t, install_closes_what_is_opened_late);
	suite_add_tcase(s, t);
	return s;
}
