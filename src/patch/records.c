/*
 * Finding and checking the folders that hold journals. A folder is valid only if it belongs to its
 * user and nobody else may enter it: any user can create a name in /tmp before us.
 */
#include "patch/records.h"

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

static void records_add(struct records_place *places, size_t *count, uid_t owner, bool foreign,
	const char *base, const char *name)
{
	struct records_place *p = &places[*count];
	size_t length = strlen(base);

	if (base[0] != '/' || length >= sizeof p->base)
		return;
	*p = (struct records_place){.owner = owner, .foreign = foreign};
	memcpy(p->base, base, length);
	snprintf(p->name, sizeof p->name, "%s", name);
	for (size_t i = 0; i < *count; i++)
		if (!strcmp(places[i].base, p->base) && !strcmp(places[i].name, p->name))
			return;
	++*count;
}

/* /tmp comes before the folders that logout removes: a session may outlive its login, and its
 * journal must outlive both. */
static void records_add_user(
	struct records_place *places, size_t *count, uid_t user, const char *runtime)
{
	bool foreign = geteuid() == 0;
	char name[40], base[40];

	snprintf(name, sizeof name, "probes-tui-%u", user);
	snprintf(base, sizeof base, "/run/user/%u", user);
	records_add(places, count, user, user != geteuid(), "/tmp", name);
	records_add(places, count, user, user != geteuid(), "/var/tmp", name);
	if (runtime)
		records_add(places, count, user, foreign, runtime, "probes-tui");
	records_add(places, count, user, foreign, base, "probes-tui");
}

size_t records_places(const struct records_user *other, struct records_place *places)
{
	const char *named = secure_getenv("PROBES_TUI_RECORDS");
	uid_t user = geteuid();
	size_t count = 0;

	if (named)
		records_add(places, &count, user, false, named, ".");
	if (count)
		return count;
	if (user == 0)
		records_add(places, &count, user, false, "/run", "probes-tui");
	records_add_user(places, &count, user, secure_getenv("XDG_RUNTIME_DIR"));
	if (user == 0 && other && other->id != user)
		records_add_user(places, &count, other->id, NULL);
	return count;
}

void records_path(const struct records_place *p, char *path, size_t size)
{
	bool whole = !strcmp(p->name, ".");

	snprintf(path, size, "%s%s%s", p->base, whole ? "" : "/", whole ? "" : p->name);
}

/*
 * Is it on a file system that a user serves (FUSE)? That user can block any access indefinitely.
 * The descriptor is O_PATH, which does not involve the server.
 */
static bool records_served(int fd)
{
	char *text, type[8];
	long mount = -1;
	bool served = true;

	if (procfs_read(AT_FDCWD, &text, NULL, "/proc/self/fdinfo/%d", fd) == 0)
		mount = procfs_status(text, "mnt_id", -1);
	free(text);
	if (mount < 0 || procfs_read(AT_FDCWD, &text, NULL, "/proc/self/mountinfo") < 0)
		return true;
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		const char *kind;

		line += *line == '\n';
		kind = strstr(line, " - ");
		if (kind && strtol(line, NULL, 10) == mount && sscanf(kind, " - %7s", type) == 1)
			served = !strncmp(type, "fuse", 4);
	}
	free(text);
	return served;
}

static int records_step(int from, const char *name, bool foreign, int follow)
{
	int fd = openat(from, name, O_PATH | O_DIRECTORY | O_CLOEXEC | follow);
	int r = fd < 0 ? -errno : fd;

	if (fd >= 0 && foreign && records_served(fd)) {
		close(fd);
		return -ELOOP;
	}
	return r;
}

/* Missing, a link, a file, or on FUSE: it cannot hold records of this user. */
static bool records_none(int code)
{
	return code == -ENOENT || code == -ENOTDIR || code == -ELOOP;
}

int records_open(const struct records_place *p, bool make)
{
	bool named = !strcmp(p->name, ".");
	int base, folder, fd, made = 0;
	struct stat st;

	if (named && make && mkdir(p->base, 0700) < 0 && errno != EEXIST)
		return -errno;
	/* /var/tmp may be a link, of root's; the folder must not. */
	base = records_step(AT_FDCWD, p->base, p->foreign, named ? O_NOFOLLOW : 0);
	if (base < 0)
		return !records_none(base) ? base : make && base != -ENOENT ? -EPERM : -ENOENT;
	if (!named && make) {
		/* Not in another user's folder ($XDG_RUNTIME_DIR inherited through su), where it
		   would be in that user's way. */
		if (p->foreign && (fstat(base, &st) < 0 || st.st_uid != geteuid()))
			made = -EPERM;
		else if (mkdirat(base, p->name, 0700) < 0 && errno != EEXIST)
			made = -errno;
	}
	fd = folder = records_step(base, p->name, p->foreign, O_NOFOLLOW);
	if (folder >= 0) {
		if (fstat(folder, &st) < 0 || st.st_uid != p->owner || st.st_mode & 077)
			fd = -EPERM;
		else if ((fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
			fd = -errno;
		close(folder);
	}
	/* A folder that another user owns holds no records of this user either. */
	if (fd < 0 && (records_none(fd) || (fstatat(base, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
						   st.st_uid != p->owner)))
		fd = made ? made : make ? -EPERM : -ENOENT;
	close(base);
	return fd;
}

int records_file(const struct records_place *p, int dir, const char *name, int flags)
{
	struct open_how how = {.flags = (unsigned)(flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC),
		.resolve = RESOLVE_NO_XDEV};
	long fd = p->owner == geteuid() ? openat(dir, name, (int)how.flags)
					: syscall(SYS_openat2, dir, name, &how, sizeof how);

	return fd < 0 ? -errno : (int)fd;
}
