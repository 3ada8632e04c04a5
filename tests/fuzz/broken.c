/*
 * Writes ELF files that are broken in one way each, and named after it:
 *
 *   broken FOLDER
 *
 * A file that must be refused is called no-*, one that must be listed (some of it may be left out)
 * is called yes-*, and any-* where both will do.
 */
#include "tests/unit/elf_builder.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *folder;

/* One sound file, to be spoilt, and what a spoiler wants of it. */
struct victim {
	struct elf_file file;
	Elf64_Ehdr *header;
	Elf64_Phdr *segments;
	Elf64_Shdr *sections, *notes, *names;
	Elf64_Nhdr *note; /* the first */
	char *descriptor; /* its */
};

static void need(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "broken: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct victim sound(void)
{
	static const unsigned char text[] = {0x90, 0x3d, 1, 2, 3, 4, 0x90, 0x90};
	static const unsigned char id[20] = {1, 2, 3};
	static const struct elf_note notes[] = {
		{ELF_TEXT + 36, 0x2000, ELF_DATA, "ocaml_2", "one", "8@%rdi"},
		{0, 0x2000, ELF_DATA + 4, "ocaml_2", "two", ""},
		{ELF_TEXT + 42, 0x2000, 0, "sdt", "three", "-4@%eax 8@16(%rsp)"}};
	struct victim v = {.file = elf_build(&(struct elf_spec){.notes = notes,
				   .note_count = 3,
				   .base_section = 0x2000,
				   .text = text,
				   .text_size = sizeof text,
				   .data_size = 16,
				   .build_id = id,
				   .build_id_size = sizeof id})};

	v.header = (void *)v.file.bytes;
	v.segments = (void *)(v.file.bytes + v.header->e_phoff);
	v.sections = (void *)(v.file.bytes + v.file.sections);
	v.notes = v.sections + v.file.notes_section;
	v.names = v.sections + v.header->e_shstrndx;
	v.note = (void *)(v.file.bytes + v.file.notes);
	v.descriptor = (char *)(v.note + 1) + 8;
	return v;
}

static int create(const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	need(fd >= 0, path);
	return fd;
}

static void put(const char *name, const void *bytes, size_t size)
{
	int fd = create(name);

	need(write(fd, bytes, size) == (ssize_t)size && close(fd) == 0, name);
}

/* ---- cut short ---- */

static void cut(void)
{
	struct victim v = sound();
	const size_t at[] = {0, 1, 4, 16, 63, 64, 64 + 55, 64 + 56, v.file.text, v.file.text + 1,
		v.file.notes, v.file.notes + 11, v.file.notes + 12, v.file.notes + 20 + 23,
		v.file.names, v.file.names + 1, v.file.sections, v.file.sections + 63,
		v.file.sections + 64, v.file.size - 64, v.file.size - 1};

	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		char name[40];

		snprintf(name, sizeof name, "no-cut-%zu", at[i]);
		put(name, v.file.bytes, at[i]);
	}
	free(v.file.bytes);
}

/* ---- spoilt ---- */

/* Where a field lies that is overwritten. */
enum part { HEADER, FIRST_SECTION, ID, BASE, NOTES, NAMES, LOAD, SECOND_LOAD, NOTE, BODY, ID_NOTE };

#define OF(part, type, field) part, offsetof(type, field), sizeof((type *)NULL)->field
#define OF_HEADER(field) OF(HEADER, Elf64_Ehdr, field)
#define OF_SECTION(part, field) OF(part, Elf64_Shdr, field)
#define OF_SEGMENT(part, field) OF(part, Elf64_Phdr, field)
#define OF_IDENT(index) HEADER, index, 1

/* One field, or two. */
static const struct {
	const char *name;
	struct {
		enum part part;
		size_t offset, size;
		uint64_t value;
	} pokes[2];
} spoilt[] = {
	{"any-sections-beyond", {{OF_HEADER(e_shoff), 1 << 20}}},
	{"no-sections-far", {{OF_HEADER(e_shoff), 1ULL << 40}}},
	{"no-sections-wrap", {{OF_HEADER(e_shoff), UINT64_MAX - 63}}},
	{"no-sections-none", {{OF_HEADER(e_shoff), 0}}},
	{"no-sections-too-many", {{OF_HEADER(e_shnum), 0xfeff}}},
	{"any-sections-tiny-entries", {{OF_HEADER(e_shentsize), 1}}},
	{"no-sections-2-to-32",
		{{OF_HEADER(e_shnum), 0}, {OF_SECTION(FIRST_SECTION, sh_size), 1ULL << 32}}},
	{"no-sections-2-to-58",
		{{OF_HEADER(e_shnum), 0}, {OF_SECTION(FIRST_SECTION, sh_size), 1ULL << 58}}},
	{"no-sections-all",
		{{OF_HEADER(e_shnum), 0}, {OF_SECTION(FIRST_SECTION, sh_size), UINT64_MAX}}},
	{"no-names-index-beyond", {{OF_HEADER(e_shstrndx), 0xfe00}}},
	{"no-names-index-escaped",
		{{OF_HEADER(e_shstrndx), SHN_XINDEX}, {OF_SECTION(FIRST_SECTION, sh_link), ~0U}}},
	{"no-names-index-0", {{OF_HEADER(e_shstrndx), 0}}},
	{"no-names-are-notes", {{OF_HEADER(e_shstrndx), 3}}},
	{"no-names-huge", {{OF_SECTION(NAMES, sh_size), 1ULL << 32}}},
	{"no-names-beyond", {{OF_SECTION(NOTES, sh_name), 0xffffff00}}},
	{"no-names-unended", {{OF_SECTION(NAMES, sh_size), 15}}},
	{"any-names-compressed", {{OF_SECTION(NAMES, sh_flags), SHF_COMPRESSED}}},
	{"yes-links-to-itself", {{OF_SECTION(NOTES, sh_link), 3}}},
	{"yes-symbols-of-themselves",
		{{OF_SECTION(ID, sh_type), SHT_DYNSYM}, {OF_SECTION(ID, sh_link), 1}}},
	{"no-notes-4-gib", {{OF_SECTION(NOTES, sh_size), 1ULL << 32}}},
	{"no-notes-all", {{OF_SECTION(NOTES, sh_size), UINT64_MAX}}},
	{"no-notes-wrap", {{OF_SECTION(NOTES, sh_offset), UINT64_MAX - 3}}},
	{"no-notes-none", {{OF_SECTION(NOTES, sh_size), 0}}},
	{"no-notes-nowhere", {{OF_SECTION(NOTES, sh_type), SHT_NOBITS}}},
	{"any-notes-are-all",
		{{OF_SECTION(NOTES, sh_offset), 0}, {OF_SECTION(NOTES, sh_size), 500}}},
	{"any-notes-aligned-oddly", {{OF_SECTION(NOTES, sh_addralign), 3}}},
	{"any-notes-aligned-hugely", {{OF_SECTION(NOTES, sh_addralign), 1ULL << 63}}},
	{"any-note-name-0", {{OF(NOTE, Elf64_Nhdr, n_namesz), 0}}},
	{"no-note-name-huge", {{OF(NOTE, Elf64_Nhdr, n_namesz), UINT32_MAX}}},
	{"any-note-body-0", {{OF(NOTE, Elf64_Nhdr, n_descsz), 0}}},
	{"any-note-body-23", {{OF(NOTE, Elf64_Nhdr, n_descsz), 23}}},
	{"no-note-body-huge", {{OF(NOTE, Elf64_Nhdr, n_descsz), UINT32_MAX}}},
	{"any-note-both-huge", {{OF(NOTE, Elf64_Nhdr, n_namesz), UINT32_MAX - 2},
				       {OF(NOTE, Elf64_Nhdr, n_descsz), UINT32_MAX - 2}}},
	{"any-note-reaches-into-next", {{OF(NOTE, Elf64_Nhdr, n_descsz), 70}}},
	{"yes-site-outside", {{BODY, 0, 8, 0xeeeeeeeeeeee}}},
	{"yes-site-last-address", {{BODY, 0, 8, UINT64_MAX}}},
	{"yes-site-in-data", {{BODY, 0, 8, ELF_DATA}}},
	{"yes-semaphore-outside", {{BODY, 16, 8, 0xeeeeeeeeeeee}}},
	{"yes-semaphore-last-address", {{BODY, 16, 8, UINT64_MAX}}},
	{"yes-semaphore-in-code", {{BODY, 16, 8, ELF_TEXT + 36}}},
	{"yes-base-odd", {{OF_SECTION(BASE, sh_addr), 0x1fff}}},
	{"yes-base-last-address", {{OF_SECTION(BASE, sh_addr), UINT64_MAX}}},
	{"yes-base-compressed", {{OF_SECTION(BASE, sh_flags), SHF_COMPRESSED}}},
	{"yes-id-0", {{OF(ID_NOTE, Elf64_Nhdr, n_descsz), 0}}},
	{"yes-id-huge", {{OF(ID_NOTE, Elf64_Nhdr, n_descsz), UINT32_MAX}}},
	{"no-other-aarch64", {{OF_HEADER(e_machine), EM_AARCH64}}},
	{"no-other-386", {{OF_HEADER(e_machine), EM_386}}},
	{"no-other-0", {{OF_HEADER(e_machine), 0}}},
	{"no-other-65535", {{OF_HEADER(e_machine), 0xffff}}},
	{"no-other-class-32", {{OF_IDENT(EI_CLASS), ELFCLASS32}}},
	{"no-other-class-0", {{OF_IDENT(EI_CLASS), 0}}},
	{"no-other-big-endian", {{OF_IDENT(EI_DATA), ELFDATA2MSB}}},
	{"any-other-version", {{OF_IDENT(EI_VERSION), 77}}},
	{"no-other-object", {{OF_HEADER(e_type), ET_REL}}},
	{"no-other-core", {{OF_HEADER(e_type), ET_CORE}}},
	{"no-segments-none", {{OF_HEADER(e_phnum), 0}}},
	{"any-segments-beyond", {{OF_HEADER(e_phoff), 1 << 20}}},
	{"any-segments-wrap", {{OF_HEADER(e_phoff), UINT64_MAX - 7}}},
	{"any-segments-too-many", {{OF_HEADER(e_phnum), 0xfffe}}},
	{"any-segments-escaped",
		{{OF_HEADER(e_phnum), PN_XNUM}, {OF_SECTION(FIRST_SECTION, sh_info), ~0U}}},
	{"any-segments-tiny-entries", {{OF_HEADER(e_phentsize), 1}}},
	{"yes-segment-outside", {{OF_SEGMENT(LOAD, p_offset), 1ULL << 50}}},
	{"yes-segment-huge", {{OF_SEGMENT(LOAD, p_filesz), UINT64_MAX},
				     {OF_SEGMENT(LOAD, p_memsz), UINT64_MAX}}},
	{"yes-segment-smaller-in-memory", {{OF_SEGMENT(LOAD, p_memsz), 1}}},
	{"yes-segment-wraps", {{OF_SEGMENT(LOAD, p_vaddr), UINT64_MAX - 10}}},
	{"yes-interpreter-outside", {{OF_SEGMENT(SECOND_LOAD, p_type), PT_INTERP},
					    {OF_SEGMENT(SECOND_LOAD, p_offset), 1ULL << 62}}},
	{"yes-headers-outside", {{OF_SEGMENT(SECOND_LOAD, p_type), PT_PHDR},
					{OF_SEGMENT(SECOND_LOAD, p_vaddr), UINT64_MAX}}},
};

static unsigned char *part_of(struct victim *v, enum part part)
{
	switch (part) {
	case HEADER:
		return (void *)v->header;
	case FIRST_SECTION:
		return (void *)v->sections;
	case ID:
		return (void *)(v->sections + 1);
	case BASE:
		return (void *)(v->sections + 2);
	case NOTES:
		return (void *)v->notes;
	case NAMES:
		return (void *)v->names;
	case LOAD:
		return (void *)v->segments;
	case SECOND_LOAD:
		return (void *)(v->segments + 1);
	case NOTE:
		return (void *)v->note;
	case BODY:
		return (void *)v->descriptor;
	default:
		return v->file.bytes + v->file.text;
	}
}

static void spoil(void)
{
	for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
		struct victim v = sound();

		for (size_t k = 0; k < 2 && spoilt[i].pokes[k].size; k++)
			memcpy(part_of(&v, spoilt[i].pokes[k].part) + spoilt[i].pokes[k].offset,
				&spoilt[i].pokes[k].value, spoilt[i].pokes[k].size);
		put(spoilt[i].name, v.file.bytes, v.file.size);
		free(v.file.bytes);
	}
}

/* ---- spoilt in more than a field ---- */

static void put_text(const char *name, const char *text, size_t size)
{
	struct victim v = sound();

	memcpy(v.descriptor + 24, text, size);
	put(name, v.file.bytes, v.file.size);
	free(v.file.bytes);
}

static void spoil_texts(void)
{
	char same[64];
	struct victim v = sound();
	size_t size = v.note->n_descsz - 24;

	free(v.file.bytes);
	memset(same, 'x', sizeof same);
	put_text("yes-note-without-nul", same, size);
	memset(same, 0, sizeof same);
	put_text("yes-note-without-name", same, size);
	put_text("yes-note-controls", "\033]0;\a\r\n\0\033[2", 12);
	put_text("yes-note-not-utf8", "\377\376\200\302\0\355\240\200", 9);
	put_text("yes-note-bidi", "\342\200\256x\0\302\233m", 9);
}

static void spoil_tables(void)
{
	struct victim v = sound();

	for (unsigned i = 1; i < v.file.section_count; i++)
		v.sections[i].sh_link = v.sections[i].sh_info = i % (v.file.section_count - 1) + 1;
	put("yes-links-in-a-ring", v.file.bytes, v.file.size);
	v.sections[1] = *v.notes;
	put("yes-notes-overlap", v.file.bytes, v.file.size);
	v.segments[1] = v.segments[0];
	put("yes-segments-same", v.file.bytes, v.file.size);
	v.segments[1].p_vaddr += 3;
	put("yes-segments-overlap", v.file.bytes, v.file.size);
	memcpy(v.note, &(Elf64_Chdr){ELFCOMPRESS_ZLIB, 0, 1ULL << 40, 1}, sizeof(Elf64_Chdr));
	v.notes->sh_flags |= SHF_COMPRESSED;
	put("any-compressed-lie", v.file.bytes, v.file.size);
	free(v.file.bytes);
}

/* ---- without section headers ---- */

static void strip(void)
{
	struct victim v = sound();

	memset(v.sections, 0, v.file.size - v.file.sections);
	put("no-sections-zeroed", v.file.bytes, v.file.size);
	v.header->e_shoff = 0;
	v.header->e_shnum = v.header->e_shstrndx = 0;
	put("no-sections-stripped", v.file.bytes, v.file.size);
	v.segments[1] = (Elf64_Phdr){.p_type = PT_NOTE,
		.p_offset = v.file.notes,
		.p_filesz = v.file.notes_size,
		.p_align = 4};
	put("yes-notes-by-segment", v.file.bytes, v.file.size);
	v.segments[1].p_filesz = UINT64_MAX;
	put("no-notes-by-segment-all", v.file.bytes, v.file.size);
	v.segments[1].p_filesz = 1 << 20;
	put("no-notes-by-segment-beyond", v.file.bytes, v.file.size);
	v.segments[1].p_filesz = v.file.notes_size;
	v.note->n_descsz = UINT32_MAX;
	put("no-notes-by-segment-huge", v.file.bytes, v.file.size);
	free(v.file.bytes);
}

/* ---- large, though they take no room on disk ---- */

/* The sound file with one part of it moved behind a hole. */
static void put_sparse(
	const char *name, struct victim *v, uint64_t at, const void *bytes, size_t size)
{
	int fd = create(name);

	need(write(fd, v->file.bytes, v->file.size) == (ssize_t)v->file.size, name);
	need(pwrite(fd, bytes, size, (off_t)at) == (ssize_t)size && close(fd) == 0, name);
}

/* All that it says is true: its file is that long. */
static void sparse(void)
{
	struct victim v = sound();

	v.notes->sh_size = 1ULL << 32;
	put_sparse("no-sparse-notes", &v, 1ULL << 33, "", 1);
	free(v.file.bytes);
	v = sound();
	v.header->e_shnum = 0;
	v.sections[0].sh_size = 1ULL << 26;
	put_sparse("no-sparse-sections", &v, 1ULL << 33, "", 1);
	free(v.file.bytes);
	v = sound();
	v.names->sh_size = 1ULL << 32;
	put_sparse("no-sparse-names", &v, 1ULL << 33, "", 1);
	free(v.file.bytes);
}

/* One section of a megabyte of notes, said 30,000 times: 30 GB, if all were taken. */
static void repeated(void)
{
	enum { SECTIONS = 30000, BYTES = 1 << 20 };
	struct victim v = sound();
	size_t names = v.header->e_shstrndx;
	unsigned char *notes = calloc(1, BYTES);
	Elf64_Shdr *sections = calloc(SECTIONS, sizeof *sections);
	int fd = create("any-repeated-notes");

	need(notes && sections, "memory");
	for (size_t at = 0; at + v.file.notes_size <= BYTES; at += v.file.notes_size)
		memcpy(notes + at, v.file.bytes + v.file.notes, v.file.notes_size);
	v.notes->sh_offset = 1 << 20;
	v.notes->sh_size = BYTES / v.file.notes_size * v.file.notes_size;
	memcpy(sections, v.sections, v.file.section_count * sizeof *sections);
	for (size_t i = names + 1; i < SECTIONS; i++)
		sections[i] = *v.notes;
	v.header->e_shoff = 2 << 20;
	v.header->e_shnum = SECTIONS;
	need(pwrite(fd, v.file.bytes, v.file.size, 0) == (ssize_t)v.file.size, "notes");
	need(pwrite(fd, notes, BYTES, 1 << 20) == BYTES, "notes");
	need(pwrite(fd, sections, SECTIONS * sizeof *sections, 2 << 20) ==
			(ssize_t)(SECTIONS * sizeof *sections),
		"notes");
	close(fd);
	free(sections);
	free(notes);
	free(v.file.bytes);
}

int main(int argc, char **argv)
{
	struct victim v;

	if (argc != 2) {
		fprintf(stderr, "usage: broken FOLDER\n");
		return 2;
	}
	folder = argv[1];
	v = sound();
	put("yes-sound", v.file.bytes, v.file.size);
	free(v.file.bytes);
	cut();
	spoil();
	spoil_texts();
	spoil_tables();
	strip();
	sparse();
	repeated();
	return 0;
}
