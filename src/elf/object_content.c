/*
 * What an ELF file holds: the bytes that it loads at an address, the address of a symbol.
 */
#include "elf/object.h"

#include "elf/section.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

/* How many bytes from vaddr on no segment's file bytes hold; at most `most`. */
static size_t object_hole(const struct object *o, uint64_t vaddr, size_t most)
{
	for (size_t i = 0; i < o->segment_count; i++) {
		const struct object_segment *s = &o->segments[i];

		if (s->filesz && s->vaddr >= vaddr && s->vaddr - vaddr < most)
			most = (size_t)(s->vaddr - vaddr);
	}
	return most;
}

/* Read what one segment holds of a span from vaddr on; 0 where none does. */
static size_t object_read_piece(
	const struct object *o, uint64_t vaddr, unsigned char *to, size_t most)
{
	for (size_t i = 0; i < o->segment_count; i++) {
		const struct object_segment *s = &o->segments[i];
		uint64_t at = vaddr - s->vaddr;
		ssize_t n;

		if (vaddr < s->vaddr || at >= s->filesz)
			continue;
		if (most > s->filesz - at)
			most = (size_t)(s->filesz - at);
		n = pread(o->fd, to, most, (off_t)(s->offset + at));
		return n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* A span may reach over several segments; the holes between them are read as zeros. */
static size_t object_read_span(const struct object *o, const struct span *span, unsigned char *to)
{
	size_t got = 0;

	while (got < span->length) {
		size_t left = span->length - got;
		size_t n = object_read_piece(o, span->address + got, to + got, left);

		if (n == 0) {
			n = object_hole(o, span->address + got, left);
			if (n == 0 || n == left)
				break;
			memset(to + got, 0, n);
		}
		got += n;
	}
	return got;
}

void object_read_spans(const struct object *o, struct spans *spans, unsigned char *buffer)
{
	for (size_t i = 0; i < spans->list.count; i++) {
		struct span *span = ARRAY_AT(&spans->list, struct span, i);

		span->got = object_read_span(o, span, buffer + span->offset);
	}
}

static uint64_t object_search_symbols(
	const Elf_Data *data, const struct section_strings *names, const char *symbol)
{
	size_t count = data->d_size / sizeof(Elf64_Sym);

	for (size_t i = 0; i < count; i++) {
		Elf64_Sym sym;

		memcpy(&sym, (const char *)data->d_buf + i * sizeof sym, sizeof sym);
		if (sym.st_shndx != SHN_UNDEF &&
			!strcmp(section_string(names, sym.st_name), symbol))
			return sym.st_value;
	}
	return 0;
}

uint64_t object_symbol(const struct object *o, const char *symbol)
{
	uint64_t value = 0, room = section_room(o->fd);
	struct section_strings names;
	struct probes_error e;
	Elf64_Ehdr header;
	GElf_Shdr section = {0};
	Elf *elf = o->sections == OBJECT_SECTIONS_READ ? section_begin(o->fd, &header, "a file", &e)
						       : NULL;
	Elf_Scn *scn = NULL;
	Elf_Data *data;

	/* There is one table of them at most (ELF, chapter 4). */
	while (elf && section.sh_type != SHT_DYNSYM && (scn = elf_nextscn(elf, scn)))
		if (!gelf_getshdr(scn, &section))
			section.sh_type = SHT_NULL;
	data = scn ? section_data(scn, &section, &room) : NULL;
	if (data) {
		names = section_strings(elf, section.sh_link, &room);
		value = object_search_symbols(data, &names, symbol);
	}
	elf_end(elf);
	return value;
}
