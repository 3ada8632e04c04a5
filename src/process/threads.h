/*
 * The threads of a process, and their thread pointers, found without stopping one: glibc registers
 * the head of a list with the kernel for each thread that it makes (set_robust_list(2)), at a fixed
 * place behind the thread pointer. What a thread says of itself there is compared with what the
 * kernel says, so that nothing depends on a version of glibc but whether it can be proven.
 * Workers of the kernel are left out.
 */
#pragma once

#include "base/array.h"
#include "process/memory.h"

/* Offsets from the thread pointer: struct pthread in nptl/descr.h, on x86-64 since glibc 2.4. */
#define THREADS_ALIGN 64
#define THREADS_SELF_AT 16 /* the thread pointer itself, as at 0 */
#define THREADS_TID_AT 0x2d0
#define THREADS_LIST_AT 0x2e0

struct thread {
	pid_t tid;
	uint32_t inside;  /* its tid as its process sees it; 0: unknown */
	uint64_t pointer; /* its thread pointer; 0: not proven */
};

struct threads {
	uint64_t hint;    /* may be the pointer of one of which the kernel knows no list; or 0 */
	struct array all; /* struct thread */
	bool near;        /* the process is in our pid namespace */
	bool foreign;     /* the pointer of none is: glibc has not created them */
	bool distinct;    /* no two have the same proven pointer */
	/* Why a system call of ours in one of them might harm the process; NULL: it cannot. */
	const char *no_calls;
	bool strict; /* one may not even read the time (SECCOMP_MODE_STRICT) */
};

/*
 * Look at the threads of a process, with t->hint: `proc` is its directory in /proc, `m` its memory.
 * `calls`: find out no_calls and strict as well, which reads a file for each thread. 0 or a
 * negative errno; the caller frees with threads_done in both cases.
 */
int threads_look(int proc, struct memory *m, bool calls, struct threads *t);
void threads_done(struct threads *t);

/*
 * Is a thread a worker of the kernel? `proc`: its process' directory in /proc. io_uring makes them
 * since Linux 5.12, vhost since 6.4. They never run code of the process, and a stop would make
 * their I/O fail with EINTR. Negative: a shortage keeps us from knowing.
 */
int threads_is_worker(int proc, pid_t tid);
