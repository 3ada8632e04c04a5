#include "elf/section.h"

#include "base/error.h"
#include "elf/machine.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTION_MOST (1u << 17)
#define SECTION_MOST_BYTES ((uint64_t)1 << 28) /* of sections of one file, read into memory */

int section_bad(struct probes_error *e, const char *name, const char *why)
{
	/* Lack of memory in libelf says nothing about the file (libelf keeps malloc's errno, and
	 * section_begin clears errno first). */
	if (errno == ENOMEM)
		return error_set(e, PROBES_FAILED, -ENOMEM, "cannot read %s", name);
	error_set(e, PROBES_NO_TARGET, -ENOEXEC, "cannot read %s", name);
	return error_why(e, "%s", why);
}

/* The number of sections; if the header cannot hold it, the first section header does. */
static uint64_t section_count(int fd, const Elf64_Ehdr *header)
{
	Elf64_Shdr first;

	if (header->e_shnum || !header->e_shoff)
		return header->e_shnum;
	if (pread(fd, &first, sizeof first, (off_t)header->e_shoff) != (ssize_t)sizeof first)
		return UINT64_MAX;
	return first.sh_size;
}

int section_check_table(int fd, const Elf64_Ehdr *header, const char *name, struct probes_error *e)
{
	uint64_t count = section_count(fd, header), size, end;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return error_set(e, PROBES_FAILED, -errno, "cannot read %s", name);
	if (__builtin_mul_overflow(count, (uint64_t)header->e_shentsize, &size) ||
		__builtin_add_overflow(header->e_shoff, size, &end) || end > (uint64_t)st.st_size) {
		section_bad(e, name, "it is cut short: its section headers lie beyond its end");
		return error_hint(e, "copy it again, or name the file that is running");
	}
	return 0;
}

static int section_check_header(
	int fd, const Elf64_Ehdr *header, const char *name, struct probes_error *e)
{
	char machine[48];

	if (memcmp(header->e_ident, ELFMAG, SELFMAG)) {
		section_bad(e, name, "it is not an ELF file, or is cut short");
		return error_hint(e, "name a program or a shared library");
	}
	if (*machine_foreign((const void *)header, machine, sizeof machine)) {
		section_bad(e, name, "");
		error_why(e, "it is an ELF file for another machine: %s", machine);
		return error_hint(e, "only 64-bit x86-64 programs are known");
	}
	if (header->e_type == ET_CORE) {
		section_bad(e, name, "it is a core dump, not a program");
		return error_hint(e, "name the program that dumped it; file(1) shows which");
	}
	if (header->e_type == ET_REL) {
		section_bad(e, name, "it is an object file that was never linked");
		return error_hint(e, "name the program or the library that it is linked into");
	}
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return section_bad(e, name, "it is neither a program nor a shared library");
	/* libelf allocates memory for all sections that a file claims before it reads one. */
	if (section_count(fd, header) <= SECTION_MOST)
		return 0;
	if (section_check_table(fd, header, name, e) < 0)
		return e->code;
	return section_bad(e, name, "it claims hundreds of thousands of sections");
}

Elf *section_begin(int fd, Elf64_Ehdr *header, const char *name, struct probes_error *e)
{
	Elf *elf;

	errno = 0;
	memset(header, 0, sizeof *header);
	if (pread(fd, header, sizeof *header, 0) < (ssize_t)sizeof *header)
		memset(header->e_ident, 0, SELFMAG);
	if (section_check_header(fd, header, name, e) < 0)
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	section_bad(e, name, elf ? "libelf does not take it for an ELF file" : elf_errmsg(-1));
	elf_end(elf);
	return NULL;
}

bool section_fits(int fd, const GElf_Shdr *section, uint64_t *room)
{
	struct stat st;
	uint64_t end;

	if (section->sh_size > *room || section->sh_flags & SHF_COMPRESSED || fstat(fd, &st) < 0 ||
		__builtin_add_overflow(section->sh_offset, section->sh_size, &end) ||
		end > (uint64_t)st.st_size)
		return false;
	*room -= section->sh_size;
	return true;
}

Elf_Data *section_data(Elf_Scn *scn, const GElf_Shdr *section, uint64_t *room)
{
	Elf_Data *data;

	if (section->sh_size > *room)
		return NULL;
	data = elf_getdata(scn, NULL);
	if (!data || !data->d_buf || !data->d_size)
		return NULL;
	*room -= section->sh_size;
	return data;
}

uint64_t section_room(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_size < 0)
		return 0;
	return (uint64_t)st.st_size < SECTION_MOST_BYTES ? (uint64_t)st.st_size
							 : SECTION_MOST_BYTES;
}

struct section_strings section_strings(Elf *elf, size_t index, uint64_t *room)
{
	Elf_Scn *scn = elf_getscn(elf, index);
	GElf_Shdr section;
	Elf_Data *data = NULL;

	if (scn && gelf_getshdr(scn, &section))
		data = section_data(scn, &section, room);
	if (!data || ((const char *)data->d_buf)[data->d_size - 1])
		return (struct section_strings){0};
	return (struct section_strings){data->d_buf, data->d_size};
}

const char *section_string(const struct section_strings *strings, uint64_t offset)
{
	return offset < strings->size ? strings->bytes + offset : "";
}
