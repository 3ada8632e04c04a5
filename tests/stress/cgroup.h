/*
 * A memory cgroup of our own, below the one we live in, and one below that, where the limit is
 * another's: version 1 or 2, whichever is there.
 */
#ifndef STRESS_CGROUP_H
#define STRESS_CGROUP_H

#include <stdbool.h>

struct cgroup {
	char path[512];
	bool v2;
};

/* False: this machine has none, or does not permit it. */
bool cgroup_make(struct cgroup *g);
/* Its last process has ended. */
void cgroup_remove(struct cgroup *g);
/* The caller lives in the lower one from here on. */
bool cgroup_enter(const struct cgroup *g);

/* Bytes, of both; -1: not known. */
long cgroup_usage(const struct cgroup *g);
/* The limit of the lower one, or of the upper. */
bool cgroup_limit(const struct cgroup *g, bool upper, long bytes);

#endif
