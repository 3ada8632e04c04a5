/*
 * Starts a program and holds it where every library is mapped, but none of its own code has run,
 * constructors included.
 */
#ifndef PROCESS_START_H
#define PROCESS_START_H

#include "probes.h"

/*
 * Fork, exec and hold. On success *pid is a stopped tracee of the calling thread; it dies with us
 * until start_resume. Status PROBES_NO_TARGET: the program cannot be executed; PROBES_GONE: it
 * ended before its own code ran (a missing library, for example).
 */
int start_hold(const struct probes_program *program, pid_t *pid, struct probes_error *e);

/* Start the held program: detach it. */
int start_resume(pid_t pid, struct probes_error *e);

/* Kill the held program, and reap it. */
void start_kill(pid_t pid);

#endif
