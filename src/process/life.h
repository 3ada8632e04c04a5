/*
 * Is a process, identified by pid and start time, still alive? An answer needs proof: a failed
 * check does not prove an end.
 */
#ifndef PROCESS_LIFE_H
#define PROCESS_LIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum life { LIFE_GOES_ON, LIFE_IS_OVER, LIFE_UNKNOWN };

/*
 * Convert a start time as /proc shows it to us into one that all time namespaces share: clock ticks
 * since boot. 0: unknown, because our own offset is unknown.
 */
uint64_t life_start(uint64_t ticks);

/* Are two of these the same moment? Offsets are rounded to a tick; an unknown time matches any. */
bool life_same_start(uint64_t a, uint64_t b);

/*
 * Is the process `pid` of our pid namespace that began at `start` (life_start) alive? A process
 * whose first thread has ended lives on with the others. LIFE_UNKNOWN: *why has the reason.
 */
enum life life_of(pid_t pid, uint64_t start, const char **why);

#endif
