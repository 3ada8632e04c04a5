/*
 * Claims on what sessions share in a process: numbers, locked on its pidfd. The kernel drops them
 * when their session ends, however that ends, and shows them to every user and in every pid
 * namespace. A lock on the whole pidfd (process/lock.h) does not touch them.
 *
 * But anybody may open a pidfd, and lock it. So who claims, and whether he could, must be on record
 * in memory of the process, where only who may trace it can write: that a claim which was taken is
 * held no longer proves that its session has ended; that it is held proves little.
 *
 * Sources: fcntl_locking(2), "open file description locks". The inode of a pidfd is unique per
 * process since Linux 6.9; before, all share one, so the numbers begin with the process's own pid.
 */
#pragma once

#include "process/identity.h"

/* One per session; initially all 0. */
struct claim {
	bool opened;   /* ... or tried */
	int fd;        /* its pidfd, or a further one; -1: not possible */
	uint64_t base; /* the numbers of this process */
};

#define CLAIM_NUMBERS (UINT64_C(1) << 40)

/* Claim a number, alone. False: it cannot be; somebody may have locked it. */
bool claim_take(struct claim *c, const struct identity *who, uint64_t number);
void claim_drop(struct claim *c, uint64_t number);

/*
 * May another session have claimed the number? Not if nobody has locked it, nor if somebody has
 * locked more than that, or not for themselves alone. True where that cannot be seen.
 */
bool claim_is_held(struct claim *c, const struct identity *who, uint64_t number);

/* Drops all. Call it before the identity is closed. */
void claim_done(struct claim *c, const struct identity *who);
