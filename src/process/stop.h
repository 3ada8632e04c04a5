/* Stops all threads of a process at one instant. Only on request: switching needs no stop. */
#pragma once

#include "process/identity.h"

/*
 * Stop every thread, call work(data, e), resume every thread with its pending signal. Done by a
 * helper process: at the deadline, or when we die, it exits, and the kernel resumes all threads.
 * `work` runs in that helper: what it changes in our memory is lost, except its return value and
 * its error.
 *
 * *stopped_ns: how long the process was stopped. Status PROBES_REFUSED: not all threads stopped
 * within `milliseconds` (nothing was done then); PROBES_DENIED: another tracer, or no permission.
 */
int stop_run(const struct identity *who, int milliseconds,
	int (*work)(void *data, struct probes_error *e), void *data, uint64_t *stopped_ns,
	struct probes_error *e);
