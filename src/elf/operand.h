/*
 * The argument string of a probe: "N@OP" items between blanks. Pure.
 *
 * N: 1, 2, 4, 8, negative if signed, followed by `f` for floats; may be missing.
 * OP: an assembler operand in AT&T syntax; it may contain blanks inside parentheses.
 * Source: sys/sdt.h 4.8 and the operands seen in libjvm, postgres, libvirt, libruby, php, python.
 */
#pragma once

#include "probes.h"

/* Decode the next item of *text and advance *text; false at the end. */
bool operand_next(const char **text, struct probes_argument *out);

#define OPERAND_NONE 16 /* instead of the number of a register */

/* Where an operand is. */
struct operand_place {
	enum {
		OPERAND_REGISTER, /* general */
		OPERAND_CONSTANT,
		OPERAND_MEMORY, /* at value + base + index * scale, or at symbol + value */
		OPERAND_VECTOR, /* the lowest bytes of an xmm register */
	} what;
	uint8_t number;     /* of the register, as the machine numbers it; of memory: its base */
	uint8_t index;      /* of memory: a register, or OPERAND_NONE */
	uint8_t scale;      /* 1, 2, 4 or 8 */
	bool stack;         /* memory whose only register is the stack or the frame pointer */
	int64_t value;      /* the constant, or the displacement */
	const char *symbol; /* of memory: a name in the text, or NULL; then there is no register */
	size_t symbol_length;
};

/*
 * "%rax", "%al", "$-3", "-20(%rbp)", "8(%rax,%rdx,4)", "64+name(%rip)", "%xmm3". False: another
 * one (the second byte of a register, a segment, a wider vector, a number that is too large).
 */
bool operand_place(const char *place, struct operand_place *out);
