/*
 * Function and offset, source file and line of an address. Through libdwfl: .symtab, .dynsym, the
 * compressed .gnu_debugdata, DWARF in the file or in a separate one found by build-id or debuglink.
 * Opening a large file takes a second: done for one object, when the user looks at it. A debuglink
 * is followed only to a plain name beside the file. Its memory is limited: elf/reading.h.
 */
#pragma once

#include "elf/variables.h"

struct symbols;

/* Open for the file behind a descriptor, which is duplicated. NULL: no symbols can be read. */
struct symbols *symbols_open(int fd, const char *path);
void symbols_close(struct symbols *s);

/* Fill what is known of a link-time address; unknown members stay empty. */
void symbols_find(struct symbols *s, uint64_t vaddr, struct probes_source *where);

/*
 * Name the variables of the function at a link-time address that lie where operands read
 * (variables_find).
 */
void symbols_variables(
	struct symbols *s, uint64_t vaddr, struct variables_wanted *wanted, size_t count);

/*
 * Where the return address of the function lies at a link-time address: memory at one register and
 * an offset, by the unwind table. Returns NULL; or why it is unknown.
 */
const char *symbols_return(struct symbols *s, uint64_t vaddr, struct operand_place *place);

/* Write the readable form of a C++ or OCaml symbol; any other symbol as it is. Pure. */
void symbols_demangle(const char *symbol, char *out, size_t size);
