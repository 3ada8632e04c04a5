/*
 * Small ELF files made in memory, for tests of what reads them. Every offset and size is known
 * to the test, so that it can make the file lie. Without libcheck: the seeds of tests/fuzz are made
 * by it, too.
 */
#ifndef UNIT_ELF_BUILDER_H
#define UNIT_ELF_BUILDER_H

#include "base/array.h"

#include <stdint.h>

#define ELF_TEXT 0x1000   /* vaddr of the executable segment */
#define ELF_DATA 0x400000 /* vaddr of the writable segment */

struct elf_note {
	uint64_t pc, base, semaphore;
	const char *provider, *name, *arguments; /* arguments NULL: not even their NUL */
};

struct elf_spec {
	const struct elf_note *notes;
	size_t note_count;
	uint64_t base_section; /* address of .stapsdt.base; 0: there is no such section */
	const unsigned char *text;
	size_t text_size;
	size_t data_size; /* in memory; the file holds zeros */
	const unsigned char *build_id;
	size_t build_id_size;
	const char *interpreter;
	const void *debugdata; /* of .gnu_debugdata */
	size_t debugdata_size;
	const char *debuglink; /* the name of a file with its debug information */
	int type;              /* ET_DYN unless set */
	bool no_sections;
	bool note_segments;   /* PT_NOTE, one each for the build-id and the probes' notes */
	bool headers_segment; /* PT_PHDR */
	size_t relro;         /* PT_GNU_RELRO: so many bytes from the start of the data */
	size_t split;         /* cut the executable segment in two at this offset of it; 0: not */
};

struct elf_file {
	unsigned char *bytes;
	size_t size;
	/* where things lie, as offsets in the file */
	size_t text, data, build_id, notes, notes_size, names, sections;
	unsigned section_count, notes_section; /* index of .note.stapsdt */
};

/* Build one; its bytes are the test's (free). Aborts when there is no memory. */
struct elf_file elf_build(const struct elf_spec *spec);

/* A descriptor of a file in memory that holds these bytes. */
int elf_open(const void *bytes, size_t size);

/* Append a note with any descriptor to raw section bytes; every length may lie. */
void elf_put_note(struct array *to, const char *owner, size_t owner_size, uint32_t type,
	const void *descriptor, size_t size);

/* A stapsdt descriptor, appended to raw bytes. */
void elf_put_descriptor(struct array *to, const struct elf_note *note);

/* Append raw bytes. */
void elf_put(struct array *to, const void *bytes, size_t size);

#endif
