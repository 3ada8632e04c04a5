/*
 * One .note.stapsdt entry. Pure: bytes in, facts out.
 *
 * Source of the format: the SystemTap wiki's "UserSpaceProbeImplementation" and
 * sys/sdt.h 4.8: owner "stapsdt", type 3, descriptor
 *
 *     0        8        16          24
 *     | pc     | base   | semaphore | provider\0 name\0 arguments\0 |
 */
#ifndef ELF_NOTE_H
#define ELF_NOTE_H

#include <stddef.h>
#include <stdint.h>

#define NOTE_OWNER "stapsdt"
#define NOTE_TYPE 3

struct note {
	uint64_t pc;        /* 0: a note without a site (provider ocaml_2) */
	uint64_t base;      /* link-time address of .stapsdt.base */
	uint64_t semaphore; /* 0: none */
	const char *provider;
	const char *name;
	const char *arguments;
};

/*
 * Read the descriptor of one note. The strings point into it. Returns 0, or -EBADMSG where it is
 * cut short, a NUL is missing, or the provider or the name is empty. An absent argument string
 * (a descriptor that ends after the name) is "".
 */
int note_parse(const void *descriptor, size_t size, struct note *note);

/*
 * Undo prelink: `base_section` is the present address of .stapsdt.base. Its distance from the
 * note's base is added to pc and to the semaphore, but never to a 0, which is no address.
 */
void note_adjust(struct note *note, uint64_t base_section);

#endif
