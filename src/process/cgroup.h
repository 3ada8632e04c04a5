/*
 * Parsing of memory cgroup files: where a process is accounted, and what its limits leave. Pure.
 * Source: cgroups(7), proc_pid_cgroup(5), proc_pid_mountinfo(5), and in the kernel
 * Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
 */
#ifndef PROCESS_CGROUP_H
#define PROCESS_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CGROUP_UNLIMITED UINT64_MAX

/* The cgroup that a process is accounted in. */
struct cgroup_place {
	const char *path; /* relative to the visible root; points into the text, untrusted */
	size_t length;
	bool v1;
};

/* From a /proc/PID/cgroup text; false: no controller accounts memory there. */
bool cgroup_find(const char *text, struct cgroup_place *place);

/*
 * The directory of a cgroup, from our /proc/self/mountinfo. `top` is the length of the mount point
 * in it: no level above that is visible. False: the hierarchy is not mounted, the cgroup lies
 * outside the mount, or the path does not fit.
 */
bool cgroup_directory(const char *mountinfo, const struct cgroup_place *place, char *directory,
	size_t size, size_t *top);

/* The number in a limit file or a usage file; CGROUP_UNLIMITED for "max", for what version 1 writes
 * where there is no limit, and for what is no number. */
uint64_t cgroup_number(const char *text);

/*
 * Bytes of page cache that the kernel can reclaim without harm before it kills a process, from a
 * memory.stat text: the inactive file pages and half of the active ones (a busy process needs the
 * rest), without dirty pages and those under writeback. Swap does not count.
 */
uint64_t cgroup_reclaimable(const char *stat, bool v1);

/* What a limit leaves: never more than the limit. */
uint64_t cgroup_left(uint64_t limit, uint64_t used, uint64_t reclaimable);

#endif
