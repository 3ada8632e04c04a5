/*
 * From /proc/PID/maps to opened, verified ELF files with their load bias.
 * Lines are grouped by device and inode, never by path text: paths repeat, are
 * replaced, and mean something else in another mount namespace.
 */
#include "process/image.h"

#include "base/error.h"
#include "process/access.h"
#include "process/mapped.h"
#include "process/procfs.h"
#include "process/twin.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define IMAGE_PAGE 4096ULL
#define IMAGE_INSTANCES 16 /* of one file in one process */
#define IMAGE_SEARCHES 64  /* searches for another file: a folder may have thousands of entries */
#define IMAGE_REPLACED "the file on disk is not the one that is mapped"
#define IMAGE_OPEN (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

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

/* m: a mapping of it, or NULL. */
static struct image_object *image_add(
	struct image *image, const char *path, const struct mapping *m)
{
	struct image_object *o = array_add(&image->objects);

	if (!o)
		return NULL;
	if (m) {
		o->deleted = m->deleted;
		o->place = (struct place){.major = m->major, .minor = m->minor, .inode = m->inode};
	}
	o->path = strdup(path);
	if (!o->path) {
		image->objects.count--;
		return NULL;
	}
	return o;
}

/* Where its segments begin, now that its bias is known. */
static void image_place(struct image_object *o)
{
	const struct object_segment *first = o->file->segments;

	o->place.base = o->bias + (first->vaddr & ~(IMAGE_PAGE - 1));
	for (size_t i = 0; i < o->file->segment_count && !o->place.text; i++) {
		const struct object_segment *s = &o->file->segments[i];

		if (!s->executable)
			continue;
		o->place.text = o->bias + (s->vaddr & ~(IMAGE_PAGE - 1));
		o->place.offset = s->offset & ~(IMAGE_PAGE - 1);
	}
}

/* Keep only what is still needed: a process may map thousands of files. */
static void image_use_up(const struct image *image, struct image_object *o)
{
	if (image->terms->count) {
		o->probes = o->file->tally.count;
		o->more = o->file->tally.more;
		object_free(o->file);
		o->file = NULL;
	} else if (!o->file->note_count) {
		object_rest(o->file);
	}
}

static struct image_object *image_refuse(
	struct image *image, const struct mapping *m, const char *why)
{
	struct image_object *o = image_add(image, m->path, m);

	if (o)
		snprintf(o->why, sizeof o->why, "%.*s", (int)sizeof o->why - 1, why);
	return o;
}

/* The mappings of one file, ascending, and their process. */
struct image_group {
	struct image *image;
	const struct identity *who;
	struct memory *memory;
	const struct mapping *const *mappings;
	size_t count;
};

/* What would help if neither the mapped file nor a replacement can be opened. */
static const char *image_remedy(const struct image_group *g, const struct mapping *m)
{
	if (!mapped_needs_privilege(g->who, m))
		return NULL;
	return geteuid() ? "sudo probes-tui, or restart the process"
			 : "run it with CAP_CHECKPOINT_RESTORE, or restart the process";
}

/*
 * List an object whose notes cannot be read. A mapping that is no ELF file in memory has none
 * (run-time generated code in shared memory); any other may have notes.
 */
static void image_refuse_unread(const struct image_group *g, const struct mapping *m,
	const char *why, const struct twin_headers *headers)
{
	struct image_object *o = image_refuse(g->image, m, why);

	if (!o || headers->is == TWIN_NO_ELF)
		return;
	o->unread = true;
	o->build_id_size = headers->build_id_size;
	memcpy(o->build_id, headers->build_id, sizeof o->build_id);
	o->remedy = image_remedy(g, m);
	if (o->remedy)
		snprintf(o->why, sizeof o->why, "%.110s; %s", why, o->remedy);
}

/* A library that is unloaded while we look at it has not been replaced. */
static bool image_has_gone(const struct image_group *g, const struct mapping *m)
{
	char byte;

	return g->memory->fd >= 0 && m->readable && !memory_read(g->memory, m->start, &byte, 1);
}

/* Add an object, which takes over `file`, if a mapping holds the beginning of the file. */
static bool image_add_instance(
	const struct image_group *g, const struct mapping *m, struct object *file, bool exact)
{
	struct twin_headers headers;
	struct image_object *o;
	uint64_t bias;

	if (!image_bias(file, m, &bias))
		return false;
	if (!exact && !mapped_is(g->memory, file, bias, m->inode)) {
		object_free(file);
		if (image_has_gone(g, m))
			return true;
		twin_read_headers(g->memory, g->mappings, g->count, m, &headers);
		image_refuse_unread(g, m, IMAGE_REPLACED, &headers);
		return true;
	}
	o = image_add(g->image, m->path, m);
	if (o) {
		o->bias = bias;
		o->file = file;
		image_place(o);
		image_use_up(g->image, o);
	} else {
		object_free(file);
	}
	return true;
}

/*
 * Open and read the file behind a mapping, or the file at its path; on failure *file is NULL and
 * `why` has the reason. A shortage of our own fails the whole image, which would otherwise look
 * complete without this file.
 */
static int image_read_mapped(const struct image_group *g, const struct mapping *m,
	struct object **file, bool *exact, char *why, size_t size, struct probes_error *e)
{
	uint64_t bias;
	int fd = mapped_open(g->who, m, exact);

	*file = NULL;
	if (error_is_shortage(fd))
		return error_set(
			e, PROBES_FAILED, fd, "cannot open %s of process %d", m->path, g->who->pid);
	if (fd < 0) {
		snprintf(why, size, "%s",
			m->deleted ? "deleted or replaced on disk, and only the privileged may "
				     "open what is mapped"
				   : strerror(-fd));
		return 0;
	}
	if (object_read_on(fd, m->path, g->image->terms, file, e) < 0) {
		*file = NULL;
		snprintf(why, size, "%.*s", (int)size - 1, e->why);
		return error_is_shortage(e->code) ? e->code : 0;
	}
	if (*exact || !image_bias(*file, m, &bias))
		return 0;
	*exact = mapped_is(g->memory, *file, bias, m->inode);
	if (*exact)
		return 0;
	object_free(*file);
	*file = NULL;
	snprintf(why, size, IMAGE_REPLACED);
	return 0;
}

/* The same, or on failure a file with the same build-id; else NULL, and the reason is listed. */
static int image_read_file(const struct image_group *g, const struct mapping *m,
	struct object **file, bool *exact, struct probes_error *e)
{
	char why[sizeof((struct image_object *)NULL)->why];
	int r = image_read_mapped(g, m, file, exact, why, sizeof why, e);
	struct twin_headers headers;

	if (r < 0 || *file || image_has_gone(g, m))
		return r;
	twin_read_headers(g->memory, g->mappings, g->count, m, &headers);
	if (g->image->searches++ < IMAGE_SEARCHES)
		*file = twin_find(g->who, m, g->image->terms, &headers);
	*exact = false;
	if (!*file)
		image_refuse_unread(g, m, why, &headers);
	return 0;
}

static void image_refuse_misplaced(const struct image_group *g, const struct object *file)
{
	struct image_object *o = image_refuse(
		g->image, g->mappings[0], "no executable part of it is mapped as its headers say");

	if (o)
		o->unread = file && (file->note_count || file->tally.count);
}

static bool image_knows(const struct array *known, const struct mapping *m)
{
	for (size_t i = 0; known && i < known->count; i++)
		if (place_accounts(&ARRAY_AT(known, struct image_known, i)->place, m))
			return true;
	return false;
}

/*
 * The same file may be mapped several times (dlmopen): an object for each mapping that begins one.
 * Read once, and again only for a further instance.
 */
static int image_add_instances(
	const struct image_group *g, const struct array *known, struct probes_error *e)
{
	struct object *file = NULL;
	size_t found = 0, looked = 0;
	bool exact;
	int r = 0;

	for (size_t i = 0; i < g->count && found < IMAGE_INSTANCES; i++) {
		const struct mapping *m = g->mappings[i];

		if (!m->executable || image_knows(known, m))
			continue;
		looked++;
		if (!file)
			r = image_read_file(g, m, &file, &exact, e);
		if (!file)
			return r;
		if (image_add_instance(g, m, file, exact)) {
			found++;
			file = NULL;
		}
	}
	if (looked && !found)
		image_refuse_misplaced(g, file);
	object_free(file);
	return 0;
}

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
	o = image_add(image, path, image_executable_mapping(who, mappings, start));
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
		image_place(o);
		image_use_up(image, o);
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
			r = image_add_instances(
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

		k->there = place_there(&k->place, mappings, &k->deleted);
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
