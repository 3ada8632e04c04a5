/*
 * The argument string of a probe: "N@OP" items between blanks. Pure.
 *
 * N: 1, 2, 4, 8, negative if signed, followed by `f` for floats; may be missing.
 * OP: an assembler operand in AT&T syntax; it may contain blanks inside parentheses.
 * Source: sys/sdt.h 4.8 and the operands seen in libjvm, postgres, libvirt, libruby, php, python.
 */
#ifndef ELF_OPERAND_H
#define ELF_OPERAND_H

#include "probes.h"

/* Decode the next item of *text and advance *text; false at the end. */
bool operand_next(const char **text, struct probes_argument *out);

/* Where an integer operand is. */
struct operand_place {
	enum { OPERAND_REGISTER, OPERAND_CONSTANT, OPERAND_MEMORY } what;
	uint8_t number; /* of the register, as the machine numbers it; of memory: its base */
	bool stack;     /* the base is the stack or the frame pointer */
	int64_t value;  /* the constant, or the displacement */
};

/*
 * "%rax", "%al", "$-3", "-20(%rbp)". False: another one (an index, a symbol, a vector register,
 * the second byte of a register, a number that is too large).
 */
bool operand_place(const char *place, struct operand_place *out);

#endif
