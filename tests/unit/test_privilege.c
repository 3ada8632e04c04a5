/*
 * Covers process/privilege: what a traced program lost, from facts; the attribute of capabilities
 * and maps of users as the kernel writes them. Not covered: gathering (e2e/cli-privilege.sh).
 */
#include "process/privilege.h"

#include "suites.h"

#include <string.h>

static const struct privilege_facts privilege_plain = {
	.owner = 0, .group = 0, .uid = 1000, .gid = 1000};

static void privilege_says(const struct privilege_facts *f, const char *words)
{
	char out[512];

	ck_assert(privilege_lost(f, out, sizeof out));
	ck_assert_msg(strstr(out, words) != NULL, "no '%s' in: %s", words, out);
}

START_TEST(privilege_is_lost)
{
	struct privilege_facts f = privilege_plain;

	f.set_uid = true;
	privilege_says(&f, "is set-user-ID (uid 0): ");
	privilege_says(&f, "as uid 1000, gid 1000; start it by itself and attach as root");
	f.set_gid = true;
	privilege_says(&f, "is set-user-ID (uid 0), is set-group-ID (gid 0): ");
	f.set_uid = false;
	privilege_says(&f, "is set-group-ID (gid 0): ");
	f = privilege_plain;
	f.file_capabilities = 1 << 13;
	f.capabilities = 1 << 12;
	privilege_says(&f, "has file capabilities: ");
}
END_TEST

START_TEST(privilege_is_kept)
{
	struct privilege_facts f = privilege_plain;
	char out[512];

	ck_assert(!privilege_lost(&f, out, sizeof out));
	f.set_uid = f.set_gid = true;
	f.owner = 1000; /* ours: nothing to be won by it */
	f.group = 1000;
	ck_assert(!privilege_lost(&f, out, sizeof out));
	f.owner = f.uid = 0; /* root traces: it has come */
	ck_assert(!privilege_lost(&f, out, sizeof out));
	f = privilege_plain;
	f.file_capabilities = 1 << 13;
	f.capabilities = 3 << 13;
	ck_assert(!privilege_lost(&f, out, sizeof out));
	f = privilege_plain;
	f.set_uid = f.refused_anyway = true;
	ck_assert(!privilege_lost(&f, out, sizeof out));
}
END_TEST

/* As setcap writes them: cap_net_raw (13) of revision 2, cap_perfmon (38) of revision 3. */
START_TEST(privilege_reads_the_attribute)
{
	static const unsigned char two[20] = {1, 0, 0, 2, 0, 0x20};
	static const unsigned char three[24] = {0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0x40};
	static const unsigned char one[12] = {0, 0, 0, 1, 0, 0x20};

	ck_assert_uint_eq(privilege_attribute(two, sizeof two), 1ULL << 13);
	ck_assert_uint_eq(privilege_attribute(three, sizeof three), 1ULL << 38);
	ck_assert_uint_eq(privilege_attribute(one, sizeof one), 1ULL << 13);
	for (size_t size = 0; size < sizeof two; size++)
		ck_assert_uint_eq(privilege_attribute(two, size), 0);
	ck_assert_uint_eq(privilege_attribute(three, sizeof three - 1), 0);
	ck_assert_uint_eq(privilege_attribute((const unsigned char *)"\0\0\0\t....", 8), 0);
}
END_TEST

START_TEST(privilege_knows_the_map)
{
	ck_assert(privilege_mapped("         0          0 4294967295\n", 65534));
	ck_assert(!privilege_mapped("         0       1000          1\n", 65534));
	ck_assert(privilege_mapped(" 0 1000 1\n 1 100000 65536\n", 65534));
	ck_assert(!privilege_mapped(" 0 1000 1\n 1 100000 65536\n", 65537));
	ck_assert(!privilege_mapped("", 0));
	ck_assert(!privilege_mapped("none", 0));
}
END_TEST

Suite *privilege_suite(void)
{
	Suite *s = suite_create("privilege");
	TCase *t = tcase_create("privilege");

	tcase_add_test(t, privilege_is_lost);
	tcase_add_test(t, privilege_is_kept);
	tcase_add_test(t, privilege_reads_the_attribute);
	tcase_add_test(t, privilege_knows_the_map);
	suite_add_tcase(s, t);
	return s;
}
