/*
 * Covers elf/object on files made in memory: what it finds, in which order, what it refuses and
 * why, files cut at every byte, sections that lie. Not covered: files of real compilers (e2e).
 */
#include "elf/object.h"

#include "elf_builder.h"
#include "suites.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char object_text[64] = {0x90, 0x3d, 1, 2, 3, 4, 0x90};
static const unsigned char object_id[20] = {0xab, 0xcd, 0xef, 1, 2, 3};

static const struct elf_note object_notes[] = {
	{ELF_TEXT + 0x30, 0x900, ELF_DATA + 2, "ocaml_1", "second", "8@%rax"},
	{ELF_TEXT + 0x28, 0x900, 0, "php", "first", ""},
	{0, 0x900, ELF_DATA + 4, "ocaml_2", "siteless", NULL},
	{ELF_TEXT + 0x28, 0x900, 0, "php", "first", "again"},
};

static const struct elf_spec object_usual = {.notes = object_notes,
	.note_count = 4,
	.base_section = 0x900,
	.text = object_text,
	.text_size = sizeof object_text,
	.data_size = 64,
	.build_id = object_id,
	.build_id_size = sizeof object_id,
	.interpreter = "/lib64/ld-linux-x86-64.so.2",
	.headers_segment = true};

static int object_load(const struct elf_file *f, struct object **o, struct probes_error *e)
{
	return object_read(elf_open(f->bytes, f->size), "test", o, e);
}

static struct object *object_must(const struct elf_file *f)
{
	struct object *o = NULL;
	struct probes_error e;

	ck_assert_int_eq(object_load(f, &o, &e), 0);
	return o;
}

static void object_must_refuse(const struct elf_file *f, const char *why)
{
	struct object *o = (struct object *)1;
	struct probes_error e = {0};

	ck_assert_int_lt(object_load(f, &o, &e), 0);
	ck_assert_int_eq(e.status, PROBES_NO_TARGET);
	ck_assert_msg(strstr(e.why, why) != NULL, "'%s' was expected in '%s'", why, e.why);
}

START_TEST(object_finds_everything)
{
	struct elf_file f = elf_build(&object_usual);
	struct object *o = object_must(&f);

	ck_assert_uint_eq(o->note_count, 4);
	ck_assert_uint_eq(o->note_malformed, 0);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(o->notes[i].pc, object_notes[i].pc);
		ck_assert_uint_eq(o->notes[i].semaphore, object_notes[i].semaphore);
		ck_assert_str_eq(o->notes[i].provider, object_notes[i].provider);
		ck_assert_str_eq(o->notes[i].name, object_notes[i].name);
	}
	ck_assert_str_eq(o->notes[2].arguments, "");
	ck_assert_str_eq(o->notes[3].arguments, "again");
	ck_assert_uint_eq(o->build_id_size, sizeof object_id);
	ck_assert_mem_eq(o->build_id, object_id, sizeof object_id);
	ck_assert_uint_eq(o->build_id_vaddr, ELF_TEXT + 16);
	ck_assert_str_eq(o->interpreter, object_usual.interpreter);
	ck_assert_uint_eq(o->headers_vaddr, 0x40);
	ck_assert(!o->fixed);
	ck_assert_uint_eq(o->segment_count, 2);
	ck_assert(o->segments[0].executable && !o->segments[0].writable);
	ck_assert(o->segments[1].writable && !o->segments[1].executable);
	object_free(o);
	free(f.bytes);
}
END_TEST

START_TEST(object_undoes_prelink)
{
	struct elf_spec spec = object_usual;
	struct elf_file f;
	struct object *o;

	spec.base_section = 0x950;
	f = elf_build(&spec);
	o = object_must(&f);
	ck_assert_uint_eq(o->notes[0].pc, object_notes[0].pc + 0x50);
	ck_assert_uint_eq(o->notes[0].semaphore, object_notes[0].semaphore + 0x50);
	ck_assert_uint_eq(o->notes[1].semaphore, 0);
	ck_assert_uint_eq(o->notes[2].pc, 0);
	object_free(o);
	free(f.bytes);
	spec.base_section = 0; /* no such section: nothing to compare with */
	f = elf_build(&spec);
	o = object_must(&f);
	ck_assert_uint_eq(o->notes[0].pc, object_notes[0].pc);
	object_free(o);
	free(f.bytes);
}
END_TEST

START_TEST(object_fixed_and_plain)
{
	const struct elf_spec plain = {.type = ET_EXEC, .text = object_text, .text_size = 8};
	struct elf_file f = elf_build(&plain);
	struct object *o = object_must(&f);

	ck_assert(o->fixed);
	ck_assert_uint_eq(o->note_count, 0);
	ck_assert_uint_eq(o->build_id_size, 0);
	ck_assert_ptr_null(o->interpreter);
	ck_assert_uint_eq(o->headers_vaddr, 0); /* no segment holds them */
	object_free(o);
	free(f.bytes);
}
END_TEST

/* Ways to lose the section headers of a file. */
static void object_strip_count(struct elf_file *f)
{
	Elf64_Ehdr *e = (Elf64_Ehdr *)f->bytes;

	e->e_shoff = 0;
	e->e_shnum = e->e_shstrndx = 0;
}

static void object_strip_names(struct elf_file *f)
{
	((Elf64_Ehdr *)f->bytes)->e_shstrndx = 0;
}

static void object_strip_table(struct elf_file *f)
{
	memset(f->bytes + f->sections, 0, f->size - f->sections);
}

static void object_strip_end(struct elf_file *f)
{
	f->size = f->sections + 65;
}

static const struct {
	void (*strip)(struct elf_file *f);
	enum object_sections sections;
	bool cut;
} object_strips[] = {
	{object_strip_count, OBJECT_SECTIONS_NONE, false},
	{object_strip_names, OBJECT_SECTIONS_BAD, false},
	{object_strip_table, OBJECT_SECTIONS_BAD, false},
	{object_strip_end, OBJECT_SECTIONS_BAD, true},
};

START_TEST(object_without_section_headers)
{
	for (size_t i = 0; i < sizeof object_strips / sizeof *object_strips; i++) {
		struct elf_file f = elf_build(&object_usual);
		struct object *o;

		object_strips[i].strip(&f);
		if (object_strips[i].cut) {
			object_must_refuse(&f, "cut short");
			free(f.bytes);
			continue;
		}
		o = object_must(&f);
		ck_assert_uint_eq(o->note_count, 0);
		ck_assert_uint_eq(o->note_malformed, 0);
		ck_assert_int_eq(o->sections, object_strips[i].sections);
		ck_assert_uint_eq(object_symbol(o, "nothing"), 0);
		object_free(o);
		free(f.bytes);
	}
}
END_TEST

/* Notes that are loaded have a segment: no section header is needed to find them. */
START_TEST(object_finds_notes_by_segments)
{
	struct elf_spec spec = object_usual;

	spec.note_segments = true;
	for (size_t i = 0; i < sizeof object_strips / sizeof *object_strips; i++) {
		struct elf_file f = elf_build(&spec);
		struct object *o;

		object_strips[i].strip(&f);
		o = object_must(&f);
		ck_assert_uint_eq(o->note_count, 4);
		ck_assert_uint_eq(o->note_malformed, 0);
		ck_assert_str_eq(o->notes[0].name, "second");
		ck_assert_uint_eq(o->notes[0].pc, object_notes[0].pc);
		ck_assert_int_eq(o->sections, object_strips[i].sections);
		ck_assert_uint_eq(o->build_id_size, sizeof object_id);
		ck_assert_mem_eq(o->build_id, object_id, sizeof object_id);
		ck_assert_uint_eq(o->build_id_vaddr, ELF_TEXT + 16);
		object_free(o);
		free(f.bytes);
	}
}
END_TEST

/* Where both are there a note counts once, and prelink is undone. */
START_TEST(object_counts_notes_once)
{
	struct elf_spec spec = object_usual;
	struct elf_file f;
	struct object *o;

	spec.note_segments = true;
	spec.base_section = 0x950;
	f = elf_build(&spec);
	o = object_must(&f);
	ck_assert_uint_eq(o->note_count, 4);
	ck_assert_uint_eq(o->notes[0].pc, object_notes[0].pc + 0x50);
	ck_assert_int_eq(o->sections, OBJECT_SECTIONS_READ);
	object_free(o);
	free(f.bytes);
}
END_TEST

/* A linker script may have put them into a section of another name: prelink is undone as well. */
START_TEST(object_finds_notes_of_another_section)
{
	struct elf_spec spec = object_usual;
	struct elf_file f;
	struct object *o;
	Elf64_Shdr *section;

	spec.note_segments = true;
	spec.base_section = 0x950;
	f = elf_build(&spec);
	section = (Elf64_Shdr *)(f.bytes + f.sections) + f.notes_section;
	section->sh_name += 5; /* ".note.stapsdt": ".stapsdt" */
	o = object_must(&f);
	ck_assert_uint_eq(o->note_count, 4);
	ck_assert_uint_eq(o->note_malformed, 0);
	ck_assert_uint_eq(o->notes[0].pc, object_notes[0].pc + 0x50);
	object_free(o);
	free(f.bytes);
}
END_TEST

/* Segments of notes that lie, and those of others, which are none of ours. */
START_TEST(object_note_segments_lie)
{
	static const struct {
		uint64_t offset_add, size, align;
	} lies[] = {{0, UINT64_MAX, 4}, {1ULL << 40, 16, 4}, {UINT64_MAX, 16, 4}, {0, 11, 4},
		{0, 0, 4}, {4, 64, 8}, {1, 60, 1ULL << 63}};
	struct elf_spec spec = object_usual;

	spec.note_segments = true;
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		struct elf_file f = elf_build(&spec);
		Elf64_Ehdr *e = (Elf64_Ehdr *)f.bytes;
		Elf64_Phdr *p = (Elf64_Phdr *)(f.bytes + e->e_phoff);
		struct object *o;

		object_strip_count(&f);
		for (unsigned k = 0; k < e->e_phnum; k++) {
			if (p[k].p_type != PT_NOTE)
				continue;
			p[k].p_offset += lies[i].offset_add;
			p[k].p_filesz = lies[i].size;
			p[k].p_align = lies[i].align;
		}
		o = object_must(&f);
		ck_assert_uint_lt(o->note_count, 4);
		object_free(o);
		free(f.bytes);
	}
}
END_TEST

START_TEST(object_refuses_other_files)
{
	static const struct {
		size_t at;
		unsigned char byte;
		const char *why;
	} lies[] = {
		{0, 'X', "not an ELF file"},
		{EI_CLASS, ELFCLASS32, "another machine"},
		{EI_DATA, ELFDATA2MSB, "another machine"},
		{18, EM_AARCH64, "another machine"},
		{16, ET_REL, "never linked"},
		{16, ET_CORE, "core dump"},
		{16, ET_NONE, "neither a program nor"},
		{56, 0, "no program headers"},
	};
	const size_t i = (size_t)_i;
	struct elf_file f = elf_build(&object_usual);

	ck_assert_uint_lt(i, sizeof lies / sizeof *lies);
	f.bytes[lies[i].at] = lies[i].byte;
	if (lies[i].at == EI_CLASS || lies[i].at == EI_DATA) {
		struct probes_error e = {0};
		struct object *o;

		/* libelf itself may find it senseless. */
		ck_assert_int_lt(object_load(&f, &o, &e), 0);
		ck_assert_int_eq(e.status, PROBES_NO_TARGET);
	} else {
		object_must_refuse(&f, lies[i].why);
	}
	free(f.bytes);
}
END_TEST

START_TEST(object_refuses_what_is_no_file_of_this_kind)
{
	struct elf_file empty = {.bytes = (unsigned char *)"", .size = 0};
	struct elf_file script = {.bytes = (unsigned char *)"#!/bin/sh\n", .size = 10};
	struct elf_file archive = {.bytes = (unsigned char *)"!<arch>\n", .size = 8};

	object_must_refuse(&empty, "");
	object_must_refuse(&script, "not an ELF file");
	object_must_refuse(&archive, "not an ELF file");
}
END_TEST

START_TEST(object_closes_its_descriptor)
{
	struct elf_file f = elf_build(&object_usual);
	int fd = elf_open(f.bytes, f.size);
	struct probes_error e;
	struct object *o;

	ck_assert_int_eq(object_read(fd, "test", &o, &e), 0);
	object_free(o);
	ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
	fd = elf_open("not ELF", 7);
	ck_assert_int_lt(object_read(fd, "test", &o, &e), 0);
	ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
	object_free(NULL);
	free(f.bytes);
}
END_TEST

/* A file cut anywhere is refused (its section headers come last), and never read wild. */
START_TEST(object_cut_at_every_byte)
{
	struct elf_file f = elf_build(&object_usual);

	for (size_t size = 0; size < f.size; size++) {
		struct object *o = NULL;
		struct probes_error e = {0};

		ck_assert_int_lt(object_read(elf_open(f.bytes, size), "test", &o, &e), 0);
		ck_assert_int_eq(e.status, PROBES_NO_TARGET);
		ck_assert_int_ne(e.why[0], '\0');
	}
	free(f.bytes);
}
END_TEST

/* Every byte of the headers and notes, spoilt in several ways: anything but a crash will do. */
START_TEST(object_spoilt_at_every_byte)
{
	static const unsigned char spoils[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	struct elf_file f = elf_build(&object_usual);

	for (size_t at = 0; at < f.size; at++) {
		unsigned char own = f.bytes[at];
		struct object *o = NULL;
		struct probes_error e;

		f.bytes[at] = spoils[((size_t)_i) % sizeof spoils];
		if (object_load(&f, &o, &e) == 0) {
			for (size_t i = 0; i < o->note_count; i++) {
				ck_assert_uint_gt(strlen(o->notes[i].provider), 0);
				ck_assert_uint_gt(strlen(o->notes[i].name), 0);
				ck_assert_uint_lt(strlen(o->notes[i].arguments), f.size);
			}
			object_symbol(o, "nothing");
			object_free(o);
		}
		f.bytes[at] = own;
	}
	free(f.bytes);
}
END_TEST

static Elf64_Shdr *object_notes_section(struct elf_file *f)
{
	return (Elf64_Shdr *)(f->bytes + f->sections) + f->notes_section;
}

START_TEST(object_note_section_lies)
{
	static const struct {
		uint64_t offset_add, size;
		bool counted; /* else it happens to look like notes of others */
	} lies[] = {
		{0, UINT64_MAX, true},
		{0, 1ULL << 40, true},
		{1ULL << 40, 16, true},
		{UINT64_MAX, 16, false},
		{0, 11, true},
		{4, 64, false},
		{0, 1, true},
	};

	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		struct elf_file f = elf_build(&object_usual);
		Elf64_Shdr *section = object_notes_section(&f);
		struct object *o = NULL;
		struct probes_error e;

		section->sh_offset += lies[i].offset_add;
		section->sh_size = lies[i].size;
		if (object_load(&f, &o, &e) == 0) {
			ck_assert_uint_lt(o->note_count, 4);
			if (lies[i].counted)
				ck_assert_uint_ge(o->note_malformed, 1);
			object_free(o);
		}
		free(f.bytes);
	}
}
END_TEST

/* Notes that would have to be unpacked first are not read. */
START_TEST(object_notes_compressed)
{
	struct elf_file f = elf_build(&object_usual);
	struct object *o;

	object_notes_section(&f)->sh_flags |= SHF_COMPRESSED;
	o = object_must(&f);
	ck_assert_uint_eq(o->note_count, 0);
	ck_assert_uint_eq(o->note_malformed, 1);
	ck_assert(o->notes_compressed);
	object_free(o);
	free(f.bytes);
}
END_TEST

/* The first note claims more than there is; then one is senseless and the next is fine. */
START_TEST(object_notes_that_make_no_sense)
{
	struct elf_file f = elf_build(&object_usual);
	Elf64_Nhdr *first = (Elf64_Nhdr *)(f.bytes + f.notes);
	uint32_t own = first->n_descsz;
	struct object *o;

	first->n_descsz = UINT32_MAX;
	o = object_must(&f);
	ck_assert_uint_eq(o->note_count, 0);
	ck_assert_uint_ge(o->note_malformed, 1);
	object_free(o);
	first->n_descsz = own;
	first->n_type = 4; /* of another kind: not ours, not malformed */
	o = object_must(&f);
	ck_assert_uint_eq(o->note_count, 3);
	ck_assert_uint_eq(o->note_malformed, 0);
	object_free(o);
	first->n_type = NOTE_TYPE;
	memset((char *)(first + 1) + 8, 0xff, own); /* no NUL is left in it */
	o = object_must(&f);
	ck_assert_uint_eq(o->note_count, 3);
	ck_assert_uint_eq(o->note_malformed, 1);
	ck_assert_str_eq(o->notes[0].name, "first");
	object_free(o);
	free(f.bytes);
}
END_TEST

START_TEST(object_segment_at_its_edges)
{
	struct elf_file f = elf_build(&object_usual);
	struct object *o = object_must(&f);
	const struct object_segment *text = &o->segments[0], *data = &o->segments[1];
	uint64_t end = text->vaddr + text->memsz;

	ck_assert_ptr_eq(object_segment_at(o, text->vaddr, 1), text);
	ck_assert_ptr_eq(object_segment_at(o, end - 6, 6), text);
	ck_assert_ptr_null(object_segment_at(o, end - 5, 6));
	ck_assert_ptr_null(object_segment_at(o, end, 1));
	ck_assert_ptr_null(object_segment_at(o, text->vaddr - 1, 2));
	ck_assert_ptr_eq(object_segment_at(o, ELF_DATA + 62, 2), data);
	ck_assert_ptr_null(object_segment_at(o, ELF_DATA + 63, 2));
	ck_assert_ptr_null(object_segment_at(o, UINT64_MAX, 2));
	ck_assert_ptr_null(object_segment_at(o, text->vaddr, UINT64_MAX));
	object_free(o);
	free(f.bytes);
}
END_TEST

START_TEST(object_reads_spans_of_its_file)
{
	struct elf_file f = elf_build(&object_usual);
	struct object *o = object_must(&f);
	uint64_t text = ELF_TEXT + 36, end = ELF_TEXT + o->segments[0].filesz;
	unsigned char buffer[64];
	struct spans spans;

	spans_init(&spans, 0, 100);
	ck_assert_uint_eq(spans_add(&spans, 0x10, 4), 0); /* in no segment */
	ck_assert_uint_eq(spans_add(&spans, text, 6), 4);
	ck_assert_uint_eq(spans_add(&spans, end - 2, 6), 10);  /* runs out of the file */
	ck_assert_uint_eq(spans_add(&spans, ELF_DATA, 2), 16); /* memory only: not in the file */
	object_read_spans(o, &spans, buffer);
	ck_assert_uint_eq(spans_got(&spans, 0, 4), 0);
	ck_assert_uint_eq(spans_got(&spans, 4, 6), 6);
	ck_assert_mem_eq(buffer + 4, object_text, 6);
	ck_assert_uint_eq(spans_got(&spans, 10, 6), 2);
	ck_assert_uint_eq(spans_got(&spans, 16, 2), 0);
	spans_done(&spans);
	object_free(o);
	free(f.bytes);
}
END_TEST

/* Two segments that touch: what was merged into one span is read from both. */
START_TEST(object_reads_across_segments)
{
	struct elf_spec spec = object_usual;
	struct elf_file f;
	struct object *o;
	unsigned char buffer[64];
	struct spans spans;

	spec.split = 36 + 20; /* behind the build-id: in the middle of the text */
	f = elf_build(&spec);
	o = object_must(&f);
	ck_assert_uint_eq(o->segment_count, 3);
	spans_init(&spans, 4096, 1 << 20);
	ck_assert_uint_eq(spans_add(&spans, ELF_TEXT + 36, 6), 0);
	ck_assert_uint_eq(spans_add(&spans, ELF_TEXT + 36 + 17, 6), 17);
	ck_assert_uint_eq(spans_add(&spans, ELF_TEXT + 36 + 30, 6), 30);
	object_read_spans(o, &spans, buffer);
	ck_assert_uint_eq(spans_got(&spans, 0, 36), 36);
	ck_assert_mem_eq(buffer, object_text, 36);
	spans_done(&spans);
	object_free(o);
	free(f.bytes);
}
END_TEST

Suite *object_suite(void)
{
	Suite *s = suite_create("object");
	TCase *t = tcase_create("object"), *slow = tcase_create("hostile");

	tcase_add_test(t, object_finds_everything);
	tcase_add_test(t, object_undoes_prelink);
	tcase_add_test(t, object_fixed_and_plain);
	tcase_add_test(t, object_without_section_headers);
	tcase_add_test(t, object_finds_notes_by_segments);
	tcase_add_test(t, object_counts_notes_once);
	tcase_add_test(t, object_finds_notes_of_another_section);
	tcase_add_test(t, object_note_segments_lie);
	tcase_add_loop_test(t, object_refuses_other_files, 0, 8);
	tcase_add_test(t, object_refuses_what_is_no_file_of_this_kind);
	tcase_add_test(t, object_closes_its_descriptor);
	tcase_add_test(t, object_note_section_lies);
	tcase_add_test(t, object_notes_compressed);
	tcase_add_test(t, object_notes_that_make_no_sense);
	tcase_add_test(t, object_segment_at_its_edges);
	tcase_add_test(t, object_reads_spans_of_its_file);
	tcase_add_test(t, object_reads_across_segments);
	suite_add_tcase(s, t);
	tcase_set_timeout(slow, 60);
	tcase_add_test(slow, object_cut_at_every_byte);
	tcase_add_loop_test(slow, object_spoilt_at_every_byte, 0, 5);
	suite_add_tcase(s, slow);
	return s;
}
