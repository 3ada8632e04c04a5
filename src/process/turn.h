/*
 * Turns: only one of us changes a process at a time, through whatever proc mount, pid namespace or
 * user each of us came. Nobody who may not trace the process can keep us from a turn.
 */
#ifndef PROCESS_TURN_H
#define PROCESS_TURN_H

#include "process/identity.h"

/* Of a session; all 0 at first. */
struct turn {
	int pidfd;        /* what is locked, while the turn is ours */
	bool passed;      /* a lock was passed over whose holder nobody could identify */
	pid_t passed_pid; /* that holder; 0: not visible here */
};

/*
 * Take the turn: two locks, on `memory` (the opened /proc/PID/mem, see struct memory) and on the
 * pidfd. Both go with their holder, and children by fork share them. Waits at most `milliseconds`;
 * then -EBUSY, status PROBES_REFUSED, and the error names the holder.
 */
int turn_take(struct turn *t, const struct identity *who, int memory, int milliseconds,
	struct probes_error *e);
void turn_end(struct turn *t, const struct identity *who, int memory);

#endif
