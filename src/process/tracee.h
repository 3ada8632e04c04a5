/*
 * All calls of ptrace. Only the thread that seized a tracee may make them. Source: ptrace(2).
 */
#ifndef PROCESS_TRACEE_H
#define PROCESS_TRACEE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* All return 0 or a negative errno. */

/*
 * Seize a child before exec. It stops at exec (TRACEEXEC), and until it is detached it dies with
 * us, which is harmless: the program has not executed any instruction.
 */
int tracee_seize_child(pid_t pid);

/* Continue, delivering `signal` (0: none). */
int tracee_continue(pid_t pid, int signal);

/* Execute one instruction. */
int tracee_step(pid_t pid);

/* Wait until it stops or ends; *status as from waitpid. */
int tracee_wait(pid_t pid, int *status);

/* Is this the stop at exec; is it a trap by our breakpoint or single step? */
int tracee_is_exec(int status);
int tracee_is_trap(int status);

/* The signal to pass on when a stopped tracee continues; 0: none. */
int tracee_signal(int status);

int tracee_get_pc(pid_t pid, uint64_t *pc);
int tracee_set_pc(pid_t pid, uint64_t pc);

/* Seize a running thread without stopping it. */
int tracee_seize(pid_t tid);

/* Request a stop of a seized thread; the kernel restarts its system call where it can. */
int tracee_interrupt(pid_t tid);

/*
 * Wait until a tracee has stopped or ended; -EINTR after a signal to us. Without `block`, -EAGAIN
 * if it has not. A stop is not consumed (WNOWAIT): the next call reports it again, and if we are
 * killed before we detach the tracee, the kernel passes its signal on, which would be lost
 * otherwise (kernel/exit.c wait_task_stopped clears what ptrace_stop returns). An end is reaped.
 */
int tracee_wait_once(pid_t tid, bool block, int *status);

/* Detach, delivering `signal` (0: none). */
int tracee_detach(pid_t pid, int signal);

#endif
