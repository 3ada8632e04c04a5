/*
 * Where DWARF says that something lies, as a place that an operand of a probe can name. Pure.
 * Source: DWARF 5, section 2.6; numbers of registers: psABI of x86-64, "DWARF Register Number
 * Mapping". OPERAND_MEMORY without a register (OPERAND_NONE) is an absolute link-time address.
 */
#pragma once

#include "elf/operand.h"

#include <elfutils/libdw.h>

#define LOCATION_GENERAL 16

/* The machine's number of a general register (less than LOCATION_GENERAL) in DWARF. */
uint8_t location_general(unsigned number);

/*
 * The place of an expression: one register, memory at a register and an offset, or an address.
 * `frame`: what DW_OP_fbreg counts from, `cfa`: what DW_OP_call_frame_cfa means, both as memory at
 * a register and an offset; NULL: unknown. False: the expression is another one, or computes a
 * value that lies nowhere.
 */
bool location_place(const Dwarf_Op *ops, size_t count, const struct operand_place *frame,
	const struct operand_place *cfa, struct operand_place *out);

/*
 * The same of a DW_AT_frame_base: a register there means what it points to. False: as above.
 */
bool location_frame(const Dwarf_Op *ops, size_t count, const struct operand_place *cfa,
	struct operand_place *out);

/* Does an operand read exactly there? Addresses of symbols are not compared. */
bool location_is(const struct operand_place *location, const struct operand_place *operand);
