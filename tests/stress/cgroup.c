/* Source: the kernel's admin-guide/cgroup-v1/memory.rst, cgroup-v2.rst. */
#include "cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CGROUP_LOWER "/victim"

static bool cgroup_put(
	const struct cgroup *g, const char *below, const char *file, const char *text)
{
	char path[600];
	ssize_t length = (ssize_t)strlen(text);
	bool fine;
	int fd;

	snprintf(path, sizeof path, "%s%s/%s", g->path, below, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	fine = fd >= 0 && write(fd, text, (size_t)length) == length;
	if (fd >= 0)
		close(fd);
	return fine;
}

/* Where we live, by /proc/self/cgroup: of version 1 the line that names memory, else the one of 0.
 */
static bool cgroup_ours(bool v2, char *path, size_t size)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[600], names[100], at[400];
	bool found = false;

	while (f && !found && fgets(line, sizeof line, f)) {
		names[0] = '\0';
		if (v2)
			found = sscanf(line, "0::%399s", at) == 1;
		else
			found = sscanf(line, "%*d:%99[^:]:%399s", names, at) == 2 &&
				!strcmp(names, "memory");
		if (found)
			snprintf(path, size, "%s", at);
	}
	if (f)
		fclose(f);
	return found;
}

/* Where a version is mounted. */
static bool cgroup_mounted(bool v2, char *path, size_t size)
{
	FILE *f = fopen("/proc/mounts", "re");
	char line[1200], at[400], type[32], options[300];
	bool found = false;

	while (f && !found && fgets(line, sizeof line, f)) {
		if (sscanf(line, "%*s %399s %31s %299s", at, type, options) != 3)
			continue;
		found = v2 ? !strcmp(type, "cgroup2")
			   : !strcmp(type, "cgroup") && strstr(options, "memory");
		if (found)
			snprintf(path, size, "%s", at);
	}
	if (f)
		fclose(f);
	return found;
}

static const char *cgroup_limit_file(const struct cgroup *g)
{
	return g->v2 ? "memory.max" : "memory.limit_in_bytes";
}

static bool cgroup_make_below(struct cgroup *g, const char *mounted, const char *ours)
{
	char lower[600], limit[700];

	snprintf(g->path, sizeof g->path, "%.300s%.150s/probes-campaign-%d", mounted,
		strcmp(ours, "/") != 0 ? ours : "", getpid());
	if (mkdir(g->path, 0700) < 0 && errno != EEXIST)
		return false;
	if (g->v2)
		cgroup_put(g, "", "cgroup.subtree_control", "+memory");
	snprintf(lower, sizeof lower, "%s" CGROUP_LOWER, g->path);
	snprintf(limit, sizeof limit, "%s/%s", lower, cgroup_limit_file(g));
	if ((mkdir(lower, 0700) == 0 || errno == EEXIST) && access(limit, W_OK) == 0)
		return true;
	rmdir(lower);
	rmdir(g->path);
	return false;
}

/* Ours, or where that may have no children with memory (version 2), the root. */
bool cgroup_make(struct cgroup *g)
{
	char mounted[400], ours[400];

	for (int i = 0; i < 2; i++) {
		g->v2 = i;
		if (!cgroup_mounted(g->v2, mounted, sizeof mounted) ||
			!cgroup_ours(g->v2, ours, sizeof ours))
			continue;
		if (cgroup_make_below(g, mounted, ours) || cgroup_make_below(g, mounted, "/"))
			return true;
	}
	return false;
}

void cgroup_remove(struct cgroup *g)
{
	char lower[600];

	snprintf(lower, sizeof lower, "%s" CGROUP_LOWER, g->path);
	/* The last one's charge may still be on its way out. */
	for (int i = 0; rmdir(lower) < 0 && errno == EBUSY && i < 1000; i++)
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	for (int i = 0; rmdir(g->path) < 0 && errno == EBUSY && i < 1000; i++)
		nanosleep(&(struct timespec){0, 1000000}, NULL);
}

bool cgroup_enter(const struct cgroup *g)
{
	return cgroup_put(g, CGROUP_LOWER, "cgroup.procs", "0");
}

long cgroup_usage(const struct cgroup *g)
{
	char path[600];
	long usage = -1;
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", g->path,
		g->v2 ? "memory.current" : "memory.usage_in_bytes");
	f = fopen(path, "re");
	if (f && fscanf(f, "%ld", &usage) != 1)
		usage = -1;
	if (f)
		fclose(f);
	return usage;
}

bool cgroup_limit(const struct cgroup *g, bool upper, long bytes)
{
	char text[32];

	snprintf(text, sizeof text, "%ld", bytes);
	return cgroup_put(g, upper ? "" : CGROUP_LOWER, cgroup_limit_file(g), text);
}
