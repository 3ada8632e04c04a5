/*
 * Identity of a process. A pid alone is none: the kernel recycles it. An open process is held by a
 * pidfd, its opened /proc/PID directory and its start time; any other is identified by pid and
 * start time.
 */
#pragma once

#include "probes.h"

struct identity {
	pid_t pid;
	pid_t tid;           /* a live thread: the leader, unless that is a zombie */
	int pidfd;           /* also locked (process/lock.c); -1 when descriptors are scarce */
	int proc;            /* /proc/PID */
	int task;            /* to read maps, mem, exe, auxv: `proc` itself, or /proc/PID/task/TID
				if the leader is a zombie, which has none of them */
	int maps;            /* its maps: identity_keep_maps; -1: not open */
	uint64_t start_time; /* clock ticks since boot */
	uint64_t program;    /* hash of auxv, which exec changes; 0: unreadable */
	bool ended;          /* identity_end: nothing of it is open any more */
	int killed_by;       /* by this signal then; 0: by none, or unknown */
};

/*
 * Open a running process. Status PROBES_NO_TARGET: there is none, it is a zombie, or it is a kernel
 * thread. PROBES_FAILED: too few descriptors are free.
 */
int identity_open(struct identity *who, pid_t pid, struct probes_error *e);
void identity_close(struct identity *who);

/* It has ended (identity_alive): remember how, and close it. */
void identity_end(struct identity *who);

/* `program` of a process; 0: unreadable (errno has the reason). */
uint64_t identity_program(pid_t pid);

/* The pid in the innermost pid namespace of the process. */
pid_t identity_ns_pid(const struct identity *who);

/*
 * A live thread of the process (its /proc directory), since the leader may have called
 * pthread_exit; `remains`: one that does not exit either. 0: none; negative errno: a shortage.
 */
pid_t identity_find_thread(int proc, bool remains);

/*
 * Is the thread `tid` alive? If the leader has ended, `tid` is another thread, which may end as
 * well: discard what was read through it then.
 */
bool identity_thread_lives(const struct identity *who);

/* A live thread of the process: `tid`, or another one if that has ended. */
pid_t identity_thread(const struct identity *who);

/*
 * Open or read a file of its /proc directory through a thread that lives: the one it was opened by
 * may have ended, and then shows nothing. A descriptor, or a negative errno; as procfs_read.
 */
int identity_openat(const struct identity *who, const char *file, int flags);
int identity_read(const struct identity *who, const char *file, char **text, size_t *size);

/* The same for its maps, as procfs_read_lines. Where the leader lives, nothing else is read. */
int identity_maps(const struct identity *who, size_t (*drop)(char *text, size_t size), char **text,
	size_t *size);

/*
 * Keep its maps open, as its memory is: they can be read then though it forbids that later (it
 * becomes undumpable). Like that memory, they are those of the present program: after exec they are
 * empty. Nothing is kept where descriptors are scarce, or the program may be another one by now.
 */
void identity_keep_maps(struct identity *who);

/*
 * One value of its auxv (AT_PHDR, AT_BASE, ...: getauxval(3)) into *value; 0 if it is absent or
 * unreadable. Fails only for a shortage: 0 or a negative errno.
 */
int identity_auxv(const struct identity *who, unsigned long type, uint64_t *value);

/* Is the process alive? Says nothing about exec: see identity_execed, memory_alive. */
bool identity_alive(const struct identity *who);

/* Has the process called exec since it was opened? False where that cannot be seen. */
bool identity_execed(const struct identity *who);

/* The signal that has killed it; 0: none, or unknown. */
int identity_killed_by(const struct identity *who);

/* Fill the error for a process that ended or called exec; returns -ESRCH. */
int identity_gone(const struct identity *who, struct probes_error *e);

/*
 * Convert a start time as /proc shows it to us into one that all time namespaces share: clock ticks
 * since boot. 0: unknown, because our own offset is unknown.
 */
uint64_t identity_start(uint64_t ticks);

/* Are these start times equal? Offsets are rounded to a tick; an unknown time matches any. */
bool identity_same_start(uint64_t a, uint64_t b);

/*
 * Is the process `pid` of our pid namespace that began at `start` (identity_start) alive? It is
 * while any of its threads is. Ended: proven; a failed check proves nothing. Unknown: *why has the
 * reason.
 */
enum identity_state { IDENTITY_LIVES, IDENTITY_ENDED, IDENTITY_UNKNOWN };
enum identity_state identity_check(pid_t pid, uint64_t start, const char **why);

/*
 * A process that is killed, or exits, lives on for a moment (longer while the kernel removes
 * hundreds of its uprobes): it holds locks and numbers, and does nothing more. identity_dying: is
 * this one in that state? identity_settled: identity_check, but wait for the end.
 */
#define IDENTITY_DYING_MS 1000
bool identity_dying(pid_t pid);
enum identity_state identity_settled(pid_t pid, uint64_t start, const char **why);
