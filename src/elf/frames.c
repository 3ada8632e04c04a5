#include "elf/frames.h"

#include "elf/reading.h"
#include "elf/section.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

/* DWARF's number of rbp: System V ABI, AMD64 supplement, figure 3.36. */
#define FRAMES_POINTER 6

void frames_find(int fd, const char *name, const uint64_t *addresses, size_t count, bool *framed)
{
	struct probes_error ignored;
	struct reading reading;
	Dwarf_CFI *table;
	Elf64_Ehdr header;
	Elf *elf;

	memset(framed, 0, count * sizeof *framed);
	elf = section_begin(fd, &header, name, &ignored);
	if (!elf)
		return;
	reading_begin(&reading);
	table = section_check_table(fd, &header, name, &ignored) == 0 ? dwarf_getcfi_elf(elf)
								      : NULL;
	for (size_t i = 0; table && i < count; i++) {
		Dwarf_Frame *frame = NULL;
		Dwarf_Op *ops = NULL;
		size_t length = 0;

		if (dwarf_cfi_addrframe(table, addresses[i], &frame) == 0 &&
			dwarf_frame_cfa(frame, &ops, &length) == 0 && length == 1)
			framed[i] = (ops->atom == DW_OP_bregx && ops->number == FRAMES_POINTER) ||
				    ops->atom == DW_OP_breg0 + FRAMES_POINTER;
		free(frame);
	}
	if (table)
		dwarf_cfi_end(table);
	elf_end(elf);
	reading_end(&reading, NULL);
}
