/*
 * Which thread of a process can be paused without its noticing? Stopping a thread ends the system
 * call that it waits in. Most begin again by themselves, some return EINTR or less than they would
 * have (signal(7), "Interruption of system calls and library functions by stop signals").
 */
#pragma once

#include "base/array.h"
#include "process/identity.h"

#define HOST_THREAD_STACK 16384 /* bytes that must be free on the stack */

struct memory;
struct user_regs_struct;

struct host_thread {
	pid_t tid;        /* 0: no thread can be paused now */
	bool filtered;    /* it has a seccomp filter, which may forbid a system call */
	bool interrupted; /* the call that it waits in will return EINTR */
	bool later;       /* that may change by itself */
	bool traced;      /* the cause is another tracer */
	char why[256], hint[128];
};

/*
 * Choose a thread; none of `tried`, which were found unfit when they had stopped. `mappings`: of
 * the process (struct mapping). filters: also one with a seccomp filter. interrupts: if there is no
 * other, also one that will notice, because it waits in an event loop with a timeout
 * (`interrupted`). Fails only for a shortage: a negative errno.
 */
int host_thread_find(const struct identity *who, const struct array *mappings, const pid_t *tried,
	size_t tried_count, bool filters, bool interrupts, struct host_thread *p);

/* The same for a program that is held at its start: its only thread is stopped already. */
int host_thread_held(const struct identity *who, bool filters, struct host_thread *p);

/*
 * Why must this stopped thread be left alone, although it can be paused? NULL: it need not. *never:
 * nor will that change. It needs a stack with HOST_THREAD_STACK free bytes: that of the main thread
 * (`main`: it is that), or one that a C library has mapped for a thread; below any other (of a
 * coroutine, a goroutine, a signal handler) there may be other data. sigreturn: where signal
 * handlers return to. `m` is read only through its descriptor.
 */
const char *host_thread_unfit(pid_t tid, const struct user_regs_struct *registers,
	const struct array *mappings, struct memory *m, uint64_t sigreturn, bool main, bool *never);

/*
 * A call that ended with EINTR because of the stop, though it had taken nothing: make the kernel
 * restart it, unless a signal handler is to run.
 */
void host_thread_restart(struct user_regs_struct *registers);
