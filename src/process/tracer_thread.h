/*
 * A thread that is the tracer of a program being started. A tracer is a thread (ptrace(2)): with
 * one of its own the caller may use any of its threads, need not wait while the program runs, and
 * can let go of a running program without stopping it, since the kernel detaches all tracees of a
 * thread as soon as that exits. Knows nothing of what it traces.
 */
#pragma once

#include "probes.h"

struct tracer_thread;

/* The thread blocks all signals. 0 or a negative errno. */
int tracer_thread_new(struct tracer_thread **t);

/*
 * Have the thread call work(data, e). The caller must not use `data` nor `e` until
 * tracer_thread_done; one call at a time.
 */
void tracer_thread_begin(struct tracer_thread *t, int (*work)(void *data, struct probes_error *e),
	void *data, struct probes_error *e);

/* Wait for at most `ms` (negative: for ever). True: the call has returned *result. */
bool tracer_thread_done(struct tracer_thread *t, int ms, int *result);

/* Readable while the end of a call waits for tracer_thread_done. */
int tracer_thread_fd(const struct tracer_thread *t);

/* Both: returns what work(data, e) returns. */
int tracer_thread_call(struct tracer_thread *t, int (*work)(void *data, struct probes_error *e),
	void *data, struct probes_error *e);

/* Called by work: an exit of the thread may interrupt what is between these two. */
void tracer_thread_may_exit(void);
void tracer_thread_must_stay(void);

/*
 * End the thread: the kernel detaches its tracees (or kills them: PTRACE_O_EXITKILL). A call in
 * progress is left where it may be. NULL is allowed.
 */
void tracer_thread_free(struct tracer_thread *t);
