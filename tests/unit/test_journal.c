/*
 * Journals: what a file says, whole, cut short at any byte, or lying; where files are put and who
 * may read them. Not covered: the repair of a process (e2e/cli-repair.sh), a disk that is full.
 */
#include "suites.h"

#include "patch/journal.h"
#include "process/identity.h"
#include "process/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], records[80]; /* a folder in it: PROBES_TUI_RECORDS */

static void journal_folder(void)
{
	snprintf(folder, sizeof folder, "/tmp/journal-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(records, sizeof records, "%s/records", folder);
	ck_assert_int_eq(setenv("PROBES_TUI_RECORDS", records, 1), 0);
}

static void journal_folder_gone(void)
{
	char command[100];

	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

static struct journal_key journal_own(void)
{
	struct journal_key key = {.target = getpid(), .owner = getpid(), .target_program = 77};
	struct procfs_stat self;

	ck_assert_int_eq(procfs_stat(AT_FDCWD, &self, "/proc/self/stat"), 0);
	key.target_start = key.owner_start = identity_start(self.start_time);
	journal_here(&key);
	return key;
}

/* Of several folders, the one that is merely missing (the last, $XDG_RUNTIME_DIR) is not blamed. */
START_TEST(journal_blames_the_folder_that_failed)
{
	struct journal_key key = journal_own();
	struct rlimit before, none;
	struct journal j;
	int r;

	ck_assert_int_eq(unsetenv("PROBES_TUI_RECORDS"), 0);
	ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", "/nonexistent", 1), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	r = journal_open(&j, &key);
	setrlimit(RLIMIT_FSIZE, &before);
	ck_assert_int_eq(r, -EFBIG);
	ck_assert_int_eq(j.fd, -1);
	ck_assert_str_eq(j.place.base, geteuid() ? "/tmp" : "/run");
}
END_TEST

/* An intent to edit a site and a count, in turn, at consecutive addresses. */
static void journal_write_plan(struct journal *j, size_t count, uint64_t first, const bool *only)
{
	struct array edits = ARRAY_OF(struct probes_edit);

	for (size_t i = 0; i < count; i++) {
		struct probes_edit *edit = array_add(&edits);

		ck_assert_ptr_nonnull(edit);
		*edit = edit_semaphore(first + i, 0x113d, 0x22e8);
		if (i % 2 == 0) {
			edit->role = PROBES_ROLE_CODE;
			edit->length = 1;
		}
	}
	ck_assert_int_eq(journal_record(j, JOURNAL_INTENT, &edits, only), 0);
	array_done(&edits);
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
	return ARRAY_AT(writes, struct probes_edit, i)->address;
}

/* Four blocks: one done, one undone, one whose end is not on record, one done. */
static void journal_story(struct journal *j)
{
	struct journal_key key = journal_own();

	ck_assert_int_eq(journal_open(j, &key), 0);
	journal_write_plan(j, 3, 100, NULL);
	ck_assert_int_eq(journal_record(j, JOURNAL_DONE, NULL, NULL), 0);
	journal_write_plan(j, 2, 200, NULL);
	ck_assert_int_eq(journal_record(j, JOURNAL_UNDONE, NULL, NULL), 0);
	journal_write_plan(j, 2, 300, NULL);
	journal_write_plan(j, 4, 400, (const bool[]){false, true, false, true});
	ck_assert_int_eq(journal_record(j, JOURNAL_DONE, NULL, NULL), 0);
}

START_TEST(journal_says_what_was_written)
{
	const struct probes_edit *site, *count;
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
	ck_assert_uint_eq(text.made.count, 5);
	ck_assert_uint_eq(journal_address(&text.made, 2), 102);
	ck_assert_uint_eq(journal_address(&text.made, 3), 401);
	ck_assert_uint_eq(journal_address(&text.made, 4), 403);
	ck_assert_uint_eq(text.pending.count, 2);
	ck_assert_uint_eq(journal_address(&text.pending, 0), 300);
	site = ARRAY_AT(&text.pending, struct probes_edit, 0);
	ck_assert_int_eq(site->role, PROBES_ROLE_CODE);
	ck_assert_uint_eq(site->length, 1);
	ck_assert_uint_eq(site->old[0], 0x3d);
	count = site + 1;
	ck_assert_int_eq(count->role, PROBES_ROLE_SEMAPHORE);
	ck_assert_uint_eq(count->length, 2);
	ck_assert_uint_eq(edit_value(count->old), 0x113d);
	ck_assert_uint_eq(edit_value(count->new_), 0x22e8);
	journal_text_done(&text);
	journal_remove(&j);
	journal_folder_gone();
}
END_TEST

/* Another session decides of two: one was made, and one was not. The third stays open. */
START_TEST(journal_is_decided)
{
	struct probes_edit list[] = {
		edit_semaphore(301, 0x113d, 0x22e8), edit_semaphore(303, 0x22e8, 0x113d)};
	struct array edits = {.data = list, .count = 2, .size = sizeof *list};
	struct journal_key key = journal_own();
	struct journal_text text;
	struct journal j;
	char bytes[1000];

	journal_folder();
	ck_assert_int_eq(journal_open(&j, &key), 0);
	journal_write_plan(&j, 6, 300, (const bool[]){false, true, false, true, true, true});
	ck_assert_int_eq(journal_record(&j, JOURNAL_DECIDED, &edits, NULL), 0);
	ck_assert(journal_parse(bytes, journal_bytes(&j, bytes, sizeof bytes), &text));
	ck_assert_uint_eq(text.made.count, 1);
	ck_assert_uint_eq(journal_address(&text.made, 0), 301);
	ck_assert_uint_eq(text.pending.count, 2);
	ck_assert_uint_eq(journal_address(&text.pending, 0), 304);
	ck_assert_uint_eq(journal_address(&text.pending, 1), 305);
	journal_text_done(&text);
	/* What is not open is not decided. */
	ck_assert_int_eq(journal_record(&j, JOURNAL_DECIDED, &edits, NULL), 0);
	ck_assert(journal_parse(bytes, journal_bytes(&j, bytes, sizeof bytes), &text));
	ck_assert_uint_eq(text.made.count, 1);
	ck_assert_uint_eq(text.pending.count, 2);
	journal_text_done(&text);
	journal_remove(&j);
	journal_folder_gone();
}
END_TEST

/* Edits of every length come back as they were; those of no known role make a journal malformed. */
START_TEST(journal_keeps_edits_of_any_length)
{
	struct probes_edit list[PROBES_EDIT_BYTES];
	struct array edits = {.data = list, .count = PROBES_EDIT_BYTES, .size = sizeof *list};
	struct journal_key key = journal_own();
	struct journal_text text;
	struct journal j;
	char bytes[1000];
	size_t size;

	journal_folder();
	ck_assert_int_eq(journal_open(&j, &key), 0);
	for (uint8_t i = 0; i < PROBES_EDIT_BYTES; i++) {
		list[i] = (struct probes_edit){
			.address = 7000u + i, .length = i + 1, .role = PROBES_ROLE_CODE};
		memset(list[i].old, 0x10 + i, list[i].length);
		memset(list[i].new_, 0x80 + i, list[i].length);
	}
	ck_assert_int_eq(journal_record(&j, JOURNAL_MADE, &edits, NULL), 0);
	size = journal_bytes(&j, bytes, sizeof bytes);
	ck_assert(journal_parse(bytes, size, &text));
	ck_assert_uint_eq(text.length, size);
	ck_assert_uint_eq(text.made.count, PROBES_EDIT_BYTES);
	for (size_t i = 0; i < PROBES_EDIT_BYTES; i++) {
		const struct probes_edit *edit = ARRAY_AT(&text.made, struct probes_edit, i);

		ck_assert_uint_eq(edit->address, list[i].address);
		ck_assert_int_eq(edit->role, PROBES_ROLE_CODE);
		ck_assert_uint_eq(edit->length, list[i].length);
		ck_assert_mem_eq(edit->old, list[i].old, sizeof edit->old);
		ck_assert_mem_eq(edit->new_, list[i].new_, sizeof edit->new_);
	}
	journal_text_done(&text);
	list[0].role = PROBES_ROLE_COUNTER + 1;
	ck_assert_int_eq(journal_record(&j, JOURNAL_MADE, &edits, NULL), 0);
	size = journal_bytes(&j, bytes, sizeof bytes);
	ck_assert(!journal_parse(bytes, size, &text));
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
			ck_assert_uint_ge(text.made.count + text.pending.count, before ? 1 : 0);
			before = text.made.count;
			journal_text_done(&text);
		} else {
			ck_assert_uint_lt(cut, JOURNAL_HEADER);
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
				/* Its number may become that of the format before. */
				ck_assert(at >= 8 || (at == 5 && text.version != 4));
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
	char elsewhere[100];
	struct journal_key key = journal_own();
	struct journal j, second;
	struct stat st;

	journal_folder();
	ck_assert_int_eq(journal_open(&j, &key), 0);
	ck_assert_int_eq(stat(j.path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_int_eq(stat(records, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	ck_assert_int_eq(journal_open(&second, &key), 0);
	ck_assert_str_ne(j.path, second.path);
	journal_remove(&second);
	journal_remove(&j);
	journal_remove(&j);
	ck_assert_int_lt(stat(j.path, &st), 0);
	/* A folder that others may look into, or a link in its place, is not used. */
	ck_assert_int_eq(chmod(records, 0755), 0);
	ck_assert_int_lt(journal_open(&j, &key), 0);
	ck_assert_int_eq(rmdir(records), 0);
	snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
	ck_assert_int_eq(mkdir(elsewhere, 0700), 0);
	ck_assert_int_eq(symlink(elsewhere, records), 0);
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

		if (procfs_stat(AT_FDCWD, &self, "/proc/self/stat") < 0)
			_exit(1);
		key.owner = getpid();
		key.owner_start = identity_start(self.start_time);
		_exit(journal_open(&j, &key) < 0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}

/* How many there are to be repaired; *unjudged: and how many nobody can say anything of. */
static size_t journal_counts(const struct journal_key *key, size_t *unjudged, const char *why)
{
	struct array found = ARRAY_OF(struct journal_found);
	size_t count;

	ck_assert(journal_find(key, NULL, false, &found));
	count = found.count;
	*unjudged = 0;
	for (size_t i = 0; i < found.count; i++) {
		const char *said = ARRAY_AT(&found, struct journal_found, i)->unjudged;

		*unjudged += *said != '\0';
		ck_assert_msg(!*said || strstr(said, why), "%s", said);
	}
	journal_found_done(&found);
	return count - *unjudged;
}

static size_t journal_count(const struct journal_key *key)
{
	size_t unjudged, count = journal_counts(key, &unjudged, "");

	ck_assert_uint_eq(unjudged, 0);
	return count;
}

/* How many files lie there. */
static size_t journal_files(void)
{
	DIR *list = opendir(records);
	struct dirent *entry;
	size_t n = 0;

	while ((entry = readdir(list)))
		n += entry->d_name[0] != '.';
	closedir(list);
	return n;
}

static int unlink_all(const char *directory)
{
	DIR *list = opendir(directory);
	struct dirent *entry;
	int n = 0;

	while ((entry = readdir(list)))
		n += entry->d_name[0] != '.' && unlinkat(dirfd(list), entry->d_name, 0) == 0;
	closedir(list);
	return n;
}

START_TEST(journal_finds_what_the_dead_left)
{
	struct journal_key key = journal_own(), past = key;
	struct journal mine;

	journal_folder();
	ck_assert_int_eq(journal_open(&mine, &key), 0);
	ck_assert_uint_eq(journal_count(&key), 0); /* its owner lives */
	journal_left_by_child(key);
	ck_assert_uint_eq(journal_count(&key), 1);
	past.target_start += 1000;
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
	while (stat.state != 'Z')
		ck_assert_int_eq(procfs_stat(AT_FDCWD, &stat, "/proc/%d/stat", child), 0);
	key.target = child;
	key.target_start = identity_start(stat.start_time);
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
	size_t unjudged;

	unknown.target_program = 0;
	next.target_program++;
	journal_folder();
	journal_left_by_child(key);
	ck_assert_uint_eq(journal_count(&unknown), 1);
	ck_assert_uint_eq(journal_count(&key), 1);
	ck_assert_uint_eq(journal_count(&next), 0);
	ck_assert_uint_eq(journal_count(&key), 0);
	/* One that names no program proves nothing. */
	journal_left_by_child(unknown);
	ck_assert_uint_eq(
		journal_counts(&next, &unjudged, "a program that this process ran before"), 0);
	ck_assert_uint_eq(unjudged, 1);
	journal_folder_gone();
}
END_TEST

/* A repair goes on behind the last whole block. */
START_TEST(journal_is_adopted)
{
	struct journal_key key = journal_own();
	struct journal_text text;
	struct journal j, again;
	struct array found = ARRAY_OF(struct journal_found);
	char bytes[4096];
	size_t size;

	journal_folder();
	journal_story(&j);
	ck_assert_int_eq(write(j.fd, "torn", 4), 4);
	ck_assert_uint_eq(journal_count(&key), 0); /* it is in use */
	journal_leave(&j);
	ck_assert(journal_find(&key, NULL, false, &found));
	ck_assert_uint_eq(found.count, 1);
	ck_assert_int_eq(journal_adopt(&again, ARRAY_AT(&found, struct journal_found, 0)), 0);
	journal_found_done(&found);
	ck_assert_uint_eq(journal_count(&key), 0); /* it is in use again */
	journal_write_plan(&again, 1, 500, NULL);
	ck_assert_int_eq(journal_record(&again, JOURNAL_DONE, NULL, NULL), 0);
	size = journal_bytes(&again, bytes, sizeof bytes);
	ck_assert(journal_parse(bytes, size, &text));
	ck_assert_uint_eq(text.length, size);
	ck_assert_uint_eq(journal_address(&text.made, 5), 500);
	ck_assert_uint_eq(text.pending.count, 2);
	journal_text_done(&text);
	journal_remove(&again);
	ck_assert_uint_eq(journal_files(), 0);
	journal_folder_gone();
}
END_TEST

/* Its owner may live, or what it says may be of the target: it is kept, and that is said. */
START_TEST(journal_goes_only_on_proof)
{
	struct journal_key key = journal_own(), other = key, unknown = key, past = key;
	struct rlimit before, none;
	struct journal mine, left;
	size_t unjudged;
	int highest;

	journal_folder();
	ck_assert_int_eq(journal_open(&mine, &key), 0);
	/* No descriptor left: neither is the living owner's taken for a dead one's, nor is it
	   said that there is nothing. */
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	highest = dup(0);
	for (int more = 0; more <= 4; more++) {
		none = (struct rlimit){(rlim_t)(highest + more), before.rlim_max};
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
		ck_assert_uint_eq(journal_counts(&key, &unjudged, "Too many open files"), 0);
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
		ck_assert(unjudged == 1 || more > 2);
		ck_assert_uint_eq(journal_files(), 1);
	}
	close(highest);
	/* Left by a session that goes on: nobody works on it any more. */
	ck_assert_int_eq(journal_open(&left, &key), 0);
	journal_leave(&left);
	ck_assert_uint_eq(journal_count(&key), 1);
	ck_assert_int_eq(unlink(left.path), 0);
	/* Its owner is dead by its start, and somebody holds it all the same: a child of that. */
	past.owner_start += 1000;
	ck_assert_int_eq(journal_open(&left, &past), 0);
	ck_assert_uint_eq(journal_counts(&key, &unjudged, "a child of that session"), 0);
	ck_assert_uint_eq(unjudged, 1);
	ck_assert_uint_eq(journal_files(), 2);
	journal_remove(&left);
	/* Another pid namespace: its numbers mean nothing here, its start does. */
	other.pids++;
	journal_left_by_child(other);
	ck_assert_uint_eq(journal_counts(&key, &unjudged, "another pid namespace"), 0);
	ck_assert_uint_eq(unjudged, 1);
	ck_assert_uint_eq(journal_files(), 2);
	other.target_start += 1000;
	ck_assert_int_eq(unlink_all(records), 2);
	journal_left_by_child(other);
	ck_assert_uint_eq(journal_count(&key), 0);
	ck_assert_uint_eq(journal_files(), 1); /* nor does that say whether its target is gone */
	/* Another boot, or another machine that shares the folder: not about us at all. */
	key.boot[1]++;
	key.target_start += 1000;
	journal_left_by_child(key);
	ck_assert_uint_eq(journal_count(&unknown), 0);
	ck_assert_uint_eq(journal_files(), 2);
	/* Neither start nor program are known: is it of this process, or of one before it? */
	unknown.target_start = unknown.target_program = 0;
	journal_left_by_child(unknown);
	key = journal_own();
	ck_assert_uint_eq(journal_counts(&key, &unjudged, "an earlier process"), 0);
	ck_assert_uint_eq(unjudged, 1);
	journal_folder_gone();
}
END_TEST

/* A process in a pid namespace of its own, and a sibling of it with the same start and program. */
START_TEST(journal_of_a_container)
{
	struct journal_key key = journal_own(), left;
	struct procfs_stat child;
	struct stat pids;
	size_t unjudged;
	char path[64];

	key.target = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL);
	if (key.target < 0) {
		ck_assert_int_eq(errno, EPERM);
		return;
	}
	if (key.target == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	ck_assert_int_eq(procfs_stat(AT_FDCWD, &child, "/proc/%d/stat", (int)key.target), 0);
	key.target_start = identity_start(child.start_time);
	snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)key.target);
	ck_assert_int_eq(stat(path, &pids), 0);
	left = key;
	left.pids = pids.st_ino;
	journal_folder();
	left.target = 2;
	journal_left_by_child(left);
	ck_assert_uint_eq(journal_counts(&key, &unjudged, ""), 0);
	ck_assert_uint_eq(unjudged, 0);
	left.target = 1;
	journal_left_by_child(left);
	ck_assert_uint_eq(journal_counts(&key, &unjudged, "another pid namespace"), 0);
	ck_assert_uint_eq(unjudged, 1);
	kill(key.target, SIGKILL);
	ck_assert_int_eq(waitpid(key.target, NULL, 0), key.target);
	journal_folder_gone();
}
END_TEST

/* What cannot be read may say that changes remain. */
START_TEST(journal_damaged)
{
	struct journal_key key = journal_own();
	char path[200];
	size_t unjudged;
	int fd;

	journal_folder();
	ck_assert_int_eq(mkdir(records, 0700), 0);
	snprintf(path, sizeof path, "%s/%d-1-2-0", records, getpid());
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(write(fd, "PTUIJ9", 6), 6);
	close(fd);
	ck_assert_uint_eq(journal_counts(&key, &unjudged, "damaged"), 0);
	ck_assert_uint_eq(unjudged, 1);
	/* What is no name of ours is nothing of ours. */
	ck_assert_int_eq(unlink_all(records), 1);
	snprintf(path, sizeof path, "%s/%d-note", records, getpid());
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	ck_assert_uint_eq(journal_count(&key), 0);
	journal_folder_gone();
}
END_TEST

/* PTUIJ2 has no boot and no lock. Its edits: unit suite record. */
START_TEST(journal_of_the_old_format)
{
	uint64_t header[JOURNAL_HEADER_2 / 8] = {0};
	struct journal_key key = journal_own();
	char path[200];
	pid_t dead = fork();
	size_t unjudged;
	int fd;

	if (dead == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(dead, NULL, 0), dead);
	journal_folder();
	ck_assert_int_eq(mkdir(records, 0700), 0);
	memcpy(header, "PTUIJ2", 6);
	header[2] = key.target_start;
	header[3] = key.target_program;
	header[5] = key.pids;
	snprintf(path, sizeof path, "%s/%d-%llu-7-0", records, getpid(),
		(unsigned long long)key.target_start);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	header[1] = (uint64_t)dead << 32 | (uint32_t)getpid();
	ck_assert_int_eq(pwrite(fd, header, sizeof header, 0), sizeof header);
	ck_assert_uint_eq(journal_count(&key), 1);
	header[1] = (uint64_t)getpid() << 32 | (uint32_t)getpid();
	ck_assert_int_eq(pwrite(fd, header, sizeof header, 0), sizeof header);
	ck_assert_uint_eq(journal_counts(&key, &unjudged, ""), 0);
	ck_assert_uint_eq(unjudged, 0); /* it lives */
	close(fd);
	journal_folder_gone();
}
END_TEST

Suite *journal_suite(void)
{
	Suite *s = suite_create("journal");
	TCase *t = tcase_create("journal");

	tcase_add_test(t, journal_says_what_was_written);
	tcase_add_test(t, journal_is_decided);
	tcase_add_test(t, journal_keeps_edits_of_any_length);
	tcase_add_test(t, journal_cut_short);
	tcase_add_test(t, journal_lies);
	tcase_add_test(t, journal_is_private);
	tcase_add_test(t, journal_finds_what_the_dead_left);
	tcase_add_test(t, journal_of_a_process_without_its_leader);
	tcase_add_test(t, journal_does_not_outlive_an_exec);
	tcase_add_test(t, journal_blames_the_folder_that_failed);
	tcase_add_test(t, journal_is_adopted);
	tcase_add_test(t, journal_goes_only_on_proof);
	tcase_add_test(t, journal_of_a_container);
	tcase_add_test(t, journal_damaged);
	tcase_add_test(t, journal_of_the_old_format);
	suite_add_tcase(s, t);
	return s;
}
