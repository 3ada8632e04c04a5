/*
 * The names of variables, by where the debug information says that they lie at an address.
 *
 * Debug information is untrusted: the search is bounded in depth and in time, opens no file that
 * the information names, and follows no chain that may be a circle.
 */
#pragma once

#include "elf/operand.h"

#include <elfutils/libdwfl.h>

#define VARIABLES_NAME 64 /* with its NUL; a longer name is unknown */

struct variables_wanted {
	struct operand_place place; /* its symbol must live as long as this */
	unsigned size;              /* bytes */
	char name[VARIABLES_NAME];  /* found: letters, digits, _ $ . and what is not ASCII; or "" */
};

/*
 * The unit that has an address of libdwfl's, which is `*bias` more than one in the unit; clang
 * writes no index of them. NULL: there is none, or it does not describe itself.
 */
Dwarf_Die *variables_unit(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias);

/*
 * Name what is wanted: the variables and parameters of this size that lie exactly there at
 * `address` (of libdwfl's). Those of the innermost scope hide the others, as of an inlined
 * function; of two in one scope neither is meant. `cfa`: of the frame at the address, NULL:
 * unknown. False: it took too long, and nothing was found.
 */
bool variables_find(Dwfl_Module *module, Dwarf_Addr address, const struct operand_place *cfa,
	struct variables_wanted *wanted, size_t count);
