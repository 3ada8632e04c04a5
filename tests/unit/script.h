/*
 * What a test of plans does and expects, as short texts. Places are offsets, in hexadecimal, in
 * the text (b: a byte) or the data (c: a count) of the object at WORLD_BIAS.
 *
 *   setup     "b11=e8 c12=1": put a byte, a count; "b=absent", "c=absent": nothing can be read
 *   choice    "+one -two?": enable and disable by name; with a question mark: not named
 *   writes    "b11:3d>e8 |c12:0>1": in their order; a bar before one that begins a batch
 *   items     "+one -two:skipped": what became of each
 */
#ifndef UNIT_SCRIPT_H
#define UNIT_SCRIPT_H

#include "world.h"

/* Put values in memory, then read and judge everything. */
void script_setup(struct world *w, const char *setup);

/* Append what is chosen (of struct selected). */
void script_choose(const struct world *w, const char *choice, struct array *chosen);

void script_writes(const struct plan *p, char *out, size_t size);
/* The test ends unless they are these: cut into more batches than that perhaps, never into fewer.
 */
void script_expect(const char *expected, const char *writes);
void script_items(const struct world *w, const struct plan *p, char *out, size_t size);

/* The notes of a usual world; see script.c. */
extern const struct elf_note script_notes[];
extern const size_t script_note_count;

#endif
