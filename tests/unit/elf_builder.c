/* See elf_builder.h. The layout: headers, build-id note, text, data, notes, names, sections. */
#include "elf_builder.h"

#include <assert.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A file in the making. */
struct elf_build {
	const struct elf_spec *spec;
	struct array bytes;
	struct array names;
	struct array sections; /* Elf64_Shdr */
	struct elf_file file;
	size_t interpreter, headers_count, debuglink, debugdata;
};

void elf_put(struct array *to, const void *bytes, size_t size)
{
	bool fits = array_reserve(to, size);

	assert(fits);
	if (size)
		memcpy((char *)to->data + to->count, bytes, size);
	to->count += size;
}

static void elf_align(struct array *to, size_t alignment)
{
	while (to->count % alignment)
		elf_put(to, "", 1);
}

void elf_put_note(struct array *to, const char *owner, size_t owner_size, uint32_t type,
	const void *descriptor, size_t size)
{
	Elf64_Nhdr header = {(uint32_t)owner_size, (uint32_t)size, type};

	elf_align(to, 4);
	elf_put(to, &header, sizeof header);
	elf_put(to, owner, owner_size);
	elf_align(to, 4);
	elf_put(to, descriptor, size);
	elf_align(to, 4);
}

void elf_put_descriptor(struct array *to, const struct elf_note *n)
{
	elf_put(to, &n->pc, 8);
	elf_put(to, &n->base, 8);
	elf_put(to, &n->semaphore, 8);
	elf_put(to, n->provider, strlen(n->provider) + 1);
	elf_put(to, n->name, strlen(n->name) + 1);
	if (n->arguments)
		elf_put(to, n->arguments, strlen(n->arguments) + 1);
}

static unsigned elf_section(struct elf_build *b, const char *name, uint32_t type, uint64_t flags,
	uint64_t address, size_t offset, size_t size)
{
	Elf64_Shdr *s = array_add(&b->sections);

	assert(s);
	*s = (Elf64_Shdr){.sh_name = (uint32_t)b->names.count,
		.sh_type = type,
		.sh_flags = flags,
		.sh_addr = address,
		.sh_offset = offset,
		.sh_size = size,
		.sh_addralign = type == SHT_NOTE ? 4 : 1};
	elf_put(&b->names, name, strlen(name) + 1);
	return (unsigned)b->sections.count - 1;
}

static void elf_build_notes(struct elf_build *b)
{
	struct array descriptor;

	elf_align(&b->bytes, 8);
	b->file.notes = b->bytes.count;
	descriptor = ARRAY_OF(char);
	for (size_t i = 0; i < b->spec->note_count; i++) {
		descriptor.count = 0;
		elf_put_descriptor(&descriptor, &b->spec->notes[i]);
		elf_put_note(&b->bytes, "stapsdt", 8, 3, descriptor.data, descriptor.count);
	}
	array_done(&descriptor);
	b->file.notes_size = b->bytes.count - b->file.notes;
}

static void elf_build_contents(struct elf_build *b)
{
	const struct elf_spec *s = b->spec;

	b->interpreter = b->bytes.count;
	if (s->interpreter)
		elf_put(&b->bytes, s->interpreter, strlen(s->interpreter) + 1);
	elf_align(&b->bytes, 4);
	b->debuglink = b->bytes.count;
	if (s->debuglink) {
		elf_put(&b->bytes, s->debuglink, strlen(s->debuglink) + 1);
		elf_align(&b->bytes, 4);
		elf_put(&b->bytes, "CRC!", 4);
	}
	b->debugdata = b->bytes.count;
	if (s->debugdata)
		elf_put(&b->bytes, s->debugdata, s->debugdata_size);
	elf_align(&b->bytes, 8);
	b->file.text = b->bytes.count;
	/* The build-id lies at the start of the executable segment, as --build-id puts it. */
	if (s->build_id)
		elf_put_note(&b->bytes, "GNU", 4, NT_GNU_BUILD_ID, s->build_id, s->build_id_size);
	b->file.build_id = b->file.text + (s->build_id ? 16 : 0);
	elf_put(&b->bytes, s->text, s->text_size);
	b->file.data = b->bytes.count;
	elf_build_notes(b);
}

/* Of its note. */
static size_t elf_build_id_size(const struct elf_spec *s)
{
	return (16 + s->build_id_size + 3) & ~3UL;
}

static void elf_build_sections(struct elf_build *b)
{
	const struct elf_spec *s = b->spec;

	elf_section(b, "", SHT_NULL, 0, 0, 0, 0);
	if (s->build_id)
		elf_section(b, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, ELF_TEXT, b->file.text,
			elf_build_id_size(s));
	if (s->base_section)
		elf_section(b, ".stapsdt.base", SHT_PROGBITS, SHF_ALLOC, s->base_section,
			b->file.text, 1);
	if (s->debuglink)
		elf_section(b, ".gnu_debuglink", SHT_PROGBITS, 0, 0, b->debuglink,
			((strlen(s->debuglink) + 4) & ~3UL) + 4);
	if (s->debugdata)
		elf_section(
			b, ".gnu_debugdata", SHT_PROGBITS, 0, 0, b->debugdata, s->debugdata_size);
	b->file.notes_section =
		elf_section(b, ".note.stapsdt", SHT_NOTE, 0, 0, b->file.notes, b->file.notes_size);
	b->file.names = b->bytes.count;
	elf_section(b, ".shstrtab", SHT_STRTAB, 0, 0, b->file.names, 0);
	((Elf64_Shdr *)b->sections.data)[b->sections.count - 1].sh_size = b->names.count;
	elf_put(&b->bytes, b->names.data, b->names.count);
	elf_align(&b->bytes, 8);
	b->file.sections = b->bytes.count;
	b->file.section_count = (unsigned)b->sections.count;
	elf_put(&b->bytes, b->sections.data, b->sections.count * sizeof(Elf64_Shdr));
}

static void elf_program_header(struct elf_build *b, const Elf64_Phdr *header)
{
	memcpy((char *)b->bytes.data + sizeof(Elf64_Ehdr) + b->headers_count++ * sizeof *header,
		header, sizeof *header);
}

static void elf_build_headers(struct elf_build *b)
{
	const struct elf_spec *s = b->spec;
	size_t text_size = b->file.data - b->file.text;
	size_t first = s->split ? s->split : text_size;
	Elf64_Ehdr *e = b->bytes.data;

	elf_program_header(b, &(Elf64_Phdr){PT_LOAD, PF_R | PF_X, b->file.text, ELF_TEXT, ELF_TEXT,
				      first, first, 0x1000});
	if (s->split)
		elf_program_header(b,
			&(Elf64_Phdr){PT_LOAD, PF_R | PF_X, b->file.text + first, ELF_TEXT + first,
				ELF_TEXT + first, text_size - first, text_size - first, 0x1000});
	elf_program_header(b, &(Elf64_Phdr){PT_LOAD, PF_R | PF_W, b->file.data, ELF_DATA, ELF_DATA,
				      0, s->data_size, 0x1000});
	if (s->interpreter)
		elf_program_header(
			b, &(Elf64_Phdr){PT_INTERP, PF_R, b->interpreter, 0, 0,
				   strlen(s->interpreter) + 1, strlen(s->interpreter) + 1, 1});
	if (s->note_segments && s->build_id)
		elf_program_header(b, &(Elf64_Phdr){PT_NOTE, PF_R, b->file.text, ELF_TEXT, ELF_TEXT,
					      elf_build_id_size(s), elf_build_id_size(s), 4});
	if (s->note_segments)
		elf_program_header(b, &(Elf64_Phdr){PT_NOTE, PF_R, b->file.notes, 0, 0,
					      b->file.notes_size, b->file.notes_size, 4});
	if (s->headers_segment)
		elf_program_header(
			b, &(Elf64_Phdr){PT_PHDR, PF_R, sizeof(Elf64_Ehdr), 0x40, 0x40, 0, 0, 8});
	if (s->relro)
		elf_program_header(b, &(Elf64_Phdr){PT_GNU_RELRO, PF_R, b->file.data, ELF_DATA,
					      ELF_DATA, 0, s->relro, 1});
	*e = (Elf64_Ehdr){.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = (uint16_t)(s->type ? s->type : ET_DYN),
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (uint16_t)b->headers_count};
	if (!s->no_sections) {
		e->e_shoff = b->file.sections;
		e->e_shentsize = sizeof(Elf64_Shdr);
		e->e_shnum = (uint16_t)b->file.section_count;
		e->e_shstrndx = (uint16_t)(b->file.section_count - 1);
	}
}

struct elf_file elf_build(const struct elf_spec *spec)
{
	static const char zeros[sizeof(Elf64_Ehdr) + 8 * sizeof(Elf64_Phdr)];
	struct elf_build b = {.spec = spec};

	b.bytes = ARRAY_OF(char);
	b.names = ARRAY_OF(char);
	b.sections = ARRAY_OF(Elf64_Shdr);
	elf_put(&b.bytes, zeros, sizeof zeros);
	elf_build_contents(&b);
	if (!spec->no_sections)
		elf_build_sections(&b);
	elf_build_headers(&b);
	b.file.size = b.bytes.count;
	b.file.bytes = array_take(&b.bytes);
	array_done(&b.names);
	array_done(&b.sections);
	return b.file;
}

int elf_open(const void *bytes, size_t size)
{
	int fd = memfd_create("unit", MFD_CLOEXEC);

	assert(fd >= 0);
	for (size_t at = 0; at < size;) {
		ssize_t n = pwrite(fd, (const char *)bytes + at, size - at, (off_t)at);

		assert(n > 0);
		at += (size_t)n;
	}
	return fd;
}
