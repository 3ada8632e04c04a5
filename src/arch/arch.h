/*
 * Instruction bytes: how each kind of site is encoded, breakpoints, disassembly. No other folder
 * knows an opcode. Pure. The encodings stand in the file that is named after the machine.
 *
 * Offsets count from the pc of a site.
 */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include "probes.h"

#define ARCH_SITE_BYTES 6    /* read at every site; those behind a short site are other code */
#define ARCH_SWITCH_BYTES 1  /* changed to switch a site */
#define ARCH_FIXED_BYTES 4   /* from arch_site.fixed_at on */
#define ARCH_HELD_AT 0       /* offset of the byte that a tracer replaces to hold a site */
#define ARCH_BREAKPOINT 0xcc /* int3: a uprobe or a debugger */

struct arch_site {
	uint8_t length;    /* of the site's own code, at most ARCH_SITE_BYTES */
	uint8_t switch_at; /* offset of the bytes that say whether a site is on */
	uint8_t off[ARCH_SWITCH_BYTES], on[ARCH_SWITCH_BYTES]; /* alike: it has no switch */
	uint8_t fixed_at; /* offset of bytes that neither switching nor a tracer changes: they prove
			     that the code of the file is still mapped at the site */
};

extern const struct arch_site arch_site_ocaml, arch_site_sdt;

/* Do these bytes have the shape of such a site, off or on? */
bool arch_is_site(const struct arch_site *site, const uint8_t bytes[ARCH_SITE_BYTES]);

/*
 * Guess the original bytes of a site whose file cannot be read: the bytes in memory, but without a
 * breakpoint in front. Good enough to read a state, not to write.
 */
void arch_guess_original(const uint8_t live[ARCH_SITE_BYTES], uint8_t original[ARCH_SITE_BYTES]);

/*
 * Decode from bytes[0], at `address`, until max lines or the end of the bytes. A byte that cannot
 * be decoded is a line of its own. Returns the number of lines; 0 in a build without Zydis.
 */
size_t arch_disassemble(const uint8_t *bytes, size_t size, uint64_t address,
	struct probes_instruction *out, size_t max);

#endif
