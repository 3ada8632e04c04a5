/*
 * Covers process/memory on live memory: our own and a child's. Partial reads, holes, more ranges
 * than a call takes, the way through /proc/PID/mem, and what is left after a process ends.
 * Not covered: exec (api_identity), kernels that forbid writing.
 */
#include "process/memory.h"

#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096UL

static void memory_of(struct memory *m, pid_t pid)
{
	char path[64];
	int task;

	snprintf(path, sizeof path, "/proc/%d", pid);
	task = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(task, 0);
	memory_open(m, task, pid, true);
	close(task);
	ck_assert_int_ge(m->fd, 0);
	ck_assert_int_eq(m->denied, 0);
}

/* Pages of numbered bytes; those named by `holes` (a bit each) cannot be read. */
static unsigned char *memory_pages(size_t count, unsigned holes)
{
	unsigned char *pages = mmap(
		NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(pages, MAP_FAILED);
	for (size_t i = 0; i < count * PAGE; i++)
		pages[i] = (unsigned char)(i * 7 + i / PAGE);
	for (size_t i = 0; i < count; i++)
		if (i < 32 && holes >> i & 1)
			ck_assert_int_eq(munmap(pages + i * PAGE, PAGE), 0);
	return pages;
}

/* Read spans over pages with holes, and compare what was got with the truth. */
static bool memory_reads_right(struct memory *m)
{
	unsigned char *pages = memory_pages(6, 1 << 2 | 1 << 4), buffer[8 * PAGE];
	uint64_t base = (uint64_t)(uintptr_t)pages;
	const struct {
		uint64_t at;
		size_t length, got;
	} reads[] = {
		{0, 16, 16},
		{PAGE - 8, 16, 16},
		{2 * PAGE - 10, 30, 10}, /* runs into a hole */
		{2 * PAGE + 100, 8, 0},  /* in it */
		{3 * PAGE - 4, 16, 0},   /* out of it: from its start nothing is there */
		{3 * PAGE + 50, 16, 16},
		{4 * PAGE, 1, 0},
		{5 * PAGE, 100, 100},
	};
	bool right;
	struct spans s;

	spans_init(&s, 0, 8 * PAGE);
	for (size_t i = 0; i < 8; i++)
		spans_add(&s, base + reads[i].at, reads[i].length);
	right = s.list.count == 8 && m->ops->read(m, &s, buffer) == 0;
	for (size_t i = 0; right && i < 8; i++) {
		const struct span *span = ARRAY_AT(&s.list, struct span, i);

		right = span->got == reads[i].got &&
			!memcmp(buffer + span->offset, pages + reads[i].at, span->got);
		if (!right)
			fprintf(stderr, "span %zu: %zu bytes\n", i, span->got);
	}
	spans_done(&s);
	return right;
}

/* One span over all of them: cut where it breaks off, all is got that is there. */
static bool memory_reads_behind(struct memory *m)
{
	unsigned char *pages = memory_pages(6, 1 << 2 | 1 << 4), buffer[6 * PAGE];
	bool right;
	struct spans s;

	spans_init(&s, 0, 8 * PAGE);
	spans_add(&s, (uint64_t)(uintptr_t)pages + 100, 6 * PAGE - 200);
	right = m->ops->read(m, &s, buffer) == 0 && spans_got(&s, 0, 6 * PAGE) == 2 * PAGE - 100 &&
		spans_split(&s, PAGE) && m->ops->read(m, &s, buffer) == 0 && !spans_split(&s, PAGE);
	for (size_t at = 0; right && at < 6 * PAGE - 200; at++) {
		size_t page = (at + 100) / PAGE;
		bool there = page != 2 && page != 4;

		right = spans_got(&s, at, 1) == there && (!there || buffer[at] == pages[at + 100]);
	}
	spans_done(&s);
	return right;
}

/* Where its leader has ended nothing goes by a number: a thread's is given away soon. */
START_TEST(memory_without_a_leader)
{
	struct memory m;
	int task = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_ge(task, 0);
	memory_open(&m, task, 1, false);
	close(task);
	ck_assert(memory_reads_right(&m));
	memory_close(&m);
}
END_TEST

/* The thread that was named ends, and the memory lives on with the others. */
START_TEST(memory_outlives_a_thread)
{
	struct memory m;
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	memory_of(&m, getpid());
	m.pid = child; /* nobody's any more */
	ck_assert(memory_reads_right(&m));
	memory_close(&m);
}
END_TEST

START_TEST(memory_reads_around_holes)
{
	struct memory m;

	memory_of(&m, getpid());
	ck_assert(memory_reads_right(&m));
	ck_assert(memory_reads_behind(&m));
	memory_close(&m);
}
END_TEST

/* Our own seccomp filter denies process_vm_readv, as that of a container may. */
static bool memory_deny_readv(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* In a child of its own, which keeps the filter to itself. */
START_TEST(memory_reads_slowly_where_it_must)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		struct memory m;
		char byte;
		bool right;

		memory_of(&m, getpid());
		right = memory_deny_readv() && memory_reads_right(&m) && memory_reads_behind(&m);
		memory_close(&m);
		/* And where that is denied as well, it fails. */
		right = right && !memory_read(&m, (uint64_t)(uintptr_t)&m, &byte, 1);
		_exit(right ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
END_TEST

/* More ranges than one call takes, some of them absent. */
START_TEST(memory_reads_thousands_of_ranges)
{
	enum { COUNT = 5000 };
	unsigned char *pages = memory_pages(2 * COUNT / 64 + 1, 0);
	unsigned char *buffer = malloc(COUNT * 8);
	uint64_t base = (uint64_t)(uintptr_t)pages, absent = base + 100 * PAGE;
	struct memory m;
	struct spans s;

	munmap(pages + 100 * PAGE, PAGE);
	memory_of(&m, getpid());
	spans_init(&s, 0, 4096);
	for (size_t i = 0; i < COUNT; i++)
		spans_add(&s, base + i * 128, 8);
	ck_assert_uint_eq(s.list.count, COUNT);
	ck_assert_int_eq(m.ops->read(&m, &s, buffer), 0);
	for (size_t i = 0; i < COUNT; i++) {
		uint64_t address = base + i * 128;
		bool there = address < absent || address >= absent + PAGE;

		ck_assert_uint_eq(spans_got(&s, i * 8, 8), there ? 8 : 0);
		if (there)
			ck_assert_mem_eq(buffer + i * 8, pages + i * 128, 8);
	}
	spans_done(&s);
	memory_close(&m);
	free(buffer);
}
END_TEST

START_TEST(memory_writes_exactly_its_bytes)
{
	unsigned char *pages = memory_pages(2, 0), before[2 * PAGE];
	struct memory m;

	memcpy(before, pages, sizeof before);
	ck_assert_int_eq(mprotect(pages, PAGE, PROT_READ | PROT_EXEC), 0);
	memory_of(&m, getpid());
	ck_assert_int_eq(m.ops->write(&m, (uint64_t)(uintptr_t)pages + 100, "\xe8", 1), 0);
	ck_assert_int_eq(m.ops->write(&m, (uint64_t)(uintptr_t)pages + PAGE - 1, "ab", 2), 0);
	before[100] = 0xe8;
	before[PAGE - 1] = 'a';
	before[PAGE] = 'b';
	ck_assert_mem_eq(pages, before, sizeof before);
	ck_assert_int_lt(m.ops->write(&m, 16, "x", 1), 0);
	memory_close(&m);
}
END_TEST

/* A write that reaches into nothing fails whole: no half of a count may stay behind. */
START_TEST(memory_write_is_all_or_nothing)
{
	unsigned char *pages = memory_pages(2, 1 << 1), own = pages[PAGE - 1];
	unsigned char two[2] = {(unsigned char)~own, 1};
	struct memory m;

	memory_of(&m, getpid());
	ck_assert_int_lt(m.ops->write(&m, (uint64_t)(uintptr_t)pages + PAGE - 1, two, 2), 0);
	ck_assert_uint_eq(pages[PAGE - 1], own);
	memory_close(&m);
}
END_TEST

/* The second page can be read, and so passes for one that can be written: it is shared. */
START_TEST(memory_write_is_all_or_nothing_late)
{
	unsigned char *pages = memory_pages(2, 1 << 1), own = pages[PAGE - 1];
	unsigned char two[2] = {(unsigned char)~own, 1};
	int fd = memfd_create("memory-unit", MFD_CLOEXEC), read_only;
	struct memory m;
	char path[64];

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, PAGE), 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	read_only = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(read_only, 0);
	ck_assert_ptr_eq(mmap(pages + PAGE, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, read_only, 0),
		pages + PAGE);
	memory_of(&m, getpid());
	ck_assert_int_lt(m.ops->write(&m, (uint64_t)(uintptr_t)pages + PAGE - 1, two, 2), 0);
	ck_assert_uint_eq(pages[PAGE - 1], own);
	ck_assert_uint_eq(pages[PAGE], 0);
	memory_close(&m);
	close(read_only);
	close(fd);
}
END_TEST

START_TEST(memory_of_the_dead)
{
	static unsigned char byte = 7;
	unsigned char got = 0;
	struct memory m;
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	memory_of(&m, child);
	ck_assert(memory_alive(&m));
	ck_assert(memory_read(&m, (uint64_t)(uintptr_t)&byte, &got, 1));
	ck_assert_uint_eq(got, 7);
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert(!memory_alive(&m));
	ck_assert(!memory_read(&m, (uint64_t)(uintptr_t)&byte, &got, 1));
	ck_assert_int_eq(m.ops->write(&m, (uint64_t)(uintptr_t)&byte, &got, 1), -ESRCH);
	memory_close(&m);
	memory_close(&m);
}
END_TEST

START_TEST(memory_denied)
{
	struct memory m;
	int task = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* there is no mem in it */

	memory_open(&m, task, getpid(), true);
	close(task);
	ck_assert_int_eq(m.fd, -1);
	ck_assert_int_eq(m.denied, -ENOENT);
	ck_assert(memory_alive(&m));
	ck_assert_int_eq(m.ops->write(&m, 4096, "x", 1), -ENOENT);
	memory_close(&m);
}
END_TEST

Suite *memory_suite(void)
{
	Suite *s = suite_create("memory");
	TCase *t = tcase_create("memory");

	tcase_set_timeout(t, 30);
	tcase_add_test(t, memory_reads_around_holes);
	tcase_add_test(t, memory_without_a_leader);
	tcase_add_test(t, memory_outlives_a_thread);
	tcase_add_test(t, memory_reads_slowly_where_it_must);
	tcase_add_test(t, memory_reads_thousands_of_ranges);
	tcase_add_test(t, memory_writes_exactly_its_bytes);
	tcase_add_test(t, memory_write_is_all_or_nothing);
	tcase_add_test(t, memory_write_is_all_or_nothing_late);
	tcase_add_test(t, memory_of_the_dead);
	tcase_add_test(t, memory_denied);
	suite_add_tcase(s, t);
	return s;
}
