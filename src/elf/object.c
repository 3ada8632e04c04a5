/*
 * libelf behind one door. Reads with ELF_C_READ, not by mapping the file: a
 * file truncated under a mapping would be a SIGBUS in ours. Everything read
 * here is untrusted; libelf checks sections against the file's size before it
 * takes memory, and what it rejects is counted, never guessed at.
 */
#include "elf/object.h"

#include "base/error.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OBJECT_MAX_SEGMENTS 4096

static int object_bad(struct probes_error *e, const char *name, const char *why)
{
	error_set(e, PROBES_NO_TARGET, -ENOEXEC, "cannot read %s", name);
	return error_why(e, "%s", why);
}

/* A file cut short loses its section headers first: say so instead of "no notes". */
static int object_check_length(
	const struct object *o, const GElf_Ehdr *header, const char *name, struct probes_error *e)
{
	struct stat st;
	uint64_t end;

	if (fstat(o->fd, &st) < 0)
		return error_set(e, PROBES_FAILED, -errno, "cannot read %s", name);
	if (__builtin_add_overflow(
		    header->e_shoff, (uint64_t)header->e_shnum * header->e_shentsize, &end) ||
		end > (uint64_t)st.st_size) {
		object_bad(e, name, "it is cut short: its section headers lie beyond its end");
		return error_hint(e, "copy it again, or name the file that is running");
	}
	return 0;
}

static int object_check_header(Elf *elf, struct object *o, const char *name, struct probes_error *e)
{
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header)) {
		object_bad(e, name, "it is not an ELF file, or is cut short");
		return error_hint(e, "name a program or a shared library");
	}
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
		header.e_machine != EM_X86_64) {
		object_bad(e, name, "it is an ELF file for another machine");
		return error_hint(e, "this probes-tui reads 64-bit x86-64 files");
	}
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return object_bad(e, name, "it is neither a program nor a shared library");
	o->fixed = header.e_type == ET_EXEC;
	return object_check_length(o, &header, name, e);
}

static bool object_add_segment(struct array *segments, const GElf_Phdr *p)
{
	struct object_segment *s = array_add(segments);

	if (!s)
		return false;
	*s = (struct object_segment){
		.vaddr = p->p_vaddr,
		.offset = p->p_offset,
		.filesz = p->p_filesz,
		.memsz = p->p_memsz < p->p_filesz ? p->p_filesz : p->p_memsz,
		.readable = p->p_flags & PF_R,
		.writable = p->p_flags & PF_W,
		.executable = p->p_flags & PF_X,
	};
	return true;
}

static char *object_read_interpreter(const struct object *o, const GElf_Phdr *p)
{
	char path[4097];
	ssize_t got;

	if (p->p_filesz == 0 || p->p_filesz >= sizeof path)
		return NULL;
	got = pread(o->fd, path, p->p_filesz, (off_t)p->p_offset);
	if (got <= 0)
		return NULL;
	path[got] = '\0';
	return strdup(path);
}

static int object_read_segments(
	Elf *elf, struct object *o, const char *name, struct probes_error *e)
{
	struct array segments;
	size_t count;

	if (elf_getphdrnum(elf, &count) < 0 || count == 0)
		return object_bad(e, name, "it has no program headers: cut short, or never linked");
	if (count > OBJECT_MAX_SEGMENTS)
		return object_bad(e, name, "it claims thousands of program headers");
	array_init(&segments, sizeof(struct object_segment));
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(elf, (int)i, &p)) {
			array_done(&segments);
			return object_bad(e, name, "its program headers are cut short");
		}
		if (p.p_type == PT_LOAD && !object_add_segment(&segments, &p)) {
			array_done(&segments);
			return error_memory(e, "the segments of a file");
		}
		if (p.p_type == PT_PHDR)
			o->headers_vaddr = p.p_vaddr;
		if (p.p_type == PT_INTERP && !o->interpreter)
			o->interpreter = object_read_interpreter(o, &p);
	}
	o->segment_count = segments.count;
	o->segments = array_take(&segments);
	return 0;
}

/* Without PT_PHDR (some static programs) the headers are found through the segment that holds them.
 */
static void object_find_headers(Elf *elf, struct object *o)
{
	GElf_Ehdr header;

	if (o->headers_vaddr || !gelf_getehdr(elf, &header))
		return;
	for (size_t i = 0; i < o->segment_count; i++) {
		const struct object_segment *s = &o->segments[i];

		if (header.e_phoff >= s->offset && header.e_phoff - s->offset < s->filesz)
			o->headers_vaddr = s->vaddr + (header.e_phoff - s->offset);
	}
}

/* Take the notes of one .note.stapsdt section. */
static bool object_take_notes(struct object *o, Elf_Data *data, struct array *notes)
{
	void **copy = array_add(&o->note_data);
	size_t at = 0, next, name_at, desc_at;
	GElf_Nhdr header;

	if (!copy)
		return false;
	*copy = malloc(data->d_size ? data->d_size : 1);
	if (!*copy)
		return false;
	memcpy(*copy, data->d_buf, data->d_size);
	while (at < data->d_size &&
		(next = gelf_getnote(data, at, &header, &name_at, &desc_at)) > 0) {
		struct note note;

		at = next;
		if (header.n_type != NOTE_TYPE || header.n_namesz != sizeof NOTE_OWNER ||
			memcmp((char *)*copy + name_at, NOTE_OWNER, sizeof NOTE_OWNER))
			continue;
		if (note_parse((char *)*copy + desc_at, header.n_descsz, &note) < 0) {
			o->note_malformed++;
			continue;
		}
		if (!array_reserve(notes, 1))
			return false;
		*(struct note *)array_add(notes) = note;
	}
	o->note_malformed += at < data->d_size;
	return true;
}

static void object_take_build_id(struct object *o, Elf_Data *data, const GElf_Shdr *section)
{
	size_t at = 0, next, name_at, desc_at;
	GElf_Nhdr header;

	while (!o->build_id_size && at < data->d_size &&
		(next = gelf_getnote(data, at, &header, &name_at, &desc_at)) > 0) {
		at = next;
		if (header.n_type != NT_GNU_BUILD_ID || header.n_namesz != sizeof "GNU" ||
			memcmp((char *)data->d_buf + name_at, "GNU", sizeof "GNU") ||
			header.n_descsz == 0 || header.n_descsz > sizeof o->build_id)
			continue;
		o->build_id_size = header.n_descsz;
		memcpy(o->build_id, (char *)data->d_buf + desc_at, header.n_descsz);
		if (section->sh_flags & SHF_ALLOC)
			o->build_id_vaddr = section->sh_addr + desc_at;
	}
}

static bool object_read_section(
	Elf *elf, struct object *o, Elf_Scn *scn, size_t names, struct array *notes, uint64_t *base)
{
	GElf_Shdr section;
	const char *name;
	Elf_Data *data;
	bool stapsdt;

	if (!gelf_getshdr(scn, &section) || !(name = elf_strptr(elf, names, section.sh_name)))
		return true;
	if (!strcmp(name, ".stapsdt.base"))
		*base = section.sh_addr;
	if (section.sh_type != SHT_NOTE)
		return true;
	stapsdt = !strcmp(name, ".note.stapsdt");
	if (!stapsdt && o->build_id_size)
		return true;
	data = elf_getdata(scn, NULL);
	if (!data || !data->d_buf) {
		o->note_malformed += stapsdt && (!data || section.sh_size);
		return true;
	}
	if (stapsdt)
		return object_take_notes(o, data, notes);
	object_take_build_id(o, data, &section);
	return true;
}

static int object_read_sections(Elf *elf, struct object *o, struct probes_error *e)
{
	uint64_t base = 0;
	struct array notes;
	Elf_Scn *scn = NULL;
	size_t names;

	/* No section headers (stripped of them) is no error: there are no notes then. */
	if (elf_getshdrstrndx(elf, &names) < 0)
		return 0;
	array_init(&notes, sizeof(struct note));
	while ((scn = elf_nextscn(elf, scn)))
		if (!object_read_section(elf, o, scn, names, &notes, &base)) {
			array_done(&notes);
			return error_memory(e, "the notes of a file");
		}
	o->note_count = notes.count;
	o->notes = array_take(&notes);
	for (size_t i = 0; base && i < o->note_count; i++)
		note_adjust(&o->notes[i], base);
	return 0;
}

int object_read(int fd, const char *name, struct object **object, struct probes_error *e)
{
	struct object *o = calloc(1, sizeof *o);
	Elf *elf;
	int r;

	if (!o) {
		close(fd);
		return error_memory(e, "a file");
	}
	o->fd = fd;
	array_init(&o->note_data, sizeof(void *));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	r = elf ? object_check_header(elf, o, name, e) : object_bad(e, name, elf_errmsg(-1));
	if (r == 0)
		r = object_read_segments(elf, o, name, e);
	if (r == 0) {
		object_find_headers(elf, o);
		r = object_read_sections(elf, o, e);
	}
	elf_end(elf);
	if (r < 0) {
		object_free(o);
		return r;
	}
	*object = o;
	return 0;
}

void object_drop_notes(struct object *o)
{
	for (size_t i = 0; i < o->note_data.count; i++)
		free(*ARRAY_AT(&o->note_data, void *, i));
	array_done(&o->note_data);
	free(o->notes);
	o->notes = NULL;
	o->note_count = 0;
}

void object_free(struct object *o)
{
	if (!o)
		return;
	close(o->fd);
	object_drop_notes(o);
	free(o->segments);
	free(o->interpreter);
	free(o);
}

const struct object_segment *object_segment_at(
	const struct object *o, uint64_t vaddr, uint64_t length)
{
	for (size_t i = 0; i < o->segment_count; i++) {
		const struct object_segment *s = &o->segments[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->memsz &&
			length <= s->memsz - (vaddr - s->vaddr))
			return s;
	}
	return NULL;
}

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

static uint64_t object_search_symbols(Elf *elf, Elf_Scn *scn, const char *symbol)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Shdr section;
	size_t count;

	if (!data || !gelf_getshdr(scn, &section) || section.sh_entsize == 0)
		return 0;
	count = section.sh_size / section.sh_entsize;
	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		GElf_Sym sym;
		const char *name;

		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, section.sh_link, sym.st_name);
		if (name && !strcmp(name, symbol))
			return sym.st_value;
	}
	return 0;
}

uint64_t object_symbol(const struct object *o, const char *symbol)
{
	Elf *elf = elf_begin(o->fd, ELF_C_READ, NULL);
	Elf_Scn *scn = NULL;
	uint64_t value = 0;

	while (elf && !value && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr section;

		if (gelf_getshdr(scn, &section) && section.sh_type == SHT_DYNSYM)
			value = object_search_symbols(elf, scn, symbol);
	}
	elf_end(elf);
	return value;
}
