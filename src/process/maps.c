#include "process/maps.h"

#include "base/order.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MAPS_DELETED " (deleted)"

bool maps_strip_deleted(char *path)
{
	size_t length = strlen(path), tail = sizeof MAPS_DELETED - 1;

	if (length < tail || strcmp(path + length - tail, MAPS_DELETED))
		return false;
	path[length - tail] = '\0';
	return true;
}

static bool maps_parse_line(char *line, struct mapping *m)
{
	char perms[5], *to;
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
	m->path = to = line;
	while (*line) {
		bool newline = !strncmp(line, "\\012", 4);

		*to++ = newline ? '\n' : *line;
		line += newline ? 4 : 1;
	}
	*to = '\0';
	return true;
}

bool maps_parse(char *text, struct array *mappings, size_t *malformed)
{
	uint64_t before = 0;

	*malformed = 0;
	while (*text) {
		char *end = strchrnul(text, '\n');
		struct mapping m;
		bool last = !*end;

		*end = '\0';
		/* The kernel lists mappings in ascending order; maps_find relies on it. */
		if (!maps_parse_line(text, &m) || m.start < before) {
			++*malformed;
		} else {
			if (!array_push(mappings, &m))
				return false;
			before = m.end;
		}
		text = last ? end : end + 1;
	}
	return true;
}

/*
 * "start-end perms offset device inode ...": is the inode 0? False for any other line, and for
 * code, which may have been moved there from a file (maps_still_there).
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

size_t maps_drop_anonymous(char *text, size_t size)
{
	char *to = text, *at = text, *stop = text + size;
	uint64_t before = 0; /* end address of the last kept mapping; 0: unknown */

	while (at < stop) {
		char *end = memchr(at, '\n', (size_t)(stop - at));
		const char *dash;
		size_t length;

		end = end ? end + 1 : stop;
		length = (size_t)(end - at);
		if (!maps_is_anonymous(at, end) || !before || maps_hex(at, end) == before) {
			dash = memchr(at, '-', length);
			before = dash ? maps_hex(dash + 1, end) : 0;
			memmove(to, at, length);
			to += length;
		}
		at = end;
	}
	return (size_t)(to - text);
}

bool maps_share_file(const struct mapping *x, const struct mapping *y)
{
	return x->inode == y->inode && x->major == y->major && x->minor == y->minor;
}

bool maps_is_arena(const struct mapping *m)
{
	return m->shared && m->deleted && !strcmp(m->path, "/memfd:" MAPS_ARENA);
}

uint64_t maps_arena_size(const struct array *mappings, uint64_t inode)
{
	uint64_t size = 0;

	ARRAY_EACH(const struct mapping, m, mappings)
		if (m->inode == inode && maps_is_arena(m))
			size += m->end - m->start;
	return size;
}

/* A process may map one memory any number of times: the work does not grow with their product. */
bool maps_arenas(const struct array *mappings, struct array *arenas)
{
	struct maps_arena *list;
	size_t count = 0;

	ARRAY_EACH(const struct mapping, m, mappings) {
		struct maps_arena *one = maps_is_arena(m) ? array_add(arenas) : NULL;

		if (one)
			*one = (struct maps_arena){
				.address = m->offset || m->writable ? 0 : m->start,
				.inode = m->inode,
				.size = m->end - m->start};
		else if (maps_is_arena(m))
			return false;
	}
	if (!order_array(arenas, offsetof(struct maps_arena, inode)))
		return false;
	list = arenas->data;
	for (size_t i = 0, next; i < arenas->count; i = next) {
		struct maps_arena one = list[i];

		for (next = i + 1; next < arenas->count && list[next].inode == one.inode; next++) {
			one.address = one.address ? one.address : list[next].address;
			one.size += list[next].size;
		}
		if (one.address)
			list[count++] = one;
	}
	arenas->count = count;
	return order_by_number(list, count, arenas->size, offsetof(struct maps_arena, address));
}

const struct mapping *maps_find(const struct array *mappings, uint64_t address)
{
	const struct mapping *all = mappings->data;
	size_t at;

	ORDER_FIND(at, mappings->count, all[at].end <= address);
	return at < mappings->count && all[at].start <= address ? &all[at] : NULL;
}

bool maps_writable(const struct array *mappings, struct array *ranges)
{
	ARRAY_EACH(const struct mapping, m, mappings) {
		struct maps_range *last = ranges->data;

		if (!m->writable)
			continue;
		last = ranges->count ? last + ranges->count - 1 : NULL;
		if (last && last->end == m->start && last->shared == m->shared) {
			last->end = m->end;
			continue;
		}
		if (!array_push(ranges, &(struct maps_range){m->start, m->end, m->shared}))
			return false;
	}
	return true;
}

const struct maps_range *maps_range_at(const struct array *ranges, uint64_t address)
{
	const struct maps_range *all = ranges->data;
	size_t at;

	ORDER_FIND(at, ranges->count, all[at].end <= address);
	return at < ranges->count && all[at].start <= address ? &all[at] : NULL;
}

bool maps_same_file(const struct maps_location *l, const struct mapping *m)
{
	return l->inode && m->inode == l->inode && m->major == l->major && m->minor == l->minor;
}

bool maps_still_there(const struct maps_location *l, const struct array *mappings, bool *deleted)
{
	const struct mapping *text = maps_find(mappings, l->text);
	const struct mapping *base = maps_find(mappings, l->base);

	if (!l->text) {
		ARRAY_EACH(const struct mapping, m, mappings) {
			if (!maps_same_file(l, m))
				continue;
			*deleted = m->deleted;
			return true;
		}
		return false;
	}
	if (text && maps_same_file(l, text) &&
		text->offset + (l->text - text->start) == l->offset) {
		*deleted = text->deleted;
		return true;
	}
	if (!text || text->inode || !base || !maps_same_file(l, base))
		return false;
	*deleted = base->deleted;
	return true;
}

bool maps_accounts_for(const struct maps_location *l, const struct mapping *m)
{
	if (!maps_same_file(l, m))
		return false;
	/* Only a mapping of the start of the text can belong to another object of the file. */
	if (!l->text || l->offset < m->offset || l->offset - m->offset >= m->end - m->start)
		return true;
	return m->start + (l->offset - m->offset) == l->text;
}
