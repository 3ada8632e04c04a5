/* Opening and recognizing the file behind a mapping. */
#include "process/mapped.h"

#include "base/error.h"
#include "process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAPPED_PAGE 4096ULL

/* ---- opening ---- */

int mapped_open_below_root(const struct identity *who, const char *path, int flags)
{
	struct open_how how = {.flags = (unsigned)(MAPPED_OPEN | flags),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
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

/* CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN may: proc_map_files_get_link() in fs/proc/base.c. */
static int mapped_open_itself(const struct identity *who, const struct mapping *m)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "map_files/%lx-%lx", m->start, m->end);
	fd = openat(who->proc, path, MAPPED_OPEN);
	return fd < 0 ? -errno : fd;
}

bool mapped_needs_privilege(const struct identity *who, const struct mapping *m)
{
	int fd = mapped_open_itself(who, m);

	if (fd >= 0)
		close(fd);
	return fd == -EPERM;
}

int mapped_open(const struct identity *who, const struct mapping *m, bool *exact)
{
	bool same;
	int fd = mapped_regular(mapped_open_itself(who, m), m->inode, &same);

	*exact = fd >= 0;
	if (fd >= 0 || fd == -ENOEXEC || error_is_shortage(fd))
		return fd;
	return mapped_regular(mapped_open_below_root(who, m->path, 0), m->inode, &same);
}

int mapped_open_again(
	const struct identity *who, const struct maps_location *location, bool executable)
{
	struct array mappings;
	size_t size, malformed;
	bool exact;
	char *text;
	int fd;

	if (executable) {
		fd = openat(who->task, "exe", MAPPED_OPEN);
		return fd < 0 ? -errno : fd;
	}
	fd = procfs_read_lines(who->task, "maps", maps_drop_anonymous, &text, &size);
	if (fd < 0)
		return fd;
	array_init(&mappings, sizeof(struct mapping));
	fd = maps_parse(text, &mappings, &malformed) ? -ENOENT : -ENOMEM;
	for (size_t i = 0; fd == -ENOENT && i < mappings.count; i++)
		if (maps_same_file(location, ARRAY_AT(&mappings, struct mapping, i)))
			fd = mapped_open(who, ARRAY_AT(&mappings, struct mapping, i), &exact);
	array_done(&mappings);
	free(text);
	return fd;
}

/* ---- is it the file that is mapped? ---- */

static bool mapped_same_bytes(struct memory *memory, const struct object *file, uint64_t bias)
{
	const struct object_segment *first = file->segments;
	unsigned char on_disk[MAPPED_PAGE], live[MAPPED_PAGE];
	struct spans one;
	size_t length;
	bool same;

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

static bool mapped_same_build_id(struct memory *memory, const struct object *file, uint64_t bias)
{
	unsigned char live[sizeof file->build_id];

	return memory_read(memory, bias + file->build_id_vaddr, live, file->build_id_size) &&
	       !memcmp(live, file->build_id, file->build_id_size);
}

bool mapped_is(struct memory *memory, const struct object *file, uint64_t bias, uint64_t inode)
{
	struct stat st;

	if (memory->fd < 0)
		return fstat(file->fd, &st) == 0 && st.st_ino == inode;
	if (file->build_id_vaddr)
		return mapped_same_build_id(memory, file, bias);
	return mapped_same_bytes(memory, file, bias);
}

bool mapped_replaced(struct memory *memory, const struct object *file, uint64_t bias)
{
	unsigned char live[sizeof file->build_id];

	return file->build_id_vaddr &&
	       memory_read(memory, bias + file->build_id_vaddr, live, file->build_id_size) &&
	       memcmp(live, file->build_id, file->build_id_size);
}
