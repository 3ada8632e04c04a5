/*
 * ELF_C_READ instead of a mapping: truncating a mapped file would raise SIGBUS. All contents are
 * untrusted; malformed parts are counted, never guessed.
 */
#include "elf/object.h"

#include "base/error.h"
#include "elf/section.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OBJECT_MAX_SEGMENTS 4096
#define OBJECT_ID_WITHIN 65536 /* bytes of a PT_NOTE segment to search for the build-id */

/* The program headers. Without PT_PHDR (some static programs) the segment that holds them is used.
 */
static int object_read_segments(Elf *elf, struct object *o, const Elf64_Ehdr *header,
	const char *name, struct probes_error *e)
{
	struct object_segment *s;
	char path[4097];
	size_t count;
	ssize_t got;

	if (elf_getphdrnum(elf, &count) < 0 || count == 0)
		return section_bad(
			e, name, "it has no program headers: cut short, or never linked");
	if (count > OBJECT_MAX_SEGMENTS)
		return section_bad(e, name, "it claims thousands of program headers");
	o->segments = calloc(count, sizeof *o->segments);
	if (!o->segments)
		return error_memory(e, "the segments of a file");
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(elf, (int)i, &p))
			return section_bad(e, name, "its program headers are cut short");
		if (p.p_type == PT_LOAD)
			o->segments[o->segment_count++] = (struct object_segment){
				.vaddr = p.p_vaddr,
				.offset = p.p_offset,
				.filesz = p.p_filesz,
				.memsz = p.p_memsz < p.p_filesz ? p.p_filesz : p.p_memsz,
				.readable = p.p_flags & PF_R,
				.writable = p.p_flags & PF_W,
				.executable = p.p_flags & PF_X,
			};
		if (p.p_type == PT_PHDR)
			o->headers_vaddr = p.p_vaddr;
		if (p.p_type == PT_GNU_RELRO && p.p_memsz <= UINT64_MAX - p.p_vaddr) {
			o->relro = p.p_vaddr;
			o->relro_end = p.p_vaddr + p.p_memsz;
		}
		if (p.p_type == PT_INTERP && !o->interpreter && p.p_filesz < sizeof path) {
			got = pread(o->fd, path, p.p_filesz, (off_t)p.p_offset);
			path[got > 0 ? got : 0] = '\0';
			o->interpreter = got > 0 ? strdup(path) : NULL;
		}
	}
	s = realloc(o->segments, (o->segment_count + 1) * sizeof *s);
	o->segments = s ? s : o->segments;
	for (size_t i = 0; !o->headers_vaddr && i < o->segment_count; i++) {
		s = &o->segments[i];
		if (header->e_phoff >= s->offset && header->e_phoff - s->offset < s->filesz)
			o->headers_vaddr = s->vaddr + (header->e_phoff - s->offset);
	}
	return 0;
}

/* `vaddr`: link-time address of the notes; 0: not loaded. */
static void object_take_build_id(struct object *o, Elf_Data *data, uint64_t vaddr)
{
	size_t at;

	o->build_id_size = note_build_id(data, sizeof o->build_id, &at);
	if (!o->build_id_size)
		return;
	memcpy(o->build_id, (char *)data->d_buf + at, o->build_id_size);
	if (vaddr)
		o->build_id_vaddr = vaddr + at;
}

/* State while the sections of a file are read. */
struct object_reading {
	Elf *elf;
	struct section_strings names;
	struct notes notes;
	uint64_t base; /* address of .stapsdt.base, or 0 */
	uint64_t room; /* bytes that may still be read into memory */
};

static bool object_is_notes(const struct object_reading *r, const GElf_Shdr *section)
{
	return section->sh_type == SHT_NOTE &&
	       !strcmp(section_string(&r->names, section->sh_name), ".note.stapsdt");
}

/* Describe a PT_NOTE segment as a section header. False: another segment. */
static bool object_note_segment(const struct object_reading *r, size_t index, GElf_Shdr *section)
{
	GElf_Phdr p;

	if (!gelf_getphdr(r->elf, (int)index, &p) || p.p_type != PT_NOTE)
		return false;
	*section = (GElf_Shdr){.sh_type = SHT_NOTE,
		.sh_addr = p.p_vaddr,
		.sh_offset = p.p_offset,
		.sh_size = p.p_filesz,
		.sh_addralign = p.p_align};
	return true;
}

static bool object_has_notes(const struct object_reading *r)
{
	const struct notes *n = &r->notes;

	return n->list.count || n->left_out || (n->tally && n->tally->count);
}

/*
 * Read the notes by segment if the sections gave none: section headers can be stripped, but loaded
 * notes still have their segment. Not in addition, since a note found both ways would count twice.
 * Without the section header of .stapsdt.base the displacement by prelink is unknown: see
 * probe/grouping.c.
 */
static bool object_read_segments_of_notes(struct object *o, struct object_reading *r)
{
	size_t malformed = r->notes.malformed, count;
	bool want = !object_has_notes(r), fits = true;
	uint64_t bytes, left;
	GElf_Shdr notes;
	Elf_Data *data;

	if ((!want && o->build_id_size) || elf_getphdrnum(r->elf, &count) < 0)
		return true;
	r->room = left = section_room(o->fd); /* segments hold the bytes of sections once more */
	for (size_t i = 0; i < count; i++)
		if (object_note_segment(r, i, &notes))
			(void)section_fits(o->fd, &notes, &left);
	bytes = r->room - left;
	if (want && bytes) {
		notes_done(&r->notes);
		fits = notes_init(&r->notes, bytes, r->notes.budget, r->notes.tally);
	}
	for (size_t i = 0; bytes && fits && i < count; i++) {
		if (!object_note_segment(r, i, &notes) || !section_fits(o->fd, &notes, &r->room))
			continue;
		data = o->build_id_size
			       ? NULL
			       : elf_getdata_rawchunk(r->elf, (int64_t)notes.sh_offset,
					 notes.sh_size < OBJECT_ID_WITHIN ? notes.sh_size
									  : OBJECT_ID_WITHIN,
					 notes.sh_addralign == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (data)
			object_take_build_id(o, data, notes.sh_addr);
		if (want)
			fits = notes_read(&r->notes, o->fd, &notes, r->base);
	}
	/* Ignore malformed notes of other owners, whose alignment may differ. */
	if (want)
		r->notes.malformed = malformed + (object_has_notes(r) ? r->notes.malformed : 0);
	return fits;
}

/* `within`: the table of section headers lies within the file. */
static int object_read_notes(Elf *elf, struct object *o, const struct object_terms *terms,
	bool within, struct probes_error *e)
{
	struct object_reading r = {.elf = elf, .room = section_room(o->fd)};
	size_t names = 0, count, bytes = 0;
	GElf_Shdr section;
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	bool fits;

	if (!within || elf_getshdrnum(elf, &count) < 0 || elf_getshdrstrndx(elf, &names) < 0)
		o->sections = OBJECT_SECTIONS_BAD;
	else
		o->sections = count ? OBJECT_SECTIONS_READ : OBJECT_SECTIONS_NONE;
	if (o->sections == OBJECT_SECTIONS_READ)
		r.names = section_strings(elf, names, &r.room);
	/* Without section names the sections cannot be identified. */
	if (o->sections == OBJECT_SECTIONS_READ && !r.names.size)
		o->sections = OBJECT_SECTIONS_BAD;
	while (within && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &section))
			continue;
		if (!strcmp(section_string(&r.names, section.sh_name), ".stapsdt.base"))
			r.base = section.sh_addr;
		if (object_is_notes(&r, &section) && section.sh_size <= r.room - bytes)
			bytes += section.sh_size;
	}
	fits = notes_init(&r.notes, bytes, terms->budget, terms->count ? &o->tally : NULL);
	while (within && fits && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &section) || section.sh_type != SHT_NOTE)
			continue;
		if (!object_is_notes(&r, &section)) {
			data = o->build_id_size ? NULL : section_data(scn, &section, &r.room);
			if (data)
				object_take_build_id(o, data,
					section.sh_flags & SHF_ALLOC ? section.sh_addr : 0);
		} else if (section_fits(o->fd, &section, &r.room)) {
			fits = notes_read(&r.notes, o->fd, &section, r.base);
		} else {
			o->notes_compressed = section.sh_flags & SHF_COMPRESSED;
			r.notes.malformed += section.sh_size > 0;
		}
	}
	fits = fits && object_read_segments_of_notes(o, &r);
	/* libelf reports a section without bytes when it runs out of memory. */
	if (!fits ||
		(errno == ENOMEM && (o->sections == OBJECT_SECTIONS_BAD || r.notes.malformed))) {
		notes_done(&r.notes);
		return error_memory(e, "the notes of a file");
	}
	free(o->tally.table);
	o->tally.table = NULL;
	o->note_malformed = r.notes.malformed;
	o->note_count = r.notes.list.count;
	o->note_left_out = r.notes.left_out;
	o->notes = array_take(&r.notes.list);
	o->strings = r.notes.text;
	return 0;
}

int object_read(int fd, const char *name, struct object **object, struct probes_error *e)
{
	static const struct object_terms unbounded;

	return object_read_on(fd, name, &unbounded, object, e);
}

int object_read_on(int fd, const char *name, const struct object_terms *terms,
	struct object **object, struct probes_error *e)
{
	struct object *o = calloc(1, sizeof *o);
	Elf64_Ehdr header;
	size_t bytes;
	Elf *elf;
	int r, cut;

	if (!o) {
		close(fd);
		return error_memory(e, "a file");
	}
	o->fd = fd;
	elf = section_begin(fd, &header, name, e);
	r = elf ? object_read_segments(elf, o, &header, name, e) : e->code;
	/* Charge for everything but the notes: a process may map thousands of files with thousands
	 * of segments. */
	bytes = sizeof *o + o->segment_count * sizeof *o->segments +
		(o->interpreter ? strlen(o->interpreter) : 0);
	if (r == 0 && terms->budget && !budget_take(terms->budget, bytes)) {
		error_set(e, PROBES_FAILED, -E2BIG, "cannot read %s", name);
		r = error_why(e,
			"left out: the mapped files exceed what is kept (192 MiB a process, "
			"256 MiB in all)");
	}
	if (r == 0) {
		o->fixed = header.e_type == ET_EXEC;
		cut = section_check_table(fd, &header, name, e);
		r = object_read_notes(elf, o, terms, cut == 0, e);
		/* A truncated file loses its section headers first: refuse it. */
		if (r == 0 && cut < 0 && !o->note_count && !o->tally.count)
			r = section_check_table(fd, &header, name, e);
	}
	elf_end(elf);
	if (r < 0)
		object_free(o);
	else
		*object = o;
	return r;
}

static void object_set_mark(int fd, struct object_mark *mark)
{
	struct stat st;

	*mark = (struct object_mark){0};
	if (fstat(fd, &st) < 0)
		return;
	mark->device = st.st_dev;
	mark->inode = st.st_ino;
	mark->size = (uint64_t)st.st_size;
	mark->seconds = st.st_mtim.tv_sec;
	mark->nanoseconds = st.st_mtim.tv_nsec;
}

char *object_drop_notes(struct object *o)
{
	char *strings = o->strings;

	free(o->notes);
	o->notes = NULL;
	o->note_count = 0;
	o->strings = NULL;
	return strings;
}

void object_rest(struct object *o)
{
	if (o->fd < 0)
		return;
	object_set_mark(o->fd, &o->mark);
	close(o->fd);
	o->fd = -1;
}

bool object_wake(struct object *o, int fd)
{
	struct object_mark mark;

	if (fd < 0)
		return false;
	object_set_mark(fd, &mark);
	if (memcmp(&mark, &o->mark, sizeof mark)) {
		close(fd);
		return false;
	}
	o->fd = fd;
	return true;
}

void object_free(struct object *o)
{
	if (!o)
		return;
	free(object_drop_notes(o));
	object_rest(o);
	tally_done(&o->tally);
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

/* Read from vaddr to the end of the segment, or zeros up to the next segment; 0: neither. */
static size_t object_read_piece(
	const struct object *o, uint64_t vaddr, unsigned char *to, size_t most)
{
	size_t hole = most;

	for (size_t i = 0; i < o->segment_count; i++) {
		const struct object_segment *s = &o->segments[i];
		uint64_t at = vaddr - s->vaddr;
		ssize_t n;

		if (s->vaddr > vaddr && s->filesz && s->vaddr - vaddr < hole)
			hole = (size_t)(s->vaddr - vaddr);
		if (vaddr < s->vaddr || at >= s->filesz)
			continue;
		if (most > s->filesz - at)
			most = (size_t)(s->filesz - at);
		n = pread(o->fd, to, most, (off_t)(s->offset + at));
		return n > 0 ? (size_t)n : 0;
	}
	if (hole == most)
		return 0;
	memset(to, 0, hole);
	return hole;
}

void object_read_spans(const struct object *o, struct spans *spans, unsigned char *buffer)
{
	ARRAY_EACH(struct span, span, &spans->list) {
		size_t n;

		for (span->got = 0; span->got < span->length; span->got += n) {
			n = object_read_piece(o, span->address + span->got,
				buffer + span->offset + span->got, span->length - span->got);
			if (!n)
				break;
		}
	}
}

uint64_t object_symbol(const struct object *o, const char *symbol)
{
	uint64_t value = 0, room = section_room(o->fd);
	struct section_strings names = {0};
	struct probes_error e;
	Elf64_Ehdr header;
	GElf_Shdr section = {0};
	Elf *elf = o->sections == OBJECT_SECTIONS_READ ? section_begin(o->fd, &header, "a file", &e)
						       : NULL;
	Elf_Scn *scn = NULL;
	Elf_Data *data;

	/* A file has at most one such table (ELF, chapter 4). */
	while (elf && section.sh_type != SHT_DYNSYM && (scn = elf_nextscn(elf, scn)))
		if (!gelf_getshdr(scn, &section))
			section.sh_type = SHT_NULL;
	data = scn ? section_data(scn, &section, &room) : NULL;
	if (data)
		names = section_strings(elf, section.sh_link, &room);
	for (size_t at = 0; data && !value && at + sizeof(Elf64_Sym) <= data->d_size;
		at += sizeof(Elf64_Sym)) {
		Elf64_Sym sym;

		memcpy(&sym, (const char *)data->d_buf + at, sizeof sym);
		if (sym.st_shndx != SHN_UNDEF &&
			!strcmp(section_string(&names, sym.st_name), symbol))
			value = sym.st_value;
	}
	elf_end(elf);
	return value;
}
