/* Looking whether all is in order again. */
#include "inspect.h"

#include "fault.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define INSPECT_PATIENCE_MS 10000

static pid_t inspect_tolerated;

void inspect_tolerate(pid_t child)
{
	inspect_tolerated = child;
}

/* A child of ours that is not the victim, or 0. */
static pid_t inspect_other_child(pid_t victim)
{
	char path[64];
	int one = 0, other = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &one) == 1)
		if (one != victim && one != inspect_tolerated)
			other = one;
	if (f)
		fclose(f);
	return other;
}

void inspect_helpers(const struct field *f)
{
	long deadline = field_now() + INSPECT_PATIENCE_MS;
	pid_t one;
	int status;

	while ((one = inspect_other_child(f->pid))) {
		pid_t ended = waitpid(one, &status, WNOHANG | __WALL);

		if (ended == 0 && field_now() > deadline) {
			fault("process %d is left", one);
			kill(one, SIGKILL);
			deadline += INSPECT_PATIENCE_MS;
		}
		if (ended == 0)
			field_nap(200);
	}
	if (waitpid(f->pid, &status, WNOHANG) == f->pid)
		fault_fatal("the victim ended with status %x", (unsigned)status);
}

void inspect_threads(const struct field *f)
{
	long deadline = field_now() + INSPECT_PATIENCE_MS;
	size_t all, stopped, traced;

	/*
	 * One that was let go a moment ago may not have got to run yet; and while a thread that
	 * calls exec takes the leader's place, none is listed.
	 */
	while ((!field_threads(f, &all, &stopped, &traced) || stopped || traced) &&
		field_now() < deadline)
		field_nap(200);
	if (!all || stopped || traced)
		fault("of %zu threads %zu are stopped, %zu traced", all, stopped, traced);
}

struct inspect_mapping {
	uint64_t start, end, offset;
	const char *file;
};

static void inspect_mapping(const struct field *f, const struct inspect_mapping *m)
{
	unsigned char memory[4096], wanted[4096];
	int file = open(m->file, O_RDONLY | O_CLOEXEC);

	for (uint64_t at = m->start; file >= 0 && at < m->end; at += sizeof memory) {
		ssize_t size =
			pread(file, wanted, sizeof wanted, (off_t)(m->offset + at - m->start));

		if (!field_peek(f, at, memory, sizeof memory))
			fault("%s: the code at %lx cannot be read", m->file, at);
		else
			for (ssize_t i = 0; i < size; i++)
				if (memory[i] != wanted[i])
					fault("%s: the code at %lx (%lx in the file) is %02x, it "
					      "should be %02x",
						m->file, at + (uint64_t)i,
						m->offset + at - m->start + (uint64_t)i, memory[i],
						wanted[i]);
	}
	if (file >= 0)
		close(file);
}

void inspect_code(const struct field *f, const char *file)
{
	char path[64], line[PATH_MAX + 100], real[PATH_MAX];
	struct inspect_mapping m;
	int mappings = 0, at;
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%d/maps", f->pid);
	maps = fopen(path, "re");
	if (!maps || (file && !realpath(file, real)))
		fault_fatal("cannot read %s", path);
	while (fgets(line, sizeof line, maps)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%lx-%lx r-xp %lx %*s %*s %n", &m.start, &m.end, &m.offset, &at) !=
			3)
			continue;
		m.file = line + at;
		if (*m.file != '/' || (file && strcmp(m.file, real) != 0))
			continue;
		inspect_mapping(f, &m);
		mappings++;
	}
	if (!mappings)
		fault("%s is not mapped in process %d", file ? real : "no code", f->pid);
	fclose(maps);
}

void inspect_descriptors(const struct field *f)
{
	static const char ours[] = "/memfd:probes-tui";
	char path[64], text[64];
	struct dirent *entry;
	DIR *list;

	snprintf(path, sizeof path, "/proc/%d/fd", f->pid);
	list = opendir(path);
	while (list && (entry = readdir(list))) {
		ssize_t length = readlinkat(dirfd(list), entry->d_name, text, sizeof text);

		if (length >= (ssize_t)sizeof ours - 1 && !memcmp(text, ours, sizeof ours - 1))
			fault("descriptor %s of process %d is an arena", entry->d_name, f->pid);
	}
	if (list)
		closedir(list);
}

#define OWN_PAGES 8 /* struct recorder_own */

void inspect_arenas(const struct field *f)
{
	char path[64], line[PATH_MAX + 100], mode[8];
	uint64_t start, cookie;
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%d/maps", f->pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof line, maps)) {
		if (!strstr(line, "/memfd:probes-tui") ||
			sscanf(line, "%lx-%*x %7s", &start, mode) != 2 || strcmp(mode, "rw-s") != 0)
			continue;
		/* The pages below its data are private; the first one is empty in a forked child.
		 */
		if (!field_peek(f, start - OWN_PAGES * 4096, &cookie, sizeof cookie) || !cookie)
			fault("the arena at %lx has no cookie", start);
	}
	if (maps)
		fclose(maps);
}

void inspect_victim(const struct truth *t, struct field *f)
{
	struct field_report before, after;
	unsigned long rounds;

	field_pause(f);
	field_report(f, &before);
	truth_check(t, f, &before);
	field_go(f);
	rounds = field_rounds(f);
	while (field_rounds(f) == rounds)
		field_nap(200);
	field_pause(f);
	field_report(f, &after);
	field_go(f);
	truth_check_hits(t, &before, &after);
}

void inspect_journals(const struct tool *t)
{
	size_t left = tool_journals(t);

	if (left)
		fault("%zu journals are left", left);
}
