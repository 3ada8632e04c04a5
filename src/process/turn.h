/*
 * Turns: only one session changes a process at a time, whatever proc mount, pid namespace or user
 * the sessions have. A process that may not trace the target cannot block a turn.
 */
#ifndef PROCESS_TURN_H
#define PROCESS_TURN_H

#include "process/identity.h"

/* One per session; initially all 0. */
struct turn {
	int pidfd;   /* the locked pidfd, while this session has the turn */
	bool passed; /* a lock was passed over whose holder nobody could identify */
};

/*
 * Take the turn: two locks, on `memory` (the opened /proc/PID/mem, see struct memory) and on the
 * pidfd. Both end with their holder; children by fork share them. Waits at most `milliseconds`;
 * then -EBUSY, status PROBES_REFUSED, and the error names the holder.
 */
int turn_take(struct turn *t, const struct identity *who, int memory, int milliseconds,
	struct probes_error *e);
void turn_end(struct turn *t, const struct identity *who, int memory);

#endif
