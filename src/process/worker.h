/*
 * Workers of the kernel among the threads of a process: io_uring makes them since Linux 5.12, vhost
 * since 6.4. They never run code of the process, and a stop would make their I/O fail with EINTR.
 */
#pragma once

#include <sys/types.h>

/* Is a thread one? `proc`: its process' directory in /proc. Negative: a shortage keeps us from
 * knowing. */
int worker_is(int proc, pid_t tid);
