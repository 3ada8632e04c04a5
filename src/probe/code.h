/* A few instructions around a site, as text. Pure: bytes in, lines out. By Zydis where it is built
 * in. */
#ifndef PROBE_CODE_H
#define PROBE_CODE_H

#include "probes.h"

/*
 * Decode from bytes[0], at `address`, until max lines or the end of the bytes. What cannot be
 * decoded is one line of one byte. Returns the number of lines; 0 where no disassembler is built
 * in.
 */
size_t code_disassemble(const uint8_t *bytes, size_t size, uint64_t address,
	struct probes_instruction *out, size_t max);

#endif
