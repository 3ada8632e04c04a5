/*
 * Running system calls in a process, on one of its threads: to map memory. The others run on. The
 * process survives our death at any instruction: without us the thread returns by itself to where
 * it was (a frame for sigreturn on its stack), and whatever was mapped by then stays. A program
 * that is held at its start stays held.
 */
#pragma once

#include "process/identity.h"
#include "process/inject_calls.h"

struct start;

struct inject_process {
	const struct identity *who;
	struct memory *memory;
	struct start *held; /* the tracer of a program that is held at its start, else NULL */
	bool interrupts; /* may a thread be chosen whose call will return EINTR (host_thread.h)? */
};

/*
 * Run the calls in their order, until one fails (result < 0, above -4096). *done: how many were
 * run, the failed one included; those before have their results, also if the run failed.
 * Descriptors: an argument of INJECT_RESULT(k) is replaced by the result of an earlier call k. The
 * calls must not block, and not change signal handling or the thread itself. *stopped_ns: how long
 * the thread was held.
 *
 * 0: all were run, and none failed. PROBES_FAILED: the call calls[*done - 1] failed with the code
 * of the error; or -ECHILD: the helper was killed, and one more call than *done may have been run.
 * PROBES_REFUSED: it would not be safe (no thread with a stack that is large enough and in a system
 * call that can be interrupted without notice; seccomp; shadow stacks), and nothing was run.
 * PROBES_DENIED: another tracer, or no permission. Else PROBES_GONE.
 */
int inject_run(const struct inject_process *process, struct inject_call *calls, size_t count,
	const struct inject_text *texts, size_t text_count, size_t *done, uint64_t *stopped_ns,
	struct probes_error *e);
