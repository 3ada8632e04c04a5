/*
 * How much memory a process may still get: what the visible limits from its memory cgroup up to the
 * root leave, and what the machine has. Reads only.
 */
#ifndef PROCESS_ROOM_H
#define PROCESS_ROOM_H

#include <stdint.h>

#define ROOM_UNKNOWN UINT64_MAX

struct room {
	uint64_t left; /* bytes, under the narrowest limit; ROOM_UNKNOWN: none could be seen */
	char *limit;   /* the file that sets that limit (free): a cgroup's memory.max or the like,
			  untrusted; /proc/meminfo: the machine; NULL: unknown */
};

/*
 * For the thread whose /proc directory is `task`. An invisible limit (a cgroup outside our
 * namespace, a file that we may not read) does not count. -ENOMEM is the only failure.
 */
int room_look(int task, struct room *room);
void room_done(struct room *room);

/* Only the cgroups, from the texts of /proc/PID/cgroup and /proc/self/mountinfo; also for tests. */
int room_of_cgroups(const char *cgroup, const char *mountinfo, struct room *room);

#endif
