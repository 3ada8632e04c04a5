/*
 * Mappings are grouped by device and inode, never by path: paths repeat, are replaced, and mean
 * something else in another mount namespace.
 */
#include "process/image.h"

#include "base/error.h"
#include "process/access.h"
#include "process/mapped.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define IMAGE_PAGE 4096ULL
#define IMAGE_INSTANCES 16 /* of one file in one process */
#define IMAGE_SEARCHES 64  /* for substitutes: a directory may have thousands of entries */
#define IMAGE_REPLACED "the file on disk is not the one that is mapped"

/* ---- objects ---- */

/*
 * The bias that a mapping gives, if it holds the start of the first executable segment. mprotect
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

/* Add an object; m: a mapping of it, or NULL. NULL: no memory. */
static struct image_object *image_add(
	struct image *image, const char *path, const struct mapping *m)
{
	struct image_object *o = array_add(&image->objects);

	if (!o)
		return NULL;
	if (m) {
		o->deleted = m->deleted;
		o->location = (struct maps_location){
			.major = m->major, .minor = m->minor, .inode = m->inode};
	}
	o->path = strdup(path);
	if (!o->path) {
		image->objects.count--;
		return NULL;
	}
	return o;
}

/*
 * Take over the file of an object whose bias is known: locate its segments, and keep only what is
 * still needed, since a process may map thousands of files.
 */
static void image_use(const struct image *image, struct image_object *o, struct object *file)
{
	o->location.base = o->bias + (file->segments->vaddr & ~(IMAGE_PAGE - 1));
	for (size_t i = 0; i < file->segment_count && !o->location.text; i++) {
		const struct object_segment *s = &file->segments[i];

		if (!s->executable)
			continue;
		o->location.text = o->bias + (s->vaddr & ~(IMAGE_PAGE - 1));
		o->location.offset = s->offset & ~(IMAGE_PAGE - 1);
	}
	if (image->terms->count) {
		o->probes = file->tally.count;
		o->more = file->tally.more;
		o->semaphores = file->tally.semaphores;
		object_free(file);
		return;
	}
	o->file = file;
	if (!file->note_count)
		object_rest(file);
}

/* Add an object without a file, and the reason. */
static struct image_object *image_refuse(
	struct image *image, const struct mapping *m, const char *why)
{
	struct image_object *o = image_add(image, m->path, m);

	if (o)
		snprintf(o->why, sizeof o->why, "%.*s", (int)sizeof o->why - 1, why);
	return o;
}

/* ---- the objects of one file ---- */

/* The mappings of one file, ascending, and their process. */
struct image_group {
	struct image *image;
	const struct identity *who;
	struct memory *memory;
	const struct mapping *const *mappings;
	size_t count;
};

/*
 * Add an object whose notes cannot be read. A mapping without an ELF header in memory has no notes
 * (run-time generated code in shared memory); any other may have some.
 */
static void image_refuse_unreadable(const struct image_group *g, const struct mapping *m,
	const char *why, const struct mapped_headers *headers)
{
	struct image_object *o = image_refuse(g->image, m, why);

	if (!o || headers->is == MAPPED_NO_ELF)
		return;
	o->unread = true;
	o->build_id_size = headers->build_id_size;
	memcpy(o->build_id, headers->build_id, sizeof o->build_id);
	if (!mapped_needs_privilege(g->who, m))
		return;
	o->remedy = geteuid() ? "become root (sudo), or restart the process"
			      : "run it with CAP_CHECKPOINT_RESTORE, or restart the process";
	snprintf(o->why, sizeof o->why, "%.110s; %s", why, o->remedy);
}

/* Was the library unloaded meanwhile? Then its file was not replaced. */
static bool image_has_gone(const struct image_group *g, const struct mapping *m)
{
	char byte;

	return g->memory->fd >= 0 && m->readable && !memory_read(g->memory, m->start, &byte, 1);
}

/* Add an object, which takes over `file`, if the mapping gives its bias. */
static bool image_add_instance(
	const struct image_group *g, const struct mapping *m, struct object *file, bool exact)
{
	struct mapped_headers headers;
	struct image_object *o;
	uint64_t bias;

	if (!image_bias(file, m, &bias))
		return false;
	if (!exact && !mapped_is(g->memory, file, bias, m->inode)) {
		object_free(file);
		if (image_has_gone(g, m))
			return true;
		mapped_read_headers(g->memory, g->mappings, g->count, m, &headers);
		image_refuse_unreadable(g, m, IMAGE_REPLACED, &headers);
		return true;
	}
	o = image_add(g->image, m->path, m);
	if (!o) {
		object_free(file);
		return true;
	}
	o->bias = bias;
	image_use(g->image, o, file);
	return true;
}

/*
 * Open and read the file behind a mapping, or the file at its path, or a substitute; else *file is
 * NULL, and the object is added with the reason. A shortage fails the whole image, which would
 * otherwise look complete without this file.
 */
static int image_read_file(const struct image_group *g, const struct mapping *m,
	struct object **file, bool *exact, struct probes_error *e)
{
	char why[sizeof((struct image_object *)NULL)->why] = IMAGE_REPLACED;
	struct mapped_headers headers;
	uint64_t bias;
	int fd = mapped_open(g->who, m, exact);

	*file = NULL;
	if (error_is_shortage(fd))
		return error_set(
			e, PROBES_FAILED, fd, "cannot open %s of process %d", m->path, g->who->pid);
	if (fd < 0) {
		snprintf(why, sizeof why, "%s",
			m->deleted ? "deleted or replaced on disk, and only the privileged may "
				     "open what is mapped"
				   : strerror(-fd));
	} else if (object_read_on(fd, m->path, g->image->terms, file, e) < 0) {
		*file = NULL;
		if (error_is_shortage(e->code))
			return e->code;
		snprintf(why, sizeof why, "%.*s", (int)sizeof why - 1, e->why);
	} else if (!*exact && image_bias(*file, m, &bias)) {
		*exact = mapped_is(g->memory, *file, bias, m->inode);
		if (!*exact) {
			object_free(*file);
			*file = NULL;
		}
	}
	if (*file || image_has_gone(g, m))
		return 0;
	mapped_read_headers(g->memory, g->mappings, g->count, m, &headers);
	if (g->image->searches++ < IMAGE_SEARCHES)
		*file = mapped_find_substitute(g->who, m, g->image->terms, &headers);
	*exact = false;
	if (!*file)
		image_refuse_unreadable(g, m, why, &headers);
	return 0;
}

/*
 * Add the objects of a group, except `known` ones (struct image_known; NULL: none); those that
 * cannot be read with the reason. A file may be mapped several times (dlmopen): an object for each
 * mapping that gives a bias. The file is read once, and again only for another instance. Fails only
 * for a shortage.
 */
static int image_read_group(
	const struct image_group *g, const struct array *known, struct probes_error *e)
{
	struct object *file = NULL;
	struct image_object *o;
	size_t found = 0, tried = 0;
	bool exact;
	int r = 0;

	for (size_t i = 0; i < g->count && found < IMAGE_INSTANCES; i++) {
		const struct mapping *m = g->mappings[i];
		bool skip = !m->executable;

		for (size_t k = 0; known && !skip && k < known->count; k++)
			skip = maps_accounts_for(
				&ARRAY_AT(known, struct image_known, k)->location, m);
		if (skip)
			continue;
		tried++;
		if (!file)
			r = image_read_file(g, m, &file, &exact, e);
		if (!file)
			return r;
		if (image_add_instance(g, m, file, exact)) {
			found++;
			file = NULL;
		}
	}
	if (tried && !found) {
		o = image_refuse(g->image, g->mappings[0],
			"no executable part of it is mapped as its headers say");
		if (o)
			o->unread = file && (file->note_count || file->tally.count);
	}
	object_free(file);
	return 0;
}

/* ---- the executable ---- */

/* From the auxiliary vector. */
struct image_start {
	uint64_t headers, entry; /* addresses; 0: unknown */
};

/* A mapping of the executable: where the kernel says its headers or entry are. */
static const struct mapping *image_executable_mapping(
	const struct identity *who, const struct array *mappings, const struct image_start *start)
{
	const struct mapping *m = maps_find(mappings, start->headers);
	char path[4097];
	struct stat st;
	ssize_t length;

	if (!m || !m->inode)
		m = maps_find(mappings, start->entry);
	if (m && m->inode)
		return m;
	/* Text and headers may have moved to anonymous memory: look for the rest of the file. */
	length = readlinkat(who->task, "exe", path, sizeof path - 1);
	if (length < 0 || fstatat(who->task, "exe", &st, 0) < 0)
		return NULL;
	path[length] = '\0';
	for (size_t i = 0; i < mappings->count; i++) {
		m = ARRAY_AT(mappings, struct mapping, i);
		if (m->inode == st.st_ino && !strncmp(m->path, path, strlen(m->path)))
			return m;
	}
	return NULL;
}

static int image_add_executable(const struct identity *who, const struct array *mappings,
	const struct image_start *start, struct image *image, struct probes_error *e)
{
	char path[4097];
	ssize_t length = readlinkat(who->task, "exe", path, sizeof path - 1);
	int fd = length < 0 ? -1 : openat(who->task, "exe", MAPPED_OPEN);
	int cause = errno;
	uint64_t headers = start->headers;
	struct image_object *o;
	struct object *file;
	bool known;
	int r;

	/* An exiting process has no program, even before it is a zombie. */
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
	ARRAY_EACH_WHILE(!known, const struct mapping, m, mappings)
		known = !strcmp(m->path, path) && image_bias(file, m, &o->bias);
	if (known) {
		image_use(image, o, file);
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

/* Add every file with an executable mapping, except the executable and known objects. */
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
	ARRAY_EACH(const struct mapping, m, mappings)
		if (m->inode && !maps_is_arena(m) && (!exe || !maps_share_file(m, exe)))
			files[count++] = m;
	qsort(files, count, sizeof *files, image_by_file);
	for (size_t at = 0; r == 0 && at < count; at = next) {
		bool executable = false;

		for (next = at; next < count && maps_share_file(files[at], files[next]); next++)
			executable = executable || files[next]->executable;
		if (executable)
			r = image_read_group(
				&(struct image_group){image, who, memory, &files[at], next - at},
				known, e);
	}
	free(files);
	return r;
}

int image_read_again(const struct identity *who, struct memory *memory, struct array *known,
	uint64_t *mark, struct image *image, struct probes_error *e)
{
	struct image_start start;
	struct array mappings = ARRAY_OF(struct mapping);
	size_t size, malformed;
	uint64_t now;
	char *text;
	int r = identity_maps(who, maps_drop_anonymous, &text, &size);

	image->objects = ARRAY_OF(struct image_object);
	image->writable = ARRAY_OF(struct maps_range);
	image->arenas = ARRAY_OF(struct maps_arena);
	image->searches = 0;
	image->translator = NULL;
	if (r < 0 || !size) {
		free(text);
		if (!error_is_shortage(r) && (!identity_alive(who) || r == -ESRCH || r == 0))
			return identity_gone(who, e);
		error_set(e, r == -EFBIG ? PROBES_FAILED : PROBES_DENIED, r,
			"cannot read the maps of process %d", who->pid);
		return r == -EFBIG ? error_why(e, "its list of mapped files is longer than 64 MiB")
				   : access_explain(who->pid, e);
	}
	now = XXH3_64bits(text, size);
	if (known && now == *mark) {
		free(text);
		return 0;
	}
	if (!maps_parse(text, &mappings, &malformed) || !maps_writable(&mappings, &image->writable))
		r = error_memory(e, "the mappings of a process");
	image->translator = translator_find(&mappings);
	if (r == 0 && ((r = identity_auxv(who, AT_PHDR, &start.headers)) < 0 ||
			      (r = identity_auxv(who, AT_ENTRY, &start.entry)) < 0))
		error_set(e, PROBES_FAILED, r, "cannot read the auxv of process %d", who->pid);
	if (r == 0 && !known)
		r = image_add_executable(who, &mappings, &start, image, e);
	if (r == 0 && known)
		ARRAY_EACH(struct image_known, k, known)
			k->there = maps_still_there(&k->location, &mappings, &k->deleted);
	if (r == 0)
		r = image_add_files(who, memory, &mappings, &start, known, image, e);
	if (r == 0 && !maps_arenas(&mappings, &image->arenas))
		r = error_memory(e, "the mappings of a process");
	array_done(&mappings);
	free(text);
	if (r < 0)
		image_done(image);
	else if (known)
		*mark = now;
	return r;
}

int image_read(const struct identity *who, struct memory *memory, struct image *image,
	struct probes_error *e)
{
	int r = image_read_again(who, memory, NULL, NULL, image, e);
	struct image_object *exe = image->objects.data;

	if (r == 0 && exe && exe->deleted)
		maps_strip_deleted(exe->path);
	return r;
}

void image_done(struct image *image)
{
	ARRAY_EACH(struct image_object, o, &image->objects) {
		object_free(o->file);
		free(o->path);
	}
	array_done(&image->objects);
	array_done(&image->writable);
	array_done(&image->arenas);
}
