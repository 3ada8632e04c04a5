/*
 * The only room that knows instruction bytes (x86-64), and what each OCaml
 * provider means. Pure.
 *
 * An OCaml site, at the note's pc; one byte, at pc + 1, switches it. imm32 already is the
 * displacement from pc + 6 to the handler's wrapper (OCaml [%probe], Jane Street's compiler):
 *
 *     pc   +1   +2          +6
 *     90   3d   imm32              off: nop; cmp eax, imm32
 *     90   e8   rel32              on:  nop; call wrapper
 *
 * An sdt site (sys/sdt.h) is a nop, 90; libbpf's usdt.h puts a nine-byte nop behind it. It has
 * no switch of its own: a byte other than the file's there means that a tracer holds it.
 *
 * pc and pc + 1 of an OCaml site have different owners: bpftrace may put cc at pc and both work.
 */
#ifndef PROBE_SITE_H
#define PROBE_SITE_H

#include "probes.h"

#define SITE_BYTES 6             /* read of every site */
#define SITE_SWITCH 1            /* offset of the byte that switches an OCaml site */
#define SITE_FOLLOWING 4         /* bytes behind a switched byte that must be as in the file */
#define SITE_SHARED_LIMIT 0x7ffe /* of counts that the kernel shares, see below */
#define SITE_INT3 0xcc           /* a uprobe or a debugger */

/* What a provider's name says of its notes. */
struct site_provider {
	const char *name; /* NULL: every other one */
	enum probes_kind kind;
	uint8_t count_offset; /* of the count that is ours behind the note's semaphore address:
				 2 where the first two bytes belong to SystemTap-like tools */
	bool one_semaphore;   /* all notes of a name in one object name the same */
	bool may_be_absent;   /* pc = 0: a probe by semaphore alone */
	uint32_t limit;       /* largest count that we raise to: the kernel reads those it
				 shares as signed (kernel/events/uprobes.c __update_ref_ctr) */
};

const struct site_provider *site_provider(const char *provider);

/* Is this the shape of an OCaml site, off or on? */
bool site_is_ocaml(const uint8_t bytes[SITE_BYTES]);

/* The byte at pc + SITE_SWITCH of an OCaml site. */
uint8_t site_switch_byte(bool on);

/*
 * For unknown file bytes: a nop, as every kind of site begins with one, then the bytes in memory.
 * Good enough to read a state, not to write.
 */
void site_assume(const uint8_t live[SITE_BYTES], uint8_t original[SITE_BYTES]);

/*
 * Judge live bytes (count of them readable) against the file's. OCaml: on, off, other,
 * unreadable. sdt: unknown (nobody else is there, and it has no switch), other, unreadable.
 */
enum probes_state site_judge(enum probes_kind kind, const uint8_t original[SITE_BYTES],
	const uint8_t *live, unsigned count);

/* Who holds a site that was judged other: "int3" or "other". */
const char *site_holder(enum probes_kind kind, const uint8_t *live);

#endif
