/*
 * Holding a whole process still for a moment: all its threads, at one instant.
 * Only for those who ask for it; switching needs no stop.
 */
#ifndef PROCESS_STOP_H
#define PROCESS_STOP_H

#include "process/identity.h"

/*
 * Stop every thread, call work(data, e), let every thread go on with whatever signal it was about
 * to get. A helper process does it: on the deadline, or when we die, it ends, and the kernel
 * lets everyone go. `work` runs in that helper: what it changes in our memory is lost, but its
 * return value and its error come back.
 *
 * *stopped_ns is how long the process stood still. Status PROBES_REFUSED: not all threads stopped
 * within `milliseconds` (nothing was done then); PROBES_DENIED: another tracer, or no permission.
 */
int stop_run(const struct identity *who, int milliseconds,
	int (*work)(void *data, struct probes_error *e), void *data, uint64_t *stopped_ns,
	struct probes_error *e);

#endif
