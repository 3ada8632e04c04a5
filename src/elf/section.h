/*
 * The sections of an ELF file through libelf, which believes what a file says of its sizes: so its
 * headers are looked at before libelf gets it, and its sections before they are read.
 */
#ifndef ELF_SECTION_H
#define ELF_SECTION_H

#include "probes.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>

/*
 * Report a file that cannot be used, with the reason; or lack of memory, if errno was set to ENOMEM
 * since section_begin. Returns what the caller returns.
 */
int section_bad(struct probes_error *e, const char *name, const char *why);

/*
 * Open a 64-bit x86-64 program or library with a sane number of section headers; store its ELF
 * header in *header. NULL, and an error with status PROBES_NO_TARGET, where it is none. The end
 * is elf_end; the descriptor stays the caller's.
 */
Elf *section_begin(int fd, Elf64_Ehdr *header, const char *name, struct probes_error *e);

/*
 * Do the section headers lie within the file? If not, no section may be read, but the program
 * headers can be. The error has status PROBES_NO_TARGET: the file is truncated.
 */
int section_check_table(int fd, const Elf64_Ehdr *header, const char *name, struct probes_error *e);

/* How many bytes of sections may be taken into memory: as many as the file has, up to a limit. */
uint64_t section_room(int fd);

/*
 * Does it lie within the file, as it is (not compressed), and is it no larger than *room, which it
 * is taken from?
 */
bool section_fits(int fd, const GElf_Shdr *section, uint64_t *room);

/*
 * The bytes of a section, if they are no more than *room, which they are taken from: sections of a
 * sound file do not overlap, so that all that are read are no larger than it. NULL: none.
 */
Elf_Data *section_data(Elf_Scn *scn, const GElf_Shdr *section, uint64_t *room);

/* A string table that ends as it must: every offset within is a string. Empty where there is none.
 */
struct section_strings {
	const char *bytes;
	size_t size;
};
struct section_strings section_strings(Elf *elf, size_t index, uint64_t *room);

/* The string at an offset; "" beyond the table. */
const char *section_string(const struct section_strings *strings, uint64_t offset);

#endif
