/* Covers elf/note: one descriptor, whole, cut at every byte, and the prelink rule. */
#include "elf/note.h"

#include "elf_builder.h"
#include "suites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Parse bytes at the end of a heap block: a sanitizer sees every read behind them. */
static int note_parse_copy(const void *bytes, size_t size, struct note *note, void **block)
{
	*block = malloc(size ? size : 1);
	if (size)
		memcpy(*block, bytes, size);
	return note_parse(*block, size, note);
}

static void note_build(struct array *to, const struct elf_note *n)
{
	*to = ARRAY_OF(char);
	elf_put_descriptor(to, n);
}

START_TEST(note_whole)
{
	const struct elf_note n = {0x1122334455667788, 0x10, 0x20, "prov", "name", "8@%rdi"};
	struct array d;
	struct note note;
	void *block;

	note_build(&d, &n);
	ck_assert_int_eq(note_parse_copy(d.data, d.count, &note, &block), 0);
	ck_assert_uint_eq(note.pc, 0x1122334455667788);
	ck_assert_uint_eq(note.base, 0x10);
	ck_assert_uint_eq(note.semaphore, 0x20);
	ck_assert_str_eq(note.provider, "prov");
	ck_assert_str_eq(note.name, "name");
	ck_assert_str_eq(note.arguments, "8@%rdi");
	free(block);
	array_done(&d);
}
END_TEST

START_TEST(note_cut_at_every_byte)
{
	const struct elf_note n = {1, 2, 3, "prov", "name", "8@%rdi"};
	size_t without = 24 + 5 + 5;
	struct array d;

	note_build(&d, &n);
	for (size_t size = 0; size <= d.count; size++) {
		struct note note;
		void *block;
		int r = note_parse_copy(d.data, size, &note, &block);

		if (size == d.count)
			ck_assert_int_eq(r, 0);
		else if (size == without) {
			ck_assert_int_eq(r, 0);
			ck_assert_str_eq(note.arguments, "");
		} else
			ck_assert_int_eq(r, -EBADMSG);
		free(block);
	}
	array_done(&d);
}
END_TEST

START_TEST(note_without_names_is_none)
{
	static const struct elf_note nameless[] = {
		{1, 2, 3, "", "name", ""},
		{1, 2, 3, "prov", "", ""},
		{1, 2, 3, "", "", NULL},
	};

	for (size_t i = 0; i < 3; i++) {
		struct array d;
		struct note note;

		note_build(&d, &nameless[i]);
		ck_assert_int_eq(note_parse(d.data, d.count, &note), -EBADMSG);
		array_done(&d);
	}
}
END_TEST

START_TEST(note_ignores_what_follows_its_arguments)
{
	const struct elf_note n = {1, 2, 3, "prov", "name", "$1"};
	struct array d;
	struct note note;

	note_build(&d, &n);
	elf_put(&d, "junk without an end", 19);
	ck_assert_int_eq(note_parse(d.data, d.count, &note), 0);
	ck_assert_str_eq(note.arguments, "$1");
	array_done(&d);
}
END_TEST

START_TEST(note_adjusts_for_prelink)
{
	struct note n = {.pc = 0x1000, .base = 0x5000, .semaphore = 0x9000};

	note_adjust(&n, 0x5100);
	ck_assert_uint_eq(n.pc, 0x1100);
	ck_assert_uint_eq(n.semaphore, 0x9100);
	n = (struct note){.pc = 0x1000, .base = 0x5000, .semaphore = 0x9000};
	note_adjust(&n, 0x4f00);
	ck_assert_uint_eq(n.pc, 0xf00);
	ck_assert_uint_eq(n.semaphore, 0x8f00);
	n = (struct note){.pc = 0x1000, .base = 0x5000, .semaphore = 0x9000};
	note_adjust(&n, 0x5000);
	ck_assert_uint_eq(n.pc, 0x1000);
}
END_TEST

START_TEST(note_never_adjusts_a_zero)
{
	struct note n = {.pc = 0, .base = 0x5000, .semaphore = 0x9000};

	note_adjust(&n, 0x6000);
	ck_assert_uint_eq(n.pc, 0);
	ck_assert_uint_eq(n.semaphore, 0xa000);
	n = (struct note){.pc = 0x10, .base = 0x5000, .semaphore = 0};
	note_adjust(&n, 0x6000);
	ck_assert_uint_eq(n.pc, 0x1010);
	ck_assert_uint_eq(n.semaphore, 0);
}
END_TEST

Suite *note_suite(void)
{
	Suite *s = suite_create("note");
	TCase *t = tcase_create("note");

	tcase_add_test(t, note_whole);
	tcase_add_test(t, note_cut_at_every_byte);
	tcase_add_test(t, note_without_names_is_none);
	tcase_add_test(t, note_ignores_what_follows_its_arguments);
	tcase_add_test(t, note_adjusts_for_prelink);
	tcase_add_test(t, note_never_adjusts_a_zero);
	suite_add_tcase(s, t);
	return s;
}
