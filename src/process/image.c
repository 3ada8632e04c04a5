/*
 * From /proc/PID/maps to opened, verified ELF files with their load bias.
 * Lines are grouped by device and inode, never by path text: paths repeat, are
 * replaced, and mean something else in another mount namespace.
 */
#include "process/image.h"

#include "base/error.h"
#include "process/access.h"
#include "process/procfs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define IMAGE_PAGE 4096ULL
#define IMAGE_INSTANCES 16 /* of one file in one process */
#define IMAGE_OPEN (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* ---- opening ---- */

static int image_open_below_root(const struct identity *who, const char *path)
{
	struct open_how how = {
		.flags = IMAGE_OPEN, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	int root = openat(who->task, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	long fd;

	if (root < 0)
		return -errno;
	fd = syscall(SYS_openat2, root, path, &how, sizeof how);
	if (fd < 0)
		fd = -errno;
	close(root);
	return (int)fd;
}

/* A FIFO or a device may stand where the path points now: only regular files are read. */
static int image_regular(int fd, uint64_t inode, bool *same)
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

int image_open(const struct identity *who, const struct mapping *m, bool *exact)
{
	char path[64];
	bool same;
	int fd;

	snprintf(path, sizeof path, "map_files/%lx-%lx", m->start, m->end);
	fd = image_regular(openat(who->proc, path, IMAGE_OPEN), m->inode, &same);
	*exact = fd >= 0;
	if (fd >= 0 || fd == -ENOEXEC)
		return fd;
	return image_regular(image_open_below_root(who, m->path), m->inode, &same);
}

/* ---- is it the file that is mapped? ---- */

static bool image_same_bytes(struct memory *memory, const struct object *file, uint64_t bias)
{
	const struct object_segment *first = file->segments;
	unsigned char on_disk[IMAGE_PAGE], live[IMAGE_PAGE];
	struct spans one;
	size_t length;
	bool same;

	if (!file->segment_count || first->writable)
		return false;
	length = first->filesz < IMAGE_PAGE ? first->filesz : IMAGE_PAGE;
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

static bool image_same_build_id(struct memory *memory, const struct object *file, uint64_t bias)
{
	unsigned char live[sizeof file->build_id];

	return memory_read(memory, bias + file->build_id_vaddr, live, file->build_id_size) &&
	       !memcmp(live, file->build_id, file->build_id_size);
}

static bool image_accept(
	struct memory *memory, const struct object *file, uint64_t bias, uint64_t inode)
{
	struct stat st;

	if (memory->fd < 0)
		return fstat(file->fd, &st) == 0 && st.st_ino == inode;
	if (file->build_id_vaddr)
		return image_same_build_id(memory, file, bias);
	return image_same_bytes(memory, file, bias);
}

/* ---- bias ---- */

/*
 * The bias that a mapping gives, if the start of the first executable segment lies in it. mprotect
 * may have split a segment into several mappings: only the one with its start counts.
 */
static bool image_bias(const struct object *file, const struct mapping *m, uint64_t *bias)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct object_segment *s = &file->segments[i];
		uint64_t offset = s->offset & ~(IMAGE_PAGE - 1);

		if (!s->executable)
			continue;
		if (!m->executable || offset < m->offset || offset - m->offset >= m->end - m->start)
			return false;
		*bias = m->start + (offset - m->offset) - (s->vaddr & ~(IMAGE_PAGE - 1));
		return true;
	}
	return false;
}

/* ---- the list ---- */

static struct image_object *image_add(struct image *image, const char *path, bool deleted)
{
	struct image_object *o = array_add(&image->objects);

	if (!o)
		return NULL;
	o->deleted = deleted;
	o->path = strdup(path);
	if (!o->path) {
		image->objects.count--;
		return NULL;
	}
	return o;
}

static void image_refuse(struct image *image, const struct mapping *m, const char *why)
{
	struct image_object *o = image_add(image, m->path, m->deleted);

	if (o)
		snprintf(o->why, sizeof o->why, "%s", why);
}

/* An object of the file at `fd`, if a mapping holds its beginning. */
static bool image_add_instance(struct image *image, struct memory *memory, const struct mapping *m,
	struct object *file, bool exact)
{
	struct image_object *o;
	uint64_t bias;

	if (!image_bias(file, m, &bias))
		return false;
	if (!exact && !image_accept(memory, file, bias, m->inode)) {
		image_refuse(image, m, "the file on disk is not the one that is mapped");
		object_free(file);
		return true;
	}
	o = image_add(image, m->path, m->deleted);
	if (o) {
		o->bias = bias;
		o->file = file;
	} else {
		object_free(file);
	}
	return true;
}

/* Open and read the file behind a mapping; NULL and a reason in the list where that fails. */
static struct object *image_read_file(
	struct image *image, const struct identity *who, const struct mapping *m, bool *exact)
{
	struct probes_error e;
	struct object *file;
	int fd = image_open(who, m, exact);

	if (fd < 0)
		image_refuse(image, m,
			m->deleted ? "deleted or replaced on disk, and only the privileged may "
				     "open what is mapped"
				   : strerror(-fd));
	else if (object_read(fd, m->path, &file, &e) < 0)
		image_refuse(image, m, e.why);
	else
		return file;
	return NULL;
}

/*
 * The same file may be mapped several times (dlmopen): an object for each mapping that begins one.
 * Read once, and again only for a further instance.
 */
static void image_add_instances(struct image *image, struct memory *memory,
	const struct identity *who, const struct mapping *const *group, size_t count)
{
	struct object *file = NULL;
	size_t found = 0;
	bool exact;

	for (size_t i = 0; i < count && found < IMAGE_INSTANCES; i++) {
		if (!group[i]->executable)
			continue;
		if (!file)
			file = image_read_file(image, who, group[i], &exact);
		if (!file)
			return;
		if (image_add_instance(image, memory, group[i], file, exact)) {
			found++;
			file = NULL;
		}
	}
	object_free(file);
	if (!found)
		image_refuse(
			image, group[0], "no executable part of it is mapped as its headers say");
}

static int image_add_executable(const struct identity *who, const struct array *mappings,
	struct image *image, struct probes_error *e)
{
	char path[4097];
	ssize_t length = readlinkat(who->task, "exe", path, sizeof path - 1);
	int fd = length < 0 ? -1 : openat(who->task, "exe", IMAGE_OPEN);
	int cause = errno;
	uint64_t headers = procfs_auxv(who->task, AT_PHDR);
	struct image_object *o;
	struct object *file;
	bool known;
	int r;

	/* Past its end, not yet a zombie, a process has no program. */
	if (fd < 0 && (cause == ENOENT || cause == ESRCH))
		return identity_gone(who, e);
	if (fd < 0) {
		error_set(e, PROBES_DENIED, -cause, "cannot open the program of process %d",
			who->pid);
		return access_explain(who->pid, e);
	}
	path[length] = '\0';
	r = object_read(fd, path, &file, e);
	if (r < 0)
		return r;
	o = image_add(image, path, false);
	if (!o) {
		object_free(file);
		return error_memory(e, "the list of objects");
	}
	o->executable = true;
	known = file->fixed || (headers && file->headers_vaddr);
	o->bias = known && !file->fixed ? headers - file->headers_vaddr : 0;
	for (size_t i = 0; !known && i < mappings->count; i++) {
		const struct mapping *m = ARRAY_AT(mappings, struct mapping, i);

		known = !strcmp(m->path, path) && image_bias(file, m, &o->bias);
	}
	if (known) {
		o->file = file;
		return 0;
	}
	object_free(file);
	snprintf(o->why, sizeof o->why, "where it is loaded cannot be told from auxv or maps");
	return 0;
}

static int image_by_file(const void *a, const void *b)
{
	const struct mapping *x = *(const struct mapping *const *)a;
	const struct mapping *y = *(const struct mapping *const *)b;

	if (x->major != y->major)
		return x->major < y->major ? -1 : 1;
	if (x->minor != y->minor)
		return x->minor < y->minor ? -1 : 1;
	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static bool image_same_file(const struct mapping *x, const struct mapping *y)
{
	return x->major == y->major && x->minor == y->minor && x->inode == y->inode;
}

/* Which file is the executable's: the one mapped where the kernel says its headers or entry are. */
static const struct mapping *image_executable_mapping(
	const struct identity *who, const struct array *mappings)
{
	const struct mapping *m = maps_find(mappings, procfs_auxv(who->task, AT_PHDR));

	if (!m || !m->inode)
		m = maps_find(mappings, procfs_auxv(who->task, AT_ENTRY));
	return m && m->inode ? m : NULL;
}

static int image_add_all(const struct identity *who, struct memory *memory,
	const struct array *mappings, struct image *image, struct probes_error *e)
{
	const struct mapping *exe = image_executable_mapping(who, mappings);
	const struct mapping **files = calloc(mappings->count + 1, sizeof *files);
	size_t count = 0, next;
	int r;

	if (!files)
		return error_memory(e, "the mappings of a process");
	r = image_add_executable(who, mappings, image, e);
	for (size_t i = 0; r == 0 && i < mappings->count; i++) {
		const struct mapping *m = ARRAY_AT(mappings, struct mapping, i);

		if (m->inode)
			files[count++] = m;
	}
	qsort(files, count, sizeof *files, image_by_file);
	for (size_t at = 0; at < count; at = next) {
		bool executable = false;

		for (next = at; next < count && image_same_file(files[at], files[next]); next++)
			executable = executable || files[next]->executable;
		if (exe && image_same_file(files[at], exe)) {
			if (image->objects.count)
				ARRAY_AT(&image->objects, struct image_object, 0)->deleted =
					exe->deleted;
		} else if (executable) {
			image_add_instances(image, memory, who, &files[at], next - at);
		}
	}
	free(files);
	return r;
}

static void image_strip_deleted(struct image *image)
{
	static const char mark[] = " (deleted)";
	struct image_object *exe = image->objects.data;
	size_t length = exe ? strlen(exe->path) : 0;

	if (exe && exe->deleted && length >= sizeof mark &&
		!strcmp(exe->path + length - (sizeof mark - 1), mark))
		exe->path[length - (sizeof mark - 1)] = '\0';
}

int image_read(const struct identity *who, struct memory *memory, struct image *image,
	struct probes_error *e)
{
	struct array mappings;
	size_t size, malformed;
	char *text;
	int r = procfs_read(who->task, "maps", &text, &size);

	array_init(&image->objects, sizeof(struct image_object));
	if (r < 0 || size == 0) {
		free(text);
		if (!identity_alive(who) || r == -ESRCH || (r == 0 && size == 0))
			return identity_gone(who, e);
		error_set(e, PROBES_DENIED, r, "cannot read the maps of process %d", who->pid);
		return access_explain(who->pid, e);
	}
	array_init(&mappings, sizeof(struct mapping));
	if (maps_parse(text, &mappings, &malformed))
		r = image_add_all(who, memory, &mappings, image, e);
	else
		r = error_memory(e, "the mappings of a process");
	array_done(&mappings);
	free(text);
	if (r < 0)
		image_done(image);
	else
		image_strip_deleted(image);
	return r;
}

void image_done(struct image *image)
{
	for (size_t i = 0; i < image->objects.count; i++) {
		struct image_object *o = ARRAY_AT(&image->objects, struct image_object, i);

		object_free(o->file);
		free(o->path);
	}
	array_done(&image->objects);
}
