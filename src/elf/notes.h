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
 * Bytes that the probe of one note may take besides its descriptor, including what higher layers
 * keep of it (struct object_probes) and need temporarily for its layout.
 */
#define NOTES_COST 320

struct notes {
	struct array list;     /* struct note, prelink-adjusted */
	char *text;            /* what their strings point into */
	char *end;             /* end of the used part of `text` */
	size_t malformed;      /* notes, or remainders of a section, that made no sense */
	struct budget *budget; /* NULL: limited only by the file's size */
	size_t left_out;       /* the last notes, for which the budget had no room */
	struct tally *tally;   /* only count the probes; NULL: keep the notes */
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
