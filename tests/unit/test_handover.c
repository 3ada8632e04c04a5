/*
 * Covers the command lines of other tools (ui/handover), and words of a shell that are still being
 * typed (ui/shell). Not covered: what is read of /proc, and whether the commands work
 * (e2e/handover.sh).
 */
#include "suites.h"

#include "ui/words/handover.h"
#include "ui/words/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct probes_probe begin = {
	.provider = "hotspot", .name = "gc__begin", .site_count = 1};
static const struct probes_probe twice = {
	.provider = "hotspot", .name = "gc__end", .site_count = 2};
static const struct probes_probe dotted = {.provider = "ocaml.1", .name = "a-b", .site_count = 1};
static const struct probes_probe odd = {.provider = "p", .name = "$(x)", .site_count = 1};
static const struct probes_probe nowhere = {.provider = "p", .name = "x"};

static void expect(const struct handover *h, enum handover_tool tool, const char *wanted)
{
	char *got = handover_command(h, tool);

	if (wanted)
		ck_assert_str_eq(got, wanted);
	else
		ck_assert_ptr_null(got);
	free(got);
}

START_TEST(test_handover_plain)
{
	struct handover h = {.pid = 42, .path = "/lib/libjvm.so", .probes = {&begin}, .count = 1};

	expect(&h, HANDOVER_BPFTRACE,
		"bpftrace -p 42 -e 'usdt:/lib/libjvm.so:hotspot:gc__begin { @[probe] = count(); "
		"}'");
	expect(&h, HANDOVER_GDB,
		"gdb -p 42 -batch -ex 'handle SIGSEGV nostop noprint pass' -ex 'break -probe-stap "
		"hotspot:gc__begin' -ex continue -ex bt");
	expect(&h, HANDOVER_PERF,
		"perf buildid-cache --add /lib/libjvm.so && perf probe sdt_hotspot:gc__begin && "
		"perf record -e sdt_hotspot:gc__begin -p 42");
	h.probes[0] = &twice;
	h.probes[h.count++] = &begin;
	expect(&h, HANDOVER_BPFTRACE,
		"bpftrace -p 42 -e 'usdt:/lib/libjvm.so:hotspot:gc__end, "
		"usdt:/lib/libjvm.so:hotspot:gc__begin { @[probe] = count(); }'");
	expect(&h, HANDOVER_PERF,
		"perf buildid-cache --add /lib/libjvm.so && perf probe sdt_hotspot:gc__end && "
		"perf record -e 'sdt_hotspot:gc__end*' -p 42");
}
END_TEST

START_TEST(test_handover_elsewhere)
{
	struct handover h = {
		.pid = 42, .path = "/app/p", .probes = {&begin}, .count = 1, .elsewhere = true};

	expect(&h, HANDOVER_BPFTRACE,
		"bpftrace -p 42 -e 'usdt:/proc/42/root/app/p:hotspot:gc__begin { @[probe] = "
		"count(); }'");
	expect(&h, HANDOVER_GDB,
		"gdb -p 42 -batch -ex 'handle SIGSEGV nostop noprint pass' -ex 'break -probe-stap "
		"hotspot:gc__begin' -ex continue -ex bt");
	expect(&h, HANDOVER_PERF, NULL);
}
END_TEST

START_TEST(test_handover_deleted)
{
	struct handover h = {
		.pid = 42, .path = "/app/p", .probes = {&begin}, .count = 1, .deleted = true};

	expect(&h, HANDOVER_BPFTRACE, NULL); /* its mapping is not known */
	expect(&h, HANDOVER_GDB, NULL);
	h.map = 0x1000;
	h.map_end = 0x3000;
	expect(&h, HANDOVER_BPFTRACE,
		"bpftrace -e 'usdt:/proc/42/map_files/1000-3000:hotspot:gc__begin { @[probe] = "
		"count(); }'");
	h.executable = true;
	expect(&h, HANDOVER_BPFTRACE,
		"bpftrace -e 'usdt:/proc/42/exe:hotspot:gc__begin { @[probe] = count(); }'");
	expect(&h, HANDOVER_GDB,
		"gdb /proc/42/exe -p 42 -batch -ex 'handle SIGSEGV nostop noprint pass' -ex 'break "
		"-probe-stap hotspot:gc__begin' -ex "
		"continue "
		"-ex bt");
	expect(&h, HANDOVER_PERF, NULL);
	ck_assert_ptr_nonnull(strstr(handover_about(&h, HANDOVER_BPFTRACE), "every process"));
}
END_TEST

START_TEST(test_handover_odd)
{
	struct handover h = {.pid = 42, .path = "/a b/it's", .probes = {&dotted}, .count = 1};

	expect(&h, HANDOVER_BPFTRACE,
		"bpftrace -p 42 -e 'usdt:\"/a b/it'\\''s\":\"ocaml.1\":\"a-b\" { @[probe] = "
		"count(); }'");
	expect(&h, HANDOVER_PERF, NULL);
	h.path = "/a*\"b";
	expect(&h, HANDOVER_BPFTRACE, NULL);
	h.executable = true;
	expect(&h, HANDOVER_BPFTRACE,
		"bpftrace -p 42 -e 'usdt:/proc/42/exe:\"ocaml.1\":\"a-b\" { @[probe] = count(); "
		"}'");
	h.probes[0] = &odd;
	for (int tool = 0; tool < HANDOVER_COUNT; tool++)
		expect(&h, (enum handover_tool)tool, NULL);
	h.probes[0] = &nowhere; /* a semaphore alone: there is no place for a breakpoint */
	for (int tool = 0; tool < HANDOVER_COUNT; tool++)
		expect(&h, (enum handover_tool)tool, NULL);
	h.count = 0;
	expect(&h, HANDOVER_BPFTRACE, NULL);
}
END_TEST

START_TEST(test_shell_unfinished)
{
	static const struct {
		const char *line;
		int count;
		const char *last;
		char open;
	} lines[] = {
		{"", 1, "", '\0'},
		{"a ", 2, "", '\0'},
		{"a b", 2, "b", '\0'},
		{"a 'b c", 2, "b c", '\''},
		{"a \"b 'c", 2, "b 'c", '"'},
		{"a b\\ c", 2, "b c", '\0'},
		{"a b\\ ", 2, "b ", '\0'},
		{"a b\\", 2, "b", '\0'},
		{"a 'b'\"", 2, "b", '"'},
		{"a $(x) `y", 3, "`y", '\0'},
	};
	char room[64], *words[8];

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		ck_assert_int_eq(shell_unfinished(lines[i].line, room, words, 8), lines[i].count);
		ck_assert_str_eq(words[lines[i].count - 1], lines[i].last);
		ck_assert_int_eq(shell_open(lines[i].line), lines[i].open);
	}
	ck_assert_int_eq(shell_unfinished("a b c", room, words, 2), -1);
}
END_TEST

/* Nothing that a terminal obeys, and nothing that ends the quote. */
START_TEST(test_shell_quote_safe)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	shell_quote_safe(out, "a\nb\x1b[31m'\\ \xc2\x9b$(x)\x7f");
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_str_eq(text, "$'a\\x0ab\\x1b[31m\\'\\\\ \\xc2\\x9b$(x)\\x7f'");
	free(text);
}
END_TEST

START_TEST(test_shell_continue)
{
	static const struct {
		char quote;
		const char *wanted;
	} quotes[] = {
		{'\0', "a\\ \\$\\(x\\)\\\\\\'\\\"\\!"},
		{'\'', "a $(x)\\'\\''\"!"},
		{'"', "a \\$(x)\\\\'\\\"\"'!'\""},
	};

	for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		shell_continue(out, "a $(x)\\'\"!", quotes[i].quote);
		fclose(out);
		ck_assert_str_eq(text, quotes[i].wanted);
		free(text);
	}
}
END_TEST

Suite *handover_suite(void)
{
	Suite *suite = suite_create("handover");
	TCase *tests = tcase_create("handover");

	tcase_add_test(tests, test_handover_plain);
	tcase_add_test(tests, test_handover_elsewhere);
	tcase_add_test(tests, test_handover_deleted);
	tcase_add_test(tests, test_handover_odd);
	tcase_add_test(tests, test_shell_unfinished);
	tcase_add_test(tests, test_shell_continue);
	tcase_add_test(tests, test_shell_quote_safe);
	suite_add_tcase(suite, tests);
	return suite;
}
