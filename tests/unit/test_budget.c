/*
 * Covers base/budget, elf/tally, and what they bound: notes of files that are opened, in one
 * session and in several; what is left out is said, and never switched; counting a process keeps
 * nothing and comes to the same number. Not covered: the screen (e2e/tui-resources.sh).
 */
#include "base/budget.h"

#include "elf/tally.h"
#include "elf_builder.h"
#include "probes.h"
#include "suites.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the sum ---- */

START_TEST(budget_of_one_and_of_all)
{
	struct budget a = {0}, b = {0}, c = {0};

	ck_assert(budget_take(&a, BUDGET_SESSION));
	ck_assert(!budget_take(&a, 1));
	/* What is left is less than another may take, and keeps the reserve. */
	ck_assert(!budget_take(&b, BUDGET_SESSION));
	ck_assert(budget_take(&b, BUDGET_ALL - BUDGET_RESERVE - BUDGET_SESSION));
	ck_assert(!budget_take(&b, BUDGET_SMALL));
	ck_assert(budget_take(&c, BUDGET_SMALL));
	ck_assert(!budget_take(&c, 1 << 16));
	budget_done(&a);
	ck_assert(budget_take(&c, 1 << 16));
	budget_done(&b);
	budget_done(&c);
	ck_assert(budget_take(&a, BUDGET_SESSION));
	budget_done(&a);
	ck_assert(!budget_take(&a, SIZE_MAX));
}
END_TEST

START_TEST(budget_gives_back_what_is_not_used)
{
	struct budget many[BUDGET_ALL / BUDGET_SMALL + 8] = {0};
	const size_t count = sizeof many / sizeof *many;

	/* Each takes a piece, of which it needs little. */
	for (size_t i = 0; i < count; i++) {
		for (int k = 0; k < 10; k++)
			ck_assert(budget_take(&many[i], 100));
		budget_trim(&many[i]);
		ck_assert_uint_eq(many[i].taken, 1000);
	}
	for (size_t i = 0; i < count; i++)
		budget_done(&many[i]);
}
END_TEST

static void *budget_churn(void *data)
{
	for (int i = 0; i < 20000; i++) {
		struct budget b = {0};

		if (!budget_take(&b, BUDGET_SMALL / 2))
			*(bool *)data = true;
		budget_trim(&b);
		budget_done(&b);
	}
	return NULL;
}

START_TEST(budget_in_threads)
{
	pthread_t threads[4];
	struct budget whole = {0};
	bool refused = false;

	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, budget_churn, &refused), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ck_assert(!refused);
	ck_assert(budget_take(&whole, BUDGET_SESSION));
	budget_done(&whole);
}
END_TEST

/* ---- counting ---- */

START_TEST(tally_counts_what_is_different)
{
	struct tally t = {0};
	char name[32];

	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 5000; i++) {
			sprintf(name, "n%d", i);
			ck_assert(tally_add(&t, i % 2 ? "a" : "b", name));
		}
	ck_assert_uint_eq(t.count, 5000);
	/* The border between the two is part of them. */
	ck_assert(tally_add(&t, "ab", "c") && tally_add(&t, "a", "bc"));
	ck_assert_uint_eq(t.count, 5002);
	tally_done(&t);
	ck_assert_uint_eq(t.count, 0);
}
END_TEST

START_TEST(tally_has_an_end)
{
	struct tally t = {0};
	char name[32];

	for (size_t i = 0; i < TALLY_MOST; i++) {
		sprintf(name, "n%zu", i);
		ck_assert(tally_add(&t, "p", name));
	}
	ck_assert_uint_eq(t.count, TALLY_MOST);
	ck_assert(!t.more);
	ck_assert(tally_add(&t, "p", "one more") && tally_add(&t, "p", "n0"));
	ck_assert_uint_eq(t.count, TALLY_MOST);
	ck_assert(t.more);
	ck_assert_uint_le(t.size, 2 * TALLY_MOST);
	tally_done(&t);
}
END_TEST

/* ---- files ---- */

#define BUDGET_TEXT 4096 /* bytes of arguments: the bound is reached with few notes */

/* A file of `count` notes, named n0, n1 ... */
static struct elf_file budget_build(size_t count)
{
	static unsigned char text[0x2000];
	struct elf_note *notes = calloc(count + 1, sizeof *notes);
	char(*names)[16] = calloc(count + 1, sizeof *names), *arguments = malloc(BUDGET_TEXT + 1);
	const struct elf_spec spec = {.notes = notes,
		.note_count = count,
		.text = text,
		.text_size = sizeof text,
		.data_size = 16};
	struct elf_file f;

	memset(arguments, 'x', BUDGET_TEXT);
	arguments[BUDGET_TEXT] = '\0';
	memset(text, 0x90, sizeof text);
	for (size_t i = 0; i < count; i++) {
		sprintf(names[i], "n%zu", i);
		notes[i] = (struct elf_note){
			ELF_TEXT + i % sizeof text, 0, 0, "sdt", names[i], arguments};
	}
	f = elf_build(&spec);
	free(notes);
	free(names);
	free(arguments);
	return f;
}

static void budget_hear(void *data, enum probes_log_level level, const char *text)
{
	if (level == PROBES_LOG_NOTICE)
		snprintf(data, 300, "%s", text);
}

static struct probes_session *budget_open(const char *path, char said[300])
{
	const struct probes_options options = {.log = budget_hear, .log_data = said};
	struct probes_session *s;
	struct probes_error e;

	said[0] = '\0';
	ck_assert_int_eq(probes_open_file(path, &options, &s, &e), 0);
	return s;
}

/* The first takes its share, the second what is left, the third nothing of it; closed, all again.
 */
START_TEST(budget_of_files)
{
	const size_t notes = 48000;
	struct probes_session *s[3];
	size_t kept[3], *found, count;
	struct probes_error e;
	char path[64], said[300];
	struct elf_file f = budget_build(notes);
	int fd = elf_open(f.bytes, f.size);

	free(f.bytes);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	for (int i = 0; i < 3; i++) {
		const struct probes_object *o;

		s[i] = budget_open(path, said);
		o = probes_object_at(s[i], 0);
		kept[i] = probes_count(s[i]);
		ck_assert_uint_gt(kept[i], 0);
		ck_assert_uint_lt(kept[i], notes);
		ck_assert_uint_eq(o->left_out, notes - kept[i]);
		ck_assert_ptr_nonnull(strstr(o->why, "are left out"));
		ck_assert_ptr_nonnull(strstr(said, o->why));
		/* Of which perhaps some sites are not known, that is not switched. */
		ck_assert_ptr_nonnull(probes_at(s[i], 0)->broken);
		ck_assert_int_lt(
			probes_find(s[i], PROBES_BY_NAME, "n47999", NULL, &found, &count, &e), 0);
		ck_assert_ptr_nonnull(strstr(e.why, "left out"));
		ck_assert_int_lt(
			probes_find(s[i], PROBES_BY_REGEXP, "n47999", NULL, &found, &count, &e), 0);
		ck_assert_ptr_nonnull(strstr(e.why, "left out"));
	}
	ck_assert_uint_le(kept[0] * BUDGET_TEXT, BUDGET_SESSION);
	ck_assert_uint_le((kept[0] + kept[1]) * BUDGET_TEXT, BUDGET_ALL - BUDGET_RESERVE);
	ck_assert_uint_le(kept[2] * BUDGET_TEXT, BUDGET_SMALL);
	for (int i = 0; i < 3; i++)
		probes_close(s[i]);
	s[0] = budget_open(path, said);
	ck_assert_uint_eq(probes_count(s[0]), kept[0]);
	probes_close(s[0]);
	close(fd);
}
END_TEST

/* 500,000 short notes in one file are within the share of one: nothing is left out, or said. */
START_TEST(budget_of_many_notes)
{
	struct budget b = {0};

	for (size_t i = 0; i < 500000; i++)
		ck_assert(budget_take_some(&b, 320 + 24 + 24)); /* NOTES_COST and a descriptor */
	budget_done(&b);
}
END_TEST

/* Only the privileged open what is mapped itself (proc_pid_map_files(5)). */
static bool budget_opens_mapped(const void *start, size_t size)
{
	char path[100];
	int fd;

	snprintf(path, sizeof path, "/proc/self/map_files/%lx-%lx", (unsigned long)start,
		(unsigned long)start + size);
	fd = open(path, O_RDONLY);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/*
 * Our own process, with a file mapped twice: the same number, by a session and by counting. The
 * file is not laid out as a linker does, so that others cannot compare it with what is mapped.
 */
START_TEST(budget_survey_counts_the_same)
{
	const size_t notes = 300;
	struct probes_survey survey;
	struct probes_session *s;
	bool semaphores = false;
	struct probes_error e;
	char path[] = "/tmp/probes-budget-XXXXXX";
	struct elf_file f = budget_build(notes);
	FILE *file = fdopen(mkstemp(path), "w+");
	void *at[2];

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(f.bytes, 1, f.size, file), f.size);
	ck_assert_int_eq(fflush(file), 0);
	free(f.bytes);
	for (int i = 0; i < 2; i++) {
		at[i] = mmap(NULL, 1 << 16, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0);
		ck_assert_ptr_ne(at[i], MAP_FAILED);
	}
	ck_assert_int_eq(probes_open_pid(getpid(), NULL, &s, &e), 0);
	ck_assert_int_eq(probes_survey(getpid(), &survey, &e), 0);
	if (budget_opens_mapped(at[0], 1 << 16))
		ck_assert_uint_ge(survey.probes, notes);
	ck_assert_uint_eq(survey.probes, probes_count(s));
	ck_assert_uint_eq(survey.objects, probes_object_count(s));
	ck_assert(!survey.more);
	for (size_t i = 0; i < probes_count(s); i++)
		semaphores |= probes_at(s, i)->semaphore_count > 0;
	ck_assert(survey.semaphores == semaphores);
	probes_close(s);
	ck_assert_int_lt(probes_survey(2147483647, &survey, &e), 0);
	ck_assert_int_eq(e.status, PROBES_NO_TARGET);
	for (int i = 0; i < 2; i++)
		munmap(at[i], 1 << 16);
	fclose(file);
	unlink(path);
}
END_TEST

Suite *budget_suite(void)
{
	Suite *s = suite_create("budget");
	TCase *t = tcase_create("budget");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, budget_of_one_and_of_all);
	tcase_add_test(t, budget_gives_back_what_is_not_used);
	tcase_add_test(t, budget_in_threads);
	tcase_add_test(t, tally_counts_what_is_different);
	tcase_add_test(t, tally_has_an_end);
	tcase_add_test(t, budget_of_files);
	tcase_add_test(t, budget_of_many_notes);
	tcase_add_test(t, budget_survey_counts_the_same);
	suite_add_tcase(s, t);
	return s;
}
