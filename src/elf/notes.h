/*
 * The notes of a file's sections .note.stapsdt. They are read piece by piece: most of their bytes
 * say what the last note said too (owner, provider, arguments), and only what they say is kept.
 */
#ifndef ELF_NOTES_H
#define ELF_NOTES_H

#include "base/array.h"
#include "elf/note.h"

#include <gelf.h>

struct notes {
	struct array list; /* struct note, prelink-adjusted */
	char *text;        /* what their strings point into */
	char *end;         /* of what there is of it */
	size_t malformed;  /* notes, or rests of a section, that made no sense */
};

/* `room`: bytes of all the sections that will be read. False when there is no memory. */
bool notes_init(struct notes *notes, size_t room);
void notes_done(struct notes *notes);

/*
 * Take the notes of one section; it lies within the file. `base` is the present address of
 * .stapsdt.base, 0: there is none. False when there is no memory.
 */
bool notes_read(struct notes *notes, int fd, const GElf_Shdr *section, uint64_t base);

#endif
