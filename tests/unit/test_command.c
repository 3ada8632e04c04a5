/*
 * Covers command lines made of rows and operations (operations/command), the record of a session
 * (operations/record), undo and redo (operations/history). Not covered: whether the command lines
 * work (e2e/tui-record.sh).
 */
#include "suites.h"

#include "session/session.h"
#include "ui/tui/operations/command.h"
#include "ui/tui/operations/history.h"
#include "ui/tui/operations/script.h"
#include "ui/tui/terminal/mem.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTACH "probes-tui attach -pid "
#define OTHER "'/opt/with blank/other.so'"

/* Two processes with the same two objects; both objects have p:b. */
static struct world world;
static struct probes_session sessions[2];
static struct model model;

static void begin(size_t processes)
{
	static const struct elf_note first[] = {{WORLD_PC(0x10), 0, WORLD_DATA(0x10), "p", "a", ""},
		{WORLD_PC(0x20), 0, WORLD_DATA(0x20), "p", "b", ""}};
	static const struct elf_note second[] = {
		{WORLD_PC(0x10), 0, WORLD_DATA(0x10), "p", "b", ""},
		{WORLD_PC(0x20), 0, WORLD_DATA(0x20), "q", "c,d", ""}};

	world_begin(&world);
	world_prepare(&world, first, 2, 0x100);
	world_add(&world, "/lib/libfirst.so", WORLD_BIAS);
	world_prepare(&world, second, 2, 0x100);
	world_add(&world, "/opt/with blank/other.so", 2 * WORLD_BIAS);
	model_init(&model);
	for (size_t i = 0; i < processes; i++) {
		sessions[i] = (struct probes_session){
			.process = true, .path = (char *)"/bin/prog", .catalog = world.catalog};
		sessions[i].who.pid = 41 + (pid_t)i;
		model_add(&model, &sessions[i]);
	}
	ck_assert_uint_eq(model.row_count, 4); /* a, b, b of the other object, c,d */
}

static void end(void)
{
	model_done(&model);
	world_end(&world);
}

/* ---- rows ---- */

static void expect_rows(
	enum probes_verb verb, const uint32_t *rows, size_t count, const char *expected)
{
	char *text = command_of_rows(&model, rows, count, verb);

	ck_assert_str_eq(text, expected);
	free(text);
}

START_TEST(rows_become_names)
{
	static const uint32_t rows[] = {0, 2, 3, 1};

	begin(1);
	expect_rows(PROBES_ENABLE, rows, 0, "");
	expect_rows(PROBES_ENABLE, rows, 1, ATTACH "41 -enable p:a\n");
	expect_rows(PROBES_DISABLE, rows, 2,
		ATTACH "41 -disable p:a\n" ATTACH "41 -disable p:b -object " OTHER "\n");
	expect_rows(PROBES_DISABLE, rows + 2, 1, ATTACH "41 -disable 'q:c\\x2cd'\n");
	expect_rows(PROBES_ENABLE, rows, 3,
		ATTACH "41 -enable 'p:a,q:c\\x2cd'\n" ATTACH "41 -enable p:b -object " OTHER "\n");
	expect_rows(PROBES_ENABLE, rows, 4, ATTACH "41 -enable-all\n");
	end();
}
END_TEST

START_TEST(equal_processes_share_a_line)
{
	static const uint32_t rows[] = {0, 1};

	begin(2);
	expect_rows(PROBES_ENABLE, rows, 2,
		ATTACH "41,42 -enable p:a\n" ATTACH "41,42 -enable p:b -object "
		       "/lib/libfirst.so\n");
	model.processes[0].gone = true;
	expect_rows(PROBES_ENABLE, rows, 1, ATTACH "42 -enable p:a\n");
	end();
}
END_TEST

/* An option takes 64 names. */
START_TEST(long_lists_take_several_options)
{
	enum { COUNT = 70 };
	static char names[COUNT][8];
	struct elf_note notes[COUNT];
	uint32_t rows[COUNT - 1];
	char expected[4096] = ATTACH "41 -enable ";
	struct world *w = &world;

	for (unsigned i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof names[i], "n%02u", i);
		notes[i] = (struct elf_note){
			WORLD_PC(0x10 * i), 0, WORLD_DATA(4 * i), "p", names[i], ""};
	}
	world_begin(w);
	world_prepare(w, notes, COUNT, 0x10 * COUNT + 0x10);
	world_add(w, "/lib/many.so", WORLD_BIAS);
	sessions[0] = (struct probes_session){.process = true, .catalog = world.catalog};
	sessions[0].who.pid = 41;
	model_init(&model);
	model_add(&model, &sessions[0]);
	for (unsigned i = 0; i < COUNT - 1; i++) {
		rows[i] = i;
		sprintf(expected + strlen(expected), "%sp:n%02u",
			!i        ? ""
			: i == 64 ? " -enable "
				  : ",",
			i);
	}
	strcat(expected, "\n");
	expect_rows(PROBES_ENABLE, rows, COUNT - 1, expected);
	end();
}
END_TEST

/* ---- operations ---- */

/* An operation that wrote, with these items in every process of the model. */
static struct operation *operation_with(const struct probes_item *items, size_t count)
{
	struct operation *o = mem_alloc(sizeof *o);

	o->count = model.process_count;
	o->results = mem_array(o->count, sizeof *o->results);
	o->sum.sites = 1;
	snprintf(o->what, sizeof o->what, "on a");
	for (size_t i = 0; i < o->count; i++) {
		o->results[i] = mem_alloc(sizeof *o->results[i]);
		o->results[i]->items = mem_array(count, sizeof *items);
		memcpy(o->results[i]->items, items, count * sizeof *items);
		o->results[i]->item_count = count;
	}
	return o;
}

static void expect_operation(struct operation *o, const char *expected)
{
	char *text = command_of_operation(&model, o);

	ck_assert_str_eq(text, expected);
	free(text);
	operation_free(o);
}

START_TEST(operations_name_what_was_done)
{
	static const struct probes_item items[] = {
		{.probe = 0, .verb = PROBES_ENABLE, .outcome = PROBES_DONE},
		{.probe = 1, .verb = PROBES_ENABLE, .outcome = PROBES_SKIPPED},
		{.probe = 3, .verb = PROBES_DISABLE, .outcome = PROBES_DONE}};
	struct operation *o;

	begin(2);
	expect_operation(
		operation_with(items, 3), ATTACH "41,42 -enable p:a -disable 'q:c\\x2cd'\n");
	o = operation_with(items, 1);
	o->force = true;
	probes_result_free(o->results[0]);
	o->results[0] = NULL; /* nothing was done there */
	expect_operation(o, ATTACH "42 -enable p:a -force\n");
	expect_operation(operation_with(items + 1, 1), "");
	o = operation_with(items, 1);
	o->force = true;
	o->line = mem_text(" -enable-regexp 'a.*' -force\n"); /* as typed */
	expect_operation(o, ATTACH "41,42 -enable-regexp 'a.*' -force\n");
	end();
}
END_TEST

/* An undo adds what had been taken: a verb or force says it, or no command does. */
START_TEST(reversals_are_told_truthfully)
{
	static const struct {
		uint8_t old, now;
		enum probes_verb verb;
		const char *text;
	} cases[] = {
		{1, 0, PROBES_DISABLE, ATTACH "41 -disable p:a\n"},
		{0, 1, PROBES_ENABLE, ATTACH "41 -enable p:a\n"},
		{1, 3, PROBES_ENABLE, "# process 41: no command does this to p:a\n"},
		{3, 1, PROBES_DISABLE, ATTACH "41 -enable p:a -force\n"},
		{3, 0, PROBES_DISABLE, ATTACH "41 -disable p:a -force\n"},
	};

	begin(1);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct probes_item item = {
			.probe = 0, .verb = cases[i].verb, .outcome = PROBES_DONE};
		struct operation *o = operation_with(&item, 1);
		struct probes_edit *edit = mem_alloc(sizeof *edit);

		*edit = (struct probes_edit){.role = PROBES_ROLE_SEMAPHORE,
			.length = 2,
			.old = {cases[i].old},
			.new_ = {cases[i].now}};
		o->reverts = true;
		o->results[0]->edits = edit;
		o->results[0]->edit_count = 1;
		expect_operation(o, cases[i].text);
		o = operation_with(&item, 1); /* nothing was written there */
		o->reverts = true;
		expect_operation(o, "");
		o = operation_with(&item, 1);
		o->force = o->keep = true;
		expect_operation(o, "# process 41: no command does this to p:a\n");
	}
	end();
}
END_TEST

/* A pair is named start, end; it is switched on from its end, off from its start. */
START_TEST(pairs_keep_their_order)
{
	struct probes_item items[] = {{.probe = 3, .verb = PROBES_ENABLE, .outcome = PROBES_DONE},
		{.probe = 0, .verb = PROBES_ENABLE, .outcome = PROBES_DONE}};
	struct operation *o;

	begin(1);
	o = operation_with(items, 2);
	o->pair = true;
	expect_operation(o, ATTACH "41 -enable-pair 'p:a,q:c\\x2cd'\n");
	items[0].verb = items[1].verb = PROBES_DISABLE;
	o = operation_with(items, 2);
	o->pair = true;
	expect_operation(o, ATTACH "41 -disable-pair 'q:c\\x2cd,p:a'\n");
	o = operation_with(items, 1);
	o->pair = true;
	expect_operation(o, ATTACH "41 -disable 'q:c\\x2cd'\n");
	end();
}
END_TEST

/* ---- record ---- */

static char *script_of(const struct script *r, size_t actions)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_uint_eq(script_text(r, &model, out), actions);
	fclose(out);
	return text;
}

START_TEST(record_is_a_script)
{
	static const struct probes_item item = {
		.probe = 0, .verb = PROBES_ENABLE, .outcome = PROBES_DONE};
	struct script r = {0};
	struct operation *o;
	char *script;

	begin(1);
	o = operation_with(&item, 1);
	ck_assert_ptr_null(script_last(&r));
	script_operation(&r, &model, "", o);
	script_mark(&r, "here\n\x1b[2J");
	ck_assert_uint_eq(r.count, 2);
	ck_assert_ptr_eq(script_last(&r), &r.all[0]); /* a mark is no operation */
	ck_assert_str_eq(script_last(&r)->command, ATTACH "41 -enable p:a\n");
	ck_assert_ptr_eq(strstr(script_last(&r)->text, "on a: "), script_last(&r)->text);
	ck_assert_ptr_null(strpbrk(r.all[1].text, "\n\x1b"));
	o->sum.sites = 0; /* a skipped operation */
	script_operation(&r, &model, "redo: ", o);
	ck_assert_uint_eq(r.count, 2);
	o->sum.sites = 1;
	script_operation(&r, &model, "undo: ", o);
	ck_assert_ptr_eq(strstr(script_last(&r)->text, "undo: on a: "), script_last(&r)->text);
	script = script_of(&r, 2);
	ck_assert_ptr_eq(strstr(script, "#!/bin/sh\n"), script);
	ck_assert_ptr_nonnull(strstr(script, "# process 41 /bin/prog\npid=${1:-41}\n"));
	ck_assert_ptr_nonnull(strstr(script, "\n" ATTACH "\"$pid\" -enable p:a\n"));
	ck_assert_ptr_nonnull(strstr(script, " MARK here"));
	free(script);
	operation_free(o);
	script_done(&r);
	end();
}
END_TEST

/* Commands for several processes keep their pids. */
START_TEST(record_of_several)
{
	static const struct probes_item item = {
		.probe = 0, .verb = PROBES_ENABLE, .outcome = PROBES_DONE};
	struct script r = {0};
	struct operation *o;
	char *script;

	begin(2);
	o = operation_with(&item, 1);
	script_operation(&r, &model, "", o);
	script = script_of(&r, 1);
	ck_assert_ptr_nonnull(strstr(script, "# process 42 /bin/prog\n"));
	ck_assert_ptr_nonnull(strstr(script, "\n" ATTACH "41,42 -enable p:a\n"));
	ck_assert_ptr_null(strstr(script, "$pid"));
	free(script);
	operation_free(o);
	script_done(&r);
	end();
}
END_TEST

/* ---- undo and redo ---- */

static struct operation *operation_called(const char *what)
{
	struct operation *o = mem_alloc(sizeof *o);

	snprintf(o->what, sizeof o->what, "%s", what);
	return o;
}

static const char *last(const struct history *h, bool redo)
{
	const struct operation *o = history_last(h, redo);

	return o ? o->what : "";
}

START_TEST(undo_and_redo)
{
	struct history h = {0};

	ck_assert_str_eq(last(&h, false), "");
	history_add(&h, operation_called("one"));
	history_add(&h, operation_called("two"));
	ck_assert_str_eq(last(&h, false), "two");
	ck_assert_str_eq(last(&h, true), "");
	history_reverted(&h, false, operation_called("not two"));
	ck_assert_str_eq(last(&h, false), "one");
	ck_assert_str_eq(last(&h, true), "not two");
	history_reverted(&h, false, operation_called("not one"));
	ck_assert_str_eq(last(&h, false), "");
	ck_assert_str_eq(last(&h, true), "not one");
	history_reverted(&h, true, operation_called("one again"));
	ck_assert_str_eq(last(&h, false), "one again");
	ck_assert_str_eq(last(&h, true), "not two");
	history_add(&h, operation_called("three")); /* clears redo */
	ck_assert_str_eq(last(&h, false), "three");
	ck_assert_str_eq(last(&h, true), "");
	history_done(&h);
	ck_assert_ptr_null(history_last(&h, false));
}
END_TEST

/* Each probe is counted once, by its own reason. */
START_TEST(outcomes_in_words)
{
	static const struct {
		struct operation_sum sum;
		const char *words;
	} sums[] = {
		{{.processes = 1, .written = 1, .sites = 8}, "8 sites, target not stopped"},
		{{.processes = 1, .written = 1, .sites = 6, .uncounted = 3, .numbered = true},
			"6 sites of 3 probes, target not stopped"},
		{{.processes = 1, .written = 1, .semaphores = 1},
			"1 semaphore, target not stopped"},
		{{.processes = 1, .already = 28, .skips = {0, 0, 2}},
			"nothing was changed; 28 on by you already; 2 probes have no semaphore"},
		{{.processes = 1, .skips = {0, 28, 2, 1}},
			"nothing was changed; 28 probes are off already, 2 have no semaphore, 1 "
			"is no longer mapped"},
		{{.processes = 1, .skips = {0, 0, 2}, .refused = 2, .why = "held"},
			"nothing was changed; 2 probes have no semaphore; 2 not done (the first: "
			"held)"},
		{{.processes = 2, .written = 1, .sites = 1, .skips = {0, 1}, .stopped_ns = 1500000},
			"1 site in 1 of 2 processes, target stopped 1.5 ms; 1 probe is off "
			"already"},
	};
	char said[400];

	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
		ck_assert_str_eq(operation_say(&sums[i].sum, said, sizeof said), sums[i].words);
}
END_TEST

Suite *command_suite(void)
{
	Suite *s = suite_create("command");
	TCase *c = tcase_create("command");

	tcase_add_test(c, rows_become_names);
	tcase_add_test(c, equal_processes_share_a_line);
	tcase_add_test(c, long_lists_take_several_options);
	tcase_add_test(c, operations_name_what_was_done);
	tcase_add_test(c, reversals_are_told_truthfully);
	tcase_add_test(c, pairs_keep_their_order);
	tcase_add_test(c, record_is_a_script);
	tcase_add_test(c, record_of_several);
	tcase_add_test(c, undo_and_redo);
	tcase_add_test(c, outcomes_in_words);
	suite_add_tcase(s, c);
	return s;
}
