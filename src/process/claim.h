/*
 * Claims on what sessions share in a process: ranges of numbers, locked on its pidfd. The kernel
 * drops them when their session ends, however that ends, and shows them to every user and in every
 * pid namespace: that a claim is held proves that its session is alive. A lock on the whole pidfd
 * (process/lock.h) does not touch them.
 *
 * Anybody may open a pidfd, and lock it: what a claim is about must be on record in memory of the
 * process as well, where only who may trace it can write.
 *
 * Sources: fcntl_locking(2), "open file description locks". The inode of a pidfd is unique per
 * process since Linux 6.9; before, all share one, so the numbers begin with the process's own pid.
 */
#ifndef PROCESS_CLAIM_H
#define PROCESS_CLAIM_H

#include "process/identity.h"

/* One per session; initially all 0. */
struct claim {
	bool opened;   /* ... or tried */
	int fd;        /* its pidfd, or a further one; -1: not possible */
	uint64_t base; /* the numbers of this process */
};

#define CLAIM_NUMBERS (UINT64_C(1) << 40)

/* Claim numbers from `first` on, alone or together with others. False: another session has one. */
bool claim_take(
	struct claim *c, const struct identity *who, uint64_t first, uint64_t count, bool alone);
void claim_drop(struct claim *c, uint64_t first, uint64_t count);

/* Has another session claimed any of them? False where that cannot be seen. */
bool claim_taken(struct claim *c, const struct identity *who, uint64_t first, uint64_t count);

/* Drops all. Call it before the identity is closed. */
void claim_done(struct claim *c, const struct identity *who);

#endif
