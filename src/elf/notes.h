/*
 * The notes of a file's sections .note.stapsdt. They are read piece by piece: most of their bytes
 * say what the last note said too (owner, provider, arguments), and only what they say is kept.
 */
#ifndef ELF_NOTES_H
#define ELF_NOTES_H

#include "base/array.h"
#include "base/budget.h"
#include "elf/note.h"
#include "elf/tally.h"

#include <gelf.h>

/*
 * What the probe of one note may take, in bytes, besides its descriptor: with all that the rooms
 * above hold of it (struct holding) and need while it is laid out.
 */
#define NOTES_COST 320

struct notes {
	struct array list;     /* struct note, prelink-adjusted */
	char *text;            /* what their strings point into */
	char *end;             /* of what there is of it */
	size_t malformed;      /* notes, or rests of a section, that made no sense */
	struct budget *budget; /* NULL: no bound but the file's */
	size_t left_out;       /* notes for which there was no room in it: the last ones */
	struct tally *tally;   /* of their probes; NULL: the notes are kept */
};

/*
 * `room`: bytes of all the sections that will be read. With a tally nothing is kept. False when
 * there is no memory.
 */
bool notes_init(struct notes *notes, size_t room, struct budget *budget, struct tally *tally);
void notes_done(struct notes *notes);

/*
 * Take the notes of one section; it lies within the file. `base` is the present address of
 * .stapsdt.base, 0: there is none. False when there is no memory.
 */
bool notes_read(struct notes *notes, int fd, const GElf_Shdr *section, uint64_t base);

#endif
