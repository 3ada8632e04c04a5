/* Recordings: what is written is read again, exactly; pairs of recorded events. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "ui/figures/pairing.h"
#include "ui/recording/recording.h"

static const char head_line[] = "{\"probes_tui_recording\":1}";
static const char *const facts[] = {head_line,
	"{\"process\":0,\"pid\":7,\"comm\":\"c\",\"program\":\"/p\"}",
	"{\"object\":0,\"of\":0,\"path\":\"/p\"}",
	"{\"probe\":0,\"of\":0,\"provider\":\"p\",\"name\":\"n\",\"sites\":2}"};

static int read_text(struct recording *r, const char *text, struct recording_item *item)
{
	struct probes_error e;

	return recording_read(r, text, strlen(text), item, &e);
}

static void begin(struct recording *r)
{
	struct recording_item item;

	recording_init(r);
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		ck_assert_int_eq(read_text(r, facts[i], &item), 0);
		ck_assert_int_eq(item.what, RECORDING_FACT);
	}
}

/* Read the lines that were written, one by one; the last one is *item. */
static void read_lines(struct recording *r, const struct lines *l, struct recording_item *item)
{
	struct probes_error e;

	ck_assert(!l->failed);
	for (size_t i = 0; i < l->count; i++)
		ck_assert_msg(recording_read(r, l->text + l->all[i].at, l->all[i].length - 1, item,
				      &e) == 0,
			"%s: %.*s", e.why, (int)l->all[i].length, l->text + l->all[i].at);
}

/* Numbers beyond what a double holds, bytes that are no UTF-8, what cannot be read. */
START_TEST(exact_values)
{
	static const char bytes[] = "\xff\x01\x1b[31m\xc3\x28\x7f";
	static const struct probes_value values[] = {
		{.kind = PROBES_VALUE_SIGNED, .size = 8, .number = INT64_MIN},
		{.kind = PROBES_VALUE_SIGNED, .size = 8, .number = INT64_MAX},
		{.kind = PROBES_VALUE_SIGNED, .size = 4, .number = -1},
		{.kind = PROBES_VALUE_UNSIGNED, .size = 8, .bits = UINT64_MAX},
		{.kind = PROBES_VALUE_UNSIGNED, .size = 8, .bits = (UINT64_C(1) << 53) + 1},
		{.kind = PROBES_VALUE_UNSIGNED, .size = 8, .bits = 5, .asked = true},
		{.kind = PROBES_VALUE_FLOAT, .size = 8, .real = 0.1},
		{.kind = PROBES_VALUE_FLOAT, .size = 8, .real = -HUGE_VAL},
		{.kind = PROBES_VALUE_FLOAT, .size = 4, .real = 3},
		{.kind = PROBES_VALUE_UNSIGNED, .size = 8, .bits = 1, .text = bytes, .cut = true},
		{.kind = PROBES_VALUE_UNSIGNED, .size = 8, .bits = 1, .text = "\xc3\xa4\"\\\n"},
		{.kind = PROBES_VALUE_UNREADABLE, .size = 8},
	};
	struct probes_event event = {.site = 1,
		.time_ns = INT64_C(1795389460677789501),
		.pid = 7,
		.tid = 8,
		.thread = "t\xfe",
		.count = sizeof values / sizeof *values};
	const struct probes_caller caller = {.object = "/\xfe",
		.pc = UINT64_MAX,
		.where = {.function = "f\xff", .offset = 9, .file = "f.c", .line = 3}};
	struct lines l = {0};
	struct recording r;
	struct recording_item item;

	event.caller = UINT64_C(1) << 63;
	memcpy(event.values, values, sizeof values);
	begin(&r);
	recording_put_event(&l, 0, &event, &caller);
	/* For readers whose numbers are doubles. */
	ck_assert_ptr_nonnull(strstr(l.text, "\"9007199254740993\""));
	read_lines(&r, &l, &item);
	ck_assert_int_eq(item.what, RECORDING_EVENT);
	ck_assert_int_eq(item.event.time_ns, event.time_ns);
	ck_assert_int_eq(item.event.site, 1);
	ck_assert_int_eq(item.event.tid, 8);
	ck_assert_str_eq(item.event.thread, event.thread);
	ck_assert(item.callers && item.event.caller == event.caller);
	ck_assert_str_eq(item.caller.object, caller.object);
	ck_assert_uint_eq(item.caller.pc, caller.pc);
	ck_assert_mem_eq(&item.caller.where.function, caller.where.function, 3);
	ck_assert(item.caller.where.offset == 9 && item.caller.where.line == 3);
	ck_assert_str_eq(item.caller.where.file, "f.c");
	ck_assert_uint_eq(item.event.count, event.count);
	for (size_t i = 0; i < event.count; i++) {
		const struct probes_value *a = &values[i], *b = &item.event.values[i];

		ck_assert_int_eq(a->kind, b->kind);
		ck_assert_int_eq(a->size, b->size);
		ck_assert(a->asked == b->asked && a->cut == b->cut);
		ck_assert_mem_eq(&a->bits, &b->bits, sizeof a->bits);
		ck_assert(!a->text == !b->text);
		if (a->text)
			ck_assert_str_eq(a->text, b->text);
	}
	recording_done(&r);
	lines_done(&l);
}
END_TEST

START_TEST(all_kinds_of_lines)
{
	const struct recording_head head = {.of = "events",
		.host = "h\xff",
		.kernel = "k",
		.version = "1",
		.time_ns = 5,
		.offset = -3600};
	const struct recording_process process = {
		.pid = 7, .comm = "c", .program = "/p", .start = UINT64_MAX};
	const struct recording_object object = {.path = "/\xfe", .build_id = "ab", .bias = 16};
	const struct probes_probe probe = {.provider = "p", .name = "n", .site_count = 2};
	const struct probes_site site = {.pc = 1, .arguments = "8@%rdi"};
	const struct probes_source where = {.function = "f", .offset = 3, .file = "f.c", .line = 4};
	const struct probes_described_site names = {.names = {NULL, "fd", "\xff"}};
	const struct recording_rate rate = {.time_ns = 9, .ns = 10, .hits = 11};
	struct recording_latency row = {.rows = 1,
		.by = 2,
		.total = true,
		.sites = 3,
		.sites_lost = 5,
		.began = 4,
		.now = 6,
		.read = 5};
	const struct recording_end end = {.how = "x",
		.events = 1,
		.lost = 2,
		.undecided = 3,
		.sites_lost = 4,
		.seconds = 0.1};
	struct recording r;
	const struct probes_described_site *sites;
	struct recording_item item;
	struct lines l = {0};
	size_t count;

	recording_init(&r);
	row.latency.matched = UINT64_C(1) << 60;
	row.latency.buckets[PROBES_LATENCY_BUCKETS - 1] = UINT64_MAX;
	recording_put_head(&l, &head);
	recording_put_process(&l, 0, &process);
	recording_put_object(&l, 0, &object);
	recording_put_probe(&l, 0, 0, &probe);
	recording_put_site(&l, 0, 0, &site, &where, &names);
	recording_put_kept(&l, 0, 2);
	read_lines(&r, &l, &item);
	ck_assert_str_eq(r.head.host, head.host);
	ck_assert_int_eq(r.head.offset, -3600);
	ck_assert_uint_eq(r.processes[0].start, UINT64_MAX);
	ck_assert_str_eq(r.objects[0].path, object.path);
	ck_assert_uint_eq(r.probes[0].kept, 2);
	sites = recording_sites(&r, 0, &count);
	ck_assert_ptr_null(sites[0].names[0]);
	ck_assert_str_eq(sites[0].names[1], "fd");
	ck_assert_str_eq(sites[0].names[2], "\xff");
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(sites[0].pc, 1);
	ck_assert_str_eq(sites[0].arguments, "8@%rdi");
	ck_assert_str_eq(sites[0].function, "f");
	ck_assert_uint_eq(sites[0].offset, 3);
	ck_assert_str_eq(sites[0].file, "f.c");
	ck_assert_int_eq(sites[0].line, 4);
	ck_assert_uint_eq(r.objects[0].bias, 16);
	ck_assert_int_eq(r.probes[0].probe.kind, PROBES_OCAML);
	lines_clear(&l);
	recording_put_lost(&l, UINT64_MAX);
	read_lines(&r, &l, &item);
	ck_assert(item.what == RECORDING_LOST && item.lost == UINT64_MAX);
	lines_clear(&l);
	recording_put_rate(&l, &rate);
	read_lines(&r, &l, &item);
	ck_assert(item.what == RECORDING_RATE && item.rate.hits == 11 && item.rate.ns == 10);
	lines_clear(&l);
	recording_put_latency(&l, &row);
	read_lines(&r, &l, &item);
	ck_assert_int_eq(item.what, RECORDING_LATENCY);
	ck_assert_mem_eq(&item.latency.latency, &row.latency, sizeof row.latency);
	ck_assert(item.latency.total && item.latency.by == 2 && item.latency.rows == 1);
	ck_assert_uint_eq(item.latency.sites_lost, 5);
	lines_clear(&l);
	recording_put_end(&l, &end);
	read_lines(&r, &l, &item);
	ck_assert(item.what == RECORDING_END && item.end.seconds == 0.1 && item.end.lost == 2);
	ck_assert_uint_eq(item.end.undecided, 3);
	ck_assert_uint_eq(item.end.sites_lost, 4);
	ck_assert_str_eq(item.end.how, "x");
	recording_done(&r);
	lines_done(&l);
}
END_TEST

/* Lines that no writer writes are errors; keys and lines that are new are not. */
START_TEST(bad_lines)
{
	static const char *const bad[] = {"", "{", "[]", "1", "{\"event\":1}", "{\"event\":-1}",
		"{\"event\":\"0x0\"}", "{\"event\":0,\"time_ns\":-5}",
		"{\"event\":0,\"tid\":4294967296}", "{\"event\":0,\"thread\":5}",
		"{\"event\":0,\"thread\":{\"hex\":\"0\"}}",
		"{\"event\":0,\"thread\":{\"hex\":\"00\"}}",
		"{\"event\":0,\"thread\":{\"hex\":\"zz\"}}", "{\"event\":0,\"args\":[{\"i\":1e5}]}",
		"{\"event\":0,\"args\":[{\"u\":\"\"}]}",
		"{\"event\":0,\"args\":[{\"u\":\"99999999999999999999\"}]}",
		"{\"event\":0,\"args\":[{\"size\":99}]}", "{\"kept\":1}", "{\"rate\":1}",
		"{\"latency\":0,\"end\":7}", "{\"latency\":0,\"end\":0,\"buckets\":[[320,1]]}",
		"{\"object\":0,\"of\":1}", "{\"probe\":0,\"of\":1}", "{\"end\":\"x\"}",
		"{\"end\":\"x\",\"seconds\":-1}", "{\"end\":\"x\",\"seconds\":1e10}",
		"{\"event\":0,\"caller\":{}}",
		"{\"event\":0,\"caller\":{\"address\":\"0x1\",\"pc\":\"0x00000000000000001\"}}",
		"{\"probes_tui_recording\":1}"};
	static const char *const good[] = {"{}", "{\"news\":1}",
		"{\"kept\":0,\"sites\":1,\"new\":[{}]}", "{\"args\":[],\"event\":0}"};
	struct recording r;
	struct recording_item item;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		begin(&r);
		ck_assert_msg(read_text(&r, bad[i], &item) < 0, "%s", bad[i]);
		recording_done(&r);
	}
	begin(&r);
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		ck_assert_msg(read_text(&r, good[i], &item) == 0, "%s", good[i]);
	recording_done(&r);
	ck_assert_int_lt(read_text(&r, "{\"process\":0}", &item), 0);
	recording_done(&r);
	ck_assert_int_lt(read_text(&r, "{\"probes_tui_recording\":2}", &item), 0);
	recording_done(&r);
}
END_TEST

/* A file cannot make its reader keep more than a bound. */
START_TEST(keeps_within_bounds)
{
	char *line = malloc(RECORDING_TEXT + 100), *to;
	struct recording r;
	struct recording_item item;
	size_t taken = 0;

	ck_assert_ptr_nonnull(line);
	begin(&r);
	to = line + sprintf(line, "{\"object\":0,\"of\":0,\"path\":\"");
	memset(to, 'x', RECORDING_TEXT);
	strcpy(to + RECORDING_TEXT, "\"}");
	while (read_text(&r, line, &item) == 0)
		taken++;
	ck_assert_uint_lt(taken, RECORDING_KEPT / RECORDING_TEXT);
	ck_assert_uint_gt(taken, RECORDING_KEPT / RECORDING_TEXT / 2);
	recording_done(&r);
	free(line);
}
END_TEST

static void pair(struct pairing *p, bool end, int64_t time, pid_t tid, uint64_t key)
{
	struct probes_event event = {
		.time_ns = time, .pid = 1, .tid = tid, .thread = "", .count = 1};

	event.values[0] =
		(struct probes_value){.kind = PROBES_VALUE_UNSIGNED, .size = 8, .bits = key};
	pairing_add(p, end, &event);
}

START_TEST(pairs_by_thread)
{
	struct pairing p = {0};

	pair(&p, true, 1, 1, 0);
	pair(&p, false, 10, 1, 0);
	pair(&p, false, 11, 1, 0); /* nested */
	pair(&p, false, 12, 2, 0);
	pair(&p, true, 13, 1, 0);
	pair(&p, true, 20, 1, 0);
	pair(&p, true, 22, 0, 0); /* no thread */
	ck_assert_uint_eq(p.sum.matched, 1);
	ck_assert_uint_eq(p.sum.nested, 1);
	ck_assert_uint_eq(p.sum.end_without_start, 1);
	ck_assert_uint_eq(p.sum.open, 1);
	ck_assert_uint_eq(p.sum.lost, 1);
	ck_assert_uint_eq(p.sum.min_ns, 10);
	ck_assert_uint_eq(p.sum.buckets[10], 1);
	pair(&p, true, 1012, 2, 0);
	ck_assert_uint_eq(p.sum.max_ns, 1000);
	ck_assert_uint_eq(p.sum.sum_ns, 1010);
	ck_assert_uint_eq(p.sum.open, 0);
	pairing_done(&p);
}
END_TEST

START_TEST(pairs_by_argument)
{
	struct pairing p = {.by = 1};
	struct probes_event none = {.time_ns = 1, .pid = 1, .tid = 1, .thread = ""};

	pair(&p, false, 10, 1, 100);
	pair(&p, false, 11, 1, 200);
	pair(&p, true, 15, 2, 100);
	pair(&p, false, 20, 3, 200); /* again */
	pair(&p, true, 21, 4, 200);
	pair(&p, false, 30, 1, UINT64_MAX);
	pairing_add(&p, true, &none);
	ck_assert_uint_eq(p.sum.matched, 2);
	ck_assert_uint_eq(p.sum.start_without_end, 1);
	ck_assert_uint_eq(p.sum.nested, 0);
	ck_assert_uint_eq(p.sum.open, 1);
	ck_assert_uint_eq(p.sum.lost, 1);
	ck_assert_uint_eq(p.sum.min_ns, 1);
	ck_assert_uint_eq(p.sum.max_ns, 5);
	pairing_done(&p);
}
END_TEST

Suite *recording_suite(void)
{
	Suite *s = suite_create("recording");
	TCase *t = tcase_create("recording");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, exact_values);
	tcase_add_test(t, all_kinds_of_lines);
	tcase_add_test(t, bad_lines);
	tcase_add_test(t, keeps_within_bounds);
	tcase_add_test(t, pairs_by_thread);
	tcase_add_test(t, pairs_by_argument);
	suite_add_tcase(s, t);
	return s;
}
