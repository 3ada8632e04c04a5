/*
 * Covers process/cgroup on texts and on directories that stand for cgroups, of both versions, and
 * process/pagemap on entries and on our own memory. Not covered: the kernel's own files, and that a
 * switch is refused: e2e/cli-room.sh (version 1, or 2 where that is mounted).
 */
#include "process/cgroup.h"
#include "process/memory.h"
#include "process/pagemap.h"

#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- which cgroup ---- */

static const struct {
	const char *text, *path; /* NULL: none */
	bool v1;
} headroom_places[] = {
	{"0::/user.slice/a b\n", "/user.slice/a b", false},
	{"0::/\n", "/", false},
	{"0::/../other", "/../other", false},
	{"9:name=systemd:/x\n4:memory:/m:n\n0::/unified\n", "/m:n", true},
	{"0::/unified\n4:cpu,memory,io:/m\n", "/m", true},
	{"4:memoryx,xmemory:/m\n", NULL, false},
	{"4:cpu:/m\n1:name=memory:/x\n", NULL, false},
	{"", NULL, false},
	{"nonsense\n:\n::\n", NULL, false},
};

START_TEST(room_finds_the_cgroup)
{
	struct cgroup_path p;
	bool found = cgroup_find(headroom_places[_i].text, "memory", &p);

	ck_assert_int_eq(found, headroom_places[_i].path != NULL);
	if (!found)
		return;
	ck_assert_uint_eq(p.length, strlen(headroom_places[_i].path));
	ck_assert(!memcmp(p.path, headroom_places[_i].path, p.length));
	ck_assert_int_eq(p.v1, headroom_places[_i].v1);
}
END_TEST

START_TEST(room_finds_the_freezers)
{
	static const char both[] = "6:freezer:/f\n4:memory:/m\n0::/unified\n";
	struct cgroup_path p;

	ck_assert(cgroup_find(both, "freezer", &p) && p.v1);
	ck_assert(!strncmp(p.path, "/f\n", 3) && p.length == 2);
	ck_assert(cgroup_find(both, "", &p) && !p.v1);
	ck_assert(!strncmp(p.path, "/unified\n", 9) && p.length == 8);
	ck_assert(!cgroup_find("6:freezer:/f\n", "", &p));
}
END_TEST

#define ROOM_V2 "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 master:1 - cgroup2 cgroup2 rw\n"
#define ROOM_V1                                                       \
	"20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"                       \
	"31 23 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" \
	"32 23 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"

static const struct {
	const char *mounts, *cgroup, *directory; /* NULL: cannot be seen */
	size_t top;
} headroom_directories[] = {
	{ROOM_V2, "0::/a/b\n", "/sys/fs/cgroup/a/b", 14},
	{ROOM_V2, "0::/\n", "/sys/fs/cgroup", 14},
	{ROOM_V2, "0::/..name\n", "/sys/fs/cgroup/..name", 14},
	/* Outside of our cgroup namespace. */
	{ROOM_V2, "0::/..\n", NULL, 0},
	{ROOM_V2, "0::/../b\n", NULL, 0},
	{ROOM_V2, "4:memory:/a\n", NULL, 0},
	{ROOM_V1, "4:memory:/a\n0::/\n", "/sys/fs/cgroup/memory/a", 21},
	{ROOM_V1, "0::/a\n", NULL, 0},
	/* A container's mount shows its own cgroup as the root. */
	{"9 1 0:9 /docker/1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
		"4:memory:/docker/1/x\n", "/sys/fs/cgroup/memory/x", 21},
	{"9 1 0:9 /docker/1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
		"4:memory:/docker/1\n", "/sys/fs/cgroup/memory", 21},
	{"9 1 0:9 /docker/1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
		"4:memory:/docker/12\n", NULL, 0},
	/* Mounted outside of the namespace in which it is looked at. */
	{"9 1 0:9 /.. /cg rw - cgroup2 none rw\n", "0::/../b\n", "/cg/b", 3},
	{"9 1 0:9 /.. /cg rw - cgroup2 none rw\n", "0::/b\n", NULL, 0},
	/* The one that shows more; a path with a blank, a tab and a backslash. */
	{"9 1 0:9 /a /part rw - cgroup2 none rw\n8 1 0:9 / /c\\040d\\011\\134 rw - cgroup2 n rw\n",
		"0::/a/b\n", "/c d\t\\/a/b", 6},
	{"nonsense\n1 2 3\n9 1 0:9 / /cg rw -\n9 1 0:9 / /cg rw - cgroup2\n", "0::/a\n", NULL, 0},
	{"", "0::/a\n", NULL, 0},
};

START_TEST(room_finds_the_directory)
{
	struct cgroup_path p;
	char directory[200];
	size_t top;
	bool found;

	ck_assert(cgroup_find(headroom_directories[_i].cgroup, "memory", &p));
	found = cgroup_directory(
		headroom_directories[_i].mounts, &p, directory, sizeof directory, &top);
	ck_assert_int_eq(found, headroom_directories[_i].directory != NULL);
	if (!found)
		return;
	ck_assert_str_eq(directory, headroom_directories[_i].directory);
	ck_assert_uint_eq(top, headroom_directories[_i].top);
	/* What does not fit is not cut. */
	ck_assert(!cgroup_directory(headroom_directories[_i].mounts, &p, directory, top, &top));
}
END_TEST

/* ---- figures ---- */

START_TEST(room_reads_figures)
{
	static const char v2[] = "anon 1000\nfile 9000\ninactive_file 600\nactive_file 300\n"
				 "file_dirty 40\nfile_writeback 10\n";
	static const char v1[] = "inactive_file 1\nactive_file 1\ndirty 5000\ntotal_dirty 40\n"
				 "total_writeback 10\ntotal_inactive_file 600\n"
				 "total_active_file 300";

	ck_assert(cgroup_number("max\n") == CGROUP_UNLIMITED);
	ck_assert(cgroup_number("9223372036854771712\n") == CGROUP_UNLIMITED);
	ck_assert(cgroup_number("9223372036854710272\n") == CGROUP_UNLIMITED); /* pages of 64 KiB */
	ck_assert(cgroup_number("99999999999999999999999\n") == CGROUP_UNLIMITED);
	ck_assert(cgroup_number("") == CGROUP_UNLIMITED);
	ck_assert_uint_eq(cgroup_number("6291456\n"), 6291456);
	ck_assert_uint_eq(cgroup_number("0\n"), 0);

	ck_assert_uint_eq(cgroup_reclaimable(v2, false), 700);
	ck_assert_uint_eq(cgroup_reclaimable(v1, true), 700);
	ck_assert_uint_eq(cgroup_reclaimable("inactive_file 5\nfile_dirty 6\n", false), 0);
	ck_assert_uint_eq(cgroup_reclaimable("", false), 0);
	ck_assert_uint_eq(cgroup_reclaimable("total_", true), 0);

	ck_assert_uint_eq(cgroup_left(100, 90, 20), 30);
	ck_assert_uint_eq(cgroup_left(100, 120, 0), 0);
	ck_assert_uint_eq(cgroup_left(100, 120, 30), 10);
	ck_assert_uint_eq(cgroup_left(100, 10, 50), 100);
}
END_TEST

/* ---- all levels ---- */

struct headroom_tree {
	char top[64];
	char mounts[200];
};

static void headroom_put(const struct headroom_tree *t, const char *file, const char *text)
{
	char path[200];
	int fd;

	snprintf(path, sizeof path, "%s/%s", t->top, file);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
}

static void headroom_begin(struct headroom_tree *t, const char *type)
{
	char path[200];

	strcpy(t->top, "/tmp/unit-room-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(t->top));
	for (const char *const *at = (const char *const[]){"a", "a/b", NULL}; *at; at++) {
		snprintf(path, sizeof path, "%s/%s", t->top, *at);
		ck_assert_int_eq(mkdir(path, 0700), 0);
	}
	snprintf(t->mounts, sizeof t->mounts, "9 1 0:9 / %s rw - %s rw,memory\n", t->top, type);
}

static void headroom_end(const struct headroom_tree *t)
{
	char command[200];

	snprintf(command, sizeof command, "rm -r %s", t->top);
	ck_assert_int_eq(system(command), 0);
}

static void headroom_expect(
	const struct headroom_tree *t, const char *cgroup, uint64_t left, const char *limit)
{
	struct cgroup_headroom r = {.left = CGROUP_UNLIMITED, .shared = CGROUP_UNLIMITED};
	char path[200];

	ck_assert_int_eq(cgroup_headroom_of(cgroup, NULL, t->mounts, &r), 0);
	ck_assert_ptr_null(r.shared_limit);
	ck_assert_msg(r.left == left, "left %llu", (unsigned long long)r.left);
	snprintf(path, sizeof path, "%s/%s", t->top, limit ? limit : "");
	if (limit)
		ck_assert_str_eq(r.limit, path);
	else
		ck_assert_ptr_null(r.limit);
	cgroup_headroom_done(&r);
}

START_TEST(room_narrowest_level_v2)
{
	struct headroom_tree t;

	headroom_begin(&t, "cgroup2 cgroup2");
	headroom_expect(&t, "0::/a/b\n", CGROUP_UNLIMITED, NULL);
	headroom_put(&t, "a/b/memory.max", "max\n");
	headroom_put(&t, "a/b/memory.high", "max\n");
	headroom_put(&t, "a/b/memory.current", "300000\n");
	headroom_expect(&t, "0::/a/b\n", CGROUP_UNLIMITED, NULL);
	headroom_put(&t, "a/memory.max", "1000000\n");
	headroom_put(&t, "a/memory.current", "990000\n");
	headroom_expect(&t, "0::/a/b\n", 10000, "a/memory.max");
	/* Page cache is no obstacle. */
	headroom_put(&t, "a/memory.stat", "anon 500000\ninactive_file 400000\n");
	headroom_expect(&t, "0::/a/b\n", 410000, "a/memory.max");
	headroom_put(&t, "a/b/memory.high", "400000\n");
	headroom_expect(&t, "0::/a/b\n", 100000, "a/b/memory.high");
	headroom_put(&t, "a/b/memory.max", "350000\n");
	headroom_expect(&t, "0::/a/b\n", 50000, "a/b/memory.max");
	/* The mount point is a level too; a name that only begins alike is none. */
	headroom_put(&t, "memory.max", "5000\n");
	headroom_put(&t, "memory.current", "4000\n");
	headroom_expect(&t, "0::/a/b\n", 1000, "memory.max");
	headroom_expect(&t, "0::/\n", 1000, "memory.max");
	headroom_expect(&t, "4:memory:/a/b\n", CGROUP_UNLIMITED, NULL);
	headroom_end(&t);
}
END_TEST

START_TEST(room_narrowest_level_v1)
{
	struct headroom_tree t;

	headroom_begin(&t, "cgroup cgroup");
	headroom_put(&t, "a/b/memory.limit_in_bytes", "9223372036854771712\n");
	headroom_put(&t, "a/b/memory.usage_in_bytes", "300000\n");
	headroom_expect(&t, "4:memory:/a/b\n", CGROUP_UNLIMITED, NULL);
	headroom_put(&t, "a/memory.limit_in_bytes", "6291456\n");
	headroom_put(&t, "a/memory.usage_in_bytes", "6291456\n");
	headroom_put(&t, "a/memory.stat", "inactive_file 9\ntotal_inactive_file 4096\n");
	headroom_expect(&t, "4:memory:/a/b\n", 4096, "a/memory.limit_in_bytes");
	headroom_put(&t, "a/memory.memsw.limit_in_bytes", "7000000\n");
	headroom_put(&t, "a/memory.memsw.usage_in_bytes", "7000000\n");
	headroom_put(&t, "a/memory.limit_in_bytes", "7000000\n");
	headroom_expect(&t, "4:memory:/a/b\n", 4096, "a/memory.memsw.limit_in_bytes");
	headroom_expect(&t, "0::/a/b\n", CGROUP_UNLIMITED, NULL);
	headroom_end(&t);
}
END_TEST

/* Limits that we have in common with the process: theirs of /a/b is 300000, of /a 500000. */
static const struct {
	const char *own;
	uint64_t left;
	const char *limit;
} headroom_shared[] = {
	{"0::/a/b\n", 300000, "a/b/memory.max"},
	{"0::/a/b/c\n", 300000, "a/b/memory.max"},
	{"0::/a/bc\n", 500000, "a/memory.max"},
	{"0::/a\n", 500000, "a/memory.max"},
	{"0::/ab\n", 900000, "memory.max"},
	{"0::/\n", 900000, "memory.max"},
	{"0::/../x\n", CGROUP_UNLIMITED, NULL},
	{"4:memory:/a/b\n", CGROUP_UNLIMITED, NULL},
	{"", CGROUP_UNLIMITED, NULL},
	{NULL, CGROUP_UNLIMITED, NULL},
};

START_TEST(room_that_is_ours_as_well)
{
	struct cgroup_headroom r = {.left = CGROUP_UNLIMITED, .shared = CGROUP_UNLIMITED};
	struct headroom_tree t;
	char path[200];

	headroom_begin(&t, "cgroup2 cgroup2");
	headroom_put(&t, "memory.max", "1000000\n");
	headroom_put(&t, "memory.current", "100000\n");
	headroom_put(&t, "a/memory.max", "600000\n");
	headroom_put(&t, "a/memory.current", "100000\n");
	headroom_put(&t, "a/b/memory.max", "400000\n");
	/* There the kernel kills nobody. */
	headroom_put(&t, "a/b/memory.high", "200000\n");
	headroom_put(&t, "a/b/memory.current", "100000\n");
	ck_assert_int_eq(cgroup_headroom_of("0::/a/b\n", headroom_shared[_i].own, t.mounts, &r), 0);
	ck_assert_uint_eq(r.left, 100000);
	ck_assert_uint_eq(r.shared, headroom_shared[_i].left);
	if (headroom_shared[_i].limit) {
		snprintf(path, sizeof path, "%s/%s", t.top, headroom_shared[_i].limit);
		ck_assert_str_eq(r.shared_limit, path);
	} else {
		ck_assert_ptr_null(r.shared_limit);
	}
	cgroup_headroom_done(&r);
	headroom_end(&t);
}
END_TEST

/* The machine itself always has an end. */
START_TEST(room_of_our_own)
{
	struct probes_error e;
	struct identity who;
	struct cgroup_headroom r;

	ck_assert_int_eq(identity_open(&who, getpid(), &e), 0);
	ck_assert_int_eq(cgroup_headroom(&who, &r), 0);
	ck_assert(r.left < CGROUP_UNLIMITED);
	ck_assert_ptr_nonnull(r.limit);
	ck_assert(r.shared < CGROUP_UNLIMITED);
	ck_assert_ptr_nonnull(r.shared_limit);
	cgroup_headroom_done(&r);
	identity_close(&who);
}
END_TEST

/* ---- pages ---- */

START_TEST(room_tells_whose_a_page_is)
{
	static const uint64_t shared[] = {1ULL << 63, 1ULL << 63 | 0x12345};
	const uint64_t present = 1ULL << 63, swapped = 1ULL << 62, file = 1ULL << 61,
		       alone = 1ULL << 56;

	ck_assert(pagemap_is_own(present | alone));
	ck_assert(pagemap_is_own(present | alone | 0x12345)); /* a frame, for root */
	ck_assert(pagemap_is_own(swapped | 7));
	ck_assert(!pagemap_is_own(0));
	ck_assert(!pagemap_is_own(present)); /* shared by fork, or the zero page */
	ck_assert(!pagemap_is_own(present | file | alone));
	ck_assert(!pagemap_is_own(swapped | file));
	ck_assert(!pagemap_is_own(alone));
	ck_assert(pagemap_is_shared(shared[0]) && pagemap_is_shared(shared[1]));
	ck_assert(!pagemap_is_shared(0) && !pagemap_is_shared(swapped));
	ck_assert(!pagemap_is_shared(present | alone) && !pagemap_is_shared(present | file));
}
END_TEST

#define ROOM_PAGES 3000

/* Pages of the memory at `at`, every `step`th. */
static size_t headroom_count(int fd, const char *at, size_t step)
{
	static uint64_t pages[ROOM_PAGES];
	size_t n = 0;

	for (size_t i = 0; i < ROOM_PAGES; i += step)
		pages[n++] = (uint64_t)(uintptr_t)at / PAGEMAP_PAGE + i;
	return pagemap_count(fd, pages, n);
}

START_TEST(room_counts_pages)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC), hold[2];
	char *m = mmap(NULL, ROOM_PAGES * PAGEMAP_PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t far[3] = {0, 1, 1ULL << 40};
	volatile char sum = 0;
	char byte;
	pid_t child;

	ck_assert(m != MAP_FAILED);
	madvise(m, ROOM_PAGES * PAGEMAP_PAGE, MADV_NOHUGEPAGE);
	ck_assert_uint_eq(headroom_count(fd, m, 1), ROOM_PAGES);
	for (size_t i = 0; i < ROOM_PAGES; i++)
		sum += m[i * PAGEMAP_PAGE]; /* the zero page */
	(void)sum;
	ck_assert_uint_eq(headroom_count(fd, m, 1), ROOM_PAGES);
	for (size_t i = 0; i < 2000; i++)
		m[i * PAGEMAP_PAGE] = 1;
	ck_assert_uint_eq(headroom_count(fd, m, 1), 1000);
	ck_assert_uint_eq(headroom_count(fd, m, 100), 10);
	ck_assert_int_eq(pipe(hold), 0);
	child = fork();
	if (child == 0) {
		close(hold[1]);
		_exit(read(hold[0], &byte, 1) != 0);
	}
	ck_assert_uint_eq(headroom_count(fd, m, 1), ROOM_PAGES);
	close(hold[0]);
	close(hold[1]);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_uint_eq(headroom_count(fd, m, 1), 1000);
	/* Where nothing is, and nothing can be; and without the file. */
	ck_assert_uint_eq(pagemap_count(fd, far, 3), 3);
	ck_assert_uint_eq(pagemap_count(-1, far, 3), 3);
	munmap(m, ROOM_PAGES * PAGEMAP_PAGE);
	close(fd);
}
END_TEST

/*
 * A look at a forked child copies none of its pages: read in its name, spans here and there, on
 * shared pages and on its own.
 */
START_TEST(room_reads_without_copying)
{
	char *m = mmap(NULL, ROOM_PAGES * PAGEMAP_PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static unsigned char to[2 * ROOM_PAGES];
	struct spans spans;
	struct memory memory;
	int up[2], down[2], task, fd;
	size_t shared = 0;
	char path[64], byte;
	pid_t child;

	ck_assert(m != MAP_FAILED);
	madvise(m, ROOM_PAGES * PAGEMAP_PAGE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < ROOM_PAGES; i++)
		m[i * PAGEMAP_PAGE] = (char)i;
	ck_assert(pipe(up) == 0 && pipe(down) == 0);
	child = fork();
	if (child == 0) {
		for (size_t i = 0; i < 1000; i++)
			m[i * PAGEMAP_PAGE] = 1;
		close(down[1]);
		_exit(write(up[1], "", 1) != 1 || read(down[0], &byte, 1) != 0);
	}
	close(down[0]);
	ck_assert_int_eq(read(up[0], &byte, 1), 1);
	snprintf(path, sizeof path, "/proc/%d", child);
	task = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = openat(task, "pagemap", O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_uint_eq(headroom_count(fd, m, 1), ROOM_PAGES - 1000);
	spans_init(&spans, 16, 1 << 20);
	/* The first of them crosses a border: from the child's own to a shared page. */
	spans_add(&spans, (uintptr_t)m + 1000 * PAGEMAP_PAGE - 1, 2);
	for (size_t i = 1001; i < ROOM_PAGES; i += 7)
		spans_add(&spans, (uintptr_t)m + i * PAGEMAP_PAGE, 1);
	pagemap_mark(fd, &spans);
	for (size_t i = 0; i < spans.list.count; i++)
		shared += ARRAY_AT(&spans.list, struct span, i)->shared;
	ck_assert_uint_eq(shared, spans.list.count);
	memory_open(&memory, task, child, true);
	ck_assert_int_eq(memory.ops->read(&memory, &spans, to), 0);
	ck_assert(spans_whole(&spans));
	ck_assert_uint_eq(to[spans.total - 1], (unsigned char)((spans.list.count - 2) * 7 + 1001));
	ck_assert_uint_eq(headroom_count(fd, m, 1), ROOM_PAGES - 1000);
	memory_close(&memory);
	spans_done(&spans);
	close(down[1]);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	/* Nothing is there any more: nothing is shared. */
	munmap(m, ROOM_PAGES * PAGEMAP_PAGE);
	close(up[0]);
	close(up[1]);
	close(fd);
	close(task);
}
END_TEST

Suite *headroom_suite(void)
{
	Suite *s = suite_create("headroom");
	TCase *t = tcase_create("room");

	tcase_add_test(t, room_finds_the_freezers);
	tcase_add_loop_test(
		t, room_finds_the_cgroup, 0, sizeof headroom_places / sizeof *headroom_places);
	tcase_add_loop_test(t, room_finds_the_directory, 0,
		sizeof headroom_directories / sizeof *headroom_directories);
	tcase_add_test(t, room_reads_figures);
	tcase_add_test(t, room_narrowest_level_v2);
	tcase_add_test(t, room_narrowest_level_v1);
	tcase_add_loop_test(
		t, room_that_is_ours_as_well, 0, sizeof headroom_shared / sizeof *headroom_shared);
	tcase_add_test(t, room_of_our_own);
	tcase_add_test(t, room_tells_whose_a_page_is);
	tcase_add_test(t, room_counts_pages);
	tcase_add_test(t, room_reads_without_copying);
	suite_add_tcase(s, t);
	return s;
}
