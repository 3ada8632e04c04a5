/* Covers elf/machine. Not covered: which files are refused for it (test_object, cli-access). */
#include "elf/machine.h"

#include "suites.h"

#include <elf.h>
#include <string.h>

static const char *machine_of(unsigned file_class, unsigned encoding, unsigned machine)
{
	static char out[48];

	return machine_say(file_class, encoding, machine, out, sizeof out);
}

START_TEST(machine_names)
{
	ck_assert_str_eq(machine_of(ELFCLASS64, ELFDATA2LSB, EM_X86_64), "64-bit x86-64");
	ck_assert_str_eq(machine_of(ELFCLASS32, ELFDATA2LSB, EM_X86_64), "32-bit x86-64");
	ck_assert_str_eq(machine_of(ELFCLASS32, ELFDATA2LSB, EM_386), "32-bit i386");
	ck_assert_str_eq(machine_of(ELFCLASS64, ELFDATA2LSB, EM_AARCH64), "64-bit aarch64");
	ck_assert_str_eq(machine_of(ELFCLASS64, ELFDATA2MSB, EM_S390), "64-bit big-endian s390");
	ck_assert_str_eq(machine_of(7, 9, 4711), "machine 4711");
	ck_assert(machine_is_ours(ELFCLASS64, ELFDATA2LSB, EM_X86_64));
	ck_assert(!machine_is_ours(ELFCLASS32, ELFDATA2LSB, EM_X86_64));
	ck_assert(!machine_is_ours(ELFCLASS64, ELFDATA2MSB, EM_X86_64));
	ck_assert(!machine_is_ours(ELFCLASS64, ELFDATA2LSB, EM_386));
}
END_TEST

START_TEST(machine_of_a_header)
{
	unsigned char header[MACHINE_HEADER] = {
		0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, [18] = EM_X86_64};
	char out[48];

	ck_assert_str_eq(machine_foreign(header, out, sizeof out), "");
	header[18] = EM_AARCH64;
	ck_assert_str_eq(machine_foreign(header, out, sizeof out), "64-bit aarch64");
	header[EI_DATA] = ELFDATA2MSB;
	header[18] = 0;
	header[19] = EM_PPC64;
	ck_assert_str_eq(machine_foreign(header, out, sizeof out), "64-bit big-endian powerpc64");
	header[EI_CLASS] = ELFCLASS32;
	header[EI_DATA] = ELFDATA2LSB;
	header[18] = EM_386;
	header[19] = 0;
	ck_assert_str_eq(machine_foreign(header, out, sizeof out), "32-bit i386");
	header[1] = 'e'; /* a script, say: nothing is known of it */
	ck_assert_str_eq(machine_foreign(header, out, sizeof out), "");
}
END_TEST

Suite *machine_suite(void)
{
	Suite *s = suite_create("machine");
	TCase *t = tcase_create("machine");

	tcase_add_test(t, machine_names);
	tcase_add_test(t, machine_of_a_header);
	suite_add_tcase(s, t);
	return s;
}
