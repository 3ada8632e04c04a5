/* Parsing of /proc/PID/maps. */
#include "process/maps.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAPS_DELETED " (deleted)"

/* Undo the kernel's \012 in place. */
static void maps_unescape(char *path)
{
	char *to = path;

	while (*path) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 4;
		} else {
			*to++ = *path++;
		}
	}
	*to = '\0';
}

static bool maps_strip_deleted(char *path)
{
	size_t length = strlen(path), tail = sizeof MAPS_DELETED - 1;

	if (length < tail || strcmp(path + length - tail, MAPS_DELETED))
		return false;
	path[length - tail] = '\0';
	return true;
}

static bool maps_parse_line(char *line, struct mapping *m)
{
	char perms[5];
	int at = 0;

	if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu%n", &m->start, &m->end, perms, &m->offset,
		    &m->major, &m->minor, &m->inode, &at) != 7 ||
		strlen(perms) != 4 || m->start >= m->end)
		return false;
	m->readable = perms[0] == 'r';
	m->writable = perms[1] == 'w';
	m->executable = perms[2] == 'x';
	m->shared = perms[3] == 's';
	line += at;
	line += strspn(line, " ");
	m->deleted = maps_strip_deleted(line);
	maps_unescape(line);
	m->path = line;
	return true;
}

/* The kernel promises that addresses never go back; maps_find relies on it. */
static bool maps_ascends(const struct array *mappings, const struct mapping *m)
{
	return !mappings->count ||
	       ARRAY_AT(mappings, struct mapping, mappings->count - 1)->end <= m->start;
}

bool maps_parse(char *text, struct array *mappings, size_t *malformed)
{
	*malformed = 0;
	while (*text) {
		char *end = strchrnul(text, '\n');
		struct mapping m;
		bool last = !*end;

		*end = '\0';
		if (!maps_parse_line(text, &m) || !maps_ascends(mappings, &m))
			++*malformed;
		else if (!array_reserve(mappings, 1))
			return false;
		else
			*(struct mapping *)array_add(mappings) = m;
		text = last ? end : end + 1;
	}
	return true;
}

/*
 * "start-end perms offset device inode ...": is the inode 0? False for any other line, and for
 * code, which may have been moved there from a file (place_there).
 */
static bool maps_is_anonymous(const char *line, const char *end)
{
	for (int i = 0; line && i < 4; i++) {
		line = memchr(line, ' ', (size_t)(end - line));
		line = line ? line + 1 : NULL;
		if (i == 0 && line && (end - line < 4 || line[2] == 'x'))
			return false;
	}
	return line && end - line >= 2 && line[0] == '0' && (line[1] == ' ' || line[1] == '\n');
}

static uint64_t maps_hex(const char *at, const char *end)
{
	uint64_t value = 0;

	for (; at < end && isxdigit((unsigned char)*at); at++)
		value = value << 4 | (uint64_t)(*at <= '9' ? *at - '0' : (*at | 0x20) - 'a' + 10);
	return value;
}

/* The end of the mapping in a line "start-end ..."; 0 if the line has none. */
static uint64_t maps_end(const char *line, const char *end)
{
	const char *dash = memchr(line, '-', (size_t)(end - line));

	return dash ? maps_hex(dash + 1, end) : 0;
}

size_t maps_drop_anonymous(char *text, size_t size)
{
	char *to = text, *at = text, *stop = text + size;
	uint64_t before = 0; /* end of the last line that stays; 0: unknown */

	while (at < stop) {
		char *end = memchr(at, '\n', (size_t)(stop - at));
		size_t length;

		end = end ? end + 1 : stop;
		length = (size_t)(end - at);
		if (!maps_is_anonymous(at, end) || !before || maps_hex(at, end) == before) {
			before = maps_end(at, end);
			memmove(to, at, length);
			to += length;
		}
		at = end;
	}
	return (size_t)(to - text);
}

const struct mapping *maps_find(const struct array *mappings, uint64_t address)
{
	size_t low = 0, high = mappings->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct mapping *m = ARRAY_AT(mappings, struct mapping, middle);

		if (address < m->start)
			high = middle;
		else if (address >= m->end)
			low = middle + 1;
		else
			return m;
	}
	return NULL;
}

bool maps_writable(const struct array *mappings, struct array *ranges)
{
	for (size_t i = 0; i < mappings->count; i++) {
		const struct mapping *m = ARRAY_AT(mappings, struct mapping, i);
		struct maps_range *last = ranges->data;

		if (!m->writable)
			continue;
		last = ranges->count ? last + ranges->count - 1 : NULL;
		if (last && last->end == m->start && last->shared == m->shared) {
			last->end = m->end;
			continue;
		}
		last = array_add(ranges);
		if (!last)
			return false;
		*last = (struct maps_range){m->start, m->end, m->shared};
	}
	return true;
}

const struct maps_range *maps_range_at(const struct array *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct maps_range *r = ARRAY_AT(ranges, struct maps_range, middle);

		if (address >= r->start && address < r->end)
			return r;
		if (address < r->start)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* FNV-1a, eight bytes at a time: maps may be a megabyte long. */
uint64_t maps_mark(const char *text)
{
	uint64_t mark = 14695981039346656037u, part = 0;
	size_t length = strlen(text);

	for (size_t at = 0; at < length; at += sizeof part) {
		size_t left = length - at;

		part = 0;
		memcpy(&part, text + at, left < sizeof part ? left : sizeof part);
		mark = (mark ^ part) * 1099511628211u;
		mark ^= mark >> 29;
	}
	return mark;
}
