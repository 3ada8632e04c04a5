/*
 * The sections of an ELF file through libelf, which trusts the sizes in a file: so this module
 * checks the headers before libelf sees the file, and each section before it is read.
 */
#pragma once

#include "probes.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>

/*
 * Report an unusable file with the reason; or lack of memory, if errno became ENOMEM since
 * section_begin. Returns the code of the error.
 */
int section_bad(struct probes_error *e, const char *name, const char *why);

/*
 * Open a 64-bit x86-64 program or library with a sane number of section headers; store its ELF
 * header in *header. NULL for any other file: the error has status PROBES_NO_TARGET. The caller
 * calls elf_end and closes the descriptor.
 */
Elf *section_begin(int fd, Elf64_Ehdr *header, const char *name, struct probes_error *e);

/*
 * Do the section headers lie within the file? If not, no section may be read, but the program
 * headers can be. The error has status PROBES_NO_TARGET: the file is truncated.
 */
int section_check_table(int fd, const Elf64_Ehdr *header, const char *name, struct probes_error *e);

/* How many bytes of sections may be read into memory: the size of the file, up to a limit. */
uint64_t section_room(int fd);

/*
 * Is the section uncompressed, within the file, and no larger than *room? If so, its size is
 * subtracted from *room.
 */
bool section_fits(int fd, const GElf_Shdr *section, uint64_t *room);

/*
 * The bytes of a section, if it is no larger than *room, from which its size is subtracted:
 * sections of a sound file do not overlap, so their sum does not exceed the file. NULL: none.
 */
Elf_Data *section_data(Elf_Scn *scn, const GElf_Shdr *section, uint64_t *room);

/* A string table with a final NUL, so that every offset is a string; empty if it has none. */
struct section_strings {
	const char *bytes;
	size_t size;
};
struct section_strings section_strings(Elf *elf, size_t index, uint64_t *room);

/* The string at an offset; "" beyond the table. */
const char *section_string(const struct section_strings *strings, uint64_t offset);
