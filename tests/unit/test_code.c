/*
 * Covers what optional libraries provide: disassembly, C++ names. PROBES_OPTIONAL lists the
 * libraries that configure found: one that was found but not built in fails here. OCaml names need
 * no library.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "elf/symbols.h"

Suite *code_suite(void);

static bool found(const char *library)
{
	const char *all = getenv("PROBES_OPTIONAL");

	return all && strstr(all, library);
}

START_TEST(decodes_a_site)
{
	/* an OCaml site that is on: nop; call +0x10; and half an instruction */
	static const uint8_t bytes[] = {0x90, 0xe8, 0x10, 0x00, 0x00, 0x00, 0x48};
	struct probes_instruction out[8];
	size_t count = arch_disassemble(bytes, sizeof bytes, 0x401000, out, 8);

	if (!found("-lZydis")) {
		ck_assert_uint_eq(count, 0);
		return;
	}
	ck_assert_uint_eq(count, 3);
	ck_assert_str_eq(out[0].text, "nop");
	ck_assert_uint_eq(out[1].address, 0x401001);
	ck_assert_uint_eq(out[1].length, 5);
	ck_assert_mem_eq(out[1].bytes, bytes + 1, 5);
	ck_assert_ptr_nonnull(strstr(out[1].text, "call"));
	ck_assert_ptr_nonnull(strstr(out[1].text, "401016")); /* after it, and 0x10 */
	ck_assert_str_eq(out[2].text, ".byte 0x48");
	ck_assert_uint_eq(out[2].length, 1);
	ck_assert_uint_eq(arch_disassemble(bytes, sizeof bytes, 0x401000, out, 2), 2);
	ck_assert_uint_eq(arch_disassemble(bytes, 0, 0x401000, out, 8), 0);
}
END_TEST

START_TEST(names_are_readable)
{
	static const struct {
		const char *symbol, *text;
	} cases[] = {
		{"main", "main"},
		{"camlReq__handle_118", "Req.handle"},
		{"camlDune__exe__Main__f_5", "Dune.exe.Main.f"},
		{"camlReq__$2b$2b_7", "Req.++"},
		{"camlReq.handle_118", "Req.handle"},
		{"camlReq$handle_118", "Req.handle"},
		{"camlreq", "camlreq"}, /* not the name of a unit */
		{"caml_main", "caml_main"},
		{"__libc_start_main@@GLIBC_2.34", "__libc_start_main"},
		{"old@GLIBC_2.2.5", "old"},
		{"@odd", "@odd"},
	};
	char text[64];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		symbols_demangle(cases[i].symbol, text, sizeof text);
		ck_assert_str_eq(text, cases[i].text);
	}
	symbols_demangle("_ZN3Req6handleEi", text, sizeof text);
	ck_assert_str_eq(text, found("-liberty") ? "Req::handle(int)" : "_ZN3Req6handleEi");
	symbols_demangle("_ZN3Req6handleEi@@V1", text, sizeof text);
	ck_assert_str_eq(text, found("-liberty") ? "Req::handle(int)" : "_ZN3Req6handleEi");
	symbols_demangle("_Zjunk", text, sizeof text);
	ck_assert_str_eq(text, "_Zjunk");
	symbols_demangle("camlReq__handle_118", text, 4);
	ck_assert_str_eq(text, "Req");
}
END_TEST

Suite *code_suite(void)
{
	Suite *s = suite_create("code");
	TCase *c = tcase_create("code");

	tcase_add_test(c, decodes_a_site);
	tcase_add_test(c, names_are_readable);
	suite_add_tcase(s, c);
	return s;
}
