/* Parses the kernel's texts about memory cgroups. Opens nothing. */
#include "process/cgroup.h"

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

bool cgroup_find(const char *text, struct cgroup_place *place)
{
	bool found = false;

	/* "4:memory:/a/b" or "0::/a/b": a controller is in one hierarchy only, in version 1 if
	 * named there. */
	while (*text) {
		size_t length = strcspn(text, "\n");
		const char *list = memchr(text, ':', length);
		const char *path =
			list ? memchr(list + 1, ':', length - (size_t)(list + 1 - text)) : NULL;

		if (path) {
			size_t listed = (size_t)(path - ++list);
			bool v1 = cgroup_listed(list, listed, "memory");

			path++;
			if (v1 || (!listed && !found)) {
				place->path = path;
				place->length = length - (size_t)(path - text);
				place->v1 = v1;
				found = true;
			}
			if (v1)
				break;
		}
		text += length + (text[length] == '\n');
	}
	return found && *place->path == '/';
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

static bool cgroup_accounts(const struct cgroup_mount *m, bool v1)
{
	const char *type = v1 ? "cgroup" : "cgroup2";

	return m->type_length == strlen(type) && !memcmp(m->type, type, m->type_length) &&
	       (!v1 || cgroup_listed(m->super, m->super_length, "memory"));
}

/* The rest of the path below the root of a mount; NULL: the path lies outside. */
static const char *cgroup_below(const struct cgroup_mount *m, const struct cgroup_place *place)
{
	size_t skip = m->root_length == 1 ? 0 : m->root_length;
	const char *rest = place->path + skip;

	if (skip > place->length || memcmp(place->path, m->root, skip))
		return NULL;
	if (skip < place->length && *rest != '/')
		return NULL;
	/* Above the root of our cgroup namespace, which is that of the mount. */
	if (place->length - skip >= 3 && !memcmp(rest, "/..", 3) &&
		(place->length - skip == 3 || rest[3] == '/'))
		return NULL;
	return rest;
}

/* Decode \OOO: blanks, tabs, newlines and backslashes. Returns the length; 0: no room. */
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

bool cgroup_directory(const char *mountinfo, const struct cgroup_place *place, char *directory,
	size_t size, size_t *top)
{
	size_t best = SIZE_MAX;

	while (*mountinfo) {
		size_t length = strcspn(mountinfo, "\n"), n, left;
		struct cgroup_mount m;
		const char *rest;

		/* Of several, the one that shows the most levels. */
		if (cgroup_mount(mountinfo, length, &m) && cgroup_accounts(&m, place->v1) &&
			m.root_length < best && (rest = cgroup_below(&m, place))) {
			n = cgroup_unescape(m.point, m.point_length, directory, size);
			left = place->length - (size_t)(rest - place->path);
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

/* ---- figures ---- */

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

		/* Version 1 has figures of the cgroup alone, and total_* with its descendants. */
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
