/*
 * How a thread that was stopped goes on with the system call that it waited in. A wait with a
 * relative timeout (nanosleep, poll, futex) is resumed by a system call that the program never
 * made: restart_syscall(2), for which a seccomp filter may kill it.
 */
#pragma once

#include <sys/types.h>

/*
 * Of a stopped tracee, before it goes on: where its filter forbids restart_syscall, or cannot be
 * read, the kernel makes the original call again, unless a signal handler is to run. A relative
 * timeout begins anew. 0 or a negative errno. Callable from a signal handler.
 */
int restart_past_filter(pid_t tid);
