/* All calls of ptrace. Only the thread that seized a tracee may make them. Source: ptrace(2). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* All return 0 or a negative errno. */

/*
 * Seize a child before exec. It stops at exec (TRACEEXEC), and until tracee_begin or its end it
 * dies with us, which is harmless: the program has not executed any instruction.
 */
int tracee_seize_child(pid_t pid);

/*
 * Both for a stopped tracee. begin: it runs its own code from now on and no longer dies with us;
 * its threads are seized as they are created (TRACECLONE), since any of them may call exec.
 * begin_again: after its next exec it dies with us again.
 */
int tracee_begin(pid_t pid);
int tracee_begin_again(pid_t pid);

/* Continue, delivering `signal` (0: none). */
int tracee_continue(pid_t pid, int signal);

/* Execute one instruction, after delivering `signal`. */
int tracee_step(pid_t pid, int signal);

/*
 * Wait until *tid, or if that is 0 any child or tracee of this thread, has stopped or ended;
 * *status as from waitpid. Consumes nothing: neither a stop (see tracee_wait_once) nor an end,
 * which tracee_consume reaps.
 */
int tracee_peek(pid_t *tid, int *status);

/*
 * Consume what tracee_peek reported: reap an end, or drop the signal of a stop, which the kernel
 * then does not deliver if we die. drop: does not wait.
 */
void tracee_consume(pid_t tid);
void tracee_drop(pid_t tid);

/*
 * Continue after a stop as if nobody traced it: deliver its signal, or leave it stopped by job
 * control until SIGCONT.
 */
int tracee_pass_on(pid_t tid, int status);

/* Is this the stop at exec; is it a trap by our breakpoint or single step; the first one of a new
 * thread (or after SIGCONT)? */
int tracee_is_exec(int status);
int tracee_is_arrival(int status);

/* Is it stopped by job control? */
int tracee_is_group_stop(int status);
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

/* ---- running system calls in a tracee ---- */

struct user_regs_struct;

/* Seize a running thread without stopping it, and report its system calls as tracee_is_call. */
int tracee_seize_calls(pid_t tid);

/* The same for a tracee that is stopped, and dies with us until tracee_begin_again. */
int tracee_hold_calls(pid_t tid);

/* Continue until the next entry to or exit from a system call, delivering `signal` (0: none). */
int tracee_to_call(pid_t tid, int signal);

/* Is it a stop at the entry to or the exit from a system call? */
bool tracee_is_call(int status);

int tracee_get_registers(pid_t tid, struct user_regs_struct *registers);
int tracee_set_registers(pid_t tid, const struct user_regs_struct *registers);

/* The x87, vector and further registers as XSAVE writes them, not compacted; *size: of the buffer,
 * then of what was written. */
int tracee_get_xstate(pid_t tid, void *buffer, size_t *size);

/* The blocked signals. During a call that replaces them (sigsuspend): those it will restore. */
int tracee_get_mask(pid_t tid, uint64_t *mask);
int tracee_set_mask(pid_t tid, uint64_t mask);

/* The address of its struct rseq (rseq(2)); 0: it has none, or the kernel cannot tell. */
uint64_t tracee_rseq(pid_t tid);

/* Does it intercept its own system calls (PR_SET_SYSCALL_USER_DISPATCH)? */
bool tracee_dispatches(pid_t tid);

/*
 * The instructions of its seccomp filter `index`, the newest being 0; returns how many, or a
 * negative errno: -ENOENT: it has not so many filters; -EACCES without CAP_SYS_ADMIN. NULL: only
 * count.
 */
struct sock_filter;
int tracee_get_filter(pid_t tid, unsigned index, struct sock_filter *out);
