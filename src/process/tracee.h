/*
 * ptrace, all of it. Every call is made by the thread that seized. Source: ptrace(2).
 */
#ifndef PROCESS_TRACEE_H
#define PROCESS_TRACEE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* All return 0 or a negative errno. */

/*
 * Seize a child that has not begun. It will stop at exec (TRACEEXEC), and dies with us until it is
 * let go: it has not run one instruction of its own, so that this harms nobody.
 */
int tracee_seize_child(pid_t pid);

/* Run on, delivering `signal` (0: none). */
int tracee_continue(pid_t pid, int signal);

/* Run one instruction. */
int tracee_step(pid_t pid);

/*
 * Wait until it stops or ends; *status as waitpid gives it.
 */
int tracee_wait(pid_t pid, int *status);

/* Is this the stop at exec; is it a trap by our breakpoint or step. */
int tracee_is_exec(int status);
int tracee_is_trap(int status);

/* The signal to pass on for a stop that is not ours; 0 where there is none. */
int tracee_signal(int status);

int tracee_get_pc(pid_t pid, uint64_t *pc);
int tracee_set_pc(pid_t pid, uint64_t pc);

/* Seize a running thread; it goes on running. */
int tracee_seize(pid_t tid);

/* Ask a seized thread to stop; what it was doing is restarted, not failed, wherever that can be. */
int tracee_interrupt(pid_t tid);

/*
 * Wait until a tracee stands still or has ended; -EINTR when a signal of ours came first. Without
 * `nap`: only see whether it does; else -EAGAIN. A stop is looked at and not taken (WNOWAIT): it is
 * told again, and should we be killed before we let it go, the kernel passes its signal on, which
 * would be lost with us otherwise (kernel/exit.c wait_task_stopped clears what ptrace_stop
 * returns). An end is collected.
 */
int tracee_wait_once(pid_t tid, bool nap, int *status);

/* Let go for good, delivering `signal` (0: none); it runs on. */
int tracee_detach(pid_t pid, int signal);

#endif
