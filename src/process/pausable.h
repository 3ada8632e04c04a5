/*
 * Which thread of a process can be paused without its noticing? Stopping a thread ends the system
 * call that it waits in. Most begin again by themselves, some return EINTR or less than they would
 * have (signal(7), "Interruption of system calls and library functions by stop signals").
 */
#ifndef PROCESS_PAUSABLE_H
#define PROCESS_PAUSABLE_H

#include "base/array.h"
#include "process/identity.h"

#define PAUSABLE_STACK 16384 /* bytes that must be free on the stack */

struct user_regs_struct;

struct pausable {
	pid_t tid;   /* 0: no thread can be paused now */
	bool later;  /* that may change by itself */
	bool traced; /* the cause is another tracer */
	char why[256], hint[128];
};

/*
 * Choose a thread; none of `tried`, which were found unfit when they had stopped. `mappings`: of
 * the process (struct mapping). Fails only for a shortage: a negative errno.
 */
int pausable_find(const struct identity *who, const struct array *mappings, const pid_t *tried,
	size_t tried_count, struct pausable *p);

/*
 * Do these registers of a stopped thread lie on a stack with PAUSABLE_STACK free bytes: the stack
 * of the main thread, or one that a C library has mapped for a thread? Below any other stack
 * (of a coroutine, a goroutine, a signal handler) there may be other data.
 */
bool pausable_stack(const struct array *mappings, const struct user_regs_struct *registers);

/*
 * A call that ended with EINTR because of the stop, though it had taken nothing: make the kernel
 * restart it, unless a signal handler is to run.
 */
void pausable_restart(struct user_regs_struct *registers);

#endif
