/* Reads only; does not change how the program runs. */
#include "process/privilege.h"

#include "process/procfs.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

static uint32_t privilege_word(const unsigned char *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

/*
 *     0            4            8             12           16
 *     | revision   | permitted  | inheritable | permitted  | inheritable | rootid
 *                    bits 0-31                  bits 32-63
 */
uint64_t privilege_attribute(const unsigned char *bytes, size_t size)
{
	uint32_t revision = size >= 4 ? privilege_word(bytes) & VFS_CAP_REVISION_MASK : 0;

	if (revision == VFS_CAP_REVISION_1 && size >= XATTR_CAPS_SZ_1)
		return privilege_word(bytes + 4);
	if ((revision == VFS_CAP_REVISION_2 && size >= XATTR_CAPS_SZ_2) ||
		(revision == VFS_CAP_REVISION_3 && size >= XATTR_CAPS_SZ_3))
		return privilege_word(bytes + 4) | (uint64_t)privilege_word(bytes + 12) << 32;
	return 0;
}

bool privilege_mapped(const char *map, unsigned long id)
{
	unsigned long first, outside, count;
	int used;

	while (sscanf(map, "%lu %lu %lu%n", &first, &outside, &count, &used) == 3) {
		if (id >= first && id - first < count)
			return true;
		map += used;
	}
	return false;
}

/* Is the id mapped in the process's user namespace? An unreadable map counts as mapped. */
static bool privilege_is_mapped(const struct identity *who, const char *file, unsigned long id)
{
	char *map;
	bool mapped =
		procfs_read(who->task, &map, NULL, "%s", file) < 0 || privilege_mapped(map, id);

	free(map);
	return mapped;
}

bool privilege_gather(const struct identity *who, struct privilege_facts *f)
{
	unsigned char attribute[XATTR_CAPS_SZ_3];
	/* O_PATH: a program may be executable and not readable. */
	int fd = openat(who->task, "exe", O_PATH | O_CLOEXEC);
	uint64_t uids[2], gids[2];
	struct statvfs mount;
	char path[64], *text;
	struct stat st;
	ssize_t size;
	bool known;

	*f = (struct privilege_facts){0};
	if (fd < 0 || fstat(fd, &st) < 0) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	f->set_uid = st.st_mode & S_ISUID;
	/* Without group execute permission this bit means mandatory locking: chmod(2). */
	f->set_gid = st.st_mode & S_ISGID && st.st_mode & S_IXGRP;
	f->owner = st.st_uid;
	f->group = st.st_gid;
	f->refused_anyway = fstatvfs(fd, &mount) == 0 && mount.f_flag & ST_NOSUID;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	size = getxattr(path, "security.capability", attribute, sizeof attribute);
	if (size > 0)
		f->file_capabilities = privilege_attribute(attribute, (size_t)size);
	close(fd);
	f->set_uid = f->set_uid && privilege_is_mapped(who, "uid_map", f->owner);
	f->set_gid = f->set_gid && privilege_is_mapped(who, "gid_map", f->group);
	known = procfs_read(who->task, &text, NULL, "status") == 0 &&
		procfs_status_numbers(text, "Uid", 10, uids, 2) == 2 &&
		procfs_status_numbers(text, "Gid", 10, gids, 2) == 2;
	if (known) {
		f->uid = (uid_t)uids[1];
		f->gid = (gid_t)gids[1];
		f->capabilities = procfs_status_set(text, "CapPrm");
		f->file_capabilities &= procfs_status_set(text, "CapBnd");
		f->refused_anyway |= procfs_status(text, "NoNewPrivs", 0) > 0;
	}
	free(text);
	return known;
}

bool privilege_lost(const struct privilege_facts *f, char *out, size_t size)
{
	bool uid = f->set_uid && f->uid != f->owner, gid = f->set_gid && f->gid != f->group;
	bool capabilities = f->file_capabilities & ~f->capabilities;
	char owner[48] = "", group[48] = "";

	if (f->refused_anyway || !(uid || gid || capabilities))
		return false;
	if (uid)
		snprintf(owner, sizeof owner, "is set-user-ID (uid %u)", f->owner);
	if (gid)
		snprintf(group, sizeof group, "%sis set-group-ID (gid %u)", uid ? ", " : "",
			f->group);
	snprintf(out, size,
		"%s%s%s: execve(2) ignores that under a tracer without CAP_SYS_PTRACE: it runs "
		"unprivileged, as uid %u, gid %u; start it by itself and attach as root",
		owner, group,
		!capabilities ? ""
		: uid || gid  ? ", has file capabilities"
			      : "has file capabilities",
		f->uid, f->gid);
	return true;
}
