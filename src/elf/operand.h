/*
 * The argument string of a probe: "N@OP" items between blanks. Pure.
 *
 * N: 1, 2, 4, 8, negative where signed, an `f` behind it for floats; may be missing.
 * OP: an assembler operand in AT&T form; a blank may stand inside its parentheses.
 * Source: sys/sdt.h 4.8 and the operands seen in libjvm, postgres, libvirt, libruby, php, python.
 */
#ifndef ELF_OPERAND_H
#define ELF_OPERAND_H

#include "probes.h"

/* Cut one item from *text and decode it; false at the end. *text moves on. */
bool operand_next(const char **text, struct probes_argument *out);

#endif
