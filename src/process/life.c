/* Proof that a process has ended; see life.h. Sources: kill(2), proc(5), time_namespaces(7). */
#include "process/life.h"

#include "process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIFE_SECOND 1000000000LL

/*
 * Offset of our boot time from that of the initial time namespace, in ns. The file describes the
 * namespace of our children: if that is not ours, the offset is unknown.
 */
static bool life_shift(int64_t *shift)
{
	char ours[64] = "", children[64] = "", *text;
	const char *at;
	long long seconds = 0, ns = 0;
	size_t size;
	int r = procfs_read(AT_FDCWD, "/proc/self/timens_offsets", &text, &size);

	*shift = 0;
	if (r < 0)
		return r == -ENOENT; /* a kernel without time namespaces */
	at = strstr(text, "boottime");
	r = at ? sscanf(at, "boottime %lld %lld", &seconds, &ns) : 0;
	free(text);
	*shift = seconds * LIFE_SECOND + ns;
	return r == 2 && readlink("/proc/self/ns/time", ours, sizeof ours - 1) > 0 &&
	       readlink("/proc/self/ns/time_for_children", children, sizeof children - 1) > 0 &&
	       !strcmp(ours, children);
}

uint64_t life_start(uint64_t ticks)
{
	int64_t tick = LIFE_SECOND / sysconf(_SC_CLK_TCK), shift;

	return life_shift(&shift) ? ticks - (uint64_t)(shift / tick) : 0;
}

bool life_same_start(uint64_t a, uint64_t b)
{
	return !a || !b || a - b + 1 <= 2;
}

/* A proc mount of another pid namespace shows several pids for us, and wrong pids for others. */
static bool life_proc_is_ours(void)
{
	uint64_t numbers[2];
	size_t size;
	char *text;
	bool ours = procfs_read(AT_FDCWD, "/proc/self/status", &text, &size) == 0 &&
		    procfs_status_numbers(text, "NSpid", 10, numbers, 2) == 1 &&
		    numbers[0] == (uint64_t)getpid();

	free(text);
	return ours;
}

enum life life_of(pid_t pid, uint64_t start, const char **why)
{
	struct procfs_stat stat;
	char path[64];
	int r;

	*why = "it names no valid process";
	if (pid <= 0)
		return LIFE_UNKNOWN;
	/* kill needs no /proc, which may be hidden (hidepid), and no descriptor. */
	if (kill(pid, 0) < 0 && errno == ESRCH)
		return LIFE_IS_OVER;
	*why = "/proc cannot be read, or belongs to another pid namespace";
	if (!life_proc_is_ours())
		return LIFE_UNKNOWN;
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	r = procfs_stat(AT_FDCWD, path, &stat);
	*why = strerror(-r);
	if (r < 0)
		return kill(pid, 0) < 0 && errno == ESRCH ? LIFE_IS_OVER : LIFE_UNKNOWN;
	if (stat.state == 'X' || (stat.state == 'Z' && stat.threads <= 1))
		return LIFE_IS_OVER;
	return life_same_start(life_start(stat.start_time), start) ? LIFE_GOES_ON : LIFE_IS_OVER;
}
