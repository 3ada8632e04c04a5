/*
 * Processes that are not open, by pid and start time. Sources: kill(2), proc(5),
 * time_namespaces(7).
 */
#include "process/identity.h"

#include "process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define IDENTITY_SECOND 1000000000LL /* ns */

uint64_t identity_start(uint64_t ticks)
{
	int64_t tick = IDENTITY_SECOND / sysconf(_SC_CLK_TCK);
	char ours[64] = "", children[64] = "", *text;
	const char *at;
	long long seconds = 0, ns = 0;
	int r = procfs_read(AT_FDCWD, &text, NULL, "/proc/self/timens_offsets");

	if (r < 0)
		return r == -ENOENT ? ticks : 0; /* a kernel without time namespaces; unknown */
	at = strstr(text, "boottime");
	r = at ? sscanf(at, "boottime %lld %lld", &seconds, &ns) : 0;
	free(text);
	/* The file describes the time namespace of our children: is that ours? */
	if (r != 2 || readlink("/proc/self/ns/time", ours, sizeof ours - 1) <= 0 ||
		readlink("/proc/self/ns/time_for_children", children, sizeof children - 1) <= 0 ||
		strcmp(ours, children))
		return 0;
	return ticks - (uint64_t)((seconds * IDENTITY_SECOND + ns) / tick);
}

bool identity_same_start(uint64_t a, uint64_t b)
{
	return !a || !b || a - b + 1 <= 2;
}

enum identity_state identity_check(pid_t pid, uint64_t start, const char **why)
{
	struct procfs_stat stat;
	uint64_t pids[2];
	char *text;
	bool ours;
	int r;

	*why = "it names no valid process";
	if (pid <= 0)
		return IDENTITY_UNKNOWN;
	/* kill needs neither /proc, which may be hidden (hidepid), nor a descriptor. */
	if (kill(pid, 0) < 0 && errno == ESRCH)
		return IDENTITY_ENDED;
	/* A proc mount of another pid namespace shows several pids for us, and wrong pids for
	 * others. */
	*why = "/proc cannot be read, or belongs to another pid namespace";
	ours = procfs_read(AT_FDCWD, &text, NULL, "/proc/self/status") == 0 &&
	       procfs_status_numbers(text, "NSpid", 10, pids, 2) == 1 &&
	       pids[0] == (uint64_t)getpid();
	free(text);
	if (!ours)
		return IDENTITY_UNKNOWN;
	r = procfs_stat(AT_FDCWD, &stat, "/proc/%d/stat", pid);
	*why = strerror(-r);
	if (r < 0)
		return kill(pid, 0) < 0 && errno == ESRCH ? IDENTITY_ENDED : IDENTITY_UNKNOWN;
	if (stat.state == 'X' || (stat.state == 'Z' && stat.threads <= 1))
		return IDENTITY_ENDED;
	return identity_same_start(identity_start(stat.start_time), start) ? IDENTITY_LIVES
									   : IDENTITY_ENDED;
}

bool identity_dying(pid_t pid)
{
	int proc = procfs_open(AT_FDCWD, O_RDONLY | O_DIRECTORY, "/proc/%d", pid);
	bool dying;

	if (proc < 0)
		return proc == -ENOENT && kill(pid, 0) < 0 && errno == ESRCH; /* hidepid */
	dying = !identity_find_thread(proc, true);
	close(proc);
	return dying;
}

enum identity_state identity_settled(pid_t pid, uint64_t start, const char **why)
{
	enum identity_state state = identity_check(pid, start, why);

	for (int waited = 0;
		state == IDENTITY_LIVES && waited < IDENTITY_DYING_MS && identity_dying(pid);
		waited++) {
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		state = identity_check(pid, start, why);
	}
	return state;
}
