/* Covers the parsers of process/procfs on texts; reading on our own process. */
#include "process/procfs.h"

#include "suites.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROCFS_REST                                                                   \
	" 17 42 42 0 -1 2097408 10 20 30 40 50 60 70 80 20 0 9 0 987654321 1000 200 " \
	"18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0 0 0 0 0 0 0 0 0\n"

static const struct {
	const char *text, *comm;
} procfs_comms[] = {
	{"42 (cat) S" PROCFS_REST, "cat"},
	{"42 (a b) S" PROCFS_REST, "a b"},
	{"42 (a) R 1 (b)) S" PROCFS_REST, "a) R 1 (b)"},
	{"42 ()) S" PROCFS_REST, ")"},
	{"42 (() S" PROCFS_REST, "("},
	{"42 () S" PROCFS_REST, ""},
	{"42 (new\nline) S" PROCFS_REST, "new\nline"},
};

START_TEST(procfs_stat_with_any_comm)
{
	struct procfs_stat stat;

	ck_assert_int_eq(procfs_parse_stat(procfs_comms[_i].text, &stat), 0);
	ck_assert_str_eq(stat.comm, procfs_comms[_i].comm);
	ck_assert_int_eq(stat.state, 'S');
	ck_assert_int_eq(stat.parent, 17);
	ck_assert_uint_eq(stat.flags, 2097408);
	ck_assert(stat.flags & PROCFS_KERNEL_THREAD);
	ck_assert_uint_eq(stat.threads, 9);
	ck_assert_uint_eq(stat.start_time, 987654321);
}
END_TEST

START_TEST(procfs_stat_cuts_a_long_comm)
{
	char text[600] = "42 (";
	struct procfs_stat stat;

	memset(text + 4, 'x', 300);
	strcpy(text + 304, ") S" PROCFS_REST);
	ck_assert_int_eq(procfs_parse_stat(text, &stat), 0);
	ck_assert_uint_eq(strlen(stat.comm), sizeof stat.comm - 1);
}
END_TEST

static const char *const procfs_broken[] = {"", "42", "42 (cat", "42 cat) S 1", ")(", ") 1 (x",
	"42 (cat)", "42 (cat) S", "42 (cat) S 1 2 3 4 5 6 7"};

START_TEST(procfs_stat_refuses_what_is_cut)
{
	struct procfs_stat stat;

	ck_assert_int_eq(procfs_parse_stat(procfs_broken[_i], &stat), -EBADMSG);
}
END_TEST

START_TEST(procfs_status_keys)
{
	static const char status[] = "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t7\n"
				     "TracerPid:\t123\nNStgid:\t5\nthreads:\t9\nLast:\t-4";

	ck_assert_int_eq(procfs_status(status, "Seccomp", -1), 2);
	ck_assert_int_eq(procfs_status(status, "TracerPid", -1), 123);
	ck_assert_int_eq(procfs_status(status, "Tracer", -1), -1);
	ck_assert_int_eq(procfs_status(status, "Threads", -1), -1);
	ck_assert_int_eq(
		procfs_status_last("A:\t1\nNStgid:\t4711\t12\t1\n7:\t9\n", "NStgid", -1), 1);
	ck_assert_int_eq(procfs_status_last("NStgid:\t4711\n12\n", "NStgid", -1), 4711);
	ck_assert_int_eq(procfs_status_last("NStgid:\t", "NStgid", -1), -1);
	ck_assert_int_eq(procfs_status_last("A:\t1\n", "NStgid", -1), -1);
	ck_assert_int_eq(procfs_status(status, "Last", -1), -4);
	ck_assert_int_eq(procfs_status("", "Name", 8), 8);
	ck_assert_int_eq(procfs_status(NULL, "Name", 8), 8);
}
END_TEST

START_TEST(procfs_status_lists)
{
	static const char status[] =
		"Uid:\t1\t2\t3\t4\nGid:\t5 6\nCapEff:\t00000000000800ff\nNSpid:\n9\n";
	uint64_t n[4];

	ck_assert_uint_eq(procfs_status_numbers(status, "Uid", 10, n, 4), 4);
	ck_assert(n[0] == 1 && n[3] == 4);
	ck_assert_uint_eq(procfs_status_numbers(status, "Uid", 10, n, 3), 3);
	ck_assert_uint_eq(procfs_status_numbers(status, "Gid", 10, n, 4), 2);
	ck_assert_uint_eq(procfs_status_numbers(status, "CapEff", 16, n, 1), 1);
	ck_assert_uint_eq(n[0], 0x800ff);
	ck_assert_uint_eq(procfs_status_numbers(status, "NSpid", 10, n, 4), 0);
	ck_assert_uint_eq(procfs_status_numbers(status, "None", 10, n, 4), 0);
}
END_TEST

static size_t procfs_drop_all(char *text, size_t size)
{
	(void)text;
	(void)size;
	return 0;
}

/* Every other line. */
static size_t procfs_drop_some(char *text, size_t size)
{
	char *to = text, *end;

	for (char *at = text; at < text + size; at = end) {
		end = (char *)memchr(at, '\n', (size_t)(text + size - at)) + 1;
		if (*at == 'k') {
			memmove(to, at, (size_t)(end - at));
			to += end - at;
		}
	}
	return (size_t)(to - text);
}

/* Somebody's list may be as long as he likes: what is held of it has a bound. */
START_TEST(procfs_has_an_end)
{
	char path[] = "/tmp/probes-procfs-XXXXXX", line[64], *text;
	FILE *file = fdopen(mkstemp(path), "w");
	size_t size;

	ck_assert_ptr_nonnull(file);
	for (int i = 0; i < 200000; i++)
		fprintf(file, "keep %d\ndrop %d\n", i, i);
	fflush(file);
	ck_assert_int_eq(procfs_read_lines(AT_FDCWD, path, procfs_drop_some, &text, &size), 0);
	ck_assert_uint_eq(strlen(text), size);
	ck_assert_ptr_null(strstr(text, "drop"));
	for (int i = 0; i < 200000; i += 199999) {
		snprintf(line, sizeof line, "keep %d\n", i);
		ck_assert_ptr_nonnull(strstr(text, line));
	}
	free(text);
	ck_assert_int_eq(ftruncate(fileno(file), PROCFS_MOST + 8192), 0);
	ck_assert_int_eq(procfs_read(AT_FDCWD, &text, &size, "%s", path), -EFBIG);
	ck_assert_ptr_null(text);
	fclose(file);
	file = fopen(path, "w");
	for (int i = 0; i < (int)(PROCFS_MOST >> 20) + 2; i++)
		fprintf(file, "%1048575d\n", i);
	fclose(file);
	ck_assert_int_eq(procfs_read_lines(AT_FDCWD, path, procfs_drop_all, &text, &size), 0);
	ck_assert_uint_eq(size, 0);
	free(text);
	unlink(path);
}
END_TEST

START_TEST(procfs_reads_our_own)
{
	struct procfs_stat stat;
	char *text = NULL;
	size_t size = 0;
	int dir = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_ge(dir, 0);
	ck_assert_int_eq(procfs_stat(dir, &stat, "stat"), 0);
	ck_assert_int_eq(stat.parent, getppid());
	ck_assert_uint_gt(stat.start_time, 0);
	ck_assert_int_eq(procfs_read(dir, &text, &size, "status"), 0);
	ck_assert_uint_eq(strlen(text), size);
	ck_assert_int_eq(procfs_status(text, "Pid", -1), getpid());
	free(text);
	ck_assert_int_eq(procfs_read(dir, &text, &size, "no such file"), -ENOENT);
	ck_assert_ptr_null(text);
	close(dir);
}
END_TEST

/* Larger than any buffer that it begins with. */
START_TEST(procfs_reads_long_files_whole)
{
	char path[] = "/tmp/unit-procfs-XXXXXX", *text, line[64];
	int fd = mkstemp(path);
	size_t size, total = 0;

	ck_assert_int_ge(fd, 0);
	for (int i = 0; i < 5000; i++) {
		int n = snprintf(line, sizeof line, "line %d\n", i);

		ck_assert_int_eq(write(fd, line, (size_t)n), n);
		total += (size_t)n;
	}
	close(fd);
	ck_assert_int_eq(procfs_read(AT_FDCWD, &text, &size, "%s", path), 0);
	unlink(path);
	ck_assert_uint_eq(size, total);
	ck_assert_uint_eq(strlen(text), total);
	ck_assert_str_eq(text + total - 10, "line 4999\n");
	free(text);
}
END_TEST

Suite *procfs_suite(void)
{
	Suite *s = suite_create("procfs");
	TCase *t = tcase_create("procfs");

	tcase_add_loop_test(
		t, procfs_stat_with_any_comm, 0, sizeof procfs_comms / sizeof *procfs_comms);
	tcase_add_test(t, procfs_stat_cuts_a_long_comm);
	tcase_add_loop_test(t, procfs_stat_refuses_what_is_cut, 0,
		sizeof procfs_broken / sizeof *procfs_broken);
	tcase_add_test(t, procfs_status_keys);
	tcase_add_test(t, procfs_status_lists);
	tcase_add_test(t, procfs_reads_our_own);
	tcase_add_test(t, procfs_has_an_end);
	tcase_add_test(t, procfs_reads_long_files_whole);
	suite_add_tcase(s, t);
	return s;
}
