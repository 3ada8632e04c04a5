/*
 * Opens and verifies the file behind a mapping, or a file with the same build-id. The target
 * controls its memory, its root and all numbers in ELF headers: all of them are checked, and
 * nothing outside the root of the target is opened by name.
 */
#include "process/mapped.h"

#include "base/error.h"
#include "process/procfs.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAPPED_PAGE 4096ULL
#define MAPPED_ENTRIES 16384 /* of a directory, read */
#define MAPPED_FILES 32      /* of a directory, opened */
#define MAPPED_PATH 4096

/* ---- opening ---- */

/*
 * Open a path below the root of the process, without following a link out of it; `flags` are added
 * to MAPPED_OPEN. Returns a descriptor of any file type, or a negative errno.
 */
static int mapped_open_below_root(const struct identity *who, const char *path, int flags)
{
	struct open_how how = {.flags = (unsigned)(MAPPED_OPEN | flags),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	int root = identity_openat(who, "root", O_PATH | O_DIRECTORY);
	long fd;

	if (root < 0)
		return root;
	fd = syscall(SYS_openat2, root, path, &how, sizeof how);
	if (fd < 0)
		fd = -errno;
	close(root);
	return (int)fd;
}

/* The path may name a FIFO or a device now: only regular files are read. */
static int mapped_regular(int fd, uint64_t inode, bool *same)
{
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return -ENOEXEC;
	}
	/* The device is not compared: btrfs shows another one in maps than in stat. */
	*same = st.st_ino == inode;
	return fd;
}

/* Needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN: proc_map_files_get_link() in fs/proc/base.c. */
static int mapped_open_exact(const struct identity *who, const struct mapping *m)
{
	return procfs_open(who->proc, MAPPED_OPEN, "map_files/%lx-%lx", m->start, m->end);
}

bool mapped_needs_privilege(const struct identity *who, const struct mapping *m)
{
	int fd = mapped_open_exact(who, m);

	if (fd >= 0)
		close(fd);
	return fd == -EPERM;
}

int mapped_open(const struct identity *who, const struct mapping *m, bool *exact)
{
	bool same;
	int fd = mapped_regular(mapped_open_exact(who, m), m->inode, &same);

	*exact = fd >= 0;
	if (fd >= 0 || fd == -ENOEXEC || error_is_shortage(fd))
		return fd;
	return mapped_regular(mapped_open_below_root(who, m->path, 0), m->inode, &same);
}

int mapped_reopen(const struct identity *who, const struct maps_location *location, bool executable)
{
	struct array mappings = ARRAY_OF(struct mapping);
	size_t malformed;
	bool exact;
	char *text;
	int fd;

	if (executable)
		return identity_openat(who, "exe", MAPPED_OPEN);
	fd = identity_maps(who, maps_drop_anonymous, &text, NULL);
	if (fd < 0)
		return fd;
	fd = maps_parse(text, &mappings, &malformed) ? -ENOENT : -ENOMEM;
	for (size_t i = 0; fd == -ENOENT && i < mappings.count; i++)
		if (maps_same_file(location, ARRAY_AT(&mappings, struct mapping, i)))
			fd = mapped_open(who, ARRAY_AT(&mappings, struct mapping, i), &exact);
	array_done(&mappings);
	free(text);
	return fd;
}

/* ---- verifying ---- */

/* 1: equal, 0: different, -1: unknown. */
static int mapped_same_build_id(struct memory *memory, const struct object *file, uint64_t bias)
{
	unsigned char live[sizeof file->build_id];

	if (!file->build_id_vaddr ||
		!memory_read(memory, bias + file->build_id_vaddr, live, file->build_id_size))
		return -1;
	return !memcmp(live, file->build_id, file->build_id_size);
}

bool mapped_is(struct memory *memory, const struct object *file, uint64_t bias, uint64_t inode)
{
	const struct object_segment *first = file->segments;
	unsigned char on_disk[MAPPED_PAGE], live[MAPPED_PAGE];
	struct spans one;
	struct stat st;
	size_t length;
	bool same;

	if (memory->fd < 0)
		return fstat(file->fd, &st) == 0 && st.st_ino == inode;
	if (file->build_id_vaddr)
		return mapped_same_build_id(memory, file, bias) > 0;
	/* Without a build-id its first bytes tell. */
	if (!file->segment_count || first->writable)
		return false;
	length = first->filesz < MAPPED_PAGE ? first->filesz : MAPPED_PAGE;
	spans_init(&one, 0, SIZE_MAX);
	same = length && spans_add(&one, first->vaddr, length) == 0;
	if (same)
		object_read_spans(file, &one, on_disk);
	same = same && spans_got(&one, 0, length) == length &&
	       memory_read(memory, bias + first->vaddr, live, length) &&
	       !memcmp(on_disk, live, length);
	spans_done(&one);
	return same;
}

bool mapped_replaced(struct memory *memory, const struct object *file, uint64_t bias)
{
	return mapped_same_build_id(memory, file, bias) == 0;
}

/* ---- ELF headers in memory ---- */

void mapped_read_headers(struct memory *memory, const struct mapping *const *group, size_t count,
	const struct mapping *m, struct mapped_headers *h)
{
	const struct mapping *first = NULL;
	Elf64_Phdr p[MAPPED_PAGE / sizeof(Elf64_Phdr)];
	_Alignas(8) unsigned char notes[MAPPED_PAGE];
	Elf_Data data = {.d_buf = notes};
	Elf64_Ehdr header;
	uint64_t length;
	size_t at = 0;

	memset(h, 0, sizeof *h);
	h->is = MAPPED_NO_ELF;
	/* The mapping of the start of the file, in the instance that `m` belongs to. */
	for (size_t i = 0; i < count && group[i]->start <= m->start; i++)
		if (group[i]->offset == 0)
			first = group[i];
	if (!first)
		return;
	if (!memory_read(memory, first->start, &header, sizeof header)) {
		h->is = MAPPED_UNKNOWN;
		return;
	}
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
		header.e_machine != EM_X86_64)
		return;
	h->is = MAPPED_ELF;
	if (header.e_phentsize != sizeof *p || header.e_phoff > MAPPED_PAGE ||
		header.e_phnum > sizeof p / sizeof *p ||
		!memory_read(memory, first->start + header.e_phoff, p, header.e_phnum * sizeof *p))
		return;
	length = first->end - first->start;
	for (const Elf64_Phdr *one = p; one < p + header.e_phnum; one++) {
		if (one->p_type == PT_LOAD && h->segment_count < MAPPED_SEGMENTS)
			h->segments[h->segment_count++] =
				(struct object_segment){.vaddr = one->p_vaddr,
					.offset = one->p_offset,
					.filesz = one->p_filesz,
					.memsz = one->p_memsz,
					.executable = one->p_flags & PF_X};
		/* Loaded notes lie near the start of the file, in the same mapping. */
		if (one->p_type == PT_NOTE && !h->build_id_size && one->p_filesz <= sizeof notes &&
			one->p_offset <= length && one->p_filesz <= length - one->p_offset &&
			memory_read(memory, first->start + one->p_offset, notes, one->p_filesz)) {
			data.d_size = one->p_filesz;
			data.d_type = one->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
			h->build_id_size = note_build_id(&data, sizeof h->build_id, &at);
			memcpy(h->build_id, notes + at, h->build_id_size);
		}
	}
}

/* ---- a file with the same build-id ---- */

/*
 * Do the segments match those in memory? A debug file has the same addresses, but no contents: its
 * file offsets are replaced by those of the mapped file, so that the object can be located, and
 * none of its bytes count as code.
 */
static bool mapped_segments_match(struct object *file, const struct mapped_headers *h)
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

/* Read the file at `fd`; NULL if it is no substitute. Owns or closes `fd`. */
static struct object *mapped_take(
	int fd, const struct object_terms *terms, const struct mapped_headers *h)
{
	struct object *file;
	struct probes_error e;
	bool same;

	fd = mapped_regular(fd, 0, &same);
	if (fd < 0)
		return NULL;
	if (object_read_on(fd, "a file", terms, &file, &e) < 0)
		return NULL;
	if (file->build_id_vaddr && file->build_id_size == h->build_id_size &&
		!memcmp(file->build_id, h->build_id, h->build_id_size) &&
		mapped_segments_match(file, h))
		return file;
	object_free(file);
	return NULL;
}

/*
 * A mapped file without a name on disk may still be open in the process. Compare the link text
 * before opening: other files that the process has open may block.
 */
static struct object *mapped_among_open(const struct identity *who, const struct mapping *m,
	const struct object_terms *terms, const struct mapped_headers *h)
{
	DIR *folder = procfs_list(identity_openat(who, "fd", O_RDONLY | O_DIRECTORY));
	char wanted[300], text[300];
	struct object *found = NULL;
	struct dirent *one;
	size_t length = (size_t)snprintf(wanted, sizeof wanted, "%s (deleted)", m->path);

	if (!folder)
		return NULL;
	for (int i = 0; !found && i < MAPPED_ENTRIES && (one = readdir(folder)); i++) {
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
		found = mapped_take(fd, terms, h);
	}
	closedir(folder);
	return found;
}

/* Beside the file: an upgrade may leave another version, with the same name up to ".so". */
static struct object *mapped_beside(const struct identity *who, const struct mapping *m,
	const struct object_terms *terms, const struct mapped_headers *h)
{
	const char *slash = strrchr(m->path, '/'), *so;
	char path[MAPPED_PATH];
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
	folder = procfs_list(mapped_open_below_root(who, path, O_DIRECTORY));
	if (!folder)
		return NULL;
	so = strstr(slash, ".so");
	stem = so ? (size_t)(so + 3 - (slash + 1)) : strlen(slash + 1);
	for (int i = 0; !found && i < MAPPED_ENTRIES && (one = readdir(folder)); i++) {
		if (strncmp(one->d_name, slash + 1, stem) ||
			(one->d_type != DT_REG && one->d_type != DT_UNKNOWN) ||
			folder_length + strlen(one->d_name) >= sizeof path ||
			opened++ >= MAPPED_FILES)
			continue;
		strcpy(path + folder_length, one->d_name);
		found = mapped_take(mapped_open_below_root(who, path, 0), terms, h);
	}
	closedir(folder);
	return found;
}

struct object *mapped_find_substitute(const struct identity *who, const struct mapping *m,
	const struct object_terms *terms, const struct mapped_headers *h)
{
	/* /usr/lib/.build-id has links to the files themselves (Fedora), /usr/lib/debug/.build-id
	 * the debug files (gdb's manual, "Separate Debug Files"). */
	static const char *const folders[][2] = {{"/usr/lib/.build-id/", ""},
		{"/usr/lib/debug/.build-id/", ""}, {"/usr/lib/debug/.build-id/", ".debug"}};
	char hex[2 * sizeof h->build_id + 1] = "", path[sizeof hex + 64];
	struct object *found;

	if (h->is != MAPPED_ELF || h->build_id_size < 2)
		return NULL;
	if (!strncmp(m->path, "/memfd:", sizeof "/memfd:" - 1))
		return mapped_among_open(who, m, terms, h);
	found = mapped_beside(who, m, terms, h);
	for (size_t i = 0; i < h->build_id_size; i++)
		snprintf(hex + 2 * i, 3, "%02x", h->build_id[i]);
	for (size_t i = 0; !found && i < sizeof folders / sizeof *folders; i++) {
		snprintf(path, sizeof path, "%s%.2s/%s%s", folders[i][0], hex, hex + 2,
			folders[i][1]);
		found = mapped_take(mapped_open_below_root(who, path, 0), terms, h);
	}
	return found;
}
