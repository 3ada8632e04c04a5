/*
 * Does a process still live that was once named by its number and its start time? An answer needs
 * proof: whatever keeps us from looking is no proof of an end.
 */
#ifndef PROCESS_LIFE_H
#define PROCESS_LIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum life { LIFE_GOES_ON, LIFE_IS_OVER, LIFE_UNKNOWN };

/*
 * A start time as /proc shows it to us, made one that all time namespaces share: clock ticks since
 * boot. 0: not known, since our own shift is not.
 */
uint64_t life_start(uint64_t ticks);

/* Do two of these name one moment? A shift is rounded to a tick; what is not known may be. */
bool life_same_start(uint64_t a, uint64_t b);

/*
 * The process `pid` of our pid namespace that began at `start` (life_start). A process whose first
 * thread has ended goes on with the others. LIFE_UNKNOWN: *why says what kept us from looking.
 */
enum life life_of(pid_t pid, uint64_t start, const char **why);

#endif
