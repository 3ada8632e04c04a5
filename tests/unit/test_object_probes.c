/*
 * Covers probe/object_probes, grouping and catalog: notes grouped into probes and checked; every
 * reason that breaks a probe. Not covered: symbols and debug information.
 */
#include "probe/object_probes.h"

#include "process/maps.h"

#include "suites.h"
#include "world.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define PC(n) WORLD_PC(n)
#define SEM(n) WORLD_DATA(n)

START_TEST(object_probes_groups_and_sorts)
{
	static const struct elf_note notes[] = {
		{PC(0x90), 0, SEM(8), "zeta", "b", "second"},
		{PC(0x40), 0, SEM(4), "zeta", "b", "first"},
		{PC(0x10), 0, 0, "zeta", "a", ""},
		{PC(0x50), 0, SEM(4), "alpha", "a_long_name_that_shares_8", ""},
		{PC(0x60), 0, 0, "alpha", "a_long_name_that_shares_7", ""},
		{PC(0x70), 0, 0, "alpha", "a_long_n", ""},
		{PC(0x40), 0, SEM(4), "zeta", "b", "again at the same place"},
	};
	struct world w;
	struct object_probes *h = world_of(&w, notes, 7);
	const struct probes_probe *b = world_at(&w, "b");

	ck_assert_uint_eq(h->probe_count, 5);
	ck_assert_uint_eq(h->info.probe_count, 5);
	ck_assert_str_eq(h->probes[0].name, "a_long_n");
	ck_assert_str_eq(h->probes[1].name, "a_long_name_that_shares_7");
	ck_assert_str_eq(h->probes[2].name, "a_long_name_that_shares_8");
	ck_assert_str_eq(h->probes[3].name, "a");
	ck_assert_str_eq(h->probes[3].provider, "zeta");
	ck_assert_ptr_eq(b, &h->probes[4]);
	ck_assert_uint_eq(b->site_count, 2); /* one address, one site */
	ck_assert_uint_eq(b->sites[0].pc, PC(0x40));
	ck_assert_uint_eq(b->sites[0].address, WORLD_BIAS + PC(0x40));
	ck_assert_uint_eq(b->sites[1].pc, PC(0x90));
	ck_assert_uint_eq(b->semaphore_count, 2);
	ck_assert_uint_eq(b->semaphores[0].vaddr, SEM(4));
	ck_assert_uint_eq(b->semaphores[1].address, WORLD_BIAS + SEM(8));
	ck_assert_uint_eq(b->sites[0].semaphore, 0);
	ck_assert_uint_eq(b->sites[1].semaphore, 1);
	ck_assert_uint_eq(h->probes[3].semaphore_count, 0);
	ck_assert_uint_eq(h->probes[3].sites[0].semaphore, PROBES_NONE);
	ck_assert_ptr_null(b->broken);
	ck_assert_ptr_null(h->info.why);
	world_end(&w);
}
END_TEST

/* Data that the linker makes read-only, or that is not writable or shared in the process. */
START_TEST(object_probes_breaks_what_is_not_writable)
{
	static const struct elf_note notes[] = {
		{PC(0x10), 0, SEM(0x10), "sdt", "relro", ""},
		{PC(0x20), 0, SEM(0x1f), "sdt", "across", ""},
		{PC(0x30), 0, SEM(0x22), "sdt", "behind", ""},
		{PC(0x40), 0, SEM(0x40), "ocaml_1", "own", ""},
		{PC(0x50), 0, SEM(0x800), "sdt", "far", ""},
	};
	const uint64_t data = WORLD_BIAS + ELF_DATA;
	struct maps_range all[] = {{data, data + WORLD_DATA_SIZE, false}};
	struct maps_range parts[] = {{data, data + 0x43, false}, {data + 0x800, data + 0x801, true},
		{data + 0x801, data + 0x900, true}};
	struct array ranges = {.data = all, .count = 1, .size = sizeof *all};
	struct object_probes *h;
	struct world w;

	world_begin(&w);
	w.relro = 0x20;
	world_prepare(&w, notes, 5, 0x2000);
	h = world_add(&w, "/lib/libtest.so", WORLD_BIAS);
	ck_assert_ptr_nonnull(strstr(world_at(&w, "relro")->broken, "RELRO"));
	ck_assert_ptr_nonnull(strstr(world_at(&w, "across")->broken, "RELRO"));
	ck_assert_ptr_null(world_at(&w, "behind")->broken);
	ck_assert(!object_probes_check_writable(h, &ranges));
	ranges = (struct array){.data = parts, .count = 3, .size = sizeof *parts};
	ck_assert(object_probes_check_writable(h, &ranges));
	ck_assert(!object_probes_check_writable(h, &ranges));
	ck_assert_ptr_null(world_at(&w, "behind")->broken);
	ck_assert_ptr_nonnull(
		strstr(world_at(&w, "own")->broken, "not writable")); /* one byte is */
	ck_assert_ptr_nonnull(strstr(world_at(&w, "far")->broken, "not writable"));
	ck_assert_ptr_nonnull(strstr(world_at(&w, "relro")->broken, "RELRO"));
	parts[1].end = data + 0x900;
	ranges.count = 2;
	ck_assert(object_probes_check_writable(h, &ranges));
	ck_assert_ptr_nonnull(strstr(world_at(&w, "far")->broken, "shared memory"));
	ranges = (struct array){.data = all, .count = 1, .size = sizeof *all};
	ck_assert(object_probes_check_writable(h, &ranges));
	ck_assert_ptr_null(world_at(&w, "own")->broken);
	ck_assert_ptr_null(world_at(&w, "far")->broken);
	ck_assert_ptr_nonnull(world_at(&w, "relro")->broken);
	world_end(&w);
}
END_TEST

START_TEST(object_probes_keeps_names_apart)
{
	/* the bytes behind the 8 that are compared as numbers count, too */
	static const struct elf_note notes[] = {
		{PC(0x10), 0, 0, "provider", "12345678", ""},
		{PC(0x20), 0, 0, "provider", "123456789", ""},
		{PC(0x30), 0, 0, "provider1", "12345678", ""},
		{PC(0x40), 0, 0, "provide", "r12345678", ""},
		{PC(0x50), 0, 0, "\xff\xfe", "\x80", ""},
	};
	struct world w;

	ck_assert_uint_eq(world_of(&w, notes, 5)->probe_count, 5);
	world_end(&w);
}
END_TEST

START_TEST(object_probes_counts_of_ocaml_lie_behind)
{
	static const struct elf_note notes[] = {
		{PC(0x10), 0, SEM(0), "ocaml", "old", ""},
		{PC(0x20), 0, SEM(0x10), "ocaml.1", "dotted", ""},
		{PC(0x30), 0, SEM(0x20), "ocaml_1", "under", ""},
		{0, 0, SEM(0x30), "ocaml_2", "siteless", "8@%rax"},
	};
	struct world w;

	world_of(&w, notes, 4);
	ck_assert_uint_eq(world_at(&w, "old")->semaphores[0].vaddr, SEM(0));
	ck_assert_uint_eq(world_at(&w, "dotted")->semaphores[0].vaddr, SEM(0x12));
	ck_assert_uint_eq(world_at(&w, "under")->semaphores[0].vaddr, SEM(0x22));
	ck_assert_uint_eq(world_at(&w, "siteless")->semaphores[0].vaddr, SEM(0x32));
	ck_assert_uint_eq(world_at(&w, "siteless")->site_count, 0);
	ck_assert_str_eq(world_at(&w, "siteless")->arguments, "8@%rax");
	for (size_t i = 0; i < 4; i++)
		ck_assert_ptr_null(catalog_probe(&w.catalog, i)->broken);
	world_end(&w);
}
END_TEST

/* Notes, one of their probes, and the reason why it is broken. */
static const struct object_probes_break_case {
	const char *name, *why; /* why NULL: not broken */
	struct elf_note notes[3];
} object_probes_breaks[] = {
	{"p", "names no semaphore", {{PC(0x10), 0, 0, "ocaml_1", "p", ""}}},
	{"p", "names no semaphore",
		{{PC(0x10), 0, SEM(0), "ocaml", "p", ""}, {PC(0x20), 0, 0, "ocaml", "p", ""}}},
	{"p", "names no site", {{0, 0, SEM(0), "ocaml_1", "p", ""}}},
	{"p", "names no site", {{0, 0, SEM(0), "ocaml", "p", ""}}},
	{"p", NULL, {{0, 0, SEM(0), "ocaml_2", "p", ""}}},
	{"p", NULL, {{0, 0, SEM(0), "sdt", "p", ""}}},
	{"p", NULL,
		{{0, 0, SEM(0), "ocaml_2", "p", ""}, {PC(0x10), 0, SEM(0), "ocaml_2", "p", ""}}},
	{"p", "different semaphores",
		{{PC(0x10), 0, SEM(0), "ocaml_1", "p", ""},
			{PC(0x20), 0, SEM(8), "ocaml_1", "p", ""}}},
	{"p", NULL,
		{{PC(0x10), 0, SEM(0), "ocaml", "p", ""}, {PC(0x20), 0, SEM(8), "ocaml", "p", ""}}},
	{"p", "names two semaphores",
		{{PC(0x10), 0, SEM(0), "ocaml", "p", ""}, {PC(0x10), 0, SEM(8), "ocaml", "p", ""}}},
	{"p", "outside the code", {{SEM(0x20), 0, SEM(0), "ocaml", "p", ""}}},
	{"p", "outside the code", {{0x10, 0, SEM(0), "sdt", "p", ""}}},
	{"p", "outside the code", {{UINT64_MAX, 0, SEM(0), "sdt", "p", ""}}},
	{"p", "outside the code", {{UINT64_MAX - 3, 0, SEM(0), "ocaml", "p", ""}}},
	{"p", "outside the code", {{PC(0x2000 - 5), 0, SEM(0), "ocaml", "p", ""}}},
	{"p", NULL, {{PC(0x2000 - 6), 0, SEM(0), "ocaml", "p", ""}}},
	{"p", "outside the data", {{PC(0x10), 0, PC(0x100), "ocaml", "p", ""}}},
	{"p", "outside the data", {{PC(0x10), 0, PC(0x100), "sdt", "p", ""}}},
	{"p", "outside the data", {{PC(0x10), 0, SEM(WORLD_DATA_SIZE - 2), "ocaml_1", "p", ""}}},
	{"p", "outside the data", {{PC(0x10), 0, SEM(WORLD_DATA_SIZE - 1), "sdt", "p", ""}}},
	{"p", NULL, {{PC(0x10), 0, SEM(WORLD_DATA_SIZE - 2), "sdt", "p", ""}}},
	{"p", "outside the data", {{PC(0x10), 0, UINT64_MAX, "ocaml_1", "p", ""}}},
	{"p", "outside the data", {{PC(0x10), 0, UINT64_MAX, "sdt", "p", ""}}},
	{"p", "overlaps",
		{{PC(0x10), 0, SEM(0), "ocaml", "p", ""}, {PC(0x15), 0, SEM(2), "ocaml", "q", ""}}},
	{"q", "overlaps",
		{{PC(0x10), 0, SEM(0), "ocaml", "p", ""}, {PC(0x15), 0, SEM(2), "ocaml", "q", ""}}},
	{"p", NULL,
		{{PC(0x10), 0, SEM(0), "ocaml", "p", ""}, {PC(0x16), 0, SEM(2), "ocaml", "q", ""}}},
	{"p", "overlaps",
		{{PC(0x10), 0, SEM(0), "ocaml", "p", ""},
			{PC(0x10), 0, SEM(2), "ocaml_1", "q", ""}}},
	{"p", "overlaps",
		{{PC(0x10), 0, SEM(0), "ocaml", "p", ""}, {PC(0x12), 0, 0, "sdt", "q", ""}}},
	{"q", NULL, {{PC(0x10), 0, SEM(0), "ocaml", "p", ""}, {PC(0x12), 0, 0, "sdt", "q", ""}}},
	{"q", NULL, {{PC(0x10), 0, 0, "sdt", "p", ""}, {PC(0x13), 0, 0, "sdt", "q", ""}}}, /* php */
	/* At one address the order of names decides, not the order in the file. */
	{"p", "overlaps",
		{{PC(0x10), 0, 0, "sdt", "q", ""}, {PC(0x10), 0, SEM(0), "ocaml", "p", ""}}},
	{"p", "overlaps",
		{{PC(0x10), 0, SEM(0), "ocaml", "p", ""}, {PC(0x10), 0, 0, "sdt", "q", ""}}},
	{"p", NULL, {{PC(0x10), 0, SEM(0), "ocaml", "p", ""}, {PC(0x10), 0, 0, "abc", "q", ""}}},
	{"p", NULL, {{PC(0x10), 0, 0, "abc", "q", ""}, {PC(0x10), 0, SEM(0), "ocaml", "p", ""}}},
	{"p", "another probe's",
		{{PC(0x10), 0, SEM(0), "ocaml", "p", ""}, {PC(0x20), 0, SEM(0), "ocaml", "q", ""}}},
	{"q", "another probe's",
		{{PC(0x10), 0, SEM(0), "ocaml", "p", ""}, {PC(0x20), 0, SEM(0), "sdt", "q", ""}}},
	{"q", "another probe's",
		{{PC(0x10), 0, SEM(0), "sdt", "p", ""}, {PC(0x20), 0, SEM(1), "sdt", "q", ""}}},
	{"q", NULL, {{PC(0x10), 0, SEM(0), "sdt", "p", ""}, {PC(0x20), 0, SEM(0), "sdt", "q", ""}}},
	{"q", NULL, {{PC(0x10), 0, SEM(0), "sdt", "p", ""}, {PC(0x20), 0, SEM(2), "sdt", "q", ""}}},
};

START_TEST(object_probes_breaks_what_contradicts_itself)
{
	const struct object_probes_break_case *c = &object_probes_breaks[_i];
	const char *why = c->why;
	size_t count = 0;
	struct world w;

	while (count < 3 && c->notes[count].provider)
		count++;
	world_of(&w, c->notes, count);
	if (why) {
		ck_assert_msg(world_at(&w, c->name)->broken != NULL, "should be broken: %s", why);
		ck_assert_msg(strstr(world_at(&w, c->name)->broken, why) != NULL, "'%s' in '%s'",
			why, world_at(&w, c->name)->broken);
	} else {
		ck_assert_msg(!world_at(&w, c->name)->broken, "broken: %s",
			world_at(&w, c->name)->broken);
	}
	world_read(&w); /* no wild read, whatever the notes say */
	world_end(&w);
}
END_TEST

START_TEST(object_probes_looks_at_the_code_itself)
{
	static const struct elf_note notes[] = {
		{PC(0x10), 0, SEM(0), "ocaml", "off", ""},
		{PC(0x20), 0, SEM(2), "ocaml", "on", ""},
		{PC(0x30), 0, SEM(4), "ocaml", "none", ""},
		{PC(0x40), 0, SEM(6), "ocaml", "half", ""},
	};
	struct world w;

	world_begin(&w);
	world_prepare(&w, notes, 4, 0x2000);
	w.text[0x21] = 0xe8; /* on from the start */
	memset(w.text + 0x30, 0x55, 6);
	w.text[0x40] = 0x91;
	world_add(&w, "/bin/prog", WORLD_BIAS);
	ck_assert_ptr_null(world_at(&w, "off")->broken);
	ck_assert_ptr_null(world_at(&w, "on")->broken);
	ck_assert_ptr_nonnull(strstr(world_at(&w, "none")->broken, "not an OCaml probe"));
	ck_assert_ptr_nonnull(strstr(world_at(&w, "half")->broken, "not an OCaml probe"));
	world_end(&w);
}
END_TEST

START_TEST(object_probes_joins_shared_semaphores)
{
	static const struct elf_note notes[] = {
		{PC(0x10), 0, SEM(4), "sdt", "a", ""},
		{PC(0x20), 0, SEM(0), "sdt", "b", ""},
		{PC(0x30), 0, SEM(4), "sdt", "b", ""},
		{PC(0x40), 0, SEM(4), "sdt", "c", ""},
	};
	struct world w;
	struct object_probes *h = world_of(&w, notes, 4);
	size_t b = object_probes_semaphore(h, world_at(&w, "b"));

	ck_assert_uint_eq(h->semaphore_count, 4);
	ck_assert_uint_eq(object_probes_same(h, 0), 0);
	ck_assert_uint_eq(object_probes_same(h, b), b);     /* SEM(0) */
	ck_assert_uint_eq(object_probes_same(h, b + 1), 0); /* SEM(4) of b is that of a */
	ck_assert_uint_eq(object_probes_same(h, object_probes_semaphore(h, world_at(&w, "c"))), 0);
	world_end(&w);
}
END_TEST

START_TEST(object_probes_of_a_file_has_no_addresses)
{
	static const struct elf_note notes[] = {{PC(0x10), 0, SEM(4), "sdt", "a", ""}};
	const struct elf_spec spec = {.notes = notes,
		.note_count = 1,
		.text = (const unsigned char *)"0123456789",
		.text_size = 10,
		.data_size = 16,
		.build_id = (const unsigned char *)"\x01\xfe",
		.build_id_size = 2};
	struct elf_file f = elf_build(&spec);
	const struct probes_object info = {.path = "x"};
	struct probes_error e;
	struct object *file;
	struct object_probes *h;

	ck_assert_int_eq(object_read(elf_open(f.bytes, f.size), "x", &file, &e), 0);
	ck_assert_int_eq(object_probes_new(&info, file, "", false, &h, &e), 0);
	ck_assert_uint_eq(h->probes[0].sites[0].address, 0);
	ck_assert_uint_eq(h->probes[0].sites[0].pc, PC(0x10));
	ck_assert_uint_eq(h->probes[0].semaphores[0].address, 0);
	ck_assert_int_eq(h->live[0].state, PROBES_UNKNOWN);
	ck_assert_uint_eq(h->live[0].ref_max, PROBES_NONE);
	ck_assert_str_eq(h->info.build_id, "01fe");
	object_probes_free(h);
	free(f.bytes);
}
END_TEST

START_TEST(object_probes_explains_an_empty_list)
{
	const struct elf_spec spec = {.text = (const unsigned char *)"x", .text_size = 1};
	struct elf_file f = elf_build(&spec);
	const struct probes_object info = {.path = "x"};
	struct probes_error e;
	struct object *file;
	struct object_probes *h;

	ck_assert_int_eq(object_read(elf_open(f.bytes, f.size), "x", &file, &e), 0);
	ck_assert_int_eq(object_probes_new(&info, file, "", true, &h, &e), 0);
	ck_assert_uint_eq(h->probe_count, 0);
	ck_assert_ptr_nonnull(strstr(h->info.why, "no probe notes"));
	object_probes_free(h);
	ck_assert_int_eq(object_probes_new(&info, NULL, "deleted", true, &h, &e), 0);
	ck_assert_str_eq(h->info.why, "deleted");
	object_probes_free(h);
	free(f.bytes);
}
END_TEST

/* If notes cannot be found, the reason does not claim that there are none. */
START_TEST(object_probes_explains_what_cannot_be_found)
{
	static const struct elf_note note = {PC(0x10), 0, 0, "sdt", "a", ""};
	static const char *const whys[] = {"section headers were stripped",
		"section headers make no sense", "notes are compressed"};

	for (size_t i = 0; i < sizeof whys / sizeof *whys; i++) {
		const struct elf_spec spec = {.notes = &note,
			.note_count = 1,
			.text = (const unsigned char *)"x",
			.text_size = 1,
			.no_sections = i == 0};
		struct elf_file f = elf_build(&spec);
		Elf64_Shdr *notes = (Elf64_Shdr *)(f.bytes + f.sections) + f.notes_section;
		const struct probes_object info = {.path = "x"};
		struct probes_error e;
		struct object *file;
		struct object_probes *h;

		if (i == 1)
			((Elf64_Ehdr *)f.bytes)->e_shstrndx = 0;
		if (i == 2)
			notes->sh_flags |= SHF_COMPRESSED;
		ck_assert_int_eq(object_read(elf_open(f.bytes, f.size), "x", &file, &e), 0);
		ck_assert_int_eq(object_probes_new(&info, file, "", true, &h, &e), 0);
		ck_assert_uint_eq(h->probe_count, 0);
		ck_assert_msg(strstr(h->info.why, whys[i]) != NULL, "%s", h->info.why);
		ck_assert_ptr_null(strstr(h->info.why, "built without"));
		object_probes_free(h);
		free(f.bytes);
	}
}
END_TEST

/* Moved by prelink, by an unknown distance (no section headers): never switched. */
START_TEST(object_probes_breaks_what_was_moved_unseen)
{
	for (int moved = 0; moved < 3; moved++) {
		const struct elf_note note = {
			ELF_TEXT, moved ? 0x900 : ELF_TEXT, ELF_DATA, "sdt", "a", ""};
		const struct elf_spec spec = {.notes = &note,
			.note_count = 1,
			.text = (const unsigned char *)"\x90",
			.text_size = 1,
			.data_size = 16,
			.base_section = 0x900,
			.note_segments = true,
			.no_sections = moved < 2};
		struct elf_file f = elf_build(&spec);
		const struct probes_object info = {.path = "x"};
		struct probes_error e;
		struct object *file;
		struct object_probes *h;

		ck_assert_int_eq(object_read(elf_open(f.bytes, f.size), "x", &file, &e), 0);
		ck_assert_int_eq(object_probes_new(&info, file, "", true, &h, &e), 0);
		ck_assert_uint_eq(h->probe_count, 1);
		if (moved == 1)
			ck_assert_msg(h->probes[0].broken && strstr(h->probes[0].broken, "prelink"),
				"it is trusted");
		else
			ck_assert_ptr_null(h->probes[0].broken);
		object_probes_free(h);
		free(f.bytes);
	}
}
END_TEST

/* A jump that was written alone, and that of another plan, whose first byte is the same. */
START_TEST(object_probes_tells_jumps_apart)
{
	struct object_jump punned = {.length = 1, .new_ = {0xe9, 0x48, 0x8d, 0x05, 0x49, 0x35}};
	struct object_jump evicted = {.length = 6, .new_ = {0xe9, 0xe9, 0x8d, 0x05, 0x49, 0x35}};
	uint8_t bytes[6];

	memcpy(bytes, punned.new_, sizeof bytes);
	ck_assert(object_probes_jumps(&punned, bytes, sizeof bytes));
	ck_assert(!object_probes_jumps(&evicted, bytes, sizeof bytes));
	bytes[5] = 0; /* no byte of its displacement */
	ck_assert(object_probes_jumps(&punned, bytes, sizeof bytes));
	bytes[2] = 0xcc; /* a debugger's */
	ck_assert(object_probes_jumps(&punned, bytes, sizeof bytes));
	memcpy(bytes, evicted.new_, sizeof bytes);
	ck_assert(object_probes_jumps(&evicted, bytes, sizeof bytes));
	ck_assert(!object_probes_jumps(&punned, bytes, sizeof bytes));
	ck_assert(!object_probes_jumps(&evicted, bytes, 5));
	/* Where another site begins, its jump may be. */
	punned.vary = 1 << 1;
	ck_assert(object_probes_jumps(&punned, bytes, sizeof bytes));
}
END_TEST

START_TEST(object_probes_found_by_index)
{
	static const struct elf_note two[] = {
		{PC(0x10), 0, 0, "sdt", "a", ""}, {PC(0x20), 0, 0, "sdt", "b", ""}};
	static const struct elf_note one[] = {{PC(0x30), 0, 0, "sdt", "c", ""}};
	struct world w;
	size_t local;

	world_begin(&w);
	world_prepare(&w, NULL, 0, 0x100);
	world_add(&w, "/empty", WORLD_BIAS);
	world_prepare(&w, two, 2, 0x100);
	world_add(&w, "/two", 2 * WORLD_BIAS);
	world_prepare(&w, NULL, 0, 0x100);
	world_add(&w, "/hollow", WORLD_BIAS / 2);
	world_prepare(&w, one, 1, 0x100);
	world_add(&w, "/one", WORLD_BIAS / 4);
	ck_assert_uint_eq(w.catalog.probe_count, 3);
	ck_assert_str_eq(catalog_find(&w.catalog, 0, &local)->path, "/two");
	ck_assert_uint_eq(local, 0);
	ck_assert_str_eq(catalog_find(&w.catalog, 1, &local)->path, "/two");
	ck_assert_uint_eq(local, 1);
	ck_assert_str_eq(catalog_find(&w.catalog, 2, &local)->path, "/one");
	ck_assert_uint_eq(local, 0);
	ck_assert_str_eq(catalog_probe(&w.catalog, 2)->name, "c");
	ck_assert_uint_eq(catalog_probe(&w.catalog, 2)->object, 3);
	world_end(&w);
}
END_TEST

/* 60,000 notes with one name and one address: n log n, not n². */
START_TEST(object_probes_of_many_equal_notes)
{
	enum { MANY = 60000 };
	struct elf_note *notes = calloc(MANY, sizeof *notes);
	struct world w;

	for (size_t i = 0; i < MANY; i++)
		notes[i] = (struct elf_note){PC(0x10 + 8 * (i % 2)), 0, SEM(0), "sdt", "same", ""};
	ck_assert_uint_eq(world_of(&w, notes, MANY)->probe_count, 1);
	ck_assert_uint_eq(world_at(&w, "same")->site_count, 2);
	ck_assert_uint_eq(world_at(&w, "same")->semaphore_count, 1);
	world_end(&w);
	free(notes);
}
END_TEST

Suite *object_probes_suite(void)
{
	Suite *s = suite_create("object_probes");
	TCase *t = tcase_create("object_probes");

	tcase_set_timeout(t, 30);
	tcase_add_test(t, object_probes_groups_and_sorts);
	tcase_add_test(t, object_probes_breaks_what_is_not_writable);
	tcase_add_test(t, object_probes_keeps_names_apart);
	tcase_add_test(t, object_probes_counts_of_ocaml_lie_behind);
	tcase_add_loop_test(t, object_probes_breaks_what_contradicts_itself, 0,
		sizeof object_probes_breaks / sizeof *object_probes_breaks);
	tcase_add_test(t, object_probes_looks_at_the_code_itself);
	tcase_add_test(t, object_probes_joins_shared_semaphores);
	tcase_add_test(t, object_probes_of_a_file_has_no_addresses);
	tcase_add_test(t, object_probes_explains_an_empty_list);
	tcase_add_test(t, object_probes_explains_what_cannot_be_found);
	tcase_add_test(t, object_probes_breaks_what_was_moved_unseen);
	tcase_add_test(t, object_probes_tells_jumps_apart);
	tcase_add_test(t, object_probes_found_by_index);
	tcase_add_test(t, object_probes_of_many_equal_notes);
	suite_add_tcase(s, t);
	return s;
}
