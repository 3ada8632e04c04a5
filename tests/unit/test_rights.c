/* Covers process/rights: the rule on its own, and what /proc shows of children of ours. By root
 * only: other users. */
#include "process/rights.h"

#include "suites.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define RIGHTS_ID 65534

START_TEST(rights_as_the_kernel)
{
	struct rights target = {.uids = {5, 5, 5, 9}, .gids = {6, 6, 6, 9}, .dumpable = true};
	struct rights other = target;

	ck_assert(rights_permit(&target, 5, 6, 0));
	ck_assert(!rights_permit(&target, 6, 6, 0));
	ck_assert(!rights_permit(&target, 5, 5, 0));
	for (int i = 0; i < 3; i++) {
		other.uids[i]++;
		ck_assert(!rights_permit(&other, 5, 6, 0));
		other = target;
		other.gids[i]++;
		ck_assert(!rights_permit(&other, 5, 6, 0));
		other = target;
	}
	other.dumpable = false;
	ck_assert(!rights_permit(&other, 5, 6, ~(uint64_t)0));
	target.permitted = 4;
	ck_assert(!rights_permit(&target, 5, 6, 3));
	ck_assert(rights_permit(&target, 5, 6, 7));
}
END_TEST

/* ---- processes ---- */

enum rights_way {
	RIGHTS_PLAIN,
	RIGHTS_GROUP, /* a second one */
	RIGHTS_UNDUMPABLE,
	RIGHTS_CAPABLE,
	RIGHTS_NAMESPACE, /* a user namespace of its own */
};

static void rights_become(enum rights_way way, int ready)
{
	prctl(PR_SET_KEEPCAPS, way == RIGHTS_CAPABLE);
	if (setgroups(0, NULL) < 0 ||
		setresgid(RIGHTS_ID, way == RIGHTS_GROUP ? 7 : RIGHTS_ID, RIGHTS_ID) < 0 ||
		setresuid(RIGHTS_ID, RIGHTS_ID, RIGHTS_ID) < 0)
		_exit(1);
	if (way == RIGHTS_NAMESPACE && unshare(CLONE_NEWUSER) < 0)
		_exit(77);
	prctl(PR_SET_DUMPABLE, way != RIGHTS_UNDUMPABLE);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static const struct {
	enum rights_way way;
	bool may;
} rights_ways[] = {
	{RIGHTS_PLAIN, true},
	{RIGHTS_GROUP, false},
	{RIGHTS_UNDUMPABLE, false},
	{RIGHTS_CAPABLE, false},
	{RIGHTS_NAMESPACE, true},
};

/* Root in a container may not look at another user's process. */
static bool rights_trace(void)
{
	struct rights own;
	bool may =
		rights_read(&own, AT_FDCWD, "/proc/self/") && own.effective >> CAP_SYS_PTRACE & 1;

	rights_done(&own);
	return may;
}

START_TEST(rights_of_a_process)
{
	struct identity who;
	struct probes_error e;
	int ready[2], status;
	uid_t user;
	gid_t group;
	pid_t child;
	char byte;
	bool may;

	if (geteuid() != 0 || !rights_trace())
		return;
	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		rights_become(rights_ways[_i].way, ready[1]);
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) {
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert_int_eq(WEXITSTATUS(status), 77);
		close(ready[0]);
		return;
	}
	ck_assert_int_eq(identity_open(&who, child, &e), 0);
	may = rights_user(&who, &user, &group);
	ck_assert_int_eq(may, rights_ways[_i].may);
	if (may) {
		ck_assert_uint_eq(user, RIGHTS_ID);
		ck_assert_uint_eq(group, RIGHTS_ID);
	}
	identity_close(&who);
	close(ready[0]);
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}
END_TEST

Suite *rights_suite(void)
{
	Suite *s = suite_create("rights");
	TCase *t = tcase_create("rights");

	tcase_add_test(t, rights_as_the_kernel);
	tcase_add_loop_test(t, rights_of_a_process, 0, sizeof rights_ways / sizeof *rights_ways);
	suite_add_tcase(s, t);
	return s;
}
