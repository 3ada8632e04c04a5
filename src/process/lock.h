/*
 * The lock of a target: only one session at a time changes a process, whatever proc mount, pid
 * namespace or user the sessions have. A process that may not trace the target cannot block a
 * session.
 */
#pragma once

#include "process/identity.h"

/* One per session; initially all 0. */
struct lock {
	int pidfd;    /* the locked pidfd, while this session holds the lock */
	bool ignored; /* a lock was ignored because its holder could not be identified */
};

/*
 * Take two locks: on `memory` (the opened /proc/PID/mem, see struct memory) and on the pidfd. The
 * kernel releases both when their holder ends; forked children share them. Waits at most
 * `milliseconds`; then -EBUSY, status PROBES_REFUSED, and the error names the holder.
 */
int lock_take(struct lock *l, const struct identity *who, int memory, int milliseconds,
	struct probes_error *e);
void lock_release(struct lock *l, const struct identity *who, int memory);
