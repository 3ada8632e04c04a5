/*
 * Where an address lies: function and offset, source file and line. Through
 * libdwfl: .symtab, .dynsym, the compressed .gnu_debugdata, DWARF in the file
 * or in a separate one found by build-id or debuglink. Slow to open (a large
 * file: a second); opened for one object when somebody looks at it. What a file
 * names is opened only beside it, by a plain name; and while one is read, our
 * soft RLIMIT_AS limits what all open ones may take.
 */
#ifndef ELF_SYMBOLS_H
#define ELF_SYMBOLS_H

#include "probes.h"

struct symbols;

/* Open for the file behind a descriptor (kept; a copy is taken). NULL where nothing can be had. */
struct symbols *symbols_open(int fd, const char *path);
void symbols_close(struct symbols *s);

/* Do all open symbol tables use a quarter of their limit, so that unused ones should be closed? */
bool symbols_crowded(void);

/* Fill what is known of a link-time address; what is not stays empty. */
void symbols_find(struct symbols *s, uint64_t vaddr, struct probes_source *where);

#endif
