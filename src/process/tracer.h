/*
 * Tracing in a forked child. The kernel detaches all tracees of the child as soon as it exits, with
 * their pending signals (ptrace(2)): also when we are killed.
 */
#pragma once

#include "process/identity.h"

/*
 * Call work(data, e) in a child; return its value, fill its error. The child blocks all signals and
 * dies with us. What `work` changes in memory is lost, except in shared mappings. -ECHILD, status
 * PROBES_FAILED: the child was killed, and its progress is unknown.
 */
int tracer_fork(pid_t target, int (*work)(void *data, struct probes_error *e), void *data,
	struct probes_error *e);

/*
 * Within `work`: have the kernel kill this child at that time (CLOCK_MONOTONIC, ns; 0: never), also
 * while it cannot run a signal handler.
 */
void tracer_kill_at(uint64_t when);

/*
 * Call work(data, e) in a child that has seized the thread whose memory is open: some kernels let
 * only the tracer write to code through /proc/PID/mem (6.12: proc_mem.force_override=ptrace). The
 * process is not stopped; signals of the thread are passed on at once. Status PROBES_DENIED:
 * another tracer, or no permission.
 */
int tracer_run(const struct identity *who, int (*work)(void *data, struct probes_error *e),
	void *data, struct probes_error *e);
