/*
 * How much memory a process may still get: what the limits on the way from its memory cgroup up to
 * the root leave, as far as we see them, and what the machine has. Reads only.
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
 * Of the thread whose /proc directory is `task`. What cannot be seen (a cgroup outside of our
 * namespace, a file that we may not read) limits nothing. -ENOMEM is the only failure.
 */
int room_look(int task, struct room *room);
void room_done(struct room *room);

/* The cgroups alone, by the texts of /proc/PID/cgroup and /proc/self/mountinfo; for tests, too. */
int room_of_cgroups(const char *cgroup, const char *mountinfo, struct room *room);

#endif
