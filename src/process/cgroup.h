/*
 * How much memory a process may still allocate: what the limits of its memory cgroups leave, up to
 * the root, and what the machine has available. How much of that is ours as well. And whether a
 * cgroup has frozen it. Reads only. Source: cgroups(7), proc_pid_cgroup(5), proc_pid_mountinfo(5),
 * and in the kernel Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst and
 * freezer-subsystem.rst.
 */
#pragma once

#include "process/identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CGROUP_UNLIMITED UINT64_MAX

struct cgroup_headroom {
	uint64_t left;   /* bytes, under the tightest limit; CGROUP_UNLIMITED: none is visible */
	char *limit;     /* the file with that limit (owned): memory.max or the like of a cgroup,
			    untrusted; /proc/meminfo: the machine; NULL: unknown */
	uint64_t shared; /* likewise under those that limit us, too, and kill at the limit: what
			    we allocate may have the process killed */
	char *shared_limit;
};

/*
 * An invisible limit (a cgroup outside our namespace, an unreadable file) does not count. Fails
 * only with -ENOMEM.
 */
int cgroup_headroom(const struct identity *who, struct cgroup_headroom *headroom);
void cgroup_headroom_done(struct cgroup_headroom *headroom);

/*
 * Narrow *headroom by the cgroups only, from the texts of /proc/PID/cgroup, /proc/self/cgroup
 * (NULL: unknown) and /proc/self/mountinfo; also for tests.
 */
int cgroup_headroom_of(const char *cgroup, const char *own, const char *mountinfo,
	struct cgroup_headroom *headroom);

/*
 * Why nothing runs in the process: its cgroup has frozen it (a static text). NULL: it has not, or
 * the cgroup is invisible.
 */
const char *cgroup_frozen(const struct identity *who);

/* ---- parsers, all pure ---- */

/* The cgroup of a process that has a controller. */
struct cgroup_path {
	const char *controller;
	const char *path; /* relative to the visible root; points into the text, untrusted */
	size_t length;
	bool v1;
};

/*
 * From a /proc/PID/cgroup text. A controller that no hierarchy of version 1 has is in that of
 * version 2; "": that one. False: there is none.
 */
bool cgroup_find(const char *text, const char *controller, struct cgroup_path *c);

/*
 * The directory of a cgroup, from our /proc/self/mountinfo. `top` is the length of the mount point
 * in it: no level above that is visible. False: the hierarchy is not mounted, the cgroup lies
 * outside the mount, or the path does not fit.
 */
bool cgroup_directory(const char *mountinfo, const struct cgroup_path *c, char *directory,
	size_t size, size_t *top);

/*
 * The number in a limit or usage file; CGROUP_UNLIMITED for "max", for the value that version 1
 * writes where there is no limit, and for text that is no number.
 */
uint64_t cgroup_number(const char *text);

/*
 * Bytes of page cache that the kernel can reclaim without harm before it kills a process, from a
 * memory.stat text: the inactive file pages and half of the active ones (a busy process needs the
 * rest), without dirty pages and those under writeback. Swap does not count.
 */
uint64_t cgroup_reclaimable(const char *stat, bool v1);

/* What a limit leaves: never more than the limit. */
uint64_t cgroup_left(uint64_t limit, uint64_t used, uint64_t reclaimable);
