/*
 * Who a process is: a pid alone is none, since the kernel gives it out again.
 * Held by a pidfd, the opened /proc/PID directory and the start time.
 */
#ifndef PROCESS_IDENTITY_H
#define PROCESS_IDENTITY_H

#include "probes.h"

struct identity {
	pid_t pid;
	pid_t tid;           /* a live thread: the leader, unless that is a zombie */
	int pidfd;           /* also locked for a turn (process/turn.c); -1 where descriptors are
				scarce */
	int proc;            /* /proc/PID */
	int task;            /* where maps, mem, exe, auxv are read: `proc` itself, or
				/proc/PID/task/TID where the leader is a zombie, which has none */
	uint64_t start_time; /* clock ticks since boot */
	uint64_t program;    /* made of its auxv, which exec makes anew; 0: not readable */
};

/*
 * Take hold of a running process. Status PROBES_NO_TARGET: there is none, or it has
 * ended and only waits to be collected, or it is a kernel thread. PROBES_FAILED: too few
 * descriptors are free.
 */
int identity_open(struct identity *who, pid_t pid, struct probes_error *e);
void identity_close(struct identity *who);

/* `program` of a process; 0: not readable (errno says why). */
uint64_t identity_program(pid_t pid);

/* Its number in the innermost pid namespace that it is in. */
pid_t identity_inner_pid(const struct identity *who);

/*
 * A live thread of the process (its /proc directory), or 0; negative: unknown, because of a
 * shortage of our own.
 */
pid_t identity_living_thread(int proc);

/*
 * Does the thread live whose directory is `task`? Where the leader has ended another one stands in
 * for it, which may end as well: what was read through it then is not to be trusted.
 */
bool identity_thread_lives(const struct identity *who);

/* Has the process not ended? No statement about exec: see identity_execed, memory_alive. */
bool identity_alive(const struct identity *who);

/* Does the process run another program than when it was opened? False where that cannot be seen. */
bool identity_execed(const struct identity *who);

/* Fill the error that says it has gone, by its end or by exec; returns -ESRCH. */
int identity_gone(const struct identity *who, struct probes_error *e);

#endif
