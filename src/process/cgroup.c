/*
 * Memory limits of a process, level by level. Every level counts: a charge to a cgroup is also
 * charged to each ancestor, and any full one triggers the OOM killer. And whether it is frozen.
 */
#include "process/cgroup.h"

#include "process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is this word in a comma-separated list? */
static bool cgroup_listed(const char *list, size_t length, const char *word)
{
	const char *end = list + length;

	while (list < end) {
		size_t n = strcspn(list, ",");

		if (list + n > end)
			n = (size_t)(end - list);
		if (n == strlen(word) && !memcmp(list, word, n))
			return true;
		list += n + 1;
	}
	return false;
}

bool cgroup_find(const char *text, const char *controller, struct cgroup_path *c)
{
	bool found = false;

	c->controller = controller;
	/* "4:memory:/a/b" or "0::/a/b": a controller is in one hierarchy only, which is version 1
	 * if a line names it. */
	while (*text) {
		size_t length = strcspn(text, "\n");
		const char *list = memchr(text, ':', length);
		const char *path =
			list ? memchr(list + 1, ':', length - (size_t)(list + 1 - text)) : NULL;

		if (path) {
			size_t listed = (size_t)(path - ++list);
			bool v1 = cgroup_listed(list, listed, controller);

			path++;
			if (v1 || (!listed && !found)) {
				c->path = path;
				c->length = length - (size_t)(path - text);
				c->v1 = v1;
				found = true;
			}
			if (v1)
				break;
		}
		text += length + (text[length] == '\n');
	}
	return found && *c->path == '/';
}

/* ---- mountinfo ---- */

/* One line: "36 35 98:0 ROOT POINT OPTIONS [TAG...] - TYPE SOURCE SUPER_OPTIONS". */
struct cgroup_mount {
	const char *root, *point, *type, *super;
	size_t root_length, point_length, type_length, super_length;
};

static const char *cgroup_word(const char *at, const char *end, size_t *length)
{
	while (at < end && *at == ' ')
		at++;
	for (*length = 0; at + *length < end && at[*length] != ' ';)
		++*length;
	return at;
}

static bool cgroup_mount(const char *line, size_t length, struct cgroup_mount *m)
{
	const char *end = line + length, *at = line;
	size_t n;

	*m = (struct cgroup_mount){0};
	for (int i = 0; at < end; i++, at += n) {
		at = cgroup_word(at, end, &n);
		if (i == 3) {
			m->root = at;
			m->root_length = n;
		} else if (i == 4) {
			m->point = at;
			m->point_length = n;
		} else if (i > 5 && n == 1 && *at == '-') {
			m->type = cgroup_word(at + 1, end, &m->type_length);
			at = cgroup_word(m->type + m->type_length, end, &n);
			m->super = cgroup_word(at + n, end, &m->super_length);
			return m->super_length > 0;
		}
	}
	return false;
}

/* The rest of the path below the root of a mount; NULL: the path lies outside. */
static const char *cgroup_below(const struct cgroup_mount *m, const struct cgroup_path *c)
{
	size_t skip = m->root_length == 1 ? 0 : m->root_length;
	const char *rest = c->path + skip;

	if (skip > c->length || memcmp(c->path, m->root, skip))
		return NULL;
	if (skip < c->length && *rest != '/')
		return NULL;
	/* Above the root of our cgroup namespace, which is that of the mount. */
	if (c->length - skip >= 3 && !memcmp(rest, "/..", 3) &&
		(c->length - skip == 3 || rest[3] == '/'))
		return NULL;
	return rest;
}

/* Decode \OOO: blanks, tabs, newlines and backslashes. Returns the length; 0: it does not fit. */
static size_t cgroup_unescape(const char *from, size_t length, char *to, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)from[i];

		if (c == '\\' && length - i > 3) {
			c = (unsigned char)((from[i + 1] - '0') << 6 | (from[i + 2] - '0') << 3 |
					    (from[i + 3] - '0'));
			i += 3;
		}
		if (n + 1 >= size)
			return 0;
		to[n++] = (char)c;
	}
	return n;
}

bool cgroup_directory(const char *mountinfo, const struct cgroup_path *c, char *directory,
	size_t size, size_t *top)
{
	const char *type = c->v1 ? "cgroup" : "cgroup2";
	size_t best = SIZE_MAX;

	while (*mountinfo) {
		size_t length = strcspn(mountinfo, "\n"), n, left;
		struct cgroup_mount m;
		const char *rest;

		/* Of several mounts take the one that shows the most levels. */
		if (cgroup_mount(mountinfo, length, &m) && m.type_length == strlen(type) &&
			!memcmp(m.type, type, m.type_length) &&
			(!c->v1 || cgroup_listed(m.super, m.super_length, c->controller)) &&
			m.root_length < best && (rest = cgroup_below(&m, c))) {
			n = cgroup_unescape(m.point, m.point_length, directory, size);
			left = c->length - (size_t)(rest - c->path);
			if (left == 1)
				left = 0; /* "/": the mount point itself */
			if (n && left < size - n) {
				memcpy(directory + n, rest, left);
				directory[n + left] = '\0';
				*top = n;
				best = m.root_length;
			}
		}
		mountinfo += length + (mountinfo[length] == '\n');
	}
	return best < SIZE_MAX;
}

/* ---- limits ---- */

uint64_t cgroup_number(const char *text)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	/* Version 1 counts up to LONG_MAX, in whole pages. */
	return end == text || n >= INT64_MAX - UINT16_MAX ? CGROUP_UNLIMITED : n;
}

/* The number after "KEY " at the start of a line; 0 if there is none. */
static uint64_t cgroup_stat(const char *stat, bool v1, const char *key)
{
	size_t length = strlen(key);

	for (; stat && *stat; stat = strchr(stat, '\n'), stat += stat ? 1 : 0) {
		const char *at = stat;

		/* Version 1 has values of the cgroup alone, and total_* with its descendants. */
		if (v1 && !strncmp(at, "total_", 6))
			at += 6;
		else if (v1)
			continue;
		if (!strncmp(at, key, length) && at[length] == ' ')
			return strtoull(at + length, NULL, 10);
	}
	return 0;
}

uint64_t cgroup_reclaimable(const char *stat, bool v1)
{
	uint64_t files =
		cgroup_stat(stat, v1, "inactive_file") + cgroup_stat(stat, v1, "active_file") / 2;
	uint64_t busy = cgroup_stat(stat, v1, v1 ? "dirty" : "file_dirty") +
			cgroup_stat(stat, v1, v1 ? "writeback" : "file_writeback");

	return files > busy ? files - busy : 0;
}

uint64_t cgroup_left(uint64_t limit, uint64_t used, uint64_t reclaimable)
{
	uint64_t kept = used > reclaimable ? used - reclaimable : 0;

	return limit > kept ? limit - kept : 0;
}

/* ---- headroom ---- */

/* Above memory.high the kernel does not kill, but throttles the whole cgroup. */
static const struct cgroup_limit {
	bool v1, kills;
	const char *limit, *used;
} cgroup_limits[] = {
	{false, true, "memory.max", "memory.current"},
	{false, false, "memory.high", "memory.current"},
	{true, true, "memory.limit_in_bytes", "memory.usage_in_bytes"},
	{true, true, "memory.memsw.limit_in_bytes", "memory.memsw.usage_in_bytes"},
};

/* NULL if it cannot be read. The caller frees the text. */
static char *cgroup_read(const char *directory, const char *file)
{
	char *text;

	return procfs_read(AT_FDCWD, &text, NULL, "%s/%s", directory, file) == 0 ? text : NULL;
}

static uint64_t cgroup_read_number(const char *directory, const char *file)
{
	char *text = cgroup_read(directory, file);
	uint64_t n = text ? cgroup_number(text) : CGROUP_UNLIMITED;

	free(text);
	return n;
}

/* Keep the smaller headroom, and the file that limits it. */
static int cgroup_narrow(
	uint64_t *least, char **limit, uint64_t left, const char *directory, const char *file)
{
	char *name;

	if (left >= *least)
		return 0;
	if (asprintf(&name, "%s/%s", directory, file) < 0)
		return -ENOMEM;
	free(*limit);
	*limit = name;
	*least = left;
	return 0;
}

/* `shared`: we are in that cgroup, too. */
static int cgroup_read_level(const char *directory, bool v1, bool shared, struct cgroup_headroom *h)
{
	char *stat = NULL;
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof cgroup_limits / sizeof *cgroup_limits; i++) {
		const struct cgroup_limit *l = &cgroup_limits[i];
		uint64_t limit = CGROUP_UNLIMITED, used;

		if (l->v1 == v1)
			limit = cgroup_read_number(directory, l->limit);
		if (limit == CGROUP_UNLIMITED)
			continue;
		used = cgroup_read_number(directory, l->used);
		if (used == CGROUP_UNLIMITED)
			continue;
		if (!stat)
			stat = cgroup_read(directory, "memory.stat");
		used = cgroup_left(limit, used, stat ? cgroup_reclaimable(stat, v1) : 0);
		r = cgroup_narrow(&h->left, &h->limit, used, directory, l->limit);
		if (r == 0 && shared && l->kills)
			r = cgroup_narrow(&h->shared, &h->shared_limit, used, directory, l->limit);
	}
	free(stat);
	return r;
}

/* The length of the innermost directory that is the same, or an ancestor, of both. */
static size_t cgroup_common(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	if ((!a[n] || a[n] == '/') && (!b[n] || b[n] == '/'))
		return n;
	while (n && a[--n] != '/')
		;
	return n;
}

int cgroup_headroom_of(
	const char *cgroup, const char *own, const char *mountinfo, struct cgroup_headroom *h)
{
	char directory[PATH_MAX], ours[PATH_MAX];
	struct cgroup_path c, o;
	size_t top, length, common = 0;
	int r = 0;

	if (!cgroup_find(cgroup, "memory", &c) ||
		!cgroup_directory(mountinfo, &c, directory, sizeof directory, &top))
		return 0;
	if (own && cgroup_find(own, "memory", &o) &&
		cgroup_directory(mountinfo, &o, ours, sizeof ours, &length) && length == top)
		common = cgroup_common(directory, ours);
	for (length = strlen(directory); r == 0;) {
		r = cgroup_read_level(directory, c.v1, common >= top && length <= common, h);
		if (length <= top)
			break;
		while (length > top && directory[length - 1] != '/')
			length--;
		if (length > top)
			length--; /* the slash */
		directory[length] = '\0';
	}
	return r;
}

int cgroup_headroom(const struct identity *who, struct cgroup_headroom *h)
{
	char *cgroup, *own = NULL, *mountinfo = NULL, *meminfo;
	long available = -1;
	int r = 0;

	*h = (struct cgroup_headroom){.left = CGROUP_UNLIMITED, .shared = CGROUP_UNLIMITED};
	(void)procfs_read(AT_FDCWD, &own, NULL, "/proc/self/cgroup");
	if (identity_read(who, "cgroup", &cgroup, NULL) == 0 &&
		procfs_read(AT_FDCWD, &mountinfo, NULL, "/proc/self/mountinfo") == 0)
		r = cgroup_headroom_of(cgroup, own, mountinfo, h);
	free(cgroup);
	free(own);
	free(mountinfo);
	/* The machine may run out even if no cgroup has a limit. */
	if (procfs_read(AT_FDCWD, &meminfo, NULL, "/proc/meminfo") == 0)
		available = procfs_status(meminfo, "MemAvailable", -1);
	free(meminfo);
	if (r == 0 && available >= 0)
		r = cgroup_narrow(
			&h->left, &h->limit, (uint64_t)available * 1024, "/proc", "meminfo");
	if (r == 0 && available >= 0)
		r = cgroup_narrow(&h->shared, &h->shared_limit, (uint64_t)available * 1024, "/proc",
			"meminfo");
	if (r < 0)
		cgroup_headroom_done(h);
	return r;
}

void cgroup_headroom_done(struct cgroup_headroom *h)
{
	free(h->limit);
	free(h->shared_limit);
	h->limit = h->shared_limit = NULL;
}

/* ---- frozen ---- */

static bool cgroup_says(const char *cgroup, const char *mountinfo, const char *controller,
	const char *file, const char *words)
{
	char directory[PATH_MAX], *text = NULL;
	struct cgroup_path c;
	bool says;
	size_t top;

	if (cgroup_find(cgroup, controller, &c) &&
		cgroup_directory(mountinfo, &c, directory, sizeof directory, &top))
		text = cgroup_read(directory, file);
	says = text && strstr(text, words);
	free(text);
	return says;
}

const char *cgroup_frozen(const struct identity *who)
{
	char *cgroup, *mountinfo = NULL;
	bool frozen = false;

	if (identity_read(who, "cgroup", &cgroup, NULL) == 0 &&
		procfs_read(AT_FDCWD, &mountinfo, NULL, "/proc/self/mountinfo") == 0)
		frozen = cgroup_says(cgroup, mountinfo, "", "cgroup.events", "frozen 1") ||
			 cgroup_says(cgroup, mountinfo, "freezer", "freezer.state", "FROZEN");
	free(cgroup);
	free(mountinfo);
	return frozen ? "its cgroup has frozen it (freezer)" : NULL;
}
