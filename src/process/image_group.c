/* Opening and verifying the file of a group of mappings; see image_group.h. */
#include "process/image_group.h"

#include "base/error.h"
#include "process/mapped.h"
#include "process/twin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IMAGE_PAGE 4096ULL
#define IMAGE_INSTANCES 16 /* of one file in one process */
#define IMAGE_SEARCHES 64  /* searches for another file: a folder may have thousands of entries */
#define IMAGE_REPLACED "the file on disk is not the one that is mapped"

/* ---- bias ---- */

bool image_group_bias(const struct object *file, const struct mapping *m, uint64_t *bias)
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
struct image_object *image_group_add(struct image *image, const char *path, const struct mapping *m)
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

/* Where its segments begin, now that its bias is known. */
void image_group_place(struct image_object *o)
{
	const struct object_segment *first = o->file->segments;

	o->location.base = o->bias + (first->vaddr & ~(IMAGE_PAGE - 1));
	for (size_t i = 0; i < o->file->segment_count && !o->location.text; i++) {
		const struct object_segment *s = &o->file->segments[i];

		if (!s->executable)
			continue;
		o->location.text = o->bias + (s->vaddr & ~(IMAGE_PAGE - 1));
		o->location.offset = s->offset & ~(IMAGE_PAGE - 1);
	}
}

/* Keep only what is still needed: a process may map thousands of files. */
void image_group_use_up(const struct image *image, struct image_object *o)
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
	struct image_object *o = image_group_add(image, m->path, m);

	if (o)
		snprintf(o->why, sizeof o->why, "%.*s", (int)sizeof o->why - 1, why);
	return o;
}

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

	if (!image_group_bias(file, m, &bias))
		return false;
	if (!exact && !mapped_is(g->memory, file, bias, m->inode)) {
		object_free(file);
		if (image_has_gone(g, m))
			return true;
		twin_read_headers(g->memory, g->mappings, g->count, m, &headers);
		image_refuse_unread(g, m, IMAGE_REPLACED, &headers);
		return true;
	}
	o = image_group_add(g->image, m->path, m);
	if (o) {
		o->bias = bias;
		o->file = file;
		image_group_place(o);
		image_group_use_up(g->image, o);
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
	if (*exact || !image_group_bias(*file, m, &bias))
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
		if (maps_accounts_for(&ARRAY_AT(known, struct image_known, i)->location, m))
			return true;
	return false;
}

/*
 * The same file may be mapped several times (dlmopen): an object for each mapping that begins one.
 * Read once, and again only for a further instance.
 */
int image_group_read(const struct image_group *g, const struct array *known, struct probes_error *e)
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
