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

#endif
