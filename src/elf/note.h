/*
 * The notes of the .note.stapsdt sections of a file.
 *
 * Source of the format: the SystemTap wiki's "UserSpaceProbeImplementation" and
 * sys/sdt.h 4.8: owner "stapsdt", type 3, descriptor
 *
 *     0        8        16          24
 *     | pc     | base   | semaphore | provider\0 name\0 arguments\0 |
 */
#pragma once

#include "base/array.h"
#include "base/budget.h"
#include "elf/tally.h"

#include <gelf.h>

#define NOTE_OWNER "stapsdt"
#define NOTE_TYPE 3

struct note {
	uint64_t pc;        /* 0: a note without a site (provider ocaml_2) */
	uint64_t base;      /* link-time address of .stapsdt.base */
	uint64_t semaphore; /* 0: none */
	const char *provider;
	const char *name;
	const char *arguments;
};

/*
 * Read the descriptor of one note: bytes in, facts out. The strings point into it. Returns 0, or
 * -EBADMSG where it is cut short, a NUL is missing, or the provider or the name is empty. An absent
 * argument string (a descriptor that ends after the name) is "".
 */
int note_parse(const void *descriptor, size_t size, struct note *note);

/*
 * Undo prelink: `base_section` is the present address of .stapsdt.base. Its distance from the
 * note's base is added to pc and to the semaphore, but never to a 0, which is no address.
 */
void note_adjust(struct note *note, uint64_t base_section);

/*
 * The build-id among notes (ELF_T_NHDR or ELF_T_NHDR8), if it has `most` bytes at most. Returns its
 * length, and *at, where it begins; 0: there is none.
 */
size_t note_build_id(const Elf_Data *notes, size_t most, size_t *at);

/*
 * Bytes that the probe of one note may need besides its descriptor, including what higher layers
 * keep of it (struct object_probes) and need temporarily to group the notes.
 */
#define NOTES_COST 320

/*
 * Read piece by piece: most bytes repeat the previous note (owner, provider, arguments), and each
 * text is kept once.
 */
struct notes {
	struct array list;     /* struct note, prelink-adjusted */
	char *text;            /* the strings that they point to */
	char *end;             /* end of the used part of `text` */
	size_t malformed;      /* malformed notes, or remainders of a section */
	struct budget *budget; /* NULL: limited only by the file's size */
	size_t left_out;       /* the last notes, which the budget refused */
	struct tally *tally;   /* counts the probes instead of keeping notes; NULL: keep them */
};

/*
 * `bytes`: size of all sections that will be read. With a tally no note is kept. False when there
 * is no memory.
 */
bool notes_init(struct notes *notes, size_t bytes, struct budget *budget, struct tally *tally);
void notes_done(struct notes *notes);

/*
 * Read the notes of one section, which lies within the file. `base` is the address of .stapsdt.base
 * in this file; 0: there is none. False when there is no memory.
 */
bool notes_read(struct notes *notes, int fd, const GElf_Shdr *section, uint64_t base);
