/* The time stamp counter as a clock: what a recorder reads in the process. */
#pragma once

#include "probes.h"

/*
 * Compare the counter with CLOCK_MONOTONIC for some milliseconds. Refused where it is no clock: its
 * rate changes, or it stops with its processor.
 */
int clock_calibrate(double *ns_per_tick, struct probes_error *e);

/* One moment by both clocks. *real_ns: CLOCK_REALTIME. */
void clock_look(uint64_t *ticks, int64_t *real_ns);
