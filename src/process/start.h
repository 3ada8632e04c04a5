/*
 * Starts a program and holds it where every library is mapped, but none of its own code has run,
 * constructors included; then lets it run, or follows it to its next exec.
 */
#pragma once

#include "probes.h"

struct start;

/*
 * Fork, exec and hold. The program dies with us until start_follow or start_resume. Status
 * PROBES_NO_TARGET: the program cannot be executed; PROBES_GONE: it ended before its own code ran
 * (a missing library, for example).
 */
int start_new(const struct probes_program *program, struct start **start, struct probes_error *e);

pid_t start_pid(const struct start *s);

/* Call work(data, e) in the thread that traces the held program. */
int start_call(struct start *s, int (*work)(void *data, struct probes_error *e), void *data,
	struct probes_error *e);

/*
 * Let the held program run until it calls exec. If we die meanwhile, it runs on untouched: it is
 * seized, never stopped by us, its signals are passed on, its children are not traced.
 */
int start_follow(struct start *s, struct probes_error *e);

/* Readable when start_wait has something to report. */
int start_fd(const struct start *s);

/*
 * Wait at most `ms` (negative: for ever) for a followed program. 1: it called exec, and its new
 * program is held at its start, which runs if we die: PROBES_FAILED, -ENOSYS in *e if only at exec,
 * because its dynamic linker does not say where everything is mapped. 0: not yet. -ECHILD: it
 * ended, and *status is as from waitpid; nobody has reaped it. Other errors: start_free kills it.
 */
int start_wait(struct start *s, int ms, int *status, struct probes_error *e);

/* After start_wait returned 1: it is the program, which dies with us until start_resume. */
void start_hold(struct start *s);

/* Start the held program: detach it, and free. */
int start_resume(struct start *s, struct probes_error *e);

/* Kill the program if it is held; if it runs, let go of it. NULL is allowed. */
void start_free(struct start *s);
