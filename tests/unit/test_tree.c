/* Covers tree_descendants on made-up links; probes_tree on our own process only. */
#include "process/tree.h"

#include "probes.h"
#include "suites.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t tree_of(const struct tree_link *links, size_t count, pid_t root, pid_t *out)
{
	struct tree_link copy[16];

	for (size_t i = 0; i < count; i++)
		copy[i] = links[i];
	for (size_t i = 0; i < 16; i++)
		out[i] = -1;
	return tree_descendants(copy, count, root, out);
}

START_TEST(tree_root_first_then_generations)
{
	static const struct tree_link links[] = {{50, 40, 0, false, ""}, {1, 0, 0, false, ""},
		{30, 10, 0, false, ""}, {10, 1, 0, false, ""}, {40, 20, 0, false, ""},
		{20, 10, 0, false, ""}, {99, 1, 0, false, ""}, {5, 30, 0, false, ""}};
	pid_t out[16];

	ck_assert_uint_eq(tree_of(links, 8, 10, out), 6);
	ck_assert_int_eq(out[0], 10);
	ck_assert_int_eq(out[1], 20);
	ck_assert_int_eq(out[2], 30);
	ck_assert_int_eq(out[3], 40);
	ck_assert_int_eq(out[4], 5);
	ck_assert_int_eq(out[5], 50);
	ck_assert_int_eq(out[6], -1);
	ck_assert_uint_eq(tree_of(links, 8, 99, out), 1);
	ck_assert_uint_eq(tree_of(links, 8, 1, out), 8);
}
END_TEST

START_TEST(tree_without_its_root)
{
	static const struct tree_link links[] = {{2, 7, 0, false, ""}, {3, 2, 0, false, ""}};
	pid_t out[16];

	ck_assert_uint_eq(tree_of(links, 2, 7, out), 0);
	ck_assert_uint_eq(tree_of(links, 0, 7, out), 0);
}
END_TEST

START_TEST(tree_circles_end)
{
	static const struct tree_link circle[] = {
		{1, 3, 0, false, ""}, {2, 1, 0, false, ""}, {3, 2, 0, false, ""}};
	static const struct tree_link self[] = {{1, 1, 0, false, ""}, {2, 1, 0, false, ""}};
	static const struct tree_link twice[] = {{1, 0, 0, false, ""}, {2, 1, 0, false, ""},
		{2, 1, 0, false, ""}, {3, 2, 0, false, ""}};
	pid_t out[16];

	ck_assert_uint_eq(tree_of(circle, 3, 1, out), 3);
	ck_assert_uint_eq(tree_of(circle, 3, 2, out), 3);
	ck_assert_uint_eq(tree_of(self, 2, 1, out), 2);
	ck_assert_int_eq(out[1], 2);
	ck_assert_uint_le(tree_of(twice, 4, 1, out), 4);
	ck_assert_int_eq(out[4], -1);
}
END_TEST

START_TEST(tree_of_a_live_process)
{
	struct probes_error e;
	pid_t *pids = NULL, child;
	size_t count = 0;
	int hold[2];
	char byte;

	ck_assert_int_eq(pipe(hold), 0);
	child = fork();
	if (child == 0) {
		close(hold[1]);
		_exit(read(hold[0], &byte, 1) != 0);
	}
	ck_assert_int_eq(probes_tree(getpid(), &pids, &count, &e), 0);
	ck_assert_uint_eq(count, 2);
	ck_assert_int_eq(pids[0], getpid());
	ck_assert_int_eq(pids[1], child);
	free(pids);
	close(hold[0]);
	close(hold[1]);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_int_eq(probes_tree(0x7ffffff0, &pids, &count, &e), -ESRCH);
	ck_assert_int_eq(e.status, PROBES_NO_TARGET);
	ck_assert_ptr_null(pids);
	ck_assert_uint_eq(count, 0);
}
END_TEST

Suite *tree_suite(void)
{
	Suite *s = suite_create("tree");
	TCase *t = tcase_create("tree");

	tcase_add_test(t, tree_root_first_then_generations);
	tcase_add_test(t, tree_without_its_root);
	tcase_add_test(t, tree_circles_end);
	tcase_add_test(t, tree_of_a_live_process);
	suite_add_tcase(s, t);
	return s;
}
