/*
 * Which files are opened because an ELF file names them: a debug file beside it, by a plain name,
 * and nothing that one would have to wait for; and how much memory one may cost.
 * Not covered: what is found in debug information (screens, tests/e2e), debug files by build-id.
 */
#include "elf/symbols.h"

#include "elf_builder.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char symbols_folder[64];

static void symbols_look(int fd, const char *path)
{
	struct probes_source where = {.line = 0};
	struct symbols *s = symbols_open(fd, path);

	ck_assert_ptr_nonnull(s);
	symbols_find(s, ELF_TEXT, &where);
	ck_assert_int_eq(where.line, 0);
	symbols_close(s);
}

/* Open a file whose debuglink names another, and ask for a line. */
static void symbols_ask(const char *debuglink)
{
	static const unsigned char text[8];
	struct elf_file f = elf_build(&(struct elf_spec){
		.text = text, .text_size = sizeof text, .data_size = 16, .debuglink = debuglink});
	int fd = elf_open(f.bytes, f.size);
	char path[100];

	snprintf(path, sizeof path, "%s/lib/program", symbols_folder);
	symbols_look(fd, path);
	close(fd);
	free(f.bytes);
}

static void symbols_world(void)
{
	char path[100];

	snprintf(symbols_folder, sizeof symbols_folder, "/tmp/symbols-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(symbols_folder));
	snprintf(path, sizeof path, "%s/lib", symbols_folder);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void symbols_world_gone(void)
{
	char command[100];

	snprintf(command, sizeof command, "rm -rf '%s'", symbols_folder);
	ck_assert_int_eq(system(command), 0);
}

/* Nobody ever opens its other end. */
START_TEST(symbols_waits_for_nobody)
{
	char path[100];

	symbols_world();
	snprintf(path, sizeof path, "%s/lib/it.debug", symbols_folder);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	symbols_ask("it.debug");
	unlink(path);
	snprintf(path, sizeof path, "%s/lib/.debug", symbols_folder);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/lib/.debug/it.debug", symbols_folder);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	symbols_ask("it.debug");
	symbols_world_gone();
}
END_TEST

/* How often a file of that folder was opened meanwhile. */
static int symbols_opened(int notify)
{
	char events[4096];
	ssize_t got = read(notify, events, sizeof events);
	int count = 0;

	for (ssize_t at = 0; at < got; count++)
		at += (ssize_t)(sizeof(struct inotify_event) +
				((struct inotify_event *)(void *)&events[at])->len);
	return count;
}

START_TEST(symbols_follows_no_path)
{
	int notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), file;
	char path[100];

	symbols_world();
	snprintf(path, sizeof path, "%s/secret", symbols_folder);
	file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(file, 0);
	close(file);
	ck_assert_int_ge(inotify_add_watch(notify, path, IN_OPEN), 0);
	symbols_ask("../secret");
	symbols_ask(path);
	ck_assert_int_eq(symbols_opened(notify), 0);
	/* The watch works, and a plain name is looked at. */
	snprintf(path, sizeof path, "%s/lib/it.debug", symbols_folder);
	file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	close(file);
	ck_assert_int_ge(inotify_add_watch(notify, path, IN_OPEN), 0);
	symbols_ask("it.debug");
	ck_assert_int_ge(symbols_opened(notify), 1);
	close(notify);
	symbols_world_gone();
}
END_TEST

/* Half a megabyte that holds three gigabytes; its own repetitions are packed once more. */
static char *symbols_bomb(size_t *size)
{
	const char *srcdir = getenv("srcdir");
	char command[4200], *bytes = malloc(1 << 20);
	FILE *pipe;

	snprintf(command, sizeof command, "xz -dc '%s/tests/unit/bomb.xz.xz' 2>/dev/null",
		srcdir ? srcdir : ".");
	pipe = popen(command, "r");
	ck_assert(bytes && pipe);
	*size = fread(bytes, 1, 1 << 20, pipe);
	pclose(pipe);
	return bytes;
}

/* Nothing is checked where there is no xz. A sanitizer ends us where it is given no memory. */
START_TEST(symbols_take_bounded_memory)
{
	static const unsigned char text[8];
	struct elf_spec spec = {.text = text, .text_size = sizeof text, .data_size = 16};
	size_t size;
	char *bomb = symbols_bomb(&size);
	struct rlimit before, after;
	struct rusage usage;
	struct elf_file f;
	int fd;

#ifdef __SANITIZE_ADDRESS__
	size = 0;
#endif
	if (!size) {
		free(bomb);
		return;
	}
	spec.debugdata = bomb;
	spec.debugdata_size = size;
	f = elf_build(&spec);
	fd = elf_open(f.bytes, f.size);
	ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
	symbols_look(fd, "/nowhere/program");
	ck_assert_int_eq(getrlimit(RLIMIT_AS, &after), 0);
	ck_assert(before.rlim_cur == after.rlim_cur && before.rlim_max == after.rlim_max);
	ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
	ck_assert_int_lt(usage.ru_maxrss, 1200 * 1024);
	close(fd);
	free(f.bytes);
	free(bomb);
}
END_TEST

Suite *symbols_suite(void)
{
	Suite *s = suite_create("symbols");
	TCase *t = tcase_create("symbols"), *slow = tcase_create("bomb");

	tcase_add_test(t, symbols_waits_for_nobody);
	tcase_add_test(t, symbols_follows_no_path);
	suite_add_tcase(s, t);
	tcase_set_timeout(slow, 60);
	tcase_add_test(slow, symbols_take_bounded_memory);
	suite_add_tcase(s, slow);
	return s;
}
