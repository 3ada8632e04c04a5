/* Covers probe/runtime: the file names that are recognised. Not covered: whether the configure
 * options are still called so. */
#include "probe/runtime.h"

#include "suites.h"

#include <string.h>

static const struct {
	const char *path, *flag; /* NULL: not known */
} runtime_files[] = {
	{"/usr/bin/python3.11", "--with-dtrace"},
	{"/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0", "--with-dtrace"},
	{"/usr/bin/python", "Python"},
	{"/usr/bin/ruby3.1", "--enable-dtrace"},
	{"/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1.2", "Ruby"},
	{"/usr/bin/php8.2", "--enable-dtrace"},
	{"/usr/sbin/php-fpm8.2", "PHP"},
	{"/usr/lib/postgresql/15/bin/postgres", "--enable-dtrace"},
	{"/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so", "--enable-dtrace"},
	{"/usr/bin/node", "up to version 18"},
	{"/usr/lib/x86_64-linux-gnu/libnode.so.108", "Node.js"},
	{"/usr/bin/perl", "-Dusedtrace"},
	{"/usr/lib/x86_64-linux-gnu/libperl.so.5.36.0", "Perl"},
	{"/usr/lib/x86_64-linux-gnu/libc.so.6", "--enable-systemtap"},
	{"/lib/x86_64-linux-gnu/libc-2.31.so", "glibc"},
	{"/lib64/ld-linux-x86-64.so.2", "glibc"},
	{"/usr/lib/x86_64-linux-gnu/libvirt.so.0.9000.0", "dtrace"},
	{"/usr/sbin/virtqemud", "libvirt"},
	{"/usr/lib/erlang/erts-13.1/bin/beam.smp", "--with-dynamic-trace=systemtap"},
	{"/usr/bin/qemu-system-x86_64", "--enable-trace-backends=dtrace"},
	{"/srv/_build/default/bin/test.exe", "[%probe"},
	{"postgres", "PostgreSQL"}, /* without a folder */
	/* Similar names. */
	{"/usr/bin/pythonista", NULL},
	{"/usr/bin/postgres_exporter", NULL},
	{"/usr/bin/node_exporter", NULL},
	{"/usr/lib/libcap.so.2", NULL},
	{"/usr/lib/libcrypto.so.3", NULL},
	{"/usr/bin/bash", NULL},
	{"/python3/postgres/tool", NULL},
	{"/usr/bin/", NULL},
	{"", NULL},
};

START_TEST(runtime_knows_its_files)
{
	const char *remedy = runtime_remedy(runtime_files[_i].path), *flag = runtime_files[_i].flag;

	if (flag)
		ck_assert_msg(remedy && strstr(remedy, flag), "%s: %s", runtime_files[_i].path,
			remedy ? remedy : "not known");
	else
		ck_assert_msg(!remedy, "%s: %s", runtime_files[_i].path, remedy);
	/* It must fit in object_probes.why, and in two lines of the screen. */
	ck_assert(!remedy || strlen(remedy) < 120);
}
END_TEST

Suite *runtime_suite(void)
{
	Suite *s = suite_create("runtime");
	TCase *t = tcase_create("runtime");

	tcase_add_loop_test(
		t, runtime_knows_its_files, 0, (int)(sizeof runtime_files / sizeof *runtime_files));
	suite_add_tcase(s, t);
	return s;
}
