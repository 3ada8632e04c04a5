/*
 * Reading the ELF headers of a mapped file from memory, and looking for a file with the same
 * build-id. The target controls every number in those headers: this file checks all of them. Must
 * not open anything outside the target's root.
 */
#include "process/twin.h"

#include "process/mapped.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TWIN_PAGE 4096ULL
#define TWIN_ENTRIES 16384 /* of a folder, read */
#define TWIN_FILES 32      /* of a folder, opened */
#define TWIN_PATH 4096

/* ---- what memory says ---- */

/* The mapping of the start of the file, for the instance that `m` belongs to. */
static const struct mapping *twin_beginning(
	const struct mapping *const *group, size_t count, const struct mapping *m)
{
	const struct mapping *found = NULL;

	for (size_t i = 0; i < count && group[i]->start <= m->start; i++)
		if (group[i]->offset == 0)
			found = group[i];
	return found;
}

static void twin_take_build_id(
	struct twin_headers *h, const unsigned char *bytes, size_t size, size_t align)
{
	Elf64_Nhdr note;
	size_t at = 0;

	while (size - at >= sizeof note) {
		size_t name, bytes_at, next;

		memcpy(&note, bytes + at, sizeof note);
		if (note.n_namesz > size || note.n_descsz > size)
			return;
		name = at + sizeof note;
		bytes_at = (name + note.n_namesz + align - 1) / align * align;
		next = (bytes_at + note.n_descsz + align - 1) / align * align;
		if (bytes_at + note.n_descsz > size)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof "GNU" &&
			!memcmp(bytes + name, "GNU", sizeof "GNU") && note.n_descsz &&
			note.n_descsz <= sizeof h->build_id) {
			h->build_id_size = note.n_descsz;
			memcpy(h->build_id, bytes + bytes_at, note.n_descsz);
			return;
		}
		if (next > size)
			return;
		at = next;
	}
}

static void twin_take_header(struct memory *memory, const struct mapping *first,
	struct twin_headers *h, const Elf64_Phdr *p)
{
	unsigned char notes[TWIN_PAGE];

	if (p->p_type == PT_LOAD && h->segment_count < TWIN_SEGMENTS)
		h->segments[h->segment_count++] = (struct object_segment){.vaddr = p->p_vaddr,
			.offset = p->p_offset,
			.filesz = p->p_filesz,
			.memsz = p->p_memsz,
			.executable = p->p_flags & PF_X};
	/* Loaded notes lie near the start of the file, in the same mapping. */
	if (p->p_type != PT_NOTE || h->build_id_size || p->p_filesz > sizeof notes ||
		p->p_offset > first->end - first->start ||
		p->p_filesz > first->end - first->start - p->p_offset)
		return;
	if (memory_read(memory, first->start + p->p_offset, notes, p->p_filesz))
		twin_take_build_id(h, notes, p->p_filesz, p->p_align == 8 ? 8 : 4);
}

void twin_read_headers(struct memory *memory, const struct mapping *const *group, size_t count,
	const struct mapping *m, struct twin_headers *h)
{
	const struct mapping *first = twin_beginning(group, count, m);
	Elf64_Phdr p[TWIN_PAGE / sizeof(Elf64_Phdr)];
	Elf64_Ehdr header;

	memset(h, 0, sizeof *h);
	h->is = TWIN_NO_ELF;
	if (!first)
		return;
	if (!memory_read(memory, first->start, &header, sizeof header)) {
		h->is = TWIN_UNKNOWN;
		return;
	}
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
		header.e_machine != EM_X86_64)
		return;
	h->is = TWIN_ELF;
	if (header.e_phentsize != sizeof *p || header.e_phoff > TWIN_PAGE ||
		header.e_phnum > sizeof p / sizeof *p ||
		!memory_read(memory, first->start + header.e_phoff, p, header.e_phnum * sizeof *p))
		return;
	for (size_t i = 0; i < header.e_phnum; i++)
		twin_take_header(memory, first, h, &p[i]);
}

/* ---- is this the one? ---- */

/*
 * The segments of both must agree. A debug file has the same addresses, but no contents: its file
 * offsets are replaced by those of the mapped file, so that the object can be located, and none of
 * its bytes are taken for code.
 */
static bool twin_agrees(struct object *file, const struct twin_headers *h)
{
	if (file->segment_count != h->segment_count)
		return false;
	for (size_t i = 0; i < h->segment_count; i++) {
		const struct object_segment *s = &file->segments[i], *live = &h->segments[i];

		if (s->vaddr != live->vaddr || s->executable != live->executable)
			return false;
		file->no_code =
			file->no_code || s->offset != live->offset || s->filesz != live->filesz;
	}
	for (size_t i = 0; file->no_code && i < h->segment_count; i++) {
		file->segments[i].offset = h->segments[i].offset;
		file->segments[i].memsz = h->segments[i].memsz;
		file->segments[i].filesz = 0;
	}
	return true;
}

/* An object of the file at `fd`, or NULL if the file is no twin. Takes over or closes `fd`. */
static struct object *twin_take(
	int fd, const struct object_terms *terms, const struct twin_headers *h)
{
	struct object *file;
	struct probes_error e;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return NULL;
	}
	if (object_read_on(fd, "a file", terms, &file, &e) < 0)
		return NULL;
	if (file->build_id_vaddr && file->build_id_size == h->build_id_size &&
		!memcmp(file->build_id, h->build_id, h->build_id_size) && twin_agrees(file, h))
		return file;
	object_free(file);
	return NULL;
}

/* ---- where one may be ---- */

static DIR *twin_open_folder(int fd)
{
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (!folder && fd >= 0)
		close(fd);
	return folder;
}

/*
 * A mapped file without a name on disk may still be open in the process. Compare the link text
 * before any open: other files that the process has open may block.
 */
static struct object *twin_among_open(const struct identity *who, const struct mapping *m,
	const struct object_terms *terms, const struct twin_headers *h)
{
	DIR *folder = twin_open_folder(openat(who->task, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	char wanted[300], text[300];
	struct object *found = NULL;
	struct dirent *one;
	size_t length = (size_t)snprintf(wanted, sizeof wanted, "%s (deleted)", m->path);

	if (!folder)
		return NULL;
	for (int i = 0; !found && i < TWIN_ENTRIES && (one = readdir(folder)); i++) {
		ssize_t n = readlinkat(dirfd(folder), one->d_name, text, sizeof text);
		struct stat st;
		int fd;

		if (n < 0 || (size_t)n != length || length > sizeof text ||
			memcmp(text, wanted, length))
			continue;
		fd = openat(dirfd(folder), one->d_name, MAPPED_OPEN);
		if (fd >= 0 && (fstat(fd, &st) < 0 || st.st_ino != m->inode)) {
			close(fd);
			continue;
		}
		found = twin_take(fd, terms, h);
	}
	closedir(folder);
	return found;
}

/* Length of the part of a file name that versions share: "libfoo.so" of libfoo.so.1.2.3. */
static size_t twin_stem(const char *name)
{
	const char *so = strstr(name, ".so");

	return so ? (size_t)(so - name) + 3 : strlen(name);
}

static struct object *twin_beside(const struct identity *who, const struct mapping *m,
	const struct object_terms *terms, const struct twin_headers *h)
{
	const char *slash = strrchr(m->path, '/');
	char path[TWIN_PATH];
	struct object *found = NULL;
	struct dirent *one;
	size_t folder_length, stem;
	int opened = 0;
	DIR *folder;

	if (!slash || m->path[0] != '/' || (size_t)(slash - m->path) + 2 > sizeof path)
		return NULL;
	folder_length = (size_t)(slash - m->path) + 1;
	memcpy(path, m->path, folder_length);
	path[folder_length] = '\0';
	folder = twin_open_folder(mapped_open_below_root(who, path, O_DIRECTORY));
	if (!folder)
		return NULL;
	stem = twin_stem(slash + 1);
	for (int i = 0; !found && i < TWIN_ENTRIES && (one = readdir(folder)); i++) {
		if (strncmp(one->d_name, slash + 1, stem) ||
			(one->d_type != DT_REG && one->d_type != DT_UNKNOWN) ||
			folder_length + strlen(one->d_name) >= sizeof path ||
			opened++ >= TWIN_FILES)
			continue;
		strcpy(path + folder_length, one->d_name);
		found = twin_take(mapped_open_below_root(who, path, 0), terms, h);
	}
	closedir(folder);
	return found;
}

/*
 * Folders in which files are found by their build-id: /usr/lib/.build-id has links to the files
 * themselves (Fedora), /usr/lib/debug/.build-id the debug files (gdb's manual, "Separate Debug
 * Files").
 */
static struct object *twin_by_build_id(
	const struct identity *who, const struct object_terms *terms, const struct twin_headers *h)
{
	static const char *const places[][2] = {{"/usr/lib/.build-id/", ""},
		{"/usr/lib/debug/.build-id/", ""}, {"/usr/lib/debug/.build-id/", ".debug"}};
	char hex[2 * sizeof h->build_id + 1] = "", path[sizeof hex + 64];
	struct object *found = NULL;

	for (size_t i = 0; i < h->build_id_size; i++)
		snprintf(hex + 2 * i, 3, "%02x", h->build_id[i]);
	for (size_t i = 0; !found && i < sizeof places / sizeof *places; i++) {
		snprintf(
			path, sizeof path, "%s%.2s/%s%s", places[i][0], hex, hex + 2, places[i][1]);
		found = twin_take(mapped_open_below_root(who, path, 0), terms, h);
	}
	return found;
}

struct object *twin_find(const struct identity *who, const struct mapping *m,
	const struct object_terms *terms, const struct twin_headers *h)
{
	static const char memory[] = "/memfd:";
	struct object *found;

	if (h->is != TWIN_ELF || h->build_id_size < 2)
		return NULL;
	if (!strncmp(m->path, memory, sizeof memory - 1))
		return twin_among_open(who, m, terms, h);
	found = twin_beside(who, m, terms, h);
	return found ? found : twin_by_build_id(who, terms, h);
}
