/*
 * Who may trace a process without CAP_SYS_PTRACE. /proc shows what the kernel decides by:
 * __ptrace_may_access in kernel/ptrace.c, cap_ptrace_access_check in security/commoncap.c.
 */
#pragma once

#include "process/identity.h"

struct rights {
	char *uid_map;
	uint64_t uids[4], gids[4];     /* real, effective, saved, file system */
	uint64_t permitted, effective; /* capabilities */
	bool dumpable;
};

/* Are the first `count` ids all this one? */
bool rights_all(const uint64_t *ids, size_t count, uint64_t id);

/*
 * Read those of the process whose files begin with `prefix`, relative to `dir`; or of a target.
 * False: unknown. rights_done in any case.
 */
bool rights_read(struct rights *r, int dir, const char *prefix);
bool rights_target(struct rights *r, const struct identity *who);
void rights_done(struct rights *r);

/*
 * May one with these ids and capabilities trace it? Both are of the same user namespace. That root
 * is not dumpable does not show, since root owns its files in any case.
 */
bool rights_permit(
	const struct rights *target, uint64_t user, uint64_t group, uint64_t capabilities);

/*
 * The one user (of our user namespace) who, in this group and without any capability, may trace the
 * process. False: there is none.
 */
bool rights_user(const struct identity *who, uid_t *user, gid_t *group);
