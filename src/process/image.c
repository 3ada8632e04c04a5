/*
 * From /proc/PID/maps to opened, verified ELF files with their load bias.
 * Lines are grouped by device and inode, never by path text: paths repeat, are
 * replaced, and mean something else in another mount namespace.
 */
#include "process/image.h"

#include "base/error.h"
#include "process/access.h"
#include "process/image_group.h"
#include "process/procfs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define IMAGE_OPEN (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Text and headers may have been moved to memory without a file: what is left of it in maps. */
static const struct mapping *image_rest_of_executable(
	const struct identity *who, const struct array *mappings)
{
	char path[4097];
	ssize_t length = readlinkat(who->task, "exe", path, sizeof path - 1);
	struct stat st;

	if (length < 0 || fstatat(who->task, "exe", &st, 0) < 0)
		return NULL;
	path[length] = '\0';
	for (size_t i = 0; i < mappings->count; i++) {
		const struct mapping *m = ARRAY_AT(mappings, struct mapping, i);

		if (m->inode == st.st_ino && !strncmp(m->path, path, strlen(m->path)))
			return m;
	}
	return NULL;
}

/* Facts from the auxiliary vector. */
struct image_start {
	uint64_t headers, entry; /* addresses; 0: unknown */
};

static int image_find_start(
	const struct identity *who, struct image_start *start, struct probes_error *e)
{
	int r = procfs_auxv(who->task, AT_PHDR, &start->headers);

	if (r == 0)
		r = procfs_auxv(who->task, AT_ENTRY, &start->entry);
	return r == 0 ? 0
		      : error_set(e, PROBES_FAILED, r, "cannot read the auxv of process %d",
				who->pid);
}

/* Which file is the executable's: the one mapped where the kernel says its headers or entry are. */
static const struct mapping *image_executable_mapping(
	const struct identity *who, const struct array *mappings, const struct image_start *start)
{
	const struct mapping *m = maps_find(mappings, start->headers);

	if (!m || !m->inode)
		m = maps_find(mappings, start->entry);
	return m && m->inode ? m : image_rest_of_executable(who, mappings);
}

static int image_add_executable(const struct identity *who, const struct array *mappings,
	const struct image_start *start, struct image *image, struct probes_error *e)
{
	char path[4097];
	ssize_t length = readlinkat(who->task, "exe", path, sizeof path - 1);
	int fd = length < 0 ? -1 : openat(who->task, "exe", IMAGE_OPEN);
	int cause = errno;
	uint64_t headers = start->headers;
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
	r = object_read_on(fd, path, image->terms, &file, e);
	if (r < 0)
		return r;
	o = image_group_add(image, path, image_executable_mapping(who, mappings, start));
	if (!o) {
		object_free(file);
		return error_memory(e, "the list of objects");
	}
	o->executable = true;
	known = file->fixed || (headers && file->headers_vaddr);
	o->bias = known && !file->fixed ? headers - file->headers_vaddr : 0;
	for (size_t i = 0; !known && i < mappings->count; i++) {
		const struct mapping *m = ARRAY_AT(mappings, struct mapping, i);

		known = !strcmp(m->path, path) && image_group_bias(file, m, &o->bias);
	}
	if (known) {
		o->file = file;
		image_group_place(o);
		image_group_use_up(image, o);
		return 0;
	}
	o->unread = file->note_count;
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

/* Every file with an executable mapping, but for the executable's and what is known. */
static int image_add_files(const struct identity *who, struct memory *memory,
	const struct array *mappings, const struct image_start *start, const struct array *known,
	struct image *image, struct probes_error *e)
{
	const struct mapping *exe = image_executable_mapping(who, mappings, start);
	const struct mapping **files = calloc(mappings->count + 1, sizeof *files);
	size_t count = 0, next;
	int r = 0;

	if (!files)
		return error_memory(e, "the mappings of a process");
	for (size_t i = 0; i < mappings->count; i++) {
		const struct mapping *m = ARRAY_AT(mappings, struct mapping, i);

		if (m->inode && (!exe || !image_same_file(m, exe)))
			files[count++] = m;
	}
	qsort(files, count, sizeof *files, image_by_file);
	for (size_t at = 0; r == 0 && at < count; at = next) {
		bool executable = false;

		for (next = at; next < count && image_same_file(files[at], files[next]); next++)
			executable = executable || files[next]->executable;
		if (executable)
			r = image_group_read(
				&(struct image_group){image, who, memory, &files[at], next - at},
				known, e);
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

static void image_init(struct image *image)
{
	array_init(&image->objects, sizeof(struct image_object));
	array_init(&image->writable, sizeof(struct maps_range));
	image->searches = 0;
}

static int image_read_maps(const struct identity *who, char **text, struct probes_error *e)
{
	size_t size;
	int r = procfs_read_lines(who->task, "maps", maps_drop_anonymous, text, &size);

	if (r == 0 && size)
		return 0;
	free(*text);
	*text = NULL;
	if (!error_is_shortage(r) && (!identity_alive(who) || r == -ESRCH || r == 0))
		return identity_gone(who, e);
	error_set(e, r == -EFBIG ? PROBES_FAILED : PROBES_DENIED, r,
		"cannot read the maps of process %d", who->pid);
	if (r == -EFBIG)
		return error_why(e, "its list of mapped files is longer than 64 MiB");
	return access_explain(who->pid, e);
}

int image_read(const struct identity *who, struct memory *memory, struct image *image,
	struct probes_error *e)
{
	struct image_start start;
	struct array mappings;
	size_t malformed;
	char *text;
	int r = image_read_maps(who, &text, e);

	image_init(image);
	if (r < 0)
		return r;
	array_init(&mappings, sizeof(struct mapping));
	if (!maps_parse(text, &mappings, &malformed) || !maps_writable(&mappings, &image->writable))
		r = error_memory(e, "the mappings of a process");
	if (r == 0)
		r = image_find_start(who, &start, e);
	if (r == 0)
		r = image_add_executable(who, &mappings, &start, image, e);
	if (r == 0)
		r = image_add_files(who, memory, &mappings, &start, NULL, image, e);
	array_done(&mappings);
	free(text);
	if (r < 0)
		image_done(image);
	else
		image_strip_deleted(image);
	return r;
}

static void image_look_for(struct array *known, const struct array *mappings)
{
	for (size_t i = 0; i < known->count; i++) {
		struct image_known *k = ARRAY_AT(known, struct image_known, i);

		k->there = maps_still_there(&k->location, mappings, &k->deleted);
	}
}

int image_read_again(const struct identity *who, struct memory *memory, struct array *known,
	uint64_t *mark, struct image *image, struct probes_error *e)
{
	struct image_start start;
	struct array mappings;
	size_t malformed;
	uint64_t now;
	char *text;
	int r = image_read_maps(who, &text, e);

	image_init(image);
	if (r < 0)
		return r;
	now = maps_mark(text);
	if (now == *mark) {
		free(text);
		return 0;
	}
	array_init(&mappings, sizeof(struct mapping));
	if (!maps_parse(text, &mappings, &malformed) || !maps_writable(&mappings, &image->writable))
		r = error_memory(e, "the mappings of a process");
	if (r == 0)
		r = image_find_start(who, &start, e);
	if (r == 0) {
		image_look_for(known, &mappings);
		r = image_add_files(who, memory, &mappings, &start, known, image, e);
	}
	if (r == 0)
		*mark = now;
	array_done(&mappings);
	free(text);
	if (r < 0)
		image_done(image);
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
	array_done(&image->writable);
}
