/*
 * Starting a program and holding it where every library is mapped and no
 * instruction of its own, no constructor either, has run.
 */
#ifndef PROCESS_START_H
#define PROCESS_START_H

#include "probes.h"

/*
 * Fork, exec and hold. On success *pid is a stopped tracee of the calling thread; it dies
 * with us until start_resume. Status PROBES_NO_TARGET: the program cannot be executed;
 * PROBES_GONE: it ended before its own code (a missing library, say).
 */
int start_hold(const struct probes_program *program, pid_t *pid, struct probes_error *e);

/* Let it begin; detaches. */
int start_resume(pid_t pid, struct probes_error *e);

/* Kill it before it has begun, and collect it. */
void start_kill(pid_t pid);

#endif
