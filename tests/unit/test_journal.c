/*
 * Journals: what a file says, whole, cut short at any byte, or lying; where files are put and who
 * may read them. Not covered: the repair of a process (e2e/cli-repair.sh), a disk that is full.
 */
#include "suites.h"

#include "patch/journal.h"
#include "process/procfs.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static void journal_folder(void)
{
	snprintf(folder, sizeof folder, "/tmp/journal-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", folder, 1), 0);
}

static void journal_folder_gone(void)
{
	char command[100];

	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

static struct journal_key journal_own(void)
{
	struct procfs_stat self;

	ck_assert_int_eq(procfs_stat(AT_FDCWD, "/proc/self/stat", &self), 0);
	return (struct journal_key){.target = getpid(),
		.owner = getpid(),
		.target_start = self.start_time,
		.target_program = 77,
		.owner_start = self.start_time,
		.pids = journal_pids()};
}

/* A plan of a site and a count at each of some addresses. */
static void journal_plan(struct plan *p, size_t count, uint64_t first)
{
	*p = (struct plan){0};
	array_init(&p->writes, sizeof(struct probes_write));
	for (size_t i = 0; i < count; i++) {
		struct probes_write *w = array_add(&p->writes);

		ck_assert_ptr_nonnull(w);
		w->address = first + i;
		w->is_site = i % 2 == 0;
		w->old[0] = 0x3d;
		w->old[1] = 0x11;
		w->new_[0] = 0xe8;
		w->new_[1] = 0x22;
	}
}

static void journal_write_plan(struct journal *j, size_t count, uint64_t first, const bool *only)
{
	struct plan p;

	journal_plan(&p, count, first);
	ck_assert_int_eq(journal_intend(j, &p, only), 0);
	array_done(&p.writes);
}

static size_t journal_bytes(const struct journal *j, char *bytes, size_t size)
{
	int fd = open(j->path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, bytes, size);

	ck_assert_int_ge(n, 0);
	close(fd);
	return (size_t)n;
}

static uint64_t journal_address(const struct array *writes, size_t i)
{
	ck_assert_uint_lt(i, writes->count);
	return ARRAY_AT(writes, struct journal_write, i)->address;
}

/* Four blocks: one done, one undone, one whose end is not on record, one done. */
static void journal_story(struct journal *j)
{
	struct journal_key key = journal_own();

	ck_assert_int_eq(journal_open(j, &key), 0);
	journal_write_plan(j, 3, 100, NULL);
	ck_assert_int_eq(journal_conclude(j, JOURNAL_DONE), 0);
	journal_write_plan(j, 2, 200, NULL);
	ck_assert_int_eq(journal_conclude(j, JOURNAL_UNDONE), 0);
	journal_write_plan(j, 2, 300, NULL);
	journal_write_plan(j, 4, 400, (const bool[]){false, true, false, true});
	ck_assert_int_eq(journal_conclude(j, JOURNAL_DONE), 0);
}

START_TEST(journal_says_what_was_written)
{
	struct journal_text text;
	struct journal j;
	char bytes[4096];
	size_t size;

	journal_folder();
	journal_story(&j);
	size = journal_bytes(&j, bytes, sizeof bytes);
	ck_assert_uint_eq(size, j.length);
	ck_assert(journal_parse(bytes, size, &text));
	ck_assert_int_eq(text.key.owner, getpid());
	ck_assert_uint_eq(text.length, size);
	ck_assert_uint_eq(text.writes.count, 5);
	ck_assert_uint_eq(journal_address(&text.writes, 2), 102);
	ck_assert_uint_eq(journal_address(&text.writes, 3), 401);
	ck_assert_uint_eq(journal_address(&text.writes, 4), 403);
	ck_assert_uint_eq(text.last.count, 2);
	ck_assert_uint_eq(journal_address(&text.last, 0), 300);
	ck_assert_uint_eq(ARRAY_AT(&text.last, struct journal_write, 0)->old, 0x3d);
	ck_assert_uint_eq(ARRAY_AT(&text.last, struct journal_write, 1)->old, 0x113d);
	ck_assert_uint_eq(ARRAY_AT(&text.last, struct journal_write, 1)->new_, 0x22e8);
	journal_text_done(&text);
	journal_remove(&j);
	journal_folder_gone();
}
END_TEST

/* Cut anywhere, it says what its whole blocks say. */
START_TEST(journal_cut_short)
{
	struct journal j;
	char bytes[4096];
	size_t size, before = 0;

	journal_folder();
	journal_story(&j);
	size = journal_bytes(&j, bytes, sizeof bytes);
	for (size_t cut = 0; cut <= size; cut++) {
		char *copy = malloc(cut + 1); /* of its own size, for the sanitizer to guard */
		struct journal_text text;

		memcpy(copy, bytes, cut);
		if (journal_parse(copy, cut, &text)) {
			ck_assert_uint_le(text.length, cut);
			ck_assert_uint_ge(text.writes.count + text.last.count, before ? 1 : 0);
			before = text.writes.count;
			journal_text_done(&text);
		} else {
			ck_assert_uint_lt(cut, 48);
		}
		free(copy);
	}
	ck_assert_uint_eq(before, 5);
	journal_remove(&j);
	journal_folder_gone();
}
END_TEST

/* Any byte changed: refused, or read within its bounds. */
START_TEST(journal_lies)
{
	struct journal j;
	char bytes[4096];
	size_t size;

	journal_folder();
	journal_story(&j);
	size = journal_bytes(&j, bytes, sizeof bytes);
	for (size_t at = 0; at < size; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			char *copy = malloc(size);
			struct journal_text text;

			memcpy(copy, bytes, size);
			copy[at] ^= (char)(1 << bit);
			if (journal_parse(copy, size, &text)) {
				ck_assert_uint_ge(at, 8);
				journal_text_done(&text);
			}
			free(copy);
		}
	journal_remove(&j);
	journal_folder_gone();
}
END_TEST

START_TEST(journal_is_private)
{
	char path[100], elsewhere[100];
	struct journal_key key = journal_own();
	struct journal j, second;
	struct stat st;

	journal_folder();
	ck_assert_int_eq(journal_open(&j, &key), 0);
	ck_assert_int_eq(stat(j.path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	snprintf(path, sizeof path, "%s/probes-tui", folder);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	ck_assert_int_eq(journal_open(&second, &key), 0);
	ck_assert_str_ne(j.path, second.path);
	journal_remove(&second);
	journal_remove(&j);
	journal_remove(&j);
	ck_assert_int_lt(stat(j.path, &st), 0);
	/* A folder that others may look into, or a link in its place, is not used. */
	ck_assert_int_eq(chmod(path, 0755), 0);
	ck_assert_int_lt(journal_open(&j, &key), 0);
	ck_assert_int_eq(rmdir(path), 0);
	snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
	ck_assert_int_eq(mkdir(elsewhere, 0700), 0);
	ck_assert_int_eq(symlink(elsewhere, path), 0);
	ck_assert_int_lt(journal_open(&j, &key), 0);
	journal_folder_gone();
}
END_TEST

/* Leave one as a process would that is killed: a child that ends with it open. */
static void journal_left_by_child(struct journal_key key)
{
	int status;
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (child == 0) {
		struct procfs_stat self;
		struct journal j;

		if (procfs_stat(AT_FDCWD, "/proc/self/stat", &self) < 0)
			_exit(1);
		key.owner = getpid();
		key.owner_start = self.start_time;
		_exit(journal_open(&j, &key) < 0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}

static size_t journal_count(const struct journal_key *key)
{
	struct array found;
	size_t count;

	array_init(&found, sizeof(struct journal_found));
	ck_assert(journal_find(key, &found));
	count = found.count;
	journal_found_done(&found);
	return count;
}

START_TEST(journal_finds_what_the_dead_left)
{
	struct journal_key key = journal_own(), other = key, past = key;
	struct journal mine;

	journal_folder();
	ck_assert_int_eq(journal_open(&mine, &key), 0);
	ck_assert_uint_eq(journal_count(&key), 0); /* its owner lives */
	journal_left_by_child(key);
	ck_assert_uint_eq(journal_count(&key), 1);
	other.pids++;
	journal_left_by_child(other); /* numbers of another namespace */
	ck_assert_uint_eq(journal_count(&key), 1);
	past.target_start++;
	journal_left_by_child(past); /* its target is gone: swept away */
	ck_assert_uint_eq(journal_count(&key), 1);
	ck_assert_uint_eq(journal_count(&past), 0);
	journal_remove(&mine);
	journal_folder_gone();
}
END_TEST

static void *journal_wait(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

/* A process whose first thread has ended lives on with the others, and so does its journal. */
START_TEST(journal_of_a_process_without_its_leader)
{
	struct procfs_stat stat = {0};
	struct journal_key key = journal_own();
	char path[64];
	pid_t child;

	journal_folder();
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, journal_wait, NULL))
			_exit(1);
		pthread_exit(NULL);
	}
	snprintf(path, sizeof path, "/proc/%d/stat", child);
	while (stat.state != 'Z')
		ck_assert_int_eq(procfs_stat(AT_FDCWD, path, &stat), 0);
	key.target = child;
	key.target_start = stat.start_time;
	journal_left_by_child(key);
	ck_assert_uint_eq(journal_count(&key), 1);
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_uint_eq(journal_count(&key), 0);
	journal_folder_gone();
}
END_TEST

/* exec keeps pid and start time, and nothing that was written: its record goes, unless who knows.
 */
START_TEST(journal_does_not_outlive_an_exec)
{
	struct journal_key key = journal_own(), unknown = key, next = key;

	unknown.target_program = 0;
	next.target_program++;
	journal_folder();
	journal_left_by_child(key);
	ck_assert_uint_eq(journal_count(&unknown), 1);
	ck_assert_uint_eq(journal_count(&key), 1);
	ck_assert_uint_eq(journal_count(&next), 0);
	ck_assert_uint_eq(journal_count(&key), 0);
	journal_left_by_child(unknown);
	ck_assert_uint_eq(journal_count(&next), 1);
	journal_folder_gone();
}
END_TEST

/* A repair goes on behind the last whole block. */
START_TEST(journal_is_adopted)
{
	struct journal_text text;
	struct journal j, again;
	char bytes[4096];
	size_t size, whole;

	journal_folder();
	journal_story(&j);
	whole = j.length;
	ck_assert_int_eq(write(j.fd, "torn", 4), 4);
	ck_assert_int_eq(journal_adopt(&again, j.path, whole), 0);
	journal_write_plan(&again, 1, 500, NULL);
	ck_assert_int_eq(journal_conclude(&again, JOURNAL_DONE), 0);
	size = journal_bytes(&again, bytes, sizeof bytes);
	ck_assert(journal_parse(bytes, size, &text));
	ck_assert_uint_eq(text.length, size);
	ck_assert_uint_eq(journal_address(&text.writes, 5), 500);
	ck_assert_uint_eq(text.last.count, 2);
	journal_text_done(&text);
	journal_leave(&j);
	journal_remove(&again);
	journal_folder_gone();
}
END_TEST

Suite *journal_suite(void)
{
	Suite *s = suite_create("journal");
	TCase *t = tcase_create("journal");

	tcase_add_test(t, journal_says_what_was_written);
	tcase_add_test(t, journal_cut_short);
	tcase_add_test(t, journal_lies);
	tcase_add_test(t, journal_is_private);
	tcase_add_test(t, journal_finds_what_the_dead_left);
	tcase_add_test(t, journal_of_a_process_without_its_leader);
	tcase_add_test(t, journal_does_not_outlive_an_exec);
	tcase_add_test(t, journal_is_adopted);
	suite_add_tcase(s, t);
	return s;
}
