/* Covers probe/kind and arch: what providers mean, which bytes are a site, what live bytes say. */
#include "probe/kind.h"

#include "suites.h"

#include <string.h>

static const struct {
	const char *provider;
	enum probes_kind kind;
	unsigned offset, limit;
	bool one, absent;
} site_table[] = {
	{"ocaml", PROBES_OCAML, 0, 0x7ffe, false, false},
	{"ocaml.1", PROBES_OCAML, 2, 0xffff, true, false},
	{"ocaml_1", PROBES_OCAML, 2, 0xffff, true, false},
	{"ocaml_2", PROBES_OCAML, 2, 0xffff, true, true},
	{"ocaml_3", PROBES_SDT, 0, 0x7ffe, false, true},
	{"ocaml.2", PROBES_SDT, 0, 0x7ffe, false, true},
	{"OCAML", PROBES_SDT, 0, 0x7ffe, false, true},
	{"ocam", PROBES_SDT, 0, 0x7ffe, false, true},
	{"hotspot", PROBES_SDT, 0, 0x7ffe, false, true},
};

START_TEST(site_providers_mean)
{
	const struct kind_provider *p = kind_provider(site_table[_i].provider);

	ck_assert_int_eq(p->kind, site_table[_i].kind);
	ck_assert_uint_eq(p->count_offset, site_table[_i].offset);
	ck_assert_uint_eq(p->limit, site_table[_i].limit);
	ck_assert_int_eq(p->one_semaphore, site_table[_i].one);
	ck_assert_int_eq(p->may_be_absent, site_table[_i].absent);
}
END_TEST

START_TEST(site_shape_of_ocaml)
{
	static const uint8_t off[6] = {0x90, 0x3d, 1, 2, 3, 4}, on[6] = {0x90, 0xe8, 1, 2, 3, 4};
	struct probes_edit edit;

	ck_assert(arch_is_site(&arch_site_ocaml, off));
	ck_assert(arch_is_site(&arch_site_ocaml, on));
	for (unsigned first = 0; first < 256; first++)
		for (unsigned second = 0; second < 256; second++) {
			uint8_t bytes[6] = {(uint8_t)first, (uint8_t)second, 1, 2, 3, 4};
			bool expected = first == 0x90 && (second == 0x3d || second == 0xe8);

			ck_assert_int_eq(arch_is_site(&arch_site_ocaml, bytes), expected);
		}
	edit = ocaml_ops.edit(0x1000, true);
	ck_assert_uint_eq(edit.address, 0x1001);
	ck_assert_uint_eq(edit.length, 1);
	ck_assert_uint_eq(edit.old[0], 0x3d);
	ck_assert_uint_eq(edit.new_[0], 0xe8);
	edit = ocaml_ops.edit(0x1000, false);
	ck_assert_uint_eq(edit.old[0], 0xe8);
	ck_assert_uint_eq(edit.new_[0], 0x3d);
}
END_TEST

/* The live byte decides, whether the file has the site on or off. */
START_TEST(site_judges_ocaml)
{
	static const uint8_t files[2][6] = {{0x90, 0x3d, 1, 2, 3, 4}, {0x90, 0xe8, 1, 2, 3, 4}};

	for (unsigned file = 0; file < 2; file++)
		for (unsigned byte = 0; byte < 256; byte++) {
			uint8_t live[6] = {0x90, (uint8_t)byte, 1, 2, 3, 4};
			enum probes_state expected = byte == 0x3d   ? PROBES_OFF
						     : byte == 0xe8 ? PROBES_ON
								    : PROBES_FOREIGN;

			ck_assert_int_eq(ocaml_ops.judge(files[file], live, 6), expected);
			live[0] = 0xcc; /* bpftrace at pc has no influence */
			ck_assert_int_eq(ocaml_ops.judge(files[file], live, 6), expected);
			for (unsigned count = 0; count < 6; count++)
				ck_assert_int_eq(ocaml_ops.judge(files[file], live, count),
					PROBES_UNREADABLE);
			for (unsigned at = 2; at < 6; at++) {
				uint8_t spoilt[6];

				memcpy(spoilt, live, 6);
				spoilt[at] ^= 0x80;
				ck_assert_int_eq(
					ocaml_ops.judge(files[file], spoilt, 6), PROBES_FOREIGN);
			}
		}
}
END_TEST

START_TEST(site_judges_sdt)
{
	static const uint8_t nop[6] = {0x90, 1, 2, 3, 4, 5}, held[6] = {0xcc, 1, 2, 3, 4, 5};
	static const uint8_t jump[6] = {0xe9, 9, 9, 9, 9, 9}, around[6] = {0x90, 9, 9, 9, 9, 9};

	ck_assert_int_eq(sdt_ops.judge(nop, nop, 6), PROBES_UNKNOWN);
	ck_assert_int_eq(sdt_ops.judge(nop, nop, 1), PROBES_UNKNOWN);
	ck_assert_int_eq(sdt_ops.judge(nop, around, 6), PROBES_UNKNOWN);
	ck_assert_int_eq(sdt_ops.judge(nop, held, 6), PROBES_FOREIGN);
	ck_assert_int_eq(sdt_ops.judge(nop, jump, 1), PROBES_FOREIGN);
	ck_assert_int_eq(sdt_ops.judge(nop, nop, 0), PROBES_UNREADABLE);
}
END_TEST

START_TEST(site_names_the_holder)
{
	static const uint8_t at_pc[6] = {0xcc, 0x3d}, behind[6] = {0x90, 0xcc},
			     jump[6] = {0xe9, 0xe9};

	ck_assert_int_eq(sdt_ops.holder(at_pc), PROBES_HOLDER_INT3);
	ck_assert_int_eq(ocaml_ops.holder(at_pc), PROBES_HOLDER_OTHER);
	ck_assert_int_eq(ocaml_ops.holder(behind), PROBES_HOLDER_INT3);
	ck_assert_int_eq(sdt_ops.holder(jump), PROBES_HOLDER_OTHER);
}
END_TEST

Suite *site_suite(void)
{
	Suite *s = suite_create("site");
	TCase *t = tcase_create("site");

	tcase_add_loop_test(t, site_providers_mean, 0, sizeof site_table / sizeof *site_table);
	tcase_add_test(t, site_shape_of_ocaml);
	tcase_add_test(t, site_judges_ocaml);
	tcase_add_test(t, site_judges_sdt);
	tcase_add_test(t, site_names_the_holder);
	suite_add_tcase(s, t);
	return s;
}
