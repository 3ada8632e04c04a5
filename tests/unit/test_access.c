/*
 * Covers access_evaluate: from facts to checks, for kernels and settings that this machine need not
 * have. Not covered: gathering the facts (e2e).
 */
#include "process/access.h"
#include "process/capability.h"
#include "process/maps.h"

#include "suites.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A process of our own, on a machine without Yama, where everything works. */
static const struct access_facts access_fine = {.pid = 42,
	.exists = true,
	.our_uid = 1000,
	.real_uid = 1000,
	.effective_uid = 1000,
	.saved_uid = 1000,
	.our_gid = 100,
	.real_gid = 100,
	.effective_gid = 100,
	.saved_gid = 100,
	.ptrace_scope = -1,
	.same_user_namespace = 1};

static struct access_facts access_denied(void)
{
	struct access_facts f = access_fine;

	f.read_error = -EPERM;
	f.write_error = -EACCES;
	return f;
}

static bool access_says(
	const struct probes_access *a, enum probes_access_mark mark, const char *text)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->checks[i].mark == mark && strstr(a->checks[i].text, text))
			return true;
	return false;
}

static size_t access_marks(const struct probes_access *a, enum probes_access_mark mark)
{
	size_t n = 0;

	for (size_t i = 0; i < a->count; i++)
		n += a->checks[i].mark == mark;
	return n;
}

/* What these lines of maps say of the process: the name of what translates it, or "". */
static const char *access_translator(const char *maps)
{
	const struct translator *t;
	struct array mappings = ARRAY_OF(struct mapping);
	size_t malformed;
	char text[1000];

	snprintf(text, sizeof text, "%s", maps);
	ck_assert(maps_parse(text, &mappings, &malformed));
	ck_assert_uint_eq(malformed, 0);
	t = translator_find(&mappings);
	array_done(&mappings);
	return t ? t->name : "";
}

#define ACCESS_MAP(protection, path) \
	"00400000-00401000 " protection " 00000000 fe:00 77                 " path "\n"

START_TEST(access_knows_translators)
{
	static const struct {
		const char *maps, *name;
	} all[] = {
		{ACCESS_MAP("r-xp", "/usr/libexec/valgrind/vgpreload_core-amd64-linux.so"),
			"valgrind"},
		{ACCESS_MAP("r-xp", "/opt/v/lib/valgrind/lackey-amd64-linux"), "valgrind"},
		{ACCESS_MAP("r-xp", "/usr/lib/valgrind/none-amd64-linux (deleted)"), "valgrind"},
		{ACCESS_MAP("r-xp", "/usr/bin/qemu-x86_64"), "QEMU"},
		{ACCESS_MAP("r-xp", "/usr/bin/qemu-x86_64-static"), "QEMU"},
		{ACCESS_MAP("r-xp", "/opt/dr/lib64/release/libdynamorio.so.10.0"), "DynamoRIO"},
		{ACCESS_MAP("r-xp", "/opt/pin/intel64/bin/pinbin"), "Pin"},
		{ACCESS_MAP("r-xp", "/usr/bin/FEXInterpreter"), "FEX"},
		{ACCESS_MAP("r-xp", "/usr/lib/rr/librrpreload.so"), "rr"},
		/* Programs that have probes of their own, or that only have such a name. */
		{ACCESS_MAP("r-xp", "/usr/bin/qemu-system-x86_64"), ""},
		{ACCESS_MAP("r-xp", "/usr/bin/rr"), ""},
		{ACCESS_MAP("r-xp", "/srv/valgrind/releases/tool-amd64-linux"), ""},
		{ACCESS_MAP("r-xp", "/srv/pinbin/server"), ""},
		{ACCESS_MAP("r-xp", "/lib64/ld-linux-x86-64.so.2"), ""},
		{ACCESS_MAP("r-xp", "/usr/bin/wine64-preloader"), ""},
		{ACCESS_MAP("r-xp", "/memfd:program (deleted)"), ""},
		{ACCESS_MAP("r-xp", "[vdso]"), ""},
		/* A debugger reads the files of what it debugs. */
		{ACCESS_MAP("r--p", "/usr/libexec/valgrind/memcheck-amd64-linux"), ""},
		{"", ""},
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		ck_assert_msg(!strcmp(access_translator(all[i].maps), all[i].name), "%s: %s",
			all[i].maps, access_translator(all[i].maps));
}
END_TEST

START_TEST(access_of_translated_code)
{
	static const struct translator one = {.name = "valgrind"};
	struct access_facts f = access_fine;
	struct probes_access a;

	f.translator = &one;
	access_evaluate(&f, &a);
	ck_assert(a.can_list && a.can_read && !a.can_switch);
	ck_assert(access_says(&a, PROBES_ACCESS_FAIL, "switch  "));
	ck_assert(access_says(&a, PROBES_ACCESS_WHY, "valgrind runs a translation of its code"));
	ck_assert(access_says(&a, PROBES_ACCESS_TRY, "run the program without valgrind"));
}
END_TEST

/* Facts that could not be gathered are none, whatever stands in them. */
START_TEST(access_short_of_descriptors)
{
	struct access_facts f = access_denied();
	struct probes_access a;

	f.shortage = -EMFILE;
	f.exists = _i;
	access_evaluate(&f, &a);
	ck_assert(!a.can_list && !a.can_read && !a.can_switch);
	ck_assert(access_says(&a, PROBES_ACCESS_WHY, "no file descriptors left"));
	ck_assert(!access_says(&a, PROBES_ACCESS_FAIL, "no process"));
	ck_assert(!access_says(&a, PROBES_ACCESS_FAIL, "ermi"));
}
END_TEST

START_TEST(access_all_is_well)
{
	struct probes_access a;

	memset(&a, 0xff, sizeof a);
	access_evaluate(&access_fine, &a);
	ck_assert(a.can_list && a.can_read && a.can_switch);
	ck_assert_uint_eq(access_marks(&a, PROBES_ACCESS_OK), 3);
	ck_assert_uint_eq(a.count, 3);
}
END_TEST

static void access_expect(const struct access_facts *f, const char *why, const char *try)
{
	struct probes_access a;

	access_evaluate(f, &a);
	ck_assert(!a.can_switch);
	ck_assert_uint_eq(access_marks(&a, PROBES_ACCESS_WHY), 1);
	ck_assert_msg(access_says(&a, PROBES_ACCESS_WHY, why), "no check says why: %s", why);
	if (try)
		ck_assert_msg(
			access_says(&a, PROBES_ACCESS_TRY, try), "no check says try: %s", try);
}

START_TEST(access_yama)
{
	struct access_facts f = access_denied();

	f.ptrace_scope = 1;
	access_expect(&f, "ptrace_scope = 1", "a parent may trace its child");
	access_expect(&f, "ptrace_scope = 1", "sudo unit");
	f.ptrace_scope = 2;
	access_expect(&f, "ptrace_scope = 2", "sudo");
	f.ptrace_scope = 3;
	access_expect(&f, "nobody", NULL);
	f.privileged = true;
	access_expect(&f, "nobody", NULL);
}
END_TEST

START_TEST(access_other_users)
{
	struct access_facts f = access_denied();

	f.real_uid = f.effective_uid = f.saved_uid = 26;
	access_expect(&f, "uid 26", "sudo -u '#26'");
	f.real_gid = f.effective_gid = f.saved_gid = 27;
	access_expect(&f, "uid 26", "sudo -u '#26' -g '#27'");
	f = access_denied();
	f.saved_gid = 42;
	access_expect(
		&f, "runs as gid 100 (effective 100, saved 42), you are gid 100", "sudo unit");
	f.real_gid = f.effective_gid = 42;
	access_expect(&f, "gid 42", "sudo -u '#1000' -g '#42'");
	f = access_denied();
	f.saved_uid = 0; /* one of the three is enough to deny */
	access_expect(&f, "saved 0", "sudo");
}
END_TEST

/* Where its user would be refused as well, to become it is no way out. */
START_TEST(access_other_users_would_not_do)
{
	const struct access_facts others[] = {{.ptrace_scope = 1}, {.not_dumpable = true},
		{.its_capabilities = 2}, {.same_user_namespace = 0}};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct access_facts f = access_denied();
		struct probes_access a;

		f.real_uid = f.effective_uid = f.saved_uid = 26;
		f.ptrace_scope = i == 0 ? others[i].ptrace_scope : -1;
		f.not_dumpable = others[i].not_dumpable;
		f.its_capabilities = others[i].its_capabilities;
		f.same_user_namespace = i == 3 ? 0 : 1;
		access_expect(&f, "uid 26", "sudo unit");
		access_evaluate(&f, &a);
		ck_assert(!access_says(&a, PROBES_ACCESS_TRY, "-u '#26'"));
	}
}
END_TEST

/* Root without CAP_SYS_PTRACE, as in a container: sudo gives nothing that root has not. */
static void access_expect_root(const struct access_facts *f, const char *why)
{
	struct probes_access a;

	access_expect(f, why, "--cap-add SYS_PTRACE");
	access_expect(
		f, "you are root without CAP_SYS_PTRACE (bounding set)", "CapabilityBoundingSet=");
	access_evaluate(f, &a);
	ck_assert(!access_says(&a, PROBES_ACCESS_TRY, "sudo"));
}

START_TEST(access_root_without_the_capability)
{
	struct access_facts f = access_denied();

	f.our_uid = f.our_gid = 0;
	f.bounded = true;
	access_expect_root(&f, "uid 1000");
	f.our_capabilities = 1 << CAPABILITY_SETUID | 1 << CAPABILITY_SETGID;
	access_expect_root(&f, "uid 1000");
	access_expect(&f, "uid 1000", "setpriv --reuid 1000 --regid 100 --clear-groups unit");
	f.real_uid = f.effective_uid = f.saved_uid = 0;
	access_expect_root(&f, "runs as gid 100");
	f.real_gid = f.effective_gid = f.saved_gid = 0;
	f.its_capabilities = f.our_capabilities | 1 << CAPABILITY_SYS_PTRACE | 1 << 21 | 1 << 12;
	access_expect_root(&f, "you do not: CAP_NET_ADMIN, CAP_SYS_PTRACE and 1 more");
	f.its_capabilities = 0;
	f.not_dumpable = true;
	access_expect_root(&f, "undumpable");
	f.not_dumpable = false;
	f.ptrace_scope = 1;
	access_expect_root(&f, "ptrace_scope = 1");
	f.ptrace_scope = 2;
	access_expect_root(&f, "ptrace_scope = 2");
	f.ptrace_scope = -1;
	access_expect_root(&f, "security module");
	f.bounded = false; /* it only was dropped */
	access_expect(&f, "you are root without CAP_SYS_PTRACE", "from a shell of root");
}
END_TEST

/* Where it cannot be had by sudo that is said to others, too. */
START_TEST(access_where_sudo_does_nothing)
{
	struct access_facts f = access_denied();
	struct probes_access a;

	f.no_new_privs = true;
	access_expect(&f, "security module", "without no_new_privs: sudo unit");
	f.bounded = true;
	access_expect(&f, "security module", "--cap-add SYS_PTRACE");
	access_evaluate(&f, &a);
	ck_assert(!access_says(&a, PROBES_ACCESS_TRY, "sudo"));
	ck_assert(!access_says(&a, PROBES_ACCESS_WHY, "root"));
}
END_TEST

START_TEST(access_names_capabilities)
{
	char out[80], tiny[8];

	ck_assert_str_eq(access_capabilities(0, out, sizeof out), "");
	ck_assert_str_eq(access_capabilities(1, out, sizeof out), "CAP_CHOWN");
	ck_assert_str_eq(access_capabilities(3ULL << 39, out, sizeof out),
		"CAP_BPF, CAP_CHECKPOINT_RESTORE");
	ck_assert_str_eq(access_capabilities(~0ULL, out, sizeof out),
		"CAP_CHOWN, CAP_DAC_OVERRIDE and 62 more");
	ck_assert_str_eq(access_capabilities(1ULL << 63, out, sizeof out), "capability 63");
	ck_assert_str_eq(access_capabilities(~0ULL, tiny, sizeof tiny), "CAP_CHO");
}
END_TEST

START_TEST(access_other_causes)
{
	struct access_facts f = access_denied();
	struct probes_access a;

	f.not_dumpable = true;
	access_expect(&f, "undumpable", "sudo");
	f = access_denied();
	f.same_user_namespace = 0;
	access_expect(&f, "user namespace", "sudo");
	f.enclosed = f.bounded = true; /* no capability within ours reaches out of it */
	access_expect(&f, "user namespace", "outside of your user namespace");
	access_evaluate(&f, &a);
	ck_assert(!access_says(&a, PROBES_ACCESS_TRY, "SYS_PTRACE"));
	ck_assert(!access_says(&a, PROBES_ACCESS_WHY, "inside"));
	f = access_denied();
	f.same_user_namespace = -1;
	access_expect(&f, "security module", "sudo");
	f = access_denied();
	f.our_seccomp = true;
	f.write_error = -EPERM;
	access_expect(&f, "seccomp", "SYS_PTRACE");
	f.write_error = -EACCES; /* in a container there is a filter always: it is not the cause */
	f.ptrace_scope = 1;
	access_expect(&f, "ptrace_scope = 1", "sudo");
	f = access_fine; /* as root in a container, too */
	f.privileged = true;
	f.write_error = -EROFS;
	access_expect(&f, "/proc is mounted read-only", "where /proc is writable");
	access_evaluate(&f, &a);
	ck_assert(a.can_read && !a.can_switch);
	ck_assert(!access_says(&a, PROBES_ACCESS_WHY, "security module"));
	f = access_denied();
	f.privileged = true;
	access_expect(&f, "security module", NULL);
	f.effective_uid = 26;
	access_expect(&f, "security module", NULL);
	f.read_error = 0; /* so the kernel's checks are passed */
	access_expect(&f, "only its owner may open", "CAP_DAC_OVERRIDE");
	f.effective_uid = f.our_uid;
	access_expect(&f, "security module", NULL);
	f.not_dumpable = true;
	access_expect(&f, "only its owner may open", "CAP_DAC_OVERRIDE");
	f.our_capabilities = 1 << CAPABILITY_DAC_OVERRIDE;
	access_expect(&f, "security module", NULL);
	f.read_error = -EPERM;
	f.not_dumpable = false;
	f.same_user_namespace = 0;
	access_expect(
		&f, "does not reach into its user namespace", "outside of your user namespace");
	f = access_denied();
	f.its_capabilities = 1 << 13;
	access_expect(&f, "capabilities that you do not: CAP_NET_RAW", "sudo");
	f.ptrace_scope = 1; /* with that alone nothing would be won */
	access_expect(&f, "capabilities that you do not: CAP_NET_RAW", "sudo");
}
END_TEST

/* Its program's machine comes before all that rights could mend. */
START_TEST(access_other_machines)
{
	struct access_facts f = access_denied();
	struct probes_access a;

	for (int denied = 0; denied < 2; denied++) {
		strcpy(f.machine, "32-bit i386");
		access_expect(&f, "32-bit i386", "readelf -n");
		access_evaluate(&f, &a);
		ck_assert(!a.can_list && !a.can_read);
		ck_assert(access_says(&a, PROBES_ACCESS_FAIL, "64-bit x86-64"));
		f = access_fine;
	}
}
END_TEST

START_TEST(access_boot_options)
{
	struct access_facts f = access_fine;
	struct probes_access a;

	f.override = ACCESS_NEVER;
	access_expect(&f, "force_override=never", "boot with proc_mem.force_override=ptrace");
	access_evaluate(&f, &a);
	ck_assert(a.can_list && a.can_read);
	ck_assert(access_says(&a, PROBES_ACCESS_FAIL, "takes no code"));
	f.write_error = -EACCES; /* that comes first */
	f.real_uid = f.effective_uid = f.saved_uid = 5;
	access_expect(&f, "uid 5", "sudo -u '#5'");
	f = access_fine;
	f.override = ACCESS_PTRACE;
	access_evaluate(&f, &a);
	ck_assert(a.can_switch);
	ck_assert(access_says(&a, PROBES_ACCESS_OK, "a thread is seized"));
}
END_TEST

START_TEST(access_reads_the_command_line)
{
	ck_assert_int_eq(access_override(""), ACCESS_ALWAYS);
	ck_assert_int_eq(access_override("ro quiet"), ACCESS_ALWAYS);
	ck_assert_int_eq(access_override("ro proc_mem.force_override=never\n"), ACCESS_NEVER);
	ck_assert_int_eq(access_override("proc_mem.force_override=ptrace ro"), ACCESS_PTRACE);
	ck_assert_int_eq(access_override("proc_mem.force_override=always"), ACCESS_ALWAYS);
	ck_assert_int_eq(access_override("proc_mem.force_override=never x "
					 "proc_mem.force_override=ptrace"),
		ACCESS_PTRACE);
	ck_assert_int_eq(access_override("proc_mem.force_override="), ACCESS_ALWAYS);
}
END_TEST

START_TEST(access_of_the_confined)
{
	struct access_facts f = access_fine;
	struct probes_access a;

	f.its_seccomp = true;
	access_evaluate(&f, &a);
	ck_assert(a.can_switch);
	ck_assert(access_says(&a, PROBES_ACCESS_OK, "seccomp"));
}
END_TEST

START_TEST(access_list_without_reading)
{
	struct access_facts f = access_denied();
	struct probes_access a;

	access_evaluate(&f, &a);
	ck_assert(a.can_list && !a.can_read && !a.can_switch);
	f.maps_error = -EACCES;
	access_evaluate(&f, &a);
	ck_assert(!a.can_list);
	ck_assert_uint_eq(access_marks(&a, PROBES_ACCESS_FAIL), 3);
	f = access_fine;
	f.read_error = -EPERM; /* /proc/PID/mem does instead */
	access_evaluate(&f, &a);
	ck_assert(a.can_read && a.can_switch);
	f = access_fine;
	f.write_error = -EACCES;
	access_evaluate(&f, &a);
	ck_assert(a.can_read && !a.can_switch);
}
END_TEST

START_TEST(access_names_the_tracer)
{
	struct access_facts f = access_fine;
	struct probes_access a;

	f.tracer = 77;
	strcpy(f.tracer_name, "gdb");
	access_evaluate(&f, &a);
	ck_assert(a.can_switch);
	ck_assert(access_says(&a, PROBES_ACCESS_OK, "77 (gdb)"));
}
END_TEST

START_TEST(access_nothing_to_trace)
{
	static const struct procfs_absence absence = {"no such process", "look it up", ""};
	struct access_facts f = access_fine;
	struct probes_access a;

	f.exists = false;
	f.absence = &absence;
	access_evaluate(&f, &a);
	ck_assert(!a.can_list && !a.can_read && !a.can_switch);
	ck_assert(access_says(&a, PROBES_ACCESS_FAIL, "process 42: no such process"));
	ck_assert(access_says(&a, PROBES_ACCESS_TRY, "look it up"));
	f = access_fine;
	f.zombie = true;
	access_evaluate(&f, &a);
	ck_assert(!a.can_list);
	ck_assert(access_says(&a, PROBES_ACCESS_FAIL, "zombie"));
	f = access_fine;
	f.kernel_thread = true;
	access_evaluate(&f, &a);
	ck_assert(!a.can_switch);
	ck_assert(access_says(&a, PROBES_ACCESS_FAIL, "kernel thread"));
}
END_TEST

/* What to put before the call that the user typed, where that would help. */
START_TEST(access_repeats_the_call)
{
	struct access_facts f = access_denied();
	struct probes_access a;

	f.ptrace_scope = 1;
	access_evaluate(&f, &a);
	ck_assert_int_eq(a.checks[a.count - 1].mark, PROBES_ACCESS_TRY);
	ck_assert_str_eq(a.checks[a.count - 1].as, "sudo");
	ck_assert_str_eq(a.checks[a.count - 1].text, "sudo unit");
	f.bounded = true; /* sudo would not help */
	access_evaluate(&f, &a);
	for (size_t i = 0; i < a.count; i++)
		ck_assert_str_eq(a.checks[i].as, "");
}
END_TEST

START_TEST(access_explains_into_an_error)
{
	struct probes_error e = {.status = PROBES_DENIED, .code = -EACCES, .why = "unchanged"};

	ck_assert_int_eq(access_explain(0x7ffffff0, &e), -EACCES);
	ck_assert_str_eq(e.why, "unchanged"); /* it has nothing better to say */
}
END_TEST

Suite *access_suite(void)
{
	Suite *s = suite_create("access");
	TCase *t = tcase_create("access");

	tcase_add_test(t, access_all_is_well);
	tcase_add_test(t, access_knows_translators);
	tcase_add_test(t, access_of_translated_code);
	tcase_add_loop_test(t, access_short_of_descriptors, 0, 2);
	tcase_add_test(t, access_yama);
	tcase_add_test(t, access_other_users);
	tcase_add_test(t, access_other_users_would_not_do);
	tcase_add_test(t, access_root_without_the_capability);
	tcase_add_test(t, access_where_sudo_does_nothing);
	tcase_add_test(t, access_names_capabilities);
	tcase_add_test(t, access_other_causes);
	tcase_add_test(t, access_other_machines);
	tcase_add_test(t, access_boot_options);
	tcase_add_test(t, access_reads_the_command_line);
	tcase_add_test(t, access_of_the_confined);
	tcase_add_test(t, access_list_without_reading);
	tcase_add_test(t, access_names_the_tracer);
	tcase_add_test(t, access_nothing_to_trace);
	tcase_add_test(t, access_repeats_the_call);
	tcase_add_test(t, access_explains_into_an_error);
	suite_add_tcase(s, t);
	return s;
}
