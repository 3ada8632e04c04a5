/*
 * The list of processes: order, filter, search, tags, what Enter means. The scan is made by hand.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/tui/actions/act.h"
#include "ui/tui/process/picker.h"
#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/views/view.h"

Suite *picker_suite(void);

static struct picker picker;

static void add(pid_t pid, const char *command, enum scan_kind kind)
{
	struct scan *s = &picker.scan;
	struct scan_process p = {.id.pid = pid, .kind = kind, .probes = 1};

	snprintf(p.command, sizeof p.command, "%s", command);
	snprintf(p.all, sizeof p.all, "%d root %s", (int)pid, command);
	s->all = mem_grow(s->all, &s->capacity, s->count + 1, sizeof *s->all);
	s->all[s->count++] = p;
	picker_update(&picker);
}

static void begin(void)
{
	picker_init(&picker, NULL);
	rowlist_resize(&picker.rows, 10);
	add(30, "postgres -D x", SCAN_PROBES);
	add(10, "java", SCAN_PROBES);
	add(20, "sleep", SCAN_NONE);
	add(40, "postgres: writer", SCAN_PROBES);
	add(50, "secret", SCAN_DENIED);
}

static void end(void)
{
	picker_done(&picker);
}

START_TEST(what_is_shown)
{
	ck_assert_uint_eq(picker.rows.count, 3);
	rowlist_to(&picker.rows, 0);
	ck_assert_int_eq(picker_current(&picker)->id.pid, 10);
	rowlist_to(&picker.rows, 2);
	ck_assert_int_eq(picker_current(&picker)->id.pid, 40);
}
END_TEST

/* The cursor stays on its process while others come and go. */
START_TEST(cursor_follows)
{
	rowlist_to(&picker.rows, 1);
	add(5, "first", SCAN_PROBES);
	ck_assert_int_eq(picker_current(&picker)->id.pid, 30);
	picker.scan.all[1].gone = true;
	picker_update(&picker);
	ck_assert_int_eq(picker_current(&picker)->id.pid, 30);
	ck_assert_uint_eq(picker.rows.count, 3);
}
END_TEST

/* As / does in the view. */
static bool found(const char *text)
{
	static struct app app = {.views = view_table, .view = VIEW_PICKER};
	char why[200];
	bool yes;

	ck_assert_int_eq(search_set(&picker.search, text, why, sizeof why), 0);
	app.picker = picker;
	yes = app_view(&app)->seek(&app, 0, 1);
	picker = app.picker;
	return yes;
}

START_TEST(filter_and_search)
{
	char why[200];

	ck_assert(!found("Writer"));
	ck_assert(found("writer"));
	ck_assert_int_eq(picker_current(&picker)->id.pid, 40);
	ck_assert_int_eq(picker_filter(&picker, "~po[", why, sizeof why), -1);
	ck_assert_uint_eq(picker.rows.count, 3);
	ck_assert_int_eq(picker_filter(&picker, "postgres -writer", why, sizeof why), 0);
	ck_assert_uint_eq(picker.rows.count, 1);
	ck_assert_int_eq(picker_filter(&picker, "nobody", why, sizeof why), 0);
	ck_assert_ptr_null(picker_current(&picker));
}
END_TEST

START_TEST(chosen)
{
	char why[200];
	struct scan_identity *all;

	rowlist_to(&picker.rows, 0);
	ck_assert_uint_eq(picker_chosen(&picker, &all), 1);
	ck_assert_int_eq(all[0].pid, 10);
	free(all);
	rowlist_to(&picker.rows, 1);
	picker_tag(&picker);
	picker_tag(&picker);
	ck_assert_uint_eq(picker_chosen(&picker, &all), 2);
	ck_assert_int_eq(all[0].pid, 30);
	ck_assert_int_eq(all[1].pid, 40);
	free(all);
	ck_assert_int_eq(picker_filter(&picker, "java", why, sizeof why), 0);
	ck_assert_uint_eq(picker_chosen(&picker, &all), 1);
	ck_assert_int_eq(all[0].pid, 10);
	free(all);
}
END_TEST

/* A process is opened only if it is the one that was shown: this pid began at another time. */
START_TEST(opens_no_other_process)
{
	struct app a = {.picker = {.used = true}, .views = view_table, .view = VIEW_PICKER};
	struct scan_process other = {.id.pid = getpid(), .id.start = 1, .kind = SCAN_PROBES};

	picker_init(&a.picker, NULL);
	rowlist_resize(&a.picker.rows, 10);
	a.picker.scan.all = mem_array(1, sizeof other);
	a.picker.scan.all[0] = other;
	a.picker.scan.count = a.picker.scan.capacity = 1;
	picker_update(&a.picker);
	ck_assert(view_picker_ops.request(&a, REQUEST_OPEN));
	ck_assert_int_eq(a.view, VIEW_PICKER);
	ck_assert_ptr_nonnull(strstr(a.message.text, "another process by now"));
	picker_done(&a.picker);
}
END_TEST

/* This very process is found again as itself, and nobody is pid 0. */
START_TEST(identity)
{
	struct scan_identity a, b;

	ck_assert(scan_identify(1, &a));
	ck_assert(scan_identify(1, &b));
	ck_assert(scan_same(&a, &b));
	b.start++;
	ck_assert(!scan_same(&a, &b));
	ck_assert(!scan_identify(0, &a));
}
END_TEST

/* All that the filter leaves, and none at all. */
START_TEST(tags_all_shown)
{
	struct app a = {.views = view_table, .view = VIEW_PICKER, .rows = 24, .columns = 80};
	struct scan_identity *list;
	char why[200];

	ck_assert_int_eq(picker_filter(&picker, "postgres", why, sizeof why), 0);
	a.picker = picker;
	act(&a, REQUEST_TAG_SHOWN);
	picker = a.picker;
	ck_assert_int_eq(picker_filter(&picker, "", why, sizeof why), 0);
	ck_assert_uint_eq(picker_chosen(&picker, &list), 2);
	ck_assert_int_eq(list[0].pid, 30);
	ck_assert_int_eq(list[1].pid, 40);
	free(list);
	ck_assert_int_eq(picker_filter(&picker, "java", why, sizeof why), 0);
	a.picker = picker;
	act(&a, REQUEST_UNTAG);
	picker = a.picker;
	for (size_t i = 0; i < picker.scan.count; i++)
		ck_assert(!picker.scan.all[i].tagged);
	ck_assert_ptr_nonnull(
		strstr(request_unknown(K_F6, IN_PICKER, why, sizeof why), "F6 sorts the list"));
}
END_TEST

Suite *picker_suite(void)
{
	Suite *s = suite_create("picker");
	TCase *c = tcase_create("picker");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, what_is_shown);
	tcase_add_test(c, cursor_follows);
	tcase_add_test(c, filter_and_search);
	tcase_add_test(c, tags_all_shown);
	tcase_add_test(c, chosen);
	tcase_add_test(c, opens_no_other_process);
	tcase_add_test(c, identity);
	suite_add_tcase(s, c);
	return s;
}
