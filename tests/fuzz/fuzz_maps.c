/*
 * What is read from /proc, as text: maps, stat and status. Every line of maps is taken or counted,
 * ranges ascend and do not overlap, an address is found where it lies and nowhere else, and what
 * was taken reads the same when it is written out again.
 */
#include "process/maps.h"
#include "process/procfs.h"

#include "tests/fuzz/fuzz.h"

static size_t lines(const char *text)
{
	size_t count = 0;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		count++;
	return count;
}

static char *line_of(const struct mapping *m)
{
	size_t room = 200 + 4 * strlen(m->path);
	char *line = malloc(room), *to;

	FUZZ_CHECK(line);
	to = line + sprintf(line, "%lx-%lx %c%c%c%c %08lx %02x:%02x %lu ", m->start, m->end,
			    m->readable ? 'r' : '-', m->writable ? 'w' : '-',
			    m->executable ? 'x' : '-', m->shared ? 's' : 'p', m->offset, m->major,
			    m->minor, m->inode);
	for (const char *at = m->path; *at; at++)
		to += sprintf(to, *at == '\n' ? "\\012" : "%c", *at);
	sprintf(to, "%s\n", m->deleted ? " (deleted)" : "");
	return line;
}

static void written_again(const struct mapping *m)
{
	char *line = line_of(m);
	struct array one = ARRAY_OF(struct mapping);
	struct mapping *again;
	size_t malformed;

	FUZZ_CHECK(maps_parse(line, &one, &malformed));
	FUZZ_CHECK(one.count == 1 && malformed == 0);
	again = one.data;
	FUZZ_CHECK(again->start == m->start && again->end == m->end);
	FUZZ_CHECK(again->offset == m->offset && again->inode == m->inode);
	FUZZ_CHECK(again->major == m->major && again->minor == m->minor);
	FUZZ_CHECK(again->readable == m->readable && again->writable == m->writable);
	FUZZ_CHECK(again->executable == m->executable && again->shared == m->shared);
	FUZZ_CHECK(again->deleted == m->deleted && !strcmp(again->path, m->path));
	array_done(&one);
	free(line);
}

static void check_mappings(const struct array *mappings, const char *text, size_t size)
{
	uint64_t end = 0;

	for (size_t i = 0; i < mappings->count; i++) {
		const struct mapping *m = ARRAY_AT(mappings, struct mapping, i);

		FUZZ_CHECK(m->start < m->end && m->start >= end);
		end = m->end;
		FUZZ_CHECK(m->path >= text && m->path + strlen(m->path) <= text + size);
		FUZZ_CHECK(maps_find(mappings, m->start) == m);
		FUZZ_CHECK(maps_find(mappings, m->end - 1) == m);
		FUZZ_CHECK(maps_find(mappings, m->end) != m);
		written_again(m);
	}
	FUZZ_CHECK(!mappings->count || maps_find(mappings, end) == NULL);
}

static void check_maps(const char *text)
{
	char *copy = strdup(text);
	struct array mappings = ARRAY_OF(struct mapping);
	size_t malformed;

	FUZZ_CHECK(copy);
	FUZZ_CHECK(maps_parse(copy, &mappings, &malformed));
	FUZZ_CHECK(mappings.count + malformed == lines(text));
	check_mappings(&mappings, copy, strlen(text));
	array_done(&mappings);
	free(copy);
}

static void check_stat(const char *text)
{
	struct procfs_stat stat, again;
	char line[400];

	if (procfs_parse_stat(text, &stat) < 0)
		return;
	FUZZ_CHECK(strlen(stat.comm) < sizeof stat.comm);
	FUZZ_CHECK(
		strchr(text, '(') && !strncmp(strchr(text, '(') + 1, stat.comm, strlen(stat.comm)));
	snprintf(line, sizeof line, "1 (%s) %c %d 0 0 0 0 %lu 0 0 0 0 0 0 0 0 0 0 %lu 0 %llu",
		stat.comm, stat.state, stat.parent, stat.flags, stat.threads,
		(unsigned long long)stat.start_time);
	FUZZ_CHECK(procfs_parse_stat(line, &again) == 0);
	FUZZ_CHECK(!memcmp(&stat, &again, sizeof stat));
}

static void check_status(const char *text)
{
	static const char key[] = "\nTracerPid:";
	bool there = !strncmp(text, key + 1, sizeof key - 2) || strstr(text, key);
	long one = procfs_status(text, "TracerPid", -1),
	     other = procfs_status(text, "TracerPid", -2);

	FUZZ_CHECK(there ? one == other : one == -1 && other == -2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = fuzz_text(bytes, size);

	check_maps(text);
	check_stat(text);
	check_status(text);
	free(text);
	return 0;
}
