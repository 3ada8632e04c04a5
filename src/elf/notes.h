/*
 * The notes of the .note.stapsdt sections of a file. Read piece by piece: most bytes repeat the
 * previous note (owner, provider, arguments), and each text is kept once.
 */
#ifndef ELF_NOTES_H
#define ELF_NOTES_H

#include "base/array.h"
#include "base/budget.h"
#include "elf/note.h"
#include "elf/tally.h"

#include <gelf.h>

/*
 * Bytes that the probe of one note may need besides its descriptor, including what higher layers
 * keep of it (struct object_probes) and need temporarily to group the notes.
 */
#define NOTES_COST 320

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

#endif
