/*
 * Covers ui/output/emit.c and the formats: one sequence of calls as JSON and as CSV, with hostile
 * texts and values that are unknown. Not covered: what verbs emit (e2e, `declared`).
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "suites.h"
#include "ui/output/emit.h"

static const uint8_t code[] = {0x90, 0x0f};

static void emitted(enum format format, enum schema schema, bool headed,
	void (*calls)(struct emit *e), const char *wanted)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct emit e = emit_begin(file, format, schema, headed);

	calls(&e);
	emit_end(&e);
	fclose(file);
	ck_assert_str_eq(text, wanted);
	free(text);
}

static void table(struct emit *e)
{
	for (int i = 1; i < 3; i++) {
		emit_object(e, none, TEXT(table, "total"), I64(pid, -i), TEXT(prog, "a,\"b\""),
			REAL(seconds, 0.5), REAL(at, NAN), U64(matched, 7));
		emit_list(e, probes);
		emit_object(e, none, TEXT(name, "\033[31m\xff\n\xc3\xa9"), U64(hits, UINT64_MAX),
			NONE(why), BOOL(over_budget, true));
		emit_row(e);
		emit_list(e, sites);
		emit_element(e, ADDRESS(pc, 0x10), ADDRESS(address, 0), U64(hits, 3));
		emit_close(e);
		emit_close(e);
		emit_end(e);
	}
}

START_TEST(lines_of_json)
{
#define LINE(pid)                                                                             \
	"{\"table\":\"total\",\"pid\":" pid ",\"prog\":\"a,\\\"b\\\"\",\"seconds\":0.5,"      \
	"\"at\":null,\"probes\":[{\"name\":\"\\\\x1b[31m\\\\xff\\\\x0a\\u00E9\","             \
	"\"hits\":18446744073709551615,\"why\":null,\"over_budget\":true,\"sites\":[{\"pc\":" \
	"\"0x10\",\"address\":null,\"hits\":3}]}]}\n"
	emitted(FORMAT_JSON, SCHEMA_COUNT, false, table, LINE("-1") LINE("-2"));
}
END_TEST

START_TEST(rows_of_csv)
{
#define ROW(pid)                                                                        \
	"total," pid                                                                    \
	",\"a,\"\"b\"\"\",,0.5,,,\\x1b[31m\\xff\\x0a\xc3\xa9,,,18446744073709551615,,," \
	",,true,\n"
	emitted(FORMAT_CSV, SCHEMA_COUNT, false, table,
		"table,pid,prog,at,seconds,object,provider,name,site_count,sites_counted,hits,"
		"hits_per_s,why,stopped_ms,sites_lost,over_budget,held_ms\n" ROW("-1") ROW("-2"));
	emitted(FORMAT_CSV, SCHEMA_COUNT, true, table, ROW("-1") ROW("-2"));
}
END_TEST

static void parts(struct emit *e)
{
	emit_list(e, none);
	emit_object(e, none, U64(samples, 1), TEXT(stack, "a;b\"c;"));
	emit_row(e);
}

static void plan(struct emit *e)
{
	emit_list(e, none);
	emit_object(e, none, BYTES(old, code, 2), BYTES(new, code, 0));
	emit_list(e, writes);
	emit_element(e, TEXT(what, "site"));
	emit_element(e, TEXT(what, NULL));
}

START_TEST(lists)
{
	emitted(FORMAT_JSON, SCHEMA_STACKS, false, parts,
		"[{\"samples\":1,\"stack\":[\"a\",\"b\\\"c\",\"\"]}]\n");
	emitted(FORMAT_CSV, SCHEMA_STACKS, false, parts, "pid,samples,stack\n,1,\"a;b\"\"c;\"\n");
	emitted(FORMAT_JSON, SCHEMA_PLAN, false, plan,
		"[{\"old\": \"900f\", \"new\": null, \"writes\": [\n  {\"what\": \"site\"},\n"
		"  {\"what\": null}]}]\n");
}
END_TEST

/* What a schema lacks is left out, so it must have what are its columns. */
START_TEST(columns_are_fields)
{
	for (int s = 0; s < SCHEMAS_COUNT; s++)
		for (const enum field *f = schemas[s].columns; *f; f++)
			ck_assert_msg(fields[*f].schemas >> s & 1, "%s: %s", schemas[s].name,
				fields[*f].name);
}
END_TEST

Suite *emit_suite(void)
{
	Suite *s = suite_create("emit");
	TCase *t = tcase_create("emit");

	tcase_add_test(t, lines_of_json);
	tcase_add_test(t, rows_of_csv);
	tcase_add_test(t, lists);
	tcase_add_test(t, columns_are_fields);
	suite_add_tcase(s, t);
	return s;
}
