/*
 * Rows: summing states over processes; their text at any width; their orders.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "canvas_read.h"
#include "ui/tui/rows/argline.h"
#include "ui/tui/rows/column.h"
#include "ui/tui/rows/row.h"
#include "ui/tui/terminal/canvas.h"

Suite *row_suite(void);

static struct row sum(const struct probes_live *live, size_t count)
{
	static const struct row_family family = {
		.provider = "p", .provider_length = 1, .object = "exe", .path = "/bin/exe"};
	struct row r = {.label = "p:name", .family = &family};

	row_clear(&r);
	for (size_t i = 0; i < count; i++)
		row_add(&r, &live[i], 2);
	return r;
}

static struct probes_live live_of(enum probes_state state, uint32_t sites_on, uint32_t ref)
{
	return (struct probes_live){
		.state = state, .sites_on = sites_on, .ref_min = ref, .ref_max = ref};
}

START_TEST(sums_states)
{
	static const struct {
		enum probes_state a, b, sum;
	} cases[] = {
		{PROBES_ON, PROBES_ON, PROBES_ON},
		{PROBES_ON, PROBES_OFF, PROBES_PARTIAL},
		{PROBES_OFF, PROBES_ON, PROBES_PARTIAL},
		{PROBES_ON, PROBES_INCONSISTENT, PROBES_INCONSISTENT},
		{PROBES_FOREIGN, PROBES_OFF, PROBES_FOREIGN},
		{PROBES_FOREIGN, PROBES_INCONSISTENT, PROBES_INCONSISTENT},
		{PROBES_PARTIAL, PROBES_UNREADABLE, PROBES_PARTIAL},
		{PROBES_ON, PROBES_UNREADABLE, PROBES_UNREADABLE},
		{PROBES_NO_SWITCH, PROBES_NO_SWITCH, PROBES_NO_SWITCH},
		{PROBES_NO_SWITCH, PROBES_OFF, PROBES_OFF},
		{PROBES_ON, PROBES_NO_SWITCH, PROBES_ON},
		{PROBES_NO_SWITCH, PROBES_FOREIGN, PROBES_FOREIGN},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct probes_live live[] = {live_of(cases[i].a, 0, 0), live_of(cases[i].b, 0, 0)};

		ck_assert_int_eq(sum(live, 2).state, cases[i].sum);
	}
}
END_TEST

START_TEST(sums_numbers)
{
	struct probes_live live[] = {
		live_of(PROBES_ON, 2, 1), live_of(PROBES_OFF, 0, 0), live_of(PROBES_ON, 2, 3)};
	struct row r = sum(live, 3);
	char text[32];

	ck_assert_uint_eq(r.processes, 3);
	ck_assert_uint_eq(r.sites, 6);
	ck_assert_uint_eq(r.sites_on, 4);
	ck_assert_uint_eq(r.ref_min, 0);
	ck_assert_uint_eq(r.ref_max, 3);
	ck_assert_str_eq(column_cell(&r, COLUMN_SITES, text, sizeof text), "4/6");
	ck_assert_str_eq(column_cell(&r, COLUMN_SEMAPHORE, text, sizeof text), "0-3");
	live[1].sites_on = PROBES_NONE;
	r = sum(live, 3);
	ck_assert_str_eq(column_cell(&r, COLUMN_SITES, text, sizeof text), "6");
}
END_TEST

/* What is not known is "-", never 0. */
START_TEST(unknown_is_no_number)
{
	struct row r = sum(NULL, 0);
	struct probes_live none = live_of(PROBES_OFF, PROBES_NONE, PROBES_NONE);
	char text[32];

	ck_assert_str_eq(column_cell(&r, COLUMN_SITES, text, sizeof text), "-");
	ck_assert_str_eq(column_cell(&r, COLUMN_SEMAPHORE, text, sizeof text), "-");
	r = sum(&none, 1);
	ck_assert_str_eq(column_cell(&r, COLUMN_SEMAPHORE, text, sizeof text), "-");
}
END_TEST

START_TEST(says_who)
{
	struct probes_live live = live_of(PROBES_ON, 2, 1);
	struct row r;
	char text[32];

	r = sum(&live, 1);
	ck_assert(row_held_by_others(&r));
	ck_assert_str_eq(column_cell(&r, COLUMN_HOLDER, text, sizeof text), "other");
	live.mine = true;
	live.ref_mine = 1;
	r = sum(&live, 1);
	ck_assert(!row_held_by_others(&r));
	ck_assert(row_on_to_count(&r));
	live.mine_enabled = true;
	r = sum(&live, 1);
	ck_assert(!row_on_to_count(&r));
	ck_assert_str_eq(column_cell(&r, COLUMN_HOLDER, text, sizeof text), "you");
	live.ref_min = live.ref_max = 3;
	r = sum(&live, 1);
	ck_assert(row_held_by_others(&r));
	ck_assert_str_eq(column_cell(&r, COLUMN_HOLDER, text, sizeof text), "you+2");
	/* It is enabled and counted. */
	live.ref_mine = 2;
	r = sum(&live, 1);
	ck_assert_str_eq(column_cell(&r, COLUMN_HOLDER, text, sizeof text), "you+1");
	live.ref_mine = 3;
	r = sum(&live, 1);
	ck_assert(!row_held_by_others(&r));
	ck_assert_str_eq(column_cell(&r, COLUMN_HOLDER, text, sizeof text), "you");
	live = live_of(PROBES_FOREIGN, 0, 0);
	live.holder = PROBES_HOLDER_INT3;
	r = sum(&live, 1);
	ck_assert(row_held_by_others(&r));
	ck_assert_str_eq(column_cell(&r, COLUMN_HOLDER, text, sizeof text), "int3");
}
END_TEST

/* Who would lose what: by a verb, and by force, which sets the count. */
START_TEST(says_who_loses)
{
	static const struct {
		enum probes_state state;
		uint32_t ref;
		bool mine, on, off, force_on, force_off;
	} cases[] = {
		{PROBES_OFF, 0, false, false, false, false, false},
		{PROBES_ON, 1, false, false, true, false, true},
		{PROBES_ON, 1, true, false, false, false, false},
		{PROBES_ON, 3, false, false, true, true, true},
		{PROBES_ON, 2, true, false, true, true, true},
		{PROBES_INCONSISTENT, 1, false, false, false, false, true},
		{PROBES_INCONSISTENT, 5, false, false, false, true, true},
		{PROBES_FOREIGN, PROBES_NONE, false, true, true, true, true},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct probes_live live = live_of(cases[i].state, 0, cases[i].ref);
		struct row r;

		live.mine = cases[i].mine;
		live.ref_mine = cases[i].mine;
		r = sum(&live, 1);
		ck_assert_msg(row_loses(&r, PROBES_ENABLE, false) == cases[i].on, "on %zu", i);
		ck_assert_msg(row_loses(&r, PROBES_DISABLE, false) == cases[i].off, "off %zu", i);
		ck_assert_msg(
			row_loses(&r, PROBES_ENABLE, true) == cases[i].force_on, "force on %zu", i);
		ck_assert_msg(row_loses(&r, PROBES_DISABLE, true) == cases[i].force_off,
			"force off %zu", i);
	}
}
END_TEST

/* At every width: columns in order, none overlaps, none beyond the edge, the name is there. */
START_TEST(fits_every_width)
{
	for (int width = 40; width < 300; width++) {
		struct column_needs needs = {.width = width,
			.widest = _i * 20,
			.widest_name = _i * 10,
			.scroll = width % 5,
			.most_sites = 100000,
			.several = _i & 1,
			.argued = _i & 2,
			.counted = _i & 4 || width % 3 == 0};
		struct column_layout l;
		int end = 0, gap = 0, name;

		column_arrange(&l, &needs);
		name = l.bare ? needs.widest_name : needs.widest;
		ck_assert_int_ge(l.at[COLUMN_PROBE].width, name < 6 ? 6 : name < 16 ? name : 16);
		for (int c = 0; c < COLUMN_COUNT; c++) {
			if (!l.at[c].width)
				continue;
			ck_assert_int_ge(l.at[c].x, end + gap);
			gap = c > COLUMN_PROBE ? 2 : 1;
			end = l.at[c].x + l.at[c].width;
		}
		ck_assert_int_le(end, width);
	}
}
END_TEST

START_TEST(keeps_columns_at_80)
{
	struct column_needs needs = {.width = 80, .widest = 30, .most_sites = 5, .argued = true};
	struct column_layout l;

	column_arrange(&l, &needs);
	for (int c = 0; c < COLUMN_COUNT; c++)
		ck_assert_int_eq(l.at[c].width > 0,
			c != COLUMN_PROCESSES && c != COLUMN_ARGUMENTS && !column_table[c].hits);
	ck_assert_int_eq(l.at[COLUMN_PROBE].width, 30);
	ck_assert(!l.narrow);
	ck_assert(l.more); /* the arguments */
	needs.widest = 32;
	column_arrange(&l, &needs);
	ck_assert_int_eq(l.at[COLUMN_PROBE].width, 32);
}
END_TEST

/* Hits come where something is counted. What gives way, in this order: the object, who holds it,
 * the semaphore, the trend; the rate never does before the sites. */
START_TEST(makes_room_for_hits)
{
	struct column_needs needs = {
		.width = 80, .widest = 30, .widest_object = 9, .most_sites = 5, .counted = true};
	struct column_layout l;

	column_arrange(&l, &needs);
	ck_assert(l.at[COLUMN_RATE].width && l.at[COLUMN_TREND].width && l.at[COLUMN_TOTAL].width);
	ck_assert(l.at[COLUMN_SITES].width && l.at[COLUMN_SEMAPHORE].width);
	ck_assert(!l.at[COLUMN_HOLDER].width && !l.at[COLUMN_OBJECT].width && l.more);
	ck_assert_int_ge(l.at[COLUMN_PROBE].width, 24);
	/* of a JVM neither would say anything: the names get the room */
	needs.unswitchable = true;
	needs.widest = 40;
	column_arrange(&l, &needs);
	ck_assert(!l.at[COLUMN_SEMAPHORE].width && l.at[COLUMN_TREND].width);
	ck_assert_int_ge(l.at[COLUMN_PROBE].width, 31);
	needs.width = 40;
	needs.widest_name = 30;
	column_arrange(&l, &needs);
	ck_assert(l.at[COLUMN_RATE].width && !l.at[COLUMN_TREND].width);
	needs.hidden = 1u << COLUMN_RATE;
	column_arrange(&l, &needs);
	ck_assert(!l.at[COLUMN_RATE].width);
	needs.counted = false;
	needs.hidden = 0;
	column_arrange(&l, &needs);
	ck_assert(!l.at[COLUMN_RATE].width);
}
END_TEST

/* Blank: not counted; "-": not known yet; "~": a part. */
START_TEST(says_hits)
{
	struct trend trend;
	struct row r = {.sites = 7, .sites_on = PROBES_NONE, .processes = 1, .trend = &trend};
	char out[64];

	trend_begin(&trend);
	ck_assert_str_eq(column_cell(&r, COLUMN_RATE, out, sizeof out), "");
	ck_assert_str_eq(column_cell(&r, COLUMN_TOTAL, out, sizeof out), "");
	ck_assert_str_eq(column_cell(&r, COLUMN_TREND, out, sizeof out), "");
	ck_assert_str_eq(column_cell(&r, COLUMN_SITES, out, sizeof out), "7");
	r.counted = true;
	r.sites_counted = 7;
	ck_assert_str_eq(column_cell(&r, COLUMN_SITES, out, sizeof out), "7/7");
	ck_assert_str_eq(column_cell(&r, COLUMN_RATE, out, sizeof out), "-");
	trend_read(&trend, 1000, 5);
	ck_assert_str_eq(column_cell(&r, COLUMN_RATE, out, sizeof out), "-");
	ck_assert_str_eq(column_cell(&r, COLUMN_TOTAL, out, sizeof out), "5");
	trend_read(&trend, 2000, 1239);
	ck_assert_str_eq(column_cell(&r, COLUMN_RATE, out, sizeof out), "1.2k");
	r.sites_counted = 3;
	ck_assert_str_eq(column_cell(&r, COLUMN_RATE, out, sizeof out), "~1.2k");
	ck_assert_str_eq(column_cell(&r, COLUMN_TOTAL, out, sizeof out), "~1239");
	ck_assert_str_eq(column_cell(&r, COLUMN_SITES, out, sizeof out), "3/7");
	trend_read(&trend, 3000, 99999999);
	ck_assert_str_eq(column_cell(&r, COLUMN_TOTAL, out, sizeof out), "~100M");
	r.sites_counted = 7;
	ck_assert_str_eq(column_cell(&r, COLUMN_TOTAL, out, sizeof out), "99999999");
	/* its process has ended: what it had remains */
	r.sites = r.sites_counted = r.processes = 0;
	ck_assert_str_eq(column_cell(&r, COLUMN_TOTAL, out, sizeof out), "99999999");
}
END_TEST

/* What hits most comes first; what hits nothing now stands as it did before; what is not counted
 * comes last. */
START_TEST(sorts_by_hits)
{
	static const struct row_family family = {.provider = "p", .provider_length = 1};
	struct trend t[4] = {{0}};
	struct row rows[5] = {{.label = "p:a"}, {.label = "p:b"}, {.label = "p:c"},
		{.label = "p:d"}, {.label = "p:e"}};
	uint32_t ids[] = {0, 1, 2, 3, 4};
	static const uint32_t by_rate[] = {3, 1, 2, 0, 4}, by_total[] = {1, 3, 2, 0, 4};

	for (int i = 0; i < 5; i++)
		rows[i].family = &family;
	for (int i = 0; i < 4; i++) {
		rows[i].counted = true;
		rows[i].trend = &t[i];
		trend_read(&t[i], 1000, (uint64_t[]){0, 500, 400, 10}[i]);
		trend_read(&t[i], 2000, (uint64_t[]){0, 500, 400, 450}[i]);
	}
	column_sort(rows, ids, 5, COLUMN_RATE, false);
	ck_assert_mem_eq(ids, by_rate, sizeof ids);
	column_sort(rows, ids, 5, COLUMN_TOTAL, false);
	ck_assert_mem_eq(ids, by_total, sizeof ids);
}
END_TEST

/* A probe without a switch that is counted is "counted"; the other states stay. */
START_TEST(shows_what_is_counted)
{
	struct probes_live live = live_of(PROBES_NO_SWITCH, PROBES_NONE, PROBES_NONE);
	struct row r = sum(&live, 1), before = r;

	ck_assert_str_eq(row_state(&r)->word, "no switch");
	live.sites_counted = 1;
	live.mine_counted = true;
	r = sum(&live, 1);
	ck_assert_str_eq(row_state(&r)->word, "counted");
	ck_assert(row_differs(&r, &before) && r.counted && r.mine_counted);
	ck_assert(row_hits_partial(&r)); /* one of two */
	r.sites_counted = r.sites;
	ck_assert(!row_total_partial(&r));
	r.missed_end = true; /* of another process, which has ended: the rate is whole */
	ck_assert(!row_hits_partial(&r) && row_total_partial(&r));
	r = sum(&live, 1);
	ck_assert(!row_loses(&r, PROBES_UNCOUNT, false));
	ck_assert(!row_loses(&r, PROBES_COUNT, false));
	live.mine_counted = false;
	live.state = PROBES_ON;
	r = sum(&live, 1);
	ck_assert_str_eq(row_state(&r)->word, "on");
	ck_assert(row_loses(&r, PROBES_UNCOUNT, false)); /* another session's */
}
END_TEST

/* Every column comes into view, one after the other, and then nothing is left to scroll to. */
START_TEST(scrolls_to_every_column)
{
	struct column_needs needs = {.width = 40 + 20 * _i,
		.widest = 60,
		.widest_name = 40,
		.most_sites = 5,
		.several = true,
		.argued = true,
		.counted = true};
	struct column_layout l = {.more = true};
	unsigned seen = 0;

	for (; l.more; needs.scroll++) {
		ck_assert_int_lt(needs.scroll, COLUMN_COUNT);
		column_arrange(&l, &needs);
		for (int c = 0; c < COLUMN_COUNT; c++)
			seen |= (l.at[c].width > 0) << c;
		ck_assert(l.at[COLUMN_STATE].width && l.at[COLUMN_PROBE].width);
	}
	ck_assert_uint_eq(seen, (1u << COLUMN_COUNT) - 1);
	needs = (struct column_needs){.width = 200, .widest = 20, .most_sites = 5};
	column_arrange(&l, &needs);
	ck_assert(!l.more);
}
END_TEST

/* On a narrow screen states are marks, and the provider goes before any column does. */
START_TEST(shortens_where_narrow)
{
	struct column_needs needs = {.width = 40, .widest = 30, .widest_name = 19, .most_sites = 5};
	struct column_layout l;

	column_arrange(&l, &needs);
	ck_assert(l.narrow && l.bare);
	ck_assert(l.at[COLUMN_SITES].width && l.at[COLUMN_SEMAPHORE].width);
	ck_assert_int_ge(l.at[COLUMN_PROBE].width, 19);
	needs.widest = 19;
	column_arrange(&l, &needs);
	ck_assert(!l.bare);
	needs.width = 60;
	needs.widest = 90;
	column_arrange(&l, &needs);
	ck_assert(!l.narrow && !l.bare);
}
END_TEST

START_TEST(fits_cells)
{
	struct column_layout l = {.at = {[COLUMN_PROBE] = {0, 12}, [COLUMN_SEMAPHORE] = {0, 5}}};
	char out[64];

	ck_assert_str_eq(column_fit(out, sizeof out, &l, COLUMN_SEMAPHORE, "7"), "    7");
	ck_assert_str_eq(column_fit(out, sizeof out, &l, COLUMN_SEMAPHORE, "12345"), "12345");
	ck_assert_str_eq(column_fit(out, sizeof out, &l, COLUMN_SEMAPHORE, "0-12345"), "0-12~");
	ck_assert_str_eq(column_fit(out, sizeof out, &l, COLUMN_PROBE, "p:begin"), "p:begin     ");
	ck_assert_str_eq(
		column_fit(out, sizeof out, &l, COLUMN_PROBE, "p:begin_of_end"), "p:begi~f_end");
}
END_TEST

/* More room: arguments come, where there are any, and take what is left together with the object.
 */
START_TEST(wider_shows_arguments)
{
	struct column_needs needs = {
		.width = 120, .widest = 30, .widest_object = 30, .most_sites = 5, .argued = true};
	struct column_layout l;

	column_arrange(&l, &needs);
	ck_assert_int_eq(l.at[COLUMN_PROBE].width, 30);
	ck_assert_int_gt(l.at[COLUMN_ARGUMENTS].width, 20);
	ck_assert_int_gt(l.at[COLUMN_OBJECT].width, 9);
	ck_assert_int_eq(l.at[COLUMN_ARGUMENTS].x + l.at[COLUMN_ARGUMENTS].width, 120);
	needs.hidden = 1u << COLUMN_OBJECT;
	column_arrange(&l, &needs);
	ck_assert_int_eq(l.at[COLUMN_OBJECT].width, 0);
	ck_assert_int_eq(l.at[COLUMN_ARGUMENTS].x + l.at[COLUMN_ARGUMENTS].width, 120);
	needs.hidden = 0;
	needs.argued = false;
	column_arrange(&l, &needs);
	ck_assert_int_eq(l.at[COLUMN_ARGUMENTS].width, 0);
	ck_assert_int_eq(l.at[COLUMN_OBJECT].width, 30);
}
END_TEST

START_TEST(says_arguments)
{
	static const struct {
		const char *raw, *numbered, *column;
	} cases[] = {
		{"", "", ""},
		{"8@%rbx -4@-20(%rsp)", "arg1 u64 @%rbx  arg2 s32 @-20(%rsp)",
			"u64 %rbx, s32 -20(%rsp)"},
		{"8f@%xmm0", "arg1 f64 @%xmm0", "f64 %xmm0"},
		{"%rbx", "arg1 @%rbx", "%rbx"}, /* the size is not said */
		{"3@what", "arg1 ? 3@what", "? 3@what"},
		{"8@%r\033bx", "arg1 ? 8@%r\\x1bbx", "? 8@%r\\x1bbx"},
	};
	char text[200];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		ck_assert_str_eq(argline(cases[i].raw, true, text, sizeof text), cases[i].numbered);
		ck_assert_str_eq(argline(cases[i].raw, false, text, sizeof text), cases[i].column);
	}
	argline("1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al "
		"1@%al 1@%al 1@%al 1@%al 1@%al 1@%al",
		true, text, sizeof text);
	ck_assert_str_eq(argline("1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al "
				 "1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al",
				 false, text, sizeof text) +
				 16 * strlen("u8 %al, ") - 2,
		", and 2 more");
	ck_assert_str_eq(argline("8@%rbx 8@%rcx", false, text, 10), "u64 %rbx,"); /* cut, ended */
}
END_TEST

START_TEST(sorts)
{
	static const struct row_family x = {.path = "", .object = "x"};
	static const struct row_family y = {.path = "", .object = "y"};
	struct row rows[4] = {
		{.label = "p:d", .family = &x, .arguments = "", .state = PROBES_OFF, .ref_max = 0},
		{.label = "p:b",
			.family = &y,
			.arguments = "8@%rbx",
			.state = PROBES_ON,
			.ref_max = 2},
		{.label = "p:c",
			.arguments = "",
			.family = &x,
			.state = PROBES_INCONSISTENT,
			.ref_max = PROBES_NONE},
		{.label = "p:a",
			.family = &y,
			.arguments = "4@%rbx",
			.state = PROBES_ON,
			.ref_max = 1},
	};
	static const struct {
		enum column_id column;
		bool invert;
		uint32_t order[4];
	} cases[] = {
		{COLUMN_PROBE, false, {3, 1, 2, 0}},
		{COLUMN_PROBE, true, {0, 2, 1, 3}},
		{COLUMN_STATE, false, {2, 3, 1, 0}},
		{COLUMN_SEMAPHORE, false, {1, 3, 0, 2}}, /* what is not known comes last */
		{COLUMN_OBJECT, false, {2, 0, 3, 1}},
		{COLUMN_ARGUMENTS, false, {3, 1, 2, 0}},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint32_t ids[] = {0, 1, 2, 3};

		column_sort(rows, ids, 4, cases[i].column, cases[i].invert);
		ck_assert_mem_eq(ids, cases[i].order, sizeof ids);
	}
}
END_TEST

/* What is drawn in a window neither leaves it nor knows of it. */
START_TEST(draws_in_a_window)
{
	struct canvas c;
	char line[64];

	canvas_init(&c);
	canvas_reset(&c, 2, 20);
	canvas_window(&c, 5, 6);
	ck_assert_int_eq(c.columns, 6);
	canvas_put(&c, 0, 2, -1, STYLE_PLAIN, "abcdefgh");
	canvas_put(&c, 1, 6, -1, STYLE_PLAIN, "out");
	canvas_whole(&c);
	canvas_put(&c, 0, 14, -1, STYLE_PLAIN, "right");
	canvas_read(&c, 0, line, sizeof line);
	ck_assert_str_eq(line, "       abc~   right");
	canvas_read(&c, 1, line, sizeof line);
	ck_assert_str_eq(line, "");
	canvas_window(&c, 5, 6);
	canvas_reset(&c, 2, 20); /* a new picture is of the whole screen */
	ck_assert_int_eq(c.columns, 20);
	canvas_done(&c);
}
END_TEST

Suite *row_suite(void)
{
	Suite *s = suite_create("row");
	TCase *c = tcase_create("row");

	tcase_add_test(c, sums_states);
	tcase_add_test(c, sums_numbers);
	tcase_add_test(c, unknown_is_no_number);
	tcase_add_test(c, says_who);
	tcase_add_test(c, says_who_loses);
	tcase_add_loop_test(c, fits_every_width, 0, 8);
	tcase_add_test(c, keeps_columns_at_80);
	tcase_add_test(c, makes_room_for_hits);
	tcase_add_test(c, says_hits);
	tcase_add_test(c, sorts_by_hits);
	tcase_add_test(c, shows_what_is_counted);
	tcase_add_loop_test(c, scrolls_to_every_column, 0, 4);
	tcase_add_test(c, shortens_where_narrow);
	tcase_add_test(c, fits_cells);
	tcase_add_test(c, wider_shows_arguments);
	tcase_add_test(c, says_arguments);
	tcase_add_test(c, draws_in_a_window);
	tcase_add_test(c, sorts);
	suite_add_tcase(s, c);
	return s;
}
