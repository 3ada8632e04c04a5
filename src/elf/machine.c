#include "elf/machine.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

static const struct {
	unsigned machine;
	const char *name;
} machines[] = {
	{EM_386, "i386"}, {EM_X86_64, "x86-64"}, /* of 32 bits: x32 */
	{EM_AARCH64, "aarch64"}, {EM_ARM, "arm"}, {EM_PPC, "powerpc"}, {EM_PPC64, "powerpc64"},
	{EM_RISCV, "riscv"}, {EM_S390, "s390"}, {EM_MIPS, "mips"}, {EM_SPARC, "sparc"},
	{EM_SPARCV9, "sparc"}, {EM_IA_64, "ia64"},
	{258, "loongarch"}, /* EM_LOONGARCH, which older elf.h lack */
};

bool machine_is_ours(unsigned file_class, unsigned encoding, unsigned machine)
{
	return file_class == ELFCLASS64 && encoding == ELFDATA2LSB && machine == EM_X86_64;
}

const char *machine_say(
	unsigned file_class, unsigned encoding, unsigned machine, char *out, size_t size)
{
	const char *bits = file_class == ELFCLASS32   ? "32-bit "
			   : file_class == ELFCLASS64 ? "64-bit "
						      : "";
	const char *order = encoding == ELFDATA2MSB ? "big-endian " : "";

	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
		if (machines[i].machine == machine) {
			snprintf(out, size, "%s%s%s", bits, order, machines[i].name);
			return out;
		}
	snprintf(out, size, "%s%smachine %u", bits, order, machine);
	return out;
}

const char *machine_foreign(const unsigned char *header, char *out, size_t size)
{
	/* e_machine follows e_ident and e_type, in the file's own order. */
	bool big = header[EI_DATA] == ELFDATA2MSB;
	unsigned machine = big ? header[18] << 8 | header[19] : header[19] << 8 | header[18];

	*out = '\0';
	if (memcmp(header, ELFMAG, SELFMAG) ||
		machine_is_ours(header[EI_CLASS], header[EI_DATA], machine))
		return out;
	return machine_say(header[EI_CLASS], header[EI_DATA], machine, out, size);
}
