/*
 * Reads the limits on the memory of a process, level by level. Every level counts: a charge to a
 * cgroup is also charged to each ancestor, and any full one triggers the OOM killer.
 */
#include "process/room.h"

#include "process/cgroup.h"
#include "process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above memory.high the kernel does not kill, but throttles the whole cgroup. */
static const struct room_limit {
	bool v1;
	const char *limit, *used;
} room_limits[] = {
	{false, "memory.max", "memory.current"},
	{false, "memory.high", "memory.current"},
	{true, "memory.limit_in_bytes", "memory.usage_in_bytes"},
	{true, "memory.memsw.limit_in_bytes", "memory.memsw.usage_in_bytes"},
};

/* NULL if it cannot be read. The caller frees the text. */
static char *room_text(const char *directory, const char *file)
{
	char path[PATH_MAX + 64], *text;
	size_t size;

	snprintf(path, sizeof path, "%s/%s", directory, file);
	return procfs_read(AT_FDCWD, path, &text, &size) == 0 ? text : NULL;
}

static uint64_t room_number(const char *directory, const char *file)
{
	char *text = room_text(directory, file);
	uint64_t n = text ? cgroup_number(text) : CGROUP_UNLIMITED;

	free(text);
	return n;
}

static int room_narrow(struct room *r, uint64_t left, const char *directory, const char *file)
{
	char *limit;

	if (left >= r->left)
		return 0;
	if (asprintf(&limit, "%s/%s", directory, file) < 0)
		return -ENOMEM;
	free(r->limit);
	r->limit = limit;
	r->left = left;
	return 0;
}

static int room_level(const char *directory, bool v1, struct room *r)
{
	char *stat = NULL;
	int code = 0;

	for (size_t i = 0; code == 0 && i < sizeof room_limits / sizeof *room_limits; i++) {
		const struct room_limit *l = &room_limits[i];
		uint64_t limit = CGROUP_UNLIMITED, used;

		if (l->v1 == v1)
			limit = room_number(directory, l->limit);
		if (limit == CGROUP_UNLIMITED)
			continue;
		used = room_number(directory, l->used);
		if (used == CGROUP_UNLIMITED)
			continue;
		if (!stat)
			stat = room_text(directory, "memory.stat");
		code = room_narrow(r,
			cgroup_left(limit, used, stat ? cgroup_reclaimable(stat, v1) : 0),
			directory, l->limit);
	}
	free(stat);
	return code;
}

int room_of_cgroups(const char *cgroup, const char *mountinfo, struct room *r)
{
	char directory[PATH_MAX];
	struct cgroup_place place;
	size_t top, length;
	int code = 0;

	if (!cgroup_find(cgroup, &place) ||
		!cgroup_directory(mountinfo, &place, directory, sizeof directory, &top))
		return 0;
	for (length = strlen(directory); code == 0;) {
		code = room_level(directory, place.v1, r);
		if (length <= top)
			break;
		while (length > top && directory[length - 1] != '/')
			length--;
		if (length > top)
			length--; /* the slash */
		directory[length] = '\0';
	}
	return code;
}

/* The machine may run out even if no cgroup has a limit. */
static int room_of_machine(struct room *r)
{
	char *text;
	size_t size;
	long left = -1;
	int code = 0;

	if (procfs_read(AT_FDCWD, "/proc/meminfo", &text, &size) == 0)
		left = procfs_status(text, "MemAvailable", -1);
	free(text);
	if (left >= 0)
		code = room_narrow(r, (uint64_t)left * 1024, "/proc", "meminfo");
	return code;
}

int room_look(int task, struct room *r)
{
	char *cgroup, *mountinfo = NULL;
	size_t size;
	int code = 0;

	*r = (struct room){.left = ROOM_UNKNOWN};
	if (procfs_read(task, "cgroup", &cgroup, &size) == 0 &&
		procfs_read(AT_FDCWD, "/proc/self/mountinfo", &mountinfo, &size) == 0)
		code = room_of_cgroups(cgroup, mountinfo, r);
	free(cgroup);
	free(mountinfo);
	if (code == 0)
		code = room_of_machine(r);
	if (code < 0)
		room_done(r);
	return code;
}

void room_done(struct room *r)
{
	free(r->limit);
	r->limit = NULL;
}
