/* Which machine an ELF header is for. Pure. Source: elf(5), the gABI's list of e_machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Bytes from the start of a file that machine_foreign needs. */
#define MACHINE_HEADER 20

/* Is it the supported machine, 64-bit x86-64? */
bool machine_is_ours(unsigned file_class, unsigned encoding, unsigned machine);

/* "32-bit i386", "64-bit aarch64", "64-bit big-endian machine 4711". Returns out. */
const char *machine_say(
	unsigned file_class, unsigned encoding, unsigned machine, char *out, size_t size);

/* The same from the first MACHINE_HEADER bytes of a file; "" if supported, or not an ELF file. */
const char *machine_foreign(const unsigned char *header, char *out, size_t size);
